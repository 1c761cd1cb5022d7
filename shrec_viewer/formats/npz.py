"""NumPy's `.npz`: the one matrix among its arrays."""

import zipfile
from io import BytesIO
from pathlib import Path
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Cancelled, Finding, FormatError, Severity
from shrec_viewer.formats.blocks import whole
from shrec_viewer.formats.journal import some
from shrec_viewer.formats.packed import MOST_BYTES, MOST_RATIO, SMALL
from shrec_viewer.formats.text import Head, read_head, reason
from shrec_viewer.formats.watch import NOBODY, Watch

ZIP_MAGIC = b"PK\x03\x04"
NAME_AT = 30
"""Where the name of the first member stands in a zip; its length stands four bytes before."""


def is_npz(head: Head) -> bool:
    """Whether it is a zip whose first member is called an array."""
    length = int.from_bytes(head.data[26:28], "little")
    return head.data.startswith(ZIP_MAGIC) and head.data[NAME_AT : NAME_AT + length].endswith(b".npy")


def read_npz(path: Path, watch: Watch = NOBODY) -> tuple[NDArray[np.floating], list[Finding]]:
    """The matrix of a file, (R, M) float; the largest where there are several, with a finding.

    Raises
    ------
    FormatError
        When the file is damaged, or holds no matrix of real numbers.
    """
    head = read_head(path)
    try:
        source = BytesIO(whole(path, head.size, watch)) if head.packed else path
        with zipfile.ZipFile(source) as archive, catch_warnings():
            simplefilter("ignore")  # of headers that Python 2 wrote
            found = _matrices(path, archive, watch)
    except OSError as error:
        raise FormatError(path, reason(error)) from error
    except (FormatError, Cancelled):
        raise
    except Exception as error:  # zipfile and numpy let nearly anything through for broken files
        raise FormatError(path, "is a damaged .npz file") from error
    if not found:
        raise FormatError(path, "holds no matrix of real numbers")
    name, values = max(found, key=lambda item: item[1].size)
    findings = []
    if len(found) > 1:
        names = [f"'{other}' ({matrix.shape[0]:,} x {matrix.shape[1]:,})" for other, matrix in found]
        message = f"holds {len(found)} matrices: {some(names)}"
        findings.append(Finding(Severity.WARNING, str(path), None, message, f"'{name}' is read, the largest"))
    wide = np.float32 if values.dtype in (np.float16, np.float32) else np.float64
    return np.asarray(values, wide), findings


def _matrices(path: Path, archive: zipfile.ZipFile, watch: Watch) -> list[tuple[str, NDArray[np.generic]]]:
    """Name and values of each array with two axes longer than 1 that holds real numbers."""
    found = []
    done = 0
    for member in archive.infolist():
        if member.file_size > min(MOST_BYTES, max(SMALL, MOST_RATIO * member.compress_size)):
            raise FormatError(path, f"'{member.filename}' would unpack to far more than real data does")
        with archive.open(member) as stream:
            version = np.lib.format.read_magic(stream)
            header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, fortran, dtype = header(stream)
            if len(shape) == 2 and min(shape) > 1 and dtype.kind in "fiub" and dtype.itemsize <= 8:
                values = np.frombuffer(stream.read(), dtype, shape[0] * shape[1])
                values = values.reshape(shape, order="F" if fortran else "C")
                found.append((member.filename.removesuffix(".npy"), values))
        done += member.file_size
        watch.step(path, done, done)
    return found
