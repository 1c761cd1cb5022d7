"""Dialog for runs that are computed from others: function, runs, weights and options."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.evaluation.virtual_runs import (
    NORMALISATIONS,
    VIRTUAL_RUN_OPTIONS,
    VIRTUAL_RUNS,
    VirtualExpression,
    cost_text,
    expression_text,
)
from shrec_viewer.viewmodels.files.virtual_runs import (
    operand_rows,
    parsed,
    remove_virtual_run,
    set_virtual_run,
    virtual_run_problem,
)
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import ElidingLine
from shrec_viewer.widgets.controls.plain_text import ItemTooltips, PlainLabel
from shrec_viewer.widgets.style.theme import SPACE

#: Initial size in pixels: eight runs.
DIALOG_SIZE = (520, 560)

#: Lines reserved for definition and source, so that the other fields do not move.
DEFINITION_LINES = 5

#: First choice of the list of virtual runs.
NEW_RUN = "New virtual run"

#: Function of a new virtual run.
DEFAULT_KIND = "rrf"

OPTION_LABELS = {"k": "k", "seed": "Seed", "norm": "Normalisation", "measure": "Measure", "depth": "Length of lists"}


class VirtualRunDialog(QDialog):
    """Adds a virtual run, or changes or removes one; the expression can also be typed.

    Parameters
    ----------
    runs : the runs that are chosen at first, as written in expressions.
    expression : the virtual run to change; "" for a new one.
    """

    def __init__(self, session: Session, parent: QWidget, runs: Sequence[str] = (), expression: str = "") -> None:
        super().__init__(parent)
        self._session = session
        self._chosen = tuple(runs)
        self._shows = False  # while the fields are filled, which must not change the expression
        self.entry, self.kind, self.definition = QComboBox(), QComboBox(), PlainLabel()
        self.operands = QTableWidget(0, 2)
        self.options: dict[str, QLineEdit | QComboBox] = {}
        self._option_rows = QFormLayout()  # the last row is the expression
        self.expression, self.problem = QLineEdit(), ElidingLine(token="warning")
        self.remove = QPushButton("Remove")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self._build()
        self._fill_entries(expression)
        self.entry.currentIndexChanged.connect(self._show_entry)
        self.kind.currentIndexChanged.connect(self._show_kind)
        self.operands.itemChanged.connect(self._update_expression)
        self.expression.textChanged.connect(self._show_problem)
        self.expression.editingFinished.connect(self._show_typed)
        self.remove.clicked.connect(self._remove)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        session.changed.connect(self._follow_session)
        self._show_entry()

    def _build(self) -> None:
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("virtual_run")
        self.setWindowTitle("Virtual run")
        self.resize(*DIALOG_SIZE)
        for row in VIRTUAL_RUNS:
            self.kind.addItem(row.label, row.key)
        for widget, name in (
            (self.entry, "Virtual run"),
            (self.kind, "Function"),
            (self.operands, "Runs"),
            (self.expression, "Expression"),
        ):
            widget.setAccessibleName(name)
        self.definition.setWordWrap(True)
        self.definition.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.definition.setMinimumHeight(DEFINITION_LINES * self.definition.fontMetrics().lineSpacing())
        table = self.operands
        table.verticalHeader().hide()
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        headers = table.horizontalHeader()
        headers.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        headers.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        ItemTooltips(table)
        form = QFormLayout()
        form.addRow("Run:", self.entry)
        form.addRow("Function:", self.kind)
        self._option_rows.addRow("Expression:", self.expression)
        bottom = QHBoxLayout()
        bottom.addWidget(self.remove)
        bottom.addWidget(self.buttons, 1)
        self.remove.setAutoDefault(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*[3 * SPACE] * 4)
        layout.setSpacing(2 * SPACE)
        layout.addLayout(form)
        layout.addWidget(self.definition)
        layout.addWidget(self.operands, 1)
        layout.addLayout(self._option_rows)
        layout.addWidget(self.problem)
        layout.addLayout(bottom)

    def _fill_entries(self, expression: str) -> None:
        """List the virtual runs, also those that cannot be computed."""
        self.entry.addItem(NEW_RUN, "")
        for run in self._session.edits.edited.runs.virtual:
            self.entry.addItem(run.expression, run.expression)
        self.entry.setCurrentIndex(max(self.entry.findData(expression), 0))
        self.entry.setMinimumContentsLength(20)
        self.entry.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    @property
    def former(self) -> str:
        """Expression of the run that is changed; "" for a new one."""
        return str(self.entry.currentData() or "")

    # Fields.

    @Slot()
    def _show_entry(self) -> None:
        """Show the chosen virtual run, or a fusion of the runs that were selected."""
        self.remove.setVisible(bool(self.former))
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText("Change" if self.former else "Add")
        text = self.former or expression_text(DEFAULT_KIND, [(name, "1") for name in self._chosen], {})
        self.expression.setText(text)
        self._show_expression(parsed(text))
        self._show_problem()

    @Slot()
    def _show_typed(self) -> None:
        """Show a typed expression in the other fields; one with an error leaves them as they are."""
        if (found := parsed(self.expression.text())) is not None:
            self._show_expression(found)

    @Slot()
    def _show_kind(self) -> None:
        """Show the fields of another function, with the chosen runs."""
        if self._shows:
            return
        chosen = [(text, weight) for text, weight in self._chosen_operands()]
        self._fill(str(self.kind.currentData()), None)
        self._check_operands(dict(chosen))
        self._update_expression()

    def _show_expression(self, found: VirtualExpression | None) -> None:
        if found is None:
            return
        self._shows = True
        self.kind.setCurrentIndex(self.kind.findData(found.kind.key))
        self._shows = False
        self._fill(found.kind.key, found)

    def _fill(self, key: str, found: VirtualExpression | None) -> None:
        """Fill definition, operands and options of a function."""
        row = next(row for row in VIRTUAL_RUNS if row.key == key)
        self._shows = True
        cost = cost_text(self._session.benchmark, f"{row.key}()") if self._session.is_open else ""
        self.definition.setText(f"{row.definition} {cost}".rstrip() + f"\nSource: {row.source}")
        self.operands.setVisible(row.takes_runs)
        self.operands.setHorizontalHeaderLabels(["Participants" if key == "without" else "Runs", "Weight"])
        self.operands.setColumnHidden(1, row.fuse is None)
        rows = operand_rows(self._session, key, found) if row.takes_runs else ()
        self.operands.setRowCount(len(rows))
        for index, operand in enumerate(rows):
            name = QTableWidgetItem(operand.label)
            name.setData(Qt.ItemDataRole.UserRole, operand.text)
            name.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
            name.setCheckState(Qt.CheckState.Checked if operand.weight else Qt.CheckState.Unchecked)
            self.operands.setItem(index, 0, name)
            self.operands.setItem(index, 1, QTableWidgetItem(operand.weight or "1"))
        self._fill_options(row.options, {} if found is None else found.options)
        self._shows = False

    def _fill_options(self, options: Mapping[str, str], values: Mapping[str, str]) -> None:
        while self._option_rows.rowCount() > 1:
            self._option_rows.removeRow(0)
        self.options = {}
        choices = {"norm": list(NORMALISATIONS), "measure": list(self._session.measures)}
        for name, default in {**options, **VIRTUAL_RUN_OPTIONS}.items():
            label, value = OPTION_LABELS.get(name, name), values.get(name, "")
            field: QComboBox | QLineEdit
            if name in choices:
                field = self._choice(default, choices[name], value)
            else:
                field = QLineEdit(value)
                field.setPlaceholderText(default)
                field.textEdited.connect(self._update_expression)
            field.setAccessibleName(label)
            self.options[name] = field
            self._option_rows.insertRow(self._option_rows.rowCount() - 1, f"{label}:", field)

    def _choice(self, default: str, choices: Sequence[str], value: str) -> QComboBox:
        """Field for an option with known values; a typed value may be another one."""
        field = QComboBox()
        field.addItem(f"Default: {default}", "")
        for choice in dict.fromkeys((*choices, *([value] if value else []))):
            field.addItem(choice, choice)
        field.setCurrentIndex(max(field.findData(value), 0))
        field.currentIndexChanged.connect(self._update_expression)
        return field

    def _chosen_operands(self) -> list[tuple[str, str]]:
        """Checked operands as they are written in expressions, with their weights as typed."""
        chosen = []
        for row in range(self.operands.rowCount()):
            name, weight = self.operands.item(row, 0), self.operands.item(row, 1)
            if name is not None and weight is not None and name.checkState() == Qt.CheckState.Checked:
                is_weighted = not self.operands.isColumnHidden(1)
                chosen.append((str(name.data(Qt.ItemDataRole.UserRole)), weight.text().strip() if is_weighted else "1"))
        return chosen

    def _check_operands(self, chosen: dict[str, str]) -> None:
        self._shows = True
        for row in range(self.operands.rowCount()):
            name, weight = self.operands.item(row, 0), self.operands.item(row, 1)
            if name is not None and weight is not None and (text := name.data(Qt.ItemDataRole.UserRole)) in chosen:
                name.setCheckState(Qt.CheckState.Checked)
                weight.setText(chosen[text])
        self._shows = False

    @Slot()
    def _update_expression(self) -> None:
        """Write the expression of the fields."""
        if self._shows:
            return
        values = {
            name: str(field.currentData() or "") if isinstance(field, QComboBox) else field.text().strip()
            for name, field in self.options.items()
        }
        key, operands = str(self.kind.currentData()), self._chosen_operands()
        takes_one = any(row.key == key and row.rescale is not None for row in VIRTUAL_RUNS)
        self.expression.setText(expression_text(key, operands[:1] if takes_one else operands, values))

    @Slot()
    def _show_problem(self) -> None:
        problem = virtual_run_problem(self._session, self.expression.text(), self.former)
        self.problem.setText(f"{problem[:1].upper()}{problem[1:]}." if problem else "")
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not problem)

    # Result.

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark") and self.isVisible():  # the runs may be others
            self.reject()

    def accept(self) -> None:
        """Add or change the run."""
        text, former = self.expression.text().strip(), self.former
        if virtual_run_problem(self._session, text, former):
            return
        super().accept()
        set_virtual_run(self._session, text, former)

    @Slot()
    def _remove(self) -> None:
        former = self.former
        super().reject()
        remove_virtual_run(self._session, former)
