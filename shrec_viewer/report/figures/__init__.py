"""Figures for publication: their contents, and files in the formats of papers."""
