"""The function `compare_mixed`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from benchinfer.analyses.mixed.comparison import MixedComparison, compared, verdicts_of
from benchinfer.analyses.mixed.design import Domains, Structure, choose, on_shared, resolve
from benchinfer.analyses.mixed.evidence import Adjust
from benchinfer.analyses.mixed.fit import MixedFit, fit_design
from benchinfer.analyses.mixed.numerics.structured_covariance import Residual
from benchinfer.analyses.mixed.options import DfMethod, MixedOptions
from benchinfer.comparison.adjustment import Interval
from benchinfer.comparison.checks import validation
from benchinfer.comparison.checks.groups import check_constant
from benchinfer.comparison.comparison import Alternative, Target
from benchinfer.comparison.contrasts import Contrasts
from benchinfer.comparison.evidence import PairVerdicts, Scores, Setting
from benchinfer.core.arguments import checked, names_of, seed_of
from benchinfer.core.errors import DesignError
from benchinfer.numerics.rotations import Reference


@checked
def compare_mixed(
    scores: Scores,
    measure: str | None = None,
    *,
    terms: Literal["auto"] | Sequence[str] = "auto",
    structure: Structure = "auto",
    residual: Residual = "constant",
    domains: Domains = "pooled",
    covariates: str | Sequence[str] = (),
    df: DfMethod = "kenward-roger",
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "auto",
    interval: Interval = "compatible",
    reference: Reference = "rotation",
    target: Literal["auto"] | Target = "auto",
    level: float = 0.95,
    missing: Literal["use", "shared", "error"] = "use",
    seed: int | None = 1,
) -> MixedComparison:
    """Compare algorithms by a linear mixed-effects model and simultaneous contrasts.

    ``value ~ algorithm + (1|dataset) + (1|dataset:algorithm) + (1|dataset:replication)``, fitted by
    REML on the measure's scale, from which the design keeps the terms that it can estimate.

    Parameters
    ----------
    scores
        The table; cells may be missing.
    measure
        Name of the measure; may be omitted where there is one.
    terms
        Random terms: ``"auto"``, those that the design can estimate, or some of ``"dataset"``,
        ``"dataset:algorithm"`` and ``"dataset:replication"``.
    structure
        Variation of algorithms between data sets: one standard error for all pairs (``"common"``),
        one of its own for each pair (``"pairwise"``), or variances of their own in the model
        (``"diagonal"``, ``"unstructured"``). ``"auto"``: pairwise, but of two algorithms on given
        data sets common.

        ``"common"`` is one interaction variance, as lme4 users type it; too small for erratic
        algorithms and too large for near-duplicates. With ``"pairwise"`` the model sets the
        weights, and errors are from the data sets' differences (CR2; on a complete table the paired
        t-test on data set means). ``"diagonal"`` gives each algorithm its own interaction variance,
        ``"unstructured"`` is any covariance of the algorithms between data sets. Both take each
        pair's error from that model.

        On one data set, and with ``target="datasets"``, pairwise errors are from the replications
        of each pair alone: the paired t-test where it shares them, else Welch's, with as many
        degrees of freedom as the smaller sample less one where that is of fewer than four and the
        other more than twice as large. They are corrected for overlapping resamples as the common
        one is.
    residual
        Residual variance: ``"constant"``, one per ``"algorithm"``, or one per ``"dataset"``.
    domains
        Domains of the data sets, if the table names them: taken as one (``"pooled"``), as a sample
        of domains (``"random"``), or with levels of their own (``"separate"``).

        With ``"separate"`` the comparison is of the algorithms' mean over domains, and
        `MixedComparison.by_domain` compares in each.
    covariates
        Names of covariates of the data sets, along which each algorithm has a slope.

        The comparison is at their means; `MixedComparison.at` compares at other values.
    df
        Degrees of freedom: ``"kenward-roger"``, ``"satterthwaite"`` or ``"asymptotic"``.

        Pair-specific errors have Satterthwaite degrees of freedom under the first two.
    contrasts
        All pairs (``"tukey"``), each other algorithm against the control (``"dunnett"``), each
        against the one before it by name (``"sequential"``), or each against the mean of all
        (``"mean"``).

        Also a list of names (each against the one before it), or contrasts with names and weights,
        such as ``{"trees - svm": {"cart": 0.5, "rf": 0.5, "svm": -1}}``.
    control
        Algorithm that each other one is compared with, or ``"best"``: the one with the best
        estimate. Alone it asks for Dunnett's contrasts.

        Contrasts with ``"best"`` are adjusted for all pairs, as the best was picked from them.
    alternative
        Alternative that tests are to show, of the first algorithm of a contrast: a difference
        (``"two-sided"``), or that it is ``"better"`` or ``"worse"``.

        With a tolerance one-sided tests also test non-inferiority.
    adjust
        Adjustment for many contrasts: ``"rotation"``, ``"single-step"`` (``max |t|``),
        ``"westfall"``, ``"bergmann-hommel"``, ``"shaffer"``, ``"holm"`` or ``"none"``; with a
        control also ``"bh"`` or ``"by"``, which keep the false discovery rate. ``"auto"``:
        single-step with a common error; with pair-specific ones rotation where it goes, else
        Bergmann and Hommel's for all pairs of up to 15 algorithms, else Holm's.

        ``"rotation"`` is the exact closed test of all pairs, or of those with a control, for three
        or more data sets and up to eight algorithms, without gaps or with ``missing="shared"``.
        Equivalence is tested by Holm's steps beside closed tests. Benjamini and Hochberg's ``"bh"``
        needs p-values that depend positively, Benjamini and Yekutieli's ``"by"`` nothing; both are
        of differences and of equivalences, each by themselves, and intervals beside them hold
        together.
    interval
        Intervals beside a test in steps: ``"compatible"`` with the verdicts, which leave equality
        out if and only if a pair is decided, and hold together with them; ``"simultaneous"``,
        single-step or Sidak's (one-sided: Bonferroni's), which hold by themselves, as the verdicts
        do, with more power; or ``"pairwise"``, each of its pair alone.

        Compatible intervals take half of the level from the test. Single-step tests have intervals
        of their own.
    reference
        The closed test rotates the data sets' means (``"rotation"``), which is exact if these are
        normal, or flips their signs (``"flips"``), exact if differences are symmetric.

        Flips are so however heavy the tails; of fewer than six data sets, or seven with four
        algorithms or more, they decide nothing at 95 %.
    target
        Claims about the ``"domain"`` that the data sets come from, or about these ``"datasets"``
        alone. ``"auto"``: the domain, if there are several data sets.

        For claims about these data sets each is fitted by itself and the estimates averaged.
    level
        Confidence level of the family of contrasts.
    missing
        Cells that lack scores: ``"use"`` the scores that are there, compare pairs on ``"shared"``
        data sets, or ``"error"``.

        With ``"use"`` the model draws on all scores, so that a gap of one algorithm moves other
        pairs, too. With ``"shared"`` each pair is compared on the data sets that hold both, by the
        paired t-test of the data sets' means with equal weight: no other algorithm has a part in
        its estimate, error, unadjusted p-value and interval, and rotations close the tests with
        gaps, too. Pairs that share fewer than three data sets are undecided. Without gaps, and with
        as many scores in all cells, both are the same.
    seed
        Seed of the random rotations or flips, as in `compare_bootstrap`.

        Their errors are in the column ``p_error``.

    Returns
    -------
    MixedComparison
        With adjusted p-values and simultaneous intervals.

    Raises
    ------
    DesignError
        The table cannot answer the question: fewer than two algorithms, terms that cannot be
        estimated, an algorithm that shares no data set with the others or has one replication where
        each pair has its own error from these, scores without variation,
        or overlapping resamples of the data sets at hand whose overlap is not declared, or is not
        corrected for under these terms.

    References
    ----------
    Eugster, Hothorn & Leisch (2012), https://doi.org/10.17713/ajs.v41i1.185

    Examples
    --------
    >>> import benchinfer as bi
    >>> mixed = compare_mixed(bi.load_example("simulated/balanced"))
    >>> mixed.formula
    'score ~ algorithm + (1|dataset) + (1|dataset:algorithm) + (1|dataset:replication)'
    >>> mixed.contrasts().columns.tolist()[:5]
    ['first', 'second', 'estimate', 'conf_low', 'conf_high']
    """
    options = MixedOptions.from_call(
        locals(),
        terms=terms if isinstance(terms, str) else tuple(terms),
        covariates=names_of(covariates),
        seed=seed_of(seed),
    )
    return compared(*_fitted(scores, options))


def verdicts(scores: Scores, measure: str, **arguments: object) -> PairVerdicts:
    """Return the verdicts of `compare_mixed` alone, which take less time than a comparison."""
    options = MixedOptions.by_default(compare_mixed, measure=measure, **arguments)
    return verdicts_of(*_fitted(scores, options, diagnosed=False))


def _fitted(
    scores: Scores, options: MixedOptions, *, diagnosed: bool = True
) -> tuple[Setting, MixedFit, MixedOptions]:
    """Fit the model that options ask for, with its residuals if diagnosed."""
    setting, scores = Setting.of(scores, options.measure)
    options = replace(options, measure=setting.measure.name)
    options.check_family(setting.algorithms)
    validation.check_missing(setting, options.missing)
    design = choose(setting, options.terms, options.target, options.domains, options.covariates)
    if options.covariates:
        check_constant(scores, setting.measure.name, options.covariates)
    design = resolve(options.structure, options.residual, design, setting)
    if options.missing == "shared":
        design = on_shared(design)
    if options.target == "domain" and design.target != "domain":
        raise DesignError(
            "without the dataset:algorithm term and with a common structure claims are about these"
            " data sets, not their domain.",
            hint='terms="auto" keeps it; structure="pairwise" takes'
            " errors from the spread between data sets.",
        )
    return setting, fit_design(scores, setting, design, diagnosed=diagnosed), options
