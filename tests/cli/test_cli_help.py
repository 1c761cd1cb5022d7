"""The command line is one language: common options, one group each, help of one screen, the nearest name in errors."""

import click
import pytest
from tiny_benchmark import write_tiny

from shrec_viewer.cli.help import GROUPS, OWN, SCREEN_LINES, group_of
from shrec_viewer.cli.options import EXTREME_TIE_ORDERS
from shrec_viewer.cli.program import COMMANDS, load_command, program, run
from shrec_viewer.content.contents import FIGURES, TABLES

READERS = [name for name in COMMANDS if any(param.name == "benchmark" for param in load_command(name).params)]
WITHOUT_WINDOW = [name for name in READERS if name != "open"]

COMMON = {"Conventions", "Input", "Reading"}
"""Groups that every command with a benchmark has in full."""


def context(command, width=100):
    return click.Context(command, info_name=f"shrec-viewer {command.name}", terminal_width=width, **SETTINGS)


SETTINGS = program.context_settings


def options_of(name):
    command = load_command(name)
    return [param for param in command.get_params(context(command)) if isinstance(param, click.Option)]


def test_every_command_with_a_benchmark_is_examined():
    assert len(READERS) == 17
    assert {"profile", "ties", "missing", "relevance", "convention", "edits", "virtual"} == set(GROUPS["Conventions"])
    assert {"classification", "queries", "assessment", "models", "runs", "add", "published"} == set(GROUPS["Input"])
    assert {"order", "list_columns", "matrix_cells", "similarity", "metric"} < set(GROUPS["Reading"])
    assert {"evaluate", "compare", "check", "convert", "thumbnails", "export", "open"} <= set(READERS)


@pytest.mark.parametrize("name", WITHOUT_WINDOW)
def test_every_command_takes_the_same_options_of_conventions_and_input(name):
    found = {option.name for option in options_of(name) if group_of(option) in COMMON}
    assert found == {word for group in COMMON for word in GROUPS[group]}
    assert any(option.name == "jobs" for option in options_of(name))


@pytest.mark.parametrize("name", WITHOUT_WINDOW)
def test_common_options_are_the_same_in_every_command(name):
    """Names, types, texts: those of `check`; only `evaluate` has further orders of ties."""
    expected = {option.name: option.to_info_dict() for option in options_of("check")}
    for option in options_of(name):
        if group_of(option) not in COMMON:
            continue
        found, wanted = option.to_info_dict(), expected[option.name]
        if (name, option.name) == ("evaluate", "ties"):
            assert found["type"]["choices"] == (*wanted["type"]["choices"], *EXTREME_TIE_ORDERS)
            continue
        assert found == wanted


@pytest.mark.parametrize("name", COMMANDS)
def test_no_option_is_declared_twice_and_each_is_in_one_group(name):
    options = options_of(name)
    words = [word for option in options for word in (*option.opts, *option.secondary_opts)]
    assert len(words) == len(set(words))
    assert len({option.name for option in options}) == len(options)
    grouped = [word for names in GROUPS.values() for word in names]
    assert len(grouped) == len(set(grouped))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_one_screen_and_names_every_option(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert run([name, "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert len(lines) <= SCREEN_LINES
    described = [line for line in lines if not line.startswith("    shrec-viewer")]  # examples keep their lines
    kinds = {*FIGURES, *TABLES}
    assert max(len(line) for line in described if line.split()[:1] and line.split()[0] not in kinds) <= 100
    if name in ("figure", "table"):
        return  # the options of each kind are those of the next test
    words = set(out.replace(",", " ").split())
    for option in options_of(name):
        if group_of(option) != "Help":
            assert set(option.opts) & words, option.name


@pytest.mark.parametrize("name", READERS)
def test_the_full_help_describes_every_option_once_below_its_group(name, capsys):
    assert run([name, "--help-all"]) == 0
    out = capsys.readouterr().out
    sections, group = {}, ""
    for line in out.splitlines():
        if line.removesuffix(":") in GROUPS:
            group = line.removesuffix(":")
        elif group and line.startswith("  -"):
            sections.setdefault(line.split()[0].rstrip(","), []).append(group)
    for option in options_of(name):
        assert sections[option.opts[0]] == [group_of(option)]


def test_the_conventions_of_scores_are_described_on_the_first_screen(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    for name in set(WITHOUT_WINDOW) - {"figure", "table"}:
        run([name, "--help"])
        assert "\n  --profile KEY  " in capsys.readouterr().out, name


@pytest.mark.parametrize(("command", "kind"), [*(("figure", k) for k in FIGURES), *(("table", k) for k in TABLES)])
def test_help_of_a_kind_describes_its_options_and_no_other_kind(command, kind, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    rows = FIGURES if command == "figure" else TABLES
    assert run([command, "demo", kind, "--help"]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= SCREEN_LINES
    fields = [field for field in rows[kind].request.options() if field.is_of(command)]
    own = out.partition(f"{OWN}:\n")[2].partition("\n\n")[0]
    of_kinds = {
        field.argument(command) for row in rows.values() for field in row.request.options() if field.is_of(command)
    }
    shown = {word.lstrip("-") for word in own.split() if word.startswith("--")} & of_kinds
    assert shown == {field.argument(command) for field in fields}


def test_a_narrow_terminal_describes_at_least_the_options_of_the_command():
    for name in COMMANDS:
        command = load_command(name)
        text = command.get_help(context(command, 60))
        own = [option for option in options_of(name) if group_of(option) == OWN]
        assert name in ("figure", "table") or all(f"  {option.opts[0]}" in text for option in own)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return str(write_tiny(tmp_path_factory.mktemp("benchmark") / "tiny"))


MISTAKES = [
    (["evalute", "demo"], "'evaluate'"),
    (["evaluate", "TINY", "--mesure", "AP"], "'--measure'"),
    (["evaluate", "TINY", "--measure", "NDCGG"], "'NDCG'"),
    (["evaluate", "TINY", "--profile", "shrec2066"], "'shrec2006'"),
    (["evaluate", "TINY", "--run", "goood"], "'good'"),
    (["evaluate", "TINY", "--ties", "pesimistic"], "'pessimistic'"),
    (["evaluate", "TINY", "--convention", "self_mach=keep"], "'self_match'"),
    (["evaluate", "TINY", "--virtual", "rff(good,poor)"], "'rrf'"),
    (["evaluate", "TINY", "--virtual", "rrf(good,por)"], "'poor'"),
    (["evaluate", "TINY", "--format", "jsn"], "'json'"),
    (["evaluate", "TINY", "--metric", "cosin"], "'cosine'"),
    (["compare", "TINY", "good", "por"], "'poor'"),
    (["compare", "TINY", "--baseline", "goo"], "'good'"),
    (["figure", "TINY", "heatmap", "--output", "x.svg"], "'heat_map'"),
    (["figure", "TINY", "gain", "--curve", "NDGC", "--output", "x.svg"], "'NDCG'"),
    (["figure", "TINY", "gain", "--query", "b11", "--output", "x.svg"], "'b1'"),
    (["table", "TINY", "rnus"], "'runs'"),
    (["table", "TINY", "runs", "--query", "b11"], "'b1'"),
    (["convert", "TINY", "--run", "good", "--to", "trc", "--output", "x"], "'trec'"),
    (["history", "TINY", "goo"], "'good'"),
    (["measures", "NDCGG"], "'NDCG'"),
    (["profiles", "shrec2066"], "'shrec2006'"),
    (["TINY", "--profile", "shrec2066"], "'shrec2006'"),
    (["TINY", "--convention", "tis=trec"], "'ties'"),
    (["TINY", "--rns", "x"], "'--runs'"),
    (["table", "TINY", "ranked_list", "--run", "good", "--query", "b11"], "'b1'"),
    (["table", "TINY", "model", "--model", "b11"], "'b1'"),
    (["report", "TINY", "--participant", "Adda", "--output", "x"], "'Ada'"),
    (["thumbnails", "TINY", "--query", "b11", "--sheet", "x.png"], "'b1'"),
    (["evaluate", "TINY", "good"], "do you mean --run good or --measure good"),
    (["check", "TINY", "TINY"], "do you mean --add "),
]
"""Misspelled calls, and the name in the message."""


@pytest.mark.parametrize(("call", "name"), MISTAKES, ids=[" ".join(call) for call, _ in MISTAKES])
def test_a_misspelled_word_names_the_nearest(call, name, tiny, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    status = run([tiny if word == "TINY" else word for word in call])
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert name in err, err
    assert "ean" in err, err  # do you mean, Did you mean
