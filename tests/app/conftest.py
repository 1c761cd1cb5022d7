"""Fixtures of the tests of windows."""

import pytest
from sessions import read_demo_once


@pytest.fixture(autouse=True, scope="session")
def demo_is_read_once():
    with pytest.MonkeyPatch.context() as patch:
        read_demo_once(patch)
        yield
