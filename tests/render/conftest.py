"""Renderers that live for a test file."""

from collections.abc import Iterator

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
