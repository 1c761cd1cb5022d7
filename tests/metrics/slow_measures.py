"""Every measure rank by rank in plain Python, written from its definition, independent of the program."""

import math
from itertools import pairwise

from hit_tables import Case

from shrec_viewer.metrics import Profile

NAN = math.nan


def slow_measure(
    name: str, level: int, cutoff: int | None, case: Case, profile: Profile, largest: int | None = None
) -> float:
    """Value of a measure for one query; `largest` is the largest number of relevant models of all queries."""
    if name in ("TP", "FP", "TN", "FN"):
        return _contingency(name, level, cutoff, case)
    if name == "Cost(alpha=0.5)":
        scopes = range(1 + min(len(case.gains), cutoff or len(case.gains)))
        errors = [_contingency("FP", level, s, case) + _contingency("FN", level, s, case) for s in scopes]
        return 0.5 * min(errors)
    if name in ("CG", "DCG"):
        return _gain(case.gains, cutoff, profile, discounted=name == "DCG")
    if name in ("CG(wasted)", "DCG(wasted)"):
        return _below_ideal(case, cutoff, profile, discounted=name.startswith("D"))
    if name == "E(rijsbergen)" and case.count(level):
        return 1.0 - slow_measure("E", level, cutoff, case, profile, largest)
    if name in ("NCG", "NDCG"):
        return _normalised(case, cutoff, profile, discounted=name == "NDCG")
    if name == "ADR":
        return _dynamic_recall(case, cutoff, profile)
    if name == "Judged":
        return float(len(case.gains) > 0)
    if name in ("Accuracy", "BalancedAccuracy", "MacroF1", "MCC"):
        return float(case.first_class == 1)
    if case.count(level) == 0:
        return NAN
    relevant = [gain >= level for gain in case.gains]
    if name == "ERR":
        return _expected_reciprocal_rank(case, cutoff)
    if name == "ANMRR":
        return _retrieval_rank(relevant, case.count(level), largest or case.count(level), profile)
    if name in SLOW_MODELS:
        return SLOW_MODELS[name](relevant, case.count(level), cutoff, case, largest)
    if name in ("AP", "GMAP"):
        return _average_precision(relevant[:cutoff], case.count(level), profile, largest)
    return _binary(name, relevant, case.count(level), level, cutoff, case, profile)


def _expected_reciprocal_rank(case: Case, cutoff: int | None) -> float:
    total, gets_here = 0.0, 1.0
    for rank, gain in enumerate(case.gains[:cutoff], 1):
        stops = (2**gain - 1) / 2**case.highest
        total += gets_here * stops / rank
        gets_here *= 1 - stops
    return total


def _precisions(relevant: list[bool]) -> list[float]:
    return [sum(relevant[:rank]) / rank for rank in range(1, len(relevant) + 1)]


def _trapezoids(relevant: list[bool], size: int, first: float | None) -> float:
    """Area below precision over recall, rank by rank; `first` is the precision at rank 0, None to begin at rank 1."""
    heights = [first, *_precisions(relevant)]
    recalls = [sum(relevant[:rank]) / size for rank in range(len(relevant) + 1)]
    ranks = range(1 if first is not None else 2, len(heights))
    return sum((recalls[r] - recalls[r - 1]) * (heights[r] + heights[r - 1]) / 2 for r in ranks)


def _area_of_hits(relevant: list[bool], size: int) -> float:
    precisions = [1.0, *(p for p, hit in zip(_precisions(relevant), relevant, strict=True) if hit)]
    return sum((a + b) / 2 for a, b in pairwise(precisions)) / size


def _area_of_samples(relevant: list[bool], size: int) -> float:
    at_hits = [p for p, hit in zip(_precisions(relevant), relevant, strict=True) if hit]
    padded = at_hits + [0.0] * (size - len(at_hits))
    points = [(0.0, 1.0)] + [(j / 20, y) for j in range(1, 21) if not math.isnan(y := sample(padded, j))]
    if len(points) == 1:
        return NAN
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))


def _retrieval_rank(relevant: list[bool], size: int, largest: int, profile: Profile) -> float:
    depth = min(4 * size, 2 * largest)
    last, penalty = {"mpeg7": (depth, 1.25 * depth), "shrec2022": (size, depth + 1)}[profile.anmrr]
    ranks = [rank for rank, hit in enumerate(relevant, 1) if hit and rank <= last]
    ranks += [penalty] * (size - len(ranks))
    return (sum(ranks) / size - (1 + size) / 2) / (penalty - (1 + size) / 2)


def _preference(relevant: list[bool], size: int, case: Case) -> float:
    others = max(case.size, len(relevant) + size - sum(relevant)) - size
    values = []
    for rank, hit in enumerate(relevant):
        if hit:
            before = rank - sum(relevant[:rank])
            values.append(1 - min(before, size) / min(others, size) if before else 1.0)
    return sum(values) / size


def _bulls_eye(case: Case, relevant: list[bool], size: int) -> float:
    if 1 <= case.own <= len(relevant) + 1:
        relevant, size = [*relevant[: case.own - 1], True, *relevant[case.own - 1 :]], size + 1
    return sum(relevant[: 2 * size]) / size


def _first(relevant: list[bool], cutoff: int | None) -> list[bool]:
    return relevant if cutoff is None else relevant[:cutoff]


SLOW_MODELS = {
    "AP@R": lambda r, size, k, case, largest: sum(
        p for p, hit in zip(_precisions(r[:size]), r[:size], strict=True) if hit
    ) / size,
    "AP(trapezoid)": lambda r, size, k, case, largest: _trapezoids(r, size, 1.0),
    "AUC(rank)": lambda r, size, k, case, largest: _trapezoids(r, size, None),
    "F1(PR)": lambda r, size, k, case, largest: sum(
        2 / (1 / (sum(r[: i + 1]) / (i + 1)) + 1 / (sum(r[: i + 1]) / size)) for i, hit in enumerate(r) if hit
    )
    / size,
    "AUC(PR)": lambda r, size, k, case, largest: _area_of_hits(r, size),
    "AUC(PR20)": lambda r, size, k, case, largest: _area_of_samples(r, size),
    "RBP(p=0.8)": lambda r, size, k, case, largest: sum(0.2 * 0.8**i for i, hit in enumerate(_first(r, k)) if hit),
    "RBPresidual(p=0.8)": lambda r, size, k, case, largest: 0.8 ** len(_first(r, k)),
    "Bpref": lambda r, size, k, case, largest: _preference(r, size, case),
    "BEP": lambda r, size, k, case, largest: _bulls_eye(case, r, size),
    "Success": lambda r, size, k, case, largest: float(any(_first(r, 5 if k is None else k))),
}  # fmt: skip


def _contingency(name: str, level: int, cutoff: int | None, case: Case) -> float:
    retrieved = [gain >= level for gain in case.gains[:cutoff]]
    left = [gain >= level for gain in (*case.gains[len(retrieved) :], *case.lacking)]
    left += [False] * (case.size - len(case.gains) - len(case.lacking))
    counts = {"TP": (retrieved, True), "FP": (retrieved, False), "TN": (left, False), "FN": (left, True)}
    where, expected = counts[name]
    return float(sum(relevant == expected for relevant in where))


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
    if name == "GRP2":
        return hits(2 * size) / (2 * size)
    if name == "P":
        divisor = length if cutoff is None else cutoff
        if cutoff is not None and profile.precision_divisor == "last relevant" and any(relevant):
            divisor = min(cutoff, max(rank for rank, hit in enumerate(relevant, 1) if hit))
        return hits(cutoff) / divisor if divisor else 0.0
    if profile.relevant == "reachable":
        size = min(size, profile.list_cut)
    if name == "R":
        return hits(cutoff) / size
    if name in ("F1", "F(beta=2)", "E"):
        scope = 32 if name == "E" and cutoff is None else cutoff
        places = length if scope is None else scope
        if name == "E":
            places = min(places, case.size)
        precision = hits(scope) / places if places else 0.0
        recall = hits(scope) / size
        weight = 4 if name == "F(beta=2)" else 1
        return (1 + weight) / (1 / precision + weight / recall) if precision and recall else 0.0
    seen = relevant[: length if cutoff is None else cutoff]
    assert name == "RR"
    return next((1 / rank for rank, hit in enumerate(seen, 1) if hit), 0.0)


def _average_precision(seen: list[bool], size: int, profile: Profile, largest: int | None) -> float:
    at_hits = [sum(seen[:rank]) / rank for rank, hit in enumerate(seen, 1) if hit]
    divisor = {
        "relevant": size,
        "retrieved": len(at_hits),
        "reachable": size if profile.list_cut is None else min(size, profile.list_cut),
        "largest class": size if largest is None else largest,
    }[profile.ap_divisor]
    return sum(at_hits) / divisor if divisor else 0.0


def _tier(hits, length: int, size: int, level: int, times: int, case: Case, profile: Profile) -> float:
    if profile.tiers == "psb":
        return hits(times * size) / size
    if profile.tiers == "precision":
        return hits(times * size) / (times * size)
    if profile.tiers == "rgbd":
        return hits(size) / size if times == 1 else hits(2 * size) / max(min(2 * size, length), 1)
    if profile.tiers == "shrec2021":
        return _walk_of_2021([gain >= level for gain in case.gains], size, times) if length else 0.0
    depth = times * size
    if length < depth:
        depth = length
    elif profile.tiers == "literal" and level == 1 and case.highest > 1:
        depth = times * case.count(2)
    return hits(depth) / depth if depth else 0.0


def _walk_of_2021(relevant: list[bool], size: int, times: int) -> float:
    """The loop of the official program, which ends when all relevant models are found."""
    relevant = relevant + [False] * (2 * size + 1 - len(relevant))  # it reads full lists only
    tiers = {1: 1.0, 2: 1.0}
    found = place = 0
    while found < size and place < 2 * size:
        found += relevant[place]
        for tier in tiers:
            if place == tier * size - 1:
                tiers[tier] = (found + 1) / (place + 1)
        place += 1
    return tiers[times]


def _dynamic_recall(case: Case, cutoff: int | None, profile: Profile) -> float:
    if profile.adr == "protein2021":
        case = with_query(case)
    levels = sorted((level for level in case.gains + case.lacking if level), reverse=True)
    gains = case.gains
    n_relevant = len(levels)
    if profile.adr == "shrec2006":
        levels, gains = ([min(level, 2) for level in row] for row in (levels, gains))
    if n_relevant == 0:
        return NAN
    last = n_relevant if cutoff is None else cutoff
    if profile.adr == "shrec2006":
        last = min(last, len(case.gains))
    recalls = []
    for i in range(1, last + 1):
        needed = levels[i - 1] if i <= n_relevant else 1
        if profile.adr == "protein2021" and needed == 2 and case.highest > 2:
            n_best = case.count(3)
            found = sum(gain >= 2 for gain in gains[:n_best]) + sum(gain == 2 for gain in gains[n_best:i])
        else:
            found = sum(gain >= needed for gain in gains[:i])
        recalls.append(found / i)
    return sum(recalls) / last if last else 0.0


def _gain(gains, cutoff: int | None, profile: Profile, discounted: bool) -> float:
    total = 0.0
    seen = [_worth(level, profile) for level in gains[: len(gains) if cutoff is None else cutoff]]
    if discounted and profile.discount == "rgbd":
        return sum(seen[:1]) + sum(gain / math.log2(rank + 1) for rank, gain in enumerate(seen[:-1], 1))
    for rank, gain in enumerate(seen, 1):
        if discounted and profile.discount == "jarvelin":
            gain = gain if rank == 1 else gain / math.log2(rank)
        elif discounted:
            gain = gain / math.log2(rank + 1)
        total += gain
    return total


def _worth(level: int, profile: Profile) -> float:
    return {"linear": level, "exponential": 2**level - 1, "binary": float(level > 0)}[profile.gain]


def _normalised(case: Case, cutoff: int | None, profile: Profile, discounted: bool) -> float:
    if case.count(1) == 0:
        return NAN
    best = _best_gain(case, cutoff, profile, discounted)
    return _gain(case.gains, cutoff, profile, discounted) / best if best else 0.0


def _below_ideal(case: Case, cutoff: int | None, profile: Profile, discounted: bool) -> float:
    if case.count(1) == 0:
        return NAN
    return _best_gain(case, cutoff, profile, discounted) - _gain(case.gains, cutoff, profile, discounted)


def _best_gain(case: Case, cutoff: int | None, profile: Profile, discounted: bool) -> float:
    pool = case.gains + case.lacking if profile.ideal == "truth" else case.gains
    if profile.ideal == "targets":
        pool = [case.highest] * case.size
    ideal = sorted(pool, reverse=True)
    if profile.relevant == "reachable":
        ideal = ideal[: profile.list_cut]
    if discounted and profile.discount == "rgbd":  # sums up to the last place of the list, whichever list
        cutoff = len(case.gains) if cutoff is None else min(cutoff, len(case.gains))
    return _gain(ideal + [0] * (0 if cutoff is None else cutoff), cutoff, profile, discounted)


BY_GENERALITY = ("GRiP", "GR2P", "GR4P", "GR8P", "GR16P", "GR32P", "E(generality)")
"""Curves that no convention touches."""


def slow_curve(key: str, case: Case, profile: Profile, points: int) -> list[float]:
    """Ordinates of a curve for one query."""
    if key in ("CG", "DCG"):
        return [_gain(case.gains, rank, profile, key == "DCG") for rank in range(1, points + 1)]
    if key in ("NCG", "NDCG"):
        return [_normalised(case, rank, profile, key == "NDCG") for rank in range(1, points + 1)]
    if key in ("P", "R", "ADR"):
        values = [slow_measure(key, 1, rank, case, profile) for rank in range(1, points + 1)]
        zero = key != "ADR" and profile.past_end == "zero" and case.count(1)
        return [0.0 if zero and rank > len(case.gains) else value for rank, value in enumerate(values, 1)]
    size = case.count(1)
    if key in ("CG(recall)", "DCG(recall)"):
        ranks = [rank for rank, gain in enumerate(case.gains, 1) if gain > 0]
        return [_gain(case.gains, rank, profile, key[0] == "D") / rank for rank in ranks]
    if key in BY_GENERALITY:
        return [value for _, value in slow_generality(key, case)]
    if key == "F1(recall)":
        ranks = [rank for rank, gain in enumerate(case.gains, 1) if gain > 0]
        precision_recall = [(number / rank, number / size) for number, rank in enumerate(ranks, 1)]
        return [2 * p * r / (p + r) for p, r in precision_recall]
    if key == "PR20(self)":
        return slow_curve("PR20", with_query(case), profile, points)
    at_hits = [
        sum(gain > 0 for gain in case.gains[:rank]) / rank for rank, gain in enumerate(case.gains, 1) if gain > 0
    ]
    if key == "PR":
        return at_hits
    padded = at_hits + [0.0] * (size - len(at_hits))
    if key == "PR20":
        return [sample(padded, j) for j in range(1, 21)]
    assert key == "PR11"
    if size == 0:
        return [NAN] * 11
    return [max(padded[max(int(j / 10 * size + 0.9) - 1, 0) :]) for j in range(11)]


def with_query(case: Case) -> Case:
    """The list before the query itself was left out; unchanged where it was not in the list."""
    if not 1 <= case.own <= len(case.gains) + 1:
        return case
    gains = (*case.gains[: case.own - 1], case.highest, *case.gains[case.own - 1 :])
    return Case(gains, case.lacking, highest=case.highest)


def slow_by_scope(case: Case, scope: int) -> tuple[float, float]:
    """Recall and precision within so many places."""
    found, size = sum(gain > 0 for gain in case.gains[:scope]), case.count(1)
    return (found / size, found / scope) if size else (NAN, NAN)


def slow_generality(key: str, case: Case) -> list[tuple[float, float]]:
    """-log2 g and the expected value in collections of that generality: at log2(n), every quarter, and at the end.

    GRiP, GRnP: recall within n C ranks; E(generality): E-measure within 32 ranks.
    """
    is_recall = key.startswith("GR")
    times = 1 if key in ("GRiP", "E(generality)") else int(key[2:-1])
    size = case.count(1)
    irrelevant = case.size - size
    if size == 0 or math.log2((size + irrelevant) / size) < math.log2(times):
        return []
    end = math.log2((size + irrelevant) / size)
    levels = []
    while math.log2(times) + len(levels) / 4 < end - 1e-9:
        levels.append(math.log2(times) + len(levels) / 4)

    def value(kept: int, whole: bool = False) -> float:
        found = _subset_found(case, times * size if is_recall else 32, kept, whole)
        return found / size if is_recall else 2 * found / (min(32, size + kept) + size)

    points = []
    for level in levels:
        kept = size * (2**level - 1)
        low = min(math.floor(kept + 1e-9), irrelevant)
        below, above = size / (size + low), size / (size + low + 1)
        part = (below - 2.0**-level) / (below - above)  # the mean generality is the one asked for
        points.append((level, value(low) if part < 1e-9 else (1 - part) * value(low) + part * value(low + 1)))
    return [*points, (end, value(irrelevant, whole=True))]


def _subset_found(case: Case, scope: int, kept: int, whole: bool = False) -> float:
    """Expected number of relevant models within `scope` ranks, over all ways to keep `kept` irrelevant ones.

    The models that are not in the list follow it in random order: each is equally likely at each rank.
    """
    irrelevant = case.size - case.count(1)
    total, ahead, before = 0.0, 0, 0
    for gain in case.gains:
        if gain == 0:
            ahead += 1
            continue
        before += 1  # relevant models up to this one; it is found where at most scope - before irrelevant ones stay
        for stay in range(min(scope - before, ahead, kept) + 1):
            total += math.comb(ahead, stay) * math.comb(irrelevant - ahead, kept - stay)
    unlisted = case.count(1) - before
    if whole:
        return total  # the models behind the list are not retrieved
    for stay in range(min(ahead, kept) + 1):
        rest = unlisted + kept - stay
        seen = min(max(scope - before - stay, 0), rest)
        ways = math.comb(ahead, stay) * math.comb(irrelevant - ahead, kept - stay) if kept - stay >= 0 else 0
        total += ways * unlisted * seen / max(rest, 1)
    return total / math.comb(irrelevant, kept)


def sample(precisions: list[float], j: int) -> float:
    size = len(precisions)
    if size < 2 or size < 20 / j:
        return NAN
    place = j / 20 * size - 1
    before = max(int(place), 0)
    after = min(before + 1, size - 1)
    part = max(place, 0.0) - before
    return precisions[before] * (1 - part) + precisions[after] * part
