"""Words of the generality panel."""

import math

from shrec_viewer.numerals import listed


def scope_name(scope: int) -> str:
    """What the graph of a relevant scope is called, two blanks, what it shows.

    Examples
    --------
    >>> scope_name(1), scope_name(4)
    ('GRiP  Recall = precision within c places', 'GR4P  Recall within 4c places')
    """
    return "GRiP  Recall = precision within c places" if scope == 1 else f"GR{scope}P  Recall within {scope}c places"


def generality_words(doublings: float) -> str:
    """A generality as a fraction.

    Examples
    --------
    >>> generality_words(0.0), generality_words(3.0), generality_words(4.1), generality_words(10.75)
    ('g = 1', 'g = 1/8', 'g = 1/17.1', 'g = 1/1,722')
    """
    whole = 2.0**doublings
    if whole == 1.0:
        return "g = 1"
    return f"g = 1/{whole:,.0f}" if whole >= 100 or whole == round(whole) else f"g = 1/{whole:.3g}"


def embedding_words(doublings: float, kept: int | None, irrelevant: int | None) -> str:
    """The embedding that is looked at.

    Examples
    --------
    >>> embedding_words(3.0, 728, 1710), embedding_words(3.0, None, None)
    ('g = 1/8: 728 of 1,710 irrelevant models', 'g = 1/8 for every query')
    """
    if kept is None or irrelevant is None:
        return f"{generality_words(doublings)} for every query"
    return f"{generality_words(doublings)}: {kept:,} of {irrelevant:,} irrelevant models"


def loss_words(run: str, loss: float, last: float) -> str:
    """What growing the collection costs.

    Examples
    --------
    >>> loss_words("K2", 0.0621, 0.0409)
    'Each doubling of the collection costs K2 0.062 of its recall on average; the last one cost 0.041.'
    >>> loss_words("K2", 0.0621, float("nan"))
    'Each doubling of the collection costs K2 0.062 of its recall on average.'
    >>> loss_words("K2", -0.001, float("nan"))
    'Doubling the collection costs K2 no recall.'
    >>> loss_words("K2", float("nan"), float("nan"))
    ''
    """
    if math.isnan(loss):
        return ""
    if loss < 0.0005:
        return f"Doubling the collection costs {run} no recall."
    words = f"Each doubling of the collection costs {run} {listed(loss)} of its recall on average"
    return f"{words}." if math.isnan(last) else f"{words}; the last one cost {listed(last)}."
