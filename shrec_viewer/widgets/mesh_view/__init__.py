"""3D views of meshes with their actions."""
