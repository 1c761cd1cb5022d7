"""Commands for thumbnails: the list as an image, and the camera of the collection."""

from dataclasses import replace
from typing import Any

from shrec_viewer.app.commands.command import Command, WindowInterface, has_benchmark, has_list, has_thumbnails

CAMERA_MENU = "View/Camera of the collection"
"""Menu of what holds for all thumbnails at once."""


def has_drawable_models(frame: WindowInterface) -> bool:
    """Something is open whose models can be drawn."""
    return has_benchmark(frame) and has_thumbnails(frame)


def _copy_strip(frame: WindowInterface) -> None:
    frame.workspace.results.card_preview.strip.copy()


def save_strip(frame: WindowInterface) -> None:
    """Ask where to save the list as a picture, and save it."""
    from shrec_viewer.panels.mesh_view.image_export import choose_image_path  # panels import numpy and pyqtgraph

    strip = frame.workspace.results.card_preview.strip
    if (path := choose_image_path(frame.as_widget(), strip.name)) is not None:
        strip.save(path)


def _set_camera(frame: WindowInterface, words: str, **changes: Any) -> None:
    """Look at all models of the collection in another way; undone as any change."""
    frame.session.edits.change_camera(replace(frame.session.mesh_view_state.camera, **changes), words)


def _toggle_fill(frame: WindowInterface) -> None:
    fills = _has_tight_fit(frame)
    _set_camera(frame, "fitting to the sphere" if fills else "filling the picture", fit="sphere" if fills else "tight")


def _has_tight_fit(frame: WindowInterface) -> bool:
    return has_benchmark(frame) and frame.session.mesh_view_state.camera.fit == "tight"


def _toggle_z_up(frame: WindowInterface) -> None:
    up = "Y" if _has_z_up(frame) else "Z"
    _set_camera(frame, f"{up} axis up", up=up)


def _has_z_up(frame: WindowInterface) -> bool:
    return has_benchmark(frame) and frame.session.mesh_view_state.up == "Z"


def _use_mesh_view_camera(frame: WindowInterface) -> None:
    camera = frame.workspace.panel("model_view").camera_controller.camera
    changes = {name: getattr(camera, name) for name in ("azimuth", "elevation", "field_of_view")}
    _set_camera(frame, "camera of the 3D view", **changes)


def _reset_camera(frame: WindowInterface) -> None:
    usual = type(frame.session.mesh_view_state.camera)()
    changes = {name: getattr(usual, name) for name in ("azimuth", "elevation", "field_of_view", "fit")}
    _set_camera(frame, "usual camera", **changes)


THUMBNAIL_ROWS: tuple[Command, ...] = (
    Command("copy_strip", "Edit", "Copy list as &picture", _copy_strip, ("Ctrl+Alt+C",), has_list, starts_group=True),
    Command(
        "fill_picture", CAMERA_MENU, "&Fill the picture", _toggle_fill, (), has_drawable_models, checked=_has_tight_fit
    ),
    Command("z_up", CAMERA_MENU, "&Z axis up", _toggle_z_up, (), has_drawable_models, checked=_has_z_up),
    Command(
        "camera_of_view",
        CAMERA_MENU,
        "As the &3D view looks now",
        _use_mesh_view_camera,
        (),
        has_drawable_models,
        starts_group=True,
    ),
    Command("usual_camera", CAMERA_MENU, "&Usual camera", _reset_camera, (), has_drawable_models),
)
"""The rows, in the order of the menu."""
