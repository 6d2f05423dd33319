"""Which device holds what: layers, weights, companions."""
