"""From distances and lists to hit tables."""
