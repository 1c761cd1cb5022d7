"""Reload of runs and benchmarks that change on disk."""
