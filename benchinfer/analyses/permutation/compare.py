"""The function `compare_permutation`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, cast

from benchinfer.analyses.permutation import adjustment, diagnostics, overall
from benchinfer.analyses.permutation.adjustment import Adjust, Pairs
from benchinfer.analyses.permutation.blocks import (
    Exchangeable,
    On,
    Scale,
    check_scale,
    exchangeable,
    of_spread,
    standardised,
    with_ties,
)
from benchinfer.analyses.permutation.comparison import (
    NullDistribution,
    PermutationComparison,
    draws_flips,
)
from benchinfer.analyses.permutation.levels import means_of, tested_level
from benchinfer.analyses.permutation.options import PermutationOptions, PermutationProcedure
from benchinfer.analyses.permutation.tests import contrasts_in_blocks, tested, verdict_codes
from benchinfer.comparison.adjustment import Interval
from benchinfer.comparison.checks.validation import check_missing
from benchinfer.comparison.comparison import Alternative, Target
from benchinfer.comparison.contrasts import ContrastFamily, Contrasts
from benchinfer.comparison.evidence import PairVerdicts, Scores, Setting, decide
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.core.arguments import check_jobs, checked
from benchinfer.core.progress import Progress, reporting
from benchinfer.numerics.signs import NullKind


def compared(
    setting: Setting,
    data: Exchangeable,
    family: ContrastFamily,
    procedure: PermutationProcedure,
    options: PermutationOptions,
) -> PermutationComparison:
    """Turn blocks into verdicts."""
    if procedure.pairs == "pairwise":
        adjust = adjustment.resolve_in_blocks(procedure, data, family)
        procedure = replace(procedure, adjust=adjust)
    family, lost = contrasts_in_blocks(setting, data, family, procedure)
    tests = tested(data, family, procedure)
    evidence, estimates, shown = tests.evidence, tests.pairwise.estimate, family.wanted
    ranks = overall.rank_sums(standardised(data) if procedure.scale == "dataset" else data)
    rows = overall.global_tests(data, tests.pooled, family.words, procedure)
    drawn = "monte-carlo" in {*tests.kinds, *(row.null for row in rows)} or (
        procedure.pairs == "pairwise" and draws_flips(procedure.adjust, len(data.layout.sizes))
    )
    codes = decide(evidence.statistic, evidence.p_value, evidence.p_equivalence, procedure.alpha)
    levels = tested_level(data, setting, ranks, family.pairs, estimates, codes, procedure)
    result = PermutationComparison(
        setting=setting,
        pairs=ComparedPairs.of(family, setting, codes, levels, directed=procedure.side != 0),
        level=options.level,
        target=data.target,
        levels=levels,
        stored_checks=(),
        provenance=options.provenance(
            setting.digest,
            adjustment.words(procedure, family, data),
            procedure.seed if drawn else None,
        ),
        evidence=evidence,
        unit=data.unit,
        repeated=data.repeated,
        outcomes=data.outcomes,
        p_error=tests.error,
        zeros=tests.pairwise.zeros[shown],
        endless=tests.pairwise.endless[shown],
        adjusted=cast("adjustment.Procedure", procedure.adjust),
        kinds=cast("tuple[NullDistribution, ...]", tests.kinds),
        pooled=tests.pooled.of(shown),
        rows=rows,
        ranks=ranks,
        blocks=data if _flip_together(data, procedure) else None,
    )
    return replace(result, stored_checks=diagnostics.checks(result, data, tests, lost))


def _flip_together(data: Exchangeable, procedure: PermutationProcedure) -> bool:
    """Return whether differences of means of all pairs change their signs block by block."""
    of_means = data.outcomes or procedure.on in ("values", "dispersion")
    return of_means and data.n_labels > 2 and not data.repeated and procedure.pairs == "pairwise"


@checked
def compare_permutation(
    scores: Scores,
    measure: str | None = None,
    *,
    on: On = "aligned-ranks",
    null: NullKind = "auto",
    resamples: int = 100_000,
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "auto",
    interval: Interval = "compatible",
    pairs: Pairs = "pairwise",
    target: Literal["auto"] | Target = "auto",
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
    seed: int | None = 1,
    stop: bool = False,
    scale: Scale = "none",
    trend: Sequence[str] | None = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> PermutationComparison:
    """Compare algorithms by permutation tests within blocks.

    Under the null hypothesis the labels within a block are exchangeable. Each pair is tested on its
    own scores by default, so that no third algorithm decides between two.

    Parameters
    ----------
    scores
        The table; cells may be missing.
    measure
        Name of the measure; may be omitted where there is one.
    on
        Quantity that is permuted: the scores (``"values"``), ranks within blocks (``"ranks"``),
        ranks of the scores without their block's mean (``"aligned-ranks"``), ``"normal-scores"`` of
        these, or how far scores lie from a median (``"dispersion"``).

        Estimates of ``"values"`` are mean differences with t intervals, each pair with a standard
        error of its own; of ranks and normal scores Hodges-Lehmann shifts with intervals by test
        inversion. Alone, a pair has signed ranks (zero differences left out), for either kind of
        ranks, or signed normal scores. Scores of 0 and 1 have differences of rates with Newcombe's
        intervals; signed ranks of shared replications are McNemar's exact test then.
    null
        Null distribution: all arrangements (``"exact"``), random ones (``"monte-carlo"``), or the
        normal limit (``"asymptotic"``). ``"auto"``: exact where that takes seconds, else Monte
        Carlo.

        A global test that cannot be exact is Monte Carlo.
    resamples
        Number of random arrangements of Monte Carlo.

        P-values are ``(1 + #) / (resamples + 1)``. Fewer where they would take long: sign flips of
        more than 10,000 blocks, and global tests of over 1,000 scores beside tests of each pair.
    contrasts, control
        As in `compare_mixed`. Averages of algorithms need ``pairs="pooled"``.
    alternative
        As in `compare_mixed`.
    adjust
        Adjustment for many contrasts: ``"closed"``, ``"step-down"``, ``"holm"``, ``"bonferroni"``,
        ``"hochberg"``, ``"hommel"`` or ``"none"``; with a control also ``"bh"`` or ``"by"``, which
        keep the false discovery rate, as in `compare_mixed`; of pooled tests also
        ``"single-step"``, ``"shaffer"`` and ``"bergmann-hommel"``. ``"auto"``: of two-sided tests
        the first of closed, step-down and Holm that goes, of one-sided tests Holm, of pooled tests
        single-step.

        Of pairwise tests ``"closed"`` is of all pairs of up to eight algorithms, closed by sign
        flips of whole blocks, and ``"step-down"`` the same stepwise for any contrasts (Westfall and
        Young): flips need blocks that hold each algorithm at most once. A pair has no terms in
        blocks that lack one of the two, whichever way these are flipped. Of pooled tests Shaffer's
        and Bergmann and Hommel's are exact for any number of algorithms in complete blocks, else
        for up to 18 and by an upper bound, which `method` names, for more.
    interval
        As in `compare_mixed`. Intervals of ranks end at the least and the largest difference where
        the test of so few blocks has no end at their level. Beside pooled tests, and tests with
        ``scale="dataset"``, which are not of what is estimated, intervals are simultaneous.
    pairs
        Each pair on its own scores (``"pairwise"``), or on scores that all algorithms share
        (``"pooled"``), as in Friedman's post-hoc tests.

        Pooled tests control errors over pairs only if all algorithms have equal distributions.
    target
        Claims about the ``"domain"`` that the data sets come from, or about these ``"datasets"``
        alone. ``"auto"``: the domain, if there are several data sets.

        For claims about the domain a data set is a block, its replications averaged. For these data
        sets a replication is a block, or the data set with all its scores where replications are
        not shared.
    level
        Confidence level of the family of contrasts.
    missing
        Cells that lack scores: ``"use"`` the scores that are there, or ``"error"``.
    seed
        As in `compare_bootstrap`.
    stop
        End the resampling of all algorithms as soon as all its decisions are certain.

        The chance to be wrong is 1e-6. Of pooled tests with single-step or step-down p-values only.
    scale
        Unit of the scores in tests: as they are (``"none"``), or the standard deviation of their
        ``"dataset"``, so that no data set outweighs others; with ``target="datasets"``.

        The standard deviation is that of the data set's scores within blocks (of a pair alone: of
        its own scores). Estimates and intervals stay in the measure's unit.
    trend
        Order of all algorithms, best first, fixed before the scores were seen: adds Page's
        one-sided test that scores fall in that order.

        It is the last row of `PermutationComparison.tests`.
    n_jobs
        Number of threads that resample, -1 for all cores; by default two where it takes seconds.

        Numbers do not depend on it.
    progress
        True shows a bar on standard error, in a terminal or a notebook, if it takes longer than a
        second; a function is called with a task in words, the number of resamples just done, and
        their total.

    Returns
    -------
    PermutationComparison
        With adjusted p-values, simultaneous intervals, and `PermutationComparison.tests`.

    Raises
    ------
    DesignError
        The table cannot answer the question: fewer than two algorithms, no block with two of them,
        overlapping resamples as blocks, or a null distribution or adjustment that does not fit.

    Notes
    -----
    Equivalence of a pair is shown by its own test of the differences shifted by the tolerance, once
    up and once down, adjusted as the differences (by Holm for procedures of pooled tests alone);
    the larger p-value counts. Averages of algorithms are never equivalent.

    Sign flips and signed ranks test symmetry of the differences, so skewness alone can reject: a
    row of the diagnostics says where they are skew.

    References
    ----------
    Hothorn, Leisch, Zeileis & Hornik (2005), https://doi.org/10.1198/106186005X59630

    Examples
    --------
    >>> import benchinfer as bi
    >>> found = compare_permutation(bi.load_example("demsar2006"), on="values", seed=1)
    >>> found.contrasts(all=True)[["first", "second", "p_raw", "p_value", "winner"]].head(2)
      first   second  p_raw p_value  winner
    0  C4.5  C4.5+cf  0.697  >0.999
    1  C4.5   C4.5+m  0.007   0.033  C4.5+m
    >>> found.tests()["test"].tolist()[:2]
    ['quadratic form of scores', 'largest of all 6 pairs, scores']
    """
    check_jobs(n_jobs)
    options = PermutationOptions.from_call(locals(), trend=None if trend is None else tuple(trend))
    setting, data, options = _blocks(scores, options)
    with reporting(progress=progress) as callback:
        procedure = options.procedure(setting.measure.margin)
        procedure = replace(procedure, progress=callback, n_jobs=n_jobs)
        return options.compared(
            setting.algorithms,
            means_of(data, on),
            lambda family: compared(setting, data, family, procedure, options),
        )


def verdicts(scores: Scores, measure: str, **arguments: object) -> PairVerdicts:
    """Return the verdicts of `compare_permutation` alone, which take less time than a comparison.

    Each pair is tested on its own scores.
    """
    options = PermutationOptions.by_default(compare_permutation, measure=measure, **arguments)
    setting, data, options = _blocks(scores, options)
    procedure = options.procedure(setting.measure.margin)
    family = options.family(setting.algorithms, means_of(data, options.on))
    adjust = adjustment.resolve_in_blocks(procedure, data, family)
    family, _ = contrasts_in_blocks(setting, data, family, procedure)
    codes = verdict_codes(data, family, replace(procedure, adjust=adjust))
    return PairVerdicts(
        PermutationComparison._title, tuple(family.named_sides(setting.algorithms)), codes
    )


def _blocks(
    scores: Scores, options: PermutationOptions
) -> tuple[Setting, Exchangeable, PermutationOptions]:
    """Return the setting and the blocks of scores that options ask for."""
    setting, scores = Setting.of(scores, options.measure)
    options.check_family(setting.algorithms)
    if options.trend is not None:
        overall.check_order(setting.algorithms, options.trend)
    check_missing(setting, options.missing)
    data = exchangeable(scores, setting, options.target, options.on)
    check_scale(options.scale, data.target, setting)
    data = with_ties(data)
    setting = of_spread(setting) if options.on == "dispersion" else setting
    return setting, data, replace(options, measure=setting.measure.name)
