"""Renderers that live for a test file."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shrec_viewer.render.renderer import Renderer, open_renderer


@pytest.fixture(scope="module", params=["gl", "software"])
def renderer(request: pytest.FixtureRequest) -> Iterator[Renderer]:
    try:
        opened = open_renderer(request.param)
    except RuntimeError as error:
        pytest.skip(f"no OpenGL here: {error}")
    yield opened
    opened.close()


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mount a small file system; skipped without the privileges to do so."""
    place = tmp_path / "small"
    place.mkdir()

    def mounted(options: str) -> Path:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, check=False)
        if done.returncode:
            pytest.skip("only an administrator may mount a small disk")
        return place

    if sys.platform != "linux":
        pytest.skip("mounts a tmpfs")
    yield mounted
    subprocess.run(["umount", place], capture_output=True, check=False)
