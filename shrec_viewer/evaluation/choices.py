"""Values and defaults of options of evaluations; imports nothing else, as the command line lists them in its help."""

from typing import Literal

#: Unit of a bootstrap: queries or whole classes (``"auto"``: see `resampling_unit`).
Resample = Literal["auto", "query", "class"]

#: Default number of judged ranks of each list: the first page of results, as in the E-measure.
JUDGED_SCOPE = 32

#: Default number of random pairs that are judged. At a generality of 1 %, the 95 % interval is about 0.6 percentage
#: points to each side; if no pair is relevant, the generality is below 0.3 % (3 / n).
SAMPLE_SIZE = 1000

#: Beginning of the mark of the means over a slice in the column query of scores; its name with _ for blanks follows.
SLICE = "slice:"

#: Bootstrap resamples: the limits of a 95 % interval then vary by about 1 % of its width.
RESAMPLES = 10_000

#: Seed of the random generators; fixed so that results are reproducible.
SEED = 2006

#: Difference of two means up to which runs are practically equivalent.
ROPE = 0.01
