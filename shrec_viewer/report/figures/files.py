"""Files of a figure: one, or for PGF with images one and its images next to it."""

import hashlib
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from shrec_viewer.formats.io.atomic import atomic_file
from shrec_viewer.report.figures.content import FigureContent
from shrec_viewer.report.figures.rendering import FigureFormat, figure_parts

#: Contents of files by their paths; the images of a PGF file are before it.
FigureFiles = Mapping[Path, bytes]

#: Digits of the hash in the name of an image: another image has another name, so that no file is overwritten.
DIGEST_DIGITS = 10


def figure_files(
    content: FigureContent,
    form: FigureFormat,
    path: Path,
    width: float,
    palette: str = "default",
    checkpoint: Callable[[], None] | None = None,
) -> FigureFiles:
    """The files of a figure whose main one is `path`; parameters as of `figure_parts`.

    Names of images have letters, digits and hyphens only, as LaTeX interprets other characters.
    """
    if checkpoint is not None:
        checkpoint()
    main, images = figure_parts(content, form, width, palette)
    stem = re.sub("[^A-Za-z0-9]+", "-", path.stem).strip("-") or "figure"
    files: dict[Path, bytes] = {}
    for name, image in images.items():
        unique = f"{stem}-{hashlib.sha256(image).hexdigest()[:DIGEST_DIGITS]}.png"
        main = main.replace(name.encode(), unique.encode())
        files[path.with_name(unique)] = image
    return {**files, path: main}


def write_figure_files(files: FigureFiles) -> None:
    """Write files completely, or none of them.

    Raises
    ------
    FormatError
        If a file cannot be written.
    """
    created: list[Path] = []
    try:
        for path, content in files.items():
            is_new = not path.exists()
            with atomic_file(path) as draft:
                draft.write_bytes(content)
            created += [path] if is_new else []
    except BaseException:
        for path in created:
            with suppress(OSError):
                path.unlink()
        raise
