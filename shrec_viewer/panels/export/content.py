"""What a panel exports, and the files, texts and command lines made of it."""

import hashlib
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from shrec_viewer.charts.table import Table
from shrec_viewer.content.contents import build_chart, build_table, content_of
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.request import Request
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.comparison.assessments import AS_READ
from shrec_viewer.evaluation.edits import AssessmentEdit, edits_file
from shrec_viewer.evaluation.evaluate import make_checkpoint
from shrec_viewer.formats.io.atomic import write_text_atomic
from shrec_viewer.formats.manifest.parts import part_arguments
from shrec_viewer.formats.manifest.project import Project, project_at
from shrec_viewer.formats.manifest.run_changes import RunChanges
from shrec_viewer.printable import file_name
from shrec_viewer.report.figures.content import FigureContent
from shrec_viewer.report.figures.drawing.style import COLUMN_MM, PAGE_MM
from shrec_viewer.report.figures.rendering import DPI, FigureFormat, render_formats
from shrec_viewer.report.site.images import cached_images, with_images
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.content.data import changed_styles
from shrec_viewer.viewmodels.session.project import copied_edits_folder
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg


@dataclass(frozen=True)
class ExportText:
    """A text that a panel exports besides figure and table, such as lines of qrels.

    Attributes
    ----------
    label : name of the format.
    suffix : of files.
    make : makes the text, in a background task; raises `ShrecViewerError` with the reason if it cannot.
    """

    label: str
    suffix: str
    make: Callable[[], str]


@dataclass(frozen=True, eq=False)
class ExportContent:
    """What a panel exports; without figure and table, the panel is exported as drawn.

    Attributes
    ----------
    figure : contents of a figure, or the request for one, which the command ``figure`` repeats; None for none.
    table : a table, or the request for one, which the command ``table`` repeats; None for none.
    names : parts of the file name after those of panel and benchmark: measure, query, run.
    tables : further tables of the panel, by their labels.
    texts : texts that it exports as well.
    """

    figure: FigureContent | Request | None = None
    table: Table | Request | None = None
    names: tuple[str, ...] = ()
    tables: Mapping[str, Table | Request] = field(default_factory=dict)
    texts: tuple[ExportText, ...] = ()


#: Widths of figures in millimetres.
COLUMN_WIDTHS: Mapping[float, str] = {COLUMN_MM: "One column", PAGE_MM: "Two columns"}

#: Formats of figures, in the order of the dialog.
FIGURE_LABELS: Mapping[str, str] = {"svg": "SVG", "pdf": "PDF", "png": "PNG, 300 dpi", "pgf": "PGF for LaTeX"}

DEFAULT_PALETTE = "default"
PALETTE_LABELS: Mapping[str, str] = {
    DEFAULT_PALETTE: "Default", "greyscale": "Greyscale-safe", "colour-blind": "Colour-blind-safe",
}  # fmt: skip


def figure_file(
    figure: FigureContent | Request,
    data: ContentData,
    form: FigureFormat,
    width: float,
    palette: str,
    cancelled: Callable[[], bool],
    dpi: int | None = None,
) -> bytes:
    """A figure as the bytes of a file; `dpi` is None for that of publishers."""
    content = figure_content(figure, data, cancelled)
    return render_formats(content, (form,), cancelled, width=width, palette=palette, dpi=dpi or DPI)[form]


def figure_content(source: FigureContent | Request, data: ContentData, cancelled: Callable[[], bool]) -> FigureContent:
    """The contents of a figure, or of the requested one; images are read from the cache or drawn.

    Raises
    ------
    ShrecViewerError
        If the requested figure cannot be made of the data.
    """
    if not isinstance(source, Request):
        return source
    made_of, checkpoint = replace(data, cancelled=cancelled), make_checkpoint(cancelled)
    return build_chart(with_images(made_of, source, cached_images(read_image_or_svg), checkpoint), source)


def built_table(source: Table | Request, data: ContentData, cancelled: Callable[[], bool]) -> Table:
    """A table, or the requested one.

    Raises
    ------
    ShrecViewerError
        If the requested table cannot be made of the data.
    """
    if isinstance(source, Table):
        return source
    return build_table(replace(data, cancelled=cancelled), source)


class NoCommandError(ShrecViewerError):
    """What the window shows is not in files that a command reads; the text says why and what helps."""


def benchmark_arguments(session: Session) -> tuple[str, ...]:
    """BENCHMARK, the parts in other places, options of input, edits and the profile of the session.

    Raises
    ------
    NoCommandError
        If the window shows runs that the files do not contain in this way.
    """
    path, benchmark = session.path, session.benchmark
    if path is None or not session.is_open:
        raise NoCommandError("no benchmark is open")
    options = [*part_arguments(session.parts), *_assessment_arguments(session)]
    project = _read_project(path)
    _require_readable_runs(session, project)
    if (edits := _edits_to_write(session, project)) is not None:
        options.append(f"--edits={_edits_path(benchmark.name, edits_file(edits))}")
    known = () if project is None else tuple(run.expression for run in project.edits.runs.virtual)
    expressions = [run.expression for run in benchmark.runs if run.expression]
    options += [f"--virtual={expression}" for expression in expressions if expression not in known]
    return (_benchmark_word(path), *options, f"--profile={session.profile.key}")


def write_edits(session: Session) -> None:
    """Write the file of edits that `benchmark_arguments` names; a file of the same name has the same content.

    Raises
    ------
    NoCommandError
        If it cannot be written.
    """
    if session.path is None:
        return
    edits = _edits_to_write(session, _read_project(session.path))
    if edits is None:
        return
    text = edits_file(edits)
    path = _edits_path(session.benchmark.name, text)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text_atomic(path, text)
    except (OSError, ShrecViewerError) as error:
        raise NoCommandError(f"the edits of the assessment cannot be written to {path.parent}: {error}") from error


def _read_project(path: Path) -> Project | None:
    """The project that is open, as its file is now; None for a benchmark."""
    try:
        return project_at(path)
    except (OSError, ShrecViewerError) as error:
        raise NoCommandError(f"the project cannot be read: {error}") from error


def _require_readable_runs(session: Session, project: Project | None) -> None:
    """Raise `NoCommandError` where runs, published scores or queries of means are not those that a command reads."""
    saved, changes = RunChanges() if project is None else project.edits.runs, session.edits.edited.runs
    is_same = replace(saved, virtual=()) == replace(changes, virtual=()) and set(saved.virtual) <= set(changes.virtual)
    if not is_same:
        raise NoCommandError(
            "runs were added, removed or renamed: save the project, open it, and copy the command again"
        )
    if session.edits.edited.published != (() if project is None else project.edits.published):
        raise NoCommandError(
            "published scores were added or removed: save the project, open it, and copy the command again"
        )
    name, slices = session.selection.slice, session.edits.edited.slices
    if name in slices and (project is None or project.edits.slices.get(name) != slices[name]):
        raise NoCommandError(
            f"the slice {name} was named in the window: save the project, open it, and copy the command again"
        )
    if session.extra_runs:
        raise NoCommandError("a former version is shown as a run; hide it, and copy the command again")
    if session.has_read_options:
        raise NoCommandError(
            "a run is read with other options than the files name: write them to benchmark.toml, as Findings says"
        )


def _assessment_arguments(session: Session) -> list[str]:
    """The option for the assessment that is used instead of that of the benchmark."""
    active = session.assessments.active
    if active is None or active.key == AS_READ:
        return []
    if not Path(active.key).is_file():
        raise NoCommandError(f"no option names the assessment in use ({active.label}); use the one as read (F7)")
    return [f"--assessment={active.key}"]


def _edits_to_write(session: Session, project: Project | None) -> tuple[AssessmentEdit, ...] | None:
    """The edits of the assessment for ``--edits``; None if the files of the benchmark contain them."""
    edits = session.edits.levels if session.assessments.active is None else ()
    saved = {} if project is None else project.edits.levels
    if {edit.pair: edit for edit in edits} == saved:
        return None
    present = {edit.pair for edit in edits}
    restored = (replace(edit, level=edit.former) for pair, edit in saved.items() if pair not in present)
    return (*edits, *restored)


def _edits_path(name: str, text: str) -> Path:
    """File of edits in the folder of user data; its name depends on the content."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return copied_edits_folder() / f"{file_name(name, digest)}.json"


def _benchmark_word(path: Path) -> str:
    try:
        if path.resolve() == resource("demo").resolve():
            return "demo"
    except FileNotFoundError:
        pass
    return str(path if path.is_absolute() else path.resolve())


def command_line(arguments: Sequence[str]) -> str:
    """A command line that the shell of this system splits into these arguments.

    Examples
    --------
    >>> command_line(["table", "demo", "runs", "--measure=AP(rel=2)"])  # doctest: +SKIP
    "shrec-viewer table demo runs '--measure=AP(rel=2)'"
    """
    words = ["shrec-viewer", *arguments]
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def style_arguments(session: Session, request: Request) -> list[str]:
    """Options of the command ``figure`` for styles of runs that were changed."""
    if not content_of(request).has_styles:
        return []
    shown = getattr(request, "runs", ())
    return [
        f"--style={name}={' '.join(style).rstrip()}"
        for name, style in changed_styles(session).items()
        if not shown or name in shown
    ]


def figure_command(start: Sequence[str], request: Request, name: str, options: Sequence[str] = ()) -> str:
    """Command line of a figure.

    Parameters
    ----------
    start : see `benchmark_arguments`.
    name : of the file.
    options : styles, width and palette.
    """
    benchmark, *conventions = start
    kind, *chosen = request.arguments("figure")
    return command_line(["figure", benchmark, kind, *conventions, *chosen, *options, f"--output={name}"])


def table_command(start: Sequence[str], request: Request, name: str, options: Sequence[str] = ()) -> str:
    """Command line of a table; parameters as of `figure_command`, `options` are format and digits."""
    benchmark, *conventions = start
    kind, *chosen = request.arguments("table")
    return command_line(["table", benchmark, kind, *conventions, *chosen, *options, f"--output={name}"])
