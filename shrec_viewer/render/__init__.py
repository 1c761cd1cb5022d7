"""Mesh to pixels: one look for thumbnails and the orbit view, without Qt."""
