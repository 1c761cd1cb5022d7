"""Puts this folder on the import path, for `made_folders`."""
