"""Nouns times measures: scores, comparison, diagnosis, tables."""
