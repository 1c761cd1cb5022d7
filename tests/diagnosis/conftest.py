"""Makes the small benchmarks of the evaluation tests importable, and reads real contests once."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "evaluation"))


@pytest.fixture(scope="session")
def shrec06():
    from independent_loaders import data_folder

    from shrec_viewer.formats.discovery.benchmark import read_benchmark

    return read_benchmark(data_folder("shrec06"))
