"""Everything that is wrong with run K2 on purpose is found, once, at its place, and nothing else is."""

from pathlib import Path

import numpy as np
import pytest

from shrec_viewer.domain import UNKNOWN_ITEM
from shrec_viewer.formats.core.findings_log import TO_COMMON
from shrec_viewer.formats.discovery.benchmark import read_benchmark

SHREC06 = Path(__file__).parents[3] / "../shared/data/shrec06"

ORDER_COUNTS = "file order is the ranking"

EXPECTED = {
    ("info", "runs/K2", None, 1, "28 lists have CR LF line ends", "no effect"),
    (
        "info",
        "runs/K2",
        None,
        1,
        "28 rank lists, lines 'id distance', because the first column holds known ids, first line the query's name",
        "the order of the lines is the ranking",
    ),
    (
        "warning",
        "runs/K2",
        None,
        1,
        "2 queries have no list: Q07, Q23",
        f"score 0 or excluded from means, depending on the profile{TO_COMMON}",
    ),
    (
        "warning",
        "runs/K2/Q03",
        14,
        1,
        "'N0095' is a duplicate: ranks 5 and 13",
        "first occurrence used",
    ),
    (
        "warning",
        "runs/K2/Q05",
        5,
        1,
        "unknown id 'N9999' at rank 4",
        "removed before ranking, so that later models move up, unless the profile keeps unknown ids",
    ),
    (
        "warning",
        "runs/K2/Q11",
        21,
        1,
        "1 distance is not a number (NaN), the first that of 'N1492' for 'Q11'",
        ORDER_COUNTS,
    ),
    (
        "warning",
        "runs/K2/Q14",
        8,
        2,  # the exchanged distances fall twice: behind rank 6, and at rank 46
        "distances not in ascending order: 'N0343' at rank 7 has a smaller one than rank 6",
        ORDER_COUNTS,
    ),
    (
        "warning",
        "runs/K2/Q21",
        1,
        1,
        "no query name in the first line, unlike other lists",
        "ranks start at the first id",
    ),
    (
        "info",
        "runs/K2",
        None,
        1,
        "98.0 % of the ranks are tied: the distance equals that of a neighbour",
        "file order is the ranking",
    ),
    ("info", "runs/K2/Q26", 1811, 2, "blank line", "ignored"),
}
"""Severity, file, line, count, message, action: by hand from faults.md and the files."""


@pytest.fixture(scope="module")
def shrec06():
    if not SHREC06.is_dir():
        pytest.skip("the re-creation of SHREC 2006 is not available")
    return read_benchmark(SHREC06)


def test_the_faults_of_k2_are_exactly_these(shrec06):
    found = [f for f in shrec06.findings if f.file.startswith("runs/K2")]
    assert {(str(f.severity), f.file, f.line, f.count, f.message, f.action) for f in found} == EXPECTED
    assert len(found) == len(EXPECTED)


def test_nothing_is_removed_from_the_lists(shrec06):
    lists = shrec06.run("K2").ranking
    ids = shrec06.collection.ids
    place = shrec06.queries.index

    def listed(query):
        return lists.items[lists.rows(place[query])]

    lengths = dict(zip(shrec06.queries.ids, np.diff(lists.indptr).tolist(), strict=True))
    expected = dict.fromkeys(shrec06.queries.ids, 1809) | {"Q03": 1810, "Q05": 1810, "Q07": 0, "Q23": 0}
    assert lengths == expected
    assert [name for name, there in zip(shrec06.queries.ids, lists.present, strict=True) if not there] == ["Q07", "Q23"]
    assert [rank for rank, item in enumerate(listed("Q03"), 1) if ids[item] == "N0095"] == [5, 13]
    assert np.flatnonzero(listed("Q05") == UNKNOWN_ITEM).tolist() == [3]
    distances = lists.distances[lists.rows(place["Q11"])]
    assert np.flatnonzero(np.isnan(distances)).tolist() == [19]
    assert ids[listed("Q11")[19]] == "N1492"
    assert [ids[item] for item in listed("Q14")[[5, 45]]] == ["N1668", "N0132"]
    assert ids[listed("Q21")[0]] == (SHREC06 / "runs/K2/Q21").read_text().split()[0]
