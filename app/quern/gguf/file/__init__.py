"""Files that hold models: opening, naming, telling apart, proving whole."""
