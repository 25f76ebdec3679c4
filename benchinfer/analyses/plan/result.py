"""Planned experiment: sizes and power."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from benchinfer.analyses.plan.aims import PlanAims
from benchinfer.analyses.plan.numerics.power import MOST
from benchinfer.analyses.plan.splits import Costs
from benchinfer.core.arguments import check_count, checked
from benchinfer.core.frames import frame
from benchinfer.core.numbers import count, level_percent
from benchinfer.core.result import Showable
from benchinfer.core.saving import savable, shaped

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.core.measure import Measure


type Asked = Literal["datasets", "replications", "power", "budget"]


def sentences(plan: Plan) -> list[str]:
    """Return the plan in plain words, a sentence or two per line."""
    q = plan.question
    each = f"{count(plan.n_datasets, 'data set')} with {count(plan.n_replications, 'replication')}"
    each += "" if plan.n_datasets == 1 else " each"
    mean = "" if q.bounds is None else ", on average over the pilot's uncertainty,"
    lines = [f"{each}: a power of {level_percent(plan.power)}{mean} to show {shown(q)}."]
    if units := q.components.units:
        lines.append(
            f"A replication is an outermost unit, which holds as much as in the pilot: {units}."
        )
    if q.components.warning:
        lines.append(q.components.warning)
    lines += _uncertain(plan)
    if plan.floor is not None:
        lines.append(
            f"No number of replications does with fewer than {count(plan.floor, 'data set')}, as"
            " the differences of algorithms vary between data sets."
        )
    what = "difference" if q.aim == "difference" else "margin"
    lines.append(
        f"The least {what} that this design shows with a power of {level_percent(q.power)} is"
        f" {plan.detectable:.3g}{on_scale(q.components.measure)}."
    )
    if plan.cost is not None:
        lines.append(f"It costs {plan.cost:g}.")
    return [*lines, about(q), family(q)]


def on_scale(measure: Measure | None) -> str:
    """Return the scale of a difference as a suffix, empty on the identity scale."""
    scale = "identity" if measure is None else measure.scale
    return {"identity": "", "log": " (relative)", "logit": " (log-odds)"}[scale]


def shown(q: PlanAims) -> str:
    """Return the aim of the experiment as a clause, with size, measure and direction."""
    measure = q.components.measure
    size = f"{q.difference:g}{on_scale(measure)}"
    name = "" if measure is None else f" in {measure.noun} ({measure.better} is better)"
    if q.aim == "difference":
        return f"which of two algorithms is better, where they differ by {size}{name}"
    if q.aim == "equivalence":
        return f"that two algorithms differ by less than {size}{name}, where they are alike"
    return f"that an algorithm is not worse by {size}{name}, where it is as good as the other"


def _uncertain(plan: Plan) -> list[str]:
    """Return a sentence on the uncertainty of the plan that comes from the pilot."""
    q = plan.question
    if q.bounds is None:
        return ["The variances are taken as known."]
    power = (
        f"a power between {level_percent(plan.power_low)} and {level_percent(plan.power_high)}"
        f" (95 %), {level_percent(plan.power_estimate)} at the pilot's estimates"
    )
    if plan.needed_low is None or plan.needed_high is None:
        return [f"The pilot's variances are uncertain: {power}."]
    noun = "data sets" if plan.asked == "datasets" else "replications"
    need = f"between {plan.needed_low:.0f} and {plan.needed_high:.0f} {noun} may be needed"
    if math.isinf(plan.needed_high):
        need = f"at least {plan.needed_low:g} {noun} are needed, and perhaps no number is enough"
    elif plan.needed_low == plan.needed_high:
        need = "the number needed is the same all the same"
    return [
        f"The pilot's variances are uncertain: {need}, and this design has {power}.",
    ]


def about(q: PlanAims) -> str:
    """Return a sentence on the population that the claim is about."""
    if q.target == "domain":
        return (
            "The claim is about the domain that the data sets are a sample of; they have to be"
            " drawn anew, not picked for the result."
        )
    return "The claim is about these data sets and no others."


def family(q: PlanAims) -> str:
    """Return a sentence on the number of comparisons, their level and the adjustment."""
    if q.n_contrasts == 1:
        return f"One pair is compared, at a level of {level_percent(1 - q.level)}."
    which = "all" if q.contrasts == "tukey" else "comparisons with a control, altogether"
    how = {
        "holm": "for all of them by the first of Holm's steps, the strictest",
        "single-step": "for all of them by the largest of all statistics (single-step)",
        "none": "each, not adjusted for their number",
    }[q.adjust]
    statement = ""
    if q.adjust == "holm" and q.aim == "difference":
        statement = (
            " That step has all of the level beside intervals that hold together with the verdicts,"
            " as by default, and closed tests decide at least as much."
        )
    return (
        f"Power is that of each pair by itself among {which} {count(q.n_contrasts, 'pair')} of"
        f" {q.k} algorithms, at {level_percent(1 - q.level)} {how}.{statement}"
    )


REPLICATIONS = (1, 2, 3, 5, 10, 20, 50, 100)


@checked
@savable
@shaped(
    power="[0,1]",
    power_low="[0,1] nan",
    power_high="[0,1] nan",
    power_estimate="[0,1] nan",
    n_datasets="[0,inf)",
    n_replications="[0,inf)",
)
@dataclass(frozen=True, slots=True, repr=False)
class Plan(Showable):
    """A design of an experiment.

    Attributes
    ----------
    question
        Aim of the experiment.
    n_datasets, n_replications
        The design.
    asked
        What was found: ``"datasets"`` or ``"replications"``, the ``"power"`` of a given design, or
        the split of a ``"budget"``.
    power, power_low, power_high
        Power for a pair, its mean over the pilot's uncertainty, with the interval that this leaves;
        all the same of known variances.
    power_estimate
        Power if the variances were the pilot's estimates.
    needed_low, needed_high
        Interval of the number that was requested, infinite where there may be no such number; None
        where none was requested or the variances are taken as known.
    detectable
        Least difference, or margin, that has the power wanted.
    floor
        Data sets that no number of replications can do without; None for given data sets.
    costs
        Costs, and the budget.
    """

    _home: ClassVar[str] = "benchinfer.analyses.plan"

    question: PlanAims
    n_datasets: int
    n_replications: int
    asked: Asked
    power: float
    power_low: float
    power_high: float
    power_estimate: float
    needed_low: float | None
    needed_high: float | None
    detectable: float
    floor: int | None
    costs: Costs | None = None

    @staticmethod
    def of(q: PlanAims, d: int, r: int, sought: Asked, costs: Costs | None) -> Plan:
        """Return the plan of a design, with its power and its least detectable difference."""
        power = low = high = q.reached(d, r)
        needed: tuple[float | None, float | None] = (None, None)
        if (ends := q.bounds) is not None:
            high, low = (q.reached(d, r, end) for end in ends)
            if sought == "datasets":
                needed = _finite(q.datasets(r, ends[0])), _finite(q.datasets(r, ends[1]))
            elif sought == "replications":
                needed = _finite(q.replications(d, ends[0])), _finite(q.replications(d, ends[1]))
        return Plan(
            question=q,
            n_datasets=d,
            n_replications=r,
            asked=sought,
            power=power,
            power_low=low,
            power_high=high,
            power_estimate=q.reached(d, r, q.spread),
            needed_low=needed[0],
            needed_high=needed[1],
            detectable=q.detectable(d, r),
            floor=q.datasets(float("inf")) if q.target == "domain" else None,
            costs=costs,
        )

    @property
    def cost(self) -> float | None:
        """Cost of the design, None without costs."""
        if self.costs is None:
            return None
        return self.costs.total(self.n_datasets, self.n_replications)

    def __str__(self) -> str:
        """Return the plan in plain words."""
        return "\n".join(sentences(self))

    def summary(self) -> pd.DataFrame:
        """Return the design in one row.

        Returns
        -------
        pandas.DataFrame
            ``n_datasets n_replications power power_low power_high power_estimate needed_low
            needed_high detectable floor cost``, as far as they are known.
        """
        columns: dict[str, object] = {
            "n_datasets": [self.n_datasets],
            "n_replications": [self.n_replications],
            "power": [self.power],
        }
        if self.question.bounds is not None:
            columns |= {"power_low": [self.power_low], "power_high": [self.power_high]}
            columns["power_estimate"] = [self.power_estimate]
        if self.needed_low is not None:
            columns |= {"needed_low": [self.needed_low], "needed_high": [self.needed_high]}
        columns["detectable"] = [self.detectable]
        if self.floor is not None:
            columns["floor"] = [self.floor]
        if self.costs is not None:
            columns["cost"] = [self.cost]
        return frame(columns)

    def designs(self, n_replications: Sequence[int] = REPLICATIONS) -> pd.DataFrame:
        """Return the data sets that are needed with other numbers of replications.

        Parameters
        ----------
        n_replications
            Replications per data set.

        Returns
        -------
        pandas.DataFrame
            ``n_replications n_datasets needed_low needed_high cost``, the last three as far as they
            are known. Infinite: no number is enough.
        """
        q, n_replications = self.question, _counts("n_replications", n_replications)
        need = [_finite(q.datasets(r)) for r in n_replications]
        columns: dict[str, object] = {"n_replications": n_replications, "n_datasets": need}
        if (ends := q.bounds) is not None:
            for name, end in zip(("needed_low", "needed_high"), ends, strict=True):
                columns[name] = [_finite(q.datasets(r, end)) for r in n_replications]
        if self.costs is not None:
            pairs = zip(need, n_replications, strict=True)
            c = self.costs
            columns["cost"] = [d * (c.per_dataset + r * c.per_replication) for d, r in pairs]
        return frame(columns)

    def curve(
        self,
        n_datasets: Sequence[int] | None = None,
        n_replications: Sequence[int] | None = None,
    ) -> pd.DataFrame:
        """Return the power of other designs.

        Parameters
        ----------
        n_datasets, n_replications
            The numbers to cross; by default numbers around the design.

        Returns
        -------
        pandas.DataFrame
            ``n_datasets n_replications power``, with ``power_low power_high`` from a pilot.
        """
        q, d, r = self.question, self.n_datasets, self.n_replications
        if q.target == "datasets":
            across, along = [d], _numbers(2, max(2 * r, 10))
        else:
            across, along = _numbers(2, max(2 * d, 10)), sorted({max(r // 4, 1), r, 4 * r})
        across = across if n_datasets is None else _counts("n_datasets", n_datasets)
        along = along if n_replications is None else _counts("n_replications", n_replications)
        cells = [(d_, r_) for r_ in along for d_ in across]
        columns: dict[str, object] = {
            "n_datasets": [d_ for d_, _ in cells],
            "n_replications": [r_ for _, r_ in cells],
            "power": [q.reached(*cell) for cell in cells],
        }
        if (ends := q.bounds) is not None:
            for name, end in zip(("power_high", "power_low"), ends, strict=True):
                columns[name] = [q.reached(*cell, end) for cell in cells]
        return frame(columns)


def _counts(name: str, numbers: Sequence[int]) -> list[int]:
    """Return the numbers of data sets or replications of designs, checked."""
    for number in numbers:
        check_count(name, number, 1, "numbers from 1 on.", most=MOST)
    return [int(number) for number in numbers]


def _numbers(low: int, high: int) -> list[int]:
    return sorted({int(n) for n in np.linspace(low, high, 40)})


def _finite(number: int) -> float:
    return float("inf") if number >= MOST else number
