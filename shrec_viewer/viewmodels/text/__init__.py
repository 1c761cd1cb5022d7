"""Text shared by several views."""
