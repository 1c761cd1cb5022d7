"""Contests in Python: `open` and `Contest`, whose names `shrec_viewer` exports."""
