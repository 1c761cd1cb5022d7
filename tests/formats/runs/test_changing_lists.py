"""Folders of rank lists that another program rewrites while they are read: one version of the run, or an error."""

import numpy as np
import pytest
from tiny_benchmark import LISTS, write_tiny

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.discovery.benchmark import read_benchmark, reload_run


class Rewriter:
    """Callback between two lists that rewrites the run "poor" as "good", at the given calls."""

    def __init__(self, folder, calls):
        self.folder, self.calls, self.count = folder / "runs" / "poor", set(calls), 0

    def __call__(self):
        self.count += 1
        if self.count in self.calls:
            for query, ids in LISTS["good"].items():
                (self.folder / query).write_text(ids.replace(" ", "\n") + "\n", encoding="utf-8")
        return False


@pytest.fixture
def benchmark(tmp_path):
    return read_benchmark(write_tiny(tmp_path / "tiny"))


def test_lists_that_are_rewritten_between_two_of_them_are_read_again(benchmark):
    rewriter = Rewriter(benchmark.root, [3])
    reloaded = reload_run(benchmark, 1, cancelled=rewriter)
    assert rewriter.count > 5 + 2
    np.testing.assert_array_equal(reloaded.run.ranking.items, benchmark.run("good").ranking.items)
    assert not any(finding.severity == "error" for finding in reloaded.findings)


def test_lists_that_change_at_each_reading_are_an_error(benchmark):
    with pytest.raises(FormatError, match="changed while it was read, 3 times in a row: it") as raised:
        reload_run(benchmark, 1, cancelled=Rewriter(benchmark.root, range(1, 99)))
    assert raised.value.path.parent.name == "poor"


def test_changing_run_does_not_keep_the_others_from_being_read(benchmark):
    found = read_benchmark(benchmark.root, cancelled=Rewriter(benchmark.root, range(1, 999)))
    assert [run.name for run in found.runs] == ["good"]
    (error, *others) = [finding for finding in found.findings if finding.severity.value == "error"]
    assert others == []
    assert error.file.startswith("runs/poor/")
    assert "changed while it was read" in error.message
    assert error.action == "the run is ignored"
