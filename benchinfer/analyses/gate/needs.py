"""Further data that an undecided measure needs."""

import math

import numpy as np
from scipy.special import nctdtr, ndtr, ndtri, stdtrit

from benchinfer.analyses.gate.one_sided import GateQuestion, block_differences
from benchinfer.analyses.gate.result import GatedMeasure, Need, Want
from benchinfer.analyses.plan.plan import plan
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.numbers import count, level_percent
from benchinfer.numerics.types import Array

_POWER = 0.8
_MOST_RUNS = 1000
LOOK = Need(
    "a look at the data sets that make the mean, as further ones do not say which of mean and"
    " typical difference counts"
)


def need_of(q: GateQuestion, row: GatedMeasure, want: Want) -> Need:
    """Return the data needed for a pass, by `plan` with these scores as its pilot."""
    if row.withheld or (row.missing.of_candidate and not math.isfinite(row.low)):
        lost = row.missing.text
        return Need(
            f"the missing scores ({lost}), or a decision on what they count as:"
            ' failed="worst", a score, or the name of an algorithm'
        )
    measure, size = row.measure, 0.0 if q.ahead else row.measure.tolerance
    if not row.low < row.high < math.inf:
        return Need("the difference is the same throughout, which leaves no error to judge it by")
    if want == "superior" or size == 0:
        effect = abs(row.estimate - q.ahead)  # as large as a tolerance, in its unit
        size = size or (math.expm1(effect) if measure.scale == "log" else effect)
        if row.estimate <= q.ahead and (q.ahead or not measure.tolerance):
            short = "does not exceed what the candidate has to be better by"
            behind = "is on the side of the baseline, and no tolerance is set"
            return Need(f"the estimate {short if q.ahead else behind}")
        better = _ahead(row) if q.ahead else size
        who = f"a candidate that is better by {better:.3g}"
    else:
        who = "a candidate that is as good as the baseline"
    target = row.comparison.target
    if row.comparison.provenance.analysis == "compare_permutation" and q.on != "values":
        ahead = size if q.ahead else measure.margin or abs(row.estimate)
        return _of_signed_ranks(q, row, ahead, who)
    try:
        planned = plan(
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
    over, d = target == "domain", len(row.comparison.setting.coverage.datasets)
    r = round(planned.question.components.n_replications or 1)
    more = planned.n_datasets - d if over else planned.n_replications - r
    return _more(row, more, d if over else r, who, planned.question.reached(d, r))


def _ahead(row: GatedMeasure) -> float:
    """Return by how much the candidate is better, in the unit of a tolerance."""
    return math.expm1(row.estimate) if row.measure.scale == "log" else row.estimate


def need_of_runs(q: GateQuestion, row: GatedMeasure) -> Need:
    """Return the runs needed where a side has a single one, which leaves no variation of runs."""
    if row.measure.margin == 0:
        return Need("five runs of each side or more, in turn on one machine, and a tolerance")
    half, full = (runs_needed(share, 1 - q.level, _POWER) for share in (0.5, 1.0))
    return Need(
        f"{half} runs of each side, in turn on one machine, let a candidate that is as good as the"
        f" baseline pass with a power of {level_percent(_POWER)} where runs vary by half the"
        f" tolerance (standard deviation), {full} where they vary by all of it",
        replications=half - min(row.runs or (1, 1)),
    )


def runs_needed(variation: float, alpha: float, power: float) -> int:
    r"""Return how many runs of each side a one-sided t test of two independent means needs.

    .. math:: P(T_{2n-2}(\sqrt{n/2} / v) > t_{2n-2, 1-\alpha}) \ge power

    where T has a noncentral t distribution and v is the variation.

    Parameters
    ----------
    variation
        Standard deviation of runs, in tolerances.
    alpha, power
        Of the test.

    Examples
    --------
    >>> runs_needed(0.5, 0.05, 0.8), runs_needed(1.0, 0.05, 0.8)
    (4, 14)
    """
    for n in range(2, _MOST_RUNS):
        df = 2 * n - 2
        if 1 - nctdtr(df, math.sqrt(n / 2) / variation, stdtrit(df, 1 - alpha)) >= power:
            return n
    return _MOST_RUNS


def _of_signed_ranks(q: GateQuestion, row: GatedMeasure, ahead: float, who: str) -> Need:
    """Compare the blocks that signed ranks need with those that are there."""
    d, over = len(row.comparison.setting.coverage.datasets), row.comparison.target == "domain"
    values = block_differences(q)[0][:, 0]
    shifted = values - np.median(_walsh(values)) + ahead
    here, share = len(values), float((_walsh(shifted) > 0).mean())
    alpha = 1 - q.level
    needed = signed_rank_size(share, alpha, _POWER)
    if needed is None:
        return Need("no size can be planned from these scores: their signed ranks do not tell")
    each = 1 if over else d
    more = math.ceil((needed - here) / each)
    return _more(row, more, here // each, who, signed_rank_power(share, alpha, here))


def _walsh(values: Array) -> Array:
    """Return the means of all pairs of values."""
    i, j = np.triu_indices(len(values), 1)
    return (values[i] + values[j]) / 2


def signed_rank_size(share: float, alpha: float, power: float) -> int | None:
    r"""Return how many differences a one-sided signed-rank test needs; None for no number.

    .. math:: n = (z_{1-\alpha} + z_{power})^2 / (3 (p - 1/2)^2)

    and as many as let all signs alike have a probability of at most alpha.

    Parameters
    ----------
    share
        The probability p that the sum of two differences is above 0.
    alpha, power
        Of the test.

    References
    ----------
    Noether, G. E. (1987). Sample size determination for some common nonparametric tests. Journal
    of the American Statistical Association 82, 645-647.
    https://doi.org/10.1080/01621459.1987.10478478
    """
    if share <= 0.5:
        return None
    n = float(ndtri(1 - alpha) + ndtri(power)) ** 2 / (3 * (share - 0.5) ** 2)
    return math.ceil(max(n, -math.log2(alpha)))


def signed_rank_power(share: float, alpha: float, n: int) -> float:
    """Return the power of n differences, by the formula of `signed_rank_size`."""
    if n < -math.log2(alpha):
        return 0.0
    return float(ndtr(math.sqrt(3 * n) * (share - 0.5) - ndtri(1 - alpha)))


def _more(row: GatedMeasure, more: int, here: int, who: str, power: float) -> Need:
    """Return the number of further data sets, items or replications needed, with their power."""
    setting, over = row.comparison.setting, row.comparison.target == "domain"
    kind = "" if setting.resampling is None else setting.resampling.kind
    noun = "data set" if over else {"items": "item", "runs": "run"}.get(kind, "replication")
    if more <= 0:
        return Need(
            f"on {count(here, noun)} {who} passes with a power of {level_percent(power)}: this one"
            " is near the limit, or unlucky, and more of them tell"
        )
    each = "" if over or len(setting.coverage.datasets) == 1 else " on each data set"
    each = " of each side" if kind == "runs" else each
    text = (
        f"{count(more, f'more {noun}')}{each} let{'s' * (more == 1)} {who} pass with a power of"
        f" {level_percent(_POWER)}"
    )
    return Need(text, datasets=more if over else None, replications=None if over else more)
