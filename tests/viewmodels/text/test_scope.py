"""What the title of a panel says that it shows."""

import pytest

from shrec_viewer.content.contents import CONTENT
from shrec_viewer.content.curves import PrecisionRecallRequest
from shrec_viewer.content.diagnosis.certainty import CertaintyRequest
from shrec_viewer.content.diagnosis.slices import VarianceRequest
from shrec_viewer.content.scores import RankingsRequest, RunsRequest
from shrec_viewer.viewmodels.text.scope import SCOPE_PARTS, scope_parts, scope_texts


@pytest.mark.parametrize(
    ("request_type", "parts"),
    [
        (RunsRequest, {"scores", "measure"}),
        (PrecisionRecallRequest, {"scores"}),
        (CertaintyRequest, {"mean", "measure"}),
        (RankingsRequest, {"measure"}),
        (VarianceRequest, {"measure"}),
    ],
)
def test_parts_follow_from_the_options(request_type, parts):
    assert scope_parts(request_type()) == parts


def test_no_content_names_both_a_query_and_the_mean():
    """A panel of one query is not of the mean; one of the runs alone names their number only."""
    for row in CONTENT:
        parts = scope_parts(row.request())
        assert parts <= {*SCOPE_PARTS}
        assert not ("mean" in parts and parts & {"query", "scores", "pair", "model"}), row.key
        assert "runs" not in parts or parts == {"runs"}, row.key


def test_texts_are_shorter_from_one_to_the_next(opened):
    opened.select(means=True)
    count = len(opened.benchmark.queries)
    assert scope_texts(opened, {"scores", "measure"}) == (
        f"mean of {count} queries · by {opened.measure}", f"mean · by {opened.measure}", "mean", "",
    )  # fmt: skip
    opened.select(means=False, query=1)
    query = opened.benchmark.queries.ids[1]
    assert scope_texts(opened, {"scores"}) == (query, query, query, "")
    opened.select(compared=1, run=0)
    names = [run.name for run in opened.benchmark.runs]
    assert scope_texts(opened, {"pair"})[0] == f"{names[0]} → {names[1]}"
    opened.close()
    assert scope_texts(opened, {"scores"}) == ("",)
