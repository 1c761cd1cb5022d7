"""Submissions in one table as ranked lists: a row is the list of its query."""

from dataclasses import replace

import numpy as np

from shrec_viewer.domain import RankedLists
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.journal import count_of, some
from shrec_viewer.formats.list_checks import QueryList
from shrec_viewer.formats.list_findings import (
    Answer,
    answer_of,
    note_faults,
    note_lengths,
    note_missing,
    note_query_rules,
    note_rules,
    ranked_lists,
)
from shrec_viewer.formats.naming import Rules
from shrec_viewer.formats.submission import SubmissionFile
from shrec_viewer.formats.zero_based import ZeroSigns


def read_submission_run(file: SubmissionFile, context: Context) -> RankedLists | None:
    """Ranked lists of a submission; None, and an error finding, where it answers no query."""
    path, journal = file.path, context.journal
    journal.extend(file.findings)
    signs = ZeroSigns(context.items)
    if signs.is_possible:
        places = [context.items.places(words) for words in file.rows]
        for words, found in zip(file.rows, places, strict=True):
            signs.meet(words[place] for place in np.flatnonzero(found < 0).tolist())
        if (index := signs.shifted(places)) is not None:
            signs.note(path, context, noun="rows")
            context = replace(context, items=index)
    rules: Rules = {}
    answers: dict[int, Answer] = {}
    unknown, again = [], []
    for name, words, line in zip(file.queries, file.rows, file.lines.tolist(), strict=True):
        query = context.query_ids.place(name)
        if query < 0:
            unknown.append((line, name))
        elif query in answers:
            again.append((line, name))
        else:
            items = context.items.places(words, rules)
            lines = np.full(max(1, len(words)), line, np.int32)
            answers[query] = answer_of(QueryList(path, words, items, None, (), lines, name))
    if not any(np.any(found.items >= 0) for found in answers.values()):
        words = next((row for row in file.rows if row), ())
        what = f"ids is a model of the collection{context.no_model(words)}"
        if not answers:
            what = f"rows begins with a query{context.no_query(file.queries)}"
        journal.error(path, f"none of its {what}", "the run is left out")
        return None
    journal.info(
        path, f"table of {count_of(len(answers), 'ranked list')}", "a row is a query and its models, best first"
    )
    for rows, what in ((unknown, "of unknown queries"), (again, "of queries that have one already")):
        if rows:
            message = f"{count_of(len(rows), 'row')} {what}: {some([name for _, name in rows])}"
            journal.warning(path, message, "left out", line=rows[0][0])
    note_rules(path, rules, context, sum(map(len, file.rows)))
    note_query_rules(path, file.queries, context)
    note_faults(path, answers, context)
    note_missing(path, answers, context)
    note_lengths(path, answers, context)
    return ranked_lists(dict(sorted(answers.items())), len(context.queries))
