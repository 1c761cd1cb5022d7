"""Figures and documents for publication."""
