"""Robust aggregates over data sets, compared by the bootstrap.

References
----------
Agarwal, R., Schwarzer, M., Castro, P. S., Courville, A. & Bellemare, M. G. (2021). Deep
reinforcement learning at the edge of the statistical precipice. Advances in Neural Information
Processing Systems 34. https://doi.org/10.48550/arXiv.2108.13264

Davison, A. C. & Hinkley, D. V. (1997). Bootstrap Methods and their Application. Cambridge
University Press.
"""

from collections.abc import Mapping
from typing import Literal, get_args

from benchinfer.compare.adjust import Alternative, check_alternative
from benchinfer.compare.bootstrap_comparison import BootstrapComparison
from benchinfer.compare.bootstrapped import compared
from benchinfer.compare.complete import complete_part
from benchinfer.compare.contrasts import Contrasts, check_number, implied
from benchinfer.compare.evidence import Setting, alpha_of
from benchinfer.compare.normalised import Normalise, Reference
from benchinfer.compare.taken import Taken
from benchinfer.drawn import check_resamples, seed_of
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics.aggregates import Statistic
from benchinfer.numerics.bootstrap import Resample
from benchinfer.progress import Progress, reporting
from benchinfer.scores import ScoreTable

type Named = Literal["iqm", "mean", "median", "optimality-gap", "worst"]
type Interval = Literal["percentile", "expanded", "bca"]
type Adjust = Literal["holm", "none"]

_statistics = {
    "iqm": Statistic("iqm"),
    "mean": Statistic("mean"),
    "median": Statistic("quantile", 0.5),
    "optimality-gap": Statistic("mean"),
    "worst": Statistic("quantile", 0.0),
}
FEWEST = 100


def compare_bootstrap(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    statistic: Named | float = "iqm",
    resample: Resample = "replications",
    interval: Interval = "expanded",
    normalise: Normalise = None,
    goal: Reference | None = None,
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "holm",
    tolerance: float | None = None,
    level: float = 0.95,
    missing: Literal["complete", "error"] = "complete",
    resamples: int | Literal["auto"] = "auto",
    seed: int | None = None,
    progress: Progress | bool | None = None,
) -> BootstrapComparison:
    """Compare robust aggregates of the algorithms over data sets by the bootstrap.

    Each algorithm is aggregated over data sets and replications, and again in each of many
    resamples; shared replications are drawn together. A one-sided p-value is ``(1 + n) / (N + 1)``,
    where in n of the N resamples the difference of aggregates is not on its side of 0 (expanded, or
    for BCa moved by bias and acceleration), a two-sided one twice the smaller of both: the smallest
    level whose interval leaves 0 out. Equivalence is tested alike at the tolerance. Where all of m
    units drawn from agree, so do all resamples, which is as likely as heads only: no one-sided
    p-value is below ``2^-m``.

    Parameters
    ----------
    scores
        The table; cells and replications may be missing.
    measure
        Name of the measure; may be omitted where there is one.
    statistic
        ``"iqm"``, the interquartile mean of all scores; ``"mean"``; ``"median"``, ``"worst"`` or a
        number between 0 and 1, that quantile, counted from the worst, of the data sets' means (with
        one data set, of its scores); ``"optimality-gap"``, the mean shortfall from the goal. Data
        sets have equal weight, whatever their number of replications.
    resample
        ``"replications"`` within each data set, for claims about these data sets; ``"datasets"``,
        each with all its replications, or ``"both"``, for claims about the domain they come from.
        Means on data sets carry the replications' error already, so that ``"both"`` counts it
        twice and has the longer intervals.
    interval
        ``"expanded"``: percentiles of the resamples, further out by what t has over the normal
        distribution for the number of units drawn from, which few units need to keep the level;
        ``"percentile"`` as they are; or ``"bca"``, corrected for bias and acceleration by the
        jackknife over what is drawn (over data sets, if both are).
    normalise
        Scores with ``{"low": ..., "high": ...}`` at 0 and 1: a number, one for each data set by
        name, or an algorithm, for its mean there. ``"min-max"``: the worst and the best score of
        each data set. All are held fixed in resamples.
    goal
        For the optimality gap, what counts as reached, in the forms of references; 1 on normalised
        scores unless given.
    contrasts, control
        As in `compare_mixed`.
    alternative
        ``"two-sided"``, or what one-sided tests are to show of the first algorithm of a contrast:
        ``"better"`` or ``"worse"``.
    adjust
        ``"holm"``, with intervals at Sidak's level (one-sided: Bonferroni's), or ``"none"``.
    tolerance
        In place of the measure's own, which does not apply to normalised scores.
    level
        Confidence level of the family of contrasts.
    missing
        As in `compare_points`: the ``"complete"`` part of the table, in which replications may be
        missing, or ``"error"`` where a cell lacks some. Algorithms that the question names are not
        left out.
    resamples
        Their number N. ``"auto"``: as many as place the bounds of the family, which lie further out
        the more contrasts there are, and at least 10,000; no more than a few seconds take.
    seed
        Any integer from 0 to 2^64 - 1; by default one is drawn and recorded.
    progress
        True shows a bar on standard error, in a terminal or a notebook, if it takes longer than a
        second; a function is called with a task in words, the number of resamples just done, and
        their total.

    Returns
    -------
    BootstrapComparison
        With the probability of improvement of each pair and performance profiles.

    Raises
    ------
    DesignError
        The table cannot answer the question: no two algorithms share a data set, there is
        nothing to draw from, replications overlap (cross-validation, repeated splits) and are to be
        drawn, or references are not usable.

    References
    ----------
    Agarwal et al. (2021), https://doi.org/10.48550/arXiv.2108.13264

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.load_example("simulated/balanced")
    >>> result = compare_bootstrap(scores, resample="datasets", seed=1)
    >>> result.provenance.seed
    1
    """
    alpha_of(level)
    check_alternative(alternative)
    chosen = statistic_of(statistic)
    _check_choices(resample, interval, adjust)
    if resamples != "auto":
        check_resamples(resamples, FEWEST, f"at least {FEWEST}; intervals far out need thousands.")
    seed = seed_of(seed)
    setting, scores = complete_part(
        *Setting.of(scores, measure), missing, _named(contrasts, control, normalise, goal)
    )
    check_number(setting.algorithms, contrasts, control)
    taken = Taken.of(
        scores,
        setting,
        resample,
        normalise,
        goal,
        tolerance,
        gap=statistic == "optimality-gap",
    )
    arguments = {
        "measure": setting.measure.name,
        "statistic": statistic,
        "resample": resample,
        "interval": interval,
        "normalise": normalise if isinstance(normalise, str | None) else dict(normalise),
        "goal": dict(goal) if isinstance(goal, Mapping) else goal,
        "contrasts": implied(contrasts, control),
        "control": control,
        "alternative": alternative,
        "adjust": adjust,
        "tolerance": tolerance,
        "level": level,
        "missing": missing,
        "resamples": resamples,
        "seed": seed,
    }
    with reporting(progress=progress) as told:
        return compared(setting, taken, chosen, arguments, told)


def statistic_of(given: Named | float) -> Statistic:
    """Return what a name or a number stands for.

    Raises
    ------
    DesignError
        It stands for nothing.
    """
    if isinstance(given, str):
        if given not in _statistics:
            raise DesignError(
                message(
                    f"unknown statistic {given!r}.",
                    hint=f"one of {', '.join(map(repr, _statistics))}, or a number between 0 and 1"
                    " for that quantile.",
                )
            )
        return _statistics[given]
    if not 0 < given < 1:
        raise DesignError(
            message(
                f"statistic is {given!r}.",
                hint='a quantile lies between 0 and 1; "worst" is the smallest.',
            )
        )
    return Statistic("quantile", float(given))


def _named(
    contrasts: Contrasts, control: str | None, normalise: Normalise, goal: Reference | None
) -> list[object]:
    """Return what may be the name of an algorithm in a question."""
    weights = contrasts.values() if isinstance(contrasts, Mapping) else ()
    return [
        control,
        goal,
        *(() if isinstance(contrasts, str | Mapping) else contrasts),
        *(name for each in weights for name in each),
        *(normalise.values() if isinstance(normalise, Mapping) else ()),
    ]


def _check_choices(resample: str, interval: str, adjust: str) -> None:
    for name, value, kind in (
        ("resample", resample, Resample),
        ("interval", interval, Interval),
        ("adjust", adjust, Adjust),
    ):
        if value not in (known := get_args(kind.__value__)):
            raise DesignError(unknown(name, value, known))
