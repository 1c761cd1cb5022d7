"""Rigid geometry of shapes: samples, distance fields, alignment, and a run that ranks by them."""
