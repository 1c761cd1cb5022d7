"""Data of curves and of the generality graph."""
