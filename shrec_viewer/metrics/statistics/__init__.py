"""Confidence intervals, significance tests and rank correlation."""
