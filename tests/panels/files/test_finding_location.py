"""The query of a finding is the one that the reader matched its file to."""

import pytest
from sample_benchmark import write_sample_benchmark

from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.viewmodels.files.finding_location import locate_finding


@pytest.mark.parametrize("name", ["q1", "q1.txt", "Q1", "q01.txt"])
def test_file_of_a_list_is_that_of_its_query(tmp_path, name):
    folder = write_sample_benchmark(tmp_path / "sample")
    found = folder / "runs/A1/q1"
    found.write_text(found.read_text() + "m99 9.5\n")
    found.rename(found.with_name(name))
    benchmark = read_benchmark(folder)
    run = [run.name for run in benchmark.runs].index("A1")
    assert benchmark.runs[run].present[0]
    finding = next(finding for finding in benchmark.findings if finding.file == f"runs/A1/{name}")
    place = locate_finding(benchmark, finding)
    assert (place.run, place.query, place.line) == (run, 0, finding.line)
