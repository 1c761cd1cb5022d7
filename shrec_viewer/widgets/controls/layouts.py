"""Rows and columns of widgets."""

from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget


@dataclass(frozen=True)
class Stretch:
    """Space that takes a share of what is left."""

    factor: int = 1


#: A widget or layout, alone or with its stretch factor or alignment; stretchable space; or pixels of space.
Part = QWidget | QLayout | Stretch | int | tuple[QWidget | QLayout, int | Qt.AlignmentFlag]

#: Pixels at all sides, or left, top, right and bottom.
Margins = int | tuple[int, int, int, int]

Box = TypeVar("Box", bound=QBoxLayout)


def row_of(*parts: Part, spacing: int | None = None, margins: Margins | None = None) -> QHBoxLayout:
    """Parts from left to right; spacing and margins are those of the style unless given."""
    return _filled(QHBoxLayout(), parts, spacing, margins)


def column_of(*parts: Part, spacing: int | None = None, margins: Margins | None = None) -> QVBoxLayout:
    """Parts from top to bottom; spacing and margins as of `row_of`."""
    return _filled(QVBoxLayout(), parts, spacing, margins)


def _filled(layout: Box, parts: tuple[Part, ...], spacing: int | None, margins: Margins | None) -> Box:
    if spacing is not None:
        layout.setSpacing(spacing)
    if margins is not None:
        layout.setContentsMargins(*(margins if isinstance(margins, tuple) else (margins,) * 4))
    for part in parts:
        content, option = part if isinstance(part, tuple) else (part, 0)
        alignment = option if isinstance(option, Qt.AlignmentFlag) else Qt.AlignmentFlag(0)
        stretch = 0 if isinstance(option, Qt.AlignmentFlag) else option
        if isinstance(content, QWidget):
            layout.addWidget(content, stretch, alignment)
        elif isinstance(content, QLayout):
            layout.addLayout(content, stretch)
        elif isinstance(content, Stretch):
            layout.addStretch(content.factor)
        else:
            layout.addSpacing(content)
    return layout
