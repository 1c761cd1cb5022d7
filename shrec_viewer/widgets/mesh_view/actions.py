"""Actions of the 3D view with their keys, and the tool bar that shows them."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, icon

ActionPlace = Literal["view", "shading", "difference", "bar", "end", "none"]

#: Rotation of a key in degrees, as in Blender.
ROTATION_STEP = 15.0

#: Zoom factor of + or -.
ZOOM_STEP = 1.25

#: Step of the cut in radii, of a key and of the wheel.
CUT_STEP = 0.05


@dataclass(frozen=True)
class MeshViewAction:
    """An action of the 3D view.

    Attributes
    ----------
    name : identifier.
    text : text in menu and tooltip.
    keys : shortcuts of the focused view; the first one is shown.
    icon : icon of its button.
    location : location of its button: menu of views or of shadings, its submenu of the difference, bar, end of the
        bar, or none.
    is_switch : whether it is checkable.
    tip : additional text of the tooltip.
    starts_group : whether it is preceded by a separator.
    """

    name: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    location: ActionPlace = "none"
    is_switch: bool = False
    tip: str = ""
    starts_group: bool = False

    @property
    def hint(self) -> str:
        """Tooltip: text, shortcut and `tip`."""
        key_text = QKeySequence(self.keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if self.keys else ""
        title = f"{self.text} ({key_text})" if key_text else self.text
        return f"{title}\n{self.tip}" if self.tip else title


#: All actions in the order of the bar; 1 3 7 9 5 as in F3D and Blender.
MESH_VIEW_ACTIONS = (
    MeshViewAction("front", "From the front", ("1",), location="view"),
    MeshViewAction("right", "From the right", ("3",), location="view"),
    MeshViewAction("top", "From above", ("7",), location="view"),
    MeshViewAction("iso", "Isometric", ("9",), location="view"),
    MeshViewAction("back", "From behind", (), location="view", starts_group=True),
    MeshViewAction("left", "From the left", (), location="view"),
    MeshViewAction("bottom", "From below", (), location="view"),
    MeshViewAction("parallel", "Parallel projection", ("5",), location="view", is_switch=True, starts_group=True),
    MeshViewAction("upright", "Z points up", ("U",), location="view", is_switch=True, tip="Saved per collection"),
    MeshViewAction(
        "cut", "Cut open", ("C",), location="view", is_switch=True, starts_group=True,
        tip="Removes the near half of the models; [ and ] or Ctrl+wheel move the cut",
    ),
    MeshViewAction(
        "measure", "Measure", ("M",), location="view", is_switch=True,
        tip="Two clicks on a model give the distance of the points",
    ),
    MeshViewAction("cut_back", "Cut away more", ("[",)),
    MeshViewAction("cut_forward", "Cut away less", ("]",)),
    MeshViewAction("reset", "Reset view", ("Home", "0"), "fit", "bar"),
    MeshViewAction("flat", "Flat shading", (), location="shading", is_switch=True),
    MeshViewAction("smooth", "Smooth", ("S",), location="shading", is_switch=True),
    MeshViewAction(
        "normals", "Normals", ("N",), location="shading", is_switch=True,
        tip="Faces coloured by their normal; inverted faces are conspicuous",
    ),
    MeshViewAction(
        "difference", "Difference", ("D",), location="shading", is_switch=True, starts_group=True,
        tip="Models are aligned with the query, or another one, and coloured by the distance of the surfaces",
    ),
    MeshViewAction("side", "Side by side", (), location="difference", is_switch=True),
    MeshViewAction("overlay", "Overlay", (), location="difference", is_switch=True,
                   tip="The other mesh as dots in the same image"),
    MeshViewAction("alternate", "Flip", (), location="difference", is_switch=True,
                   tip="Both in the same place; Space shows the other one"),
    MeshViewAction("against_query", "With the query", (), location="difference", is_switch=True, starts_group=True),
    MeshViewAction("against_b", "With the model of run B", (), location="difference", is_switch=True),
    MeshViewAction("against_pinned", "With the pinned model", (), location="difference", is_switch=True),
    MeshViewAction("mirror", "Mirror images", (), location="difference", is_switch=True, starts_group=True,
                   tip="The mirror image of a model is tried as well"),
    MeshViewAction("smaller_points", "Smaller points", (",",), location="shading", starts_group=True),
    MeshViewAction("larger_points", "Larger points", (".",), location="shading"),
    MeshViewAction("wireframe", "Wireframe", ("W",), "wireframe", "bar", is_switch=True),
    MeshViewAction("box", "Bounding box and axes", ("B",), "box", "bar", is_switch=True),
    MeshViewAction("turn", "Auto-rotate", ("T",), "turn", "bar", is_switch=True),
    MeshViewAction(
        "in_place", "One at a time", ("F",), "in-place", "bar", is_switch=True, starts_group=True,
        tip="Shows one model at a time in the same position; Space shows the next one",
    ),
    MeshViewAction("flip", "Show next", ("Space", "`")),
    MeshViewAction(
        "pin", "Pin model", ("P",), "pin", "bar", is_switch=True,
        tip="Keeps the model visible; cards can be dragged here as well",
    ),
    MeshViewAction("copy", "Copy the view", ("Ctrl+C",),
                "copy", "end"),
    MeshViewAction("save", "Save view as image or turntable…", (), "save", "end"),
    MeshViewAction("previous", "Previous model", ("Left",)),
    MeshViewAction("next", "Next model", ("Right",)),
    MeshViewAction("leave", "Back to the list", ("Esc", "Backspace")),
)  # fmt: skip

#: Keys that rotate by azimuth and elevation in degrees, as in Blender; also Shift+arrows.
ROTATION_KEYS = {
    "4": (-ROTATION_STEP, 0.0),
    "6": (ROTATION_STEP, 0.0),
    "8": (0.0, ROTATION_STEP),
    "2": (0.0, -ROTATION_STEP),
}

_ARROW_KEYS = {Qt.Key.Key_Left: "4", Qt.Key.Key_Right: "6", Qt.Key.Key_Up: "8", Qt.Key.Key_Down: "2"}
_ZOOM_KEYS = {"+": ZOOM_STEP, "=": ZOOM_STEP, "-": 1 / ZOOM_STEP}


def action_for_key(event: QKeyEvent) -> str:
    """Name of the action of a key; "" for none."""
    return _actions_by_key().get(int(event.key()) | (event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier).value, "")


@lru_cache(maxsize=1)
def _actions_by_key() -> dict[int, str]:
    """Names of actions by key and modifiers."""
    sequences = ((QKeySequence.fromString(key), action.name) for action in MESH_VIEW_ACTIONS for key in action.keys)
    return {sequence[0].toCombined(): name for sequence, name in sequences}  # type: ignore[index]


def rotation_for_key(event: QKeyEvent) -> tuple[float, float] | None:
    """Azimuth and elevation in degrees of a rotation key; None for other keys."""
    if event.key() in _ARROW_KEYS and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
        return ROTATION_KEYS[_ARROW_KEYS[Qt.Key(event.key())]]
    return ROTATION_KEYS.get(event.text())


def zoom_for_key(event: QKeyEvent) -> float | None:
    """Zoom factor of a key; None for other keys."""
    return _ZOOM_KEYS.get(event.text())


def zoomed_at(camera: Camera, factor: float, location: tuple[float, float]) -> Camera:
    """Camera zoomed around `location`, in half side lengths from the centre, right and up."""
    zoomed = camera.zoomed(factor)
    by = zoomed.zoom / camera.zoom
    (x, y), (right, up) = location, camera.pan
    return zoomed.panned((x - right) * (1 - by), (y - up) * (1 - by))


#: Size of an icon in pixels; eleven buttons fit into the minimum dock width of 320.
ICON_SIZE = 18

#: Name, tooltip and icon of the buttons that open menus.
MENU_BUTTONS = {
    "view": ("View", "Views", "cube"),
    "shading": ("Shading", "Shading", "shading"),
}

#: Exclusive actions.
SHADINGS = ("flat", "smooth", "normals")
LAYOUTS = ("side", "overlay", "alternate")
REFERENCES = ("against_query", "against_b", "against_pinned")


class MeshViewToolBar(QToolBar):
    """Tool bar of the 3D view; the owner sets the check states.

    Signals
    -------
    action_requested(name)
        Name of the requested action, see `MESH_VIEW_ACTIONS`.
    """

    action_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.actions_by_name: dict[str, QAction] = {}
        self._menus: dict[str, QToolButton] = {}
        self._groups = [(names, QActionGroup(self)) for names in (SHADINGS, LAYOUTS, REFERENCES)]
        self.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
        self.setAccessibleName("3D view")
        self.setStyleSheet("QToolBar { spacing: 1px; padding: 2px 4px; }")
        self._build()
        self.set_theme(current_theme())

    def set_on(self, name: str, on: bool) -> None:
        """Check or uncheck an action; does not emit."""
        self.actions_by_name[name].setChecked(on)

    def set_possible(self, name: str, possible: bool) -> None:
        """Enable or disable an action."""
        self.actions_by_name[name].setEnabled(possible)

    def is_possible(self, name: str) -> bool:
        """Whether an action is enabled."""
        return self.actions_by_name[name].isEnabled()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        for row in MESH_VIEW_ACTIONS:
            if row.icon:
                self.actions_by_name[row.name].setIcon(icon(row.icon, theme))
        for location, button in self._menus.items():
            button.setIcon(icon(MENU_BUTTONS[location][2], theme))

    def _build(self) -> None:
        for row in MESH_VIEW_ACTIONS:
            action = self.actions_by_name[row.name] = QAction(row.text, self, checkable=row.is_switch)
            action.setData(row.name)
            set_tooltip(action, row.hint)
            if row.keys:
                action.setShortcutVisibleInContextMenu(True)
            action.triggered.connect(self._on_triggered)
            for names, group in self._groups:
                if row.name in names:
                    group.addAction(action)
        for location in MENU_BUTTONS:
            self._add_menu(location)
        self._fill(self._menus["shading"].menu().addMenu("Difference shown"), "difference")
        for row in MESH_VIEW_ACTIONS:
            if row.location == "bar":
                if row.starts_group:
                    self.addSeparator()
                self._add_button(row)
        spring = QWidget()
        spring.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spring)
        for row in MESH_VIEW_ACTIONS:
            if row.location == "end":
                self._add_button(row)

    def _add_button(self, row: MeshViewAction) -> None:
        self.addAction(self.actions_by_name[row.name])
        button = self.widgetForAction(self.actions_by_name[row.name])
        button.setAccessibleName(row.text)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def _add_menu(self, location: str) -> None:
        name, tip, _ = MENU_BUTTONS[location]
        button = self._menus[location] = QToolButton(popupMode=QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        self._fill(menu, location)
        button.setMenu(menu)
        set_tooltip(button, tip)
        button.setAccessibleName(name)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.addWidget(button)

    def _fill(self, menu: QMenu, location: str) -> None:
        for row in MESH_VIEW_ACTIONS:
            if row.location == location:
                if row.starts_group:
                    menu.addSeparator()
                action = self.actions_by_name[row.name]
                action.setText(f"{row.text}\t{row.keys[0]}" if row.keys else row.text)
                menu.addAction(action)

    @Slot()
    def _on_triggered(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.action_requested.emit(action.data())

    def minimumSizeHint(self) -> QSize:
        """Small width: buttons that do not fit are in the extension menu."""
        return QSize(16 * SPACE, super().minimumSizeHint().height())
