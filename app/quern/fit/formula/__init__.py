"""The answer by formulas alone, within a slider's move."""
