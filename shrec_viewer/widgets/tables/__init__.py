"""Score tables and file previews."""
