"""Derive distinct names and the participants of runs from their files and folders."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.io.archive import archive_stem, has_archive_suffix
from shrec_viewer.formats.manifest.manifest import RunEntry

RUN_SUFFIXES = re.compile(
    r"(\.(txt|matrix|npy|npz|tsv|json|run|trec|csv|dat|bin|dist|res|out|mat))?(\.gz)?$", re.IGNORECASE
)
"""Extensions of runfiles; anything else after a dot is part of the name: `TL.run3`."""

SPLITS = re.compile(r"(?:test|val|train)(?:_(?:normal|perturbed))?")
"""Folders named after a split of the data, not after a method (SHREC'16/'17: `Author_Method/test_normal`)."""

NOT_A_PARTICIPANT = re.compile(
    r"(?:all[-_ ]?)?(?:runs?|results?|submissions?|methods?|matri(?:x|ces)|(?:rank[-_ ]?)?lists?|dist(?:ances?)?|"
    r"outputs?|data|files|final|new|old|tests?|train|val|txt|npy|csv|mat|bin|text|binary)[-_ ]?[0-9]*",
    re.IGNORECASE,
)
"""Names of folders and runs that are not those of participants."""

RUN_CODE = re.compile(r"([A-Z])[0-9]{1,2}")
"""Codes of runs as in SHREC 2006: a letter for the participant and a number for the run."""

MAX_PARENT_FOLDERS = 3
"""Maximum number of parent folders in a name, for runs whose file names are equal."""


@dataclass(frozen=True)
class RunName:
    """Path, folders and manifest entry from which the name of a run is derived.

    Attributes
    ----------
    path : its file or folder.
    is_folder : it is a folder of lists.
    inside : folders that contain it, from the top, below the folder of the benchmark.
    entry : its entry in benchmark.toml; None for a run that was found.
    suffixes : extensions of its format.
    """

    path: Path
    is_folder: bool
    inside: tuple[str, ...]
    entry: RunEntry | None = None
    suffixes: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """Name of the folder, or of the file without the usual extensions."""
        name = self.path.name
        if not self.is_folder:
            if name.lower().endswith(self.suffixes) and self.suffixes:
                name = name[: -len(self.path.suffix)]
            return RUN_SUFFIXES.sub("", name) or name
        return "/".join((*self.inside[-1:], name)) if SPLITS.fullmatch(name) else name

    def longer(self, depth: int) -> str:
        """The short name after this many parent folders."""
        return "/".join((*self.inside[max(0, len(self.inside) - depth) :], self.short.rsplit("/", 1)[-1]))


def parent_folders(paths: Sequence[Path], findings_log: FindingsLog) -> list[tuple[str, ...]]:
    """Folders that contain each run, from the top: below the benchmark, or below what runs elsewhere have in common."""
    names = [Path(findings_log.name_of(path)) for path in paths]
    elsewhere = [name.parent for name in names if name.is_absolute()]
    shared = Path(os.path.commonpath(elsewhere)) if len({path.anchor for path in elsewhere}) == 1 else None
    found = []
    for path, name in zip(paths, names, strict=True):
        if has_archive_suffix(name) and archive_stem(name) != path.name:  # the only folder in an archive
            name = name / path.name
        if name.is_absolute():
            name = name.relative_to(shared) if shared is not None else Path(name.name)
        found.append(
            tuple(archive_stem(Path(part)) if has_archive_suffix(Path(part)) else part for part in name.parts[:-1])
        )
    return found


def unique_run_names(runs: Sequence[RunName], findings_log: FindingsLog) -> list[str]:
    """Distinct names, in the order of `runs`.

    Names of benchmark.toml are used as they are; a duplicate gets its participant as a prefix or a number as a suffix,
    with a finding. Other names get as much of their extension and of the parent folders as makes them distinct.
    """
    names = [run.entry.name if run.entry is not None and run.entry.name else "" for run in runs]
    named = [index for index, name in enumerate(names) if name]
    _resolve_manifest_names(runs, names, named, findings_log)
    taken = {names[index] for index in named}
    unnamed = [index for index, name in enumerate(names) if not name]
    for index in unnamed:
        names[index] = runs[index].short
    for depth in range(MAX_PARENT_FOLDERS + 1):
        counts = Counter(names[index] for index in unnamed)
        duplicates = [index for index in unnamed if counts[names[index]] > 1 or names[index] in taken]
        folders = Counter((names[index], runs[index].path.parent) for index in duplicates)
        for index in duplicates:
            run = runs[index]
            if depth:
                names[index] = run.longer(depth)
            elif names[index] in taken or folders[names[index], run.path.parent] > 1:
                names[index] = run.path.name
    for index in unnamed:
        names[index] = _unused_name(names[index], taken)
        taken.add(names[index])
        if names[index] != runs[index].short:
            message = f"duplicate run name '{runs[index].short}'"
            findings_log.info(runs[index].path, message, f"renamed to '{names[index]}'")
    return names


def _resolve_manifest_names(
    runs: Sequence[RunName], names: list[str], named: Sequence[int], findings_log: FindingsLog
) -> None:
    taken: set[str] = set()
    for index in named:
        entry, name = runs[index].entry, names[index]
        assert entry is not None
        if name in taken:
            qualified = f"{entry.participant}/{name}"
            names[index] = qualified if entry.participant and qualified not in taken else _unused_name(name, taken)
            file = entry.manifest if entry.manifest is not None else entry.path
            message = f"duplicate run name '{name}'"
            findings_log.warning(file, message, f"renamed to '{names[index]}'", line=entry.line)
        taken.add(names[index])


def _unused_name(name: str, taken: set[str]) -> str:
    number, found = 2, name
    while found in taken:
        found, number = f"{name} ({number})", number + 1
    return found


def find_participants(runs: Sequence[RunName], names: Sequence[str]) -> list[str]:
    """Participant of each run, from folders and names.

    The folder, if the runs are in several folders that can be those of participants (`Kim/run1`); the part before a
    dot (`TL.run3`); the part before an underscore that several runs share (`smith_LFD`, `smith_D2`); the letter of a
    code (`M2`), if most runs have one; else the name.
    """
    folders = [[part for part in run.inside if not NOT_A_PARTICIPANT.fullmatch(part)] for run in runs]
    n_shared = _n_shared_folders(folders)
    participants = [folder[n_shared] if len(folder) > n_shared else "" for folder in folders]
    plain = [run.short if name == run.path.name else name for run, name in zip(runs, names, strict=True)]
    for index, guess in enumerate(guess_participants(plain)):
        if NOT_A_PARTICIPANT.fullmatch(guess) and folders[index]:
            guess = folders[index][-1]
        participants[index] = participants[index] or guess
    return participants


def _n_shared_folders(folders: Sequence[Sequence[str]]) -> int:
    """Number of folders at the top that all runs share."""
    depth = 0
    while all(len(folder) > depth and folder[depth] == folders[0][depth] for folder in folders) and folders:
        depth += 1
    return depth


def guess_participants(names: Sequence[str]) -> list[str]:
    """Participant of each run by its name, see `find_participants`.

    Examples
    --------
    >>> guess_participants(["M2", "TL.run3", "smith_LFD", "smith_D2", "d2_l1"])
    ['M2', 'TL', 'smith', 'smith', 'd2_l1']
    >>> guess_participants(["M1", "M2", "S1"]), guess_participants(["VGG16", "VGG19", "run1", "run2"])
    (['M', 'M', 'S'], ['VGG16', 'VGG19', 'run1', 'run2'])
    """
    most_are_codes = 2 * sum(RUN_CODE.fullmatch(name) is not None for name in names) > len(names)
    prefixes = Counter(name.split("_")[0] for name in names if "_" in name)
    found = []
    for name in names:
        participant = name
        if "/" in name:
            participant = name.split("/")[0]
        elif "." in name.strip("."):
            participant = name.split(".")[0]
        elif "_" in name:
            participant = name.split("_")[0] if prefixes[name.split("_")[0]] > 1 else name
        elif RUN_CODE.fullmatch(name):
            participant = name[0] if most_are_codes else name
        found.append(name if not participant or NOT_A_PARTICIPANT.fullmatch(participant) else participant)
    return found
