"""Layer 2: text in, frozen result out; add a capability as one module here."""
