"""Files of few bytes that declare many models are refused before ids are made for them."""

import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.ids import natural_key, natural_order
from shrec_viewer.formats.discovery.benchmark import read_benchmark

MANY = 10**7 + 1


@pytest.mark.parametrize(("shape", "unit"), [((1, MANY), "models"), ((MANY, 1), "queries"), ((2, 2 * MANY), "models")])
def test_a_sparse_array_of_many_models_is_refused_at_once(tmp_path, shape, unit):
    with (tmp_path / "R.npy").open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": shape})
        stream.truncate(stream.tell() + 4 * shape[0] * shape[1])
    start = time.process_time()
    tracemalloc.start()
    with pytest.raises(FormatError, match=f"has more than 10,000,000 {unit}, the limit"):
        read_benchmark(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.process_time() - start < 2
    assert peak < 2e8


@given(st.integers(1, 300), st.booleans())
def test_numbers_from_1_are_in_natural_order(count, is_last_other):
    names = [str(number) for number in range(1, count + 1)]
    if is_last_other:
        names[-1] = "0"
    assert natural_order(names).tolist() == sorted(range(count), key=lambda index: natural_key(names[index]))
