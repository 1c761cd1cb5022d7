"""Lists of ids say which models and queries take part."""

from made_folders import IDS, QUERIES, order, qrels, write

from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import read_benchmark


def listed(names, header="ID"):
    return "\n".join([header, *names]) + "\n"


def files(models=IDS, queries=QUERIES):
    rows = [",".join([query, *order(query)]) for query in QUERIES]
    truth = "Sketch Query ID,Model ID\n" + "".join(
        f"{line.split()[0]},{line.split()[2]}\n" for line in qrels().splitlines() if line.split()[3] != "0"
    )
    return {
        "Models.csv": listed(models),
        "SketchQuery_Test.csv": listed(queries),
        "SketchQuery_GT_Test.csv": truth,
        "Team.csv": "\n".join(rows) + "\n",
    }


def test_lists_are_the_collection_and_the_queries(tmp_path):
    benchmark = read_benchmark(write(tmp_path, files()))
    assert benchmark.collection.ids == IDS
    assert benchmark.queries.ids == QUERIES
    assert [run.name for run in benchmark.runs] == ["Team"]
    assert all(finding.severity is Severity.INFO for finding in benchmark.findings)


def test_content_decides_before_names(tmp_path):
    made = files()
    made["Models.csv"], made["SketchQuery_Test.csv"] = made["SketchQuery_Test.csv"], made["Models.csv"]
    benchmark = read_benchmark(write(tmp_path, made))
    assert benchmark.collection.ids == IDS
    assert benchmark.queries.ids == QUERIES


def test_unlisted_models_are_counted(tmp_path):
    benchmark = read_benchmark(write(tmp_path, files(models=(*IDS, "distractor1", "distractor2"))))
    assert len(benchmark.collection) == 26
    assert any("of 26 models" in finding.message for finding in benchmark.findings)


def test_assessed_queries_not_listed_are_reported(tmp_path):
    benchmark = read_benchmark(write(tmp_path, files(queries=QUERIES[:8])))
    assert benchmark.queries.ids == QUERIES[:8]
    messages = [finding.message for finding in benchmark.findings]
    assert "list of 8 queries; 4 more in the qrels" in messages


def test_texts_of_queries_are_ignored(tmp_path):
    made = files()
    made["SketchQuery_Test.csv"] = "ID,Prompt\n" + "".join(f'{query},"a goat, black"\n' for query in QUERIES)
    assert read_benchmark(write(tmp_path, made)).queries.ids == QUERIES
