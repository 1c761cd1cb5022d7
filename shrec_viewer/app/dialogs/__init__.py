"""Dialogs: palette, preferences, shortcuts, help, about, errors."""
