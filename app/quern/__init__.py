"""Quern: a laptop's own language models, made a pleasure to use."""

__version__ = "0.1.0"
