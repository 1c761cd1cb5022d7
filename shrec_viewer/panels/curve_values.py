"""The values behind a graph of curves as columns: x once where the kind of curve shares it, else beside each."""

from collections.abc import Sequence

import numpy as np

from shrec_viewer.widgets.plot_curve import PlotCurve
from shrec_viewer.widgets.plot_reference import References
from shrec_viewer.widgets.plot_table import DECIMALS, Column


def columns_of(
    curves: Sequence[PlotCurve], references: References, x_label: str, y_label: str, *, own_x: bool = False
) -> list[Column]:
    """Columns of x and y, titled by axis and curve; references that are listed stand behind the curves.

    Parameters
    ----------
    own_x : every curve has x of its own by its kind, and so a pair of columns, even where the values agree: a program
        that reads the file finds the same columns whatever the lists are.
    """
    lines = [(curve.label, curve.x, curve.y) for curve in curves]
    lines += [(line.label, line.x, line.y) for line in references.lines if line.listed]
    if not lines:
        return []
    first = lines[0][1]
    decimals = 0 if x_label == "Rank" else DECIMALS
    shared = [] if own_x else [line for line in lines if np.array_equal(line[1], first)]
    columns: list[Column] = []
    if shared:
        columns.append(Column(x_label, first, decimals))
        columns += [Column(label, y) for label, _, y in shared]
        lines = [line for line in lines if not any(line is other for other in shared)]
    for label, x, y in lines:
        columns += [Column(f"{label}: {x_label.lower()}", x, decimals), Column(f"{label}: {y_label.lower()}", y)]
    return columns
