"""Grids and lists of model cards, and the barcode of a ranked list."""
