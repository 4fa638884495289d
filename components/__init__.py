"""Encoder Lab: encoder models seen from the inside, layer by layer (see README.md here)."""
