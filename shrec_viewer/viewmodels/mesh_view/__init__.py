"""The 3D view of meshes: scene, camera, rendering."""
