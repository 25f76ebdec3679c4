"""Profile-likelihood intervals of variances."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import chdtrc, ndtri

from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS, LEAST_RESIDUAL, CommonModel
from benchinfer.analyses.mixed.numerics.moments import Statistics
from benchinfer.analyses.mixed.numerics.optimum import ModelFit, fit, minimise
from benchinfer.core.errors import FitError
from benchinfer.numerics.types import Array

# Newton decrement to stop at: the criterion is then within its own rounding of its minimum.
_DECREMENT = 1e-14
# Largest decrement at which a profile is trusted.
_LEAST_TRUST = 1e-6
# Factor on the estimate at which the search for an upper bound gives up.
_FARTHEST = 1e6


@dataclass(frozen=True, slots=True)
class LikelihoodRatio:
    """Test of fixed effects by full, or of a variance by (restricted) maximum likelihood."""

    statistic: float  # fall of -2 log likelihood from the smaller to the larger model
    df: int  # difference in the number of parameters
    # Upper tail of chi-squared, of a variance of its equal mixture with 0
    p_value: float
    # full, null: the fits of the larger and of the smaller model
    full: ModelFit
    null: ModelFit


@dataclass(frozen=True, slots=True)
class ProfileInterval:
    """Interval of a standard deviation; its square is the interval of the variance."""

    component: str
    estimate: float  # the standard deviation at the optimum of the likelihood that is profiled
    # low, high: bounds; `low` is 0 where zero is not ruled out, `high` infinite where nothing
    # bounds it
    low: float
    high: float


def recentred(stats: Statistics) -> Statistics:
    """Return the statistics with one common constant taken off in place of algorithm means.

    Scores that were centred by algorithm lose what tells algorithms apart, which a design with one
    mean per algorithm gives back. A smaller design cannot: it needs these statistics. The moments
    are exact, as the counts of the blocks tell what each constant contributed.

    Scores may be centred in any way; then `offset` has the same value for each algorithm.
    """
    weight = stats.n.sum(axis=0)
    common = float(weight @ stats.offset / weight.sum())
    shift = stats.offset - common
    pushed = stats.cross @ shift
    square = stats.square + (2 * stats.total * shift + stats.n * shift**2).sum(axis=1)
    ratio = float(np.sqrt(square.sum() / weight.sum())) or 1.0
    return replace(
        stats,
        total=(stats.total + stats.n * shift) / ratio,
        square=square / ratio**2,
        moment=(stats.moment + pushed) / ratio,
        block_square=(stats.block_square + (2 * stats.moment + pushed) @ shift) / ratio**2,
        offset=np.full_like(shift, common / ratio),
        delta=stats.delta / ratio,
        scale=stats.scale * ratio,
    )


def effect_test(
    stats: Statistics, terms: tuple[str, ...], x: Array | None = None, null: Array | None = None
) -> LikelihoodRatio:
    """Test fixed effects by the ratio of full likelihoods, the algorithm effect by default.

    The restricted likelihood of models with different fixed effects cannot be compared. The
    chi-squared reference needs many data sets: with few, prefer `degrees.f_test`.

    `x` (D, K, p) is the design of the larger model, by default one mean per algorithm, and `null`
    (D, K, q) that of the smaller one, in the span of the larger, by default one mean; `stats` and
    `terms` are as for `optimum.fit`.

    Examples
    --------
    >>> from benchinfer.analyses.mixed.numerics.moments import from_cells
    >>> y = np.array([[1., 2.], [2., 4.], [5., 5.], [0., 3.]])
    >>> test = effect_test(from_cells(np.ones((4, 2), int), y, np.zeros_like(y)), ("dataset",))
    >>> round(test.statistic, 4), test.df, round(test.p_value, 4)
    (4.1185, 1, 0.0424)
    """
    shared = recentred(stats)
    full = fit(stats if x is None else shared, terms, x, reml=False)
    null = np.ones((*stats.n.shape, 1)) if null is None else null
    small = fit(shared, terms, null, reml=False)
    statistic, df = max(small.criterion - full.criterion, 0.0), len(full.beta) - len(small.beta)
    return LikelihoodRatio(statistic, df, float(chdtrc(df, statistic)), full, small)


def variance_test(
    stats: Statistics, full: ModelFit, component: str, x: Array | None = None
) -> LikelihoodRatio:
    """Test that the variance of one component is zero.

    A variance cannot be negative: under the hypothesis half of the statistics are zero, in large
    samples, and the others are chi-squared with one degree of freedom. Where another variance is
    estimated to be zero, that is an approximation.

    `full` is the fit with the component, not the residual, by restricted or full maximum
    likelihood, whose likelihood tests it, and `x` its design (D, K, p), if any.

    References
    ----------
    Self, S. G. & Liang, K.-Y. (1987). Asymptotic properties of maximum likelihood estimators and
    likelihood ratio tests under nonstandard conditions. Journal of the American Statistical
    Association 82, 605-610. https://doi.org/10.1080/01621459.1987.10478472

    Stram, D. O. & Lee, J. W. (1994). Variance components testing in the longitudinal mixed effects
    model. Biometrics 50, 1171-1177. https://doi.org/10.2307/2533455
    """
    if component == "residual" or component not in full.terms:
        raise FitError(f"{component!r} is not a random effect of the model.")
    others = tuple(name for name in full.terms if name not in (component, "residual"))
    without = fit(stats, others, x, reml=full.reml)
    statistic = max(without.criterion - full.criterion, 0.0)
    # A fit at zero is the fit without, up to rounding: half of the mixture lies at 0.
    zero = full.variances[COMPONENTS.index(component)] == 0 or statistic == 0
    p_value = 1.0 if zero else float(chdtrc(1, statistic)) / 2
    return LikelihoodRatio(0.0 if zero else statistic, 1, p_value, full, without)


def _excess(
    stats: Statistics, model: ModelFit, index: int, x: Array | None, z: float
) -> Callable[[float], float]:
    """Return the root of the profile deviance at a standard deviation, less z."""
    free = np.isin(np.arange(len(COMPONENTS)), model.members)
    free[index] = False
    others = CommonModel(stats, x, model.reml, free)
    scale, rank = stats.scale, len(model.beta)
    constant = 2 * (stats.n_scores - rank * model.reml) * float(np.log(scale))
    theta = model.variances / scale**2

    def excess(sd: float) -> float:
        nonlocal theta
        # The others start where they were best for the value before.
        theta = theta.copy()
        theta[index] = sd**2
        best = minimise(others, theta, fisher=False, limit=_DECREMENT)
        if best.record.decrement > _LEAST_TRUST:
            raise FitError("the likelihood could not be maximised with one variance held.")
        theta = best.at.theta
        return float(np.sqrt(max(best.at.criterion + constant - model.criterion, 0.0))) - z

    return excess


def _bound(excess: Callable[[float], float], inside: float, outside: float) -> float:
    """Return the standard deviation between the two at which the excess is zero."""
    from scipy.optimize import brentq

    root = brentq(excess, inside, outside, xtol=1e-11 * outside + 1e-13, rtol=1e-12)
    return float(root)


def _lower(excess: Callable[[float], float], estimate: float, *, residual: bool) -> float:
    """Return the lower bound on the scale of the centred scores."""
    if not residual:
        return 0.0 if estimate == 0 or excess(0.0) <= 0 else _bound(excess, 0.0, estimate)
    inside, outside = estimate, estimate / 2
    while excess(outside) <= 0:
        inside, outside = outside, outside / 2
        if outside**2 < LEAST_RESIDUAL:
            return 0.0
    return _bound(excess, outside, inside)


def _upper(excess: Callable[[float], float], estimate: float, least: float) -> float:
    """Return the upper bound on the scale of the centred scores."""
    inside, step = estimate, max(estimate / 2, least)
    limit = _FARTHEST * (estimate + least)
    while excess(inside + step) <= 0:
        inside, step = inside + step, 2 * step
        if inside > limit:
            return float("inf")
    return _bound(excess, inside, inside + step)


def profile_intervals(
    stats: Statistics,
    terms: tuple[str, ...],
    x: Array | None = None,
    *,
    level: float = 0.95,
    reml: bool = False,
) -> tuple[ProfileInterval, ...]:
    """Return profile likelihood intervals of the standard deviations.

    A value is in the interval when fixing the component there, with all else at its best, raises
    -2 log likelihood by at most the quantile of chi-squared with one degree of freedom.

    Parameters
    ----------
    stats, terms, x
        As for `optimum.fit`.
    level
        Confidence level.
    reml
        Profile the restricted likelihood. The default is the full likelihood, which lme4's
        ``confint`` profiles for REML fits too; its estimates, and so the intervals, lie lower where
        data sets are few.

    Returns
    -------
    tuple of ProfileInterval
        One per component of the model, the residual last.

    References
    ----------
    Bates, D., Mächler, M., Bolker, B. & Walker, S. (2015). Fitting linear mixed-effects models
    using lme4. Journal of Statistical Software 67(1). https://doi.org/10.18637/jss.v067.i01

    Examples
    --------
    >>> from benchinfer.analyses.mixed.numerics.moments import from_cells
    >>> y = np.array([[1., 2.], [2., 4.], [5., 5.], [0., 3.]])
    >>> stats = from_cells(np.ones((4, 2), int), y, np.zeros_like(y))
    >>> for i in profile_intervals(stats, ("dataset",)):
    ...     print(f"{i.component}: {i.estimate:.3f} ({i.low:.3f} to {i.high:.3f})")
    dataset: 1.323 (0.000 to 3.478)
    residual: 0.791 (0.450 to 1.939)
    """
    model = fit(stats, terms, x, reml=reml)
    z = float(ndtri((1 + level) / 2))
    intervals: list[ProfileInterval] = []
    for index in model.members.tolist():
        excess = _excess(stats, model, index, x, z)
        estimate = float(np.sqrt(model.variances[index])) / stats.scale
        least = float(np.sqrt(model.variances[-1])) / stats.scale / 10
        name = COMPONENTS[index]
        low = _lower(excess, estimate, residual=name == "residual")
        high = _upper(excess, estimate, least)
        bounds = (estimate * stats.scale, low * stats.scale, high * stats.scale)
        intervals.append(ProfileInterval(name, *bounds))
    return tuple(intervals)
