"""Judgements that are parsed by their bytes equal those parsed line by line."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.truth import qrels
from shrec_viewer.formats.truth.qrels import read_qrels

ID = st.one_of(st.sampled_from(["Q1", "q1", "m10", "m2", "7", "x" * 70]), st.text("aé0.-_", min_size=1, max_size=12))
LEVEL = st.one_of(
    st.integers(0, 3).map(str), st.sampled_from(["007", "255", "256", "0001", "-1", "+1", "1.0", "x", ""])
)
PLAIN_LINE = st.tuples(ID.filter(str.isascii), ID.filter(str.isascii), st.integers(0, 255).map(str))
LINE = st.tuples(ID, ID, LEVEL)
FAULTS = st.sampled_from(["\n", "  \t\n", "# note\n", "a 0 b\n", "a 0 b 1 2\n", "\x0c\n", "a 0 b 1\r\n", "a 0 c 1"])


@st.composite
def texts(draw):
    """Lines of which most are valid, with white space and line ends of different kinds."""
    gap, end = draw(st.sampled_from([" ", "\t", "  ", " \t"])), draw(st.sampled_from(["\n", "\r\n", "\n\n", "\r"]))
    lines = draw(st.lists(PLAIN_LINE if draw(st.booleans()) else LINE, max_size=12, unique=draw(st.booleans())))
    words = [gap.join((query, "0", model, level)) + end for query, model, level in lines]
    if words and draw(st.integers(0, 3)) == 0:
        words.insert(draw(st.integers(0, len(words))), draw(FAULTS))
    text = draw(st.sampled_from(["", "", "\ufeff", "\n"])) + "".join(words)
    return text.rstrip() if draw(st.booleans()) else text


def outcome(path):
    try:
        return read_qrels(path)
    except FormatError as error:
        return str(error)


def assert_equal(found, expected):
    if isinstance(expected, str):
        assert found == expected
        return
    for field in fields(expected):
        one, other = getattr(found, field.name), getattr(expected, field.name)
        if isinstance(other, np.ndarray):
            assert (one.dtype, one.tolist()) == (other.dtype, other.tolist()), field.name
        else:
            assert one == other, field.name


@settings(max_examples=400, deadline=None)
@given(text=texts(), block_bytes=st.sampled_from([4, 30, 2**20]))
def test_bytes_and_lines_give_the_same_judgements(text, block_bytes, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "judged.txt"
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(qrels, "BLOCK_BYTES", block_bytes)
        found = outcome(path)
        patch.setattr(qrels, "_uniform_qrels", lambda *_: None)
        assert_equal(found, outcome(path))


def test_valid_lines_are_not_parsed_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setattr(qrels.QrelsParser, "add_line", lambda *_: pytest.fail("a line was parsed"))
    monkeypatch.setattr(qrels, "BLOCK_BYTES", 50)
    path = tmp_path / "judged.txt"
    path.write_text("".join(f"q{pair % 3} 0 m{pair} {pair % 4}\n" for pair in range(40)))
    found = read_qrels(path)
    relevant, zeros = [pair for pair in range(40) if pair % 4], [*range(0, 40, 4)]
    assert found.queries == ("q0", "q1", "q2")
    assert found.models == tuple(f"m{pair}" for pair in relevant)
    assert found.query.tolist() == [pair % 3 for pair in relevant]
    assert found.level.tolist() == [pair % 4 for pair in relevant]
    assert found.lines.tolist() == [pair + 1 for pair in relevant]
    assert found.zero_models == tuple(f"m{pair}" for pair in zeros)
    assert found.zero_query.tolist() == [pair % 3 for pair in zeros]
