"""Where hardware and engine differ, and what to do about it."""
