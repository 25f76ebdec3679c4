"""Allocation of scores to nested units: more passages, more items, or more answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np

from benchinfer.analyses.plan.numerics.allocation import cheapest, error_variance, limits
from benchinfer.comparison.evidence import Setting
from benchinfer.core.arguments import check_index, checked
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import frame
from benchinfer.core.hints import literal
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import join, percent, significant
from benchinfer.core.result import Showable
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.scores.numerics.nested import DifferenceDesign
from benchinfer.scores.rows.nesting import (
    counted,
    nested_items,
    noun,
    plural,
)

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.scores.table import ScoreTable

COVER = 0.95


@checked
def allocate(
    pilot: ScoreTable,
    measure: str | None = None,
    *,
    std_error: float | None = None,
    costs: Sequence[float] | None = None,
    fixed: Mapping[str, int] | None = None,
) -> Allocation:
    """Allocate scores to nested units: more passages, more items, or more answers.

    The result has the standard error of a difference of two algorithms in the pilot, what each
    level adds to it, and what it is with more units of each.

    Parameters
    ----------
    pilot
        A score table with `units`.
    measure
        Name of its measure.
    std_error
        The standard error that is wanted of the difference of two algorithms, in the measure's
        unit. Of each level the number is then found that has it, where those of the others stay;
        with `costs` the cheapest design, of units of one size, with at least 10 outermost units on
        each data set.
    costs
        Of one unit of each level, the outermost first, all algorithms together: of a passage
        without its items, of an item without its answers, of an answer.
    fixed
        With `costs`: level to its number in each unit of the level above (of the outermost: on each
        data set), where this is not up for choice: ``{"question": 198}``.

    Returns
    -------
    Allocation
        With `summary`, and `std_error_of` any design.

    Raises
    ------
    DesignError
        No design has the error: the message names the least. Or the pilot cannot answer.

    See Also
    --------
    plan : Numbers of data sets and replications.

    Notes
    -----
    The variance of differences over D data sets with C units each, n items in a unit and a answers
    to an item is ``V = (s_u / C + s_i / (C n) + s_a / (C n a)) / D``. The components s are those of
    the analysis of variance of the nested design (Searle, Casella & McCulloch 1992, chapter 3), of
    the differences of the average pair, on the items that all algorithms have; s_a is the sum of
    both algorithms' variances of answers. Of units of unequal size each term is larger by the sum
    of squared weights of units times their number.

    Examples
    --------
    Four answers of each of two models to 50 items:

    >>> import benchinfer as bi
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> rows = pd.DataFrame(
    ...     [(i, a, model, hard + rng.normal())
    ...      for i in range(50) for model in "xy" for hard in [rng.normal()] for a in range(4)],
    ...     columns=["item", "answer", "model", "score"])
    >>> scores = bi.read_scores(rows, measures="score:higher", units=("item", "answer"))
    >>> best = allocate(scores, std_error=0.1, costs=(1, 0.1))
    >>> best.counts, round(best.cost)
    ((239, 3), 311)
    """
    setting, _ = Setting.of(pilot, measure)
    design = _pilot(pilot, setting.measure)
    levels = cast("tuple[str, ...]", pilot.units and pilot.units.levels)
    d = len(setting.coverage.datasets)
    if std_error is None and (costs is not None or fixed):
        raise DesignError(
            f"{'costs=...' if costs is not None else 'fixed=...'} goes with an error that is"
            " wanted.",
            hint=f"std_error=..., in the unit of {setting.measure.name}.",
        )
    if std_error is not None and not (math.isfinite(std_error) and std_error > 0):
        raise DesignError(f"std_error is {std_error!r}.", hint="a number larger than 0.")
    counts = None
    if std_error is not None and (costs is not None or fixed):
        numbers, prices = _fixed(levels, fixed or {}), _prices(levels, costs)
        counts = cheapest(design.components, prices, std_error**2 * d, numbers)
        if counts is None:
            raise _unreachable(design, levels, numbers, std_error, d)
    return Allocation(
        setting.measure,
        setting.coverage.datasets,
        len(setting.algorithms),
        levels,
        design,
        std_error,
        None if costs is None else tuple(map(float, costs)),
        counts,
    )


def _pilot(scores: ScoreTable, measure: Measure) -> DifferenceDesign:
    """Return the design of differences; raise a DesignError if variances are not estimable."""
    if scores.units is None:
        if nested := nested_items(scores.notes):
            raise DesignError(
                f"the table has no levels of units. {nested.what}",
                hint=nested.hint,
            )
        raise DesignError(
            "the table has no levels of units: its replications are not nested.",
            hint='units=("item", "answer") names them on reading; plan is for data sets and'
            " replications.",
        )
    if measure.scale != "identity":
        raise DesignError(
            f"{measure.name} is compared on the {measure.scale} scale, errors here are of"
            " differences of means.",
            hint="declare the measure without a scale for this question.",
        )
    units = scores.units.part([measure.name], scores.datasets, scores.algorithms)
    design = units.differences(measure.name)
    if not np.isfinite(design.squares).all():
        raise DesignError(
            f"{measure.name} is normalised, and how its units vary is known of the scores as they"
            " were read.",
            hint="plan with the table before it was normalised.",
        )
    levels = units.levels
    for level, df in enumerate(design.df):
        if df <= 0:
            where = f"no {noun(levels[level - 1])}" if level else "no data set"
            raise DesignError(
                f"{where} has several {plural(levels[level])}"
                f"{' that all algorithms share' if level < len(levels) - units.answers else ''}:"
                " how much they vary is not known.",
                hint="a pilot with several in some tells.",
            )
    if not design.components.any():
        raise DesignError(
            "the algorithms differ by the same everywhere: there is no error to reduce.",
            hint="a pilot whose scores differ.",
        )
    return design


def _fixed(levels: Sequence[str], fixed: Mapping[str, int]) -> list[int | None]:
    """Return the number of each level that is not up for choice."""
    if odd := [name for name in fixed if name not in levels]:
        raise DesignError(
            f"fixed=... names {join(odd)}, which is no level of units.",
            hint=f"the levels are {join(levels)}.",
        )
    for name, number in fixed.items():
        least = 2 if name == levels[0] else 1
        if not (math.isfinite(number) and number == int(number) and number >= least):
            raise DesignError(
                f"{counted(number, name)} cannot be fixed.", hint=f"a whole number from {least} on."
            )
    if len(fixed) == len(levels):
        raise DesignError(
            "all levels are fixed: there is nothing to choose.",
            hint="std_error_of(...) of the result has the error of any design.",
        )
    return [None if name not in fixed else int(fixed[name]) for name in levels]


def _prices(levels: Sequence[str], costs: Sequence[float] | None) -> Sequence[float]:
    """Return the costs of the levels; raise a DesignError if they are missing or invalid."""
    example = f"costs={literal(tuple(10 ** (len(levels) - 1 - i) for i in range(len(levels))))}"
    if costs is None:
        raise DesignError("fixed=... goes with costs.", hint=f"{example}, for instance.")
    fits = len(costs) == len(levels) and all(math.isfinite(c) and c >= 0 for c in costs)
    if not fits or costs[-1] <= 0:
        raise DesignError(
            f"costs are {tuple(costs)!r}.",
            hint=f"one number for each of {join(levels)}, from 0 on, the last larger than 0, as in"
            f" {example}.",
        )
    return costs


def _unreachable(
    design: DifferenceDesign,
    levels: Sequence[str],
    fixed: Sequence[int | None],
    std_error: float,
    d: int,
) -> DesignError:
    """Return the error that names the least standard error of designs with fixed numbers."""
    counts = [math.inf if number is None else number for number in fixed]
    floor = math.sqrt(error_variance(design.components, counts) / d)
    what = join([counted(n, name) for n, name in zip(fixed, levels, strict=True) if n is not None])
    more = join([plural(name) for n, name in zip(fixed, levels, strict=True) if n is None])
    return DesignError(
        f"no number of {more} has a standard error of {std_error:g} with {what}: the least is"
        f" {significant(floor)}.",
        hint=f"more {plural(levels[0])}, or a larger error.",
    )


@checked
@savable
@shaped(levels="L", costs="L", counts="L", design=SAME, wanted="(0,inf)")
@dataclass(frozen=True, slots=True, repr=False)
class Allocation(Showable):
    """Nested units of a pilot, and the design that a wanted error needs; L levels.

    Attributes
    ----------
    measure, datasets, n_algorithms
        The pilot.
    levels
        Names of the levels, the outermost first.
    design
        What the variance of a difference of two algorithms consists of.
    wanted
        Standard error that is wanted, or None.
    costs
        (L,) cost of a unit of each level, or None.
    counts
        (L,) the design with the smallest cost: outermost units on each data set, and units of each
        further level in one of the level above; None without costs.
    """

    _home: ClassVar[str] = "benchinfer.analyses.plan"

    measure: Measure
    datasets: tuple[str, ...]
    n_algorithms: int
    levels: tuple[str, ...]
    design: DifferenceDesign
    wanted: float | None
    costs: tuple[float, ...] | None
    counts: tuple[int, ...] | None

    @property
    def pilot_counts(self) -> tuple[float, ...]:
        """(L,) outermost units on a data set of the pilot, and mean numbers in one of these."""
        nodes = self.design.nodes
        return tuple((nodes / np.append(1.0, nodes[:-1])).tolist())

    @property
    def parts(self) -> list[float]:
        """(L,) what each level adds to the variance of the pilot's difference."""
        return (self.design.components * self.design.shares / len(self.datasets)).tolist()

    @property
    def std_error(self) -> float:
        """Standard error of a difference in the pilot, for the average pair."""
        return math.sqrt(sum(self.parts))

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the standard error by the uncertainty of the pilot."""
        design = self.design
        weights = np.linalg.solve(design.coefficients.T, design.shares) / len(self.datasets)
        low, high = limits(weights * design.squares, design.df, COVER)
        return math.sqrt(low), math.sqrt(max(high, self.std_error**2))

    @property
    def cost(self) -> float | None:
        """Cost of the design that was found, on all data sets; None without costs."""
        if self.costs is None or self.counts is None:
            return None
        return len(self.datasets) * float((np.cumprod(self.counts) * np.array(self.costs)).sum())

    def std_error_of(self, *counts: float) -> float:
        """Return the standard error of a difference in a design of units of one size.

        Parameters
        ----------
        counts
            Outermost units on each data set, then units of each further level in one of the level
            above it; infinite ones have the error that no number goes below.

        Examples
        --------
        >>> import benchinfer as bi
        >>> rows = {"item": [1, 1, 2, 2, 3, 3] * 2, "answer": [1, 2] * 6,
        ...         "model": ["a"] * 6 + ["b"] * 6, "acc": [1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0]}
        >>> scores = bi.read_scores(rows, measures="acc:higher", units=("item", "answer"))
        >>> round(bi.allocate(scores).std_error_of(100, 1), 4)
        0.0577
        """
        if len(counts) != len(self.levels) or not all(n >= 1 for n in counts):
            raise DesignError(
                f"{counts!r} is no design.", hint=f"one number from 1 on of {join(self.levels)}."
            )
        return math.sqrt(error_variance(self.design.components, counts) / len(self.datasets))

    def doubled(self, level: int) -> float:
        """Return the standard error with twice as many units of a level in each one above."""
        check_index("level", level, len(self.parts))
        return math.sqrt(sum(self.parts[:level]) + sum(self.parts[level:]) / 2)

    def least(self, level: int) -> float:
        """Return the standard error that no number of units of a level goes below."""
        check_index("level", level, len(self.parts))
        return math.sqrt(sum(self.parts[:level]))

    def needed(self, level: int) -> float:
        """Return the number of a level that has the wanted error, infinite where none has it.

        The numbers of the other levels, and how unequal units are, stay as in the pilot.
        """
        check_index("level", level, len(self.parts))
        if self.wanted is None:
            return math.nan
        room = self.wanted**2 - sum(self.parts[:level])
        need = sum(self.parts[level:])
        if need <= 0:
            return 1.0 if room >= 0 else math.inf
        if room <= 0:
            return math.inf
        return max(math.ceil(self.pilot_counts[level] * need / room * (1 - 1e-12)), 1)

    def summary(self) -> pd.DataFrame:
        """Return one row per level.

        Returns
        -------
        pandas.DataFrame
            ``unit n_pilot variance share std_error_doubled std_error_least``, with ``n_needed`` for
            a wanted error and ``n_planned`` with costs.
        """
        levels = range(len(self.levels))
        total = sum(self.parts)
        columns: dict[str, object] = {
            "unit": list(self.levels),
            "n_pilot": list(self.pilot_counts),
            "variance": self.design.components.tolist(),
            "share": [part / total for part in self.parts],
            "std_error_doubled": [self.doubled(i) for i in levels],
            "std_error_least": [self.least(i) for i in levels],
        }
        if self.wanted is not None:
            columns["n_needed"] = [self.needed(i) for i in levels]
        if self.counts is not None:
            columns["n_planned"] = list(self.counts)
        return frame(columns)

    def __str__(self) -> str:
        """Return the allocation in plain words."""
        return "\n".join(sentences(self))


def sentences(result: Allocation) -> list[str]:
    """Return what reduces the error, in plain words."""
    levels, measure = result.levels, result.measure
    low, high = (significant(end) for end in result.interval)
    pair = "two algorithms" if result.n_algorithms == 2 else "the average pair of algorithms"
    where = f"the data set {result.datasets[0]}"
    if len(result.datasets) > 1:
        where = f"each of {len(result.datasets):,} data sets"
    total = sum(result.parts)
    shares = [
        f"{percent(part / total)} from {plural(name)}"
        for part, name in zip(result.parts, levels, strict=True)
    ]
    doubled = [
        f"{significant(result.doubled(i))} with twice as many {_each(levels, i)}"
        for i in range(len(levels))
    ]
    first = f"With {_numbers(levels, result.pilot_counts)} on {where}, the difference of {pair} in"
    first += f" {measure.noun} has a standard error of {significant(result.std_error)}"
    lines = [
        f"{first} (95 % interval {low} to {high}).",
        f"Its variance comes to {join(shares)}.",
        f"The standard error would be {join(doubled)}.",
    ]
    floors = [
        f"{significant(result.least(i))} by more {plural(levels[i])}"
        for i in reversed(range(1, len(levels)))
    ]
    if floors:
        lines.append(
            f"It never falls below {join(floors)}, however many; by more {plural(levels[0])} it"
            " falls without end."
        )
    return [*lines, *_wanted(result), *_planned(result), _about(result)]


def _each(levels: Sequence[str], level: int, n: float = 2) -> str:
    """Return the noun for n units of a level, with the level above: items per passage."""
    name = noun(levels[level]) if n == 1 else plural(levels[level])
    return name + (f" per {noun(levels[level - 1])}" if level else "")


def _numbers(levels: Sequence[str], counts: Sequence[float]) -> str:
    """Return the counts of a nested design in words: 30 passages and 4 items per passage."""
    words = [
        f"{n:,.0f} {noun(name) if n == 1 else plural(name)}"
        if n == round(n)
        else f"{n:,.1f} {plural(name)}"
        for n, name in zip(counts, levels, strict=True)
    ]
    inside = [f"{word} per {noun(above)}" for word, above in zip(words[1:], levels, strict=False)]
    return join([words[0], *inside])


def _wanted(result: Allocation) -> list[str]:
    """Return a sentence on the units of one level that a standard error needs, all else equal."""
    if result.wanted is None:
        return []
    levels = result.levels
    numbers = [result.needed(i) for i in range(len(levels))]
    ways = [f"{n:,.0f} {_each(levels, i, n)}" for i, n in enumerate(numbers) if math.isfinite(n)]
    none = [plural(levels[i]) for i, n in enumerate(numbers) if math.isinf(n)]
    text = f"A standard error of {result.wanted:g} takes {join(ways, 'or')}, all else as it is"
    return [text + (f"; no number of {join(none, 'or')} is enough." if none else ".")]


def _planned(result: Allocation) -> list[str]:
    """Return a sentence on the cheapest design with the required standard error."""
    if result.counts is None or result.costs is None or result.cost is None:
        return []
    prices = [
        f"{cost:g} for a{'n' * (noun(name)[0] in 'aeiou')} {noun(name)}"
        for cost, name in zip(result.costs, result.levels, strict=True)
    ]
    on = "" if len(result.datasets) == 1 else " on each data set"
    text = f"At a cost of {join(prices)} the cheapest design with that error has"
    text += f" {_numbers(result.levels, result.counts)}{on}, for {result.cost:,.6g} in all; its"
    return [f"{text} standard error is {significant(result.std_error_of(*result.counts))}."]


def _about(result: Allocation) -> str:
    """Return a sentence on the population to which the standard errors apply."""
    top = plural(result.levels[0])
    where = "this data set" if len(result.datasets) == 1 else "these data sets"
    return (
        f"Errors are those of a claim about {where}, of which the {top} are a sample; a claim about"
        " other data sets has that of their differences, too."
    )
