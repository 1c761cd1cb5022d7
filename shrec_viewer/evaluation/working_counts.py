"""Workings of measures that count relevant models within some places and divide."""

from shrec_viewer.evaluation.working import Facts, Symbol, Working


def _count(
    facts: Facts, scope: int | None, plus: int, divisor: int, shown: str, symbols: tuple[Symbol, ...]
) -> Working:
    """``(V(scope) + plus) / divisor``."""
    ranks = facts.within(scope)
    top = f"({len(ranks)} + {plus})" if plus else f"{len(ranks)}"
    total = (len(ranks) + plus) / divisor if divisor else 0.0
    arithmetic = f"{top} / {divisor}" if divisor else "0"
    share = total / len(ranks) if ranks else 0.0
    return Working(arithmetic, f"{shown} = {arithmetic}", symbols, ranks, (share,) * len(ranks), total)


def _found_symbol(facts: Facts, scope: int | None) -> Symbol:
    if scope is None:
        return ("V", "relevant models in the list", f"{len(facts.ranks):,}")
    return (f"V({scope:,})", f"relevant models within the first {scope:,} places", f"{len(facts.within(scope)):,}")


def nearest(facts: Facts) -> Working:
    """NN."""
    first = facts.within(1)
    words = "relevant" if first else "not relevant"
    symbol = ("G[1]", "the first model of the list", words)
    return Working(
        str(len(first)), f"the first model is {words}", (symbol,), first, (1.0,) * len(first), float(len(first))
    )


def _tier(facts: Facts, times: int) -> Working:
    kind, size = facts.profile.tiers, facts.size
    scope = times * size
    if kind == "psb":
        symbols = (facts.size_symbol(), _found_symbol(facts, scope))
        return _count(facts, scope, 0, size, f"V({scope:,}) / C", symbols)
    if kind == "precision" or (kind == "rgbd" and times == 1):
        return _count(
            facts, scope, 0, scope, f"V({scope:,}) / {scope:,}", (facts.size_symbol(), _found_symbol(facts, scope))
        )
    if kind == "shrec2021":
        symbols = (facts.size_symbol(), _found_symbol(facts, scope))
        if len(facts.within(scope - 1)) == size:
            return Working("1", "all are found before that rank: 1", symbols, facts.within(scope - 1), (), 1.0)
        return _count(facts, scope, 1, scope, f"(V({scope:,}) + 1) / {scope:,}", symbols)
    if kind == "literal" and facts.measure.level == 1 and facts.hits.highest_level > 1:
        scope = facts.length if facts.length < scope else times * int(facts.hits.relevant_size(2)[0])
    depth = min(facts.length, scope)
    seen = (
        facts.size_symbol(), ("Va", "length of the list", f"{facts.length:,}"),
        ("d", "places looked at", f"{depth:,}"), _found_symbol(facts, depth),
    )  # fmt: skip
    return _count(facts, depth, 0, depth, f"V({depth:,}) / d", seen)


def first_tier(facts: Facts) -> Working:
    """FT."""
    return _tier(facts, 1)


def second_tier(facts: Facts) -> Working:
    """ST."""
    return _tier(facts, 2)


def relevant_scope(facts: Facts, times: int, *, precision: bool) -> Working:
    """GR_n and GR_nP: recall and precision at n C places."""
    scope = times * facts.size
    symbols = (facts.size_symbol(), _found_symbol(facts, scope))
    divisor, words = (scope, f"{scope:,}") if precision else (facts.size, "C")
    return _count(facts, scope, 0, divisor, f"V({scope:,}) / {words}", symbols)


def r_precision(facts: Facts) -> Working:
    """R-precision."""
    return relevant_scope(facts, 1, precision=False)


def precision(facts: Facts) -> Working:
    """P and P@k."""
    cutoff = facts.measure.cutoff
    symbols = (_found_symbol(facts, cutoff), *facts.cut_symbol())
    if cutoff is not None:
        return _count(facts, cutoff, 0, cutoff, f"V({cutoff:,}) / k", symbols)
    length = ("Va", "length of the list", f"{facts.length:,}")
    return _count(facts, None, 0, max(facts.length, 1), "V / Va", (*symbols, length))


def recall(facts: Facts) -> Working:
    """R and R@k."""
    cutoff = facts.measure.cutoff
    symbols = (facts.size_symbol(facts.findable), _found_symbol(facts, cutoff), *facts.cut_symbol())
    return _count(facts, cutoff, 0, facts.findable, "V / C" if cutoff is None else f"V({cutoff:,}) / C", symbols)


def _harmonic(facts: Facts, places: int, scope: int | None, symbol: Symbol) -> Working:
    ranks, divisor = facts.within(scope), max(places + facts.findable, 1)
    arithmetic = f"2 * {len(ranks)} / ({places} + {facts.findable})" if places + facts.findable else "0"
    shown = f"2 V / ({symbol[0]} + C) = 2 · {len(ranks):,} / ({places:,} + {facts.findable:,})"
    symbols = (facts.size_symbol(facts.findable), symbol, _found_symbol(facts, scope))
    return Working(arithmetic, shown, symbols, ranks, (2.0 / divisor,) * len(ranks), 2.0 * len(ranks) / divisor)


def f_measure(facts: Facts) -> Working:
    """F1 and F1@k."""
    cutoff = facts.measure.cutoff
    if cutoff is None:
        return _harmonic(facts, facts.length, None, ("Va", "length of the list", f"{facts.length:,}"))
    return _harmonic(facts, cutoff, cutoff, ("k", "places looked at", f"{cutoff:,}"))


def e_measure(facts: Facts) -> Working:
    """E@k."""
    depth = facts.measure.cutoff or 32
    places = min(depth, facts.collection)
    return _harmonic(facts, places, depth, ("k", "places looked at, at most the collection", f"{places:,}"))


def reciprocal(facts: Facts) -> Working:
    """RR."""
    first = facts.within(facts.measure.cutoff)[:1]
    symbol = ("p_1", "rank of the first relevant model", f"{first[0]:,}" if first else "none")
    if not first:
        return Working("0", "no relevant model: 0", (symbol,), (), (), 0.0)
    return Working(f"1 / {first[0]}", f"1 / {first[0]:,}", (symbol,), first, (1 / first[0],), 1 / first[0])


def contingency(facts: Facts) -> Working:
    """TP, FP, TN, FN."""
    found, listed, size = len(facts.ranks), facts.length, facts.size
    written = {
        "TP": (f"{found}", f"V = {found:,}", found),
        "FP": (f"{listed} - {found}", f"Va − V = {listed:,} − {found:,}", listed - found),
        "FN": (f"{size} - {found}", f"C − V = {size:,} − {found:,}", size - found),
        "TN": (
            f"{facts.collection} + {found} - {listed} - {size}",
            f"Ds + V − Va − C = {facts.collection:,} + {found:,} − {listed:,} − {size:,}",
            facts.collection + found - listed - size,
        ),
    }
    arithmetic, shown, total = written[facts.measure.measure.name]
    symbols = (
        ("V", "relevant models in the list", f"{found:,}"), ("Va", "length of the list", f"{listed:,}"),
        facts.size_symbol(), ("Ds", "models that could be returned", f"{facts.collection:,}"),
    )  # fmt: skip
    return Working(arithmetic, shown, symbols, facts.ranks, (), float(total))
