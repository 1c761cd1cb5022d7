"""First lines of rank lists without distances: the query as the first result, or the name of the query."""

import json

import pytest
from click.testing import CliRunner
from made_folders import write

from shrec_viewer.cli.program import program
from shrec_viewer.domain import Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
from shrec_viewer.formats.preview.preview import preview
from shrec_viewer.metrics import find_profile

IDS = ("N1", "N2", "N3", "N4", "N5", "N6")
CLA = "PSB 1\n2 6\n\na 0 3\nN1\nN2\nN3\nb 0 3\nN4\nN5\nN6\n"
KEEP = find_profile("default+self_match=keep")


def lists(own, again=(), models=IDS, queries=IDS):
    """One list per query; those of `own` begin with the query, those of `again` name it again at the end."""
    files = {}
    for query in queries:
        words = [query] * (query in own) + [name for name in models if name != query] + [query] * (query in again)
        files[f"runs/A/{query}"] = "".join(f"{word}\n" for word in words)
    return files


def listed(benchmark, query):
    ranking = benchmark.runs[0].ranking
    row = benchmark.queries.ids.index(query)
    return [benchmark.collection.ids[item] for item in ranking.items[ranking.rows(row)]]


def first_ranks(benchmark):
    return dict(zip(benchmark.queries.ids, evaluate(benchmark, KEEP, measures=["NN"]).values[0, :, 0], strict=True))


@pytest.mark.parametrize("own", [IDS, IDS[:1], IDS[:3], IDS[:5]])
def test_a_first_line_with_the_query_is_its_hit(own, tmp_path):
    benchmark = read_benchmark(write(tmp_path, {"c.cla": CLA, **lists(own)}))
    for query in IDS:
        expected = [query] * (query in own) + [name for name in IDS if name != query]
        assert listed(benchmark, query) == expected
    assert all(first_ranks(benchmark)[query] == 1 for query in own)


@pytest.mark.parametrize("queries", [IDS, IDS[:2]])
def test_no_hit_is_lost_where_only_the_lists_name_the_models(queries, tmp_path):
    qrels = "".join(f"{query} 0 {name} 1\n" for query in queries for name in (query, "N6"))
    files = {"qrels.txt": qrels.replace("N1 0 N1 1\n", ""), **lists(queries[:1], models=IDS[2:], queries=queries)}
    benchmark = read_benchmark(write(tmp_path, files))
    assert listed(benchmark, "N1")[0] == "N1"


def test_repeated_query_is_a_header(tmp_path):
    benchmark = read_benchmark(write(tmp_path, {"c.cla": CLA, **lists(IDS, again=IDS[:2])}))
    assert listed(benchmark, "N1") == ["N2", "N3", "N4", "N5", "N6", "N1"]
    assert listed(benchmark, "N3") == ["N3", "N1", "N2", "N4", "N5", "N6"]


def test_a_line_with_fewer_columns_is_a_header(tmp_path):
    files = {f"runs/A/{query}": f"{query}\n" + "".join(f"{name} 0.{name[1]}\n" for name in IDS) for query in IDS}
    benchmark = read_benchmark(write(tmp_path, {"c.cla": CLA, **files}))
    assert listed(benchmark, "N3") == list(IDS)


def pairs(*, header):
    """One list per query with distances; its first line is the query without a distance, or with one."""
    first = "{}\n" if header else "{} 0.0\n"
    return {f"runs/A/{query}": first.format(query) + "".join(f"{name} 0.{name[1]}\n" for name in IDS) for query in IDS}


@pytest.mark.parametrize("before", ["", "# comment\n\n"])
def test_an_option_makes_a_line_with_fewer_columns_the_first_result(tmp_path, before):
    files = {name: before + text for name, text in pairs(header=True).items()}
    write(tmp_path, {"c.cla": CLA, **files, "runs/A/N4": before + "N4\nN5, 0.5\nN1,0.25\n"})
    benchmark = read_benchmark(tmp_path, BenchmarkParts(read_options=ReadOptions(query_line=False)))
    assert listed(benchmark, "N3") == ["N3", *IDS]
    assert listed(benchmark, "N4") == ["N4", "N5", "N1"]
    ranking = benchmark.runs[0].ranking
    assert [str(value) for value in ranking.distances[ranking.rows(3)]] == ["nan", "0.5", "0.25"]
    lines = [found.line for found in benchmark.findings if found.file == "runs/A/N3" and "twice" in found.message]
    assert all(line == len(before.split("\n")) + 3 for line in lines)


def test_an_option_makes_a_first_line_with_a_distance_a_header(tmp_path):
    write(tmp_path, {"c.cla": CLA, **pairs(header=False)})
    benchmark = read_benchmark(tmp_path, BenchmarkParts(read_options=ReadOptions(query_line=True)))
    assert listed(benchmark, "N3") == list(IDS)


@pytest.mark.parametrize("header", [True, False])
def test_the_preview_of_lists_with_distances_follows_the_option(tmp_path, header):
    benchmark = read_benchmark(write(tmp_path, {"c.cla": CLA, **pairs(header=header)}))
    for chosen in ("true", "false"):
        found = preview(tmp_path / "runs/A", ReadOptions().with_option("query_line", chosen), benchmark)
        assert (found.rows[0].note == "the query's name") == (chosen == "true")


def test_queries_that_no_list_names_are_headers(tmp_path):
    names = ("Q1", "Q2")
    files = {f"runs/A/{query}": f"{query}\n" + "".join(f"{name}\n" for name in IDS) for query in names}
    qrels = "Q1 0 N1 1\nQ2 0 N2 1\n"
    benchmark = read_benchmark(write(tmp_path, {"qrels.txt": qrels, **files}))
    assert benchmark.collection.ids == IDS
    assert listed(benchmark, "Q1") == list(IDS)


def test_an_option_makes_first_lines_headers(tmp_path):
    write(tmp_path, {"c.cla": CLA, **lists(IDS)})
    options = BenchmarkParts(read_options=ReadOptions(query_line=True))
    assert listed(read_benchmark(tmp_path, options), "N2") == ["N1", "N3", "N4", "N5", "N6"]
    write(tmp_path, {"benchmark.toml": '[[runs]]\npath = "runs/A"\nquery_line = true\n'})
    assert listed(read_benchmark(tmp_path), "N2") == ["N1", "N3", "N4", "N5", "N6"]
    arguments = ["evaluate", str(tmp_path), "--profile", KEEP.key, "--measure", "NN", "--per-query", "--format", "json"]
    for option, expected in ((["--no-query-line"], 1.0), (["--query-line"], 1.0)):
        result = CliRunner().invoke(program, [*arguments, *option], standalone_mode=False)
        assert json.loads(result.stdout)["runs"][0]["queries"]["N2"] == {"NN": expected}


def test_an_option_makes_repeated_first_lines_results(tmp_path):
    write(tmp_path, {"c.cla": CLA, **lists(IDS, again=IDS)})
    options = BenchmarkParts(read_options=ReadOptions(query_line=False))
    assert listed(read_benchmark(tmp_path, options), "N2") == ["N2", "N1", "N3", "N4", "N5", "N6", "N2"]


def test_a_mixed_run_is_reported_with_the_option(tmp_path):
    benchmark = read_benchmark(write(tmp_path, {"c.cla": CLA, **lists(IDS[:2])}))
    (found,) = [found for found in benchmark.findings if "with the query itself" in found.message]
    assert found.message == "2 of 6 lists begin with the query itself"
    assert found.action == "read as the first result; otherwise the name of the query; to read it so"
    assert found.setting.option == "--query-line"
    assert found.setting.lines == ("[[runs]]", 'path = "runs/A"', "query_line = true")


def test_lists_that_all_begin_with_their_query_are_reported_with_the_option(tmp_path):
    """Where the conventions keep the query, or cut lists after lines, the other reading has other values."""
    benchmark = read_benchmark(write(tmp_path, {"c.cla": CLA, **lists(IDS)}))
    (found,) = [found for found in benchmark.findings if "with the query itself" in found.message]
    assert (found.message, found.severity) == ("6 of 6 lists begin with the query itself", Severity.INFO)
    assert found.setting.option == "--query-line"


def test_the_preview_offers_the_option(tmp_path):
    benchmark = read_benchmark(write(tmp_path, {"c.cla": CLA, **lists(IDS)}))
    path = tmp_path / "runs/A"
    found = preview(path, benchmark=benchmark)
    (question,) = [question for question in found.questions if question.key == "query_line"]
    assert (question.chosen, found.rows[0].note) == ("false", "")
    found = preview(path, ReadOptions().with_option("query_line", "true"), benchmark)
    (question,) = [question for question in found.questions if question.key == "query_line"]
    assert (question.chosen, found.rows[0].note) == ("true", "the query's name")
