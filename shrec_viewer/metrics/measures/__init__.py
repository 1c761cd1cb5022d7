"""Measures: one number per ranked list."""
