"""Ranked lists as rows, and gain and loss per query."""
