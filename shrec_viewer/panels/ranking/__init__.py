"""Panels for queries, ranked lists and notes."""
