"""What is to be said about a benchmark as a whole: what it lacks, what was passed over, why a folder is none."""

from collections.abc import Sequence
from pathlib import Path

from shrec_viewer.domain import Assessment, Benchmark, ClassAssessment, FormatError
from shrec_viewer.formats.context import Context
from shrec_viewer.formats.journal import Journal, count_of, some
from shrec_viewer.formats.labels import LabelTable
from shrec_viewer.formats.manifest import MANIFEST_NAME, PROJECT_SUFFIX
from shrec_viewer.formats.material import Material
from shrec_viewer.formats.matrix import MatrixFile
from shrec_viewer.formats.naming import AMBIGUOUS, IdIndex
from shrec_viewer.formats.placing import Placed, Placing
from shrec_viewer.formats.runs import Candidate
from shrec_viewer.formats.survey import EMPTY, MESH, PICTURE, Found
from shrec_viewer.formats.text import read_head

UNREAD = (
    (
        (".zip", ".rar", ".7z", ".tar", ".bz2", ".xz", ".tgz"),
        "archive",
        "unpack them if they hold runs or models",
    ),
)
"""Files that may well matter, but are not read: endings, what they are, what to do."""


OTHER_SPLIT = 0.9
"""Share of a folder's lists that must be named after the ids of a table to be lists over it."""

SHOWN_FILES = 4
"""Files that a sentence about a folder of unknown things quotes."""

SHOWN_LETTERS = 40


def note_files(context: Context, placing: Placing, source: Path) -> None:
    """Models and queries without a file, and files without an id: one finding each.

    `source`: the file that lists the models.
    """
    journal = context.journal
    _note_placed(placing.models, context.collection.ids, ("model has", "models have"), source, journal)
    _note_placed(placing.queries, context.queries.ids, ("query has", "queries have"), journal.root, journal)
    if placing.strays:
        names = [journal.place(path) for path in placing.strays]
        told = count_of(len(names), "mesh or picture is", "meshes or pictures are")
        journal.info(journal.root, f"{told} of no model: {some(names)}", "left out")


def _note_placed(placed: Placed, ids: Sequence[str], nouns: tuple[str, str], source: Path, journal: Journal) -> None:
    missing = [name for name, path in zip(ids, placed.paths, strict=False) if path is None]
    if placed.n_found and missing:
        message = f"{count_of(len(missing), *nouns)} no file: {some(sorted(missing))}"
        journal.warning(source, message, "kept, shown without a picture")
    for rule, (count, word) in placed.rules.items():
        if rule == AMBIGUOUS:
            message = f"file '{word}' could belong to several ids"
            journal.warning(journal.root, message, "left out", count=count)
        else:
            journal.info(journal.root, f"files match {rule}: '{word}' for one", "read so", count=count)
    if placed.spare:
        message = f"several files have the same id: {some([path.name for path in placed.spare])}"
        journal.info(journal.root, message, "meshes before pictures, the first counts")


def note_whole(context: Context, candidates: Sequence[Candidate], n_runs: int, profile: str | None) -> None:
    """What the benchmark lacks, and which profile might be meant where none is named."""
    journal, queries, assessment = context.journal, context.queries, context.assessment
    if not len(queries):
        journal.warning(journal.root, "there are no queries", "the models can be looked at")
    elif assessment is None:
        message = "there is no truth: neither classes of models and queries nor an assessment"
        journal.warning(journal.root, message, "lists can be looked at, but nothing can be measured")
    if not n_runs:
        lost = " that could be read" if candidates else ""
        journal.warning(journal.root, f"there are no runs{lost}", "there is nothing to measure")
    square = any(isinstance(found.source, MatrixFile) for found in candidates)
    all_ask = queries.are_the_collection and len(queries) == len(context.collection)
    if profile is None and all_ask and square and _is_one_class(assessment):
        message = "a square matrix over a classification, as Princeton's tools evaluate it"
        action = "evaluated under the default profile; --profile psb follows Princeton"
        journal.info(journal.root, message, action)


def _is_one_class(assessment: Assessment | None) -> bool:
    return isinstance(assessment, ClassAssessment) and not assessment.graded


def note_unused(material: Material, benchmark: Benchmark, journal: Journal) -> None:
    """Files of which no finding has spoken yet: one finding."""
    spoken = journal.mentioned
    runs = {journal.place(run.source) for run in benchmark.runs}
    unused = []
    for found in material.files():
        if found.kind in (MESH, PICTURE):
            continue
        place = journal.place(found.path)
        is_manifest = found.path.name == MANIFEST_NAME or found.path.suffix.lower() == PROJECT_SUFFIX
        if not is_manifest and place not in spoken and journal.place(found.path.parent) not in runs:
            unused.append(place)
    for suffixes, noun, action in UNREAD:
        names = [place for place in unused if Path(place).suffix.lower() in suffixes]
        if names:
            message = f"{count_of(len(names), noun)} not looked into: {some(names)}"
            journal.warning(journal.root, message, action)
            unused = [place for place in unused if place not in names]
    if unused:
        message = f"{count_of(len(unused), 'file is', 'files are')} no part of the benchmark: {some(unused)}"
        journal.info(journal.root, message, "passed over")


def note_other_splits(
    material: Material, tables: Sequence[LabelTable], candidates: Sequence[Candidate], journal: Journal
) -> None:
    """Folders of lists that answer the queries of another table, which is left aside: one finding each."""
    taken = {candidate.source.path for candidate in candidates}
    indices = [(table, IdIndex(table.ids)) for table in tables]
    for folder in material.lists:
        if folder.path in taken or not folder.names:
            continue
        known = [table for table, index in indices if index.share(folder.names, exact=True) >= OTHER_SPLIT]
        if known:
            for file in folder.files:
                journal.mention(file.path)
            named, place = journal.place(known[0].path), journal.place(folder.path)
            message = f"{count_of(len(folder.names), 'rank list')} for the models of '{named}', which is left aside"
            action = f"not measured; to measure them instead: --classification {named} --runs {place}"
            journal.warning(folder.path, message, action)


def nothing_usable(root: Path, material: Material) -> FormatError:
    """Why a folder is no benchmark: the first file that was meant to be part of one, else what is missing."""
    if material.failures:
        return material.failures[0]
    files = material.files()
    if not files:
        return FormatError(root, "is empty: a benchmark has models, a classification or runs")
    is_one = len(files) == 1
    who = "its only file is not" if is_one else f"none of its {count_of(len(files), 'file')} is"
    why = f"is no benchmark: {who} a mesh, a classification or a run"
    quoted = [f"'{found.path.name}' {_beginning(found)}" for found in files[:SHOWN_FILES]]
    name = files[0].path.name
    options = f"--classification '{name}' or --runs '{name}' says what a file is"
    return FormatError(root, f"{why}: {'; '.join(quoted)}; {options}")


def _beginning(found: Found) -> str:
    """How a file begins, as part of a sentence."""
    if found.kind == EMPTY:
        return "is empty"
    try:
        head = read_head(found.path)
    except FormatError as error:
        return error.why
    if head.text is None:
        return "is no text"
    line = next(iter(head.lines), "").strip()
    return f"begins with '{line[:SHOWN_LETTERS]}{'...' if len(line) > SHOWN_LETTERS else ''}'"
