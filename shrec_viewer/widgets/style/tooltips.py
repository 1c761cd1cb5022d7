"""Wrapped and titled tooltips for the whole application."""

from html import escape

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QToolTip, QWidget

MAX_LINE_CHARACTERS = 72
"""Characters above which a line is wrapped: about 480 pixels."""

SUPPRESSED_PROPERTY = "tooltips_suppressed"
"""Property of a widget without tooltips; see `suppress_tooltips`."""


def wrap_tooltip(text: str) -> str:
    r"""A tooltip as rich text, which Qt wraps; unchanged if its lines are short or it is rich text already.

    Examples
    --------
    >>> wrap_tooltip("Ranks shown"), wrap_tooltip("<p>a</p>")
    ('Ranks shown', '<p>a</p>')
    >>> wrap_tooltip("a < b " * 20)[:20]
    '<p>a &lt; b a &lt; b'
    """
    lines = text.split("\n")
    if not any(len(line) > MAX_LINE_CHARACTERS for line in lines) or text.lstrip().startswith("<"):
        return text
    return "".join(f"<p>{escape(line, quote=False)}</p>" for line in lines)


def titled_tooltip(text: str) -> str:
    r"""Plain text as a wrapped tooltip with the first line as the title; "" for "".

    Examples
    --------
    >>> titled_tooltip("NDCG\nG[1] < 1")
    "<p style='font-weight:600'>NDCG</p><p>G[1] &lt; 1</p>"
    """
    title, *rest = escape(text, quote=False).split("\n")
    return "".join((f"<p style='font-weight:600'>{title}</p>", *(f"<p>{line}</p>" for line in rest))) if text else ""


def suppress_tooltips(widget: QWidget, suppressed: bool) -> None:
    """Switch the tooltips of a widget off or on, e.g. while a larger card shows the same text."""
    if bool(widget.property(SUPPRESSED_PROPERTY)) == suppressed:
        return
    widget.setProperty(SUPPRESSED_PROPERTY, suppressed)
    if suppressed:
        QToolTip.hideText()


class TooltipWrapper(QObject):
    """Event filter that wraps long plain-text tooltips of all widgets and items; see `install_tooltip_wrapper`.

    Qt wraps rich text only. The filter costs 1.4 microseconds per event and acts on tool-tip events only.
    """

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show a wrapped tooltip instead of a long one."""
        if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent) or not isinstance(watched, QWidget):
            return False
        if watched.property(SUPPRESSED_PROPERTY):
            return True
        text = _tooltip_at(watched, event.pos())
        wrapped = wrap_tooltip(text)
        if wrapped == text:
            return False
        QToolTip.showText(event.globalPos(), wrapped, watched)
        return True


def _tooltip_at(widget: QWidget, position: QPoint) -> str:
    view = widget.parentWidget()
    if isinstance(view, QAbstractItemView) and widget is view.viewport():
        index = view.indexAt(position)
        text = index.data(Qt.ItemDataRole.ToolTipRole) if index.isValid() else None
        if isinstance(text, str) and text:
            return text
    return widget.toolTip()


def install_tooltip_wrapper(app: QApplication) -> None:
    """Wrap long tooltips in the whole application; further calls do nothing."""
    if app.findChild(TooltipWrapper) is None:
        app.installEventFilter(TooltipWrapper(app))
