"""Edits of a session as projects and journals store them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta

from shrec_viewer.domain import PublishedTable
from shrec_viewer.formats.io.schema import Codec, Level, Text, stored
from shrec_viewer.formats.manifest.run_changes import VIRTUAL_RUNS_CODEC, RunChanges, VirtualRuns

#: Ids of a query and a model.
Pair = tuple[str, str]

#: Edits that are read from a document.
MAX_EDITS = 100_000

#: An author, a time or a reason.
Reason = Annotated[str, Meta(max_length=2**14)]

#: Ids of the queries of a slice.
SliceIds = Annotated[tuple[Text, ...], Meta(max_length=MAX_EDITS)]

#: Text of a note.
Note = Annotated[str, Meta(max_length=2**20)]


@dataclass(frozen=True)
class AssessmentEdit:
    """Another relevance level of one model for one query.

    Attributes
    ----------
    query, model : ids.
    former : level before.
    level : level from now on, 0 to 255.
    author, time, reason : who made it, when (ISO 8601, UTC) and why; "" if unknown.
    """

    query: Text
    model: Text
    former: Level
    level: Level
    author: Reason = ""
    time: Reason = ""
    reason: Reason = ""

    @property
    def pair(self) -> Pair:
        """Ids of query and model."""
        return self.query, self.model


@dataclass(frozen=True)
class ReviewDecision:
    """A decision about a suspect as it is stored; see `EditState.reviewed`."""

    query: Text
    model: Text
    decision: Level


#: Edits of the assessment by ids of query and model.
Levels = Mapping[Pair, AssessmentEdit]

#: Levels that were decided on, by ids of query and model.
Decisions = Mapping[Pair, int]


@dataclass(frozen=True)
class EditState:
    """The edited values, as saved in a project.

    Attributes
    ----------
    notes : text by query id; never empty.
    colours : ``#rrggbb`` by run name, where it is not the default colour.
    hidden : names of the runs hidden in plots.
    runs : runs that were removed, renamed, added and computed from others.
    levels : edits of the assessment, in the order in which they were made, by ids of query and model.
    reviewed : decisions about suspects, by ids of query and model: the level. For the label of a model, the query is ""
        and the decision 0 (kept) or 1 (the suggested label).
    published : tables of published scores that were added.
    slices : ids of the queries of each slice that was named in the window, by its name.
    """

    notes: Mapping[str, Note] = field(default_factory=dict)
    colours: Mapping[str, Text] = field(default_factory=dict, metadata=stored("edits.colours"))
    hidden: frozenset[Text] = field(default=frozenset(), metadata=stored("edits.hidden"))
    runs: RunChanges = field(default_factory=RunChanges, metadata=stored("edits", is_inline=True))
    levels: Levels = field(default_factory=dict, metadata=stored("edits.levels"))
    reviewed: Decisions = field(default_factory=dict, metadata=stored("edits.reviewed"))
    published: tuple[PublishedTable, ...] = field(default=(), metadata=stored("edits.published"))
    slices: Mapping[str, SliceIds] = field(default_factory=dict, metadata=stored("edits.slices"))


#: How edits are stored; paths are not included, as projects store relative ones.
EDIT_CODECS = {
    VirtualRuns: VIRTUAL_RUNS_CODEC,
    Levels: Codec(
        Annotated[tuple[AssessmentEdit, ...], Meta(max_length=MAX_EDITS)],
        lambda edits: {edit.pair: edit for edit in edits},
        lambda levels: tuple(levels.values()),
    ),
    Decisions: Codec(
        tuple[ReviewDecision, ...],
        lambda rows: {(row.query, row.model): row.decision for row in rows},
        lambda reviewed: tuple(ReviewDecision(query, model, level) for (query, model), level in reviewed.items()),
    ),
}
