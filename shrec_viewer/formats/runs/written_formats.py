"""Keys of the formats that runs are written in; imports nothing else, as the command line lists them in its help."""

from typing import Literal

#: Keys of `formats.runs.writers.WRITERS`, in its order.
WrittenFormat = Literal["trec", "ranklist", "npy", "text", "matrix", "submission"]
