"""Whether things may move by themselves: pictures that fade in, models that turn under the mouse."""

from PySide6.QtWidgets import QApplication, QStyle

_PROPERTY = "shrec_viewer_still"


def animations_on() -> bool:
    """Whether the person, and the system, want things to move; true until somebody says otherwise."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        return False
    return not app.property(_PROPERTY) and bool(app.style().styleHint(QStyle.StyleHint.SH_Widget_Animate))


def set_animations(app: QApplication, on: bool) -> None:
    """Let things move from now on, or stand still."""
    app.setProperty(_PROPERTY, not on)
