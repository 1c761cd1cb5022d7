"""Score tables, heat map, confusion, significance, calculation."""
