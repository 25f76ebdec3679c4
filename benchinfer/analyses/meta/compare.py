"""The function `compare_meta`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

from benchinfer.analyses.meta.comparison import MetaComparison, Nesting, Pooling, compared
from benchinfer.analyses.meta.effects import Effects
from benchinfer.analyses.meta.numerics.pooling import Method
from benchinfer.analyses.meta.pooling import Interval
from benchinfer.analyses.meta.studies import (
    Covariance,
    Effect,
    Studies,
    centred,
    of_scores,
    published,
    reported,
)
from benchinfer.comparison.adjustment import Adjust, check_alternative
from benchinfer.comparison.checks import check_missing
from benchinfer.comparison.comparison import Alternative
from benchinfer.comparison.contrasts import Contrasts, check_number, implied
from benchinfer.comparison.evidence import Setting, alpha_of
from benchinfer.core.errors import DesignError, message, unknown
from benchinfer.core.hints import Option
from benchinfer.scores.table import ScoreTable


def compare_meta(
    scores: ScoreTable | Effects,
    measure: str | None = None,
    *,
    effect: Effect | None = None,
    pooling: Pooling = "network",
    covariance: Covariance = "auto",
    method: Method = "reml",
    interval: Interval = "auto",
    nested: Nesting = "auto",
    covariates: str | Sequence[str] = (),
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "auto",
    tolerance: float | None = None,
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
) -> MetaComparison:
    """Pool the effects of data sets or published studies that need not compare the same algorithms.

    Each data set gives differences with their sampling errors; true differences vary between data
    sets with a variance tau^2 (random effects). All algorithms are estimated jointly, so that an
    algorithm compared only with the second bears on the pair of the first and second, too.

    Parameters
    ----------
    scores
        A score table with replications, or effects from `read_effects`.
    measure
        Name of the measure; may be omitted where there is one.
    effect
        ``"difference"`` of means (on the measure's scale; the default for scores);
        ``"standardised"``: in standard deviations of a data set's scores (Hedges' g);
        ``"log-ratio"`` of means, reported as a ratio. Published effects are what they are.
    pooling
        ``"network"``: all algorithms jointly, weighted with one tau^2. ``"pairwise"``: each pair
        from the data sets that hold both, with a tau^2 and errors of its own.
    covariance
        Sampling covariance of a table's effects: each data set's ``"own"``, ``"common"`` (one
        variance of differences for each data set), ``"moderated"`` (the same, those of the data
        sets shrunk towards each other, as few replications say little of each; Smyth 2004), or
        ``"auto"``: its own where there are five replications for each algorithm (ten for pairs
        pooled alone), else moderated.
    method
        Of tau^2: ``"reml"``, ``"paule-mandel"`` or ``"dersimonian-laird"``.
    interval
        ``"robust"``: each contrast of a network has its own error and degrees of freedom, from the
        spread of the data sets (or studies, where they lie within them; CR2 with Satterthwaite's).
        ``"hartung-knapp"``: t tests with errors that allow for tau^2 being estimated, in a network
        one for all pairs, hence too short for pairs with an erratic algorithm. ``"wald"``: normal
        ones, which are too short for few data sets, too. ``"auto"``: robust for three algorithms
        or more, or where sampling covariances are moderated, unless some difference is known from
        one data set alone, else Hartung and Knapp's.
    nested
        What data sets lie within, as a third level: ``"study"`` (of effects), ``"domain"`` (of a
        table), ``"none"``; ``"auto"``: the study, if some study has several data sets.
    covariates
        Covariates of the data sets: each algorithm has a slope along them (meta-regression), and
        the comparison is at their means.
    contrasts, control
        As in `compare_mixed`; pairs only where ``pooling="pairwise"``.
    alternative
        ``"two-sided"``, ``"better"`` or ``"worse"``.
    adjust
        ``"single-step"`` (with errors common to all pairs the default), ``"westfall"``,
        ``"shaffer"``, ``"holm"`` (the default of robust errors and of pairwise pooling) or
        ``"none"``.
    tolerance
        In the unit of the effect, in place of the measure's, which differences alone take over.
    level
        Confidence level of the family of contrasts.
    missing
        ``"use"`` the scores that are there, or ``"error"`` where a cell lacks some.

    Returns
    -------
    MetaComparison
        With heterogeneity, predictions, leave-one-out, Egger's test and consistency.

    Raises
    ------
    DesignError
        There are fewer than two algorithms, the network falls into parts (which are listed), or
        data sets have no sampling errors.

    References
    ----------
    Hartung, J. & Knapp, G. (2001). A refined method for the meta-analysis of controlled clinical
    trials with binary outcome. Statistics in Medicine 20, 3875-3889.
    https://doi.org/10.1002/sim.1009

    Rücker (2012), https://doi.org/10.1002/jrsm.1058

    Examples
    --------
    >>> import benchinfer as bi
    >>> meta = compare_meta(bi.load_example("simulated/unbalanced"))
    >>> meta.contrasts().columns.tolist()[:5]
    ['measure', 'first', 'second', 'estimate', 'conf_low']
    >>> meta.heterogeneity().columns.tolist()[:4]
    ['measure', 'tau2', 'tau2_low', 'tau2_high']
    """
    alpha_of(level)
    check_alternative(alternative)
    for name, value, kind in (
        ("pooling", pooling, Pooling),
        ("method", method, Method),
        ("interval", interval, Interval),
        ("nested", nested, Nesting),
    ):
        if value not in (known := get_args(kind.__value__)):
            raise DesignError(unknown(name, value, known))
    if (interval, pooling) == ("robust", "pairwise"):
        raise DesignError(
            message(
                "pairs pooled alone have errors of their own already.",
                hint=f"{Option('interval', 'hartung-knapp')} goes with"
                f' {Option("pooling", "pairwise")}, "robust" with'
                f" {Option('pooling', 'network')}.",
            )
        )
    names = (covariates,) if isinstance(covariates, str) else tuple(covariates)
    family = contrasts, control
    setting, studies, kind = _taken(
        scores, measure, effect, (covariance, pooling), tolerance, missing, names, family
    )
    arguments = {
        "measure": setting.measure.name,
        "effect": kind,
        "pooling": pooling,
        "covariance": covariance,
        "method": method,
        "interval": interval,
        "nested": nested,
        "covariates": names,
        "contrasts": implied(contrasts, control),
        "control": control,
        "alternative": alternative,
        "adjust": adjust,
        "tolerance": tolerance,
        "level": level,
        "missing": missing,
    }
    return compared(setting, studies, arguments, published=isinstance(scores, Effects))


def _taken(
    scores: ScoreTable | Effects,
    measure: str | None,
    effect: Effect | None,
    spread: tuple[Covariance, Pooling],
    tolerance: float | None,
    missing: str,
    covariates: tuple[str, ...],
    family: tuple[Contrasts, str | None],
) -> tuple[Setting, Studies, Effect]:
    """Return what is compared, the effects and what kind they are."""
    if isinstance(scores, Effects):
        check_number(scores.algorithms, *family)
        return published(scores, measure, effect, tolerance, covariates)
    setting, scores = Setting.of(scores, measure)
    check_number(setting.algorithms, *family)
    check_missing(setting, missing)
    kind = effect or "difference"
    told = reported(setting.measure, kind, tolerance)
    studies = of_scores(scores, setting, kind, spread[0], alone=spread[1] == "pairwise")
    studies = centred(studies, scores.dataset_covariates(setting.measure.name), covariates)
    return replace(setting, measure=told), studies, kind
