"""Splits files whose lines all have the same number of words in one go, after proving that they do."""

from dataclasses import dataclass

import numpy as np

from shrec_viewer.formats.text import decode


@dataclass(frozen=True, eq=False)
class UniformWords:
    """All words of a text whose lines have `width` words each, but the first line perhaps only one.

    Attributes
    ----------
    first : the only word of the first line, where the others have more; else None.
    words : the words of the other lines, line after line.
    width : words in each of these lines.
    """

    first: str | None
    words: list[str]
    width: int

    @property
    def n_lines(self) -> int:
        """Number of lines, not counting a first line with one word."""
        return len(self.words) // self.width


def uniform_words(data: bytes) -> UniformWords | None:
    """Words of a text without blank lines, comments or doubled blanks; None where it is not so plain.

    The positions of blanks and line ends show that every line has the same number of words, so one split of the whole
    text (five times faster than one of each line) cannot shift words from one line into another.
    """
    data = data.replace(b"\r\n", b"\n")
    if not data or b"#" in data or b"\r" in data:
        return None
    data = data if data.endswith(b"\n") else data + b"\n"
    codes = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(codes == ord("\n"))
    blanks = np.flatnonzero((codes == ord(" ")) | (codes == ord("\t")))
    first = int(len(blanks) > 0 and len(ends) > 1 and blanks[0] > ends[0])
    n_lines = len(ends) - first
    if len(blanks) % n_lines:
        return None
    width = len(blanks) // n_lines + 1
    if first and width == 1:
        return None
    # Edges of the words of each line: its start, its blanks, its end; no word may be empty.
    starts = np.concatenate([[-1], ends[:-1]])
    if first and starts[0] + 1 >= ends[0]:
        return None
    edges = np.column_stack([starts[first:], blanks.reshape(n_lines, width - 1), ends[first:]])
    if np.any(np.diff(edges, axis=1) < 2):
        return None
    words = decode(data).split()
    if len(words) != first + n_lines * width:  # white space of other kinds
        return None
    return UniformWords(words.pop(0) if first else None, words, width)
