"""Wording of headlines and scopes."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, join, several
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.ties import joined_levels
from benchinfer.relations.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.evidence import Setting
    from benchinfer.numerics.types import Array, Codes, Flags, States
    from benchinfer.scores.coverage import Coverage


_DOMAINS = {
    "pooled": ", {} domains taken as one",
    "separate": "",
    "random": ", its {} domains taken as a sample of domains",
    "one": "",
}
# Ahead of the data sets: what is averaged over them, and the centre of their distribution, which a
# few data sets far out do not move.
AVERAGE = "on average over"
TYPICAL = "on a typical one of"
# Of ranks.
LEFT_OPEN = "those that the verdicts leave open"
_NAMED = 5  # algorithms of one kind that a headline names
_LACKING = 5  # algorithms that lack scores which a headline names
ONE_DF = (
    " {} leave 1 degree of freedom: only very large differences can be shown, and intervals are"
    " wide."
)


def scope(setting: Setting, target: str, domains: str = "pooled", where: str = AVERAGE) -> str:
    """Return the scope of claims in words: a domain, these data sets or one data set."""
    d = len(setting.coverage.datasets)
    parts = ("data set", setting.datasets_left_out), ("algorithm", setting.algorithms_left_out)
    left_out = [f"the {what}{'s' * (len(n) > 1)} {several(n)}" for what, n in parts if n]
    without = f", leaving out {' and '.join(left_out)} for empty cells" if left_out else ""
    units = f", {setting.units}" if setting.units else ""
    if setting.members is not None:
        n = count(len(setting.members.datasets), "data set")
        return f"{where} domains like these {d} ({n}){without}"
    if target == "domain" and domains == "separate":
        n = len(set(setting.domains))
        return f"{where} data sets like these {d} in these {n} domains{without}"
    if target == "domain":
        mixed = mixture(setting, domains)
        return f"{where} data sets like these {d}{mixed}{without}"
    if d > 1:
        n = len(set(setting.domains))
        of = f" of {n} domains" if n > 1 and domains == "pooled" else ""
        return f"{where} these {d} data sets{of}{units}{without}"
    name = setting.coverage.datasets[0]
    kind = setting.resampling and setting.resampling.kind
    if kind == "runs":  # of cases of a program, or of one
        return f"on {name}{units}{without}"
    how = " as drawn" if kind == "bootstrap" else ""
    if kind == "cv" and setting.resampling and setting.resampling.folds:
        how = f", in {setting.resampling.folds}-fold cross-validation"
    return f"on the data set {name}{how}{units}{without}"


def proviso(condition: str) -> str:
    """Return a sentence on a condition of claims, to go behind others; empty without one."""
    if not condition:
        return ""
    return f" With so few data sets, claims about means hold only {condition}."


def units(setting: Setting) -> str:
    """Return a sentence on domains as the units, to go before others; empty where they are none."""
    if setting.members is None:
        return ""
    n = count(len(setting.members.datasets), "data set")
    return (
        f"The units, in place of data sets, are the {len(setting.coverage.datasets)} domains of the"
        f" {n}, each the mean over its own with equal weight. "
    )


def mixture(setting: Setting, domains: str = "pooled") -> str:
    """Return a clause on how several domains are weighted; empty for one domain."""
    n = len(set(setting.domains))
    return _DOMAINS[domains].format(n) if n > 1 else ""


def direction(measure: Measure) -> str:
    """Return a measure's name with its better direction, such as "error, lower is better"."""
    return f"{measure.noun}, {measure.better} is better"


def headline(
    relation: Relation,
    measure: Measure,
    where: str,
    levels: Array,
    most: str,
    thin: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the headline: the best algorithm by its estimate, and the verdicts on it.

    Undecided need not be transitive, so that no group of best algorithms is named.

    Parameters
    ----------
    relation
        Verdicts of the pairs, with its order.
    measure, where
        What was compared, and what the claims are about.
    levels
        (K,) estimates, larger is better.
    most
        What the best one has, such as "the lowest error".
    thin
        Algorithms that lack data sets, as `resting` names them.
    """
    index = [relation.algorithms.index(name) for name in relation.order]
    levels = joined_levels(levels)[index]
    named = tuple(thin.get(name, name) for name in relation.order)
    relation = Relation(named, relation.states[np.ix_(index, index)], order=named)
    strict, names = relation.strict, relation.algorithms
    k = len(names)
    compared = (relation.states != Verdict.MISSING) & ~np.eye(k, dtype=np.bool_)
    tied = np.flatnonzero(levels == levels.max())
    top = 0
    hub = int(compared.sum(axis=1).argmax())
    if strict[top].sum() == k - 1:
        others = names[1] if k == 2 else f"each of the other {k - 1} algorithms"
        claim = f"{names[top]} is better than {others}"
    elif k > 2 and hub != top and compared.sum() == 2 * (k - 1) == 2 * compared[hub].sum():
        claim = _against(relation, hub, measure)
    elif k > 2 and (compared.sum() == 2 or 2 * compared[top].sum() < k - 1):
        claim = _of_compared(relation, measure)
    elif k == len(tied) == 2 and relation.states[0, 1] == Verdict.UNDECIDED:
        level = most.split(" ", 2)[2]  # without "the higher" or "the lower"
        claim = f"{names[0]} and {names[1]} have the same {level}; which is better is undecided"
    elif strict.any(axis=0).all():
        claim = "every algorithm is beaten by another one, in a circle: there is no best algorithm"
    else:
        also = [names[i] for i in tied if i != top]
        who = f"{names[top]} has {most}" + (f", tied with {several(also, 3)}" if also else "")
        rest = _shown if strict.any() else _nothing_strict
        claim = f"{who}{rest(relation, top, measure)}"
        if apart := [names[i] for i in np.flatnonzero(~compared[top]) if i != top]:
            claim += f"; it was not compared with {several(apart, 3)}"
    return _sentence(where, claim, measure)


def resting(coverage: Coverage) -> dict[str, str]:
    """Return a label with the number of data sets for each algorithm that lacks some of them."""
    d, n = len(coverage.datasets), (coverage.counts > 0).sum(axis=0).tolist()
    return {
        name: f"{name} (on {shared:,} of {d:,} data sets)"
        for name, shared in zip(coverage.algorithms, n, strict=True)
        if shared < d
    }


def gaps(coverage: Coverage) -> str:
    """Return sentences on failed runs and missing scores, to follow a headline.

    Examples
    --------
    >>> import benchinfer as bi, pandas as pd
    >>> runs = pd.DataFrame({"dataset": list("aabb"), "algorithm": list("xyxy"),
    ...                      "acc": [0.9, 0.8, 0.7, None]})
    >>> gaps(bi.read_scores(runs, measures="acc:higher").coverage())
    ' 1 run failed (1 of y) and is left out.'
    """
    lacking = coverage.gaps
    if lacking is None:
        return ""
    text = ""
    if n := sum(lacking.runs.values()):
        which = _of_each(lacking.runs)
        if lacking.counted:
            runs = "failed run counts" if n == 1 else "failed runs count"
            text = f" {n:,} {runs} as {lacking.counted} ({which})."
        else:
            left = "run failed ({}) and is" if n == 1 else "runs failed ({}) and are"
            text = f" {n:,} {left.format(which)} left out."
    of_each = lacking.missing.sum(axis=0)
    if n := int(of_each.sum()):
        order = np.argsort(-of_each, kind="stable").tolist()
        lost = {coverage.algorithms[k]: int(of_each[k]) for k in order if of_each[k]}
        total = coverage.n + n + (0 if lacking.counted else int(lacking.failed.sum()))
        are = "is" if n == 1 else "are"
        text += f" {n:,} of {total:,} scores {are} missing ({_of_each(lost)})."
    return text


def _of_each(numbers: Mapping[str, int]) -> str:
    """Return the numbers of algorithms as text, of many those of the first few and the rest.

    Examples
    --------
    >>> _of_each({"x": 4, "y": 3})
    '4 of x and 3 of y'
    >>> _of_each({name: 2 for name in "tuvwxyz"})
    '2 of t, 2 of u, 2 of v, 2 of w, 2 of x and 4 of 2 others'
    """
    each = [f"{number:,} of {name}" for name, number in numbers.items()]
    if len(each) > _LACKING + 1:
        rest = sum([*numbers.values()][_LACKING:])
        each[_LACKING:] = [f"{rest:,} of {len(each) - _LACKING:,} others"]
    return join(each)


def _shown(relation: Relation, top: int, measure: Measure) -> str:
    """Return a clause with the verdicts on the algorithm with the best estimate, after its name."""
    strict, names = relation.strict, relation.algorithms
    if strict[:, top].any():
        winners = [names[i] for i in np.flatnonzero(strict[:, top])]
        return f" by its estimate, but {several(winners, 3)} {_is(winners)} better than it"
    better = np.flatnonzero(strict[top])
    equal = np.flatnonzero(relation.states[top] == Verdict.EQUIVALENT)
    equal = equal[equal != top]
    undecided = relation.states[top] == Verdict.UNDECIDED
    rest = [i for i in np.flatnonzero(undecided) if i != top]
    parts = [f"better than {_chosen(names, better)}"] if len(better) else []
    if len(equal):
        parts += [f"{equivalent(measure)} to {_chosen(names, equal)}"]
    if not parts:
        each = f"any of the other {len(rest)}" if len(rest) > 1 else names[rest[0]]
        return f"{_open([each])}; {_better(relation, 2)}"
    claim = f"; it is {join(parts)}"
    return f"{claim}{_open([names[i] for i in rest])}" if rest else claim


def _open(names: Sequence[str]) -> str:
    """Return a clause, after one on an algorithm, on those that it may be better than."""
    return f"; whether it is better than {several(names, _NAMED, 'or')} is undecided"


def _better(relation: Relation, most: int) -> str:
    """Return a clause that lists the first few winners and the algorithms they are better than."""
    names = relation.algorithms
    wins = [
        (names[i], [names[j] for j in np.flatnonzero(row)])
        for i, row in enumerate(relation.strict)
        if row.any()
    ]
    claims = [f"{winner} is better than {several(rest, 3)}" for winner, rest in wins[:most]]
    if more := len(wins) - most:
        are = "is" if more == 1 else "are"
        claims += [f"{more} more {are} better than another"] if more > 0 else []
    return "; ".join(claims)


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _chosen(names: Sequence[str], chosen: Sequence[int] | Codes) -> str:
    """Return the names of the chosen algorithms, or their number if they are many."""
    if len(chosen) > _NAMED:
        return f"{len(chosen)} of the other {len(names) - 1}"
    return join([names[i] for i in chosen])


def _against(relation: Relation, control: int, measure: Measure) -> str:
    """Return a clause with the verdicts of all contrasts with a control."""
    strict, names, states = relation.strict, relation.algorithms, relation.states[control]
    groups = (strict[:, control], strict[control], states == Verdict.EQUIVALENT)
    above, below, equal, rest = (
        [names[i] for i in np.flatnonzero(chosen) if i != control]
        for chosen in (*groups, states == Verdict.UNDECIDED)
    )
    parts = [f"{several(above)} {_is(above)} better than {names[control]}"] if above else []
    parts += [f"{names[control]} is better than {several(below)}"] if below else []
    claim = join(parts) or f"{_all(len(rest))} comparisons with {names[control]} are undecided"
    if equal and not parts:
        claim = f"no algorithm is better or worse than {names[control]}"
    if equal:
        claim += f"; {several(equal)} {_is(equal)} {equivalent(measure)} to it"
    if not rest or not (parts or equal):
        return claim
    undecided = "comparison with {} is" if len(rest) == 1 else "comparisons with {} are"
    return f"{claim}; the {undecided.format(several(rest))} undecided"


def _of_compared(relation: Relation, measure: Measure) -> str:
    """Return a clause with the verdicts of the pairs compared, where these are only some."""
    names = relation.algorithms
    upper = relation.states[np.triu_indices(len(names), 1)]
    n = int((upper != Verdict.MISSING).sum())
    wins = int(relation.strict.sum())
    equal = int((upper == Verdict.EQUIVALENT).sum())
    also = f"; {count(equal, 'pair')} {equivalent(measure)}" if equal else ""
    if n == 1:
        one, other = np.argwhere(np.triu(relation.states != Verdict.MISSING, 1))[0]
        if wins:
            return _better(relation, 1)
        return _undecided((names[one], names[other]), equal, measure)
    if not wins:
        return f"{_none_decided(n, equal, ' compared')}{also}"
    claims = _better(relation, 5)
    return f"{wins} of the {count(n, 'pair')} compared decided: {claims}{also}"


def _nothing_strict(relation: Relation, top: int, measure: Measure) -> str:
    """Return a clause that no algorithm is better than another, or that they are equivalent."""
    names = relation.algorithms
    upper = relation.states[np.triu_indices(len(names), 1)]
    n, equal = int((upper != Verdict.MISSING).sum()), int((upper == Verdict.EQUIVALENT).sum())
    of = " compared" if n < len(upper) else ""
    if equal == n:
        who = names[1 - top] if n == 1 else f"all {len(names)} algorithms"
        who = f"all {n:,} pairs{of}" if of else who
        return f"; {'it and ' if n == 1 else ''}{who} are {equivalent(measure)}"
    if n == 1:
        return _open([names[1 - top]])
    if equal:
        are = "is" if equal == 1 else "are"
        return f"; {equal:,} of {n:,} pairs{of} {are} {equivalent(measure)}, the others undecided"
    return f"; {_none_decided(n, 0, of)}"


def _none_decided(n: int, equal: int, of: str) -> str:
    """Return a clause that no algorithm of n pairs is better than the other."""
    return (
        f"none of the {n:,} pairs{of} is decided" if equal else f"{_all(n)} pairs{of} are undecided"
    )


def _all(n: int) -> str:
    return "both" if n == 2 else f"all {n:,}"


def equivalent(measure: Measure) -> str:
    """Return that algorithms are equivalent, with the size of what does not matter."""
    return f"equivalent (within {margin(measure)})"


def margin(measure: Measure) -> str:
    """Return the tolerance in words, in the unit of the reported effect."""
    if measure.scale == "identity":
        return measure.in_unit(f"{measure.tolerance:g}")
    return {
        "log": f"a factor of {1 + measure.tolerance:g}",
        "logit": f"a log odds ratio of {measure.tolerance:g}",
    }[measure.scale]


def tested_rule(measure: Measure, level: float, alternative: str) -> str:
    """Return the rule by which adjusted p-values decide a pair, in words."""
    alpha = f"{100 * (1 - level):.3g} %"
    test = {
        "two-sided": "its adjusted p-value is",
        "better": "the adjusted one-sided p-value, that first is better than second, is",
        "worse": "the adjusted one-sided p-value, that first is worse than second, is",
    }[alternative]
    if measure.tolerance == 0:
        return (
            f"A pair is decided if {test} at most {alpha}, else undecided. No tolerance is set, so"
            " that no pair can be called equivalent."
        )
    return (
        f"A pair is equivalent (within {margin(measure)}) if adjusted tests reject at {alpha} that"
        f" it differs by more; else it is decided if {test} at most {alpha}; else it is undecided."
        f" Equivalences are a second family of tests, which holds with {100 * level:g} % by itself."
    )


def rate_of_rule(measure: Measure, level: float) -> str:
    """Return a sentence, to follow a rule, on the false discovery rate that is controlled."""
    equal = ", and of the equivalences," if measure.tolerance else ""
    return (
        f" The false discovery rate is kept: on average at most {100 * (1 - level):.3g} % of the"
        f" significant differences{equal} are false. The chance of any false one is larger."
    )


def discovery(level: float) -> str:
    """Return a sentence, to follow a headline, on the false discovery rate of its claims."""
    return (
        f" The comparisons keep a false discovery rate of {100 * (1 - level):.3g} %: on average at"
        " most that share of the significant differences is false, and single ones may be."
    )


def claims_of(comparison: Comparison, measure: Measure, where: str) -> str:
    """Return a sentence with the verdicts of a comparison of averages, as a headline."""
    pairs = comparison.pairs
    rows = list(range(len(pairs)) if pairs.names else pairs.oriented())
    return claims([pairs.sides[p] for p in rows], pairs.codes[rows], measure, where)


def claims(sides: Sequence[tuple[str, str]], codes: States, measure: Measure, where: str) -> str:
    """Return a sentence with the verdicts of contrasts of averages."""
    better = {Verdict.FIRST: (0, 1), Verdict.SECOND: (1, 0)}
    wins = [
        f"{named(pair[better[code][0]])} is better than {named(pair[better[code][1]])}"
        for pair, code in zip(sides, map(Verdict, codes.tolist()), strict=True)
        if code in better
    ]
    equal = int((codes == Verdict.EQUIVALENT).sum())
    also = f"; {count(equal, 'contrast')} {equivalent(measure)}" if equal else ""
    shown = f"{len(wins):,} of {count(len(sides), 'contrast')} decided: {several(wins, 20)}"
    if len(sides) == 1:
        return _sentence(where, wins[0] if wins else _undecided(sides[0], equal, measure), measure)
    claim = shown if wins else f"none of the {count(len(sides), 'contrast')} is decided"
    return _sentence(where, f"{claim}{also}", measure)


def _sentence(where: str, claim: str, measure: Measure) -> str:
    return f"{where[0].upper()}{where[1:]}, {claim} ({direction(measure)})."


def _undecided(pair: tuple[str, str], equal: int, measure: Measure) -> str:
    """Return a clause that two algorithms are equivalent or undecided."""
    one, other = map(named, pair)
    if equal:
        return f"{one} and {other} are {equivalent(measure)}"
    return f"whether {one} is better than {other} is undecided"


def named(side: str) -> str:
    """Return a side of a contrast as it is written within a sentence."""
    return f"the {side}" if side.startswith("mean of ") else side


def zeros(left_out: Codes) -> str:
    """Return a sentence on the number of zero differences left out of a test; empty for none."""
    low, high = int(left_out.min()), int(left_out.max())
    if not high:
        return ""
    n = f"{high:,}" if low == high else f"{low:,} to {high:,}"
    return f" Differences of zero were left out: {n}{'' if len(left_out) == 1 else ' of a pair'}."


def becomes(sides: tuple[str, str], before: int, after: int, oriented: tuple[str, str]) -> str:
    """Return a change of verdict in words, an undecided pair with the better-ranked side first.

    Examples
    --------
    >>> becomes(("a", "b"), Verdict.UNDECIDED, Verdict.SECOND, ("a", "b"))
    'a ? b becomes b > a'
    >>> becomes(("a", "b"), Verdict.EQUIVALENT, Verdict.UNDECIDED, ("b", "a"))
    'b ~ a becomes undecided'
    """
    better = {Verdict.FIRST: " > ".join(sides), Verdict.SECOND: " > ".join(sides[::-1])}
    mark = " ~ " if before == Verdict.EQUIVALENT else " ? "
    was = better.get(Verdict(before), mark.join(oriented))
    return f"{was} becomes {better.get(Verdict(after), Verdict(after).label)}"


def level_title(comparison: Comparison) -> str:
    """Return the statistic of the levels with the unit of the measure, for axes and headings."""
    levels, measure = comparison.levels, comparison.measure
    name = levels.name.replace("{}", measure.display_name) or measure.display_name
    return name if levels.better else f"{name}{measure.unit_mark}"


def level_marks(comparison: Comparison) -> dict[str, str]:
    """Return the mark of each algorithm with a verdict against the order of the levels."""
    against = comparison.pairs.against(comparison.levels.estimate)
    marked = set(comparison.pairs.index[against].ravel().tolist())
    return {name: "*" * (k in marked) for k, name in enumerate(comparison.algorithms)}


def reversals(comparison: Comparison, levels: Array | None = None, *, mark: str = "* ") -> str:
    """Return a sentence on pairs with a verdict against the order of (K,) levels; else empty.

    By default of the levels that are compared. The text begins with the mark that these levels
    have in its table or figure, empty where they have none.
    """
    pairs = comparison.pairs
    against = pairs.against(comparison.levels.estimate if levels is None else levels)
    if not against.any():
        return ""
    wins = [
        f"{winner} is better than {loser}"
        for winner, loser in (
            pairs.sides[p] if pairs.codes[p] == Verdict.FIRST else pairs.sides[p][::-1]
            for p in np.flatnonzero(against).tolist()
        )
    ]
    return (
        f"{mark}Against the order of the levels, {several(wins, 3)}: a"
        " verdict rests on the test of its pair, levels on all scores."
    )


def over_equality(comparison: Comparison) -> Flags:
    """Return a (P,) mask of the decided pairs whose interval includes equality."""
    return spanning(comparison.contrasts(all=True), comparison.measure).to_numpy()


def spanning(rows: pd.DataFrame, measure: Measure) -> pd.Series[bool]:
    """Return a mask of the contrasts that are decided although their interval includes equality."""
    decided = rows["verdict"].isin(["first", "second"])
    if "conf_low" not in rows:
        return decided & False
    # An end at equality is open where the pair is decided.
    return decided & (rows["conf_low"] < measure.neutral) & (rows["conf_high"] > measure.neutral)


def decider(comparison: Comparison) -> str:
    """Return the criterion that decides pairs whose interval includes equality, in words."""
    if "prob_first" in comparison.contrasts(all=True):
        return f"where one direction has a probability of {100 * comparison.level:g} %"
    return "where the test decides"


def interval_words(comparison: Comparison, rows: Sequence[int]) -> str:
    """Return a description of the intervals of some contrasts; empty if there are none.

    With them, how many decided pairs, whose marks are filled, have one that includes equality.
    """
    intervals = comparison._intervals
    n = int(over_equality(comparison)[list(rows)].sum()) if intervals else 0
    if not n:
        return intervals
    marks = "a filled mark is" if n == 1 else f"{n} filled marks are"
    return f"{intervals}; {marks} on an interval that includes equality, {decider(comparison)}"
