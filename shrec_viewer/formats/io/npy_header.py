"""Read the header of an array file of numpy (`.npy`), whose content may be hostile."""

from typing import IO, Any

import numpy as np


class NpyHeaderError(ValueError):
    """The header is damaged; the text is the reason."""


def read_npy_header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether the order is Fortran's, and type; the stream is then at the first value.

    numpy (2.4) limits headers to 10,000 bytes, but accepts ``True`` as a length, and raises many types of exceptions.

    Raises
    ------
    NpyHeaderError
        When it is not a header of an array with a shape of integers above -1.
    """
    try:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, is_fortran, dtype = read(stream)
    except Exception as error:  # SyntaxError, TokenError, TypeError, RecursionError, MemoryError and more
        raise NpyHeaderError("has a damaged NumPy header") from error
    if not all(type(length) is int and length >= 0 for length in shape):
        raise NpyHeaderError(f"has a damaged NumPy header: the shape {str(shape)[:80]} is not one of integers above -1")
    return shape, bool(is_fortran), dtype
