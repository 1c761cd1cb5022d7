"""Names and participants of runs."""

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.io.archive import archive_stem, has_archive_suffix
from shrec_viewer.formats.manifest.manifest import RunEntry

RUN_SUFFIXES = re.compile(
    r"(\.(txt|matrix|npy|npz|tsv|json|run|trec|csv|dat|bin|dist|res|out|mat))?(\.gz)?$", re.IGNORECASE
)
"""Endings of runfiles; anything else behind a dot belongs to the name: `TL.run3`."""

SPLITS = re.compile(r"(?:test|val|train)(?:_(?:normal|perturbed))?")
"""Folders that say which data a run answers, not whose it is (SHREC'16/'17: `Author_Method/test_normal`)."""

NOT_A_PARTICIPANT = re.compile(
    r"(?:all[-_ ]?)?(?:runs?|results?|submissions?|methods?|matri(?:x|ces)|(?:rank[-_ ]?)?lists?|dist(?:ances?)?|"
    r"outputs?|data|files|final|new|old|tests?|train|val|txt|npy|csv|mat|bin|text|binary)[-_ ]?[0-9]*",
    re.IGNORECASE,
)
"""Names of folders and runs that name no participant."""

RUN_CODE = re.compile(r"([A-Z])[0-9]{1,2}")
"""Codes of runs as SHREC 2006 has them: a letter for the participant, a number for the run."""

MAX_PARENT_FOLDERS = 3
"""Folders that a name may begin with where the file alone does not tell two runs apart."""


@dataclass(frozen=True)
class RunName:
    """A run that needs a name.

    Attributes
    ----------
    path : its file or folder.
    is_folder : it is a folder of lists.
    inside : folders that it lies in, from the benchmark's down; none above the benchmark.
    entry : what the description says.
    """

    path: Path
    is_folder: bool
    inside: tuple[str, ...]
    entry: RunEntry | None = None

    @property
    def short(self) -> str:
        """Name of the folder, or of the file without the usual endings."""
        name = self.path.name
        if not self.is_folder:
            return RUN_SUFFIXES.sub("", name) or name
        return "/".join((*self.inside[-1:], name)) if SPLITS.fullmatch(name) else name

    def longer(self, depth: int) -> str:
        """The short name behind so many folders."""
        return "/".join((*self.inside[max(0, len(self.inside) - depth) :], self.short.rsplit("/", 1)[-1]))


def parent_folders(paths: Sequence[Path], findings_log: FindingsLog) -> list[tuple[str, ...]]:
    """Folders above each run, from the benchmark's down; of runs elsewhere, below the folder that they share."""
    places = [Path(findings_log.place(path)) for path in paths]
    elsewhere = [place.parent for place in places if place.is_absolute()]
    shared = Path(os.path.commonpath(elsewhere)) if len({path.anchor for path in elsewhere}) == 1 else None
    found = []
    for path, place in zip(paths, places, strict=True):
        if has_archive_suffix(place) and archive_stem(place) != path.name:  # the only folder in an archive
            place = place / path.name
        if place.is_absolute():
            place = place.relative_to(shared) if shared is not None else Path(place.name)
        found.append(
            tuple(archive_stem(Path(part)) if has_archive_suffix(Path(part)) else part for part in place.parts[:-1])
        )
    return found


def _without_ending(part: str) -> str:
    return archive_stem(Path(part)) if has_archive_suffix(Path(part)) else part


def unique_run_names(runs: Sequence[RunName], findings_log: FindingsLog) -> list[str]:
    """Distinct names, in the order of `runs`.

    What the description says is kept; where it says one name twice, the later gets its participant before it or a
    number behind it, and that is a finding. Others get as much of their ending and of the folders above as is needed.
    """
    names = [run.entry.name if run.entry is not None and run.entry.name else "" for run in runs]
    said = [place for place, name in enumerate(names) if name]
    _resolve_given_names(runs, names, said, findings_log)
    taken = {names[place] for place in said}
    rest = [place for place, name in enumerate(names) if not name]
    for place in rest:
        names[place] = runs[place].short
    ways: list[Callable[[RunName], str]] = [
        _with_suffix,
        *(_with_parents(depth) for depth in range(1, MAX_PARENT_FOLDERS + 1)),
    ]
    for way in ways:
        counts = Counter(names[place] for place in rest)
        alike = [place for place in rest if counts[names[place]] > 1 or names[place] in taken]
        folders = Counter((names[place], runs[place].path.parent) for place in alike)
        for place in alike:
            is_neighbour = names[place] in taken or folders[names[place], runs[place].path.parent] > 1
            if way is not _with_suffix or is_neighbour:
                names[place] = way(runs[place])
    for place in rest:
        names[place] = _unused_name(names[place], taken)
        taken.add(names[place])
        if names[place] != runs[place].short:
            message = f"another run is called '{runs[place].short}', too"
            findings_log.info(runs[place].path, message, f"this one is called '{names[place]}'")
    return names


def _with_suffix(run: RunName) -> str:
    return run.path.name


def _with_parents(depth: int) -> Callable[[RunName], str]:
    def name(run: RunName) -> str:
        return run.longer(depth)

    return name


def _resolve_given_names(
    runs: Sequence[RunName], names: list[str], said: Sequence[int], findings_log: FindingsLog
) -> None:
    taken: set[str] = set()
    for place in said:
        entry, name = runs[place].entry, names[place]
        assert entry is not None
        if name in taken:
            qualified = f"{entry.participant}/{name}"
            names[place] = qualified if entry.participant and qualified not in taken else _unused_name(name, taken)
            message = f"a second run is called '{name}'"
            where = entry.manifest if entry.manifest is not None else entry.path
            findings_log.warning(where, message, f"this one is called '{names[place]}'", line=entry.line)
        taken.add(names[place])


def _unused_name(name: str, taken: set[str]) -> str:
    number, found = 2, name
    while found in taken:
        found, number = f"{name} ({number})", number + 1
    return found


def find_participants(runs: Sequence[RunName], names: Sequence[str]) -> list[str]:
    """Participant of each run where nobody says.

    The folder, where runs of one benchmark lie in several that could be those of participants (`Kim/run1`); what stands
    before a dot (`TL.run3`); what stands before an underscore, where several runs share it (`smith_LFD`, `smith_D2`);
    the letter of a code (`M2`), where most runs are called so; a name without its last digit, where several runs share
    it (`TL1`, `TL2`); else the name. A number of two digits belongs to the method (`VGG16`).
    """
    folders = [[part for part in run.inside if not NOT_A_PARTICIPANT.fullmatch(part)] for run in runs]
    shared = _n_shared_folders(folders)
    owners = [folder[shared] if len(folder) > shared else "" for folder in folders]
    plain = [run.short if name == run.path.name else name for run, name in zip(runs, names, strict=True)]
    for place, guess in enumerate(guess_participants(plain)):
        if NOT_A_PARTICIPANT.fullmatch(guess) and folders[place]:
            guess = folders[place][-1]
        owners[place] = owners[place] or guess
    return owners


def _n_shared_folders(folders: Sequence[Sequence[str]]) -> int:
    """How many folders at the top all runs lie in."""
    depth = 0
    while all(len(folder) > depth and folder[depth] == folders[0][depth] for folder in folders) and folders:
        depth += 1
    return depth


def guess_participants(names: Sequence[str]) -> list[str]:
    """Participant of each run by the names alone, see `find_participants`.

    Examples
    --------
    >>> guess_participants(["M2", "TL.run3", "smith_LFD", "smith_D2", "d2_l1"])
    ['M2', 'TL', 'smith', 'smith', 'd2_l1']
    >>> guess_participants(["M1", "M2", "S1"]), guess_participants(["VGG16", "VGG19", "run1", "run2"])
    (['M', 'M', 'S'], ['VGG16', 'VGG19', 'run1', 'run2'])
    """
    are_codes = 2 * sum(RUN_CODE.fullmatch(name) is not None for name in names) > len(names)
    before = Counter(name.split("_")[0] for name in names if "_" in name)
    stems = Counter(_without_last_digit(name) for name in {*names})
    found = []
    for name in names:
        who = name
        if "/" in name:
            who = name.split("/")[0]
        elif "." in name.strip("."):
            who = name.split(".")[0]
        elif "_" in name:
            who = name.split("_")[0] if before[name.split("_")[0]] > 1 else name
        elif RUN_CODE.fullmatch(name):
            who = name[0] if are_codes else name
        elif stems[_without_last_digit(name)] > 1:
            who = _without_last_digit(name)
        found.append(name if not who or NOT_A_PARTICIPANT.fullmatch(who) else who)
    return found


def _without_last_digit(name: str) -> str:
    """A name without one digit at its end."""
    return re.sub(r"(?<![0-9])[-\s]*[0-9]$", "", name)
