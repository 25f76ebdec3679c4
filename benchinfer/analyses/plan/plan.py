"""The function `plan`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from benchinfer.analyses.plan.aims import Adjust, Contrasts, PlanAims
from benchinfer.analyses.plan.allocation import Allocation, allocate
from benchinfer.analyses.plan.numerics.power import MOST
from benchinfer.analyses.plan.result import Plan
from benchinfer.analyses.plan.splits import Costs, best_split, split_of
from benchinfer.analyses.plan.variances import components_of
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.evidence import alpha_of
from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError
from benchinfer.core.hints import literal
from benchinfer.core.numbers import count, join
from benchinfer.numerics.max_t import Aim

if TYPE_CHECKING:
    from benchinfer.analyses.mixed.comparison import MixedComparison
    from benchinfer.analyses.plan.variances import Components
    from benchinfer.scores.table import ScoreTable


@overload
def plan(
    pilot: ScoreTable | MixedComparison | Components,
    difference: float,
    measure: str | None = None,
    *,
    level: float = 0.95,
    power: float = 0.8,
    aim: Aim = "difference",
    contrasts: Contrasts | None = "tukey",
    adjust: Adjust = "auto",
    k: int | None = None,
    target: Literal["auto"] | Target = "auto",
    n_datasets: int | None = None,
    n_replications: int | None = None,
    costs: Sequence[float] | None = None,
    budget: float | None = None,
) -> Plan: ...
@overload
def plan(
    pilot: ScoreTable,
    difference: None = None,
    measure: str | None = None,
    *,
    std_error: float | None = None,
    costs: Sequence[float] | None = None,
    fixed: Mapping[str, int] | None = None,
) -> Allocation: ...
@checked
def plan(
    pilot: ScoreTable | MixedComparison | Components,
    difference: float | None = None,
    measure: str | None = None,
    *,
    std_error: float | None = None,
    level: float = 0.95,
    power: float = 0.8,
    aim: Aim = "difference",
    contrasts: Contrasts | None = "tukey",
    adjust: Adjust = "auto",
    k: int | None = None,
    target: Literal["auto"] | Target = "auto",
    n_datasets: int | None = None,
    n_replications: int | None = None,
    costs: Sequence[float] | None = None,
    budget: float | None = None,
    fixed: Mapping[str, int] | None = None,
) -> Plan | Allocation:
    """Plan the numbers of data sets and replications that are needed to show a difference.

    Of `n_datasets` and `n_replications` the one that is not given is found. Neither: data sets are
    found for the replications that cost least, with `costs`, or else for those of the pilot. Both,
    or a `budget`: the power of that design is returned.

    Without a `difference`, the plan of a table with nested units has the standard error of a
    difference with more units, items or answers, and the numbers that `std_error` needs.

    Parameters
    ----------
    pilot
        A score table, of which the variances are estimated by `compare_mixed`, a comparison by it,
        or `Components`.
    difference
        The true difference of two algorithms that is to be shown, or the margin; in the unit of
        contrasts, as `Measure.tolerance` is.
    measure
        Name of the measure of a score table.
    std_error
        In place of a difference, of nested units: the standard error that is wanted of the
        difference of two algorithms, in the measure's unit. Of each level the number is then found
        that has it, where those of the others stay; with `costs` the cheapest design, of units of
        one size, with at least 10 outermost units on each data set.
    level
        Confidence level of the family of contrasts.
    power
        The probability wanted to show it, for each pair by itself.
    aim
        ``"difference"``: that two algorithms that differ so much differ; ``"equivalence"``: that
        two without a difference differ by less; ``"non-inferiority"``: that one is not worse by it.
    contrasts
        ``"tukey"`` (all pairs), ``"dunnett"`` (each with a control), or None: one pair, named
        beforehand.
    adjust
        ``"holm"``: the first of Holm's steps, Bonferroni's, with an error of each pair's own on
        D - 1 degrees of freedom, or D (R - 1) for given data sets, as `compare_mixed` has by
        default; ``"single-step"``: the quantile of Tukey's range or of Dunnett's distribution with
        one error for all pairs, as ``compare_mixed(structure="common")``; ``"none"``: the level is
        that of each pair. ``"auto"``: Holm's.
    k
        Algorithms of the experiment; by default those of the pilot.
    target
        ``"domain"``: claims about the population of data sets; ``"datasets"``: claims about given
        data sets, whose number is not up for choice. ``"auto"``: the domain, if the pilot has
        several data sets.
    n_datasets, n_replications
        Numbers that are fixed beforehand. For given data sets their number is the pilot's by
        default.
    costs
        Of one data set, and of one replication on it, all algorithms together. With `std_error` of
        one unit of each level, the outermost first: of a passage without its items, of an item
        without its answers, of an answer.
    budget
        Sum to be spent, in the unit of `costs`: the split with the most power.
    fixed
        With `std_error` and `costs`: level to its number in each unit of the level above (of the
        outermost: on each data set), where this is not up for choice: ``{"question": 198}``.

    Returns
    -------
    Plan or Allocation
        A plan with `summary`, `designs`, `curve` and `plot`. Without a difference an allocation to
        levels of units, with `summary`, and `std_error_of` any design.

    Raises
    ------
    DesignError
        No design can show it, or has the error: the message names the floor. Or the pilot cannot
        answer, or an argument does not go with `std_error`.

    Notes
    -----
    The difference of two algorithms over D data sets with R replications has the variance
    ``2 (v + e / R) / D``, with v the variance of dataset:algorithm and e the residual variance; of
    given data sets ``2 e / (D R)``. Power is that of t tests with D - 1 degrees of freedom, or
    ``D (R - 1)``, times K - 1 where all pairs share one error. As v stays, there is a floor on D.
    Variances are those of the average pair. Intervals are 95 % and come from the chi-squared limits
    of the pilot's mean squares.

    Of nested units, with C on each data set, n items in a unit and a answers to an item, it is
    ``(s_u / C + s_i / (C n) + s_a / (C n a)) / D``, with the components of the analysis of variance
    of the differences of two algorithms (Searle, Casella & McCulloch 1992, chapter 3).

    Examples
    --------
    >>> import benchinfer as bi
    >>> known = bi.Components(dataset_algorithm=4e-4, residual=6e-4)
    >>> found = plan(known, 0.01, n_replications=10)
    >>> found.n_datasets, found.floor
    (75, 65)

    Four answers of each of two models to 50 items:

    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> rows = pd.DataFrame(
    ...     [(i, a, model, hard + rng.normal())
    ...      for i in range(50) for model in "xy" for hard in [rng.normal()] for a in range(4)],
    ...     columns=["item", "answer", "model", "score"])
    >>> scores = bi.read_scores(rows, measures="score:higher", units=("item", "answer"))
    >>> best = plan(scores, std_error=0.1, costs=(1, 0.1))
    >>> best.counts, round(best.cost)
    ((239, 3), 311)
    """
    if difference is None or std_error is not None or fixed is not None:
        given: dict[str, Any] = {name: value for name, value in locals().items() if name != "pilot"}
        return _of_units(pilot, given)
    alpha_of(level)
    if not 0 < power < 1:
        raise DesignError(f"power is {power!r}.", hint="between 0 and 1, as in 0.8.")
    components = components_of(pilot, measure)
    if target == "auto":
        target = "datasets" if components.dataset_algorithm is None else "domain"
    n = 2
    if contrasts is not None and (n := components.n_algorithms if k is None else k) < 2:
        raise DesignError(f"k is {n}.", hint="algorithms to compare, from 2 on.")
    how = "holm" if adjust == "auto" else adjust
    question = PlanAims(
        components=components,
        aim=aim,
        difference=difference,
        level=level,
        power=power,
        contrasts=contrasts,
        adjust="none" if contrasts is None or n == 2 else how,
        k=n,
        target=target,
    )
    question.check()
    for name, value in (("n_datasets", n_datasets), ("n_replications", n_replications)):
        if value is not None and not (value == int(value) and 1 <= value <= MOST):
            raise DesignError(f"{name} is {value!r}.", hint="a whole number, from 1 on.")
    spent = Costs.of(costs, budget)
    if target == "datasets" and n_datasets is None:
        n_datasets = components.n_datasets or 1
    return _planned(question, n_datasets, n_replications, spent)


def _of_units(pilot: object, given: dict[str, Any]) -> Allocation:
    """Return the allocation to nested units; raise a DesignError for unrelated arguments."""
    defaults = {"difference": None, **(inspect.unwrap(plan).__kwdefaults__ or {})}
    arguments = {name: given[name] for name in ("measure", "std_error", "costs", "fixed")}
    odd = [
        name for name, value in defaults.items() if name not in arguments and given[name] != value
    ]
    if odd:
        raise DesignError(
            f"{join(odd)}: this is for data sets and replications, not for levels of units.",
            hint="std_error=... goes with costs=... and fixed=... alone.",
        )
    from benchinfer.scores.table import ScoreTable

    if not isinstance(pilot, ScoreTable):
        raise DesignError(
            f"the difference that is to be shown is missing: a {type(pilot).__name__} has no"
            " levels of units.",
            hint="difference=..., or a score table with units.",
        )
    return allocate(pilot, **arguments)


def _planned(q: PlanAims, d: int | None, r: int | None, costs: Costs | None) -> Plan:
    """Return the plan, solved for the data sets, the replications or the power."""
    if costs is not None and costs.budget is not None:
        d, r = split_of(q, costs, d, r)
        return Plan.of(q, d, r, "budget", costs)
    if d is not None and r is not None:
        return Plan.of(q, d, r, "power", costs)
    if d is not None:
        return Plan.of(q, d, _replications(q, d), "replications", costs)
    if r is None and costs is not None:
        r = best_split(q, costs)
    elif r is None:
        if q.components.n_replications is None:
            raise DesignError(
                "it is not said how many replications there are to be, or what they cost.",
                hint="n_replications=..., n_datasets=..., or costs=(20, 1), of a data set and of"
                " a replication.",
            )
        r = max(1, round(q.components.n_replications))
    if (n := q.datasets(r)) >= MOST:
        raise DesignError(
            f"no number of data sets up to {MOST:g} shows a difference of {q.difference:g}.",
            hint="plan for a larger difference.",
        )
    return Plan.of(q, n, r, "datasets", costs)


def _replications(q: PlanAims, d: int) -> int:
    """Return the least replications on D data sets."""
    if q.reached(d, MOST) >= q.power and (n := q.replications(d)) < MOST:
        return n
    most = q.detectable(d, MOST)
    if q.target == "datasets":
        raise DesignError(
            f"no number of replications on {count(d, 'data set')} shows {q.difference:g}:"
            " resamples overlap, and what they share stays. The least that can be shown is"
            f" {most:.3g}.",
            hint="fresh samples in place of overlapping ones, or a larger difference.",
        )
    floor = q.datasets(math.inf)
    raise DesignError(
        f"{count(d, 'data set')} cannot show {q.difference:g} with a power of {q.power:g}, however"
        f" many the replications: algorithms vary between data sets. The floor is {floor} data"
        f" sets; with {d} the least that can be shown is {most:.3g}.",
        hint=f"n_datasets={literal(floor)} or more, or a larger difference.",
    )
