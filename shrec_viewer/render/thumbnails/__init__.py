"""Thumbnails of model and image files, and their cache."""
