"""The session: what is open, selected, edited and scored."""
