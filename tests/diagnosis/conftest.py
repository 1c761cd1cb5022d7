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


@pytest.fixture(scope="session")
def scores_of():
    """Average precision of the runs of a real contest under the default profile."""
    from functools import cache

    from independent_loaders import data_folder

    from shrec_viewer.evaluation.evaluate import evaluate
    from shrec_viewer.formats.discovery.benchmark import read_benchmark
    from shrec_viewer.metrics import find_profile

    @cache
    def read(name: str):
        return evaluate(read_benchmark(data_folder(name)), find_profile("default"), measures=["AP"])

    return read
