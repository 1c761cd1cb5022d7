"""Commands, formats and exit statuses."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest
from processes import started
from tiny_benchmark import BIRD_AP, CAT_AP, LISTS, write_tiny

from shrec_viewer import __version__
from shrec_viewer.cli import main
from shrec_viewer.cli.program import COMMANDS, load_command
from shrec_viewer.cli.program import run as run_program
from shrec_viewer.metrics import CURVES, MEASURES, PROFILES, find_measure, find_profile
from shrec_viewer.report.tables.text import OutputColumn, latex_table
from shrec_viewer.resources import resource

SHREC06 = Path(__file__).parents[2] / "../shared/data/shrec06"


@pytest.fixture
def tiny(tmp_path):
    return write_tiny(tmp_path / "tiny")


@pytest.fixture
def call(capsys):
    """Call the program; its status, standard output and standard error."""

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def process(*arguments, **options):
    command = [sys.executable, "-m", "shrec_viewer", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **options)


# ------------------------------------------------------------------ evaluate: the formats


def test_json_has_the_keys_of_the_contract_in_their_order(call, tiny):
    status, out, err = call("evaluate", tiny, "--format", "json")
    document = json.loads(out)
    assert (status, err) == (0, "shrec-viewer: profile used: Viewer default (default)\n")
    assert list(document) == ["schema", "version", "benchmark", "profile", "measures", "runs", "findings"]
    assert document["schema"] == "shrec-viewer/scores/1"
    assert (document["version"], document["benchmark"], document["profile"]) == (__version__, "Tiny", "default")
    assert {tuple(measure) for measure in document["measures"]} == {("key", "label", "better", "range", "source")}
    assert [tuple(run) for run in document["runs"]] == [
        ("name", "participant", "mean", "class_mean", "missing_queries")
    ] * 2
    assert {tuple(finding) for finding in document["findings"]} <= {("severity", "file", "line", "message", "action")}


def test_json_values_equal_those_computed_by_hand(call, tiny):
    _, out, _ = call("evaluate", tiny, "--measure", "AP", "--measure", "NN", "--format", "json", "--per-query")
    good, poor = json.loads(out)["runs"]
    assert (good["name"], good["participant"]) == ("good", "Ada")
    assert good["mean"] == {"AP": 1.0, "NN": 1.0}
    assert poor["mean"] == {"AP": pytest.approx((3 * BIRD_AP + 2 * CAT_AP) / 5, abs=1e-15), "NN": 0.0}
    assert poor["class_mean"]["AP"] == pytest.approx((BIRD_AP + CAT_AP) / 2, abs=1e-15)
    assert list(poor["queries"]) == list(LISTS["poor"])
    assert poor["queries"]["b1"] == {"AP": pytest.approx(BIRD_AP, abs=1e-15), "NN": 0.0}


@pytest.mark.parametrize("average", ["recall", "generality", "rank", "class"])
def test_curves_are_averaged_as_named(call, tiny, average):
    from shrec_viewer.metrics import find_curve

    _, out, _ = call("evaluate", tiny, "--format", "json", "--curves", "--average", average)
    for run in json.loads(out)["runs"]:
        for key, curve in run["curves"].items():
            offered = [way.way for way in find_curve(key).ways]
            expected = average if average == "class" or average in offered else offered[0]
            assert curve["average"] == expected
            assert set(curve) - {"x", "y", "average", "lower", "upper", "relevant_scope", "generality"} == set()
            if key == "PR":
                assert ("relevant_scope" in curve) == ("generality" in curve) == (average == "generality")


def test_json_has_curves_on_request(call, tiny):
    _, out, _ = call("evaluate", tiny, "--format", "json", "--curves")
    for run in json.loads(out)["runs"]:
        assert run["curves"], "the profile names curves"
        for key, curve in run["curves"].items():
            assert list(curve)[:3] == ["x", "y", "average"]
            assert len(curve["x"]) == len(curve["y"])
            assert curve["x"] or key.startswith("GR"), "a class of a tenth of the collection has no scope of 16 classes"


def test_csv_has_a_row_per_run_in_full_precision(call, tiny):
    _, out, _ = call("evaluate", tiny, "--measure", "AP", "--format", "csv")
    rows = list(csv.DictReader(StringIO(out)))
    means = {row["run"]: float(row["AP"]) for row in rows if row["query"] == "mean"}
    assert means == {"good": 1.0, "poor": (3 * BIRD_AP + 2 * CAT_AP) / 5}
    assert "\r" not in out


def test_csv_per_query_has_a_row_for_each_query(call, tiny):
    _, out, _ = call("evaluate", tiny, "--measure", "AP", "--format", "csv", "--per-query", "--run", "poor")
    rows = {row["query"]: float(row["AP"]) for row in csv.DictReader(StringIO(out))}
    assert list(rows)[:5] == list(LISTS["poor"])
    assert rows["c2"] == CAT_AP


def test_a_piped_table_is_plain_text_in_one_piece(call, tiny):
    _, out, _ = call("evaluate", tiny, "--profile", "shrec2012")
    lines = out.splitlines()
    assert lines[0].split() == ["run", "participant", "NN", "FT", "ST", "E@32", "NDCG", "AP"]
    assert [line.split()[:3] for line in lines[1:]] == [["good", "Ada", "1.000"], ["poor", "Ben", "0.000"]]
    assert "\x1b" not in out
    assert out.isascii()


def test_runs_and_measures_keep_the_order_of_the_call(call, tiny):
    _, out, _ = call("evaluate", tiny, "--run", "poor", "--measure", "ST", "--measure", "P@2", "--measure", "FT")
    assert out.splitlines()[0].split() == ["run", "participant", "query", "ST", "P@2", "FT"]
    assert out.splitlines()[1].startswith("poor ")
    assert "good" not in out


# ------------------------------------------------------------------- evaluate: the output


@pytest.mark.parametrize(("suffix", "start"), [(".json", "{"), (".csv", "run,participant,query,"), (".txt", "run")])
def test_suffix_of_the_output_selects_the_format(call, tiny, tmp_path, suffix, start):
    path = tmp_path / f"scores{suffix}"
    status, out, _ = call("evaluate", tiny, "--output", path)
    assert (status, out) == (0, "")
    assert path.read_text(encoding="utf-8").startswith(start)
    assert [other.name for other in tmp_path.iterdir() if other.name.startswith(".")] == []


@pytest.mark.parametrize("command", [("evaluate",), ("table", "runs")])
def test_a_suffix_of_a_spreadsheet_is_refused_unless_a_format_is_given(call, tiny, tmp_path, command):
    path = tmp_path / "scores.xlsx"
    arguments = (command[0], tiny, *command[1:], "--output", path)
    status, _, err = call(*arguments)
    assert (status, path.exists()) == (2, False)
    assert "no .xlsx can be written: use a name that ends in .csv" in err
    assert call(*arguments, "--format", "csv")[0] == 0
    assert path.exists()


def test_a_dash_is_standard_output(call, tiny):
    assert call("evaluate", tiny, "--output", "-", "--format", "json")[1].startswith("{")


@pytest.mark.parametrize("end", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_output_is_written_completely_or_not_at_all(call, tiny, tmp_path, monkeypatch, end):
    path = tmp_path / "scores.csv"
    path.write_text("what was there before", encoding="utf-8")

    def fail(*_):
        raise end

    monkeypatch.setattr(os, "replace", fail)
    status, _, err = call("evaluate", tiny, "--output", path)
    assert status == (130 if end is KeyboardInterrupt else 1)
    assert ("No space left on device" in err) == (end is not KeyboardInterrupt)
    assert path.read_text(encoding="utf-8") == "what was there before"
    assert sorted(other.name for other in tmp_path.iterdir()) == ["scores.csv", "tiny"]


def test_missing_output_folder_gives_a_message(call, tiny, tmp_path):
    status, _, err = call("evaluate", tiny, "--output", tmp_path / "nowhere/scores.csv")
    assert status == 2
    assert "nowhere/scores.csv" in err
    assert "No such file or directory" in err


def test_output_to_a_device_writes_into_it(tiny):
    answer = process("evaluate", tiny, "--format", "json", "--output", "/dev/stdout")
    assert answer.returncode == 0
    assert json.loads(answer.stdout)["benchmark"] == "Tiny"


# -------------------------------------------------------------------------- on a terminal


def on_a_terminal(width, *arguments):
    """Exit status and output on a terminal of a given width."""
    pty = pytest.importorskip("pty", reason="pseudo-terminals are a thing of Unix")
    try:
        ours, theirs = pty.openpty()
    except OSError as problem:
        pytest.skip(f"no pseudo-terminal can be had here: {problem}")
    environment = {**os.environ, "COLUMNS": str(width), "LINES": "50", "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "shrec_viewer", *map(str, arguments)]
    with started(command, stdout=theirs, stderr=theirs, env=environment) as child:
        os.close(theirs)
        shown = bytearray()
        try:
            while block := os.read(ours, 65536):
                shown += block
        except OSError:  # Linux says so when the other end is closed
            pass
    os.close(ours)
    return child.returncode, shown.decode()


def _visible(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "\n")


@pytest.mark.parametrize("width", [60, 80, 160])
def test_terminal_tables_fit_without_truncating_numbers(tiny, width):
    status, shown = on_a_terminal(width, "evaluate", tiny, "--profile", "shrec2006")
    text = _visible(shown)
    table = [measure for measure in find_profile("shrec2006").measures if "rel=2" not in measure]
    assert status == 0
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    assert "Tiny: 2 runs, 5 queries, 5 models; profile SHREC 2006 (shrec2006)" in " ".join(text.split())
    heads = re.findall(r"^run +(?:participant +)?(.*)$", text, flags=re.MULTILINE)
    shown = " ".join(heads).translate({ord(arrow): None for arrow in "↑↓"}).split()
    assert shown == table[: len(shown)]
    more = len(table) - len(shown)
    assert (len(heads), more > 0) == ((2, True) if width < 160 else (2, False))
    note = f"{more} measures left out: --measure all or --format csv for all, --measure KEY for one"
    assert (note in " ".join(text.split())) == (more > 0)


def test_terminal_shows_all_requested_measures(tiny):
    keys = [f"P@{place}" for place in range(1, 41)]
    _, shown = on_a_terminal(60, "evaluate", tiny, *(word for key in keys for word in ("--measure", key)))
    text = _visible(shown)
    assert all(f"{key}↑" in text for key in keys)
    assert "left out" not in text


@pytest.mark.parametrize("width", [100, 140])
def test_table_in_a_pipe_has_the_width_of_the_terminal_that_shows_it(width):
    """Standard output is a pipe to a pager; the terminal is that of standard error."""
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
    try:
        ours, theirs = pty.openpty()
    except OSError as problem:
        pytest.skip(f"no pseudo-terminal: {problem}")
    termios.tcsetwinsize(theirs, (50, width))
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    command = [sys.executable, "-m", "shrec_viewer", "evaluate", "demo", "--profile", "shrec2006"]
    answer = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    os.close(ours)
    longest = max(map(len, answer.stdout.decode().splitlines()))
    assert width - 12 < longest <= width  # 12: the widest column of a measure


def test_measures_left_out_of_a_table_in_a_pipe_are_counted(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    _, out, err = call("evaluate", "demo", "--profile", "shrec2006")
    _, every, quiet = call("evaluate", "demo", "--profile", "shrec2006", "--format", "csv")
    (count,) = re.findall(r"(\d+) measures left out: --measure all or --format csv for all, --measure KEY for one", err)
    names = [key for key in next(csv.reader(StringIO(every)))[5:] if key not in out.split()]
    assert len(names) == int(count) > 0
    assert "left out" not in quiet


@pytest.mark.parametrize("profile", [profile.key for profile in PROFILES])
def test_any_measure_is_computed_under_every_profile(call, tiny, profile):
    keys = ["NN", "E@16", "NDCG@5", "F(beta=0.5)@20"]
    options = [word for key in ("NN", "E@16", "nDCG @5", "F(beta=.5)@20") for word in ("--measure", key)]
    _, out, _ = call("evaluate", tiny, "--profile", profile, *options, "--format", "csv")
    header, *rows = csv.reader(StringIO(out))
    assert header[-4:] == keys
    assert all(row[-4] in ("1.0", "0.0") for row in rows)
    assert call("compare", tiny, "good", "poor", "--profile", profile, "--measure", "E@16")[0] == 0
    status, _, err = call("evaluate", tiny, "--profile", profile, "--measure", "NDGC@5")
    assert status == 2
    assert "do you mean 'NDCG'?" in err


def test_terminal_marks_the_best_values_and_their_direction(tiny):
    _, shown = on_a_terminal(100, "evaluate", tiny, "--measure", "AP", "--measure", "FP")
    assert "AP↑" in _visible(shown)
    assert "FP↓" in _visible(shown)
    rows = [line for line in shown.splitlines() if "━" not in line]  # a slow machine shows a bar that names runs
    good, poor = (next(line for line in rows if name in line) for name in ("good", "poor"))
    assert "\x1b[1;32m1.000" in good
    assert "\x1b[1;32m0.350" not in poor


# ---------------------------------------------------------- what is not in the numbers


@pytest.fixture
def gappy(tiny):
    (tiny / "runs/poor/c2").unlink()
    return tiny


def test_csv_has_profile_and_status_of_queries(call, gappy):
    _, out, _ = call("evaluate", gappy, "--measure", "AP", "--format", "csv", "--per-query", "--run", "poor")
    *queries, mean, class_mean = csv.DictReader(StringIO(out))
    assert {row["profile"] for row in (*queries, mean, class_mean)} == {"default"}
    assert [row["status"] for row in queries] == ["answered"] * 4 + ["missing_as_empty"]
    assert (mean["query"], class_mean["query"]) == ("mean", "class_mean")
    assert float(mean["AP"]) == pytest.approx(sum(float(row["AP"] or 0) for row in queries) / 5)


def test_piped_table_has_equal_numbers_of_words_per_line(call, gappy):
    _, out, _ = call("evaluate", gappy, "--per-query", "--measure", "AP", "--measure", "FT")
    assert {len(line.split()) for line in out.splitlines()} == {6}
    assert "class_mean" in out
    assert "missing_as_empty" in out


@pytest.mark.parametrize(("profile", "does"), [("shrec2006", "score 0"), ("trec", "are excluded from the means")])
@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_profile_and_missing_lists_are_one_line_on_standard_error(call, gappy, profile, does, form):
    _, _, err = call("evaluate", gappy, "--profile", profile, "--format", form)
    title = find_profile(profile).title
    assert f"profile used: {title} ({profile}); queries without a list (1) {does}\n" in err
    assert "runs/poor: warning: 1 query has no list: c2\n" in err
    assert "the profile decides" not in err


def test_unstated_profile_is_suggested_and_not_applied(call, tiny, tmp_path):
    folder = tmp_path / "like2006"
    shutil.copytree(resource("demo"), folder)
    manifest = folder / "benchmark.toml"
    stated = manifest.read_text(encoding="utf-8")
    manifest.write_text(re.sub(r"^profile = .*\n", "", stated, flags=re.MULTILINE), encoding="utf-8")
    sentence = "no profile given; this looks like SHREC 2006: --profile shrec2006\n"
    status, out, err = call("evaluate", folder, "--format", "json")
    assert json.loads(out)["profile"] == "default"
    assert (status, sentence in err) == (0, True)
    assert "no profile given" not in call("evaluate", folder, "--profile", "default")[2]
    assert "no profile given" not in call("evaluate", "demo")[2]
    assert "no profile given" not in call("evaluate", tiny)[2]


def test_terminal_shows_textbook_means_of_official_bugs(tiny):
    _, shown = on_a_terminal(100, "evaluate", tiny, "--profile", "shrec2021")
    heads = [line.strip() for line in _visible(shown).splitlines() if line.startswith("Means over ")]
    mended = ", without known bugs of the official evaluator"
    over = ("Means over queries", "Means over classes")
    assert heads == [*over, *(f"{head}{mended}" for head in over)]


def test_terminal_states_the_profile_once(gappy):
    _, shown = on_a_terminal(100, "evaluate", gappy, "--run", "poor")
    text = _visible(shown)
    assert text.count("(default)") == 1
    assert "Tiny: 1 run, 5 queries, 5 models; profile " in text
    assert text.count("Queries without a list (1) score 0.") == 1
    assert text.lower().count("queries without a list") == 1


def test_absent_level_gives_a_message(call, tiny):
    _, _, err = call("evaluate", tiny, "--measure", "AP(rel=9)", "--measure", "AP", "--measure", "P(rel=2)@5")
    assert "no relevant models for AP(rel=9), P(rel=2)@5: the assessments have level 1 only\n" in err
    _, _, err = call("evaluate", "demo", "--measure", "AP(rel=9)")
    assert "no relevant models for AP(rel=9): the assessments have levels 1, 2\n" in err
    assert "no relevant models" not in call("evaluate", "demo", "--measure", "AP(rel=2)")[2]


# ------------------------------------------------------------------------- wrong calls: 2


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        (["--measure", "xyzzy"], "`shrec-viewer measures` lists all keys"),
        (["--measure", "NN@5"], "`shrec-viewer measures` lists all keys"),
        (["--profile", "xyzzy"], "`shrec-viewer profiles` lists all keys"),
        (["--run", "xyzzy"], "the runs are good, poor"),
        (["--xyzzy"], "`shrec-viewer evaluate --help` lists the options"),
    ],
)
def test_unknown_name_refers_to_the_list_of_names(call, tiny, arguments, pointer):
    status, _, err = call("evaluate", tiny, *arguments)
    assert (status, err.splitlines()[-1]) == (2, f"shrec-viewer: {pointer}")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["evaluate"], "Missing argument 'BENCHMARK'"),
        (["evaluate", "TINY", "--profile", "shrec206"], "there is no profile 'shrec206'; do you mean 'shrec2006'?"),
        (["evaluate", "TINY", "--measure", "nDGC@5"], "there is no measure 'nDGC@5'; do you mean 'NDCG'?"),
        (["evaluate", "TINY", "--measure", "NN@5"], "NN takes no cutoff"),
        (["evaluate", "TINY", "--run", "godo"], "there is no run 'godo'; do you mean 'good'?"),
        (["evaluate", "TINY", "--curves"], "--curves requires --format json"),
        (["evaluate", "TINY", "--format", "json", "--average", "rank"], "it requires --curves"),
        (["evaluate", "TINY", "--curvs"], "No such option '--curvs'"),
        (["evaluate", "TINY", "--format", "xml"], "'xml' is not one of 'table', 'csv', 'json'"),
        (["evaluate", "TINYY"], "there is no file or folder 'TINYY'; do you mean 'tiny'?"),
        (["evaluate", "TINY", "--assessment", "nothing.txt"], "'nothing.txt' does not exist"),
        (["compare", "TINY", "good"], "Missing argument 'RUN_B'"),
        (["compare", "TINY", "good", "pour"], "there is no run 'pour'; do you mean 'poor'?"),
        (["compare", "TINY", "good", "poor", "--measure", "nDGC"], "there is no measure 'nDGC'"),
        (["check", "TINYY"], "there is no file or folder 'TINYY'"),
        (["evalute", "TINY"], "there is no command and no file or folder 'evalute'; do you mean 'evaluate'?"),
        (["no such folder"], "there is no command and no file or folder 'no such folder'"),
        (["--selftst"], "No such option '--selftst'. Did you mean '--selftest'?"),
        (["measures", "--format", "xml"], "'xml' is not one of 'table', 'csv', 'json'"),
        (["measures", "AP", "MAP5"], "there is no measure 'MAP5'"),
        (["profiles", "shrec206"], "there is no profile 'shrec206'; do you mean 'shrec2006'?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_usage_error_gives_one_message_and_status_2(call, tiny, arguments, sentence, monkeypatch):
    monkeypatch.chdir(tiny.parent)
    status, out, err = call(*(argument.replace("TINYY", "tinyy").replace("TINY", "tiny") for argument in arguments))
    assert (status, out) == (2, "")
    assert sentence.replace("TINYY", "tinyy") in err
    assert "Traceback" not in err


# --------------------------------------------------------------- data with errors: 1 or 2


def _empty(folder):
    return folder


def _unreadable(folder):
    path = folder / "broken.toml"
    path.write_bytes(b"\xff\xfe\x00[benchmark\n\x00")
    return path


def _not_a_zip(folder):
    path = folder / "broken.zip"
    path.write_bytes(b"PK\x03\x04 cut off")
    return path


def _only_meshes(folder):
    for name in ("a", "b"):
        (folder / f"{name}.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", encoding="utf-8")
    return folder


def _lying_cla(folder):
    write_tiny(folder)
    text = (folder / "tiny.cla").read_text(encoding="utf-8")
    (folder / "tiny.cla").write_text(text.replace("bird 0 3", "bird 0 4"), encoding="utf-8")
    return folder


def _wrong_shape(folder):
    write_tiny(folder)
    (folder / "runs/square.txt").write_text("0 1 2\n1 0 2\n2 1 0\n", encoding="utf-8")
    manifest = folder / "benchmark.toml"
    manifest.write_text(
        manifest.read_text(encoding="utf-8")
        + '\n[[runs]]\nname = "square"\npath = "runs/square.txt"\norder = "classification"\n',
        encoding="utf-8",
    )
    return folder


@pytest.mark.parametrize("command", ["evaluate", "check"])
@pytest.mark.parametrize(
    "make", [_empty, _unreadable, _not_a_zip, _only_meshes, _lying_cla, _wrong_shape], ids=lambda make: make.__name__
)
def test_bad_data_give_messages_with_location_and_no_traceback(call, tmp_path, command, make):
    folder = tmp_path / "data"
    folder.mkdir()
    path = make(folder)
    status, out, err = call(command, path)
    grave = make in (_lying_cla, _wrong_shape) or command == "evaluate"
    assert status in ((1, 2) if grave else (0, 1))
    assert out or err
    assert "Traceback" not in err
    assert "unexpected error" not in err


def test_wrong_count_in_cla_is_reported_with_its_line(call, tmp_path):
    folder = _lying_cla(tmp_path)
    status, out, _ = call("check", folder)
    assert status == 1
    assert "tiny.cla:4" in out


def test_a_matrix_of_the_wrong_shape_is_named_and_the_other_runs_are_evaluated(call, tmp_path):
    folder = _wrong_shape(tmp_path)
    status, out, err = call("evaluate", folder, "--measure", "AP", "--format", "csv")
    assert status == 1
    assert "runs/square.txt" in err
    assert {row["run"] for row in csv.DictReader(StringIO(out))} == {"good", "poor"}


def test_unknown_profile_of_a_folder_is_a_finding(call, tiny):
    manifest = tiny / "benchmark.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace('"Tiny"', '"Tiny"\nprofile = "shrec206"'))
    _, out, err = call("evaluate", tiny, "--format", "json")
    assert json.loads(out)["profile"] == "default"
    assert "shrec2006" in err
    assert "benchmark.toml:3" in err


def test_nothing_to_evaluate_gives_a_message(call, tiny):
    manifest = tiny / "benchmark.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").split("[[runs]]")[0], encoding="utf-8")
    for run in tiny.glob("runs/*/*"):
        run.unlink()
    status, out, err = call("evaluate", tiny, "--format", "json")
    assert (status, out) == (1, "")
    assert "'Tiny' has no runs to evaluate" in err


@pytest.mark.parametrize("command", [("evaluate",), ("compare",), ("diagnose",), ("table", "runs")])
def test_a_run_alone_names_the_options_for_the_files_of_the_organisers(call, tmp_path, command):
    run = tmp_path / "mine.run"
    run.write_text(
        "".join(f"Q{query} Q0 M{model} {model} {9 - model} me\n" for query in (1, 2) for model in range(1, 6))
    )
    status, out, err = call(command[0], run, *command[1:])
    assert (status, out) == (1, "")
    assert "--classification (and --queries) or --assessment" in err.splitlines()[-1]


def test_unexpected_error_gives_a_message_and_a_log(call, tiny, monkeypatch):
    import shrec_viewer.evaluation.evaluate as floor

    def stumble(*_, **__):
        raise ZeroDivisionError("by accident")

    monkeypatch.setattr(floor, "evaluate", stumble)
    status, out, err = call("evaluate", tiny)
    assert (status, out) == (1, "")
    assert "unexpected error: ZeroDivisionError: by accident" in err
    assert "Traceback" not in err
    log = Path(err.split("the details are in ")[1].strip())
    assert "ZeroDivisionError: by accident" in log.read_text(encoding="utf-8")
    assert "Traceback" in call("evaluate", tiny, "--debug")[2]


# -------------------------------------------------------------------------------- endings


def test_ctrl_c_ends_with_130_and_no_message(tiny, tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("a pipe with a name, to keep the program waiting, is a thing of Unix")
    pipe = tmp_path / "nobody-reads.json"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "shrec_viewer", "evaluate", str(tiny), "--output", str(pipe)]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        _wait_until_it_opens(pipe, child)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=600)
    assert child.returncode == 130
    assert (out, err.strip()) == ("", "")


def _wait_until_it_opens(pipe, child):
    """Until a process is blocked in the opening of a pipe that has no reader.

    CPython ignores an interrupt in callbacks, such as those of the garbage collector and of weak references, which run
    while modules are imported; the process would then never end.
    """
    status = Path(f"/proc/{child.pid}/stat")
    if not status.exists():
        pytest.skip("needs /proc to see whether a process is blocked")
    idle, before = 0, ""
    while idle < 25 and child.poll() is None:
        fields = status.read_text().rpartition(")")[2].split()
        now = (fields[0], *fields[11:13])  # its state and its processor time
        idle = idle + 1 if now == before and fields[0] == "S" and int(fields[11]) > 10 else 0
        before = now
        time.sleep(0.04)


@pytest.mark.parametrize("arguments", [["measures"], ["profiles", "--format", "json"], ["evaluate", "TINY"]])
def test_closed_pipe_is_no_error(tiny, arguments):
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        command = [sys.executable, "-m", "shrec_viewer", *(word.replace("TINY", str(tiny)) for word in arguments)]
        answer = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, text=True, timeout=600)
    finally:
        os.close(theirs)
    assert answer.returncode == 0
    assert "Broken pipe" not in answer.stderr
    assert "Exception" not in answer.stderr
    assert "Traceback" not in answer.stderr


def test_no_command_but_those_of_the_window_imports_qt(tiny):
    """In one process, which names the commands after which Qt is imported, or masked arrays, which `np.unique` uses."""
    calls = [
        ["--version"],
        ["--help"],
        ["demo", "--help"],
        ["evaluate", str(tiny)],
        ["evaluate", str(tiny), "--format", "json", "--curves"],
        ["check", str(tiny)],
        ["compare", str(tiny), "good", "poor"],
        ["measures"],
        ["profiles"],
    ]
    script = (
        "import sys\nfrom shrec_viewer.cli import main\n"
        f"for words in {calls!r}:\n"
        "    status = main(words)\n"
        "    slow = {'PySide6', 'pyqtgraph', 'shiboken6', *['numpy.ma'] * (words[0] in ('evaluate', 'check'))}\n"
        "    print('RESULT', status, sorted(slow & sys.modules.keys()), words[0], file=sys.stderr)\n"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
    assert answer.returncode == 0, answer.stderr
    results = [line for line in answer.stderr.splitlines() if line.startswith("RESULT")]
    assert results == [f"RESULT 0 [] {words[0]}" for words in calls]


# ---------------------------------------------------------------------------------- check


def test_check_lists_findings_as_lines_and_as_json(call, tiny):
    (tiny / "runs/good/b1").unlink()
    status, out, err = call("check", tiny)
    _, document, _ = call("check", tiny, "--format", "json")
    findings = json.loads(document)["findings"]
    assert list(json.loads(document)) == ["schema", "version", "benchmark", "counts", "findings"]
    counts = json.loads(document)["counts"]
    assert list(counts) == ["error", "warning", "info"]
    assert all(count == sum(finding["severity"] == key for finding in findings) for key, count in counts.items())
    assert len(out.splitlines()) == len(findings) > 0
    assert all(finding["message"] and finding["file"] for finding in findings)
    assert any("b1" in finding["message"] for finding in findings)
    assert status == int(any(finding["severity"] == "error" for finding in findings))
    assert "5 models, 5 queries, 2 runs" in err


def test_check_uses_the_names_of_the_files(call, tiny, tmp_path, monkeypatch):
    (tiny / "notes.txt").write_text("nothing of interest\n", encoding="utf-8")
    monkeypatch.chdir(tiny)
    _, out, err = call("check", ".")
    assert "tiny: note: " in out
    assert not any(line.startswith(".:") or ": info: " in line for line in out.splitlines())
    assert re.search(r"\d notes?\n$", err)
    empty = tmp_path / "nothing"
    empty.mkdir()
    monkeypatch.chdir(empty)
    for word in (".", empty):
        status, out, err = call("check", word)
        assert (status, err) == (1, "shrec-viewer: nothing: 1 error\n")
        assert out.startswith("nothing: error: the folder is empty: a benchmark has ")
    assert call("evaluate", empty)[2].startswith(f"shrec-viewer: {empty} is empty: a benchmark has ")


def test_check_as_csv_has_the_records_of_the_json(call, tiny):
    (tiny / "runs/good/b1").unlink()
    _, out, _ = call("check", tiny, "--format", "csv")
    rows = list(csv.DictReader(StringIO(out)))
    records = json.loads(call("check", tiny, "--format", "json")[1])["findings"]
    assert len(rows) == len(records) > 1
    plain = [{key: "" if value is None else str(value) for key, value in record.items()} for record in records]
    assert sorted(rows, key=str) == sorted(({key: record[key] for key in rows[0]} for record in plain), key=str)
    assert rows[0]["severity"] == "warning", "the gravest first"


def test_check_shows_the_same_on_a_terminal_and_in_a_pipe(tiny):
    (tiny / "runs/good/b1").unlink()
    _, shown = on_a_terminal(80, "check", tiny)
    findings = json.loads(process("check", tiny, "--format", "json").stdout)["findings"]
    words = "".join(_visible(shown).split())
    assert all("".join(finding["message"].split()) in words for finding in findings)


# -------------------------------------------------------------------------------- compare


def test_compare_states_difference_interval_and_queries(call, tiny):
    status, out, err = call("compare", tiny, "poor", "good", "--measure", "AP")
    mean = (3 * BIRD_AP + 2 * CAT_AP) / 5
    paragraph, _, tables = out.partition("\n\n")
    summary, lines = paragraph.replace("\n", " "), tables.splitlines()
    assert (status, err) == (0, "shrec-viewer: profile used: Viewer default (default)\n")
    assert summary.startswith(
        f"good scores {1 - mean:.3f} more than poor in Average precision (95 % confidence interval of "
    )
    assert "p = 0.062, paired randomisation test of this pair alone over 5 queries" in summary, (
        "2 of 2^5 patterns of signs"
    )
    table = [line.split() for line in lines[:4]]
    assert [row[:2] for row in table] == [
        ["run", "AP"],
        ["poor", f"{mean:.3f}"],
        ["good", "1.000"],
        ["good-poor", f"{1 - mean:+.3f}"],
    ]
    assert "good is better on 5, equal on 0 and worse on 0 queries." in lines
    assert [line.split()[0] for line in lines[lines.index("Largest gains of good:") + 2 :]] == [
        "c1",
        "c2",
        "b1",
        "b2",
        "b3",
    ]
    assert "losses" not in out


def test_compare_json_equals_the_comparison_document(call, tiny, tmp_path):
    _, out, _ = call("compare", tiny, "good", "poor", "--format", "json")
    document = json.loads(out)
    assert document["schema"] == "shrec-viewer/comparison/1"
    assert (document["a"]["run"], document["b"]["run"], document["better"]) == ("good", "poor", "good")
    assert document["measure"]["key"] == PROFILES[0].headline
    assert [change["query"] for change in document["losses"]] == ["c1", "c2", "b1", "b2", "b3"]
    assert call("compare", tiny, "good", "poor", "--format", "json", "--output", tmp_path / "c.json")[1] == ""
    assert (tmp_path / "c.json").read_text(encoding="utf-8") == out


def test_compare_takes_a_profile_and_a_key_that_is_not_canonical(call, tiny):
    document = json.loads(
        call("compare", tiny, "good", "poor", "--measure", "E", "--profile", "psb", "--format", "json")[1]
    )
    assert (document["profile"], document["measure"]["key"]) == ("psb", "E@32")


def test_compare_without_common_queries_gives_a_message(call, tiny):
    status, out, err = call("compare", tiny, "good", "poor", "--measure", "AP(rel=9)")
    assert status == 0
    assert "have no common query with a defined Average precision (level 9 and up)" in out.replace("\n", " ")
    assert "no relevant models for AP(rel=9)" in err
    assert "nan" not in out


# ------------------------------------------------------------------ measures and profiles


def test_measures_lists_every_row_of_the_tables_with_its_source(call):
    status, out, err = call("measures")
    assert (status, err) == (0, "")
    words = "".join(out.split())
    for row in (*MEASURES, *CURVES):
        assert "".join(row.definition.split()) in words
        assert "".join(row.source.split()) in words
    document = json.loads(call("measures", "--format", "json")[1])
    assert [row["key"] for row in document["measures"]] == [row.name for row in MEASURES]
    assert [row["key"] for row in document["curves"]] == [row.key for row in CURVES]
    averages = {row["key"]: row["averages"] for row in document["curves"]}
    assert averages["PR"] == ["recall", "generality", "rank"]
    assert averages["NDCG"] == ["rank"]


def test_profiles_lists_every_row_of_the_table_with_its_source(call):
    status, out, err = call("profiles")
    assert (status, err) == (0, "")
    words = "".join(out.split())
    assert all("".join((row.title + row.description).split()) in words for row in PROFILES)
    assert all("".join(row.source.split()) in words for row in PROFILES)
    document = json.loads(call("profiles", "--format", "json")[1])
    assert [row["key"] for row in document["profiles"]] == [row.key for row in PROFILES]
    assert document["profiles"][1]["conventions"]["tiers"] == "shrec2006"


def test_one_measure_is_shown_with_its_level_and_cut_off(call):
    document = json.loads(call("measures", "AP(rel=2)@10", "PR20", "NDCG", "--format", "json")[1])
    named = [(row["key"], row["label"]) for row in document["measures"]]
    assert named == [(found.key, found.label) for found in map(find_measure, ("AP(rel=2)@10", "NDCG"))]
    assert {row["key"] for row in document["curves"]} == {"PR20", "NDCG"}, "NDCG is both"
    out = call("measures", "GR3")[1]
    assert out.startswith("Measures\nGR3  Recall at relevant scope 3 (")
    assert "Curves" not in out


def test_measures_under_a_profile(call):
    out = " ".join(call("measures", "--profile", "shrec2006")[1].split())
    assert out.startswith("Measures under the conventions of SHREC 2006 NN ")
    assert "FT = V(d) / d, d = min(Va, C) " in out
    assert "AP = (1/V) sum_k k / p_k; 0 where V = 0 " in out
    document = json.loads(call("measures", "FT", "NDCG@5", "--profile", "shrec2021", "--format", "json")[1])
    first, gain = document["measures"]
    assert first["range"] == [0, 2]
    assert gain["formula"].startswith("NDCG@5 = DCG@5 / IDCG@5; DCG = sum_i G[i] / log2(i + 1)")
    assert gain["formula"].endswith("; G[i] = 2^level - 1")
    assert call("measures", "--profile", "shrec06")[0] == 2


def test_measures_define_each_symbol_once(call):
    out = call("measures")[1]
    symbols = out.partition("\nSymbols\n")[2]
    for symbol in ("V", "C", "Va", "Ds", "p_k", "G[i]", "K"):
        assert len(re.findall(rf"^{re.escape(symbol)}  ", symbols, flags=re.MULTILINE)) == 1
    assert "Other names: MAP" in out


def test_one_profile_is_shown_with_all_of_its_conventions(call):
    out = call("profiles", "psb")[1]
    assert out.count("Source:") == 1
    assert all(f" {name} " in " ".join(out.split()) for name in ("self_match", "min_class_size", "average"))
    assert [row["key"] for row in json.loads(call("profiles", "psb", "trec", "--format", "json")[1])["profiles"]] == [
        "psb",
        "trec",
    ]


def test_measures_and_profiles_as_csv_have_a_row_each_and_the_same_cells_as_the_json(call):
    rows = list(csv.DictReader(StringIO(call("measures", "--format", "csv")[1])))
    assert [row["key"] for row in rows] == [row.name for row in MEASURES] + [row.key for row in CURVES]
    assert [row["definition"] for row in rows] == [row.definition for row in (*MEASURES, *CURVES)]
    assert [float(row["high"] or "inf") for row in rows[: len(MEASURES)]] == [row.range[1] for row in MEASURES]
    rows = list(csv.DictReader(StringIO(call("profiles", "--format", "csv")[1])))
    assert [(row["key"], row["tiers"], row["measures"].split()) for row in rows] == [
        (row.key, row.tiers, list(row.measures)) for row in PROFILES
    ]


@pytest.fixture
def window(monkeypatch):
    """Records the arguments of the window instead of opening it."""
    import shrec_viewer.app.startup.main as door

    opened = []

    def note(path, *, parts=None, profile=None, edits=None, virtual=(), selftest=False, started=None):
        opened.append((path, parts, selftest))
        return 0

    monkeypatch.setattr(door, "run_window", note)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    return opened


@pytest.mark.parametrize(
    ("arguments", "what", "selftest"),
    [
        ([], None, False),
        (["--selftest"], None, True),
        (["--debug"], None, False),
        (["tiny"], "tiny", False),
        (["tiny", "--selftest"], "tiny", True),
        (["--selftest", "tiny"], "tiny", True),
        (["open", "tiny"], "tiny", False),
        (["--", "evaluate"], "evaluate", False),
        (["demo"], "DEMO", False),
        (["demo", "--selftest"], "DEMO", True),
        (["--selftest", "demo"], "DEMO", True),
        (["--debug", "--selftest", "demo"], "DEMO", True),
        (["./demo"], "demo", False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_call_without_a_command_opens_the_window(call, window, tiny, monkeypatch, arguments, what, selftest):
    monkeypatch.chdir(tiny.parent)
    for name in ("evaluate", "demo"):
        (tiny.parent / name).mkdir()
    assert call(*arguments)[0] == 0
    path = {None: None, "DEMO": resource("demo")}.get(what, what and Path(what))
    assert window == [(path, None, selftest)]


def test_a_classification_opens_the_folder_it_is_in(call, window, tiny):
    classification = tiny / "tiny.cla"
    assert call(classification)[0] == 0
    ((path, parts, _),) = window
    assert (path, parts.classification) == (tiny, classification)


def test_part_options_reach_the_window_at_any_position(call, window, tiny):
    for arguments in ([tiny, "--runs", tiny / "runs"], ["--runs", tiny / "runs", tiny]):
        assert call(*arguments)[0] == 0
    assert [(path, parts.runs, parts.queries) for path, parts, _ in window] == [(tiny, tiny / "runs", None)] * 2


def test_parts_at_other_paths_are_used(call, tiny, tmp_path):
    (tiny / "runs").rename(tmp_path / "elsewhere")
    (tiny / "benchmark.toml").unlink()
    status, out, _ = call("evaluate", tiny, "--runs", tmp_path / "elsewhere", "--measure", "AP", "--format", "csv")
    assert status == 0
    assert {row["run"] for row in csv.DictReader(StringIO(out))} == {"good", "poor"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a display")
@pytest.mark.parametrize(
    ("display", "sentence"), [("", "there is no display"), (":4242", "cannot connect to the display ':4242'")]
)
def test_without_display_a_message_names_the_alternative(tiny, display, sentence):
    gone = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY")
    environment = {key: value for key, value in os.environ.items() if key not in gone} | {"DISPLAY": display}
    answer = process(tiny, env=environment)
    assert (answer.returncode, answer.stdout) == (1, "")
    assert sentence in answer.stderr
    assert f"`shrec-viewer evaluate {tiny}` works without a window" in answer.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a display")
def test_the_demo_without_display_names_a_command_that_works():
    gone = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")
    environment = {key: value for key, value in os.environ.items() if key not in gone}
    answer = process("demo", env=environment)
    assert (answer.returncode, answer.stdout) == (1, "")
    command = re.search(r"`shrec-viewer (.*)` works without a window", answer.stderr)[1]
    assert command == "evaluate demo"
    answer = process(*command.split(), env=environment)
    assert answer.returncode == 0
    assert answer.stdout.startswith("run")


def test_a_missing_library_of_the_system_is_named_with_its_package(monkeypatch):
    from shrec_viewer.cli import display

    missing = (("libGL.so.1", "libgl1"), ("libxcb-cursor.so.0", "libxcb-cursor0"))
    monkeypatch.setattr(display, "_can_load", lambda library: library not in dict(missing))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert display.window_unavailable_reason() == (
        "no window can be opened: Qt needs the system library libGL.so.1 and 1 more "
        "(on Debian and Ubuntu: sudo apt-get install libgl1 libxcb-cursor0)"
    )
    assert display.missing_libraries(with_x11=False) == missing[:1]


def test_selftest_opens_a_real_window_and_prints_its_milestones(tiny):
    answer = process(tiny, "--selftest", env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
    (line,) = answer.stdout.splitlines()
    milestones = json.loads(line)
    times = ["window_ms", "benchmark_ms", "scores_ms", "first_pictures_ms"]
    assert list(milestones)[:7] == ["ready", *times, "pictures", "findings"]
    assert (answer.returncode, milestones["ready"]) == (0, True), answer.stderr
    assert 0 < milestones["window_ms"] < milestones["benchmark_ms"] <= milestones["scores_ms"]


def test_worker_of_a_frozen_bundle_ends_after_its_work(monkeypatch):
    import multiprocessing

    import shrec_viewer.cli.program as program

    order = []
    monkeypatch.setattr(multiprocessing, "freeze_support", lambda: order.append("worker"))
    monkeypatch.setattr(program, "run", lambda words: order.append("command") or 0)
    assert main([]) == 0
    assert order == ["command"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert main([]) == 0
    assert order == ["command", "worker", "command"]


def test_version_and_help(call):
    assert call("--version")[:2] == (0, f"shrec-viewer {__version__}\n")
    status, out, _ = call("--help")
    assert status == 0
    shown = [name for name in COMMANDS if not load_command(name).hidden]
    assert [line.split()[0] for line in out.split("Commands:\n")[1].split("\n\n")[0].splitlines()] == shown
    for name in COMMANDS:
        assert load_command(name).name == name
        assert call(name, "--help")[0] == 0


def test_a_call_imports_no_other_command(tiny):
    script = (
        "import sys\nfrom shrec_viewer.cli import main\nfrom shrec_viewer.cli.program import COMMANDS\n"
        f"assert main(['evaluate', {str(tiny)!r}]) == 0\n"
        "used = [name for name in COMMANDS if f'shrec_viewer.cli.{COMMANDS[name][0]}' in sys.modules]\n"
        "print('RESULT', *used, file=sys.stderr)\n"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
    assert answer.stderr.splitlines()[-1] == "RESULT evaluate"


# ------------------------------------------------------------------------- the real thing


@pytest.fixture(scope="module")
def shrec06():
    if not SHREC06.is_dir():
        pytest.skip("the re-created contest of 2006 is not available")
    return process("evaluate", SHREC06, "--profile", "shrec2006", "--per-query", "--format", "json")


def test_scores_of_2006_equal_the_official_ones(shrec06):
    document = json.loads(shrec06.stdout)
    assert shrec06.returncode in (0, 1), shrec06.stderr
    runs = {run["name"]: run for run in document["runs"]}
    levels = {"highly": "(rel=2)", "relevant": "", "graded": ""}
    compared = 0
    with (SHREC06 / "shrec2006_measures.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name, _, cutoff = row["measure"].partition("@")
            key = name + levels[row["level"]] + (f"@{cutoff}" if cutoff else "")
            if row["query"] == "mean_present":
                continue
            run = runs[row["run"]]
            values = run["mean"] if row["query"] == "mean" else run["queries"][row["query"]]
            assert values[key] == pytest.approx(float(row["value"]), abs=1e-8), row
            compared += 1
    assert compared == (13 * 30 - 2) * 39 + 13 * 31
    assert runs["K2"]["missing_queries"] == ["Q07", "Q23"]


def test_errors_of_k2_are_findings_with_file_and_line(shrec06):
    findings = json.loads(shrec06.stdout)["findings"]
    places = {(finding["file"], finding["line"]) for finding in findings if finding["file"].startswith("runs/K2")}
    # Line 1 is the query's id: rank 4 is on line 5, the repeated one at rank 13 on line 14, the nan at 20 on 21.
    assert {("runs/K2/Q03", 14), ("runs/K2/Q05", 5), ("runs/K2/Q11", 21)} <= places


def test_latex_rows_do_not_begin_with_an_option_of_the_line_break():
    columns = [OutputColumn("run", ("[a]", "*b")), OutputColumn("AP", ("0.5", "0.4"), True)]
    assert [line.strip() for line in latex_table(columns, "").splitlines()[8:10]] == [
        r"{[}a{]} & 0.5 \\",
        r"{*}b & 0.4 \\",
    ]


def test_lines_of_benchmark_toml_are_lines_on_standard_error(tmp_path, capsys):
    """Matrices whose orders cannot be distinguished: the message names each other order once."""
    for name, prefix in (("models.cla", "m"), ("queries.cla", "q")):
        classes = "\n\n".join(f"c{label} 0 2\n{prefix}{label}\n{prefix}{label + 2}" for label in (1, 0))
        (tmp_path / name).write_text(f"PSB 1\n2 4\n\n{classes}\n")
    (tmp_path / "A.txt").write_text("0.5 0.5 0.5 0.5\n" * 4)
    assert run_program(["evaluate", str(tmp_path)]) == 0
    lines = capsys.readouterr().err.splitlines()
    start = next(index for index, line in enumerate(lines) if "4 orders fit" in line)
    assert "(AP 0.600), because it is the usual order; " in lines[start]
    assert lines[start].count("otherwise ") == 1
    assert lines[start].endswith("--order classification, or in benchmark.toml:")
    assert lines[start + 1 : start + 4] == ["    [[runs]]", '    path = "A.txt"', '    order = "classification"']
