"""Help window for measures, curves and profiles, generated from their tables; dialog that adds a measure."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.app.dialogs.fuzzy_search import contains_all_words
from shrec_viewer.metrics import (
    Curve,
    Measure,
    Profile,
    UnknownKeyError,
    curve_table,
    find_measure,
    measure_table,
    profile_table,
)
from shrec_viewer.metrics.measures.measure import SYMBOLS, FormulaVariant
from shrec_viewer.metrics.profiles.conventions import CONVENTIONS
from shrec_viewer.viewmodels.text.formulas import formula_html
from shrec_viewer.widgets.controls.plain_text import HtmlPage, PlainLabel
from shrec_viewer.widgets.style.theme import SPACE, text_font

DIRECTION_TEXT = {"higher": "Higher is better ▲", "lower": "Lower is better ▼", "none": "No direction is better"}


@dataclass(frozen=True)
class HelpPage:
    """A page of the help window.

    Attributes
    ----------
    key : of the measure, curve or profile.
    title : text in the list.
    group : heading in the list.
    html : contents.
    other_names : further words by which the page is found.
    """

    key: str
    title: str
    group: str
    html: str
    other_names: tuple[str, ...] = ()


def help_pages() -> list[HelpPage]:
    """Every page, in the order of the tables."""
    measures = [_symbols(), *(_measure(row) for row in measure_table())]
    return [*measures, *(_curve(row) for row in curve_table()), *(_profile(row) for row in profile_table())]


def _symbols() -> HelpPage:
    facts = [(symbol, escape(meaning)) for symbol, meaning in SYMBOLS]
    html = _html("Symbols in formulas", "Each formula uses these symbols.", facts)
    return HelpPage("symbols", "Symbols in formulas", "Measures", html)


def _measure(measure: Measure) -> HelpPage:
    other_names = measure.all_names[1:-1]
    facts = [
        ("Key", f"<code>{escape(measure.name)}</code>{_key_syntax(measure)}"),
        ("Formula", formula_html(measure.formula)),
        *((_condition(row), f"{formula_html(row.formula)}{_variant_source(row)}") for row in measure.variants),
        *([("Other names", escape(", ".join(other_names)))] if other_names else []),
        ("Range", _range(measure.range)),
        ("Direction", DIRECTION_TEXT[measure.better]),
        ("Source", escape(measure.source)),
    ]
    title = f"{measure.label} ({measure.name})"
    return HelpPage(measure.name, title, "Measures", _html(measure.label, measure.definition, facts), other_names)


def _condition(variant: FormulaVariant) -> str:
    """The convention to which a formula applies, as in the menus: ``"Average precision divides by: …"``."""
    choice = next((choice for choice in CONVENTIONS if choice.field == variant.convention), None)
    if choice is None:
        return f"{variant.convention} = {variant.value}"
    return f"{choice.label}: {choice.label_of(variant.value)}"


def _variant_source(variant: FormulaVariant) -> str:
    return f"<br>{escape(variant.source)}" if variant.source else ""


def _curve(kind: Curve) -> HelpPage:
    facts = [
        ("Key", f"<code>{escape(kind.key)}</code>"),
        ("x axis", escape(kind.x_label)),
        ("y axis", escape(kind.y_label)),
        ("Source", escape(kind.source)),
    ]
    return HelpPage(kind.key, f"{kind.label} ({kind.key})", "Curves", _html(kind.label, kind.definition, facts))


def _profile(profile: Profile) -> HelpPage:
    facts = [
        ("Key", f"<code>{escape(profile.key)}</code>"),
        ("Measures", ", ".join(f"<code>{escape(key)}</code>" for key in profile.measures)),
        ("Ranks by", f"<code>{escape(profile.headline)}</code>"),
        ("Source", escape(profile.source)),
    ]
    return HelpPage(profile.key, profile.title, "Conventions", _html(profile.title, profile.description, facts))


def _key_syntax(measure: Measure) -> str:
    more = []
    if measure.takes_level:
        more.append(f"<code>{measure.at(2).key}</code> for the highly relevant only")
    if measure.takes_cutoff:
        more.append(f"<code>{measure.at(cutoff=10).key}</code> for the first ten ranks")
    return f"; {'; '.join(more)}" if more else ""


def _range(ends: tuple[float, float]) -> str:
    low, high = ends
    return f"{low:g} to {high:g}" if high != float("inf") else f"{low:g} to infinity"


def _html(title: str, definition: str, facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(
        f"<tr><td style='padding:4px 16px 4px 0; white-space:nowrap'>{formula_html(name)}</td>"
        f"<td style='padding:4px 0'>{text}</td></tr>"
        for name, text in facts
    )
    return f"<h2 style='font-weight:600'>{escape(title)}</h2><p>{escape(definition)}</p><table>{rows}</table>"


SIZE = QSize(860, 560)
"""Size in pixels: the list, and a page of 65 characters per line."""

LIST_WIDTH = 290
"""Width of the list in pixels: the longest name fits."""


class MeasureHelp(QDialog):
    """Non-modal help window with a page for each measure, curve and profile.

    Parameters
    ----------
    parent : the window.
    key : page to show, ``"AP"``, ``"P@10"`` or ``"shrec2006"``; "" for the first.
    """

    def __init__(self, parent: QWidget, key: str = "") -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("measure_help")
        self.setWindowTitle("Measures explained")
        self.field, self.list, self.text = QLineEdit(), QListWidget(), HtmlPage()
        self._pages = help_pages()
        self._build()
        self.field.textChanged.connect(self._search)
        self.list.currentItemChanged.connect(self._show)
        self._search("")
        self.show_page(key)
        self.resize(SIZE.boundedTo(parent.size()))

    def show_page(self, key: str) -> None:
        """Show the page of a key, with or without parameters."""
        try:
            name = find_measure(key).measure.name
        except UnknownKeyError:
            name = key
        for row in range(self.list.count()):
            page = self.list.item(row).data(Qt.ItemDataRole.UserRole)
            if isinstance(page, HelpPage) and page.key in (key, name):
                self.list.setCurrentRow(row)
                return

    def _build(self) -> None:
        self.field.setPlaceholderText("Search measures")
        self.field.setAccessibleName("Search measures")
        self.field.setClearButtonEnabled(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setAccessibleName("Measures, curves and conventions")
        self.text.setAccessibleName("Explanation")
        self.text.setOpenLinks(False)
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.document().setDocumentMargin(4 * SPACE)
        left = QVBoxLayout()
        left.addWidget(self.field)
        left.addWidget(self.list, 1)
        column = QWidget()
        column.setLayout(left)
        column.setFixedWidth(LIST_WIDTH)
        left.setContentsMargins(0, 0, 0, 0)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(3 * SPACE, 3 * SPACE, 3 * SPACE, 3 * SPACE)
        layout.setSpacing(3 * SPACE)
        layout.addWidget(column)
        layout.addWidget(self.text, 1)

    @Slot(str)
    def _search(self, pattern: str) -> None:
        self.list.clear()
        group = ""
        for page in self._pages:
            if not contains_all_words(pattern, " ".join((page.title, page.key, *page.other_names))):
                continue
            if page.group != group:
                group = page.group
                heading = QListWidgetItem(group)
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                heading.setFont(text_font(self.font(), bold=True))
                self.list.addItem(heading)
            item = QListWidgetItem(page.title)
            item.setData(Qt.ItemDataRole.UserRole, page)
            self.list.addItem(item)
        self.list.setCurrentRow(1 if self.list.count() > 1 else -1)

    @Slot(QListWidgetItem, QListWidgetItem)
    def _show(self, item: QListWidgetItem | None, _previous: QListWidgetItem | None) -> None:
        page = None if item is None else item.data(Qt.ItemDataRole.UserRole)
        if isinstance(page, HelpPage):
            self.text.setHtml(page.html)


HINT = (
    "NAME(parameter)@cutoff, as in ir_measures: NDCG@5, E@16, AP(rel=2), F(beta=2). "
    "Help › Measures explained lists all names."
)
"""Text below the field while it has no valid key."""

TEXT_CHARACTERS, TEXT_LINES = 60, 4
"""Width of the text in average characters, and lines reserved for it: most definitions, and the list of all names."""


class AddMeasureDialog(QDialog):
    """Field for the key of a measure, which is added to the table of runs and selected.

    While typing, the measure of a valid key is described; an invalid one is reported when it is entered.

    Parameters
    ----------
    session : the `Session` that computes the measure.
    """

    def __init__(self, parent: QWidget, session: Any) -> None:
        super().__init__(parent)
        self._session = session
        self.field, self.text = QLineEdit(), PlainLabel()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("add_measure")
        self.setWindowTitle("Add measure")
        self.field.setAccessibleName("Measure")
        self.field.setPlaceholderText("E@16")
        self.text.setWordWrap(True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        metrics = self.text.fontMetrics()
        self.text.setFixedWidth(TEXT_CHARACTERS * metrics.averageCharWidth())
        self.text.setMinimumHeight(TEXT_LINES * metrics.lineSpacing())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton("Add", QDialogButtonBox.ButtonRole.AcceptRole)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4 * SPACE, 4 * SPACE, 4 * SPACE, 4 * SPACE)
        layout.setSpacing(2 * SPACE)
        for part in (self.field, self.text, buttons):
            layout.addWidget(part)
        self._show_text(HINT, is_muted=True)
        self.field.textEdited.connect(self._describe)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)

    def accept(self) -> None:
        """Add the measure and close, or report that the key is invalid."""
        try:
            key = find_measure(self.field.text()).key
        except UnknownKeyError as error:
            message = str(error)
            self._show_text(f"{message[:1].upper()}{message[1:]}")
            self.field.setFocus()
            self.field.selectAll()
            return
        super().accept()
        self._session.add_measure(key)

    @Slot(str)
    def _describe(self, text: str) -> None:
        """Show the label and definition of a valid key."""
        try:
            measure = find_measure(text)
        except UnknownKeyError:
            self._show_text(HINT, is_muted=True)
        else:
            self._show_text(f"{measure.label} ({measure.key}). {measure.definition}")

    def _show_text(self, text: str, *, is_muted: bool = False) -> None:
        """Show a text; the dialog grows with a longer one and does not shrink, so that the buttons rarely move."""
        self.text.setText(text)
        needed = self.text.heightForWidth(self.text.width())  # layouts do not enlarge a window for a wrapped text
        self.text.setMinimumHeight(max(self.text.minimumHeight(), needed))
        self.text.setProperty("muted", is_muted)
        self.text.style().polish(self.text)  # style sheets do not follow a changed property
