"""Further data that an undecided measure needs."""

import math

from benchinfer.analyses.gate.one_sided import GateQuestion
from benchinfer.analyses.gate.result import GatedMeasure, Need, Want
from benchinfer.analyses.plan.plan import plan
from benchinfer.analyses.plan.result import Plan
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, level_percent

_POWER = 0.8


def need_of(q: GateQuestion, row: GatedMeasure, want: Want) -> Need:
    """Return the data that show what is wanted, by `plan` with these scores as its pilot."""
    measure, size = row.measure, row.measure.tolerance
    if not row.low < row.high < math.inf:
        return Need("the difference is the same throughout, which leaves no error to judge it by")
    if want == "superior" or size == 0:
        size = size or _size(measure, row.estimate)
        if row.estimate <= 0 and measure.tolerance == 0:
            return Need("the estimate is on the side of the baseline, and no tolerance is set")
        who = f"a candidate that is better by {size:.3g}"
    else:
        who = "a candidate that is as good as the baseline"
    target = row.comparison.target
    try:
        found = plan(
            q.scores,
            size,
            q.measure,
            aim="non-inferiority",  # one-sided: as likely to show as a difference of this size
            contrasts=None,
            level=q.level,
            power=_POWER,
            target=target,
        )
    except (DesignError, FitError) as error:
        return Need(f"no size can be planned from these scores: {str(error).splitlines()[0]}")
    return _of_plan(found, row, who)


def _of_plan(found: Plan, row: GatedMeasure, who: str) -> Need:
    """Compare what is planned with what is there."""
    setting, pilot = row.comparison.setting, found.question.components
    over = row.comparison.target == "domain"
    kind = "" if setting.resampling is None else setting.resampling.kind
    noun = "data set" if over else "item" if kind == "items" else "replication"
    d, r = len(setting.coverage.datasets), round(pilot.n_replications or 1)
    more = found.n_datasets - d if over else found.n_replications - r
    if more <= 0:
        power = level_percent(found.question.reached(d, r))
        return Need(
            f"on {count(d if over else r, noun)} {who} passes with a power of {power}: this one is"
            " near the limit, or unlucky, and more of them tell"
        )
    each = "" if over or d == 1 else " on each data set"
    text = (
        f"{count(more, f'more {noun}')}{each} let{'s' * (more == 1)} {who} pass with a power of"
        f" {level_percent(_POWER)}"
    )
    if row.comparison.provenance.analysis == "compare_permutation":
        text += " of a t test; signed ranks may do with fewer"
    return Need(text, datasets=more if over else None, replications=None if over else more)


def _size(measure: Measure, estimate: float) -> float:
    """Return the size of an estimate in the unit of tolerances."""
    return math.expm1(abs(estimate)) if measure.scale == "log" else abs(estimate)
