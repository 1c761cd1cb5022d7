"""What was noticed about meshes while they were drawn, as findings."""

from pathlib import Path

from shrec_viewer.domain.finding import Finding, Severity
from shrec_viewer.render.thumbnail import Thumbnail

SHOWN = "a placeholder with this reason is shown instead of a picture"

DRAWN = "drawn as far as possible"


def picture_finding(path: Path, problem: str, root: Path) -> Finding:
    """The finding of a file that has no picture.

    Parameters
    ----------
    path : the mesh or picture.
    problem : `Thumbnail.problem`.
    root : folder of the benchmark; files within are named from there.
    """
    return Finding(Severity.WARNING, _place(path, root), None, problem, SHOWN)


def mended_finding(path: Path, note: str, root: Path) -> Finding:
    """The finding of a file that was drawn although something was wrong with it: one of `Thumbnail.notes`."""
    return Finding(Severity.INFO, _place(path, root), None, note, DRAWN)


def findings_of(path: Path, thumbnail: Thumbnail, root: Path) -> list[Finding]:
    """All there is to say about one file that was drawn, or was not."""
    mended = [mended_finding(path, note, root) for note in thumbnail.notes]
    return mended if thumbnail.problem is None else [*mended, picture_finding(path, thumbnail.problem, root)]


def _place(path: Path, root: Path) -> str:
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()
