"""Models of mesh views, with their captions and frames."""

from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.domain import UNKNOWN_ITEM


@dataclass(frozen=True)
class MeshPane:
    """One model of a mesh view.

    Attributes
    ----------
    key : unique within the view.
    role : header text: ``"Query"``, ``"M2, rank 12"``.
    title, detail, value : id; class; distance to the query.
    level : relevance level, -1 without an assessment; None for no mark.
    is_query : whether it has the frame of a query.
    problem : why there is no mesh; "" if there is one.
    is_binary : whether the assessment has no levels above 1.
    path : file; None with a `problem`.
    item : index in the collection, or `UNKNOWN_ITEM`.
    """

    key: str
    role: str
    title: str = ""
    detail: str = ""
    value: str = ""
    level: int | None = None
    is_query: bool = False
    problem: str = ""
    is_binary: bool = False
    path: Path | None = None
    item: int = UNKNOWN_ITEM
