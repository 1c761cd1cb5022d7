"""Colour, dash and marker of each run: assigned once by name, stored per benchmark, independent of other runs."""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal

from shrec_viewer.domain import Benchmark, Run
from shrec_viewer.formats.io.atomic import write_text_atomic
from shrec_viewer.render.scene.palette import DASHES, MARKERS, SERIES, RunStyle, StyleSlot, run_style

N_COLOURS = len(SERIES["light"])

Slots = Mapping[str, StyleSlot]
"""Slot by name of the run, also of runs that were removed: they get the same style again when they return."""


def assign_slots(runs: Sequence[Run], known: Slots) -> dict[str, StyleSlot]:
    """Slots of all runs; those in `known` are kept, and every other run gets one that no run has.

    A participant has one colour, and its runs differ in dash. From the ninth participant on colours are shared, and
    markers distinguish the runs, as they do for more than five runs of a participant. There are 200 slots; more runs
    share them.
    """
    slots = dict(known)
    colours = {run.participant: slots[run.name].colour for run in reversed(runs) if run.name in slots}
    used = set(slots.values())
    for run in runs:
        if run.name in slots:
            continue
        if run.participant not in colours:
            count = Counter(colours.values())
            colours[run.participant] = min(range(N_COLOURS), key=lambda colour: (count[colour], colour))
        slots[run.name] = _free_slot(colours, run.participant, used)
        used.add(slots[run.name])
    return slots


def _free_slot(colours: Mapping[str, int], participant: str, used: set[StyleSlot]) -> StyleSlot:
    """The first unused slot of a participant's colour, with its own marker if possible; else of any colour."""
    colour = colours[participant]
    own = [name for name, index in colours.items() if index == colour].index(participant) % len(MARKERS)
    markers = [*range(own, len(MARKERS)), *range(own)]
    of_colour = (StyleSlot(colour, dash, marker) for marker, dash in product(markers, range(len(DASHES))))
    of_others = (StyleSlot(*slot) for slot in product(range(N_COLOURS), range(len(DASHES)), range(len(MARKERS))))
    return next((slot for slot in (*of_colour, *of_others) if slot not in used), StyleSlot(colour, 0, own))


def distinct_style(style: RunStyle, used: Iterable[RunStyle]) -> RunStyle:
    """`style`, with another dash or marker if a run in `used` looks the same."""
    taken = {_look(other) for other in used}
    markers, dashes = dict.fromkeys((style.marker, "", *MARKERS[1:])), dict.fromkeys((style.dash, *DASHES))
    candidates = (style._replace(dash=dash, marker=marker) for marker, dash in product(markers, dashes))
    return next((candidate for candidate in candidates if _look(candidate) not in taken), style)


def _look(style: RunStyle) -> tuple[str, str, str]:
    return style.colour.upper(), style.dash, style.marker


class StyledSession(Protocol):
    """The part of `Session` that `RunStyles` uses; a protocol, since `Session` imports this module."""

    edits: Any

    @property
    def benchmark(self) -> Benchmark | None:
        """See `Session`."""

    @property
    def path(self) -> Path | None:
        """See `Session`."""


class RunStyles(QObject):
    """Styles of the runs of the open benchmark.

    A run keeps its style when other runs are added, removed or reloaded, and when the benchmark is opened again.

    Attributes
    ----------
    folder : folder with one file per benchmark, read when a benchmark is opened; None stores nothing.

    Signals
    -------
    changed()
        Styles of open runs changed: a colour was chosen, or a project was restored.
    """

    changed = Signal()

    def __init__(self, session: StyledSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.folder: Path | None = None
        self._path: Path | None = None
        self._runs: Sequence[Run] = ()
        self._slots: dict[str, StyleSlot] = {}
        session.edits.colours_changed.connect(self.changed)

    def styles(self, theme: str) -> tuple[RunStyle, ...]:
        """Styles of all runs of the benchmark, in their order, in a theme; with the colours that the user chose.

        A chosen colour keeps dash and marker of the run, unless another run has all three.
        """
        benchmark, chosen = self._session.benchmark, self._session.edits.colours
        if benchmark is None:
            return ()
        slots = self.slots()
        found = [run_style(slots[run.name], theme) for run in benchmark.runs]
        used = {style for run, style in zip(benchmark.runs, found, strict=True) if run.name not in chosen}
        for index, run in enumerate(benchmark.runs):
            if run.name in chosen:
                found[index] = distinct_style(found[index]._replace(colour=chosen[run.name]), used)
                used.add(found[index])
        return tuple(found)

    def slots(self) -> Slots:
        """Slots of the open benchmark's runs; new ones are assigned and stored."""
        benchmark = self._session.benchmark
        if self._session.path != self._path:
            self._path, self._runs = self._session.path, ()
            self._slots = self._read()
        if benchmark is not None and benchmark.runs is not self._runs:
            self._runs, former = benchmark.runs, self._slots
            self._slots = assign_slots(benchmark.runs, former)
            if self._slots != former:
                self._write()
        return self._slots

    def restore(self, slots: object) -> None:
        """Use the slots of a project, three numbers by name of the run; other runs get new ones."""
        former = dict(self.slots())
        if not isinstance(slots, Mapping):  # of a project without styles
            return
        self._runs, self._slots = (), _valid_slots(slots)
        if self.slots() != former:
            self.changed.emit()

    def _file(self) -> Path | None:
        if self.folder is None or self._path is None:
            return None
        return self.folder / f"{hashlib.sha256(os.fsencode(self._path.resolve())).hexdigest()[:24]}.json"

    def _read(self) -> dict[str, StyleSlot]:
        try:
            path = self._file()
            return {} if path is None else _valid_slots(json.loads(path.read_text(encoding="utf-8"))["runs"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):  # no such file, or damaged
            return {}

    def _write(self) -> None:
        path = self._file()
        if path is None:
            return
        content = {"path": str(self._path), "runs": {name: list(slot) for name, slot in self._slots.items()}}
        with suppress(OSError):  # where the folder cannot be written, styles last until the program ends
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text_atomic(path, json.dumps(content))  # ASCII: names may have bytes that are not UTF-8


def _valid_slots(slots: object) -> dict[str, StyleSlot]:
    """The valid entries of stored slots; the first of several runs with the same slot."""
    found: dict[str, StyleSlot] = {}
    for name, indices in slots.items() if isinstance(slots, Mapping) else ():
        if not isinstance(indices, Sequence) or [type(index) for index in indices] != [int, int, int]:
            continue
        slot = StyleSlot(*indices)
        sizes = (N_COLOURS, len(DASHES), len(MARKERS))
        is_valid = all(0 <= index < size for index, size in zip(slot, sizes, strict=True))
        if is_valid and slot not in found.values():
            found[str(name)] = slot
    return found


def run_styles_folder() -> Path:
    """Folder of the files with the styles of each benchmark on this system."""
    from platformdirs import user_data_path

    return user_data_path("shrec-viewer", appauthor=False) / "run_styles"
