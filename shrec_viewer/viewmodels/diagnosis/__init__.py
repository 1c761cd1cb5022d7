"""View models of assessments under review: edits, suspects, robustness."""
