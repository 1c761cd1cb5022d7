"""Heat map and tier image."""
