"""Camera, lighting, palette and prepared meshes, shared by all renderers."""
