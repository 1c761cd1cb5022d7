"""Commands for thumbnails: copy the list, and the camera of the collection."""

from dataclasses import replace
from typing import Any

from shrec_viewer.app.commands.command import (
    Command,
    WindowInterface,
    condition,
    has_benchmark,
    has_list,
    has_model,
    has_thumbnails,
)

CAMERA_MENU = "View/Camera of the collection"
"""Menu of settings that apply to all thumbnails."""


@condition("the models of an open benchmark have files")
def has_model_files(window: WindowInterface) -> bool:
    """Whether a benchmark is open whose models have files."""
    return has_benchmark(window) and has_thumbnails(window)


def _copy_strip(window: WindowInterface) -> None:
    window.workspace.results.card_preview.strip.copy()


def _copy_rows(window: WindowInterface) -> None:
    window.workspace.results.copy_rows()


def _set_camera(window: WindowInterface, undo_text: str, **changes: Any) -> None:
    """Change the camera of all thumbnails; can be undone."""
    window.session.edits.change_camera(replace(window.session.mesh_view_state.camera, **changes), undo_text)


def _toggle_fill(window: WindowInterface) -> None:
    if _has_tight_fit(window):
        _set_camera(window, "fit to the bounding sphere", fit="sphere")
    else:
        _set_camera(window, "fill the thumbnail", fit="tight")


def _has_tight_fit(window: WindowInterface) -> bool:
    return has_benchmark(window) and window.session.mesh_view_state.camera.fit == "tight"


def _toggle_z_up(window: WindowInterface) -> None:
    up = "Y" if _has_z_up(window) else "Z"
    _set_camera(window, f"{up} axis up", up=up)


def _has_z_up(window: WindowInterface) -> bool:
    return has_benchmark(window) and window.session.mesh_view_state.up == "Z"


def _use_mesh_view_camera(window: WindowInterface) -> None:
    camera = window.workspace.panel("model_view").camera_controller.camera
    changes = {name: getattr(camera, name) for name in ("azimuth", "elevation", "field_of_view")}
    _set_camera(window, "camera of the 3D view", **changes)


def _reset_camera(window: WindowInterface) -> None:
    default = type(window.session.mesh_view_state.camera)()
    changes = {name: getattr(default, name) for name in ("azimuth", "elevation", "field_of_view", "fit")}
    _set_camera(window, "default camera", **changes)


THUMBNAIL_COMMANDS: tuple[Command, ...] = (
    Command("copy_strip", "Edit", "Copy list as &image", _copy_strip, ("Ctrl+Alt+C",), has_list, starts_group=True,
            description="Copy the first thumbnails of the ranked list to the clipboard"),
    Command("copy_rows", "Edit", "Copy models as a &table", _copy_rows, ("Ctrl+Shift+C",), has_model, "results",
            description="Copy rank, id, class, relevance and distance of the selected models to the clipboard"),
    Command("fill_picture", CAMERA_MENU, "&Fill the thumbnail", _toggle_fill, (), has_model_files,
            checked=_has_tight_fit,
            description="Fit thumbnails to the outline of each model instead of its bounding sphere"),
    Command("z_up", CAMERA_MENU, "&Z axis up", _toggle_z_up, (), has_model_files, checked=_has_z_up,
            description="Up axis of the models in thumbnails and 3D view: Z instead of Y"),
    Command("camera_of_view", CAMERA_MENU, "Use camera of the &3D view", _use_mesh_view_camera, (),
            has_model_files, starts_group=True,
            description="Render all thumbnails from the direction of the 3D view"),
    Command("usual_camera", CAMERA_MENU, "&Default camera", _reset_camera, (), has_model_files,
            description="Render all thumbnails from the default direction"),
)  # fmt: skip
"""Part of `COMMANDS`, in the order of the menus."""
