"""Rigid geometry of shapes: samples, distance fields, alignment and differences; without files."""
