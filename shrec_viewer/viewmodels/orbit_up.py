"""How a collection is looked at: what the person chose, remembered, and which axis its models suggest as up."""

import json
import logging
from math import comb
from pathlib import Path
from typing import Any, Literal

from shrec_viewer.formats.atomic import write_whole
from shrec_viewer.render.camera import Camera
from shrec_viewer.render.up_axis import UpSuggestion

_log = logging.getLogger(__name__)

Up = Literal["Y", "Z"]

CHANCE = 0.01
"""How probable the majority may be, were every model to toss a coin; as in `render.up_axis`."""

MOST_REMEMBERED = 200
"""Collections whose camera is kept; those set longest ago are forgotten first."""


class CameraMemory:
    """Keeps how each collection is looked at in a file of its own.

    Parameters
    ----------
    path : the file; None remembers nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def camera_of(self, root: Path) -> Camera | None:
        """What was chosen for the collection at `root`; None where nothing was."""
        said = self._read().get(str(root.resolve()))
        if isinstance(said, str):  # the axis alone, as it was kept once
            said = {"up": said}
        return Camera().with_settings(said) if isinstance(said, dict) else None

    def remember(self, root: Path, camera: Camera) -> None:
        """Keep it; a disk that cannot be written is a warning."""
        if self._path is None:
            return
        known = self._read()
        known.pop(str(root.resolve()), None)
        known[str(root.resolve())] = camera.as_settings()
        kept = dict(list(known.items())[-MOST_REMEMBERED:])
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, json.dumps(kept, indent=1))
        except OSError as error:
            _log.warning("%s cannot be written (%s); the camera is not remembered", self._path, error)

    def _read(self) -> dict[str, Any]:
        if self._path is None or not self._path.exists():
            return {}
        try:
            known = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            _log.warning("%s cannot be read (%s); no camera is known", self._path, error)
            return {}
        return known if isinstance(known, dict) else {}


class UpVotes:
    """Counts how the models that were seen stand, and suggests an axis once a coin would hardly agree with them."""

    def __init__(self) -> None:
        self._votes: dict[Path, str] = {}

    def count(self, path: Path, vote: str) -> None:
        """A model was seen: it stands along ``"Y"``, along ``"Z"``, or says nothing (``""``)."""
        self._votes[path] = vote

    def suggestion(self) -> UpSuggestion:
        """What the models seen so far say; see `render.up_axis.suggest_up`."""
        votes = {axis: list(self._votes.values()).count(axis) for axis in ("Y", "Z")}
        total, most = sum(votes.values()), max(votes.values())
        chance = sum(comb(total, k) for k in range(most, total + 1)) / 2**total
        up: Up | None = None
        if chance < CHANCE:
            up = "Y" if votes["Y"] > votes["Z"] else "Z"
        return UpSuggestion(up, votes, len(self._votes))


def camera_memory() -> CameraMemory:
    """What is remembered where this system keeps settings."""
    from platformdirs import user_config_path

    return CameraMemory(user_config_path("shrec-viewer", appauthor=False) / "upright.json")
