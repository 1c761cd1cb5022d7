"""Apply the light or dark theme, or follow the colour scheme of the system."""

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QApplication

from shrec_viewer.widgets.style.theme import DARK, LIGHT, Theme, apply_text_size, apply_theme


class ThemeSelector(QObject):
    """Applies themes to the application.

    Parameters
    ----------
    app : the application.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._choice = "system"
        self._theme: Theme | None = None
        self._follows_system = False
        app.styleHints().colorSchemeChanged.connect(self._follow_system)

    @property
    def theme(self) -> Theme:
        """The theme applied last."""
        return self._theme or LIGHT

    def choose(self, choice: str, text_size: int | None = None) -> None:
        """Apply ``"light"`` or ``"dark"``, or follow the system (``"system"``).

        Parameters
        ----------
        text_size : font size in percent of the system's; None leaves it unchanged.
        """
        self._choice = choice
        if choice == "system":
            self._app.styleHints().unsetColorScheme()
        self._apply({"light": LIGHT, "dark": DARK}.get(choice) or self._system_theme())
        if text_size is not None:
            apply_text_size(self._app, text_size)

    def _system_theme(self) -> Theme:
        return DARK if self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT

    def _apply(self, theme: Theme) -> None:
        if theme is not self._theme or self._follows_system != (self._choice == "system"):
            self._theme, self._follows_system = theme, self._choice == "system"
            apply_theme(self._app, theme, follows_system=self._follows_system)

    @Slot()
    def _follow_system(self, *_: object) -> None:
        if self._choice == "system":
            self._apply(self._system_theme())
