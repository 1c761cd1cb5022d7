"""Ranked lists and the list of queries."""
