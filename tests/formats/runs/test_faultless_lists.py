"""Lists of a TREC run that are not checked one by one have the findings and ranks of lists that are."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.domain import Collection, Queries
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.runs import trec
from shrec_viewer.formats.runs.trec import read_trec, read_trec_run

MODELS = tuple(f"m{number}" for number in range(8))
QUERIES = ("a", "b", "m1")
SCORE = st.sampled_from(["1.0", "0.5", "0.25", "0.25", "-1", "0", "-0", "nan", "inf", "-inf", "1e39", "-1e39", "x"])


@st.composite
def runs(draw):
    """Lines of lists that are mostly good: in order, with distinct models and numbers."""
    lines = []
    for query in draw(st.lists(st.sampled_from([*QUERIES, "unknown"]), min_size=1, max_size=5)):
        models = draw(st.permutations(MODELS))[: draw(st.integers(1, len(MODELS)))]
        scores = sorted((draw(st.floats(-2, 2)) for _ in models), reverse=True)
        for rank, (model, score) in enumerate(zip(models, scores, strict=True), 1):
            fault = draw(st.integers(0, 30))
            word = draw(SCORE) if fault == 0 else repr(score)
            name = draw(st.sampled_from(["m0", "M2", "stranger"])) if fault == 1 else model
            lines.append(f"{query} Q0 {name} {rank} {word} t\n")
    return "".join(lines)


def read(path):
    member = np.array([-1, -1, 1], np.int32)
    queries = Queries(QUERIES, (None,) * 3, ("none",) * 3, member, np.full(3, -1, np.int32))
    log = FindingsLog(path.parent)
    collection = Collection(MODELS, (None,) * len(MODELS))
    context = ReadContext(collection, queries, None, log, IdIndex(MODELS), IdIndex(QUERIES))
    return read_trec_run(read_trec(path), context), log.findings


@settings(max_examples=300, deadline=None)
@given(text=runs(), max_cells=st.sampled_from([0, 2**28]))
def test_equal_those_that_are_checked(text, max_cells, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "A.run"
    path.write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "MAX_CELLS", max_cells)
        found, findings = read(path)
        patch.setattr(trec, "_queries_to_check", lambda *_: np.ones(len(QUERIES), bool))
        expected, expected_findings = read(path)
    assert findings == expected_findings
    assert (found is None) == (expected is None)
    for field in fields(found) if found is not None else ():
        one, other = getattr(found, field.name), getattr(expected, field.name)
        assert np.array_equal(one, other, equal_nan=field.name == "distances") if one is not None else other is None
