"""A few hundred seeded inputs of every fuzzer; ``tests/bench/bench_fuzz.py`` runs 100,000 and more."""

import pytest
from fuzz_targets import TARGETS, run_input

COUNTS = {"meshes": 40, "pictures": 40}
"""Inputs of slower targets; 60 of the others."""


@pytest.mark.parametrize("target", TARGETS)
def test_every_input_is_read_or_refused(target, tmp_path):
    for number in range(COUNTS.get(target, 60 if target.startswith("read") else 30)):
        run_input(target, number, tmp_path)
