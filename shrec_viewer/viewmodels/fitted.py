"""Pixels made elsewhere as Qt paints them fastest."""

from PySide6.QtGui import QImage

from shrec_viewer.render.fitting import fit


def fitted(stored: bytes, pixels: int) -> QImage | None:
    """A stored picture as `render.fitting.fit` makes it; None where it is none. For a thread beside the window.

    Not with Qt: `QImage.fromData` holds the interpreter for 0.5 ms a picture, and its thread takes it again before the
    window has woken up, which waited for up to 0.8 s. Qt's reader lets it go, and then waits for it with a lock of Qt's
    in its hands, while the window has the interpreter and waits for the lock.
    """
    made = fit(stored, pixels)
    return None if made is None else screen_image(*made)


def screen_image(pixels: bytes, width: int, height: int) -> QImage:
    """An image of blue, green, red and alpha, the colours multiplied by alpha; it owns its memory."""
    return QImage(pixels, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()
