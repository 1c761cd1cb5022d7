"""Cards and contact sheets painted with Pillow."""
