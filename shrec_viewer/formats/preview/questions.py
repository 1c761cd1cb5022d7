"""Decisions about the options for reading a run as the import dialog shows them, with the result of each option."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shrec_viewer.formats.core.decisions import DECISIONS, SET_EXPLICITLY, Alternative, Decision, rank_text
from shrec_viewer.formats.core.evidence import CLEAR_Z, z_score
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.io.text import is_number
from shrec_viewer.formats.runs.checks import DESCENDING, CheckedList, are_similarities
from shrec_viewer.formats.runs.rank_list import UNDECIDED_COLUMNS, RankListFile
from shrec_viewer.formats.runs.rank_list_folder import RankListDialect


def question_about(
    key: str,
    options: ReadOptions,
    chosen: str | bool,
    outcomes: Mapping[str, str],
    reason: str = "",
    *,
    is_sure: bool = False,
) -> Decision:
    """The decision about a field of `ReadOptions`, which is settled if the field is set.

    `outcomes`: text about the result of each value of the field.
    """
    is_set = getattr(options, key) is not None
    alternatives = tuple(Alternative(value, outcome=outcome) for value, outcome in outcomes.items())
    reason = SET_EXPLICITLY if is_set else reason
    return Decision(key, alternatives, str(chosen).lower(), is_set or is_sure, reason)


def shown(decision: Decision) -> Decision:
    """A decision of a reader with all values of its row, and the ranks of relevant models that each would give.

    What no reader is sure of is decided by the ranks, if they are clear.
    """
    known = {one.key: one for one in decision.alternatives}
    is_sure, reason, alternatives = decision.is_sure, decision.reason, []
    for value in dict.fromkeys((*DECISIONS[decision.key].labels, *known)):
        one = known.get(value, Alternative(value, outcome="does not fit this file", is_available=False))
        texts = (one.outcome or one.text, "" if one.evidence is None else rank_text(one.evidence))
        alternatives.append(replace(one, outcome="; ".join(filter(None, texts))))
    evidence = None if is_sure or decision.chosen not in known else decision.taken.evidence
    if evidence is not None:
        z = z_score(evidence.shares)
        is_sure = decision.key == "similarity" and z > CLEAR_Z
        worse = "relevant models rank worse than by chance; they rank better in another reading"
        unclear = "no reading is significantly better than chance"
        own = decision.reason or decision.problem
        reason = worse if z < -CLEAR_Z and not own else rank_text(evidence) if is_sure else own or unclear
    if is_sure and not reason and not decision.others:
        n_fitting = sum(one.is_available for one in decision.alternatives)
        reason = "the readings that fit are the same" if n_fitting > 1 else "only one reading fits"
    return replace(decision, readings=tuple(alternatives), is_sure=is_sure, reason=reason)


def columns_question(
    lists: Sequence[RankListFile], dialect: RankListDialect, context: ReadContext, options: ReadOptions
) -> Decision | None:
    """Which column of some lists has the ids; None for lists of ids."""
    pairs = [found for found in lists if len(found.columns) == 2]
    if not pairs:
        return None
    ids = [_known_ids_text([word for found in pairs for word in found.columns[at]], context) for at in (0, 1)]
    outcomes = {"id distance": ids[0], "distance id": ids[1], "id": f"{ids[0]}; second column ignored"}
    chosen = dialect.columns or ("id distance", "distance id")[dialect.column]
    is_sure = dialect.reason != UNDECIDED_COLUMNS
    return question_about("columns", options, chosen, outcomes, dialect.reason, is_sure=is_sure)


def _known_ids_text(words: Sequence[str], context: ReadContext) -> str:
    if len(context.collection):
        known = int((context.items.indices_of(words) >= 0).sum())
        return f"{known:,} of {count_of(len(words), 'id')} are models of the collection"
    return "numbers" if all(map(is_number, words)) else f"names such as '{words[0]}'"


def direction_of_lists(
    lists: Sequence[RankListFile], checked: Sequence[CheckedList], options: ReadOptions
) -> Decision | None:
    """Which numbers of some lists are more similar; None if they have none or it is ignored."""
    if options.columns == "id" or all(len(found.columns) < 2 for found in lists):
        return None
    is_descending = are_similarities(dict(enumerate(checked)))
    is_ascending = any(found.is_descending is not None for found in checked) and not any(
        DESCENDING in found.faults for found in checked
    )
    reason = "numbers in descending order" if is_descending else "numbers in ascending order" if is_ascending else ""
    is_similarity = is_descending if options.similarity is None else options.similarity
    outcomes = dict.fromkeys(("false", "true"), "ranked in the order of the lines")
    return question_about("similarity", options, is_similarity, outcomes, reason, is_sure=bool(reason))


def query_line_question(
    lists: Sequence[RankListFile], checked: Sequence[CheckedList], context: ReadContext, options: ReadOptions
) -> Decision | None:
    """Whether the first lines are queries; None if no list of models without numbers starts with its query."""
    find = context.query_ids.index_of
    for found, result in zip(lists, checked, strict=True):
        first = found.columns[0][0] if len(found.columns) == 1 and len(found.columns[0]) else ""
        if first and 0 <= find(first) == find(found.path.name):
            is_name = result.name is not None
            outcomes = {"true": "ranks start at the second line", "false": "ranks start at the first line"}
            reason = f"the query {'occurs' if is_name else 'does not occur'} again below"
            return question_about("query_line", options, is_name, outcomes, reason, is_sure=True)
    return None
