"""Whole journeys with the real starter model."""
