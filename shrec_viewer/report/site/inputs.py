"""Inputs of a site with their SHA-256."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.evaluate import Progress

#: Bytes read at a time.
_CHUNK = 1 << 20

#: Raises `Cancelled` to end the work.
Checkpoint = Callable[[], None]


@dataclass(frozen=True)
class SiteInput:
    """A file, or the files of a folder, from which a site was built.

    Attributes
    ----------
    path : relative to the benchmark with forward slashes; the name of a file or folder elsewhere. No absolute paths:
        they say where the organiser keeps files.
    files : number of files; 0 if it cannot be read.
    size : bytes.
    sha256 : of the file; of a folder, that of the sorted digests of its files, one per line with a final newline.
    """

    path: str
    files: int
    size: int
    sha256: str


def input_paths(benchmark: Benchmark) -> list[Path]:
    """Files and folders with truth and runs, sorted by their names in the site."""
    sources = dict.fromkeys((*benchmark.sources, *(run.source for run in benchmark.runs if not run.expression)))
    return sorted(sources, key=lambda path: (relative_name(path, benchmark.root), str(path)))


def relative_name(path: Path, root: Path) -> str:
    """Path of an input as the site shows it; see `SiteInput.path`."""
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.name


def hash_inputs(
    benchmark: Benchmark, checkpoint: Checkpoint, progress: Progress | None
) -> tuple[dict[Path, SiteInput], SiteInput | None]:
    """Inputs by path, and the models and queries together; None if none has a file."""
    sources = input_paths(benchmark)
    models = sorted({*benchmark.files()})
    total, done = len(sources) + len(models), 0
    found: dict[Path, SiteInput] = {}
    for path in sources:
        if progress is not None:
            progress(done, total, "input file")
        found[path] = _hashed(relative_name(path, benchmark.root), list(_files(path)), checkpoint)
        done += 1
    digests, size = [], 0
    for path in models:
        if progress is not None:
            progress(done, total, "model file")
        digest, length = _digest(path, checkpoint)
        digests.append(digest)
        size += length
        done += 1
    if not models:
        return found, None
    return found, SiteInput("models and queries", len(models), size, combined_digest(digests))


def combined_digest(digests: Sequence[str]) -> str:
    """SHA-256 of several digests, independent of their order and of the names of the files."""
    return sha256("".join(f"{digest}\n" for digest in sorted(digests)).encode()).hexdigest()


def digest_of_runs(benchmark: Benchmark, inputs: Mapping[Path, SiteInput]) -> dict[str, str]:
    """SHA-256 of the source of each submitted run, by its name."""
    return {run.name: inputs[run.source].sha256 for run in benchmark.runs if not run.expression}


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            yield Path(folder, name)


def _hashed(name: str, files: Sequence[Path], checkpoint: Checkpoint) -> SiteInput:
    found = [_digest(file, checkpoint) for file in files]
    known = [(digest, size) for digest, size in found if digest]
    digests = [digest for digest, _ in known]
    digest = digests[0] if len(files) == 1 and digests else combined_digest(digests)
    return SiteInput(name, len(known), sum(size for _, size in known), digest if known else "")


def _digest(path: Path, checkpoint: Checkpoint) -> tuple[str, int]:
    """SHA-256 and size of a file; "" and 0 if it cannot be read or is a device."""
    digest, size = sha256(), 0
    try:
        if not path.is_file():
            return "", 0
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                checkpoint()
                digest.update(chunk)
                size += len(chunk)
    except OSError:
        return "", 0
    return digest.hexdigest(), size
