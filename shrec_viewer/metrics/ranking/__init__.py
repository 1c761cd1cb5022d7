"""Conversion of distances and ranked lists to hit tables."""
