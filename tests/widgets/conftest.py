"""Makes `widget_models` importable from the folders of this layer, and applies themes for single tests."""

from functools import partial

import pytest

from shrec_viewer.widgets.style.theme import LIGHT, apply_relevance_preset, apply_theme


@pytest.fixture
def use_theme(qapp):
    """A function that applies a theme; after the test, the light one is applied with the usual marks of relevance."""
    apply_theme(qapp, LIGHT)
    yield partial(apply_theme, qapp)
    apply_theme(qapp, LIGHT)
    apply_relevance_preset(qapp, "ordinal")
