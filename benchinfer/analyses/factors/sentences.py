"""Sentences on effects of factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchinfer.analyses.factors.comparison import units_like_these
from benchinfer.comparison.checks.tables import UNDECLARED
from benchinfer.comparison.effects import effect_interval, row_writer
from benchinfer.core import numbers
from benchinfer.core.numbers import join
from benchinfer.core.verdict import Verdict
from benchinfer.relations.sections import on_one_line

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.factors.comparison import LevelComparison
    from benchinfer.analyses.factors.effects import Interaction
    from benchinfer.analyses.factors.factors import Factors
    from benchinfer.core.measure import Measure

_MOST = 3  # pairs of one factor that a sentence names
_MOST_LEVELS = 6  # levels of one factor whose order a sentence has; of more those beside the best


def headline(result: Factors) -> str:
    """Return the verdict on each factor, and which of them interact."""
    mains = [
        _order(name, one) if len(one.algorithms) > 2 else _pair(one, with_numbers=False)
        for name, one in result.items()
    ]
    return _joined(result, mains, _interactions(result, with_numbers=False))


def sentence(result: Factors) -> str:
    """Return the verdict on each factor with effects and intervals, and interactions."""
    mains: list[str] = []
    for name, one in result.items():
        if int(one.pairs.decided.sum()) > _MOST or len(one.pairs) > 2 * _MOST:
            order = _order(name, one)
            mains.append(order if len(one.algorithms) > _MOST_LEVELS else f"of {name}, {order}")
        else:
            mains.append(_pair(one, with_numbers=True))
    doubts = [one.sentence for one in result.checks if one.check == UNDECLARED and not one.ok]
    return " ".join([_joined(result, mains, _interactions(result, with_numbers=True)), *doubts])


def _joined(result: Factors, mains: list[str], interactions: list[str]) -> str:
    measure = result.measure
    names = [*result.levels]
    scope = "the other factor" if len(names) == 2 else "the other factors"
    main = (
        f"On average over {scope}, and over {units_like_these(result.setting)}, {'; '.join(mains)}"
        f" ({measure.noun}, {measure.better} is better)."
    )
    lines = [main] if mains else []
    lines += interactions
    lines += [f"{name} was not compared: {why}." for name, why in result.refused.items()]
    return " ".join(numbers.sentence(line, result.setting.algorithms) for line in lines)


def _order(name: str, one: LevelComparison) -> str:
    """Return the order of the levels of a factor; of many the best one and what is beside it."""
    if len(one.algorithms) <= _MOST_LEVELS:
        return on_one_line(one.relation())
    best = one.ranking()[0]
    table = one.contrasts(all=True)
    rows = table[(table["first"] == best) | (table["second"] == best)]
    others = rows["first"].where(rows["first"] != best, rows["second"])
    mean = "highest" if one.measure.better == "higher" else "lowest"
    parts = [f"of the {len(one.algorithms)} levels of {name}, {best} has the {mean} mean"]
    for verdict in (best, Verdict.EQUIVALENT.label, Verdict.UNDECIDED.label):
        names = [*others[_verdict(rows, best) == verdict]]
        listed = join(names, "or") if len(names) <= _MOST_LEVELS else f"{len(names)} others"
        if names and verdict == best:
            parts.append(f"is better than {len(names)} of the others")
        elif names and verdict == Verdict.EQUIVALENT.label:
            parts.append(f"is equivalent to {listed}")
        elif names:
            parts.append(f"whether it is better than {listed} is undecided")
    return join(parts)


def _verdict(rows: pd.DataFrame, best: str) -> pd.Series:
    """Return verdicts on pairs with the best level: it, or the word of the verdict."""
    return rows["verdict"].astype(str).where(rows["winner"] != best, best)


def _pair(one: LevelComparison, *, with_numbers: bool) -> str:
    """Return the verdicts on the pairs of levels of a factor."""
    table = one.contrasts(order="result", all=True)
    writer = row_writer(one.measure, table)
    verdicts: list[str] = []
    undecided: list[str] = []
    for row in table.to_dict("records"):
        first, second = row["first"], row["second"]
        if row["verdict"] == Verdict.UNDECIDED.label:
            undecided.append(f"whether {first} is better than {second}")
            continue
        if row["verdict"] == Verdict.EQUIVALENT.label:
            verdicts.append(f"{first} and {second} are equivalent")
            continue
        if row["verdict"] == Verdict.MISSING.label:
            continue
        winner = first if row["verdict"] == Verdict.FIRST.label else second
        loser = second if winner == first else first
        amount = ""
        if with_numbers:
            sides = (row["estimate"], row["conf_low"], row["conf_high"])
            write = writer(*sides)
            amount = f" by {_amount(one.measure, sides, write)}"
        verdicts.append(f"{winner} is better than {loser}{amount}")
    if undecided:
        verdicts.append(f"{join(undecided)} is undecided")
    return "; ".join(verdicts)


def _amount(measure: Measure, sides: tuple[float, float, float], write: object) -> str:
    """Return a difference as its size with its interval, a ratio as it is."""
    value, low, high = sides
    if measure.scale == "identity" and value < 0:
        value, low, high = -value, -high, -low
    word = "" if measure.scale == "identity" else f"{measure.effect_name} "
    ends = effect_interval(low, high, "first", measure=measure, write=write)  # pyright: ignore[reportArgumentType]
    return f"{word and 'a ' + word}{write(value)} ({ends})"  # pyright: ignore[reportCallIssue]


def _interactions(result: Factors, *, with_numbers: bool) -> list[str]:
    """Return sentences on interactions that are shown, and on those that are not."""
    names = [*result.levels]
    shown, silent, untested, lost = list[str](), list[str](), list[str](), list[str]()
    table = result.interactions()
    start = 0
    for one in result.pairs_of_factors:
        rows = table.iloc[start : start + len(one.n)]
        start += len(one.n)
        f, g = (names[place] for place in one.factors)
        if not one.n.any():
            lost.append(f"{f} and {g}")
        elif not one.tested:
            untested.append(f"{f} and {g}")
        elif one.p_omnibus > result.options.alpha:
            silent.append(f"{f} and {g}")
        else:
            shown.append(_interact(result, one, rows, with_numbers=with_numbers))
    if silent:
        shown.append(f"No interaction is shown of {'; '.join(silent)}.")
    if untested:
        shown.append("Interactions were not tested.")
    if lost:
        shown.append(f"Interactions cannot be estimated of {'; '.join(lost)}: cells are missing.")
    return shown


def _interact(result: Factors, one: Interaction, rows: pd.DataFrame, *, with_numbers: bool) -> str:
    """Return a sentence on an interaction that is shown, by its clearest difference."""
    row = rows.iloc[one.largest]
    f, g = row["other_factor"], row["factor"]
    if not with_numbers:
        return f"{f} and {g} interact."
    measure = result.measure
    writer = row_writer(measure, rows)
    sides = (float(row["estimate"]), float(row["conf_low"]), float(row["conf_high"]))
    write = writer(*sides)
    at = measure.effect(one.simple[one.largest]).tolist()
    less = "minus" if measure.scale == "identity" else "over"
    verdict = "first" if sides[0] > measure.neutral else "second"
    ends = effect_interval(sides[1], sides[2], verdict, measure=measure, write=write)
    return (
        f"{f} and {g} interact: {row['first']} {less} {row['second']} is {write(at[0])} with"
        f" {row['other_first']} and {write(at[1])} with {row['other_second']}, a"
        f" {measure.effect_name} of {write(sides[0])} ({ends})."
    )
