"""Menu bar, tool bars and status bar."""
