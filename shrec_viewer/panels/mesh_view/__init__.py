"""The 3D view panel, card previews and image export."""
