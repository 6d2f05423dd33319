"""The pages of the window: each a layout and its bindings to view-models."""
