"""Splitting a file in one go never differs from splitting it line by line."""

from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from shrec_viewer.formats.io.text import decode
from shrec_viewer.formats.runs.rank_list import _read_general, _read_uniform

TEXT = st.text(st.sampled_from("ab1. \t\n\r#,\x0b\xa0é"), max_size=40)
LINES = st.lists(st.lists(st.sampled_from(["N1", "0.5", "é", "Q1"]), min_size=0, max_size=3).map(" ".join), max_size=8)


@given(st.one_of(TEXT, LINES.map("\n".join), LINES.map("\r\n".join)))
@example("a b\nc d e\nf\n")
@example("a b c\nd\n")
@example(" a\nb c\n")
@example("a \nb c\n")
@example("a\n\nb\n")
@example("Q1\na b\n")
@example("Q1\na\n")
@example("\n")
@example("a\x0bb c\nd e\n")
@example("a \rb\n")
@example("\x0b\n1\x0b1")
@example("\u00a0\n1\u00a01")
def test_the_short_way_reads_a_rank_list_as_the_long_way_does(text):
    data = text.encode()
    short = _read_uniform(Path("x"), data)
    if short is None:
        return
    long = _read_general(Path("x"), decode(data).split("\n"), None)
    assert (short.first, [list(c) for c in short.columns]) == (long.first, [list(c) for c in long.columns])
    assert short.lines.tolist() == long.lines.tolist()
    assert (long.blank, long.comments, long.malformed, long.commas) == ((), (), (), False)


def test_plain_files_use_the_fast_path():
    for data in (b"Q1\nN1 0.5\nN2 1\n", b"Q1\r\nN1\t0.5\r\nN2\t1", b"N1\nN2\n"):
        assert _read_uniform(Path("x"), data) is not None
