"""A few hundred seeded inputs of every fuzzer; ``tests/bench/bench_fuzz.py`` runs 100,000 and more."""

import logging

import pytest
from fuzz_targets import TARGETS, run_input

COUNTS = {"meshes": 40, "pictures": 40}
"""Inputs of slower targets; 60 of the others."""


@pytest.fixture(autouse=True)
def logging_is_enabled_again():
    yield
    logging.disable(logging.NOTSET)  # a fuzzer disables warnings


@pytest.mark.parametrize("target", TARGETS)
def test_every_input_is_read_or_refused(target, tmp_path):
    for number in range(COUNTS.get(target, 60 if target.startswith("read") else 30)):
        run_input(target, number, tmp_path)
