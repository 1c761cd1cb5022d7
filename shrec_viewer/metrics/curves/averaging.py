"""Ways of averaging curves over queries; imports nothing else, as the command line lists them in its help."""

from collections.abc import Mapping
from typing import Literal

#: Ways of averaging curves over queries: at equal recall; at equal relevant scope and generality; at equal rank; as the
#: mean over classes of the means of their queries (macro average).
CurveAveraging = Literal["recall", "generality", "rank", "class"]

#: Text of each way of averaging.
AVERAGING_LABELS: Mapping[CurveAveraging, str] = {
    "recall": "equal recall",
    "generality": "equal relevant scope and generality",
    "rank": "equal rank",
    "class": "mean over classes",
}
