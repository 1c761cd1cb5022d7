"""Starting the application: entry point, settings, theme, error reporting."""
