"""Each vendor's own way to ask for its GPUs; nothing is imported or opened that is not there."""
