"""The function `compare_permutation`."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from benchinfer.analyses.permutation import adjustment, diagnostics, overall
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
from benchinfer.analyses.permutation.comparison import PermutationComparison
from benchinfer.analyses.permutation.options import Pairs, PermutationOptions
from benchinfer.analyses.permutation.tests import borne_out, tested
from benchinfer.comparison import stepwise
from benchinfer.comparison.adjustment import check_alternative
from benchinfer.comparison.checks import check_missing
from benchinfer.comparison.comparison import Alternative, Target
from benchinfer.comparison.contrasts import (
    ContrastFamily,
    Contrasts,
    check_number,
    family_of,
    implied,
)
from benchinfer.comparison.evidence import Array, Level, Provenance, Setting, alpha_of, decide
from benchinfer.core import version
from benchinfer.core.arguments import check_resamples, seed_of
from benchinfer.core.errors import DesignError, message, unknown
from benchinfer.core.progress import Progress, reporting
from benchinfer.numerics.signs import NullKind
from benchinfer.scores.table import ScoreTable


def compared(
    setting: Setting,
    data: Exchangeable,
    levels: Array,
    family: ContrastFamily,
    asked: PermutationOptions,
    arguments: dict[str, Any],
) -> PermutationComparison:
    """Turn blocks into verdicts."""
    family, lost = borne_out(setting, data, family, asked)
    if asked.pairs == "pairwise":
        method = adjustment.of_blocks(asked.adjust, data, family, asked.alternative, asked.null)
        asked = replace(asked, adjust=method)
    found = tested(data, family, asked)
    evidence, together, shown = found.evidence, found.together, family.wanted
    drawn = "monte-carlo" in {*found.kinds, together.kind}
    return PermutationComparison(
        setting=setting,
        pairs=family.pairs[shown],
        codes=decide(evidence.statistic, evidence.p_value, evidence.p_equivalence, asked.alpha),
        level=arguments["level"],
        target=data.target,
        levels=Level(levels),
        checks=diagnostics.checks(setting, data, found, lost, asked),
        provenance=Provenance(
            analysis="compare_permutation",
            version=version.__version__,
            arguments=arguments,
            adjustment=adjustment.adjustment_words(asked, family.words, _bound(data, asked)),
            digest=setting.digest,
            seed=asked.seed if drawn else None,
        ),
        sides=family.sides[shown],
        names=family.names[shown],
        evidence=evidence,
        unit=data.unit,
        repeated=data.repeated,
        p_error=found.error,
        zeros=found.own.zeros[shown],
        adjusted=asked.adjust,
        kinds=found.kinds,
        pooled=together.of(shown),
        rows=overall.global_tests(data, together, family.words, asked),
        ranks=overall.rank_sums(standardised(data) if asked.scale == "dataset" else data),
    )


def _bound(data: Exchangeable, asked: PermutationOptions) -> str:
    """Say where closed testing of many algorithms was bounded."""
    if asked.adjust not in stepwise.CLOSED:
        return ""
    return adjustment.bound_words(data.n_labels, complete=data.layout.complete)


def levels_of(data: Exchangeable) -> Array:
    """Return (K,) means over blocks, in repeated blocks over data sets."""
    if not len(data.layout.rows):
        raise DesignError(
            message(
                f"no {data.unit} has scores of two algorithms.",
                hint="permutation tests move labels within blocks; check the labels of"
                f" {'data sets' if data.unit == 'data set' else 'replications'}.",
            )
        )
    cells = data.dataset if data.repeated else np.arange(len(data.values))
    shape = (int(cells.max()) + 1, data.n_labels)
    at = cells * data.n_labels + data.label
    n = np.bincount(at, minlength=shape[0] * shape[1]).reshape(shape)
    total = np.bincount(at, data.values, shape[0] * shape[1]).reshape(shape)
    mean = np.divide(total, n, out=np.zeros(shape), where=n > 0)
    return mean.sum(axis=0) / np.maximum((n > 0).sum(axis=0), 1)


def compare_permutation(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    on: On = "aligned-ranks",
    null: NullKind = "auto",
    resamples: int = 100_000,
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    adjust: stepwise.Adjust = "auto",
    pairs: Pairs = "pairwise",
    target: Literal["auto"] | Target = "auto",
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
    seed: int | None = None,
    stop: bool = False,
    scale: Scale = "none",
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
        What is permuted. ``"values"``: the scores on the measure's scale; estimates are mean
        differences with t intervals, each pair with a standard error of its own. ``"ranks"``
        (within blocks), ``"aligned-ranks"`` (of the scores without their block's mean) and
        ``"normal-scores"`` of these: estimates are Hodges-Lehmann shifts with intervals by test
        inversion; alone, a pair has signed ranks (zero differences left out), for either kind of
        ranks, or signed normal scores. ``"dispersion"``: how far scores lie from a median.
    null
        ``"exact"``: all arrangements; ``"monte-carlo"``: random ones; ``"asymptotic"``: the normal
        limit; ``"auto"``: exact where that takes seconds, else Monte Carlo. A global test that
        cannot be exact is Monte Carlo.
    resamples
        Of Monte Carlo: p-values are ``(1 + #) / (resamples + 1)``.
    contrasts, control
        As in `compare_mixed`. Averages of algorithms need ``pairs="pooled"``.
    alternative
        ``"two-sided"``, or what one-sided tests are to show of the first algorithm of a contrast:
        ``"better"`` or ``"worse"``. With a tolerance these also test non-inferiority.
    adjust
        Of pairwise tests ``"closed"``, all pairs of up to eight algorithms closed by sign flips of
        whole blocks, ``"step-down"``, the same stepwise for any contrasts (Westfall and Young),
        ``"holm"``, ``"bonferroni"``, ``"hochberg"``, ``"hommel"``, ``"rom"``, ``"finner"``,
        ``"li"`` or ``"none"``. The default of two-sided tests is the first of the former three that
        goes: flips need blocks that hold each algorithm once, and closed tests complete ones; that
        of one-sided tests is ``"holm"``.
        For pooled tests also ``"single-step"`` (their default), ``"shaffer"`` and
        ``"bergmann-hommel"``: exact for any number of algorithms in complete blocks, else for up to
        18 and by an upper bound, which `method` names, for more. Intervals are Sidak's (one-sided:
        Bonferroni's).
    pairs
        ``"pairwise"``: each pair on its own scores. ``"pooled"``: on scores that all algorithms
        share, as in Friedman's post-hoc tests; that controls errors over pairs only if all
        algorithms have equal distributions.
    target
        What claims are about: ``"domain"``, where a data set is a block, its replications averaged,
        or ``"datasets"``, these data sets alone, where a replication is a block, or the data set
        with all its scores where replications are not shared. ``"auto"``: the domain, if there are
        several data sets.
    level
        Confidence level of the family of contrasts.
    missing
        ``"use"`` the scores that are there, or ``"error"`` where a cell lacks some.
    seed
        Of the random numbers; None draws one. It is in the result's provenance.
    stop
        Whether the resampling of all algorithms ends as soon as all its decisions are certain, with
        a chance of 1e-6 to be wrong; of pooled tests with single-step or step-down p-values only.
    scale
        ``"dataset"``: tests take scores in units of their data set, the standard deviation of its
        scores within blocks (of a pair alone: of its own scores), so that no data set outweighs
        others by its scale; with ``target="datasets"``. Estimates and intervals stay in the
        measure's unit.
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
    >>> found.contrasts()[["first", "second", "p_raw", "p_value", "winner"]].head(2)
      first   second     p_raw   p_value  winner
    0  C4.5  C4.5+cf  0.696777  0.696777
    1  C4.5   C4.5+m  0.007324  0.033447  C4.5+m
    >>> found.tests()["test"].tolist()[:2]
    ['quadratic form of scores', 'largest of all 6 pairs, scores']
    """
    alpha, contrasts = alpha_of(level), implied(contrasts, control)
    check_alternative(alternative)
    _check_null(null, resamples)
    setting, scores = Setting.of(scores, measure)
    check_number(setting.algorithms, contrasts, control)
    check_missing(setting, missing)
    method = adjustment.resolve_adjustment(adjust, pairs, contrasts, alternative, null)
    data = exchangeable(scores, setting, target, on)
    check_scale(scale, on, data.target)
    data = with_ties(data, scale)
    setting = of_spread(setting) if on == "dispersion" else setting
    drawn = seed_of(seed)
    margin = setting.measure.margin
    arguments = {
        "measure": setting.measure.name,
        "on": on,
        "null": null,
        "resamples": resamples,
        "contrasts": contrasts,
        "control": control,
        "alternative": alternative,
        "adjust": adjust,
        "pairs": pairs,
        "target": target,
        "level": level,
        "missing": missing,
        "seed": seed,
        "stop": stop,
        "scale": scale,
    }
    levels = levels_of(data)
    family = family_of(
        setting.algorithms, contrasts, control, levels, directed=alternative != "two-sided"
    )
    with reporting(progress=progress) as told:
        asked = PermutationOptions(
            on, null, resamples, pairs, alternative, method, alpha, margin, drawn, stop, told, scale
        )
        return compared(setting, data, levels, family, asked, arguments)


def _check_null(null: str, resamples: int) -> None:
    if null not in (known := ["auto", "exact", "monte-carlo", "asymptotic"]):
        raise DesignError(unknown("null", null, known))
    check_resamples(resamples, 1, "at least 1, as in 100_000.")
