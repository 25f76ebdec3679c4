"""The function `compare_meta`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from benchinfer.analyses.meta.comparison import MetaComparison, compared
from benchinfer.analyses.meta.effects import Effects
from benchinfer.analyses.meta.numerics.pooling import Method
from benchinfer.analyses.meta.options import MetaOptions, Nesting, Pooling
from benchinfer.analyses.meta.pooling import Interval
from benchinfer.analyses.meta.studies import (
    Covariance,
    Effect,
    Studies,
    of_scores,
    published,
    reported,
    with_values,
)
from benchinfer.comparison import adjustment
from benchinfer.comparison.adjustment import Adjust
from benchinfer.comparison.checks.groups import refuse_varying
from benchinfer.comparison.checks.validation import check_missing
from benchinfer.comparison.comparison import Alternative
from benchinfer.comparison.contrasts import Contrasts
from benchinfer.comparison.evidence import Setting
from benchinfer.core.arguments import checked, names_of
from benchinfer.core.errors import DesignError
from benchinfer.scores.table import ScoreTable


@checked
def compare_meta(
    scores: ScoreTable | Effects,
    measure: str | None = None,
    *,
    effect: Effect | None = None,
    pooling: Pooling = "network",
    covariance: Covariance = "auto",
    method: Method = "reml",
    interval: Interval | adjustment.Interval = "auto",
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
    sets with a variance tau^2 (random effects). All algorithms are estimated jointly, so that the
    estimate of a pair also rests on indirect evidence, by way of other algorithms.

    Parameters
    ----------
    scores
        A score table with replications, or effects from `read_effects`.
    measure
        Name of the measure; may be omitted where there is one.
    effect
        Effects: ``"difference"`` of means (on the measure's scale), ``"standardised"`` (in standard
        deviations of a data set's scores, Hedges' g), or ``"log-ratio"`` of means (reported as a
        ratio). By default differences; published effects are what they are.
    pooling
        All algorithms jointly with one heterogeneity (``"network"``), or each pair from the data
        sets that hold both (``"pairwise"``).

        In a network effects are weighted with one tau^2; pairs alone have a tau^2 and errors of
        their own.
    covariance
        Sampling covariance of a table's effects: each data set's ``"own"``, ``"common"`` (one
        variance of differences for each data set), ``"moderated"`` (the same, those of the data
        sets shrunk towards each other, as few replications say little of each; Smyth 2004), or
        ``"auto"``: its own where there are five replications for each algorithm (ten for pairs
        pooled alone), else moderated.
    method
        Estimator of the variance between data sets, tau^2: ``"reml"``, ``"paule-mandel"`` or
        ``"dersimonian-laird"``; ``"fixed"`` has none, and claims are about these data sets.
    interval
        Errors of each contrast: from the spread of data sets (``"robust"``), with t tests that
        allow for tau^2 being estimated (``"hartung-knapp"``), normal ones (``"wald"``), or of
        data sets with equal weights (``"equal-weights"``). Their intervals are compatible with the
        verdicts; ``"simultaneous"`` or ``"pairwise"``, as in `compare_mixed`, go with the errors of
        ``"auto"``.

        ``"auto"`` of two algorithms, or pairs pooled alone: weights by precision need effects that
        are many and about equally exact. Where ``n0 = (sum 1 / v)^2 / sum 1 / v^2`` of the D
        sampling variances is below ``max(D / 2, 5)``, effects have equal weights and a t test with
        D - 1 degrees of freedom, whose error is not below that of sampling. Three uneven studies
        make false claims in .28 by Hartung and Knapp's errors. Any other value asks for weights by
        precision, and a row of the diagnostics warns where they are not safe.

        ``"auto"`` of three algorithms or more takes the effective numbers of data sets behind each
        pair; where one is too small all data sets weigh the same, with robust errors not below
        those of sampling.

        ``"robust"`` errors and degrees of freedom are each contrast's own, from the spread of the
        data sets (or studies, where they lie within them; CR2 with Satterthwaite's).
        ``"hartung-knapp"`` errors are never below Wald's. In a network they are of one tau^2 for
        all pairs, hence too short for pairs with an erratic algorithm. ``"wald"`` intervals are too
        short for few data sets, too. ``"auto"`` otherwise: robust for three algorithms or more, or
        where sampling covariances are moderated, unless some difference is known from one data set
        alone, else Hartung and Knapp's.
    nested
        Third level, which data sets lie within: the ``"study"`` of effects, the ``"domain"`` of
        a table, or ``"none"``. ``"auto"``: the study, if some study has several data sets.
    covariates
        Names of covariates of the data sets, along which each algorithm has a slope
        (meta-regression). The comparison is at their means.
    contrasts, control
        As in `compare_mixed`. Pairs only where ``pooling="pairwise"``.
    alternative
        As in `compare_mixed`.
    adjust
        Adjustment for many contrasts: ``"single-step"``, ``"step-down"``, ``"westfall"``,
        ``"shaffer"``, ``"holm"`` or ``"none"``. ``"auto"``: single-step with errors common to all
        pairs, Holm with robust errors and with pairs alone.
    tolerance
        Difference that does not matter, in the unit of the effect. By default the measure's, which
        differences alone take over.
    level
        Confidence level of the family of contrasts.
    missing
        Cells that lack scores: ``"use"`` the scores that are there, or ``"error"``.

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
    ['first', 'second', 'estimate', 'conf_low', 'conf_high']
    >>> meta.heterogeneity().columns.tolist()[:4]
    ['measure', 'tau2', 'tau2_low', 'tau2_high']
    """
    options = MetaOptions.from_call(locals(), covariates=names_of(covariates))
    setting, studies, kind = _studies_of(scores, options)
    options = replace(options, measure=setting.measure.name, effect=kind)
    return compared(setting, studies, options, published=isinstance(scores, Effects))


def _studies_of(
    scores: ScoreTable | Effects, options: MetaOptions
) -> tuple[Setting, Studies, Effect]:
    """Return what is compared, the effects and what kind they are."""
    measure, effect, tolerance = options.measure, options.effect, options.tolerance
    if isinstance(scores, Effects):
        options.check_family(scores.algorithms)
        return published(scores, measure, effect, tolerance, options.covariates)
    setting, scores = Setting.of(scores, measure)
    options.check_family(setting.algorithms)
    check_missing(setting, options.missing)
    kind = effect or "difference"
    measure_reported = reported(setting.measure, kind, tolerance)
    if not (setting.coverage.counts > 0).sum(axis=1).max() > 1:
        raise DesignError(
            f"no two of the {len(setting.algorithms)} algorithms share a data set.",
            hint="an effect takes scores of two algorithms on one data set.",
        )
    studies = of_scores(scores, setting, kind, options.covariance, alone=not options.joint)
    covariates = scores.dataset_covariates(setting.measure.name)
    refuse_varying(covariates, options.covariates)
    at = [covariates.datasets.index(name) for name in studies.datasets]
    studies = with_values(
        studies, {name: z[at] for name, z in covariates.constant.items()}, options.covariates
    )
    return replace(setting, measure=measure_reported), studies, kind
