"""Ranked lists side by side, and gain and loss per query."""
