"""Preview of a file for the import dialog."""
