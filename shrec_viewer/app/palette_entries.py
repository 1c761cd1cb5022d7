"""What the palette offers: every command, query, run, measure, panel and recent benchmark."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QKeySequence

from shrec_viewer.app.commands import COMMANDS, plain
from shrec_viewer.app.commands.graphs import GRAPHS
from shrec_viewer.app.frame import Frame

ORBIT = "model_view"
"""Key of the row of `PANELS` whose models turn."""


@dataclass(frozen=True)
class Entry:
    """One thing to choose.

    Attributes
    ----------
    key : what is remembered, ``"command:reload"``; the part before the colon says what `name` is.
    text : what is looked through and shown.
    where : menu or kind, shown quietly.
    keys : shortcut; "" for none.
    why_not : why it cannot be done now; "" where it can.
    """

    key: str
    text: str
    where: str
    keys: str = ""
    why_not: str = ""

    @property
    def kind(self) -> str:
        """A command, query, run, run to compare, measure, panel, graph, the 3D view (``"orbit"``), or recent."""
        return self.key.partition(":")[0]

    @property
    def name(self) -> str:
        """What stands behind the kind."""
        return self.key.partition(":")[2]


def entries(frame: Frame) -> list[Entry]:
    """All that can be chosen now, and the commands that cannot, with the reason."""
    return [*_commands(frame), *_places(frame), *_panels(frame), *_graphs(frame), *_orbit(frame), *_recent(frame)]


def choose(frame: Frame, entry: Entry) -> None:
    """Do it."""
    session = frame.session
    if entry.kind == "command":
        frame.menus.actions[entry.name].trigger()
    elif entry.kind == "recent":
        frame.open_path(Path(entry.name))
    elif entry.kind == "panel":
        frame.workspace.go_to_panel(entry.name)
    elif entry.kind == "graph":
        _choose_in_graph(frame, *entry.name.split("/"))
    elif entry.kind == "orbit":
        frame.workspace.go_to_panel(ORBIT)
        frame.workspace.panel(ORBIT).deck.bar.actions_by_name[entry.name].trigger()
    elif session.benchmark is not None and entry.kind == "query":
        session.select(query=session.benchmark.queries.index.get(entry.name))
    elif session.benchmark is not None and entry.kind == "measure":
        session.select(measure=entry.name)
    elif session.benchmark is not None:
        places = {run.name: place for place, run in enumerate(session.benchmark.runs)}
        session.select(**{"run" if entry.kind == "run" else "compared": places.get(entry.name)})


def _commands(frame: Frame) -> Iterator[Entry]:
    for command in COMMANDS:
        action = frame.menus.actions[command.key]
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        why_not = "" if command.enabled(frame) else reason(command.enabled.__doc__)
        yield Entry(f"command:{command.key}", action.text().replace("&", "").rstrip("…") or plain(command),
                    command.menu.replace("/", " › "), keys, why_not)  # fmt: skip


def reason(need: str | None) -> str:
    """What a test needs, from its docstring: "needs: a benchmark is open"."""
    first = (need or "not now").strip().splitlines()[0].rstrip(".")
    return f"needs: {first[:1].lower()}{first[1:]}"


def _places(frame: Frame) -> Iterator[Entry]:
    session = frame.session
    if session is None or session.benchmark is None:
        return
    from shrec_viewer.viewmodels.words import class_words

    benchmark = session.benchmark
    for name, label in zip(benchmark.queries.ids, benchmark.queries.labels, strict=True):
        words = class_words(benchmark, int(label))
        yield Entry(f"query:{name}", f"Go to query {name} {words}".rstrip(), "Query")
    for run in benchmark.runs:
        yield Entry(f"run:{run.name}", f"Select run {run.name}", run.participant)
    for run in benchmark.runs:
        yield Entry(f"compare:{run.name}", f"Compare with run {run.name}", run.participant)
    if session.scores is not None:
        for measure in session.scores.measures:
            yield Entry(f"measure:{measure.key}", f"Measure {measure.key}: {measure.label}", "Measure")


def _panels(frame: Frame) -> Iterator[Entry]:
    if frame.session is None or frame.session.benchmark is None:
        return
    from shrec_viewer.panels import PANELS

    for panel in PANELS:
        yield Entry(f"panel:{panel.key}", f"Go to panel {panel.title}", "Panel")


def _graphs(frame: Frame) -> Iterator[Entry]:
    """Kinds and options of each graph; what one does with any graph is a command."""
    for key, title in _titles(frame, GRAPHS):
        head = frame.workspace.panel(key).head
        for place in range(head.kinds.count()):
            words = " ".join(head.kinds.itemText(place).split())
            yield Entry(f"graph:{key}/kind/{head.kinds.itemData(place)}", f"{title}: draw {words}", "Graph")
        for name, action in head.options.items():
            part = action.actionGroup().parent().title() + " " if action.actionGroup() is not None else ""
            state = "Graph, on" if action.isChecked() else "Graph"
            why_not = "" if action.isEnabled() else "not for this curve"
            yield Entry(f"graph:{key}/option/{name}", f"{title}: {part}{action.text()}", state, "", why_not)


def _choose_in_graph(frame: Frame, key: str, what: str, name: str) -> None:
    frame.workspace.show_panel(key)
    head = frame.workspace.panel(key).head
    if what == "kind":
        head.pick_kind(name)
    elif name in head.options:
        head.options[name].trigger()


def _orbit(frame: Frame) -> Iterator[Entry]:
    """What keys and buttons of the 3D view do; stepping and leaving are for who is in it."""
    for _, title in _titles(frame, (ORBIT,)):
        from shrec_viewer.widgets.orbit_keys import ACTIONS

        actions = frame.workspace.panel(ORBIT).deck.bar.actions_by_name
        for row in ACTIONS:
            if row.place != "none":
                state = f"{title}, on" if actions[row.name].isChecked() else title
                keys = QKeySequence(row.keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if row.keys else ""
                why_not = "" if actions[row.name].isEnabled() else "not for what is shown"
                yield Entry(f"orbit:{row.name}", f"{title}: {row.text.rstrip('…')}", state, keys, why_not)


def _titles(frame: Frame, keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Key and title of those panels, where something is open."""
    if frame.session is None or frame.session.benchmark is None:
        return
    from shrec_viewer.panels import PANELS

    titles = {panel.key: panel.title for panel in PANELS}
    for key in keys:
        yield key, titles[key]


def _recent(frame: Frame) -> Iterator[Entry]:
    for path in frame.settings.recent:
        yield Entry(f"recent:{path}", f"Open recent {Path(path).name}", path)
