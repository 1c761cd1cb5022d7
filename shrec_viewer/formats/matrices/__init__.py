"""Readers of distance matrices, and matrices as runs."""
