"""Lists that are alone in folders named after queries are one run; in folders of other names they are not."""

import pytest
from made_folders import QUERIES, benchmark_files, order, write

from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark, reload_run
from shrec_viewer.formats.discovery.submission import read_submission
from shrec_viewer.formats.preview.preview import preview

NAMES = ["{}.txt", "ranking.txt", "result.csv"]
FOLDER = "runs/A/{}/"


def files_of(name, folder=FOLDER, header=""):
    lists = {folder.format(query) + name.format(query): header + "\n".join(order(query)) + "\n" for query in QUERIES}
    return {**benchmark_files(), **lists}


def listed(benchmark, run):
    lists = run.ranking
    return [[benchmark.collection.ids[item] for item in lists.items[lists.rows(row)]] for row in range(len(QUERIES))]


@pytest.mark.parametrize("name", NAMES)
def test_one_list_in_each_folder_of_a_query_is_one_run(tmp_path, name, subtests):
    root = write(tmp_path, files_of(name))
    right = [order(query) for query in QUERIES]
    benchmark = read_benchmark(root)
    (run,) = benchmark.runs
    assert (run.name, listed(benchmark, run)) == ("A", right)
    assert not [finding for finding in benchmark.findings if finding.severity is not Severity.INFO]
    assert any("alone in a folder named after its query" in finding.message for finding in benchmark.findings)
    with subtests.test("named by the command line, a benchmark.toml and --add"):
        named = read_benchmark(root, BenchmarkParts(runs=root / "runs/A"))
        assert listed(named, *named.runs) == right
        (added,) = read_submission(benchmark, root / "runs/A").runs
        assert listed(benchmark, added.run) == right
        (root / "benchmark.toml").write_text('[[runs]]\npath = "runs/A"\nname = "mine"\n')
        (of_manifest,) = read_benchmark(root).runs
        assert (of_manifest.name, listed(benchmark, of_manifest)) == ("mine", right)
    with subtests.test("read again, and in the import dialog"):
        assert listed(benchmark, reload_run(benchmark, 0).run) == right
        shown = preview(root / "runs/A", benchmark=benchmark)
        assert (shown.problem, shown.rows[0].cells) == ("", (order(QUERIES[0])[0],))


@pytest.mark.parametrize("folder", ["runs/A/team{}/", "runs/{}/"])
def test_folders_of_other_names_are_runs_of_their_own(tmp_path, folder):
    files = {name.replace("Q", "team"): text for name, text in files_of("Q1.txt", folder).items() if "runs" in name}
    files = {name.replace("team1.txt", "Q1.txt"): text for name, text in files.items()}
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), **files}))
    assert len(benchmark.runs) == len(QUERIES)
