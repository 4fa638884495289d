"""Layer 2: makes the bundled miniatures; sibling of tasks, neither imports the other."""
