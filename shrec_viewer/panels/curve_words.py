"""Words of the panels of graphs."""

from shrec_viewer.metrics import CurveKind

BY_RANK = "Rank"
"""`CurveKind.x_label` of the curves that run along ranks."""


def choice_words(kind: CurveKind) -> str:
    """How a kind is offered in a narrow field: the key where it is well known, else what sets it apart.

    Examples
    --------
    >>> from shrec_viewer.metrics import find_curve
    >>> choice_words(find_curve("NCG")), choice_words(find_curve("PR11"))
    ('NCG  Normalised cumulated gain', '11 points')
    """
    if kind.x_label == BY_RANK:
        return f"{kind.key}  {kind.label}"
    if kind.key.endswith("(recall)"):
        name = kind.key.partition("(")[0]
        return f"{name}/k  {kind.label}"
    special = kind.label.partition(", ")[2] or kind.label
    return special[:1].upper() + special[1:]


def mean_words(kind: CurveKind) -> str:
    """What the mean of such curves is, for the tool tip.

    Examples
    --------
    >>> from shrec_viewer.metrics import find_curve
    >>> mean_words(find_curve("PR"))
    'Over all queries: mean precision against mean recall, at each rank.'
    """
    if kind.x_label == BY_RANK:
        return "Over all queries: the mean at each rank."
    if kind.average is not None and kind.key == "PR":
        return "Over all queries: mean precision against mean recall, at each rank."
    return "Over all queries: the mean at each recall."


def scope_words(scope: float) -> str:
    """A relevant scope s / c beside its line.

    Examples
    --------
    >>> scope_words(0.25), scope_words(1.0), scope_words(2.0), scope_words(23.9), scope_words(1 / 104)
    ('c/4', 'c', '2c', '23.9c', 'c/104')
    """
    if scope == 1.0:
        return "c"
    if scope > 1.0:
        return f"{scope:.3g}c"
    return f"c/{1.0 / scope:.3g}"


def rank_words(rank: int, class_size: int | None) -> str:
    """The rank in hand; as a multiple of the class size, which is its relevant scope, where there is one.

    Examples
    --------
    >>> rank_words(12, None), rank_words(52, 104), rank_words(1811, 7)
    ('rank 12', 'rank 52 (0.5 × class size)', 'rank 1,811 (259 × class size)')
    """
    return f"rank {rank:,}" if class_size is None else f"rank {rank:,} ({rank / class_size:.3g} × class size)"


def far_words(rank: int, shown: int) -> str:
    """Where a rank is that the graph does not reach.

    Examples
    --------
    >>> far_words(1811, 100)
    'rank 1,811 lies beyond the 100 shown'
    """
    return f"rank {rank:,} lies beyond the {shown:,} shown"
