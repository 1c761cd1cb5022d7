"""Controls of the options of a request; how each kind of option looks is decided here only."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QSpinBox,
    QStyle,
    QWidget,
)

from shrec_viewer.content.request import OptionField, Request
from shrec_viewer.number_format import SHARE_DECIMALS
from shrec_viewer.widgets.controls.controls import ElidingComboBox, SegmentedButtons
from shrec_viewer.widgets.controls.plain_text import PlainLabel, set_tooltip

#: Choices of an option that is a row of buttons; more are a list.
MAX_BUTTONS = 3

#: Minimum width in pixels of a list; its text is elided then.
MIN_FIELD_WIDTH = 68


#: Rows of a list of check boxes that are visible without scrolling.
MAX_ROWS = 8

#: Width in pixels above which the texts of such a list may be elided.
MIN_LIST_WIDTH = 220


class ChoiceBox(ElidingComboBox):
    """List of the choices of an option."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMinimumWidth(MIN_FIELD_WIDTH)

    def sizeHint(self) -> QSize:
        """Width of the current text; Qt's is that of the longest one, for which small windows have no space."""
        return QSize(self.width_of_current(), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """`MIN_FIELD_WIDTH`; Qt's is that of the longest text, and layouts extend the size hint to it."""
        return QSize(MIN_FIELD_WIDTH, super().minimumSizeHint().height())


class CheckList(QListWidget):
    """List of check boxes, one for each value of an option.

    Parameters
    ----------
    choices : text of each value.
    is_all : whether () stands for all values.

    Signals
    -------
    changed(tuple)
        The user changed which values are checked.
    """

    changed = Signal(object)

    def __init__(self, choices: Mapping[Any, str], *, is_all: bool = False) -> None:
        super().__init__()
        self._is_all, self._is_setting = is_all, False
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        for value, text in choices.items():
            item = QListWidgetItem(text, self)
            item.setData(Qt.ItemDataRole.UserRole, value)
            item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        self.itemChanged.connect(self._emit)

    @property
    def values(self) -> tuple[Any, ...]:
        """All values."""
        return tuple(self.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.count()))

    @property
    def checked(self) -> tuple[Any, ...]:
        """Values whose boxes are checked."""
        items = [self.item(row) for row in range(self.count())]
        on = [item for item in items if item.checkState() == Qt.CheckState.Checked]
        return tuple(item.data(Qt.ItemDataRole.UserRole) for item in on)

    def set_values(self, values: Sequence[Any]) -> None:
        """Check the boxes of these values; does not emit."""
        self._check(self.values if self._is_all and not values else values)

    def choose(self, values: Sequence[Any]) -> None:
        """Check exactly the boxes of these values, as the user does: with one signal."""
        self._check(values)
        self._emit()

    def _check(self, values: Sequence[Any]) -> None:
        self._is_setting = True
        for item in map(self.item, range(self.count())):
            is_checked = item.data(Qt.ItemDataRole.UserRole) in values
            item.setCheckState(Qt.CheckState.Checked if is_checked else Qt.CheckState.Unchecked)
        self._is_setting = False

    def sizeHint(self) -> QSize:
        """Wide enough for the texts, and high enough for the first rows."""
        box = self.style().pixelMetric(QStyle.PixelMetric.PM_IndicatorWidth)  # not in the hint of a styled column
        width = self.sizeHintForColumn(0) + box + self.verticalScrollBar().sizeHint().width()
        return QSize(width, self._height(MAX_ROWS)) + QSize(2, 2) * self.frameWidth()

    def showEvent(self, event: QShowEvent) -> None:
        """Lay out the rows in the style of the dialog; `sizeHint` did so before it was known."""
        super().showEvent(event)
        self.doItemsLayout()

    def minimumSizeHint(self) -> QSize:
        """Three rows of texts that may be elided."""
        return QSize(min(self.sizeHint().width(), MIN_LIST_WIDTH), self._height(3))

    def _height(self, rows: int) -> int:
        return min(self.count(), rows) * max(self.sizeHintForRow(0), 0)

    @Slot(QListWidgetItem)
    def _emit(self, *_: object) -> None:
        if not self._is_setting:
            checked = self.checked
            self.changed.emit(() if self._is_all and len(checked) == self.count() else checked)


class OptionControls(QObject):
    """Controls of options, and their values.

    A control is made by the first call for its option; the panel places it. Several controls can show one option.

    Signals
    -------
    changed(name, value)
        The user changed an option.
    """

    changed = Signal(str, object)

    def __init__(self, request: Request, parent: QObject) -> None:
        super().__init__(parent)
        self._fields = {field.name: field for field in request.options()}
        self._request = request
        self._setters: list[tuple[str, Callable[[Any], None]]] = []

    def field(self, name: str) -> OptionField:
        """The field of an option."""
        return self._fields[name]

    def set_request(self, request: Request) -> None:
        """Show the values of a request; does not emit."""
        self._request = request
        for name, show in self._setters:
            show(getattr(request, name))

    @property
    def shown(self) -> tuple[str, ...]:
        """Options that are set in the panel and have a usual control; not texts without choices, such as names."""
        return tuple(
            name
            for name, field in self._fields.items()
            if field.is_set_in_panel
            and not field.pair
            and (field.option.choices is not None or field.kind in (bool, int))
        )

    def row(self) -> list[QWidget]:
        """The usual controls of the options `shown` that have one value, with labels where they need one."""
        widgets: list[QWidget] = []
        for name in self.shown:
            if self._fields[name].repeated:
                continue
            control = self.control(name)
            if not isinstance(control, QCheckBox | SegmentedButtons):
                widgets.append(self.label(name))
            widgets.append(control)
        return widgets

    def label(self, name: str, *, plain: bool = False) -> PlainLabel:
        """Label of an option; `plain` for the colour of text instead of secondary text."""
        label = PlainLabel(self._fields[name].option.label)
        label.setProperty("muted", not plain)
        return label

    def control(self, name: str) -> QWidget:
        """The usual control of an option: check box, list of check boxes, row of buttons, list or number field."""
        field = self._fields[name]
        if field.repeated:
            return self.check_list(name)
        if field.kind is bool:
            return self.check_box(name)
        if field.option.choices is not None:
            return self.buttons(name) if len(field.option.choices) <= MAX_BUTTONS else self.choice_box(name)
        return self.number(name)

    def check_box(self, name: str) -> QCheckBox:
        """A check box."""
        box = QCheckBox(self._fields[name].option.label)
        self._bind(name, box, box.setChecked)
        box.clicked.connect(self._emit_checked)
        return box

    def buttons(self, name: str, entries: Mapping[Any, str] | None = None) -> SegmentedButtons:
        """A row of buttons; `entries` as of `add_actions`."""
        choices = (self._fields[name].option.choices or {}) if entries is None else entries
        keys = {str(value): value for value in choices}
        buttons = SegmentedButtons([(str(value), text) for value, text in choices.items()])
        buttons.setProperty("values", keys)
        self._bind(name, buttons, _ButtonSetter(buttons))
        buttons.selected.connect(self._emit_selected)
        return buttons

    def choice_box(self, name: str, box: ElidingComboBox | None = None) -> ElidingComboBox:
        """A list; `box` is an empty one with another width than that of its current text."""
        box = ChoiceBox() if box is None else box
        for value, text in (self._fields[name].option.choices or {}).items():
            box.addItem(text, value)
        self._bind(name, box, _BoxSetter(box))
        box.activated.connect(self._emit_activated)
        return box

    def number(self, name: str) -> QSpinBox | QDoubleSpinBox:
        """A field for a whole number, or for one with three decimals."""
        row, kind = self._fields[name].option, self._fields[name].kind
        box: Any = QDoubleSpinBox() if kind is float else QSpinBox()
        if kind is float:
            box.setDecimals(SHARE_DECIMALS)
        box.setRange(kind(row.low if row.low is not None else 0), kind(row.high if row.high is not None else 999_999))
        box.setSingleStep(kind(row.step))
        box.setKeyboardTracking(False)  # computes when a number is complete, not for each digit
        box.setGroupSeparatorShown(True)
        box.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)  # mouse wheel and arrow keys change it
        box.setSuffix(f" {row.unit}" if row.unit else "")
        self._bind(name, box, _NumberSetter(box))
        box.valueChanged.connect(self._emit_number)
        return box

    def check_list(self, name: str, names: Sequence[str] = ()) -> CheckList:
        """A list of check boxes, for an option of several values.

        Parameters
        ----------
        names : values of an option without choices; no value means all of them, so that at least one must be checked.
        """
        choices = dict(zip(names, names, strict=True)) or self._fields[name].option.choices or {}
        box = CheckList(choices, is_all=bool(names) and not getattr(self._request, name))
        box.setProperty("names", bool(names))
        self._bind(name, box, box.set_values)
        box.changed.connect(self._emit_checked_values)
        return box

    def add_actions(self, menu: QMenu, name: str, entries: Mapping[Any, str] | None = None) -> list[QAction]:
        """Add an option to a menu: a checkable entry, or a submenu of which one entry is checked.

        Entries of an option of several values are checked one by one.

        Parameters
        ----------
        entries : text of each value that is offered; None for all choices.
        """
        field = self._fields[name]
        row = field.option
        if field.kind is bool:
            action = menu.addAction(row.label)
            action.setCheckable(True)
            self._bind(name, action, action.setChecked)
            action.triggered.connect(self._emit_checked)
            return [action]
        target = menu if field.repeated else menu.addMenu(row.label)
        group = None if field.repeated else QActionGroup(target)
        actions = []
        for value, text in ((row.choices or {}) if entries is None else entries).items():
            action = target.addAction(text)
            action.setCheckable(True)
            action.setData(value)
            if group is not None:
                group.addAction(action)
            action.setProperty("option", name)
            action.triggered.connect(self._emit_entry)
            self._setters.append((name, _EntrySetter(action, field.repeated)))
            _EntrySetter(action, field.repeated)(getattr(self._request, name))
            actions.append(action)
        return actions

    def _bind(self, name: str, control: Any, show: Callable[[Any], None]) -> None:
        row = self._fields[name].option
        control.setProperty("option", name)
        if isinstance(control, QWidget):
            control.setAccessibleName(row.tip or row.label)
            set_tooltip(control, row.tip or row.label)
        self._setters.append((name, show))
        show(getattr(self._request, name))

    def _emit(self, value: Any) -> None:
        sender = self.sender()
        name = str(sender.property("option"))
        if value != getattr(self._request, name):
            self.changed.emit(name, value)

    @Slot(bool)
    def _emit_checked(self, on: bool) -> None:
        self._emit(on)

    @Slot(str)
    def _emit_selected(self, key: str) -> None:
        self._emit(self.sender().property("values")[key])

    @Slot(int)
    def _emit_activated(self, index: int) -> None:
        sender = self.sender()
        assert isinstance(sender, QComboBox)
        self._emit(sender.itemData(index))

    @Slot(int)
    @Slot(float)
    def _emit_number(self, value: float) -> None:
        self._emit(value)

    @Slot(object)
    def _emit_checked_values(self, values: tuple[Any, ...]) -> None:
        sender = self.sender()
        assert isinstance(sender, CheckList)
        if sender.checked or not sender.property("names"):
            self._emit(values)

    @Slot()
    def _emit_entry(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        name, value = str(action.property("option")), action.data()
        if not self._fields[name].repeated:
            self._emit(value)
            return
        current = getattr(self._request, name)
        chosen = {*current, value} if action.isChecked() else {*current} - {value}
        order = self._fields[name].option.choices or {}
        self._emit(tuple(one for one in order if one in chosen))


class _ButtonSetter:
    """Shows the value of an option in a row of buttons."""

    def __init__(self, buttons: SegmentedButtons) -> None:
        self._buttons = buttons

    def __call__(self, value: Any) -> None:
        if str(value) in self._buttons.property("values"):
            self._buttons.set_current(str(value))


class _BoxSetter:
    """Shows the value of an option in a list; a value without an entry is not shown."""

    def __init__(self, box: QComboBox) -> None:
        self._box = box

    def __call__(self, value: Any) -> None:
        self._box.setCurrentIndex(self._box.findData(value))


class _NumberSetter:
    """Shows the value of an option in a number field."""

    def __init__(self, box: QSpinBox | QDoubleSpinBox) -> None:
        self._box = box

    def __call__(self, value: Any) -> None:
        self._box.setValue(value)


class _EntrySetter:
    """Shows whether an entry of a menu is chosen."""

    def __init__(self, action: QAction, repeated: bool) -> None:
        self._action, self._repeated = action, repeated

    def __call__(self, value: Any) -> None:
        chosen = self._action.data() in value if self._repeated else self._action.data() == value
        self._action.setChecked(chosen)
