"""An array that grows while a file is parsed: in the cache, from where it is mapped, or else in memory."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.parse_cache import ParseCache, read_kept

GROWTH = 1.25
"""By how much memory grows when it is full; the system moves pages, it copies nothing."""


class Growing:
    """Values in the order in which they come.

    Used in a ``with`` block: what was not finished is forgotten.

    Parameters
    ----------
    dtype : of the values.
    cache, key : where they are kept, and as what; None: in memory.
    """

    def __init__(self, dtype: np.dtype[Any], cache: ParseCache | None = None, key: str | None = None) -> None:
        self._dtype = dtype
        self._cache = cache
        self._key = key
        self._draft = cache.draft(key) if cache is not None else None
        self._values = np.zeros(0, dtype)
        self._count = 0

    def __enter__(self) -> "Growing":
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Forget what was not finished."""
        if self._draft is not None:
            self._draft.close()

    def __len__(self) -> int:
        return self._count

    def append(self, values: NDArray[Any]) -> None:
        """Put (n,) values behind the others."""
        if self._draft is not None and not self._draft.append(values):
            self._values = self._draft.written(self._dtype)
            self._draft.close()
            self._draft = None
        if self._draft is None:
            end = self._count + len(values)
            if end > len(self._values):
                self._values.resize(max(end, int(GROWTH * len(self._values))), refcheck=False)
            self._values[self._count : end] = values
        self._count += len(values)

    def finish(self, shape: tuple[int, ...], words: dict[str, Any], key: str | None) -> NDArray[Any] | None:
        """All values in a shape, mapped from the cache where they are kept there.

        None where somebody cleared the cache this very moment: then the file has to be parsed again, without it.

        Parameters
        ----------
        shape : of the array; its size is the number of values.
        words : what is kept beside the array.
        key : as what it would be kept now; if that has changed, the file has, and nothing is kept.
        """
        if self._draft is None:
            self._values.resize(self._count, refcheck=False)
            return self._values.reshape(shape)
        assert self._cache is not None
        if key is not None and key == self._key and self._draft.keep(self._dtype, shape, words):
            try:
                return read_kept(self._cache.path(key), is_checked=False)[0]
            except (OSError, ValueError):
                return None
        return self._draft.written(self._dtype).reshape(shape)
