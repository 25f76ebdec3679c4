"""The function `plan`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from benchinfer.analyses.plan.aims import Adjust, Contrasts, PlanAims
from benchinfer.analyses.plan.numerics.power import MOST
from benchinfer.analyses.plan.result import Plan
from benchinfer.analyses.plan.splits import Costs, best_split, split_of
from benchinfer.analyses.plan.variances import components_of
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.evidence import alpha_of
from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError
from benchinfer.core.hints import literal
from benchinfer.core.numbers import count
from benchinfer.numerics.max_t import Aim

if TYPE_CHECKING:
    from benchinfer.analyses.mixed.comparison import MixedComparison
    from benchinfer.analyses.plan.variances import Components
    from benchinfer.scores.table import ScoreTable


@checked
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
) -> Plan:
    """Plan the numbers of data sets and replications that are needed to show a difference.

    Of `n_datasets` and `n_replications` the one that is not given is found. Neither: data sets are
    found for the replications that cost least, with `costs`, or else for those of the pilot. Both,
    or a `budget`: the power of that design is returned.

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
        Of one data set, and of one replication on it, all algorithms together.
    budget
        Sum to be spent, in the unit of `costs`: the split with the most power.

    Returns
    -------
    Plan
        With `summary`, `designs`, `curve` and `plot`.

    Raises
    ------
    DesignError
        No design can show it: the message names the floor. Or the pilot cannot answer.

    See Also
    --------
    allocate : Numbers of nested units, such as items and answers.

    Notes
    -----
    The difference of two algorithms over D data sets with R replications has the variance
    ``2 (v + e / R) / D``, with v the variance of dataset:algorithm and e the residual variance; of
    given data sets ``2 e / (D R)``. Power is that of t tests with D - 1 degrees of freedom, or
    ``D (R - 1)``, times K - 1 where all pairs share one error. As v stays, there is a floor on D.
    Variances are those of the average pair. Intervals are 95 % and come from the chi-squared limits
    of the pilot's mean squares.

    Examples
    --------
    >>> import benchinfer as bi
    >>> known = bi.Components(dataset_algorithm=4e-4, residual=6e-4)
    >>> found = plan(known, 0.01, n_replications=10)
    >>> found.n_datasets, found.floor
    (75, 65)
    """
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
