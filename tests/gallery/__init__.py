"""Every page and state of the window as pictures, for review: `python -m tests.gallery OUT`."""
