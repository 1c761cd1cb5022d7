"""What one can do with models that turn: one row an action, with its key and its button."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from shrec_viewer.render.camera import Camera

Place = Literal["view", "shading", "bar", "end", "none"]

STEP = 15.0
"""Degrees that a key turns, as in Blender."""

NEARER = 1.25
"""Enlargement of one press of + or -."""


@dataclass(frozen=True)
class OrbitAction:
    """One thing to do with the models in sight.

    Attributes
    ----------
    name : what panels know it by.
    text : in a menu and in the tool tip.
    keys : while the view has the focus; the first one is shown.
    icon : of its button.
    place : its button stands in the menu of views, in the menu of shadings, in the bar, at the bar's end, or nowhere.
    is_switch : it is on or off.
    tip : more than the text says.
    starts_group : a line stands before it.
    """

    name: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    place: Place = "none"
    is_switch: bool = False
    tip: str = ""
    starts_group: bool = False

    @property
    def hint(self) -> str:
        """The tool tip: text, key, and what there is to say."""
        shown = QKeySequence(self.keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if self.keys else ""
        head = f"{self.text} ({shown})" if shown else self.text
        return f"{head}\n{self.tip}" if self.tip else head


ACTIONS = (
    OrbitAction("front", "From the front", ("1",), place="view"),
    OrbitAction("right", "From the right", ("3",), place="view"),
    OrbitAction("top", "From above", ("7",), place="view"),
    OrbitAction("iso", "Aslant", ("9",), place="view"),
    OrbitAction("back", "From behind", (), place="view", starts_group=True),
    OrbitAction("left", "From the left", (), place="view"),
    OrbitAction("bottom", "From below", (), place="view"),
    OrbitAction("parallel", "Parallel projection", ("5",), place="view", is_switch=True, starts_group=True),
    OrbitAction("upright", "Z points up", ("U",), place="view", is_switch=True, tip="Remembered for this collection"),
    OrbitAction("reset", "Fit and centre, as the thumbnails", ("Home", "0"), "fit", "bar"),
    OrbitAction("flat", "Flat: the faces as they are", (), place="shading", is_switch=True),
    OrbitAction("smooth", "Smooth", ("S",), place="shading", is_switch=True),
    OrbitAction(
        "normals", "Normals", ("N",), place="shading", is_switch=True,
        tip="Colours by the direction of each face: those turned inside out stand out",
    ),
    OrbitAction("wireframe", "Wireframe", ("W",), "wireframe", "bar", is_switch=True),
    OrbitAction("box", "Bounding box and axes", ("B",), "box", "bar", is_switch=True),
    OrbitAction("turn", "Turn by itself", ("T",), "turn", "bar", is_switch=True),
    OrbitAction(
        "in_place", "One in place of the other", ("F",), "in-place", "bar", is_switch=True, starts_group=True,
        tip="Shows one model at a time at the same place; Space shows the next one",
    ),
    OrbitAction("flip", "Show the next one in place", ("Space", "`")),
    OrbitAction(
        "pin", "Pin this model", ("P",), "pin", "bar", is_switch=True,
        tip="Keeps the model in sight while others are looked at; cards can be dragged here as well",
    ),
    OrbitAction("copy", "Copy the view", ("Ctrl+C",),
                "copy", "end"),
    OrbitAction("save", "Save the view as a picture…", (), "save", "end"),
    OrbitAction("previous", "The model before in the list", ("Left",)),
    OrbitAction("next", "The next model of the list", ("Right",)),
    OrbitAction("leave", "Back to the list", ("Esc", "Backspace")),
)  # fmt: skip
"""Every action, in the order of the bar. 1 3 7 9 5 as in F3D and Blender."""

TURNS = {"4": (-STEP, 0.0), "6": (STEP, 0.0), "8": (0.0, STEP), "2": (0.0, -STEP)}
"""Keys that turn by a step: degrees around and upwards, as in Blender; also the arrows with Shift."""

_ARROWS = {Qt.Key.Key_Left: "4", Qt.Key.Key_Right: "6", Qt.Key.Key_Up: "8", Qt.Key.Key_Down: "2"}
_ZOOMS = {"+": NEARER, "=": NEARER, "-": 1 / NEARER}


def action_of(event: QKeyEvent) -> str:
    """Name of the action that a key means; "" for none."""
    return _names().get(int(event.key()) | (event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier).value, "")


@lru_cache(maxsize=1)
def _names() -> dict[int, str]:
    """Names of actions by key and modifiers."""
    sequences = ((QKeySequence.fromString(key), action.name) for action in ACTIONS for key in action.keys)
    return {sequence[0].toCombined(): name for sequence, name in sequences}  # type: ignore[index]


def turn_of(event: QKeyEvent) -> tuple[float, float] | None:
    """Degrees around and upwards that a key turns by; None for another key."""
    if event.key() in _ARROWS and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
        return TURNS[_ARROWS[Qt.Key(event.key())]]
    return TURNS.get(event.text())


def zoom_of(event: QKeyEvent) -> float | None:
    """Enlargement that a key means; None for another key."""
    return _ZOOMS.get(event.text())


def zoomed_at(camera: Camera, factor: float, place: tuple[float, float]) -> Camera:
    """Enlarged so that what is at `place` (half sides from the middle, right and up) stays there."""
    zoomed = camera.zoomed(factor)
    by = zoomed.zoom / camera.zoom
    (x, y), (right, up) = place, camera.pan
    return zoomed.panned((x - right) * (1 - by), (y - up) * (1 - by))
