"""Readers of meshes, materials, textures and images."""
