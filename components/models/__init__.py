"""Layer 1: which models there are, and loading them."""
