"""The main window and the files it opens and saves."""
