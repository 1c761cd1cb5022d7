"""Requests: what is set by code, by the command line and by a project is the same request."""

import math
from dataclasses import fields

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shrec_viewer.cli.content_options import requested
from shrec_viewer.cli.figure import figure_command
from shrec_viewer.cli.program import program
from shrec_viewer.cli.results import table_command
from shrec_viewer.content.confusion import ConfusionRequest
from shrec_viewer.content.contents import CONTENT, FIGURES, TABLES
from shrec_viewer.content.images import ModelsRequest
from shrec_viewer.content.request import SELECTED, Request, option
from shrec_viewer.content.scores import RunsRequest

COMMANDS = {"figure": figure_command, "table": table_command}
KINDS = [(command, key) for command, rows in (("figure", FIGURES), ("table", TABLES)) for key in rows]
NAMES = ("A1", "-A", "B=1", "a b", "--run", "=", "é", "\u202e", "'\"")
KNOWN = {"measure": ("", "AP", "FT", "NDCG@10"), "curve": ("", "PR", "NDCG"), "camera": ("", "up=Z,azimuth=30")}
KNOWN["slice_measure"] = KNOWN["measure"]
"""Values of texts that must be known."""


def values_of(field):
    """Strategy for the values of an option."""
    row = field.option
    if row.choices is not None:
        one = st.sampled_from(list(row.choices))
    elif field.kind is bool:
        one = st.booleans()
    elif field.kind is int:
        one = st.integers(int(row.low or 0), int(row.high if row.high is not None else 10_000))
    elif field.kind is float:
        high = row.high if row.high is not None else 1e6
        one = st.floats(row.low if row.low is not None else -1e6, high, allow_nan=False)
    else:
        one = st.sampled_from(KNOWN.get(field.name, NAMES))
    if field.name == "measures":
        one = st.sampled_from(KNOWN["measure"][1:])
    if field.pair:
        return st.none() | st.tuples(st.floats(-10, 0), st.floats(0.5, 10))
    if field.repeated:
        return st.lists(one, max_size=3, unique=True).map(tuple)
    return st.none() | one if field.optional else one


def requests_of(kind, command):
    """Strategy for requests of a kind with any options of a command."""
    chosen = [field for field in kind.options() if field.is_of(command)]
    return st.builds(kind, **{field.name: values_of(field) for field in chosen})


def read_back(command, request):
    """The request that the command line makes of the arguments of a request."""
    kind, *words = request.arguments(command)
    # With the settings of the program: click keeps the help option of a command, whose names come from them.
    parent = click.Context(program, **program.context_settings)
    arguments = ["demo", kind, *words, "--output=a.svg"]
    context = COMMANDS[command].make_context(command, arguments, parent=parent)
    return requested(command, kind, dict(context.params))


@pytest.mark.parametrize(("command", "key"), KINDS)
@settings(max_examples=20)
@given(data=st.data())
def test_the_command_line_reads_the_arguments_of_every_request(command, key, data):
    rows = FIGURES if command == "figure" else TABLES
    request = data.draw(requests_of(rows[key].request, command))
    assert read_back(command, request) == request


@pytest.mark.parametrize("row", CONTENT, ids=lambda row: row.key)
@settings(max_examples=20)
@given(data=st.data())
def test_a_project_keeps_the_options_of_a_panel(row, data):
    request = data.draw(requests_of(row.request, "panel"))
    state = request.state()
    assert set(state) <= {field.name for field in request.options() if field.is_set_in_panel}
    restored, wrong = row.request().with_state(state)
    assert not wrong
    for field in request.options():
        expected = getattr(request, field.name) if field.is_set_in_panel else field.default
        assert getattr(restored, field.name) == expected


@pytest.mark.parametrize("row", CONTENT, ids=lambda row: row.key)
@settings(max_examples=20)
@given(value=st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.integers()))
def test_wrong_values_in_a_project_are_defaults_and_named(row, value):
    names = [field.name for field in row.request.options() if field.is_set_in_panel]
    state = {**dict.fromkeys(names, value), "unknown": value}
    restored, wrong = row.request().with_state(state)
    assert "unknown" in wrong
    current = row.request.current_state(state)  # a truth value was a choice of the difference in a former version
    for field in row.request.options():
        shown = getattr(restored, field.name)
        if field.name in wrong:
            assert shown == field.default
        elif field.is_set_in_panel:
            given = current[field.name]
            assert shown == (float(given) if isinstance(shown, float) else given) or list(shown) == given


@pytest.mark.parametrize("row", CONTENT, ids=lambda row: row.key)
def test_nan_is_no_value_of_a_number(row):
    for field in row.request.options():
        if field.kind is float:
            value = [math.nan, 1.0] if field.pair else math.nan
            with pytest.raises(ValueError, match=r"nan is not a number"):
                field.checked(value)


FORMER_BOARD = {"of": "classes", "participant": "Ada", "hidden_columns": ["AP"], "ties": True, "sorted_by": "FT",
                "descending": True}  # fmt: skip


@pytest.mark.parametrize(
    ("former", "expected"),
    [
        (FORMER_BOARD, RunsRequest(participant="Ada", hidden_columns=("AP",), ties=True,
                                   sorted_by="FT", descending=True)),
        ({"of": "query", "participant": "", "hidden_columns": []}, RunsRequest(hidden_columns=())),
        ({"kind": "1"}, ConfusionRequest()),
        ({"kind": "image"}, ConfusionRequest(shown="image")),
        ({"difference": True, "box": True}, ModelsRequest(difference="side", box=True)),
        ({"difference": False}, ModelsRequest()),
    ],
)  # fmt: skip
def test_states_of_former_versions_are_read(former, expected):
    assert type(expected)().with_state(former) == (expected, {})


@pytest.mark.parametrize("row", CONTENT, ids=lambda row: row.key)
def test_every_option_is_declared_in_full(row):
    assert {field.name for field in fields(row.request)} == {field.name for field in row.request.options()}
    assert row.request().arguments("figure") == (row.key,)
    assert hash(row.request()) == hash(row.request())
    assert row.title[:1].isupper()
    assert not row.title.endswith(".")
    assert row.chart is not None or row.table is not None
    for field in row.request.options():
        declared = field.option
        assert declared.follows in ("", *SELECTED)
        assert set(declared.of) <= {"figure", "table", "panel"}
        assert field.checked(field.default) == field.default
        if field.is_of("figure") or field.is_of("table"):
            assert declared.help.endswith("."), field.name


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_of_several_kinds_has_one_type(command):
    found = {}
    for row in (FIGURES if command == "figure" else TABLES).values():
        for field in row.request.options():
            if field.is_of(command):
                shape = field.kind, field.pair
                assert found.setdefault(field.argument(command), shape) == shape, (row.key, field.name)


def test_values_outside_of_the_limits_are_refused_with_a_sentence():
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Numbers(Request):
        """Numbers."""

        count: int = option(3, "Count", low=1, high=5)
        share: float = option(0.5, "Share")

    with pytest.raises(ValueError, match="count: 6 is not at least 1 and at most 5"):
        Numbers().with_values(count=6)
    with pytest.raises(ValueError, match=r"count: 2\.5 is not a whole number"):
        Numbers().with_values(count=2.5)
    with pytest.raises(ValueError, match="count: True is not a whole number"):
        Numbers().with_values(count=True)
    assert math.isclose(Numbers().with_values(share=1).share, 1.0)
