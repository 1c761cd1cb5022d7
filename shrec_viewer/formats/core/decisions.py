"""DECISIONS, what readers decide where content allows several readings; a decision with its alternatives and why."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from shrec_viewer.formats.core.evidence import CLEAR_Z, RankEvidence, z_score
from shrec_viewer.formats.core.read_choices import BY_NAME, BY_NEAREST, CELL_VALUES, MATRIX_ORDERS, METRIC_LABELS
from shrec_viewer.number_format import format_percent

#: `Setting.table` of a field of the profile, in place of a table of benchmark.toml.
CONVENTIONS = "conventions"

#: `Setting.table` of an option for reading one run.
RUNS = "runs"


@dataclass(frozen=True)
class DecisionRow:
    """What is decided, and what decides it otherwise.

    Attributes
    ----------
    table, key : of benchmark.toml, or `CONVENTIONS` and a field of the profile; "" if nothing decides it otherwise.
    option : of the command line, before the value; for False and True one each. "" for none.
    phrase : begins the action of a finding, before the label of the reading that is taken.
    title : of the question in the import dialog.
    labels : of the values in it, in display order.
    """

    table: str = ""
    key: str = ""
    option: str | tuple[str, str] = ""
    phrase: str = "read as"
    title: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)

    def option_for(self, value: str | bool) -> str:
        """Option of the command line with a value."""
        if isinstance(self.option, tuple):
            return self.option[bool(value)]
        gap = "" if self.option.endswith("=") else " "
        return f"{self.option}{gap}{shlex.quote(str(value))}" if self.option else ""


_ORDER_LABELS = (
    "Order of the classification",
    "Natural order of the ids",
    "Numeric order of the ids",
    "Order of the ids by their characters",
)
_CELL_LABELS = (
    "Distances, or ranks of the models",
    "Model numbers from 1, best first",
    "Model numbers from 0, best first",
    "Feature vectors, one in each row",
)

#: Every decision by its name: for the reading of a run, the field of `ReadOptions`.
DECISIONS: Mapping[str, DecisionRow] = {
    "columns": DecisionRow(RUNS, "columns", "--list-columns", "read as", "Columns",
        {"id distance": "Model, then distance", "distance id": "Distance, then model", "id": "Model only"}),
    "similarity": DecisionRow(RUNS, "similarity", ("--distance", "--similarity"), "read as", "Direction",
        {"false": "Distances (smaller = more similar)", "true": "Similarities (larger = more similar)"}),
    "query_line": DecisionRow(RUNS, "query_line", ("--no-query-line", "--query-line"), "read as", "First line",
        {"true": "The name of the query", "false": "The first result"}),
    "cells": DecisionRow(RUNS, "cells", "--matrix-cells", "read as", "Cell values",
        dict(zip(CELL_VALUES, _CELL_LABELS, strict=True))),
    "order": DecisionRow(RUNS, "order", "--order", "", "Row and column order",
        dict(zip(MATRIX_ORDERS, _ORDER_LABELS, strict=True))),
    "metric": DecisionRow(RUNS, "metric", "--metric", "compared by", "Metric of feature vectors", METRIC_LABELS),
    "queries_by": DecisionRow(RUNS, "queries_by", "--queries-by", "read as", "Query of each row or list",
        {BY_NAME: "The one that the order, ids or file names give", BY_NEAREST: "The one that is nearest in it"}),
    "blocks": DecisionRow(RUNS, "blocks"),
    "format": DecisionRow(RUNS, "format", title="Format"),
    "written": DecisionRow(),
    "transposed": DecisionRow(),
    "header": DecisionRow(),
    "self_match": DecisionRow(CONVENTIONS, "self_match", "--convention self_match="),
    "members": DecisionRow("queries", "members"),
    "junk": DecisionRow(CONVENTIONS, "junk", "--convention junk="),
    "missing": DecisionRow(CONVENTIONS, "missing_query", "--missing"),
    "models": DecisionRow("collection", "models", "--models"),
    "classification": DecisionRow("collection", "classification", "--classification"),
    "queries": DecisionRow("queries", "classification", "--queries"),
    "assessment": DecisionRow("assessment", "qrels", "--assessment"),
    "derive": DecisionRow("assessment", "derive"),
    "only_listed_runs": DecisionRow("benchmark", "only_listed_runs"),
}  # fmt: skip


#: `Decision.reason` of a value that the user or benchmark.toml chose.
SET_EXPLICITLY = "set explicitly"


@dataclass(frozen=True)
class Alternative:
    """One reading of a file.

    Attributes
    ----------
    value : that takes it, such as one of a field of `ReadOptions`, or a file; "" if none does.
    text : what it is, if the label of the value does not say it.
    outcome : text about its result.
    is_available : whether it fits the content.
    differs : whether it is another reading than all before it.
    measure : ranks of relevant models in it; None if they are not known or take long.
    """

    value: str | Path
    text: str = ""
    outcome: str = ""
    is_available: bool = True
    differs: bool = True
    measure: Callable[[], RankEvidence | None] | None = field(default=None, compare=False, repr=False)

    @property
    def key(self) -> str:
        """The value as text."""
        return str(self.value)

    @cached_property
    def evidence(self) -> RankEvidence | None:
        """Ranks of relevant models; None if unknown."""
        found = None if self.measure is None else self.measure()
        return found if found is not None and found.n_lists else None

    @property
    def score(self) -> str:
        """Average precision, to follow a text."""
        return "" if self.evidence is None else self.evidence.text

    @property
    def mean(self) -> float:
        """Mean relative rank of relevant models; 0.5, as by chance, if it does not differ from that clearly."""
        is_clear = self.evidence is not None and abs(z_score(self.evidence.shares)) > CLEAR_Z
        return self.evidence.mean if self.evidence is not None and is_clear else 0.5


@dataclass(frozen=True)
class Decision:
    """What was decided about a file, and why.

    Attributes
    ----------
    key : of the row of DECISIONS.
    readings : the alternatives, or a function that finds them.
    chosen : value of the reading that is taken; "" for none.
    is_sure : it is determined by the content or the user, not a guess.
    reason : why; "" for none.
    problem : what allows several readings, the message of the finding; "" for no finding.
    is_usual : it is what files of this kind are, so that a sure decision needs no warning.
    is_only : no other reading gives another result.
    known : the reading that is taken, where the others are found by a function.
    """

    key: str
    readings: tuple[Alternative, ...] | Callable[[], tuple[Alternative, ...]]
    chosen: str
    is_sure: bool = False
    reason: str = ""
    problem: str = ""
    is_usual: bool = True
    is_only: bool = False
    known: Alternative | None = field(default=None, compare=False)

    @property
    def label(self) -> str:
        """Title of the question in the import dialog."""
        return DECISIONS[self.key].title

    @cached_property
    def alternatives(self) -> tuple[Alternative, ...]:
        """All readings that were considered."""
        return self.readings() if callable(self.readings) else self.readings

    @cached_property
    def taken(self) -> Alternative:
        """The reading that is taken."""
        return self.known or next(one for one in self.alternatives if one.key == self.chosen)

    @property
    def is_set(self) -> bool:
        """Whether the user or benchmark.toml decided."""
        return self.reason == SET_EXPLICITLY

    @property
    def others(self) -> list[Alternative]:
        """The other readings that fit, those with clearly better ranks first; none if the user decided."""
        if self.is_set or self.is_only:
            return []
        others = [one for one in self.alternatives if one.is_available and one.differs and one is not self.taken]
        return sorted(others, key=lambda one: one.mean) if len(others) > 1 else others

    def label_of(self, alternative: Alternative) -> str:
        """Name of a reading in the import dialog."""
        return DECISIONS[self.key].labels.get(alternative.key, alternative.text or alternative.key)

    def phrase_of(self, alternative: Alternative) -> str:
        """A reading within a sentence."""
        label = self.label_of(alternative)
        return alternative.text or label[:1].lower() + label[1:]

    @property
    def action(self) -> str:
        """What was taken and why, and the other readings, each with its score; the first of these is the best one."""
        taken, others = self.taken, self.others
        text = f"{'' if taken.text else DECISIONS[self.key].phrase + ' '}{self.phrase_of(taken)}"
        text += (taken.score if others else "") + (f" ({self.reason})" if self.is_set else "")
        text += f", because {self.reason}" if self.reason and not self.is_set else ""
        for other in others[1:]:
            text += f"; '{other.key}' also fits{other.score}" if other.value and other.evidence is not None else ""
        for other in others[:1]:
            text += f"; otherwise {self.phrase_of(other)}{other.score}"
            text += "; to read it so" if other.value else "; no option reads it so: correct the run"
        return text


def rank_text(evidence: RankEvidence) -> str:
    """Mean relative rank, for the import dialog."""
    return f"mean relative rank of relevant models: {format_percent(evidence.mean, 1)}"
