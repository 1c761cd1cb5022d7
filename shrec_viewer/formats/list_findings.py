"""What is odd about the ranked lists of one run: each fault once, with file and line; the same fault of many in one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import RankedLists
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.conventions import MISSING
from shrec_viewer.formats.journal import count_of, some
from shrec_viewer.formats.list_checks import CHECKS, Check, Fault, QueryList
from shrec_viewer.formats.naming import AMBIGUOUS, Rules, natural_key, without_extension
from shrec_viewer.formats.ties import note_ties

FEW = 5
"""Lists with the same fault that are named one by one; the same in more lists is one finding."""

USUAL_SHARE = 0.5
"""Share of a run's ids from which a way to write them is the run's own, and not a slip."""

NAMED = 12
"""Models that a sentence names."""


@dataclass(frozen=True, eq=False)
class Answer:
    """One list of a run, without its words: a large contest's run has ten million.

    Attributes
    ----------
    path : file it stands in.
    items, distances : see `QueryList`.
    name : the first line, where it holds the name of the query.
    example : the first id as written, "" for an empty list.
    faults : outcome of each of CHECKS.
    turned : the numbers fall from line to line; None where they neither rise nor fall.
    """

    path: Path
    items: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    name: str | None
    example: str
    faults: tuple[Fault | None, ...]
    turned: bool | None


Answers = Mapping[int, Answer]


def answer_of(found: QueryList) -> Answer:
    """A list, looked through."""
    faults = tuple(check(found) for check in CHECKS)
    example = found.words[0] if len(found.words) else ""
    return Answer(found.path, found.items, found.distances, found.name, example, faults, _turned(found))


def _turned(found: QueryList) -> bool | None:
    if found.distances is None:
        return None
    values = found.distances[~np.isnan(found.distances)]
    if len(values) < 2 or values[0] == values[-1]:
        return None
    return bool(np.all(values[1:] <= values[:-1]))


def are_similarities(answers: Answers) -> bool:
    """Whether the second number falls from line to line in every list, so that larger is nearer."""
    told = [found.turned for found in answers.values() if found.turned is not None]
    return bool(told) and all(told)


def note_faults(run: Path, answers: Answers, context: Context, passed_over: Sequence[Check] = ()) -> None:
    """Write down what CHECKS found, but for some of them."""
    for place, check in enumerate(CHECKS):
        if check not in passed_over:
            found = [(answer.path, fault) for answer in answers.values() if (fault := answer.faults[place]) is not None]
            _note(found, len(answers), context)


def _note(found: list[tuple[Path, Fault]], n_lists: int, context: Context) -> None:
    note = context.journal.note
    if len(found) <= FEW:
        for path, fault in found:
            note(fault.severity, path, fault.message, fault.action, line=fault.line, count=fault.count)
        return
    path, first = found[0]
    message = f"in {len(found):,} of {count_of(n_lists, 'list')}, here first: {first.message}"
    total = sum(fault.count for _, fault in found)
    note(first.severity, path, message, first.action, line=first.line, count=total)


def note_rules(run: Path, rules: Rules, context: Context, total: int) -> None:
    """Ids that are not written as in the collection: one finding for each rule; odd where a few of `total` are."""
    for rule, (count, word) in rules.items():
        if rule == AMBIGUOUS:
            context.journal.error(run, f"'{word}' may mean several models", "read as an unknown id", count=count)
            continue
        model = context.collection.ids[context.items.place(word)]
        note = context.journal.info if count >= USUAL_SHARE * total else context.journal.warning
        others = "" if count >= USUAL_SHARE * total else ", while most are written otherwise"
        note(run, f"ids match {rule}: '{word}' is '{model}'{others}", "read so", count=count)


def note_query_rules(run: Path, names: Iterable[str], context: Context) -> None:
    """Queries that are not written as elsewhere: one finding for each rule. A file's extension means nothing."""
    rules: Rules = {}
    context.query_ids.places([without_extension(name) for name in names], rules)
    for rule, (count, word) in rules.items():
        if rule == AMBIGUOUS:
            context.journal.error(run, f"'{word}' may mean several queries", "left out", count=count)
        elif (place := context.query_ids.place(word)) >= 0:
            message = f"queries match {rule}: '{word}' is '{context.queries.ids[place]}'"
            context.journal.info(run, message, "read so", count=count)


def note_tied(run: Path, answers: Answers, context: Context, *, lines_decide: bool) -> None:
    """Distances that equal their neighbours': one finding for the run."""
    numbered = (found.distances for found in answers.values() if found.distances is not None)
    note_ties(run, numbered, context.journal, lines_decide=lines_decide)


def note_missing(run: Path, answers: Answers, context: Context) -> None:
    """Queries to which the run has no answer: one finding."""
    missing = [name for query, name in enumerate(context.queries.ids) if query not in answers]
    if not missing:
        return
    message = f"{count_of(len(missing), 'query has', 'queries have')} no list: {some(missing)}"
    context.journal.warning(run, message, MISSING)


def note_lengths(run: Path, answers: Answers, context: Context) -> None:
    """Lists that end early: one finding for the run."""
    n_models = len(context.collection)
    seen = np.zeros(n_models, bool)
    lengths = []
    for found in answers.values():
        named = np.zeros(n_models, bool)
        named[found.items[found.items >= 0]] = True
        lengths.append(int(named.sum()))
        seen |= named
    complete = context.n_listable - context.queries.are_the_collection
    if not lengths or min(lengths) >= complete:
        return
    longest, shortest = max(lengths), min(lengths)
    span = f"{shortest:,}" if longest == shortest else f"{shortest:,} to {longest:,}"
    kind = "models with a file" if len(context.models_with_file) else "models"
    message = f"the lists name {span} of {context.n_listable:,} {kind}"
    never = [place for place in np.flatnonzero(~seen) if context.has_file[place]]
    never.sort(key=lambda place: natural_key(context.collection.ids[place]))
    if longest == shortest and len(never) == context.n_listable - longest <= NAMED:
        message += f", never {some([context.collection.ids[place] for place in never], NAMED)}"
    context.journal.info(run, message, "models not listed count as not retrieved")


def ranked_lists(answers: Answers, n_queries: int, *, negative: bool = False, by_score: bool = False) -> RankedLists:
    """Lists of some queries as one record; queries without a list are not present.

    `negative`: the numbers are similarities, their negatives become the distances.
    """
    queries = list(answers)
    present = np.zeros(n_queries, bool)
    present[queries] = True
    lengths = np.zeros(n_queries, np.int64)
    lengths[queries] = [len(found.items) for found in answers.values()]
    distances = None
    if any(found.distances is not None for found in answers.values()):
        parts = [np.full(len(f.items), np.nan) if f.distances is None else f.distances for f in answers.values()]
        distances = np.concatenate(parts) * (-1.0 if negative else 1.0)
    items = [found.items for found in answers.values()]
    return RankedLists(
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        np.concatenate(items) if items else np.zeros(0, np.int32),
        distances,
        present,
        by_score,
    )
