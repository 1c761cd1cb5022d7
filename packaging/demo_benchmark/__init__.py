"""The bundled benchmark: parametric shapes, simple descriptors, and how it is built."""

from pathlib import Path

from shrec_viewer.resources import resource

__all__ = ["demo_path"]


def demo_path() -> Path:
    """Folder of the demo benchmark that ships with the program; FileNotFoundError in a broken installation."""
    return resource("demo")
