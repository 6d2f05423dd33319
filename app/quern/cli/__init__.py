"""`quern ...` in a terminal: the composition root, one verb per file."""
