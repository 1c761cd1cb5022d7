"""The list as a picture, for papers and messages."""

from dataclasses import replace
from typing import Any

from shrec_viewer.app.commands.command import Command
from shrec_viewer.app.frame import Frame, has_benchmark, has_list, has_pictures

CAMERA = "View/Camera of the collection"
"""Menu of what holds for all thumbnails at once."""


def has_files(frame: Frame) -> bool:
    """Something is open whose models can be drawn."""
    return has_benchmark(frame) and has_pictures(frame)


def _copy_strip(frame: Frame) -> None:
    frame.workspace.results.turning.strip.copy()


def save_strip(frame: Frame) -> None:
    """Ask where to save the list as a picture, and save it."""
    from shrec_viewer.panels.model_view_save import ask_picture_file  # panels import numpy and pyqtgraph

    strip = frame.workspace.results.turning.strip
    if (path := ask_picture_file(frame.as_widget(), strip.name)) is not None:
        strip.save(path)


def _look(frame: Frame, words: str, **changes: Any) -> None:
    """Look at all models of the collection in another way; undone as any change."""
    frame.session.edits.look_from(replace(frame.session.orbit.camera, **changes), words)


def _fill(frame: Frame) -> None:
    fills = _fills(frame)
    _look(frame, "fitting to the sphere" if fills else "filling the picture", fit="sphere" if fills else "tight")


def _fills(frame: Frame) -> bool:
    return has_benchmark(frame) and frame.session.orbit.camera.fit == "tight"


def _lie_down(frame: Frame) -> None:
    up = "Y" if _has_z_up(frame) else "Z"
    _look(frame, f"{up} axis up", up=up)


def _has_z_up(frame: Frame) -> bool:
    return has_benchmark(frame) and frame.session.orbit.up == "Z"


def _look_as_3d(frame: Frame) -> None:
    camera = frame.workspace.panel("model_view").stage.camera
    changes = {name: getattr(camera, name) for name in ("azimuth", "elevation", "field_of_view")}
    _look(frame, "camera of the 3D view", **changes)


def _look_as_usual(frame: Frame) -> None:
    usual = type(frame.session.orbit.camera)()
    changes = {name: getattr(usual, name) for name in ("azimuth", "elevation", "field_of_view", "fit")}
    _look(frame, "usual camera", **changes)


ROWS: tuple[Command, ...] = (
    Command("copy_strip", "Edit", "Copy list as &picture", _copy_strip, ("Ctrl+Alt+C",), has_list, starts_group=True),
    Command("fill_picture", CAMERA, "&Fill the picture", _fill, (), has_files, checked=_fills),
    Command("z_up", CAMERA, "&Z axis up", _lie_down, (), has_files, checked=_has_z_up),
    Command("camera_of_view", CAMERA, "As the &3D view looks now", _look_as_3d, (), has_files, starts_group=True),
    Command("usual_camera", CAMERA, "&Usual camera", _look_as_usual, (), has_files),
)
"""The rows, in the order of the menu."""
