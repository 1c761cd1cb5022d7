"""Worker processes for thumbnails, 3D views and reading models."""
