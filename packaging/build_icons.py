"""Render the icons of the program in all sizes: python packaging/build_icons.py [FOLDER]."""

import os
import sys
from pathlib import Path

ICONS = Path(__file__).parents[1] / "resources" / "icons"

SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
"""Sizes in pixels of the icon theme hicolor that desktops use."""

SHARP = (16, 22, 24)
"""Sizes with a drawing that follows the pixels; scaled down, the common one is blurred."""


def source(size: int) -> Path:
    """Drawing from which an icon is rendered."""
    return ICONS / (f"shrec-viewer-{size}.svg" if size in SHARP else "shrec-viewer.svg")


def build(folder: Path) -> None:
    """Write ``hicolor/SIZExSIZE/apps/shrec-viewer.png`` below a folder."""
    from PySide6.QtCore import QRectF, Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        QSvgRenderer(str(source(size))).render(painter, QRectF(0, 0, size, size))
        painter.end()
        path = folder / f"hicolor/{size}x{size}/apps/shrec-viewer.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        image.save(str(path))


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QGuiApplication

    app = QGuiApplication([])
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else ICONS)
