"""Tensors of torch and frames of polars have the values of the arrays that they hold."""

import warnings

import numpy as np
import pytest

import shrec_viewer as sv

CLASSES = [0, 0, 0, 1, 1, 1, 2, 2]
DISTANCES = np.random.default_rng(3).random((8, 8))
VECTORS = np.random.default_rng(4).random((8, 5))
IDS = [str(number) for number in range(8)]


def same_values(contest: sv.Contest, expected: dict[str, object], given: dict[str, object]) -> bool:
    """Whether two runs have the same lists, and the same distances but for rounding: frames are stored by columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        contest.add("expected", **expected)
        contest.add("given", **given)
    expected_places, given_places = (
        [place for query in IDS for place in contest.ranked_list(run, query)] for run in ("expected", "given")
    )
    distances = ([place.distance for place in places] for places in (expected_places, given_places))
    return [place[:3] for place in expected_places] == [place[:3] for place in given_places] and np.allclose(
        *distances, rtol=1e-6, equal_nan=True
    )


@pytest.mark.parametrize("form", ["double", "float", "half", "bfloat16", "gradient", "result", "negated"])
@pytest.mark.parametrize("argument", ["distances", "vectors", "pair"])
def test_tensors_are_arrays(form, argument):
    torch = pytest.importorskip("torch")
    values = DISTANCES if argument == "distances" else VECTORS
    tensor = {
        "double": lambda: torch.from_numpy(values),
        "float": lambda: torch.from_numpy(values).float(),
        "half": lambda: torch.from_numpy(values).half(),
        "bfloat16": lambda: torch.from_numpy(values).bfloat16(),
        "gradient": lambda: torch.from_numpy(values).clone().requires_grad_(),
        "result": lambda: torch.from_numpy(values).clone().requires_grad_() * 2,
        "negated": lambda: torch._neg_view(torch.from_numpy(-values)),
    }[form]()
    array = tensor.detach().float().numpy() if form == "bfloat16" else tensor.numpy(force=True)
    if argument == "pair":
        expected, given = {"vectors": (array, array)}, {"vectors": (tensor, tensor)}
    else:
        expected, given = {argument: array}, {argument: tensor}
    assert same_values(sv.Contest(classes=torch.tensor(CLASSES)), expected, given)


def test_indices_of_tensors_are_rankings():
    torch = pytest.importorskip("torch")
    contest = sv.Contest(classes=torch.tensor(CLASSES), ids=torch.arange(8))
    assert contest.models == tuple(IDS)
    assert contest.benchmark.classification.names == ("0", "1", "2")
    indices = torch.from_numpy(-DISTANCES).topk(3, dim=1).indices
    assert same_values(contest, {"rankings": indices.numpy()}, {"rankings": indices})
    assert same_values(contest, {"rankings": indices.numpy()}, {"rankings": dict(zip(IDS, indices, strict=True))})
    scores = {"0": {model: torch.tensor(-value) for model, value in zip(IDS, DISTANCES[0].tolist(), strict=True)}}
    plain = {"0": {model: value.item() for model, value in scores["0"].items()}}
    assert same_values(contest, {"rankings": plain}, {"rankings": scores})


def test_a_tensor_without_values_has_a_sentence():
    torch = pytest.importorskip("torch")
    with pytest.raises(sv.ShrecViewerError, match="distances are no matrix of numbers"):
        sv.Contest(classes=CLASSES).add("r", distances=torch.zeros(8, 8, device="meta"))


def test_frames_of_polars_are_arrays():
    polars = pytest.importorskip("polars")
    contest = sv.Contest(classes=polars.Series(CLASSES))
    for frame in (polars.DataFrame(DISTANCES), polars.DataFrame(DISTANCES, schema=IDS)):
        assert same_values(contest, {"distances": DISTANCES}, {"distances": frame})
    reverse = polars.DataFrame(DISTANCES, schema=IDS).select(IDS[::-1])
    assert same_values(contest, {"distances": DISTANCES}, {"distances": reverse})
    assert same_values(contest, {"vectors": VECTORS}, {"vectors": polars.DataFrame(VECTORS)})


def test_frames_of_polars_are_pairs():
    polars = pytest.importorskip("polars")
    rows = [(query, model, -DISTANCES[query, model]) for query in range(8) for model in range(8)]
    frame = polars.DataFrame(rows, schema=["query", "model", "score"], orient="row")
    contest = sv.Contest(classes=CLASSES)
    assert same_values(contest, {"rankings": rows}, {"rankings": frame})
    assert same_values(contest, {"rankings": rows}, {"rankings": frame.select("score", "model", "query")})
    levels = polars.DataFrame({"level": [2, 1], "query": ["q", "q"], "model": ["m1", "m2"]})
    graded = sv.Contest(models=["m1", "m2"], qrels=levels)
    assert graded.benchmark.assessment.relevant(0)[1].tolist() == [2, 1]


def test_lazy_frames_are_to_be_collected():
    polars = pytest.importorskip("polars")
    lazy, contest = polars.LazyFrame(DISTANCES), sv.Contest(classes=CLASSES)
    calls = {
        "distances": lambda: contest.add("r", distances=lazy),
        "vectors": lambda: contest.add("r", vectors=lazy),
        "rankings": lambda: contest.add("r", rankings=lazy),
        "qrels": lambda: sv.Contest(models=IDS, qrels=lazy),
        "classes": lambda: sv.Contest(classes=lazy),
        "models": lambda: sv.Contest(CLASSES, ids=lazy),
    }
    for name, call in calls.items():
        with pytest.raises(sv.ShrecViewerError, match=rf"{name} are a lazy frame.* give {name}=frame.collect\(\)"):
            call()
