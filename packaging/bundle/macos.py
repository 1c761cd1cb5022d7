"""The bundle on macOS: an application folder with its file types. Not run yet."""

from pathlib import Path

from shrec_viewer import __version__

PROGRAMS = (("shrec-viewer", False),)
"""Executables and whether each is a console program; on macOS this one works in a terminal as well."""

ICON = str(Path(__file__).parents[2] / "resources/icons/hicolor/512x512/apps/shrec-viewer.png")
"""PyInstaller converts it with Pillow."""

RUNTIME_HOOKS = ()

IDENTIFIER = "org.shrec_viewer.viewer"


def _file_type(name: str, extension: str) -> dict[str, object]:
    return {"CFBundleTypeName": name, "CFBundleTypeExtensions": [extension], "CFBundleTypeRole": "Viewer"}


APPLICATION = {
    "name": "SHREC Viewer.app",
    "icon": ICON,
    "bundle_identifier": IDENTIFIER,
    "version": __version__,
    "info_plist": {
        "CFBundleDocumentTypes": [
            _file_type("SHREC Viewer project", "shrec"),
            _file_type("Classification of 3D models", "cla"),
        ],
        "LSApplicationCategoryType": "public.app-category.education",
        "NSHighResolutionCapable": True,
    },
}
"""Arguments of PyInstaller's BUNDLE."""


def is_bundled(path: str, source: str) -> bool:
    """Whether a binary file is in the bundle: PyInstaller leaves out the libraries of the system itself."""
    return True
