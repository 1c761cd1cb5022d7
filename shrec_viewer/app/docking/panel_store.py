"""Create each panel on first use and share it between perspectives."""

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from shrec_viewer.app.docking.panel_views import PanelViews
from shrec_viewer.panels import dock_of, panels_by_key, views_of
from shrec_viewer.panels.export.panel_export import PanelExport
from shrec_viewer.viewmodels.session.session import Session


def shortcut_scopes(key: str) -> tuple[str, ...]:
    """Scopes of commands whose shortcuts work in a panel, besides ``"window"``.

    Examples
    --------
    >>> shortcut_scopes("queries"), shortcut_scopes("gain"), shortcut_scopes("notes")
    (('queries', 'list', 'rank'), ('gain', 'rank'), ('notes',))
    """
    return (key, *panels_by_key()[key].shortcut_scopes)


class PanelStore(QObject):
    """Owner of the panel widgets. A panel is created once and moves between the docks of the perspectives.

    Signals
    -------
    created(key, widget)
        A panel was created.
    """

    created = Signal(str, QWidget)

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._hidden_parent = QWidget(parent)  # of panels that are in no dock
        self._hidden_parent.hide()
        self._session = session
        self._panels: dict[str, QWidget] = {}
        self._views: dict[str, PanelViews] = {}
        self._exports: dict[str, PanelExport] = {}

    def widget(self, key: str, parent: QWidget | None = None) -> QWidget:
        """The panel of a row of `PANELS`, created on the first call.

        Parameters
        ----------
        parent : of a panel that this call creates, where the caller puts it; each change of the parent takes 3 ms.

        Raises
        ------
        KeyError
            When no row has this key.
        """
        if key not in self._panels:
            row = panels_by_key()[key]
            widget = self._panels[key] = row.factory(self._session)
            self._exports[key] = PanelExport(self._session, row, widget)
            widget.setParent(parent or self._hidden_parent)
            widget.setObjectName(f"{key}_panel")
            self.created.emit(key, widget)
        return self._panels[key]

    def contents(self, key: str, parent: QWidget | None = None) -> QWidget:
        """What a dock or the centre contains: the panel, or its `PanelViews`; created on the first call."""
        rows = views_of(key)
        if len(rows) == 1:
            return self.widget(key, parent)
        if key not in self._views:
            views = self._views[key] = PanelViews(rows, rows[0].dock_title or rows[0].title, parent)
            views.names.setHidden(rows[0].area == "centre")
            views.view_needed.connect(self._add_view)
        return self._views[key]

    @Slot(str)
    def _add_view(self, key: str) -> None:
        views = self._views[dock_of(key)]
        views.add_view(key, self.widget(key, views))

    def show_view(self, key: str) -> None:
        """Show a panel in its dock, if that has several views."""
        if (views := self._views.get(dock_of(key))) is not None:
            views.show_view(key)

    def shown_view(self, key: str) -> str:
        """Key of the panel that a dock shows, by the key of the dock."""
        views = self._views.get(key)
        return key if views is None else views.key

    def existing_contents(self, key: str) -> QWidget | None:
        """`contents` if it was created, else None."""
        return self._views.get(key) or self._panels.get(key)

    def export(self, key: str) -> PanelExport:
        """The export of a panel, which is created on the first call."""
        self.widget(key)
        return self._exports[key]

    def release(self, key: str) -> None:
        """Take existing `contents` out of their dock, which is going to be deleted."""
        contents = self.existing_contents(key)
        assert contents is not None
        contents.setParent(self._hidden_parent)

    def existing(self, key: str) -> QWidget | None:
        """The panel if it was created, else None."""
        return self._panels.get(key)

    def all_existing(self) -> dict[str, QWidget]:
        """Every panel created so far, by its key."""
        return dict(self._panels)
