"""Panels for scores: tables, heat map, confusion, significance and calculation."""
