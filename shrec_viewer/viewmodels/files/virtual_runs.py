"""Add, change and remove virtual runs of a session, as undoable edits."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shrec_viewer.evaluation.virtual_runs import (
    Operand,
    VirtualExpression,
    VirtualRunError,
    check_virtual_run,
    parse_virtual_run,
    quoted_run_name,
)
from shrec_viewer.formats.manifest.run_changes import VirtualRun
from shrec_viewer.viewmodels.session.session import Session


@dataclass(frozen=True)
class OperandRow:
    """A run, participant or nested expression that a virtual run can be computed from.

    Attributes
    ----------
    label : text for display.
    text : as it is written in expressions.
    weight : factor in a fusion, as text; "" if it is not used.
    """

    label: str
    text: str
    weight: str = ""


def operand_rows(session: Session, key: str, expression: VirtualExpression | None = None) -> tuple[OperandRow, ...]:
    """What a function can be computed from: all runs, or for ``without`` all participants, and nested expressions.

    Parameters
    ----------
    key : of the function.
    expression : its operands have a weight.
    """
    submitted = session.document.submitted.runs
    names = [run.name for run in submitted]
    if key == "without":
        names = list(dict.fromkeys(run.participant for run in submitted))
    rows = {text: OperandRow(name, text) for name in names if (text := quoted_run_name(name))}
    if key != "without":
        own = "" if expression is None else expression.text
        expressions = (run.expression for run in session.benchmark.runs)
        rows |= {text: OperandRow(text, text) for text in expressions if text and text != own}
    for operand in () if expression is None else expression.operands:
        text = _operand_text(operand)
        label = rows[text].label if text in rows else text
        rows[text] = OperandRow(label, text, f"{operand.weight:.12g}")
    return tuple(rows.values())


def _operand_text(operand: Operand) -> str:
    if operand.expression is not None:
        return operand.expression.text
    if operand.kind == "all":
        return "*"
    names = ", ".join(map(quoted_run_name, operand.names))
    return f"without({names})" if operand.kind == "without" else names


def parsed(text: str) -> VirtualExpression | None:
    """The expression; None if it has an error."""
    try:
        return parse_virtual_run(text)
    except VirtualRunError:
        return None


def virtual_run_problem(session: Session, text: str, former: str = "") -> str:
    """Why a virtual run cannot be added, or replace `former`; "" if it can."""
    text = text.strip()
    if not session.document.is_open:
        return "no benchmark is open"
    if text != former and VirtualRun(text) in session.edits.edited.runs.virtual:
        return "there is such a run already"
    try:
        check_virtual_run(session.document.submitted, text, session.profile)
    except VirtualRunError as error:
        return error.reason
    return ""


def set_virtual_run(session: Session, text: str, former: str = "") -> None:
    """Add a virtual run, or replace the one with the expression `former`; it has no `virtual_run_problem`."""
    text, changes = text.strip(), session.edits.edited.runs
    if text == former:
        return
    new = VirtualRun(text)
    if VirtualRun(former) not in changes.virtual:
        session.edits.set_runs(replace(changes, virtual=(*changes.virtual, new)), f"add {text}")
        return
    session.run_styles.copy_slot(former, text)
    virtual = tuple(new if run == VirtualRun(former) else run for run in changes.virtual)
    session.edits.set_runs(replace(changes, virtual=virtual), f"change {former}", renamed={former: text})


def add_virtual_runs(session: Session, texts: Sequence[str]) -> None:
    """Add virtual runs that are not there yet, as one undo step; one that cannot be computed is a message."""
    changes = session.edits.edited.runs
    virtual = tuple(dict.fromkeys((*changes.virtual, *(VirtualRun(text.strip()) for text in texts))))
    session.edits.set_runs(replace(changes, virtual=virtual), f"add {', '.join(texts)}")


def remove_virtual_run(session: Session, expression: str) -> None:
    """Remove a virtual run, also one that cannot be computed."""
    changes = session.edits.edited.runs
    virtual = tuple(run for run in changes.virtual if run.expression != expression)
    session.edits.set_runs(replace(changes, virtual=virtual), f"remove {expression}")
