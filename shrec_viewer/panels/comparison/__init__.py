"""Panels that compare runs."""
