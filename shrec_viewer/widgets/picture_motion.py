"""Whether things may move by themselves: pictures that fade in, models that turn under the mouse."""

from PySide6.QtCore import QCoreApplication

_PROPERTY = "shrec_viewer_still"


def animations_on() -> bool:
    """Whether the person wants things to move; true until somebody says otherwise.

    Qt's own effects cannot be asked: without a desktop that has them they read as off whatever was set.
    """
    app = QCoreApplication.instance()
    return app is not None and not app.property(_PROPERTY)


def set_animations(app: QCoreApplication, on: bool) -> None:
    """Let things move from now on, or stand still."""
    app.setProperty(_PROPERTY, not on)
