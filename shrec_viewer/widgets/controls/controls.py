"""Small controls: eliding labels and combo boxes, fields of tool bars, filter field; item data by role name."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QButtonGroup,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QToolButton,
    QToolTip,
    QWidget,
)

from shrec_viewer.printable import printable_lines
from shrec_viewer.widgets.controls.layouts import Stretch, column_of, row_of
from shrec_viewer.widgets.controls.plain_text import (
    ItemTooltips,
    PlainLabel,
    escape_mnemonic,
    plain_tooltip,
    set_tooltip,
    tooltip_text,
)
from shrec_viewer.widgets.style.text import put_text
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, Theme, current_theme, icon_pixmap, text_font


class ScaledLabel(PlainLabel):
    """Label in the font of the program times `scale`, or bold; it follows changes of that font.

    A font that is set once would not do: when the style sheet of the program is set, or the label is first shown, Qt
    replaces it by the font of the program (PySide6 6.10.3).
    """

    #: Of labels that Qt still sends events while they are destroyed: their attributes are gone then.
    _scale, _bold = 1.0, False

    def __init__(self, text: str = "", scale: float = 1.0, *, bold: bool = False) -> None:
        super().__init__(text)
        self._scale, self._bold = scale, bold
        self._apply_font()

    def changeEvent(self, event: QEvent) -> None:
        """Qt override."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._apply_font()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt override."""
        super().showEvent(event)
        self._apply_font()

    def _apply_font(self) -> None:
        font = text_font(QApplication.font(), self._scale, bold=self._bold)
        if font != self.font():
            self.setFont(font)


#: Minimum width of an `ElidingLabel` in average characters.
MIN_CHARACTERS = 12


class ElidingLabel(ScaledLabel):
    """Label of one line that elides its text at the right; the tooltip then has the full text."""

    def is_elided(self) -> bool:
        """Whether the text is elided."""
        return self.fontMetrics().horizontalAdvance(self.text()) > self.width()

    def sizeHint(self) -> QSize:
        """Two pixels more than the text, so that rounding does not elide it."""
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """Width of the first characters and an ellipsis."""
        return QSize(min(MIN_CHARACTERS * self.fontMetrics().averageCharWidth(), self.sizeHint().width()), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the whole text as the tooltip while it is elided."""
        super().resizeEvent(event)
        set_tooltip(self, self.text() if self.is_elided() else "")

    @property
    def shown_text(self) -> str:
        """The text as far as it is shown."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the elided text."""
        painter = QPainter(self)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.shown_text)


class LeadLabel(ElidingLabel):
    """The sentence that leads a panel, in bold and on one line."""

    def __init__(self) -> None:
        super().__init__(bold=True)
        self._shorter: tuple[str, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def shown_text(self) -> str:
        """The sentence, or the longest of the shorter ones that fits."""
        forms, metrics = (self.text(), *self._shorter), self.fontMetrics()
        fitting = (form for form in forms if metrics.horizontalAdvance(form) <= self.width())
        return next(fitting, metrics.elidedText(forms[-1], Qt.TextElideMode.ElideRight, self.width()))

    def set_sentence(self, text: str, *shorter: str) -> None:
        """Show a sentence, or a shorter one where it does not fit; nothing, not even a line, for ""."""
        self._shorter = shorter
        self.setText(text)
        self.setVisible(bool(text))
        set_tooltip(self, text if self.is_elided() else "")


#: Share of the height of a panel up to which its summary is wrapped.
MAX_SUMMARY_SHARE = 0.5


class SummaryLabel(ElidingLabel):
    """Text above the contents of a panel: wrapped, and elided after the last line that it may have."""

    def __init__(self) -> None:
        super().__init__()
        self._details = ""
        self._cut = ""  # the lines that are shown of a longer text
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_summary(self, text: str, details: str = "") -> None:
        """Set the text, and the details of its tooltip."""
        self._details = details
        self.setText(text)
        self.fit()

    def fit(self) -> None:
        """Wrap the text, and elide it where it needs more lines than the height of the panel, its parent, allows."""
        panel = self.parentWidget()
        panel_height = 0 if panel is None else panel.height()
        lines = max(1, int(MAX_SUMMARY_SHARE * panel_height / self.fontMetrics().lineSpacing()))
        cut = wrapped_text(self.text(), self.fontMetrics(), max(self.width(), 1), lines)
        fits = cut == self.text()
        if self._cut != ("" if fits else cut):
            self._cut = "" if fits else cut
            self.updateGeometry()
            self.update()
        set_tooltip(self, "\n".join(part for part in ("" if fits else self.text(), self._details) if part))

    @property
    def shown_text(self) -> str:
        """The text as far as it is shown."""
        return self._cut or self.text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        PlainLabel.resizeEvent(self, event)
        self.fit()

    def heightForWidth(self, width: int) -> int:
        """Height of the lines that are shown; layouts call it instead of `sizeHint`."""
        if not self._cut:
            return super().heightForWidth(width)
        return _wrapped_height(self._cut, self.fontMetrics(), max(self.width(), 1))

    def sizeHint(self) -> QSize:
        """Size of the wrapped text."""
        return PlainLabel.sizeHint(self)

    def minimumSizeHint(self) -> QSize:
        """One line: the number of lines follows the height of the panel, which could not be made lower otherwise."""
        return QSize(0, self.fontMetrics().lineSpacing())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        if not self._cut:
            PlainLabel.paintEvent(self, event)
            return
        painter = QPainter(self)
        painter.drawText(self.rect(), WRAPPED, self._cut)


#: Flags of text that is wrapped between words.
WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


def _wrapped_height(text: str, metrics: QFontMetrics, width: int) -> int:
    return metrics.boundingRect(0, 0, width, 100_000, int(WRAPPED), text).height()


def wrapped_text(text: str, metrics: QFontMetrics, width: int, lines: int) -> str:
    """The words of a text that fit into this number of lines, with an ellipsis where words are left out."""
    height = lines * (metrics.lineSpacing() + 1)  # Qt rounds the height of each line up
    if _wrapped_height(text, metrics, width) <= height:
        return text
    words = text.split(" ")
    fitting = bisect_left(
        range(1, len(words)),
        True,
        key=lambda count: _wrapped_height(" ".join(words[:count]) + "…", metrics, width) > height,
    )
    return " ".join(words[: max(fitting, 1)]).rstrip(",;: ") + "…"


class ElidingLine(QWidget):
    """Line of text that elides, for texts that change often.

    Unlike `QLabel.setText`, `setText` does not call `updateGeometry`, which would lay out the whole window with each
    move of the cursor.

    Parameters
    ----------
    grows : keep the width of the longest text so far, where there is room; otherwise take the remaining width.
    token : text colour, a field of `Theme`.
    is_right : align the text at the right.
    leads : the text leads a panel: its first clause, up to a semicolon, is in bold ink.
    """

    def __init__(
        self,
        *,
        grows: bool = False,
        token: str = "ink",
        is_right: bool = False,
        leads: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._grows, self._leads = grows, leads
        self._alignment = Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
        self._token = token
        self._forms: tuple[str, ...] = ("",)
        self._text_width = 0
        horizontal = QSizePolicy.Policy.Maximum if grows else QSizePolicy.Policy.Ignored
        self.setSizePolicy(horizontal, QSizePolicy.Policy.Preferred)

    def text(self) -> str:
        """The full text."""
        return self._forms[0]

    @property
    def shown_text(self) -> str:
        """The longest form of the text that fits; the last one is elided if none does."""
        width = self.contentsRect().width()
        fitting = (form for form in self._forms if sum(clause[-1] for clause in self._clauses(form)) <= width)
        elided = QFontMetricsF(self.font()).elidedText(self._forms[-1], Qt.TextElideMode.ElideRight, width)
        return next(fitting, elided)

    def _clauses(self, text: str) -> list[tuple[str, QFont, str, float]]:
        """The clause in bold and the others, with fonts, colours and widths."""
        lead = text.partition(";")[0] if self._leads else ""
        clauses = (lead, text_font(self.font(), bold=True), "ink"), (text.removeprefix(lead), self.font(), self._token)
        return [(*clause, QFontMetricsF(clause[1]).horizontalAdvance(clause[0])) for clause in clauses]

    def setText(self, text: str, *shorter: str) -> None:  # noqa: N802 - as in QLabel
        """Set the text; control characters are escaped.

        Parameters
        ----------
        shorter : shown instead of an elided text, the longest first; "" for nothing.
        """
        forms = tuple(printable_lines(form) for form in (text, *shorter))
        if forms == self._forms:
            return
        self._forms = forms
        self.setAccessibleDescription(forms[0])
        if self._grows:
            self._update_width()
        self.update()

    def reset_width(self) -> None:
        """Shrink to the width of the current text."""
        self._text_width = 0
        self._update_width()

    def sizeHint(self) -> QSize:
        """Size of the whole text."""
        return QSize(self._text_width, round(QFontMetricsF(self.font()).height()) + SPACE)

    def minimumSizeHint(self) -> QSize:
        """Zero width, or that of the text where the line grows with it."""
        return QSize(self._needed_width() if self._grows else 0, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Show an elided text as the tooltip, unless another one is set."""
        if isinstance(event, QHelpEvent) and not self.toolTip():
            is_elided = self.shown_text != self.text()
            QToolTip.showText(event.globalPos(), tooltip_text(self.text()) if is_elided else "", self)
            return True
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        """Measure the text again when the font changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._grows:
            self.reset_width()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text that fits."""
        painter = QPainter(self)
        box, place = QRectF(self.contentsRect()), self._alignment | Qt.AlignmentFlag.AlignVCenter
        for text, font, token, width in self._clauses(self.shown_text):
            put_text(painter, box, text, current_theme().colour(token), place, font=font)
            box.adjust(width, 0, 0, 0)

    def _needed_width(self) -> int:
        text = self.text()
        return round(QFontMetricsF(self.font()).horizontalAdvance(text)) + SPACE if text else 0

    def _update_width(self) -> None:
        needed = self._needed_width()
        if needed > self.width() or 2 * needed < self._text_width:  # others may need the room
            self.updateGeometry()
        if needed > self._text_width or not self._text_width:
            self._text_width = needed
            self.updateGeometry()


def override_shortcut(event: QEvent, is_own: Callable[[QKeyEvent], bool]) -> bool:
    """Accept a shortcut override of an own key, which the widget then gets instead of the menu; whether it was one."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent) or not is_own(event):
        return False
    event.accept()
    return True


def overrides_copy(event: QEvent) -> bool:
    """`override_shortcut` for Ctrl+C."""
    return override_shortcut(event, lambda key: key.matches(QKeySequence.StandardKey.Copy))


def overrides_letters(event: QEvent) -> bool:
    """`override_shortcut` for plain letters, which search in a list."""
    return override_shortcut(event, _is_letter)


def _is_letter(event: QKeyEvent) -> bool:
    return event.text().isalpha() and not event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier


def set_current_index(view: QAbstractItemView, index: QModelIndex) -> None:
    """Make an index current and select only its row or cell; `QAbstractItemView.setCurrentIndex` extends with Shift."""
    flag = QItemSelectionModel.SelectionFlag
    rows = flag.Rows if view.selectionBehavior() == QAbstractItemView.SelectionBehavior.SelectRows else flag.NoUpdate
    view.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | rows)


#: Pixels that Fusion keeps free around the text of a combo box: one at each end.
TEXT_MARGIN = 2


#: Item role of the short text of a combo box, which is shown when the full text does not fit.
SHORT_TEXT_ROLE = Qt.ItemDataRole.UserRole + 1


#: Pixels between the icon and the text of a combo box in the Fusion style.
ICON_MARGIN = 4


class ElidingComboBox(QComboBox):
    """Combo box that elides a long text in the closed field and shows it in full in the open list.

    An item with a text in `SHORT_TEXT_ROLE` shows that instead of an elided one.

    The style sheet makes every combo box open as a list of up to 20 rows (`combobox-popup: 0`).
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        ItemTooltips(self.view())

    def sizeHint(self) -> QSize:
        """Size with the margin that `initStyleOption` subtracts."""
        return super().sizeHint() + QSize(TEXT_MARGIN, 0)

    def showPopup(self) -> None:  # noqa: N802
        """Open the list in full width, within the screen."""
        self.view().setMinimumWidth(min(self._list_width(), self.screen().availableGeometry().width()))
        self.view().installEventFilter(self)
        super().showPopup()
        popup, screen = self.view().window(), self.screen().availableGeometry()
        overlap = popup.frameGeometry().right() - screen.right()
        if overlap > 0:
            popup.move(max(screen.left(), popup.x() - overlap), popup.y())

    def event(self, event: QEvent) -> bool:
        """Show an elided text as the tooltip, above the tooltip that is set."""
        if isinstance(event, QHelpEvent) and self.is_elided():
            lines = (self.currentText(), plain_tooltip(self))
            QToolTip.showText(event.globalPos(), tooltip_text("\n".join(line for line in lines if line)), self)
            return True
        return super().event(event)

    def is_elided(self) -> bool:
        """Whether the closed field shows less than the current text."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return option.currentText != self.currentText()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Select a row of the open list by letters."""
        return overrides_letters(event) or super().eventFilter(watched, event)

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:  # noqa: N802
        """Elide a long text; the Fusion style clips it within a letter."""
        super().initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        option.currentText = self.elided(option.currentText, field.width() - TEXT_MARGIN - self._icon_width())

    def elided(self, text: str, width: int) -> str:
        """The text that the closed field shows in this width in pixels."""
        metrics = QFontMetrics(self.font())
        fits = metrics.horizontalAdvance(text) <= width
        shown = text if fits else self.currentData(SHORT_TEXT_ROLE) or text
        return metrics.elidedText(shown, Qt.TextElideMode.ElideRight, width)

    def width_of_current(self) -> int:
        """Width in pixels in which the current text is not elided."""
        return self.width_of(self.currentText())

    def width_of(self, text: str) -> int:
        """Width in pixels in which a text is not elided."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        contents = QSize(self.fontMetrics().horizontalAdvance(text) + 2 * TEXT_MARGIN + self._icon_width(), 1)
        return self.style().sizeFromContents(QStyle.ContentsType.CT_ComboBox, option, contents, self).width()

    def _icon_width(self) -> int:
        """Width in pixels of the current item's icon with its margin."""
        return 0 if self.itemIcon(self.currentIndex()).isNull() else self.iconSize().width() + ICON_MARGIN

    def _list_width(self) -> int:
        """Width in pixels of the longest text with margins and, if needed, scroll bar."""
        view = self.view()
        width = view.sizeHintForColumn(0) + 2 * SPACE
        if self.count() > self.maxVisibleItems():
            width += view.verticalScrollBar().sizeHint().width()
        return width


#: Side in pixels of the icon of an `IconComboBox`.
ICON_SIZE = 16


class IconComboBox(ElidingComboBox):
    """Combo box that is closed to an icon, in the accent while another item than the first is chosen.

    Its tooltip has the current text.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._icon = name
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """A square."""
        height = super().sizeHint().height()
        return QSize(height, height)

    minimumSizeHint = sizeHint

    def is_elided(self) -> bool:
        """The closed field shows no text."""
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the icon, on a background under the mouse and with another choice, and the ring of the focus."""
        painter, theme, is_chosen = QPainter(self), current_theme(), self.currentIndex() > 0
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        back = "selection" if is_chosen else "hover_strong" if self.underMouse() else "surface"
        painter.setPen(QPen(theme.colour("accent"), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(back))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS, RADIUS)
        colour = theme.accent if is_chosen else theme.ink
        shown = icon_pixmap(self._icon, colour, ICON_SIZE, self.devicePixelRatioF())
        painter.drawPixmap((self.width() - ICON_SIZE) // 2, (self.height() - ICON_SIZE) // 2, shown)


ACCEPT_KEYS = (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter)
OVERRIDE_KEYS = (*ACCEPT_KEYS, Qt.Key.Key_Escape)


class FilterField(QLineEdit):
    """Line edit that filters a list; overrides shortcuts of the menus on Esc, Down and Enter.

    Signals
    -------
    escaped()
        Esc was pressed.
    accepted()
        Enter or Down was pressed: go to the results.
    """

    escaped = Signal()
    accepted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setClearButtonEnabled(True)

    def event(self, event: QEvent) -> bool:
        """Override shortcuts of the window that use Esc, Down or Enter."""
        return override_shortcut(event, _is_override_key) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit `escaped` for Esc and `accepted` for Enter."""
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.key() in ACCEPT_KEYS:
            self.accepted.emit()
        else:
            super().keyPressEvent(event)


def _is_override_key(event: QKeyEvent) -> bool:
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() in OVERRIDE_KEYS and plain


class SegmentedButtons(QWidget):
    """Row of buttons of which exactly one is checked.

    Parameters
    ----------
    choices : key and text of each button; the first one is checked.

    Signals
    -------
    selected(str)
        Key of the button that was clicked.
    """

    selected = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys = [key for key, _ in choices]
        self._group = QButtonGroup(self)
        for index, (_, text) in enumerate(choices):
            button = QToolButton()
            button.setText(text)
            button.setCheckable(True)
            button.setChecked(index == 0)
            button.setProperty("segment", "first" if index == 0 else "last" if index == len(choices) - 1 else "inner")
            self._group.addButton(button, index)
        self.setLayout(row_of(*self._group.buttons(), spacing=0, margins=0))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)  # a form would move them apart
        self._group.idClicked.connect(self._on_clicked)

    @property
    def current(self) -> str:
        """Key of the checked button."""
        return self._keys[self._group.checkedId()]

    def button(self, key: str) -> QAbstractButton:
        """The button of a key."""
        return self._group.button(self._keys.index(key))

    def set_current(self, key: str) -> None:
        """Check the button of a key; does not emit."""
        self.button(key).setChecked(True)

    def _on_clicked(self, index: int) -> None:
        self.selected.emit(self._keys[index])


#: Size of the icon in pixels.
ICON = 40

#: Maximum width of the text in pixels: about 50 characters.
TEXT_WIDTH = 320


class EmptyState(QWidget):
    """Placeholder that says why a panel is empty and what to do.

    Parameters
    ----------
    icon : a key of `GLYPHS`; "" for none.
    title : ``"No run selected"``.
    text : what to do, ``"Select a run in the table to see its ranked list."``
    action : text of the button; "" for no button.

    Signals
    -------
    action_requested()
        The button was pressed.
    """

    action_requested = Signal()

    def __init__(
        self, icon: str = "", title: str = "", text: str = "", action: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon_name = icon
        self._icon, self._title, self._text = PlainLabel(), PlainLabel(), PlainLabel(wraps=True, muted=True)
        self._button = QPushButton()
        self._button.clicked.connect(self.action_requested)
        for part in (self._icon, self._title, self._text):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
        button = (self._button, Qt.AlignmentFlag.AlignCenter)
        parts = (Stretch(2), self._icon, self._title, self._text, SPACE, button, Stretch(3))
        column = QWidget(maximumWidth=TEXT_WIDTH)
        column.setLayout(column_of(*parts, spacing=2 * SPACE, margins=0))
        self.setLayout(row_of(Stretch(), (column, 100), Stretch()))
        self.set_message(title, text, action)

    def set_message(self, title: str, text: str = "", action: str = "") -> None:
        """Show these texts; empty ones take no space."""
        self._title.setText(title)
        self._text.setText(text)
        self._button.setText(action)
        self._text.setVisible(bool(text))
        self._button.setVisible(bool(action))
        self.setAccessibleName(f"{title}. {text}")
        self._update_style()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._update_style()

    def minimumSizeHint(self) -> QSize:
        """Smaller than the texts, so that a panel can be made small."""
        return QSize(80, 60)

    def _update_style(self) -> None:
        self._title.setFont(text_font(self.font(), 1.15, bold=True))
        self._icon.setVisible(bool(self._icon_name))
        if self._icon_name:
            ratio = self.devicePixelRatioF()
            self._icon.setPixmap(icon_pixmap(self._icon_name, current_theme().faint, ICON, ratio))


#: Minimum width of a field in pixels; in a window too narrow for that, the tool bar shows an extension arrow.
MIN_WIDTH = 44

#: Maximum width of a field relative to its default width, for long texts and large fonts.
MAX_GROWTH = 1.7


class ComboField(ElidingComboBox):
    """Combo box for tool bars that grows with its text and shrinks in narrow windows.

    Parameters
    ----------
    name : accessible name.
    width : default width in pixels.
    elides : whether a long text is elided; otherwise the field is never narrower than its text.

    Signals
    -------
    value_picked(data)
        The item with this data was chosen.
    """

    value_picked = Signal(object)

    def __init__(self, name: str, width: int, *, elides: bool = True) -> None:
        super().__init__()
        self._elides = elides
        self._width = width
        self._rows: list[tuple[str, object, str]] | None = None  # before the first `set_rows`
        self._longest = 0  # width of the longest text since the items changed
        self._limit: int | None = None
        self._measured = "", 0  # a text and its width: layouts ask 1,000 times while a window opens
        self._is_compact = False
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.activated.connect(self._emit_picked)

    def sizeHint(self) -> QSize:
        """Width of the widest text shown since the items changed, limited if texts are elided."""
        required, height = self._required_size().toTuple()
        most = int(MAX_GROWTH * self._width) if self._elides else required
        # Never shrinks until the items change: the widgets to the right would move with every selection.
        self._longest = max(self._longest, min(required, most))
        width = self._longest if self._is_compact else max(self._width, self._longest)
        return QSize(width if self._limit is None else min(width, self._limit), height)

    def minimumSizeHint(self) -> QSize:
        """`MIN_WIDTH` beside the icon if texts are elided, else the width of the current text."""
        required = self._required_size()
        return QSize(MIN_WIDTH + self._icon_width(), required.height()) if self._elides else required

    def set_compact(self, compact: bool) -> None:
        """Make the field as wide as its text, instead of its default width or more."""
        if compact != self._is_compact:
            self._is_compact = compact
            self.updateGeometry()

    def limit_width(self, width: int | None) -> None:
        """Limit the preferred width in pixels, at least to the minimum; None for no limit."""
        limit = None if width is None else max(width, self.minimumSizeHint().width())
        if limit != self._limit:
            self._limit = limit
            self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:
        """Qt override; another font has other widths."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._longest, self._measured = 0, ("", 0)

    def _required_size(self) -> QSize:
        """Size in which the current text is not elided."""
        text = self.currentText()
        if text != self._measured[0]:
            self._measured = text, self.fontMetrics().horizontalAdvance(text)
        return super().sizeHint() + QSize(self._measured[1] + self._icon_width(), 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignored: scrolling the page below with the mouse over the bar must not change a setting."""
        event.ignore()

    def set_rows(self, rows: Sequence[tuple[str, object, str]]) -> None:
        """Set items as (text, data, tooltip), with none selected; nothing changes if they are the present ones."""
        if list(rows) == self._rows and len(rows) == self.count():
            return  # filling it again lays out the whole window
        self._rows = list(rows)
        self.clear()
        self._longest = 0
        for text, data, tip in rows:
            self.addItem(text, data)
            self.setItemData(self.count() - 1, tip or None, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(-1)
        self.setEnabled(bool(rows))

    def set_short_texts(self, texts: Sequence[str]) -> None:
        """Set the text of each item for fields that are too narrow for the full text."""
        for index, text in enumerate(texts):
            self.setItemData(index, text, SHORT_TEXT_ROLE)

    def set_value(self, data: object) -> None:
        """Select the item with this data, or none."""
        found = next((index for index in range(self.count()) if self.itemData(index) == data), -1)
        if found != self.currentIndex():
            self.setCurrentIndex(found)
            self.updateGeometry()

    @Slot(int)
    def _emit_picked(self, index: int) -> None:
        self.value_picked.emit(self.itemData(index))


def area_on_screen(widget: QWidget) -> QRect:
    """Area of a visible widget inside all its parents; docks behind other tabs are placed outside.

    `QWidget.visibleRegion` lacks what other widgets cover, also opaque children: it is empty for a dock that its
    contents fill (Qt 6.10).
    """
    if not widget.isVisible():
        return QRect()
    area, parent = widget.rect(), widget.parentWidget()
    while parent is not None and not widget.isWindow():
        area = area.intersected(QRect(widget.mapFrom(parent, parent.rect().topLeft()), parent.size()))
        parent = None if parent.isWindow() else parent.parentWidget()
    return area


def spacer(pixels: int) -> QWidget:
    """Horizontal space in a tool bar, in pixels."""
    widget = QWidget()
    widget.setFixedWidth(pixels)
    return widget


def add_heading(menu: QMenu, text: str) -> None:
    """Add a heading to a menu; the style sheet's line between groups has no room for that of `QMenu.addSection`."""
    if menu.actions():
        menu.addSeparator()
    menu.addAction(escape_mnemonic(text)).setEnabled(False)


def caption(text: str, tip: str = "") -> QLabel:
    """Muted label in front of a field."""
    label = PlainLabel(text, muted=True)
    set_tooltip(label, tip)
    return label


class ItemRoles:
    """Roles of an item model by name, looked up once.

    Parameters
    ----------
    model : any item model or proxy, or None. Missing roles have the default value.
    """

    def __init__(self, model: QAbstractItemModel | None = None) -> None:
        names = model.roleNames() if model is not None else {}
        self._numbers = {bytes(name.data()).decode(): number for number, name in names.items()}

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def number(self, name: str) -> int | None:
        """Number of the role, or None."""
        return self._numbers.get(name)

    def value(self, index: QModelIndex | QPersistentModelIndex, name: str, default: Any = None) -> Any:
        """Value of a role of an item; `default` for none."""
        number = self._numbers.get(name)
        if number is None:
            return default
        value = index.data(number)
        return default if value is None else value
