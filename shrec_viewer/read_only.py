"""Arrays that several measures, panels and plug-ins share, and none of them can change."""

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, TypeVar, cast

import numpy as np

Array = TypeVar("Array", bound=np.ndarray[Any, Any])
Owner = TypeVar("Owner")

#: Kinds of dtypes whose arrays are made read-only; the others have no buffer or are not used.
NUMERIC = "biuf"


def read_only(array: Array) -> Array:
    """A view of a numeric array that cannot be written, without a copy.

    Unlike with an array whose flag is cleared, ``setflags(write=True)`` fails.

    Examples
    --------
    >>> levels = np.ones(3)
    >>> read_only(levels).setflags(write=True)
    Traceback (most recent call last):
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    if array.dtype.kind not in NUMERIC or _is_read_only(array):
        return array
    buffer: Any = array  # NumPy declares no buffers before Python 3.12
    view: Any = np.asarray(memoryview(buffer).toreadonly())
    return cast(Array, view)


def _is_read_only(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array is a result of `read_only`, or a part of one."""
    owner: Any = array.base
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return isinstance(owner, memoryview) and owner.readonly


def shared_array(compute: Callable[[Owner], Array]) -> cached_property[Array]:
    """A `cached_property` whose array is read-only."""

    @wraps(compute)
    def computed(owner: Owner) -> Array:
        return read_only(compute(owner))

    return cached_property(computed)


class ReadOnlyArrays:
    """Base class of frozen records whose arrays are replaced by read-only views."""

    def __post_init__(self) -> None:
        for name, value in list(vars(self).items()):
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, read_only(value))
