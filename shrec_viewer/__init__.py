"""SHREC Viewer: inspect and evaluate 3D shape retrieval runs; `open` and `Contest` are the entry points in Python."""

from typing import TYPE_CHECKING, Any

from shrec_viewer.version import __version__

if TYPE_CHECKING:
    from shrec_viewer.api.contest import Contest, open
    from shrec_viewer.domain import ShrecViewerError

__all__ = ["Contest", "ShrecViewerError", "__version__", "open"]


def __getattr__(name: str) -> Any:
    """Import the names when they are used: most commands need none of them."""
    if name == "ShrecViewerError":
        from shrec_viewer.domain import ShrecViewerError

        return ShrecViewerError
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from shrec_viewer.api import contest

    return getattr(contest, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
