"""Assembly: main window, commands, settings, resources."""
