"""Puts together what needs more than the window itself: session and pictures."""

from PySide6.QtCore import QObject

from shrec_viewer.viewmodels.drawn_pictures import open_drawn_pictures
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.thumbnails import Thumbnails


def make_session(parent: QObject, *, pictures: bool) -> Session:
    """A session with nothing open; `pictures` has its models drawn and keeps the drawings between two starts."""
    thumbnails = Thumbnails(open_drawn_pictures if pictures else None)
    session = Session(thumbnails, parent)
    thumbnails.setParent(session)
    return session
