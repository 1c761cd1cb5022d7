"""Scores, comparison, significance and calculations for the runs of a benchmark."""
