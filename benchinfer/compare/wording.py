"""Sentences about verdicts, derived from them: direction, scope and rule are always named."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.measure import Measure
from benchinfer.order.relation import Relation, Verdict

if TYPE_CHECKING:
    from benchinfer.compare.evidence import Setting


def join(names: Sequence[str], last: str = "and") -> str:
    """Join names as in prose.

    Examples
    --------
    >>> join(["a", "b", "c"])
    'a, b and c'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def scope(setting: "Setting", target: str) -> str:
    """Say what the claims are about."""
    d = len(setting.coverage.datasets)
    if target == "domain":
        return f"on average over the domain that the {d} data sets stand for"
    if d > 1:
        return f"on average over these {d} data sets"
    name = setting.coverage.datasets[0]
    drawn = setting.resampling is not None and setting.resampling.kind == "bootstrap"
    return f"on the data set {name}{' as drawn' if drawn else ''}"


def direction(measure: Measure) -> str:
    """Say which direction is better."""
    return f"{measure.name}, {measure.better} is better"


def headline(relation: Relation, measure: Measure, where: str) -> str:
    """Say in one sentence which algorithms are best, as far as the verdicts go.

    Parameters
    ----------
    relation
        The verdicts.
    measure
        The measure, for the direction.
    where
        The scope of the claim.

    Returns
    -------
    str
        One sentence.
    """
    strict, names = relation.strict, relation.algorithms
    beaten = strict.any(axis=0)
    best = [names[i] for i in np.flatnonzero(~beaten)]
    k = len(names)
    if len(best) == 1 and strict[names.index(best[0])].sum() == k - 1:
        others = "the other algorithm" if k == 2 else f"each of the other {k - 1} algorithms"
        claim = f"{best[0]} is better than {others}"
    elif not strict.any():
        claim = _nothing_strict(relation)
    elif not best:
        claim = "every algorithm is beaten by another one, in a circle: there is no best algorithm"
    elif len(best) == 1:
        n = int(strict[names.index(best[0])].sum())
        claim = f"{best[0]} is better than {n} of the other {k - 1} algorithms and worse than none"
    else:
        index = [names.index(name) for name in best]
        block = relation.states[np.ix_(index, index)]
        same = "are equivalent" if (block == Verdict.EQUIVALENT).all() else "are not told apart"
        rest = k - len(best)
        losers = "the other one is" if rest == 1 else f"each of the other {rest} is"
        claim = f"{join(best)} {same}, and {losers} worse than at least one of them"
    return f"{where[0].upper()}{where[1:]}, {claim} ({direction(measure)})."


def _nothing_strict(relation: Relation) -> str:
    upper = relation.states[np.triu_indices(len(relation.algorithms), 1)]
    n, equal = len(upper), int((upper == Verdict.EQUIVALENT).sum())
    if equal == n:
        return f"all {len(relation.algorithms)} algorithms are equivalent within the tolerance"
    if equal:
        return (
            f"no algorithm is shown to be better than another; {equal} of {n} pairs are equivalent"
            " within the tolerance"
        )
    return f"no algorithm is shown to be better than another (all {n} pairs are undecided)"


def margin(measure: Measure) -> str:
    """Say the tolerance in the unit of the reported effect."""
    if measure.scale == "identity":
        unit = f" {measure.unit}" if measure.unit else ""
        return f"a difference of {measure.tolerance:g}{unit}"
    if measure.scale == "log":
        return f"a ratio of {1 + measure.tolerance:g}"
    return f"a log odds ratio of {measure.tolerance:g}"


def tested_rule(measure: Measure, level: float) -> str:
    """Say how adjusted p-values become verdicts."""
    alpha = f"{100 * (1 - level):.3g} %"
    if measure.tolerance == 0:
        return (
            f"A pair is decided when the adjusted p-value of its difference is at most {alpha}, and"
            " undecided otherwise. No tolerance is set, so no pair can be called equivalent."
        )
    return (
        f"A pair is equivalent when the adjusted test that it differs by less than"
        f" {margin(measure)} rejects at {alpha}; otherwise it is decided when the adjusted p-value"
        f" of its difference is at most {alpha}; otherwise it is undecided."
    )
