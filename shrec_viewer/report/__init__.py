"""Scores to paper: static site, vector plots, LaTeX."""
