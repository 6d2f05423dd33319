"""Whether models fit this machine now, and what loads really took."""
