"""Names in LaTeX and Markdown tables: read back as they were by rules of these formats written down here."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from shrec_viewer.printable import printable
from shrec_viewer.report.tables.text import OutputColumn, latex_table, markdown_table

NAMES = st.text(st.characters(), min_size=1, max_size=12) | st.text(
    "\\{}$&#^_~%[]*<>|\"'`-,!?=", min_size=1, max_size=12
)

COMMANDS = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<",
    r"\textgreater{}": ">", r"\textbar{}": "|", r"\textasciigrave{}": "`", r"\char34{}": '"', "{[}": "[", "{]}": "]",
    "{*}": "*", r"\{": "{", r"\}": "}", r"\_": "_", r"\&": "&", r"\%": "%", r"\$": "$", r"\#": "#", r"$\uparrow$": "↑",
    r"$\downarrow$": "↓", "{}": "",
}  # fmt: skip

TOKEN = re.compile("|".join(map(re.escape, sorted(COMMANDS, key=len, reverse=True))) + "|(?P<plain>.)", re.DOTALL)


def typeset(source):
    """The characters that LaTeX prints for a cell; fails for a character with another meaning."""
    shown = ""
    for token in TOKEN.finditer(source):
        if token["plain"] is not None:
            assert token["plain"] not in '\\{}$&#^_~%[]*<>|"`', source
        shown += token["plain"] or COMMANDS[token[0]]
    assert not re.search(r"--|''|,,|``", source), source  # ligatures
    return shown


def cells_of(table, begin):
    """The first cells of the two rows below the heading."""
    rows = [line.strip() for line in table.splitlines()]
    start = rows.index(begin) + 1
    return rows[start : start + 2]


@given(NAMES)
@example("[1em]")
@example("a--b---c")
@example("\\input{/etc/passwd}")
@example("%\n")
@example("?`!`")
def test_a_name_in_latex_is_typeset_as_it_is(name):
    columns = [OutputColumn("run", (name, "B")), OutputColumn("AP", ("0.5", "0.4"), True, best=frozenset({0}))]
    first, second = cells_of(latex_table(columns, name), r"\midrule")
    assert second == r"B & 0.4 \\"
    cell = first.removesuffix(r" & \textbf{0.5} \\")
    assert typeset(cell) == printable(name).strip() or typeset(cell) == printable(name)
    caption = next(line for line in latex_table(columns, name).split("\n") if r"\caption" in line)
    assert typeset(caption.strip().removeprefix(r"\caption{").removesuffix("}")) == printable(name)


@given(NAMES)
def test_a_name_in_markdown_is_one_cell_of_plain_text(name):
    columns = [OutputColumn("run", (name, "B")), OutputColumn("AP", ("0.5", "0.4"), True)]
    first, second = cells_of(markdown_table(columns, "Means"), "|:---|---:|")
    assert second == "| B | 0.4 |"
    cells = re.split(r"(?<!\\)(?:\\\\)*\|", first)
    assert len(cells) == 4
    assert re.sub(r"\\(.)", r"\1", first.removeprefix("| ").removesuffix(" | 0.5 |")).strip() == printable(name).strip()
    bare = re.sub(r"\\.", " ", first.removeprefix("| ").removesuffix(" | 0.5 |"))
    assert not set(bare) & set("\\|*_`<>[]~$")
    assert not re.search(r"&[#\w]", bare)
