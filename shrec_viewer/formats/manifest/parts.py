"""Parts of a benchmark set by the caller or the manifest, as absolute paths."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.read_choices import READ_OPTION_OF, split_roles
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.io.files import check_regular_file
from shrec_viewer.formats.manifest.manifest import Manifest, RunEntry


@dataclass(frozen=True)
class BenchmarkParts:
    """Parts of a benchmark that the caller sets; None: as in the manifest, else searched for in the folder.

    Attributes
    ----------
    classification : classes of the collection (`.cla`, table or lines).
    queries : folder with the files of the queries, or a file with their classes.
    assessment : qrels.
    models : folder with the files of the collection.
    runs : folder of runs, or one run file; no other runs are read.
    added : runs beside those of the benchmark: files, folders and archives.
    published : tables of published scores, beside those of the manifest.
    truth_columns : the role of each column of tables of truth, see TRUTH_ROLES, by which they are told apart: with
        classes it is that of `queries` if it has a column of queries, else of `classification`; others of `assessment`.
    read_options : options for reading the runs of `runs` and `added`, if one of these is given, else all runs; they
        override those of the manifest.
    profile : key of the profile that was chosen explicitly: that of a contest may fix the order of matrices.
    """

    classification: Path | None = None
    queries: Path | None = None
    assessment: Path | None = None
    models: Path | None = None
    runs: Path | None = None
    added: tuple[Path, ...] = ()
    published: tuple[Path, ...] = ()
    truth_columns: tuple[str, ...] = ()
    read_options: ReadOptions = DETECT_ALL
    profile: str | None = None

    @property
    def without_added(self) -> "BenchmarkParts":
        """The parts without `added`, and without options for reading that are meant for these alone."""
        if not self.added:
            return self
        return replace(self, added=(), read_options=DETECT_ALL if self.runs is None else self.read_options)

    @property
    def without_edits(self) -> "BenchmarkParts":
        """The parts without what the window adds as undoable edits: runs and published tables."""
        return replace(self.without_added, published=())


#: Options of the command line for False and True.
READ_FLAGS = {"query_line": ("--no-query-line", "--query-line"), "similarity": ("--distance", "--similarity")}


def part_arguments(parts: BenchmarkParts) -> list[str]:
    """The parts and the options for reading runs as options of the command line."""
    arguments = [f"--{name}={path}" for name, path in vars(parts).items() if isinstance(path, Path)]
    arguments += [f"--add={path}" for path in parts.added]
    arguments += [f"--published={path}" for path in parts.published]
    arguments += [f"--truth-columns={columns}" for columns in parts.truth_columns]
    for name, field in READ_OPTION_OF.items():
        value = getattr(parts.read_options, field)
        if isinstance(value, bool):
            arguments.append(READ_FLAGS[name][value])
        elif value is not None:
            arguments.append(f"--{name.replace('_', '-')}={value}")
    return arguments


def resolve_parts(manifest: Manifest | None, parts: BenchmarkParts) -> Manifest:
    """The manifest with the parts of the caller, which take precedence; None in a field: searched for in the folder.

    Raises
    ------
    FormatError
        When a part set by the caller does not exist, or is a device or a pipe.
    """
    declared = manifest if manifest is not None else Manifest(Path())
    names = ("classification", "queries", "assessment", "models", "runs")
    part = {name: _existing_absolute(getattr(parts, name)) for name in names}
    queries = part["queries"]
    is_folder = queries is not None and queries.is_dir()
    is_assessed, has_runs = part["assessment"] is not None, part["runs"] is not None
    columns = {table_of_columns(roles): roles for roles in parts.truth_columns}
    # Those of benchmark.toml are of the files that it names.
    declared_columns = {
        "collection": None if part["classification"] else declared.class_columns,
        "queries": None if queries is not None else declared.query_columns,
        "assessment": None if is_assessed else declared.level_columns,
    }
    of_classes, of_queries, of_levels = (columns.get(table, found) for table, found in declared_columns.items())
    return replace(
        declared,
        class_columns=of_classes,
        query_columns=of_queries,
        level_columns=of_levels,
        classification=part["classification"] or declared.classification,
        query_classification=queries if queries is not None and not is_folder else declared.query_classification,
        qrels=part["assessment"] or (declared.qrels if declared.derive is None else None),
        models=part["models"] or declared.models,
        query_models=queries if is_folder else declared.query_models,
        derive=None if is_assessed else declared.derive,
        runs=_lists_by_roles(part["runs"], parts.read_options) if has_runs else declared.runs,
        levels={} if is_assessed else declared.levels,
        only_listed_runs=declared.only_listed_runs and not has_runs,
        runs_in=part["runs"],
        read_options=parts.read_options,
        profile=parts.profile or declared.profile,
    )


def table_of_columns(roles: str) -> str:
    """Table of benchmark.toml of the file of truth with these roles of columns."""
    names = split_roles(roles)
    return "assessment" if "class" not in names else "queries" if "query" in names else "collection"


def _lists_by_roles(runs: Path | None, options: ReadOptions) -> tuple[RunEntry, ...]:
    """A folder of rank lists by the roles of their columns, which need not look like lists."""
    roles = split_roles(options.columns)
    return (RunEntry(runs),) if runs is not None and runs.is_dir() and roles and "query" not in roles else ()


def _existing_absolute(path: Path | None) -> Path | None:
    if path is None:
        return None
    if not os.path.exists(path):
        raise FormatError(path, "does not exist")
    check_regular_file(path)
    return Path(os.path.abspath(path))
