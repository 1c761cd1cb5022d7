"""Thumbnails of models and queries."""
