"""Names with control codes: no command prints them, neither to a terminal nor into a pipe."""

import io
import json
import logging
import os
import re
import sys
import threading
import warnings

import pytest

from shrec_viewer.cli import main
from shrec_viewer.cli.program import COMMANDS


def has_terminals():
    """Whether pseudo-terminals can be opened: not on Windows, nor where /dev/pts is not mounted."""
    try:
        ends = os.openpty()
    except (AttributeError, OSError):
        return False
    for end in ends:
        os.close(end)
    return True


pytestmark = pytest.mark.skipif(not has_terminals(), reason="there are no pseudo-terminals here")

CODES = "\x1b]0;title\x07\x1b[38;5;201m\x9b31m\x9d0;t\x9c\x08\x07\x00\x0b\x0c\x7f\u202e\u2066\u2028"
"""OSC, CSI and C1 sequences, backspace, bell, NUL, tabs and page feeds of lines, DEL, changes of direction."""

FILE_CODES = CODES.replace("\x00", "").replace("\x0b", "").replace("\x0c", "").replace("\u2028", "")
"""Those that names of files may contain."""

ID_CODES = "\x9b31m\x9d0t\x9c\u202e"
"""Those that text files contain, in which control characters below 0x20 are less than 2 %."""

LEGITIMATE = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[2K|\x1b\[[0-9]*A|\r")
"""What rich prints on a terminal: colours, cursor off and on, line cleared, line up, return."""

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

MODELS = [f"m{number}{ID_CODES}" for number in range(4)]


def toml(text):
    return json.dumps(text).replace("\x7f", "\\u007f")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A benchmark whose every name has control codes: folders, files, classes, ids, runs, participants, profile."""
    root = tmp_path_factory.mktemp("hostile") / f"b{FILE_CODES}"
    for name in ("models", "runs/one", "runs/two"):
        (root / name).mkdir(parents=True)
    tree = "PSB 1\n2 4\n\n" + "".join(
        f"cls{kind}{ID_CODES}\x1b[2J 0 2\n{MODELS[2 * kind]}\n{MODELS[2 * kind + 1]}\n\n" for kind in range(2)
    )
    (root / f"tree{FILE_CODES}.cla").write_text(tree, encoding="utf-8")
    for number, model in enumerate(MODELS):
        (root / "models" / f"{model}.off").write_text(f"OFF\n3 1 0\n0 0 0\n1 0 0\n0 {number + 1} 0\n3 0 1 2\n")
        for run, step in (("one", 1), ("two", 3)):
            order = [MODELS[(number + step * k) % 4] for k in range(4)]
            lines = "".join(f"{name} {place / 10}\n" for place, name in enumerate(order))
            (root / "runs" / run / f"{model}.txt").write_text(lines, encoding="utf-8")
    (root / "models" / f"broken{FILE_CODES}.off").write_text("OFF\n9 9 9\n0 0\n")
    (root / f"odd{FILE_CODES}.bin").write_bytes(b"\x00\x01")
    (root / "benchmark.toml").write_text(
        f"""[benchmark]
name = {toml("bench" + CODES)}
unknown = {toml("key" + CODES)}
[collection]
models = "models"
classification = {toml(f"tree{FILE_CODES}.cla")}
[assessment]
derive = "classes"
[[runs]]
name = {toml("one" + CODES)}
participant = {toml("Ann" + CODES)}
path = "runs/one"
[[runs]]
name = {toml("two" + CODES)}
participant = {toml("Ben" + CODES)}
path = "runs/two"
""",
        encoding="utf-8",
    )
    return root


RUN = f"one{CODES}"

CALLS = {
    "evaluate": [
        ["evaluate", "FOLDER"],
        ["evaluate", "FOLDER", "--per-query", "--ceiling", "--sort", "AP"],
        ["evaluate", "FOLDER", "--format", "csv", "--per-query"],
        ["evaluate", "FOLDER", "--format", "json", "--per-query", "--curves"],
        ["evaluate", "FOLDER", "--format", "latex"],
        ["evaluate", "FOLDER", "--format", "markdown"],
        ["evaluate", "FOLDER", "--run", f"none{CODES}"],
        ["evaluate", "FOLDER", "--measure", f"none{CODES}"],
        ["evaluate", "FOLDER", "--profile", f"none{CODES}"],
        ["evaluate", "FOLDER", "--ties", f"none{CODES}"],
        ["evaluate", "FOLDER", "--relevance", f"none{CODES}"],
        ["evaluate", "FOLDER", f"--none{CODES}"],
        ["evaluate", f"none{FILE_CODES}"],
    ],
    "compare": [
        ["compare", "FOLDER"],
        ["compare", "FOLDER", "--format", "json"],
        ["compare", "FOLDER", "--measure", "all"],
        ["compare", "FOLDER", RUN, f"two{CODES}"],
        ["compare", "FOLDER", RUN, f"two{CODES}", "--measure", "all"],
        ["compare", "FOLDER", RUN, f"two{CODES}", "--format", "json"],
        ["compare", "FOLDER", RUN, RUN],
        ["compare", "FOLDER", RUN, f"none{CODES}"],
    ],
    "check": [
        ["check", "FOLDER"],
        ["check", "FOLDER", "--format", "csv"],
        ["check", "FOLDER", "--format", "json"],
        ["check", "FOLDER/runs/one"],
        ["check", "FOLDER/ODD"],
    ],
    "convert": [
        ["convert", "FOLDER", "--run", RUN, "--to", "trec", "--output", f"OUT/run{FILE_CODES}"],
        ["convert", "FOLDER", "--run", RUN, "--to", "npy", "--output", f"OUT/run{FILE_CODES}.npy"],
        ["convert", "FOLDER", "--run", RUN, "--to", "submission", "--output", f"OUT/run{FILE_CODES}.csv"],
        ["convert", "FOLDER", "--run", RUN, "--to", "ranklist", "--output", f"OUT/lists{FILE_CODES}"],
        ["convert", "FOLDER", "--to", "npy", "--output", "OUT/x.npy"],
        ["convert", "FOLDER", "--run", RUN, "--to", "npy", "--output", f"OUT/none{FILE_CODES}/x.npy"],
    ],
    "correlate": [
        ["correlate", "FOLDER"],
        ["correlate", "FOLDER", "--format", "json"],
        ["correlate", "FOLDER", "--format", "csv"],
        ["correlate", "FOLDER", "--against", "TABLE"],
        ["correlate", "FOLDER", "--against", "TABLE", "--format", "latex"],
    ],
    "practical": [
        ["practical", "FOLDER", "--scope", "2", "--sample", "3"],
        ["practical", "FOLDER", "--format", "csv"],
        ["practical", "FOLDER", "--format", "json"],
        ["practical", "FOLDER", "--format", "latex"],
        ["practical", "FOLDER", "--to-judge", "-"],
    ],
    "history": [["history", "FOLDER", RUN], ["history", "FOLDER", RUN, "--format", "json"]],
    "diagnose": [["diagnose", "FOLDER"], ["diagnose", "FOLDER", "--section", "queries", "--format", "csv"]],
    "suspects": [["suspects", "FOLDER"], ["suspects", "FOLDER", "--by", "pair", "--format", "json"]],
    "robustness": [["robustness", "FOLDER"], ["robustness", "FOLDER", "--format", "json"]],
    "certainty": [
        ["certainty", "FOLDER"],
        ["certainty", "FOLDER", "--format", "csv"],
        ["certainty", "FOLDER", "--format", "latex"],
        ["certainty", "FOLDER", "--format", "json"],
    ],
    "export": [["export", "FOLDER"], ["export", "FOLDER", "--output", f"none{FILE_CODES}/x"]],
    "report": [["report", "FOLDER"], ["report", "FOLDER", "--output", f"OUT/site{FILE_CODES}", "--without", "edits"]],
    "table": [
        ["table", "FOLDER", "runs"],
        ["table", "FOLDER", "heat_map", "--format", "markdown"],
        ["table", "FOLDER", f"none{CODES}"],
    ],
    "thumbnails": [
        ["thumbnails", "FOLDER", "--renderer", "software", "--size", "16"],
        ["thumbnails", "FOLDER", "--renderer", "software", "--size", "16", "--output", f"OUT/thumbs{FILE_CODES}"],
        ["thumbnails", "FOLDER", "--renderer", "software", "--sheet", f"OUT/sheet{FILE_CODES}.png", "--run", RUN],
        ["thumbnails", "FOLDER", "--sheet", f"x{FILE_CODES}.jpg"],
        ["thumbnails", "FOLDER", "--sheet", "OUT/x.png", "--query", f"none{CODES}"],
    ],
    "figure": [
        ["figure", "FOLDER", "leaderboard", "--format", "svg", "--output", f"OUT/figure{FILE_CODES}"],
        ["figure", "FOLDER", "precision_recall", "--run", RUN, "--output", f"OUT/figure{FILE_CODES}.pdf"],
        ["figure", "FOLDER", "gain", "--run", f"none{CODES}", "--output", "OUT/x.svg"],
        ["figure", "FOLDER", "gain", "--query", f"none{CODES}", "--output", "OUT/x.svg"],
        ["figure", "FOLDER", "gain", "--curve", f"none{CODES}", "--output", "OUT/x.svg"],
        ["figure", "FOLDER", f"none{CODES}", "--output", "OUT/x.svg"],
        ["figure", "FOLDER", "gain", "--output", f"x{FILE_CODES}"],
    ],
    "cache": [["cache"], ["cache", f"--none{CODES}"]],
    "measures": [["measures"], ["measures", f"none{CODES}"], ["measures", "--format", "json"]],
    "profiles": [["profiles"], ["profiles", f"none{CODES}"], ["profiles", "--format", "csv"]],
    "plugins": [["plugins"], ["plugins", "--format", "json"]],
    "open": [["open", f"none{FILE_CODES}"], [f"none{FILE_CODES}"], ["open", "FOLDER"], ["FOLDER", "--selftest"]],
    "demo": [["demo"], ["demo", f"{CODES}"]],
}
"""Calls of every command; a window cannot open in them."""


def test_every_command_is_called():
    assert set(CALLS) == set(COMMANDS)


@pytest.fixture(autouse=True)
def hostile_surroundings(monkeypatch):
    """No display; plug-ins that fail, and that log and warn with control codes."""
    from shrec_viewer import plugins
    from shrec_viewer.cli import program, window

    failure = plugins.PluginFailure("measures", f"entry{CODES}", f"package{CODES}", f"1{CODES}", f"reason{CODES}\nline")
    row = plugins.PluginRow("panels", f"key{CODES}", f"label{CODES}", f"package{CODES}", f"1{CODES}")
    found = plugins.Plugins((row,), (failure,))

    def install(**_):
        log_without_handler(f"a measure failed: {CODES}")
        warnings.warn(f"odd values{CODES}", RuntimeWarning, stacklevel=1)
        print(f"a line of a plug-in{CODES}")  # noqa: T201
        return found

    monkeypatch.setattr(program, "may_have_plugins", lambda: True)
    monkeypatch.setattr("shrec_viewer.plugins.install_plugins", install)
    monkeypatch.setattr("shrec_viewer.plugins.load_plugins", lambda: found)
    monkeypatch.setattr(window, "window_unavailable_reason", lambda: f"no display{CODES}")

    def show(message, category, filename, lineno, file=None, line=None):
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", show)  # as Python does; pytest collects them
        yield


def log_without_handler(text):
    """A warning as Python prints it on standard error where no handler is installed; pytest installs one."""
    logging.lastResort.handle(logging.makeLogRecord({"levelno": logging.WARNING, "msg": text}))


def words_of(call, folder, tmp_path):
    table = tmp_path / f"table{FILE_CODES}.csv"
    table.write_text("run,AP\n" + "".join(f'"{name}{CODES}",{value}\n' for name, value in (("one", 1), ("two", 0.5))))
    replaced = {"FOLDER": str(folder), "OUT": str(tmp_path), "TABLE": str(table), "ODD": f"odd{FILE_CODES}.bin"}
    words = list(call)
    for short, path in replaced.items():
        words = [word.replace(short, path) for word in words]
    return words


class Terminal:
    """A pseudo-terminal as both standard streams; what is printed on it is collected."""

    def __enter__(self):
        self._main, end = os.openpty()
        self._streams = sys.stdout, sys.stderr, sys.__stderr__
        self.stream = io.TextIOWrapper(io.FileIO(end, "w"), encoding="utf-8", write_through=True)
        sys.stdout = sys.stderr = self.stream
        self._data = bytearray()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        return self

    def _read(self):
        while True:
            try:
                part = os.read(self._main, 65536)
            except OSError:  # the other end is closed
                return
            if not part:
                return
            self._data += part

    def __exit__(self, *_):
        sys.stdout, sys.stderr, _ = self._streams
        self.stream.close()
        self._reader.join()
        os.close(self._main)

    @property
    def text(self):
        return self._data.decode("utf-8")


ALL_CALLS = [call for calls in CALLS.values() for call in calls]
CALL_NAMES = [" ".join(call).replace(CODES, "?").replace(FILE_CODES, "?") for call in ALL_CALLS]


@pytest.mark.parametrize("call", ALL_CALLS, ids=CALL_NAMES)
def test_no_code_reaches_a_pipe(call, folder, tmp_path, capsys):
    main(words_of(call, folder, tmp_path))
    shown = capsys.readouterr()
    for text in shown:
        assert not CONTROL.findall(text), text
    assert "unexpected error" not in shown.err
    if call[0] in CALLS:
        assert "entry\\x1b]0;title\\x07" in shown.err  # the failed plug-in
    if "json" in call:
        assert json.loads(shown.out)  # without the line that the plug-in prints


@pytest.mark.parametrize("call", ALL_CALLS, ids=CALL_NAMES)
def test_no_code_reaches_a_terminal(call, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with Terminal() as terminal:
        main(words_of(call, folder, tmp_path))
    text = terminal.text
    assert "\x1b[38;5;201m" not in text
    assert not CONTROL.findall(LEGITIMATE.sub("", text)), text


@pytest.mark.parametrize("words", [["measures", "NN"], ["check", "FOLDER"], ["evaluate", "FOLDER"]])
def test_a_terminal_has_colours(words, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with Terminal() as terminal:
        main(words_of(words, folder, tmp_path))
    assert "\x1b[1" in terminal.text
    assert "\\x1b[1" not in terminal.text


def test_files_have_no_codes_either(folder, tmp_path):
    for number, name in enumerate(("t.txt", "t.csv", "t.json", "t.tex", "t.md")):
        assert main(["evaluate", str(folder), "--per-query", "--output", str(tmp_path / name)]) in (0, 1), number
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert not CONTROL.findall(text)
    read = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    assert {run["name"] for run in read["runs"]} == {f"one{CODES}", f"two{CODES}"}  # JSON keeps the names


def test_a_traceback_is_printed_without_codes(folder, monkeypatch, capsys):
    from shrec_viewer.cli import program

    def fail(*_args, **_options):
        raise RuntimeError(f"plug-in{CODES}")

    monkeypatch.setattr(program, "may_have_plugins", lambda: True)
    monkeypatch.setattr("shrec_viewer.plugins.install_plugins", fail)
    assert main(["measures", "--debug"]) == 1
    text = capsys.readouterr().err
    assert "Traceback" in text
    assert not CONTROL.findall(text)


def test_the_log_of_commands_has_no_codes(monkeypatch, tmp_path, capsys):
    from shrec_viewer.cli import program

    def fail(*_args, **_options):
        raise RuntimeError(f"plug-in{CODES}\udce9")

    monkeypatch.setattr(program, "may_have_plugins", lambda: True)
    monkeypatch.setattr("shrec_viewer.plugins.install_plugins", fail)
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path)
    monkeypatch.setattr(sys, "argv", ["shrec-viewer", "measures", f"a{CODES}\udce9"])
    assert main(["measures"]) == 1
    text = (tmp_path / "command-line.log").read_text(encoding="utf-8")
    assert "RuntimeError: plug-in\\x1b" in text
    assert not CONTROL.findall(text)
    assert not CONTROL.findall(capsys.readouterr().err)


def test_progress_lines_have_no_codes(capsys, monkeypatch):
    from shrec_viewer.cli import terminal

    monkeypatch.setattr(terminal, "FIRST_PROGRESS_S", -1.0)
    with terminal.progress_bar("Reading") as progress:
        progress(1, 2, f"m{CODES}")
    text = capsys.readouterr().err
    assert "1 of 2 m\\x1b" in text
    assert not CONTROL.findall(text)


def test_what_is_printed_while_a_bar_is_shown_has_no_codes(monkeypatch):
    from shrec_viewer.cli.terminal import progress_bar
    from shrec_viewer.printable import printable_streams

    monkeypatch.setenv("TERM", "xterm-256color")
    with Terminal() as terminal, printable_streams(), progress_bar("Reading") as progress:
        progress(1, 2, f"m{CODES}")
        log_without_handler(f"a record{CODES} \x1b]8;;file:///x\x1b\\link")
        print(f"a line{CODES}")  # noqa: T201
        progress(2, 2, f"m{CODES}")
    assert "record\\x1b" in terminal.text
    assert "file:///x" in terminal.text
    assert not CONTROL.findall(LEGITIMATE.sub("", terminal.text))
