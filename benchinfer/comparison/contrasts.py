"""Families of contrasts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import count, join, some
from benchinfer.numerics.covariance import all_pairs
from benchinfer.numerics.ties import joined_levels
from benchinfer.numerics.types import Array, Codes, Flags

type Named = Literal["tukey", "dunnett", "sequential", "mean"]
type Weights = Mapping[str, Mapping[str, float]]
type Contrasts = Named | Sequence[str] | Weights
# On 20 data sets all these pairs take 25 CPU seconds and 0.5 GB by the defaults of mixed models and
# permutation tests. Contrasts are a (P, K) matrix: memory grows with the cube.
MOST_IN_PAIRS = 200
# Names of both sides of contrasts as people read them, by the numbers of the contrasts; in the
# order of the ranking. Of pairs the better-ranked algorithm is first; one-sided tests and contrasts
# that the user named keep their sides.
type Oriented = Mapping[int, tuple[str, str]]
# A side of a contrast that is no single algorithm.
NO_ALGORITHM = -1


def some_of(pairs: Oriented, chosen: Flags) -> str:
    """Return the first few contrasts of a mask in words.

    Examples
    --------
    >>> some_of({1: ("c", "b"), 0: ("b", "a")}, np.array([True, True]))
    'c and b; b and a'
    """
    return some([pair for p, pair in pairs.items() if p < len(chosen) and chosen[p]])


@dataclass(frozen=True, slots=True)
class ContrastFamily:
    """Contrasts to compare at once.

    Attributes
    ----------
    pairs
        (P, 2) index pairs into the algorithms, `NO_ALGORITHM` for a side that is an average.
    matrix
        (P, K) contrasts.
    words
        The family in words.
    sides
        (P,) names of both sides where some side is an average, else empty.
    names
        (P,) names given by the user, else empty.
    shown
        How many of the contrasts, the first ones, are reported; the others are there because the
        reported ones were chosen among all by their scores.
    """

    pairs: Codes
    matrix: Array
    words: str
    sides: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()
    shown: int = -1

    @property
    def wanted(self) -> slice:
        """Slice of the contrasts that are reported."""
        return slice(None) if self.shown < 0 else slice(self.shown)

    def named_sides(self, algorithms: tuple[str, ...]) -> list[tuple[str, str]]:
        """Return the (P,) names of both sides."""
        return list(self.sides) or [(algorithms[i], algorithms[j]) for i, j in self.pairs]


def family_of(
    algorithms: tuple[str, ...],
    contrasts: Contrasts,
    control: str | None,
    levels: Array,
    *,
    directed: bool = False,
) -> ContrastFamily:
    """Return the contrasts requested."""
    if contrasts == "dunnett":
        return _with_control(algorithms, control, levels, directed=directed)
    if control is not None:
        raise ArgumentError(
            f"the control {control!r} does not go with {contrasts=}.",
            hint="a control alone compares each other algorithm with it.",
        )
    if contrasts == "tukey":
        pairs, matrix = all_pairs(len(algorithms))
        one = len(algorithms) == 2
        return ContrastFamily(pairs, matrix, "the one pair" if one else f"all {len(pairs):,} pairs")
    if contrasts == "mean":
        return _with_mean(algorithms)
    if isinstance(contrasts, Mapping):
        return _weighted(algorithms, contrasts)
    order = algorithms if contrasts == "sequential" else contrasts
    return _steps(algorithms, order)


def implied(contrasts: Contrasts, control: str | None) -> Contrasts:
    """Return the family of contrasts, which is Dunnett's where only a control is named.

    Examples
    --------
    >>> implied("tukey", "svm"), implied("tukey", None)
    ('dunnett', 'tukey')
    """
    known = get_args(Named.__value__)
    if isinstance(contrasts, str) and contrasts not in known:
        raise ArgumentError(unknown("contrasts", contrasts, known))
    return "dunnett" if contrasts == "tukey" and control is not None else contrasts


def check_number(algorithms: tuple[str, ...], contrasts: Contrasts, control: str | None) -> None:
    """Raise a DesignError where all pairs of algorithms are more than time and memory allow."""
    k, family = len(algorithms), implied(contrasts, control)
    best = control == "best" and "best" not in algorithms
    if k <= MOST_IN_PAIRS or not isinstance(family, str):
        return
    if family != "tukey" and not (family == "dunnett" and best):
        return
    raise DesignError(
        f"all pairs of {k} algorithms are {k * (k - 1) // 2:,} contrasts to test at once; the"
        f" limit is {MOST_IN_PAIRS} algorithms.",
        hint=[
            "control=... compares each other algorithm with one that is named;",
            "scores.subset(algorithms=[...]) keeps some; compare_points takes any number.",
        ],
    )


def _differences(pairs: Codes, k: int) -> Array:
    return np.eye(k)[pairs[:, 0]] - np.eye(k)[pairs[:, 1]]


def _with_control(
    algorithms: tuple[str, ...], control: str | None, levels: Array, *, directed: bool
) -> ContrastFamily:
    """Return Dunnett's family: each other algorithm against the control."""
    k, best = len(algorithms), control == "best" and "best" not in algorithms
    if control is None:
        raise ArgumentError(
            "Dunnett's contrasts need a control.",
            hint='name an algorithm, or control="best".',
        )
    if not best and control not in algorithms:
        raise ArgumentError(unknown("control", control, [*algorithms, "best"]))
    c = int(np.argmax(joined_levels(levels))) if best else algorithms.index(control)
    others = np.array([i for i in range(k) if i != c], dtype=np.int64)
    pairs = np.column_stack([others, np.full(k - 1, c)])
    pair = count(k - 1, "pair")
    if not best:
        return ContrastFamily(
            pairs, _differences(pairs, k), f"the {pair} with the control {control}"
        )
    if directed:
        raise ArgumentError(
            "which one is best was seen in the scores, and so was the direction to test.",
            hint='alternative="two-sided" is adjusted for all pairs and both directions.',
        )
    # Which one is best was seen in the same scores: only all pairs are safe against that choice.
    everything, _ = all_pairs(k)
    pairs = np.vstack([pairs, everything[(everything != c).all(axis=1)]])
    words = (
        f"all {len(pairs):,} pairs (shown: the {pair} with {algorithms[c]}, best by its estimate)"
    )
    return ContrastFamily(pairs, _differences(pairs, k), words, shown=k - 1)


def _with_mean(algorithms: tuple[str, ...]) -> ContrastFamily:
    """Return the family of the analysis of means: each algorithm against the mean of all."""
    k = len(algorithms)
    pairs = np.column_stack([np.arange(k), np.full(k, NO_ALGORITHM)])
    sides = tuple((name, "mean of all algorithms") for name in algorithms)
    words = f"the {k} differences from the mean of all algorithms"
    return ContrastFamily(pairs, np.eye(k) - 1 / k, words, sides)


def _steps(algorithms: tuple[str, ...], order: Sequence[str]) -> ContrastFamily:
    """Return the family of successive differences: each algorithm against its predecessor."""
    if strange := [name for name in order if name not in algorithms]:
        raise ArgumentError(unknown("algorithm", strange[0], algorithms))
    if len(set(order)) < max(len(order), 2):
        raise ArgumentError(
            f"the order {join(list(order))} does not name two or more algorithms once each.",
            hint="contrasts=[...] names algorithms in the order of the steps.",
        )
    index = np.array([algorithms.index(name) for name in order], dtype=np.int64)
    pairs = np.column_stack([index[1:], index[:-1]])
    steps = "the one step" if len(pairs) == 1 else f"the {len(pairs)} steps"
    words = f"{steps} along {join(list(order))}"
    return ContrastFamily(pairs, _differences(pairs, len(algorithms)), words)


def _weighted(algorithms: tuple[str, ...], weights: Weights) -> ContrastFamily:
    """Return the family of contrasts with weights of the user."""
    if not weights:
        raise ArgumentError("there are no contrasts.", hint="name one or more.")
    matrix = np.zeros((len(weights), len(algorithms)))
    for row, given in zip(matrix, weights.values(), strict=True):
        for name, weight in given.items():
            if name not in algorithms:
                raise ArgumentError(unknown("algorithm", name, algorithms))
            row[algorithms.index(name)] = weight
    up, down = np.maximum(matrix, 0).sum(axis=1), np.maximum(-matrix, 0).sum(axis=1)
    wrong = ~(np.isclose(up, 1) & np.isclose(down, 1))
    if wrong.any():
        names = np.array(list(weights))[wrong]
        raise ArgumentError(
            f"the weights of {count(int(wrong.sum()), 'contrast')} do not compare two means.",
            where=[
                ("contrast", "sum > 0", "sum < 0"),
                *(
                    (str(n), f"{u:.6g}", f"{-d:.6g}")
                    for n, u, d in zip(names, up[wrong], down[wrong], strict=True)
                ),
            ],
            hint="weights above 0 sum to 1 and those below 0 to -1, so that the difference is in"
            " the unit of the measure and the tolerance applies to it.",
        )
    sides = tuple((_side(algorithms, row), _side(algorithms, -row)) for row in matrix)
    pairs = np.array([(_single(row), _single(-row)) for row in matrix], dtype=np.int64)
    named = () if (pairs != NO_ALGORITHM).all() else sides
    many = "the one contrast" if len(weights) == 1 else f"the {len(weights):,} contrasts"
    words = f"{many} asked for"
    return ContrastFamily(pairs, matrix, words, named, tuple(weights))


def _single(row: Array) -> int:
    """Return the index of the algorithm with a positive weight, if there is only one."""
    index = np.flatnonzero(row > 0)
    return int(index[0]) if len(index) == 1 else NO_ALGORITHM


def _side(algorithms: tuple[str, ...], row: Array) -> str:
    """Return the positive side of a contrast in words: an algorithm, a mean or a weighted sum."""
    index = np.flatnonzero(row > 0)
    names = [algorithms[i] for i in index]
    if len(names) == 1:
        return names[0]
    if np.ptp(row[index]) < 1e-9:
        return f"mean of {join(names)}"
    return " + ".join(f"{row[i]:.3g} {algorithms[i]}" for i in index)
