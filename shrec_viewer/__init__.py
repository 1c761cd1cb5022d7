"""SHREC Viewer: inspect and evaluate 3D shape retrieval runs."""

__version__ = "0.1.0"
