"""Store of former versions of runs: scores and the first ranks of their lists, one file each, in the user's folder."""

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, Finding, FormatError, RankedLists, Severity
from shrec_viewer.formats.io.archive_names import has_archive_suffix
from shrec_viewer.formats.io.atomic import atomic_path, write_text_atomic
from shrec_viewer.formats.io.schema import Codec, read_data, stored, to_data
from shrec_viewer.formats.io.text import library_errors

#: Versions of one run that are kept, besides its baseline and those with a note.
MAX_VERSIONS = 20

#: Size of the versions of all runs of a benchmark, besides baselines and noted ones; the oldest are deleted first.
MAX_BYTES = 200 * 2**20

#: Size of the largest file that is read: ten times that of the largest one written.
MAX_FILE_BYTES = 64 * 2**20

#: Size of the arrays of a file; a damaged file could declare any size.
MAX_UNPACKED_BYTES = 512 * 2**20

#: Characters of a note.
MAX_NOTE = 10_000

SUFFIX, NOTE_SUFFIX, BASELINE_SUFFIX = ".npz", ".note", ".baseline"

SCHEMA = "shrec-viewer/version/1"

Means = Annotated[Mapping[str, float], "NaN where it is undefined"]

#: Former versions stored null for NaN.
_CODECS = {
    Means: Codec(
        Mapping[str, float | None], lambda means: {key: np.nan if mean is None else mean for key, mean in means.items()}
    )
}


@dataclass(frozen=True, eq=False)
class VersionRecord:
    """The lists and scores of one version of a run.

    Attributes
    ----------
    run, participant : names.
    time : when it was recorded, seconds since the epoch.
    hash : digest of the content of the file or folder; see `content_digest`.
    digest : digest of the lists, which depends on nothing else.
    collection : digest of the ids that `lists` refers to; see `collection_digest`.
    profile : key of the profile of `means`.
    means : mean over queries by key of the measure.
    lists : first ranks of each list in the order of the run, with the query itself; None where they would be too large.
    is_complete : whether `lists` contains all ranks.
    """

    run: str
    participant: str
    time: float
    hash: str
    digest: str
    collection: str
    profile: str
    means: Means
    lists: RankedLists | None = field(metadata=stored(None))
    is_complete: bool = field(metadata=stored("complete"))


@dataclass(frozen=True, eq=False)
class StoredVersion:
    """A version in the store, with what the user adds to it.

    Attributes
    ----------
    file : its file.
    record : the record; without lists if it was read by `history`.
    note : text of the user.
    baseline : whether the values of the run are compared with this version.
    """

    file: Path
    record: VersionRecord
    note: str = ""
    baseline: bool = False


@dataclass(frozen=True)
class VersionHistory:
    """Versions of a run, oldest first, and findings about files that cannot be read."""

    versions: tuple[StoredVersion, ...] = ()
    findings: tuple[Finding, ...] = field(default=())


def benchmark_folder(folder: Path, path: Path, benchmark: Benchmark) -> Path:
    """Folder of the versions of a benchmark.

    Parameters
    ----------
    folder : folder of the store.
    path : what was opened; an archive is unpacked into another folder each time.
    """
    source = path if has_archive_suffix(path) else benchmark.root
    return folder / hashlib.sha256(os.fsencode(os.path.realpath(source))).hexdigest()[:24]


def content_digest(path: Path) -> str:
    """SHA-256 of a file, or of all files of a folder with their names; "" if it cannot be read."""
    digest = hashlib.sha256()
    try:
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        for file in files:
            if file != path:
                digest.update(os.fsencode(file.relative_to(path).as_posix()) + b"\0%d\0" % file.stat().st_size)
            with file.open("rb") as stream:
                while block := stream.read(2**20):
                    digest.update(block)
    except OSError:
        return ""
    return digest.hexdigest()


def collection_digest(benchmark: Benchmark) -> str:
    """Digest of the ids of models and queries: lists of indices are valid for the same ids only."""
    digest = hashlib.sha256()
    for ids in (benchmark.collection.ids, benchmark.queries.ids):
        digest.update("\0".join(ids).encode("utf-8", "surrogatepass") + b"\0\0")
    return digest.hexdigest()


def lists_digest(lists: RankedLists) -> str:
    """Digest of the lists."""
    digest = hashlib.sha256()
    for array in (lists.indptr, lists.items, lists.present):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


class VersionStore:
    """The versions of the runs of one benchmark.

    A version is a file that is written once, complete or not at all, and never changed, so that neither a crash nor a
    second window can damage the others. Notes and the mark of the baseline are files of their own.

    Parameters
    ----------
    folder : see `benchmark_folder`; created by the first version.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, record: VersionRecord) -> bool:
        """Store a version unless the newest one of the run has the same content; whether it was stored.

        Before the first version of a run, those of the same run in another store are linked; see `_link_former`. Then
        the oldest versions of the run, and of all runs, are deleted; see `MAX_VERSIONS` and `MAX_BYTES`.

        Raises
        ------
        OSError
            When it cannot be written.
        """
        if (newest := self.newest(record.run) or self._link_former(record)) is not None:
            known = newest.record
            if (known.digest, known.collection) == (record.digest, record.collection) and known.hash == record.hash:
                return False
            # The order of the names is that of the versions, also where the clock was set back.
            record = replace(record, time=max(record.time, known.time + 1e-3))
        self._folder.mkdir(parents=True, exist_ok=True)
        name = f"{_run_key(record.run)}.{round(record.time * 1e6):020d}.{record.hash[:16]}{SUFFIX}"
        with atomic_path(self._folder / name) as draft, draft.open("wb") as file:
            np.savez_compressed(file, **_arrays(record))
            file.flush()
            os.fsync(file.fileno())
        self._shrink(record.run)
        return True

    def _link_former(self, record: VersionRecord) -> StoredVersion | None:
        """Link the versions of a run from another store whose newest one has the same content and ids; that one.

        The folder of the store follows from the path of the benchmark, so that it is another one after the benchmark
        was moved or copied. Versions are never changed, and notes and baselines are replaced as files: what changes in
        one store does not change in the other.
        """
        matching = []
        for folder in sorted(self._folder.parent.glob("*/")) if record.hash else ():
            store = VersionStore(folder)
            newest = store.newest(record.run)
            known = None if newest is None else newest.record
            if known is not None and (known.hash, known.collection) == (record.hash, record.collection):
                versions = store._files(record.run)
                matching.append((known.time, len(versions), versions))
        if not matching:
            return None
        versions = max(matching, key=itemgetter(0, 1))[2]
        self._folder.mkdir(parents=True, exist_ok=True)
        baseline = versions[0].with_name(f"{_run_key(record.run)}{BASELINE_SUFFIX}")
        for file in (baseline, *(path for one in versions for path in (one.with_suffix(NOTE_SUFFIX), one))):
            if file.exists():
                _link(file, self._folder / file.name)
        return self.newest(record.run)

    def newest(self, run: str) -> StoredVersion | None:
        """The newest version of a run that can be read, without its lists; None for none."""
        for file in reversed(self._files(run)):
            with suppress(FormatError):
                return self._read(file, with_lists=False)
        return None

    def history(self, run: str) -> VersionHistory:
        """All versions of a run, without their lists, and findings about those that cannot be read."""
        versions, findings = [], []
        for file in self._files(run):
            try:
                versions.append(self._read(file, with_lists=False))
            except FormatError as error:
                message = f"a stored version of '{run}' cannot be read: {error.reason}"
                findings.append(Finding(Severity.WARNING, str(file), None, message, "left out of the history"))
        return VersionHistory(tuple(versions), tuple(findings))

    def load(self, version: StoredVersion) -> StoredVersion:
        """The version with its lists; FormatError when it cannot be read."""
        return self._read(version.file, with_lists=True)

    def runs(self) -> tuple[str, ...]:
        """Names of all runs with versions, also of those that were deleted."""
        found: dict[str, None] = {}
        for key in dict.fromkeys(file.name.split(".")[0] for file in self._all_files()):
            for file in reversed([file for file in self._all_files() if file.name.startswith(f"{key}.")]):
                with suppress(FormatError):
                    found[self._read(file, with_lists=False).record.run] = None
                    break
        return tuple(found)

    def set_note(self, version: StoredVersion, note: str) -> None:
        """Store the note of a version; "" deletes it. OSError when it cannot be written."""
        path = version.file.with_suffix(NOTE_SUFFIX)
        if note:
            write_text_atomic(path, note[:MAX_NOTE])
        else:
            path.unlink(missing_ok=True)

    def set_baseline(self, run: str, version: StoredVersion | None) -> None:
        """Make a version the baseline of its run; None for no baseline. OSError when that cannot be written."""
        path = self._folder / f"{_run_key(run)}{BASELINE_SUFFIX}"
        if version is None:
            path.unlink(missing_ok=True)
        else:
            write_text_atomic(path, version.file.name)

    def _baseline(self, run_key: str) -> str:
        try:
            return (self._folder / f"{run_key}{BASELINE_SUFFIX}").read_text(encoding="utf-8")[:200]
        except (OSError, UnicodeDecodeError):
            return ""

    def _all_files(self) -> list[Path]:
        return sorted(self._folder.glob(f"[!.]*{SUFFIX}"))

    def _files(self, run: str) -> list[Path]:
        """Files of the versions of a run, oldest first."""
        prefix = f"{_run_key(run)}."
        return [file for file in self._all_files() if file.name.startswith(prefix)]

    def _read(self, file: Path, *, with_lists: bool) -> StoredVersion:
        record = read_record(file, with_lists=with_lists)
        note = ""
        with suppress(OSError):
            note = file.with_suffix(NOTE_SUFFIX).read_bytes()[: 4 * MAX_NOTE].decode("utf-8", "replace")[:MAX_NOTE]
        return StoredVersion(file, record, note, self._baseline(_run_key(record.run)) == file.name)

    def _shrink(self, run: str) -> None:
        """Delete what exceeds the limits: never a baseline, a version with a note, nor the newest one of this run.

        The newest versions of other runs are deleted last; they exceed the limit only if hundreds of runs are large.
        """
        own = self._files(run)
        for file in own[: max(0, len(own) - MAX_VERSIONS)]:
            self._delete(file)
        files = self._all_files()
        newest = {file.name.split(".")[0]: file for file in files}
        sizes = {file: _size(file) for file in files}
        total = sum(sizes.values())
        by_age = sorted(files, key=lambda file: file.name.partition(".")[2])
        former = [file for file in by_age if file not in newest.values()]
        for file in (*former, *(file for file in by_age if file in newest.values())):
            if total <= MAX_BYTES:
                break
            if file != newest.get(_run_key(run)) and self._delete(file):
                total -= sizes[file]

    def _delete(self, file: Path) -> bool:
        if self._baseline(file.name.split(".")[0]) == file.name or file.with_suffix(NOTE_SUFFIX).exists():
            return False
        with suppress(OSError):
            file.unlink(missing_ok=True)
        return True


def read_record(file: Path, *, with_lists: bool = True) -> VersionRecord:
    """A version from its file.

    Raises
    ------
    FormatError
        When the file cannot be read or is damaged.
    """
    with library_errors(file, "is damaged"):  # zipfile and numpy raise many types on damaged files
        if file.stat().st_size > MAX_FILE_BYTES:
            raise FormatError(file, f"has more than {MAX_FILE_BYTES:,} bytes, the limit")
        with zipfile.ZipFile(file) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MAX_UNPACKED_BYTES:
                raise FormatError(file, f"has more than {MAX_UNPACKED_BYTES:,} bytes of data, the limit")
        with np.load(file, allow_pickle=False) as arrays:
            return _record(file, arrays, with_lists=with_lists)


def _record(file: Path, arrays: Any, *, with_lists: bool) -> VersionRecord:
    found = json.loads(arrays["meta"].tobytes())
    if found["schema"] != SCHEMA:
        raise FormatError(file, "is of another version of the program")
    lists = None
    if with_lists and "items" in arrays:
        lists = _checked_lists(file, arrays["indptr"], arrays["items"], arrays["present"])
    record, _ = read_data(VersionRecord, found, _CODECS, lists=lists)
    if record is None:
        raise FormatError(file, "is damaged")
    return record


def _checked_lists(file: Path, indptr: NDArray[Any], items: NDArray[Any], present: NDArray[Any]) -> RankedLists:
    kinds = [array.dtype.name for array in (indptr, items, present)]
    is_whole = (
        kinds == ["int64", "int32", "bool"] and indptr.ndim == items.ndim == 1 and len(indptr) == len(present) + 1
    )
    if not is_whole or indptr[0] != 0 or indptr[-1] != len(items) or np.any(np.diff(indptr) < 0):
        raise FormatError(file, "is damaged")
    return RankedLists(indptr, items, None, present)


def _arrays(record: VersionRecord) -> dict[str, Any]:
    meta = {"schema": SCHEMA, **to_data(record)}
    arrays: dict[str, NDArray[Any]] = {"meta": np.frombuffer(json.dumps(meta).encode(), np.uint8)}
    if record.lists is not None:
        arrays |= {"indptr": record.lists.indptr, "items": record.lists.items, "present": record.lists.present}
    return arrays


def _link(file: Path, target: Path) -> None:
    try:
        os.link(file, target)
    except FileExistsError:  # another window links them at the same time
        pass
    except OSError:  # a file system without hard links
        with atomic_path(target) as draft:
            shutil.copyfile(file, draft)


def _run_key(run: str) -> str:
    """Beginning of the names of a run's files; names of runs may contain slashes, or differ in case only."""
    return hashlib.sha256(run.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:  # deleted by another window
        return 0
