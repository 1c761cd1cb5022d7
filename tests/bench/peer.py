"""One peer program on one contest in a separate process: reads qrels and runs, evaluates five measures, prints times.

``python peer.py NAME QRELS RUN...`` with an interpreter that has the peer; prints seconds since the start and the mean
average precision of the first run.
"""

import json
import sys
import time

START = time.perf_counter()


def pytrec_eval(qrels: str, runs: list[str]) -> float:
    import pytrec_eval as peer

    with open(qrels) as file:
        evaluator = peer.RelevanceEvaluator(peer.parse_qrel(file), {"map", "P.10", "recall.100", "ndcg", "Rprec"})
    first = None
    for run in runs:
        with open(run) as file:
            found = evaluator.evaluate(peer.parse_run(file))
        mean = sum(row["map"] for row in found.values()) / len(found)
        first = mean if first is None else first
    return first


def ir_measures(qrels: str, runs: list[str]) -> float:
    import ir_measures as peer
    from ir_measures import AP, P, R, Rprec, nDCG

    evaluator = peer.evaluator([AP, P @ 10, R @ 100, nDCG, Rprec], list(peer.read_trec_qrels(qrels)))
    return [evaluator.calc_aggregate(peer.read_trec_run(run))[AP] for run in runs][0]  # noqa: RUF015 - all of them


def ranx(qrels: str, runs: list[str]) -> float:
    import ranx as peer

    truth = peer.Qrels.from_file(qrels, kind="trec")
    measures = ["map", "precision@10", "recall@100", "ndcg", "r-precision"]
    found = [peer.evaluate(truth, peer.Run.from_file(run, kind="trec"), measures, make_comparable=True) for run in runs]
    return float(found[0]["map"])


if __name__ == "__main__":
    mean = {"pytrec_eval": pytrec_eval, "ir_measures": ir_measures, "ranx": ranx}[sys.argv[1]](
        sys.argv[2], sys.argv[3:]
    )
    sys.stdout.write(json.dumps({"seconds": time.perf_counter() - START, "map": mean}) + "\n")
