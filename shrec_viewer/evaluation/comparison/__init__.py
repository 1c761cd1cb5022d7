"""Comparison of runs: differences, significance and leaderboards."""
