"""Independent implementation of the evaluator of SHREC'16/'17 for ShapeNet, on lines of text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2


@dataclass(frozen=True)
class Model:
    """A row of ``all.csv``."""

    synset: str
    subsynset: str
    split: str


def gains(query: str, ids: Sequence[str], truth: Mapping[str, Model]) -> list[int]:
    """3 same subsynset, 2 labelled with the query's synset only, 1 sibling, 0 another synset; strangers left out."""
    query_entry, found = truth[query], []
    for name in ids:
        model = truth.get(name)
        if model is None or model.split != query_entry.split:
            continue
        if model.synset != query_entry.synset:
            found.append(0)
        elif model.subsynset == query_entry.subsynset:
            found.append(3)
        else:
            found.append(2 if model.subsynset == query_entry.synset else 1)
    return found


def cleaned(lines: Sequence[str], cut: int) -> list[str]:
    """At most `cut` lines, then every id once."""
    return list(dict.fromkeys(line.split(" ")[0] for line in lines[:cut]))


def discounted(scores: Sequence[int]) -> float:
    return sum(gain if rank == 1 else gain / log2(rank) for rank, gain in enumerate(scores, 1))


def measured(scores: list[int], oracle: list[int], cut: int, year: int) -> dict[str, float]:
    """One query: the sums of a list over its own length and over all relevant models of its split."""
    hits = [gain > 0 for gain in scores]
    at_hits = [sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit]
    precision = sum(hits) / len(hits) if hits else 0.0
    recall = sum(hits) / min(len(oracle), cut)
    divisor = len(oracle) if year == 2017 else len(at_hits)
    best = discounted(sorted(oracle if year == 2017 else scores, reverse=True)[:cut])
    return {
        "P": precision,
        "R": recall,
        "F1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "AP": sum(at_hits) / divisor if divisor else 0.0,
        "NDCG": discounted(scores) / best if best else 0.0,
    }


def along(scores: list[int], oracle: list[int], cut: int, points: int) -> tuple[list[float], list[float]]:
    """Precision and recall by rank, padded with zeros."""
    found, precision, recall = 0, [0.0] * points, [0.0] * points
    for rank, gain in enumerate(scores[:points], 1):
        found += gain > 0
        precision[rank - 1], recall[rank - 1] = found / rank, found / min(len(oracle), cut)
    return precision, recall


def evaluated(
    lists: Mapping[str, Sequence[str]], truth: Mapping[str, Model], split: str, cut: int, year: int
) -> dict[str, dict[str, float]]:
    """Measures of every query that has a list, and the means ``micro`` (queries) and ``macro`` (synsets)."""
    every, synsets = {}, {}
    for query, lines in lists.items():
        if query not in truth or truth[query].split != split:
            continue
        synset = truth[query].synset
        oracle = gains(query, [i for i, m in truth.items() if m.synset == synset and m.split == split], truth)
        every[query] = measured(gains(query, cleaned(lines, cut), truth), oracle, cut, year)
        synsets.setdefault(synset, []).append(every[query])
    of_synsets = [mean(rows) for rows in synsets.values()]
    return every | {"micro": mean(list(every.values())), "macro": mean(of_synsets)}


def mean(rows: list[dict[str, float]]) -> dict[str, float]:
    return {key: sum(row[key] for row in rows) / len(rows) for key in rows[0]}
