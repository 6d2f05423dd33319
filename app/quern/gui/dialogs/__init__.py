"""Windows that ask or show one thing over a page."""
