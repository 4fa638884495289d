"""Layer 3: a result becomes a figure, an HTML string or a table."""
