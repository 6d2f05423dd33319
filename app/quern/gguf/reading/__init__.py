"""The header's bytes, value by value, with every length checked first."""
