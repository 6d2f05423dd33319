"""Which model is loaded and how: planned, proved in a child, kept."""
