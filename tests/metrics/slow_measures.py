"""Every measure once more, rank by rank in plain Python, from the text of its definition and nothing of the program."""

import math

from hit_tables import Case

from shrec_viewer.metrics import Profile

NAN = math.nan


def slow_measure(name: str, level: int, cutoff: int | None, case: Case, profile: Profile) -> float:
    """Value of a measure for one query."""
    if name in ("TP", "FP", "TN", "FN"):
        return _contingency(name, level, case)
    if name in ("CG", "DCG"):
        return _gain(case.gains, cutoff, profile, discounted=name == "DCG")
    if name in ("NCG", "NDCG"):
        return _normalised(case, cutoff, profile, discounted=name == "NDCG")
    if name == "ADR":
        return _dynamic_recall(case, cutoff, profile)
    if case.count(level) == 0:
        return NAN
    relevant = [gain >= level for gain in case.gains]
    return _binary(name, relevant, case.count(level), level, cutoff, case, profile)


def _contingency(name: str, level: int, case: Case) -> float:
    retrieved = [gain >= level for gain in case.gains]
    left = [gain >= level for gain in case.lacking] + [False] * (case.size - len(case.gains) - len(case.lacking))
    counts = {"TP": (retrieved, True), "FP": (retrieved, False), "TN": (left, False), "FN": (left, True)}
    where, wanted = counts[name]
    return float(sum(relevant == wanted for relevant in where))


def _binary(
    name: str, relevant: list[bool], size: int, level: int, cutoff: int | None, case: Case, profile: Profile
) -> float:
    def hits(scope: int | None) -> int:
        return sum(relevant[: len(relevant) if scope is None else scope])

    length = len(relevant)
    if name == "NN":
        return float(relevant[:1] == [True])
    if name in ("FT", "ST"):
        return _tier(hits, length, size, level, 1 if name == "FT" else 2, case, profile)
    if name in ("Rprec", "GR1"):
        return hits(size) / size
    if name == "GR2":
        return hits(2 * size) / size
    if name == "P":
        divisor = length if cutoff is None else cutoff
        return hits(cutoff) / divisor if divisor else 0.0
    if name == "R":
        return hits(cutoff) / size
    if name in ("F1", "E"):
        scope = 32 if name == "E" and cutoff is None else cutoff
        places = length if scope is None else scope
        if name == "E":
            places = min(places, case.size)
        precision = hits(scope) / places if places else 0.0
        recall = hits(scope) / size
        return 2 / (1 / precision + 1 / recall) if precision and recall else 0.0
    seen = relevant[: length if cutoff is None else cutoff]
    if name == "RR":
        return next((1 / rank for rank, hit in enumerate(seen, 1) if hit), 0.0)
    assert name == "AP"
    at_hits = [sum(seen[:rank]) / rank for rank, hit in enumerate(seen, 1) if hit]
    divisor = size if profile.ap_divisor == "relevant" else len(at_hits)
    return sum(at_hits) / divisor if divisor else 0.0


def _tier(hits, length: int, size: int, level: int, times: int, case: Case, profile: Profile) -> float:
    if profile.tiers == "psb":
        return hits(times * size) / size
    if profile.tiers == "precision":
        return hits(times * size) / (times * size)
    depth = times * size
    if length < depth:
        depth = length
    elif profile.tiers == "literal" and level == 1 and case.highest > 1:
        depth = times * case.count(2)
    return hits(depth) / depth if depth else 0.0


def _dynamic_recall(case: Case, cutoff: int | None, profile: Profile) -> float:
    high = min(2, case.highest)
    n_high, n_relevant = case.count(high), case.count(1)
    if n_relevant == 0:
        return NAN
    last = n_relevant if cutoff is None else cutoff
    if profile.adr == "shrec2006":
        last = min(last, len(case.gains))
    recalls = []
    for i in range(1, last + 1):
        needed = high if i <= n_high else 1
        recalls.append(sum(gain >= needed for gain in case.gains[:i]) / i)
    return sum(recalls) / last if last else 0.0


def _gain(gains, cutoff: int | None, profile: Profile, discounted: bool) -> float:
    total = 0.0
    for rank, level in enumerate(gains[: len(gains) if cutoff is None else cutoff], 1):
        gain = level if profile.gain == "linear" else 2**level - 1
        if discounted and profile.discount == "jarvelin":
            gain = gain if rank == 1 else gain / math.log2(rank)
        elif discounted:
            gain = gain / math.log2(rank + 1)
        total += gain
    return total


def _normalised(case: Case, cutoff: int | None, profile: Profile, discounted: bool) -> float:
    if case.count(1) == 0:
        return NAN
    pool = case.gains + case.lacking if profile.ideal == "truth" else case.gains
    best = _gain(sorted(pool, reverse=True), cutoff, profile, discounted)
    return _gain(case.gains, cutoff, profile, discounted) / best if best else 0.0


def slow_curve(key: str, case: Case, profile: Profile, points: int) -> list[float]:
    """Ordinates of a curve for one query."""
    if key in ("CG", "DCG"):
        return [_gain(case.gains, rank, profile, key == "DCG") for rank in range(1, points + 1)]
    if key in ("NCG", "NDCG"):
        return [_normalised(case, rank, profile, key == "NDCG") for rank in range(1, points + 1)]
    size = case.count(1)
    at_hits = [
        sum(gain > 0 for gain in case.gains[:rank]) / rank for rank, gain in enumerate(case.gains, 1) if gain > 0
    ]
    if key == "PR":
        return at_hits
    padded = at_hits + [0.0] * (size - len(at_hits))
    if key == "PR20":
        return [_sample(padded, j) for j in range(1, 21)]
    assert key == "PR11"
    if size == 0:
        return [NAN] * 11
    return [max(padded[max(int(j / 10 * size + 0.9) - 1, 0) :]) for j in range(11)]


def _sample(precisions: list[float], j: int) -> float:
    size = len(precisions)
    if size < 2 or size < 20 / j:
        return NAN
    place = j / 20 * size - 1
    before = max(int(place), 0)
    after = min(before + 1, size - 1)
    part = max(place, 0.0) - before
    return precisions[before] * (1 - part) + precisions[after] * part
