"""Runs that are no better than chance name the reading that is."""

import re

import numpy as np
import pytest

from shrec_viewer.domain import DistanceMatrix, Severity
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile

N_CLASSES, SIZE = 6, 6
N = N_CLASSES * SIZE

IDS = [f"M{number}" for number in np.random.default_rng(3).permutation(np.arange(1, N + 1)).tolist()]
"""Models by class: neither in natural order nor in that of characters, and these two differ."""

LABELS = np.repeat(np.arange(N_CLASSES), SIZE)


def classification():
    blocks = [f"c{label} 0 {SIZE}\n" + "\n".join(IDS[label * SIZE : (label + 1) * SIZE]) for label in range(N_CLASSES)]
    return f"PSB 1\n{N_CLASSES} {N}\n\n" + "\n\n".join(blocks) + "\n"


def sound_distances():
    """Members of a class are nearer, with noise; not symmetric, 0 on the diagonal."""
    random = np.random.default_rng(5)
    distances = (LABELS[:, None] != LABELS[None, :]) * 0.5 + random.random((N, N))
    np.fill_diagonal(distances, 0)
    return distances


NATURAL = sorted(range(N), key=lambda index: int(IDS[index][1:]))
CHARACTERS = sorted(range(N), key=lambda index: IDS[index])


def write(folder, files):
    for name, content in {"models.cla": classification(), **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, np.ndarray):
            np.save(path, content)
        else:
            path.write_text(content, encoding="utf-8")
    return folder


def order_of_lists(benchmark):
    """Ids of every list as the evaluation ranks them."""
    (run,) = benchmark.runs
    ranking, ids = run.ranking, benchmark.collection.ids
    if not isinstance(ranking, DistanceMatrix):
        return [[ids[item] for item in ranking.items[ranking.rows(query)]] for query in range(len(benchmark.queries))]
    keys = ranking.values[ranking.rows] * (-1 if ranking.similarity else 1)
    return [[ids[ranking.columns[column]] for column in row] for row in np.argsort(keys, axis=1, kind="stable")]


def chance_findings(benchmark):
    return [finding for finding in benchmark.findings if "by chance" in finding.message]


def precision(benchmark):
    scores = evaluate(benchmark, find_profile("default"), measures=["AP"])
    return float(scores.mean()[0, 0])


def apply(folder, finding):
    """Write the lines that a finding prints, as a user would."""
    manifest = folder / "benchmark.toml"
    before = manifest.read_text() if manifest.exists() else ""
    manifest.write_text(before + "\n".join(finding.setting.lines) + "\n")


FAULTS = {
    "similarities off the diagonal": (
        lambda d: np.where(np.eye(N, dtype=bool), 0.5, 2 - d)[np.ix_(NATURAL, NATURAL)], "as similarities"
    ),
    "order of characters": (lambda d: d[np.ix_(CHARACTERS, CHARACTERS)], "in the order 'characters'"),
    "rows in reverse order": (lambda d: d[np.ix_(NATURAL, NATURAL)][::-1], "with the lists in reverse order"),
    "rows of the next queries": (
        lambda d: np.roll(d[np.ix_(NATURAL, NATURAL)], 1, axis=0), "with the lists of the next queries"
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_the_reading_that_stands_out_is_named_with_its_precision(fault, tmp_path):
    sound = read_benchmark(write(tmp_path / "sound", {"runs/A.npy": sound_distances()[np.ix_(NATURAL, NATURAL)]}))
    assert chance_findings(sound) == []
    change, text = FAULTS[fault]
    folder = write(tmp_path / "faulty", {"runs/A.npy": change(sound_distances())})
    benchmark = read_benchmark(folder)
    (finding,) = chance_findings(benchmark)
    assert finding.severity is Severity.WARNING
    assert text in finding.action
    assert f"(AP {precision(benchmark):.3f})" in finding.message
    assert float(finding.action.rsplit("(AP ", 1)[1].partition(")")[0]) == pytest.approx(precision(sound), abs=6e-4)
    apply(folder, finding)
    repaired = read_benchmark(folder)
    assert order_of_lists(repaired) != order_of_lists(benchmark)
    assert chance_findings(repaired) == []


@pytest.mark.parametrize("end", ["first", "last"])
def test_lists_with_the_worst_first(end, tmp_path):
    distances = sound_distances()
    lists = {
        f"runs/A/{IDS[query]}": "".join(
            f"{IDS[model]} {distances[query, model]:.6f}\n" for model in np.argsort(distances[query])
        )
        for query in range(N)
    }
    if end == "last":
        lists = {name: "\n".join(reversed(text.splitlines())) + "\n" for name, text in lists.items()}
    found = chance_findings(read_benchmark(write(tmp_path, lists)))
    assert len(found) == (end == "last")
    if found:
        assert found[0].message.endswith("worse than by chance")
        assert "otherwise from their ends (AP " in found[0].action
        assert found[0].action.endswith("no option reads it so: correct the run")


@pytest.mark.parametrize("step", [0, 1, -1, 2, -2, 3, -3])
def test_lists_a_few_queries_off(step, tmp_path):
    distances = sound_distances()
    names = [f"Q{number:02d}" for number in range(N)]
    classes = "\n\n".join(
        f"c{label} 0 {SIZE}\n" + "\n".join(names[label * SIZE : (label + 1) * SIZE]) for label in range(N_CLASSES)
    )
    mixed = np.random.default_rng(8).permutation(N)  # or neighbours in a class hide the fault
    queries = f"PSB 1\n{N_CLASSES} {N}\n\n" + classes
    for place, query in enumerate(mixed.tolist()):
        queries = queries.replace(f"Q{query:02d}", f"q{place:02d}")
    files = {"queries.cla": queries.replace("q", "Q") + "\n"}
    for place, query in enumerate(mixed.tolist()):
        ranked = "".join(f"{IDS[model]}\n" for model in np.argsort(distances[query]))
        files[f"runs/A/Q{(place + step) % N:02d}"] = ranked
    found = chance_findings(read_benchmark(write(tmp_path, files)))
    assert len(found) == (step != 0)
    if found:
        by = f", shifted by {abs(step)}" if abs(step) > 1 else ""
        assert f"with the lists of the {'next' if step > 0 else 'previous'} queries{by} (AP" in found[0].action


def test_a_random_run_has_no_other_reading(tmp_path):
    random = np.random.default_rng(11).random((N, N))
    np.fill_diagonal(random, 0)
    (finding,) = chance_findings(read_benchmark(write(tmp_path, {"runs/A.npy": random})))
    assert finding.message.endswith("no better than by chance")
    assert finding.action == "read as written; no other order or direction stands out"
    assert finding.setting is None


@pytest.mark.parametrize("own", [True, False])
def test_weak_lists_are_sound_only_if_they_depend_on_the_query(own, tmp_path):
    """The relevant models are at 46.7 % in all lists; of own lists clearly, of one list for all queries by chance."""
    names = [f"Q{number:02d}" for number in range(2 * SIZE)]
    classes = "\n\n".join(f"c{c} 0 {SIZE}\n" + "\n".join(names[c * SIZE : (c + 1) * SIZE]) for c in (0, 1))
    files = {"queries.cla": f"PSB 1\n2 {2 * SIZE}\n\n{classes}\n"}
    first, second, others = IDS[:SIZE], IDS[SIZE : 2 * SIZE], IDS[2 * SIZE :]
    for query, name in enumerate(names):
        if own:
            wanted, other = (first, second) if query < SIZE else (second, first)
            ranked, slots = [*others, *other], dict(zip((1, 6, 12, 16, 22, 27), wanted, strict=True))
        else:
            ranked, slots = list(others), dict(zip(range(1, 24, 4), zip(first, second, strict=True), strict=True))
        for before in sorted(slots, reverse=True):
            ranked[before:before] = [slots[before]] if own else slots[before]
        files[f"runs/A/{name}"] = "".join(f"{model}\n" for model in ranked)
    found = chance_findings(read_benchmark(write(tmp_path, files)))
    assert [finding.message.rsplit(": ", 1)[1] for finding in found] == ["no better than by chance"] * (not own)


def trec_with_distances():
    distances = sound_distances()
    return "".join(
        f"{IDS[query]} Q0 {IDS[model]} {rank} {distances[query, model]:.6f} tag\n"
        for query in range(N)
        for rank, model in enumerate(np.argsort(distances[query]), 1)
    )


def test_a_run_in_the_score_column_is_one_finding_with_its_option(tmp_path):
    (finding,) = [
        finding
        for finding in read_benchmark(write(tmp_path, {"runs/A.run": trec_with_distances()})).findings
        if finding.severity is Severity.WARNING and "scending numbers" in finding.message
    ]
    assert "the numbers are probably distances" in finding.message
    assert finding.setting.option == "--distance"
    apply(tmp_path, finding)
    repaired = read_benchmark(tmp_path)
    assert [ids[:1] for ids in order_of_lists(repaired)] == [[name] for name in IDS]
    assert not [finding for finding in repaired.findings if "scending numbers" in finding.message]


@pytest.mark.parametrize("n_listed", [N, 5])  # distances; numbers of the first models
def test_the_finding_names_each_order_with_the_precision_it_gives(n_listed, tmp_path):
    random = np.random.default_rng(8)
    ids = [f"{letter}{number}" for letter, number in zip("cadb" * 9, random.permutation(N), strict=True)]
    content = random.random((N, N))
    if n_listed < N:
        content = np.argsort(content, axis=1)[:, :n_listed]
    tree = f"PSB 1\n{N_CLASSES} {N}\n"
    for label in range(N_CLASSES):
        tree += f"\nc{label} 0 {SIZE}\n" + "\n".join(ids[label * SIZE : (label + 1) * SIZE]) + "\n"
    folder = write(tmp_path, {"models.cla": tree, "runs/A.npy": content})
    benchmark = read_benchmark(folder)
    (action,) = [finding.action for finding in benchmark.findings if "cannot be distinguished" in finding.message]
    taken, also, *rest = [f"{float(value):.3f}" for value in re.findall(r"\(AP (.*?)\)", action)]
    assert taken == f"{precision(benchmark):.3f}"
    (key,) = re.findall(r"'(\w+)' also fits", action)
    (other,) = {"classification", "numbers"} - {key}
    for order, printed in ((key, also), (other, *rest)):
        (folder / "benchmark.toml").write_text(f'[[runs]]\npath = "runs/A.npy"\norder = "{order}"\n')
        assert f"{precision(read_benchmark(folder)):.3f}" == printed


def test_a_random_run_with_models_in_the_order_of_classes_has_no_other_reading(tmp_path):
    """The next query is mostly of the same class, and its list starts with itself."""
    names = sorted(IDS, key=lambda name: int(name[1:]))
    tree = f"PSB 1\n{N // 3} {N}\n"
    for label in range(N // 3):
        tree += f"\nc{label} 0 3\n" + "\n".join(names[label * 3 : label * 3 + 3]) + "\n"
    random = np.random.default_rng(11).random((N, N))
    np.fill_diagonal(random, 0)
    (finding,) = chance_findings(read_benchmark(write(tmp_path, {"models.cla": tree, "runs/A.npy": random})))
    assert finding.action == "read as written; no other order or direction stands out"


def test_lists_of_the_query_alone_have_no_other_reading(tmp_path):
    (finding,) = chance_findings(read_benchmark(write(tmp_path, {f"runs/A/{name}": f"{name}\n" for name in IDS})))
    assert finding.message == "the mean relative rank of relevant models is 50.0 % (AP 0.167): no better than by chance"
    assert finding.setting is None


@pytest.mark.parametrize("n_others", [0, 4])
def test_a_perfect_run_is_better_than_by_chance_where_most_models_are_relevant(n_others, tmp_path):
    n_large = N - n_others
    tree = f"PSB 1\n{1 + (n_others > 0)} {N}\n\nc 0 {n_large}\n" + "\n".join(IDS[:n_large]) + "\n"
    if n_others:
        tree += f"\nd 0 {n_others}\n" + "\n".join(IDS[n_large:]) + "\n"
    label = np.arange(N) >= n_large
    distances = (label[:, None] != label) * 2.0 + np.random.default_rng(5).random((N, N))
    np.fill_diagonal(distances, 0)
    benchmark = read_benchmark(write(tmp_path, {"models.cla": tree, "runs/A.npy": distances[np.ix_(NATURAL, NATURAL)]}))
    assert precision(benchmark) == 1
    assert chance_findings(benchmark) == []
