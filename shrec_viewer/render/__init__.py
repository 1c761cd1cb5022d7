"""Render meshes to images, thumbnails and sheets; no Qt."""
