"""Curves: values along ranks, recall or generality."""
