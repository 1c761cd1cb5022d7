"""What leaves the window as a file: graphs, tables, the list as a picture, findings."""

from shrec_viewer.app.commands.command import Command
from shrec_viewer.app.commands.graphs import graph_of, has_graph
from shrec_viewer.app.commands.models import save_strip
from shrec_viewer.app.dialogs import ask_table_file
from shrec_viewer.app.frame import Frame, has_benchmark, has_list

MENU = "File/Export"


def has_scores(frame: Frame) -> bool:
    """The runs are measured."""
    return has_benchmark(frame) and frame.session.scores is not None


def has_findings(frame: Frame) -> bool:
    """Something was found."""
    return has_benchmark(frame) and frame.session.has_findings


def _graph(frame: Frame) -> None:
    if (graph := graph_of(frame)) is not None:
        graph.ask_export()


def _values(frame: Frame) -> None:
    if (graph := graph_of(frame)) is not None:
        graph.ask_save_values()


def _runs(frame: Frame) -> None:
    panel, session = frame.workspace.panel("leaderboard"), frame.session
    of = panel.model.of
    of = session.benchmark.queries.ids[session.selection.query] if of == "query" else f"mean over {of}"
    _save_table(frame, panel.table, f"{session.benchmark.name} runs {of}")


def _measures(frame: Frame) -> None:
    panel = frame.workspace.panel("measures")
    _save_table(frame, panel.table, f"{frame.session.benchmark.name} {frame.session.run.name} {panel.model.of}")


def _save_table(frame: Frame, table: object, name: str) -> None:
    """With all digits, in the order in which the table stands."""
    if (path := ask_table_file(frame.as_widget(), name)) is None:
        return
    from shrec_viewer.domain import FormatError  # the window shows itself before it knows any reader
    from shrec_viewer.formats.atomic import new_file

    try:
        with new_file(path) as draft:
            draft.write_text(table.csv(), encoding="utf-8", newline="")  # type: ignore[attr-defined]
    except FormatError as error:
        frame.tell("error", error.sentence)
    else:
        frame.tell("info", f"Saved {path}")


def _findings(frame: Frame) -> None:
    frame.workspace.panel("findings").ask_export()


ROWS: tuple[Command, ...] = (
    Command("graph_export", MENU, "Export &graph…", _graph, ("Ctrl+E",), has_graph),
    Command("graph_save_values", MENU, "Export &values of the graph…", _values, (), has_graph),
    Command("export_runs", MENU, "Export table of &runs…", _runs, (), has_scores, starts_group=True),
    Command("export_measures", MENU, "Export &measures of the run…", _measures, (), has_scores),
    Command("save_strip", MENU, "Export list as &picture…", save_strip, (), has_list, starts_group=True),
    Command("export_findings", MENU, "Export &findings…", _findings, (), has_findings),
)
"""The rows, in the order of the menu."""
