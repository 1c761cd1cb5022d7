"""Archives inside a benchmark, read like the folders they were made from: `method_X.zip` with the lists of a run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.archive import is_called_archive, unpack
from shrec_viewer.formats.journal import Journal, count_of
from shrec_viewer.formats.plan import Plan
from shrec_viewer.formats.survey import ARCHIVE, Sniff, Survey, survey_folder

DEEPEST = 2
"""Archives in archives that are opened: a contest's `submissions.zip` with one `method_X.zip` each."""


@dataclass(eq=False)
class Opened:
    """What the archives of a benchmark held.

    Attributes
    ----------
    surveys : of the folders that they were unpacked into.
    folders : folder of each archive.
    """

    surveys: list[Survey] = field(default_factory=list)
    folders: dict[Path, Path] = field(default_factory=dict)

    def in_plan(self, plan: Plan) -> Plan:
        """The plan with the folders instead of the archives that it names."""
        return replace(
            plan,
            models=self._folder(plan.models),
            query_files=self._folder(plan.query_files),
            only_runs=self._folder(plan.only_runs),
            runs=tuple(replace(entry, path=self.folders.get(entry.path, entry.path)) for entry in plan.runs),
        )

    def _folder(self, path: Path | None) -> Path | None:
        return self.folders.get(path, path) if path is not None else None


def open_archives(
    surveys: Sequence[Survey], named: Sequence[Path], sniff: Sniff, journal: Journal, cancelled: Callable[[], bool]
) -> Opened:
    """Unpack every archive in some folders, those that are named, and those inside.

    One that cannot be unpacked is an error finding.
    """
    done = Opened()
    waiting = [found.path for survey in surveys for found in survey.files(ARCHIVE)]
    waiting += [path for path in dict.fromkeys(named) if is_called_archive(path) and path not in waiting]
    for _ in range(DEEPEST):
        inside = []
        for path in waiting:
            try:
                folder = unpack(path)
                journal.mount(folder, path)
                survey = survey_folder(folder, sniff, journal, cancelled)
            except FormatError as error:
                journal.failed(error, "left out")
                continue
            journal.info(path, f"archive of {count_of(len(survey.files()), 'file')}", "read like a folder")
            done.surveys.append(survey)
            done.folders[path] = folder
            inside += [found.path for found in survey.files(ARCHIVE)]
        waiting = inside
    for path in waiting:
        journal.warning(path, "an archive in an archive in an archive", "not looked into")
    return done
