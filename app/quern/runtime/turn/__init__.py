"""One chat turn, from the person's message to the stored reply."""
