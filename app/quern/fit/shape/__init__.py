"""What a header says about a model: layers, caches, states, widths."""
