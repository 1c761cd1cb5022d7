"""Panels of assessments under review: edits, suspects, robustness."""
