"""Tokens found by their bytes are those of `str.split`; text that is not plain is split by Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io import progress
from shrec_viewer.formats.io.tables import MIN_SLOTS, TokenCodes, token_columns
from shrec_viewer.formats.io.text import read_file_head
from shrec_viewer.formats.matrices.matrix import is_matrix, read_matrix
from shrec_viewer.formats.runs.trec import read_trec

WORD = st.text("abAB019._-é", min_size=1, max_size=12)
GAP = st.sampled_from([" ", "  ", "\t", " \t "])
END = st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\n \r\n"])


@st.composite
def texts(draw):
    width = draw(st.integers(1, 4))
    lines = []
    for _ in range(draw(st.integers(1, 6))):
        count = width if draw(st.integers(0, 9)) else draw(st.integers(1, 5))
        words = [draw(WORD) for _ in range(count)]
        lines.append(draw(GAP).join(words) + draw(END))
    return width, draw(st.sampled_from(["", " ", "\n", "\r\n"])) + "".join(lines)


@settings(max_examples=400, deadline=None)
@given(texts())
def test_columns_equal_str_split(drawn):
    width, text = drawn
    reported = [(number, line.split()) for number, line in enumerate(text.split("\n"), 1) if line.split()]
    found = token_columns(text.encode(), width)
    is_plain = text.isascii() and all(len(words) == width for _, words in reported)
    assert (found is not None) == is_plain
    if found is None:
        return
    assert found.lines.tolist() == [number for number, _ in reported]
    assert found.n_lines == text.count("\n") + (not text.endswith("\n")) - (not text)
    for column in range(width):
        words = [words[column] for _, words in reported]
        known = TokenCodes()
        codes = known.encode_column(found, column)
        assert [known.names()[code] for code in codes.tolist()] == words
        assert known.names() == tuple(dict.fromkeys(words))
        assert known.encode_column(found, column).tolist() == codes.tolist()


@pytest.mark.parametrize(
    "text", [b"a b\x1cc d\n", b"a\rb\n", b"# a\n", b"a b\x0cc d\n", b"", b"\n \n", "a é\n".encode()]
)
def test_irregular_files_use_the_general_reader(text):
    assert token_columns(text, 2) is None


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.floats(), st.integers(0, 10**9), st.decimals(allow_nan=False)), min_size=1, max_size=20))
def test_numbers_equal_float_exactly(values):
    words = [repr(value) if isinstance(value, float) else str(value) for value in values]
    found = token_columns("".join(f"x {word}\n" for word in words).encode(), 2).numbers(1)
    assert np.array_equal(found, np.array(list(map(float, words))), equal_nan=True)


@pytest.mark.parametrize("word", ["1.5-2.5", "1..2", "x", "1_0", "0x10", "1e", "--1", "1,5", "nanx"])
def test_non_numeric_words_are_not_numbers(word):
    assert token_columns(f"a 1\nb {word}\nc 2\n".encode(), 2).numbers(1) is None


def test_more_words_than_slots_and_words_of_any_length():
    words = [f"w{number}" for number in range(MIN_SLOTS)] + ["x" * length for length in range(1, 65)]
    found = token_columns("\n".join(words).encode(), 1)
    known = TokenCodes()
    assert known.encode_column(found, 0).tolist() == list(range(len(words)))
    assert known.encode_column(found, 0).tolist() == list(range(len(words)))
    longer = token_columns(("y" * 65 + "\n" + "y" * 66).encode(), 1)
    assert known.encode_column(longer, 0).tolist() == [len(words), len(words) + 1]


@pytest.mark.parametrize("odd", ["", "# note\n", "\n", "Q1 Q0 é 1 0.5 t\n", "Q1  Q0\tm1 1.5 nan t\n", "one two\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blocks_fast_and_slow_make_the_same_run(odd, end, tmp_path, monkeypatch):
    lines = [f"Q{place // 9} Q0 m{place % 7} {place} {1 / (1 + place)!r} t\n" for place in range(90)]
    text = "".join([*lines[:40], odd, *lines[40:]]).replace("\n", end)
    path = tmp_path / "run"
    path.write_bytes(text.encode())
    monkeypatch.setattr("shrec_viewer.formats.runs.trec.token_columns", lambda *_: None)
    slow = read_trec(path)
    monkeypatch.undo()
    for size in (2**22, 300):
        monkeypatch.setattr(progress, "BLOCK_BYTES", size)
        fast = read_trec(path)
        assert (fast.queries, fast.models, fast.tags) == (slow.queries, slow.models, slow.tags)
        assert list(map(str, fast.findings)) == list(map(str, slow.findings))
        for name in ("query", "model", "ranks", "scores", "lines"):
            np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))


@pytest.mark.parametrize("separator", [" ", "\t", ", ", ",", ";", " ; "])
@pytest.mark.parametrize("odd", ["", "# note\n", "\n"])
def test_matrices_fast_and_slow_are_the_same(separator, odd, tmp_path, monkeypatch):
    values = np.random.default_rng(1).normal(size=(30, 11))
    lines = [separator.join(map(repr, row)) + "\n" for row in values.tolist()]
    path = tmp_path / "M.txt"
    path.write_text(odd + "".join([*lines[:20], odd, *lines[20:]]))
    for size in (2**22, 700):
        monkeypatch.setattr(progress, "BLOCK_BYTES", size)
        assert read_matrix(path).values.tolist() == values.tolist()


@pytest.mark.parametrize("separator", [" ", ";"])
def test_decimal_commas_in_many_blocks(separator, tmp_path, monkeypatch):
    values = np.random.default_rng(1).integers(0, 99, (30, 11)) + 0.5
    path = tmp_path / "M.txt"
    path.write_text("".join(separator.join(map(str, row)).replace(".", ",") + "\n" for row in values.tolist()))
    monkeypatch.setattr(progress, "BLOCK_BYTES", 200)
    found = read_matrix(path)
    assert found.values.tolist() == values.tolist()
    assert [finding.line for finding in found.findings] == [1]


@pytest.mark.parametrize("separator", [" ", "\t", ";"])
def test_whole_numbers_among_decimal_commas(separator, tmp_path):
    """As ``%g`` writes the distance of a model to itself."""
    values = [[0.0, 1.5, 2.25], [1.5, 0.0, 3.0], [2.25, 3.0, 0.0]]
    path = tmp_path / "M.txt"
    path.write_text("".join(separator.join(f"{value:g}" for value in row).replace(".", ",") + "\n" for row in values))
    assert is_matrix(read_file_head(path))
    assert read_matrix(path).values.tolist() == values


def test_a_matrix_in_one_line_longer_than_any_piece(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "BLOCK_BYTES", 100)
    values = np.random.default_rng(1).random(400)
    path = tmp_path / "M.txt"
    path.write_text(" ".join(map(repr, values.tolist())))
    found = read_matrix(path)
    assert found.values.shape == (1, 400)
    assert found.values[0].tolist() == values.tolist()
    assert found.findings == ()


@pytest.mark.parametrize("bad", ["1.5,,2.5", "1.5,2.5 3.5", ",1.5,2.5"])
def test_an_empty_cell_is_never_passed_over(bad, tmp_path, monkeypatch):
    path = tmp_path / "M.txt"
    path.write_text("1.5,2.5,3.5\n" * 20 + bad + "\n")
    with pytest.raises(FormatError) as caught:
        read_matrix(path)
    assert caught.value.line == 21


@given(st.lists(st.decimals(-1e9, 1e9, allow_nan=False, places=6).map(str), min_size=1, max_size=20))
def test_decimals_equal_float(words):
    found = token_columns("".join(f"x {word}\n" for word in words).encode(), 2).decimals(1)
    if all(sum(sign.isdigit() for sign in word) <= 15 and "E" not in word for word in words):
        assert found.tolist() == [float(word) for word in words]
    else:
        assert found is None


@st.composite
def numbers_with_equal_decimals(draw):
    """Up to 9 digits on both sides of the point, signs, and sometimes a character that is none of a number."""
    n_decimals = draw(st.integers(0, 9))
    whole, decimals = st.text("0123456789", min_size=1, max_size=9), st.text("0123456789", min_size=n_decimals)
    words = []
    for _ in range(draw(st.integers(1, 12))):
        tail = "." + draw(decimals)[:n_decimals] if n_decimals or draw(st.integers(0, 9)) == 0 else ""
        words.append(draw(st.sampled_from(["", "-", "+"])) + draw(whole) + tail)
    if draw(st.booleans()):
        index = draw(st.integers(0, len(words) - 1))
        word = words[index]
        place = draw(st.integers(0, len(word)))
        words[index] = word[:place] + draw(st.sampled_from("./:-+ex9")) + word[place + draw(st.integers(0, 1)) :]
    return [word for word in words if word]


@settings(max_examples=500, deadline=None)
@given(numbers_with_equal_decimals())
def test_eight_digits_at_a_time_equal_digit_by_digit(words):
    found = token_columns("".join(f"x {word} y\n" for word in words).encode(), 3)
    fast, slow = found._fixed_decimals(1), found._mixed_decimals(1)
    if fast is not None:
        assert slow is not None
        assert fast.tobytes() == slow.tobytes() == np.array([float(word) for word in words]).tobytes()
    assert (found.decimals(1) is None) == (slow is None)


@pytest.mark.parametrize("character", [code for code in map(chr, range(33, 127)) if code not in "0123456789#"])
def test_a_character_that_is_no_digit_is_none_of_a_number(character):
    for word in (f"1{character}3.500", f"123.5{character}0", f"12{character}.500"):
        found = token_columns(f"x 123.500\nx {word}\n".encode(), 2)
        assert found._fixed_decimals(1) is None


def test_tokens_with_one_slot_keep_their_codes_in_the_order_of_the_text():
    names = [f"m{number * 7919 % 97}" for number in range(500)]
    known = TokenCodes(_slots=np.full(2, -1, np.int32))
    column = token_columns("".join(f"{name} x\n" for name in names).encode(), 2)
    for _ in range(2):
        codes = known.encode_column(column, 0)
        assert [known.names()[code] for code in codes.tolist()] == names
    assert known.names() == tuple(dict.fromkeys(names))


@pytest.mark.parametrize(
    "word", ["1e5", "nan", "inf", "1.2.3", ".", "-", "+", "--1", "1-", "0x1", "1_0", "1234567890123456"]
)
def test_other_notations_use_the_general_parser(word):
    assert token_columns(f"a 1\nb {word}\nc 2\n".encode(), 2).decimals(1) is None


@pytest.mark.parametrize(("word", "number"), [("5.", 5.0), (".5", 0.5), ("+1.5", 1.5), ("-0.0", -0.0), ("007", 7.0)])
def test_decimals_in_other_spellings(word, number):
    found = token_columns(f"a 1\nb {word}\n".encode(), 2).decimals(1)
    assert [str(value) for value in found] == ["1.0", str(number)]


def test_new_tokens_that_repeat_in_one_column_keep_the_order_of_the_text():
    names = [f"m{number % 12_000}" for number in range(16_000)]
    known = TokenCodes()
    codes = known.encode_column(token_columns("".join(f"{name} x\n" for name in names).encode(), 2), 0)
    read = known.names()
    assert [read[code] for code in codes.tolist()] == names
    assert read == tuple(dict.fromkeys(names))


def test_long_token_differs_from_its_first_64_bytes():
    known = TokenCodes()
    for length, code in ((65, 0), (64, 1), (65, 0), (64, 1), (66, 2)):
        column = token_columns(b"y" * length, 1)
        assert known.encode_column(column, 0).tolist() == [code]


def test_repeated_blanks_are_read():
    for text in (b"a 1\nb  2\n", b"a 1\r\nb 2\r\n", b" a 1\nb 2\n", b"a\t1\nb 2", b"a 1\n\nb 2\n"):
        found = token_columns(text, 2)
        assert found.decimals(1).tolist() == [1.0, 2.0]
        assert TokenCodes().encode_column(found, 0).tolist() == [0, 1]
