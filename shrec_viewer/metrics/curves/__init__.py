"""Curves: values by rank, recall or generality."""
