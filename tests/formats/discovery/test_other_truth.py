"""Assessments of other files than the one in use: levels, classes, and files that are neither."""

import pytest

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.discovery.assessment import read_assessment
from shrec_viewer.formats.discovery.benchmark import read_benchmark


def write(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


@pytest.fixture
def folder(tmp_path):
    """Three queries outside a collection of six models, with one run."""
    write(tmp_path, "qrels.txt", "q1 0 a 2\nq1 0 b 1\nq2 0 c 1\nq3 0 e 1\nq3 0 f 1\n")
    run = "".join(f"{q} Q0 {m} {n} {9 - n} one\n" for q in ("q1", "q2", "q3") for n, m in enumerate("abcdef", 1))
    write(tmp_path, "one.run", run)
    return tmp_path


@pytest.fixture
def benchmark(folder):
    return read_benchmark(folder)


def relevant(benchmark, assessment):
    names = benchmark.collection.ids
    return {
        query: {names[m]: level for m, level in zip(*(a.tolist() for a in assessment.relevant(index)), strict=True)}
        for index, query in enumerate(benchmark.queries.ids)
    }


def test_second_file_of_levels_is_listed_and_read(folder):
    write(folder, "second.qrels", "q1 0 a 1\nq2 0 d 3\n")
    benchmark = read_benchmark(folder)
    assert [path.name for path in benchmark.other_truth] == ["second.qrels"]
    assessment, findings = read_assessment(benchmark.other_truth[0], benchmark)
    assert relevant(benchmark, assessment) == {"q1": {"a": 1}, "q2": {"d": 3}, "q3": {}}
    assert [finding.message for finding in findings] == ["1 query has no levels: q3"]


def test_classes_of_the_models_give_queries_that_of_their_relevant_models(benchmark, folder):
    path = write(folder, "classes.cla", "PSB 1\n2 6\n\nleft 0 3\na\nb\nc\n\nright 0 3\nd\ne\nf\n")
    assessment, findings = read_assessment(path, benchmark)
    left, right = {"a": 1, "b": 1, "c": 1}, {"d": 1, "e": 1, "f": 1}
    assert relevant(benchmark, assessment) == {"q1": left, "q2": left, "q3": right}
    assert [finding.severity for finding in findings] == ["info"]


def test_models_and_queries_without_class_are_findings(benchmark, folder):
    path = write(folder, "classes.cla", "PSB 1\n2 4\n\nleft 0 1\na\n\nright 0 3\nb\nd\nf\n")
    assessment, findings = read_assessment(path, benchmark)
    assert relevant(benchmark, assessment)["q1"] == {"a": 1}
    messages = [finding.message for finding in findings if finding.severity == "warning"]
    assert messages[0] == "2 models have no class: c, e"
    assert any(message.startswith("1 query has no class: q2") or "q3" in message for message in messages[1:])


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("other.qrels", "x1 0 y1 1\nx2 0 y2 1\n", "no relevant model of this benchmark"),
        ("other.cla", "PSB 1\n1 2\n\nleft 0 2\nx\ny\n", "names classes of 0 of the 6 models"),
        ("broken.cla", "PSB 1\n1 2\n\nleft 0 x\n", ""),
        ("empty.txt", "", ""),
        ("prose.txt", "This is a text about nothing in particular, and it has no table.\n" * 9, ""),
    ],
)
def test_other_files_are_refused_with_their_name(benchmark, folder, name, text, reason):
    path = write(folder, name, text)
    with pytest.raises(FormatError) as caught:
        read_assessment(path, benchmark)
    assert reason in caught.value.reason
    assert caught.value.path.name == name


def test_binary_file_and_folder_without_truth_are_refused(benchmark, folder):
    (folder / "empty").mkdir()
    path = folder / "noise.bin"
    path.write_bytes(bytes(range(256)) * 40)
    for wrong in (path, folder / "empty", folder / "missing.qrels"):
        with pytest.raises(FormatError):
            read_assessment(wrong, benchmark)
