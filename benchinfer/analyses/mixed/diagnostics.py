"""Diagnostics of a mixed model: design, optimum, residuals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import fdtr, stdtr

from benchinfer.analyses.mixed.design import Design
from benchinfer.analyses.mixed.evidence import (
    Errors,
    certain,
    evidence_of,
    right_or_wrong,
)
from benchinfer.analyses.mixed.fit import MixedFit
from benchinfer.analyses.mixed.numerics.random_effects import RandomEffects, Shape
from benchinfer.analyses.mixed.numerics.replications import ReplicationMeans
from benchinfer.analyses.mixed.numerics.residuals import Residuals, ResidualSpread
from benchinfer.analyses.mixed.numerics.shared import FEWEST_SHARED
from benchinfer.analyses.mixed.tables import DirectEvidence, direct_evidence
from benchinfer.comparison.adjustment import SIDES, level_spent
from benchinfer.comparison.checks.decisions import (
    SAME,
    near_level,
    stepwise_checks,
    within_error,
    without_error,
)
from benchinfer.comparison.checks.tables import (
    beyond,
    legal,
    number_of_datasets,
    of_table,
    replications,
    thin_cells,
    tolerance,
)
from benchinfer.comparison.contrasts import ContrastFamily, Oriented, some_of
from benchinfer.comparison.evidence import Evidence, Setting, decide
from benchinfer.comparison.normal import std_errors, without_spread
from benchinfer.core.hints import literal
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import (
    as_sentence,
    count,
    fixed,
    p_clause,
    several,
    significant,
    some,
    subject,
)
from benchinfer.core.sections import Check
from benchinfer.numerics.covariance import Estimates, pairs_of
from benchinfer.numerics.multiplicity import level_share
from benchinfer.numerics.types import Array
from benchinfer.scores.checks.kinds import BINOMIAL
from benchinfer.scores.numerics.skewness import corrected_t, excessive, skewness

if TYPE_CHECKING:
    from benchinfer.analyses.mixed.comparison import MixedComparison


# A row fails where the effect is large and the p-value small: neither by itself is worth one.
_SURE = 0.001
# Few enough false rows in healthy tables, each of which has many checks.
_RARE = 0.005
_FEWEST = 8  # values that can look other than normal
_SHOWN = 3  # pairs that are told with their numbers
_MANY = 1e9  # degrees of freedom that stand for infinite ones
_USE = "the model uses the rest"
_OWN = "own / common standard error, largest factor"
ABSENT = "variance components at zero"
_APART = "Some pairs vary more {}, and others less, than one common error says"


def checks(
    result: MixedComparison,
    family: ContrastFamily,
    method: str,
    errors: Errors,  # of contrasts and levels
    p_error: float,  # largest error of an adjusted p-value
) -> tuple[Check, ...]:
    """Return the diagnostics of a comparison, but for those of its residuals."""
    setting, fitted, evidence = result.setting, result.fitted, result.evidence
    design, alpha = fitted.design, result.options.alpha
    pairs = result.pairs.oriented(family.named_sides(result.algorithms))
    # Random rotations or flips do not decide all pairs for certain.
    error = np.zeros_like(evidence.p_value) if evidence.p_error is None else evidence.p_error
    near = within_error(evidence.p_value, error, alpha)
    row = near_level(near, pairs, "See with another seed.")
    return (
        *_fit(setting, fitted, evidence, p_error),
        *([row] if near.any() else []),
        *stepwise_checks(setting, family, evidence, method, alpha, pairs),
        *_standard_errors(setting, fitted, family, errors, pairs),
        *_replication_errors(setting, fitted, family, errors, pairs),
        *_outcomes(setting, design, family.matrix[family.wanted], pairs),
        *_direct(result, pairs, alpha),
        *_design(setting, design),
        *legal(setting, result.levels),
        *_constant_levels(setting, design, errors),
        *_other_reference(result, family, method, errors, pairs),
        *_skewness(result, family, pairs),
    )


def _design(setting: Setting, design: Design) -> list[Check]:
    """Return the checks of the design."""
    coverage = setting.coverage
    d, empty = len(coverage.datasets), coverage.empty
    first = ", ".join(f"{algorithm} on {dataset}" for dataset, algorithm in empty[:3])
    more = " ..." if len(empty) > 3 else ""
    each = design.by_replications or design.shared
    use = "pairs are compared on the data sets that both have" if design.shared else _USE
    domains, cells = len(set(setting.domains)), coverage.counts.size
    generalisation = (
        Check.of(
            "domains taken as one",
            domains,
            1.0,
            ok=domains <= 1 or design.domains != "pooled",
            sentence=f"The {domains} domains of the data sets are taken as one.",
            remedy='To compare within each and over them, use domains="separate"; to take them'
            ' as a sample of domains, domains="random".',
        ),
        beyond(design.target),
    )
    return [
        *of_table(setting, rates=not design.each),
        number_of_datasets(setting) if design.target == "domain" else replications(setting),
        *(generalisation if d > 1 else ()),
        Check.of(
            "empty cells",
            len(empty),
            sentence=f"{subject(len(empty), 'cell', 'has', of=cells)} no score ({first}{more}).",
            remedy=as_sentence(
                f"{use}, which is fair only if scores are not missing because they are bad"
            ),
        ),
        thin_cells(setting, "each pair" if each else "the model"),
        tolerance(setting.measure),
    ]


def _outcomes(setting: Setting, design: Design, contrasts: Array, pairs: Oriented) -> list[Check]:
    """Return the check on scores of 0 and 1, with the analyses for them."""
    if not right_or_wrong(setting, design):
        return []
    masked = certain(setting, design, contrasts)
    rows = [
        Check.of(
            "scores of 0 and 1 in a model of normal errors",
            setting.coverage.n,
            sentence="Scores of 0 and 1 are compared by a model of normal errors, which is the"
            " wrong tool.",
            remedy="For algorithms on the same items there is the exact test of compare_pair"
            ' (McNemar\'s), and interval="wilson" of describe gives intervals of the rates; over'
            f" several data sets, use {BINOMIAL}.",
        )
    ]
    if masked.any():
        rows.append(
            Check.of(
                "pairs without a verdict, as an algorithm is right or wrong on all items",
                int(masked.sum()),
                sentence=f"{subject(int(masked.sum()), 'pair', 'has')} no verdict, as an"
                f" algorithm is right or wrong on all items ({some_of(pairs, masked)}).",
                remedy="Scores that do not vary leave this model no error to test against:"
                " p-values are 1, and intervals have no bounds. Such pairs are tested by"
                " compare_pair.",
            )
        )
    return rows


def _constant_levels(setting: Setting, design: Design, errors: Errors) -> list[Check]:
    """Return the check on algorithms with the same level on every data set; empty without any."""
    _, constant = errors.of_levels()
    names = [name for name, one in zip(setting.algorithms, constant, strict=True) if one]
    where = "score in every replication" if design.by_replications else "level on every data set"
    row = Check.of(
        f"algorithms with the same {where}",
        len(names),
        sentence=f"{several(names)} {'has' if len(names) == 1 else 'have'} the same {where}, and so"
        " no error of the level.",
        remedy="Their intervals take the model's error, common to all algorithms.",
    )
    return [row] if names else []


def overlap_words(setting: Setting, design: Design) -> str:
    """Return the correction for overlapping resamples as a sentence; empty where there is none."""
    resampling = setting.resampling
    if resampling is None or resampling.overlap == 0:
        return ""
    if design.target == "domain":
        held = "dataset:algorithm" in design.components
        return (
            f" Training sets overlap ({resampling.kind}), so that the scores of an algorithm on a"
            " data set are correlated; the dataset:algorithm variance holds that correlation, and"
            " more replications do not average it out."
            if held
            else ""
        )
    rho = resampling.overlap
    if rho is None:
        return ""
    where = "" if design.one_dataset else " on a data set"
    unit = "that of a score" if design.one_dataset or design.each else "the residual variance"
    return (
        f" As training sets overlap ({resampling.kind}, test fraction {rho:.3g}), the variance of"
        f" each algorithm's mean{where} was raised by {rho / (1 - rho):.3g} times {unit}"
        " (corrected resampled t-test of Nadeau and Bengio)."
    )


def residual_checks(
    residuals: Residuals,
    datasets: Sequence[str],
    algorithms: Sequence[str],
    measure: Measure,
    *,
    robust: bool = False,
    scales: Sequence[str] = (),
) -> list[Check]:
    """Return the checks of residuals; `scales` are other modelling scales that scores permit."""
    growth = ""
    if "log" in scales and measure.sign * residuals.spread.trend > 0.5:
        growth = 'The spread grows with the score: try Measure(scale="log"). '
    return [
        *_residual(residuals.shape, measure.sign, scales),
        *_spreads(residuals.spread, datasets, algorithms, growth, robust=robust),
        *_normal(residuals.effects),
        *_outlying(residuals.effects, datasets, algorithms),
    ]


def _residual(shape: Shape, sign: int, scales: Sequence[str]) -> list[Check]:
    """Check skewness, of scores as they are measured, and tails of the residuals."""
    if not shape.n:
        return []
    skew = sign * shape.skewness
    error = np.sqrt(6 / shape.n)
    # Of few residuals both numbers are large by chance.
    skewed, peaked = max(1.0, 4 * error), max(3.0, 8 * error)
    means = "means over many replications stand this; with few, p-values near the level do not."
    uses = {"log": "times and counts", "logit": "shares"}
    fit = [f"Measure(scale={literal(scale)}) for {uses[scale]}" for scale in scales]
    scale = f"Try another scale, {' or '.join(fit)}; " if fit else ""
    return [
        Check.of(
            "residuals: skewness",
            skew,
            np.copysign(skewed, skew),
            least=skew < 0,
            ok=abs(skew) <= skewed,
            sentence=f"The residuals are skewed to the {'right' if skew > 0 else 'left'} (skewness"
            f" {fixed(skew, 1)}).",
            remedy=as_sentence(scale + means),
        ),
        Check.of(
            "residuals: excess kurtosis",
            shape.kurtosis,
            peaked,
            sentence="Some scores lie far from what the model expects (excess kurtosis of the"
            f" residuals {fixed(shape.kurtosis, 1)}).",
            remedy=f"Look at these: {means}",
        ),
    ]


def _spreads(
    spread: ResidualSpread,
    datasets: Sequence[str],
    algorithms: Sequence[str],
    growth: str,
    *,
    robust: bool,
) -> list[Check]:
    """Check that residual variances are equal."""
    pairwise = (
        "the pairs' own errors do not assume equal ones"
        if robust
        else 'structure="pairwise" does not assume equal ones'
    )
    rows: list[Check] = []
    if np.isfinite(spread.p_algorithm):
        sd = spread.algorithm
        low, high = int(np.argmin(sd)), int(np.argmax(sd))
        ratio = float(sd[high] / max(float(sd[low]), 1e-3 * float(sd[high])))
        rows.append(
            Check.of(
                "residuals: largest / smallest SD of an algorithm",
                ratio,
                2.0,
                ok=ratio <= 2 or spread.p_algorithm > _SURE,
                sentence=f"The scores of {algorithms[high]} vary {ratio:.2g} times as much as those"
                f" of {algorithms[low]}.",
                remedy=f'{growth}To model unequal spreads, use residual="algorithm"; {pairwise}.',
            )
        )
    if np.isfinite(spread.p_dataset):
        known = np.flatnonzero(np.isfinite(spread.dataset))
        high = known[int(np.argmax(spread.dataset[known]))]
        rows.append(
            Check.of(
                "residuals: upper / lower decile of the data sets' SD",
                spread.deciles,
                3.0,
                ok=spread.deciles <= 3 or spread.p_dataset > _SURE,
                sentence="Scores vary more on some data sets than on others, most on"
                f" {datasets[high]}.",
                remedy=f'{growth}To model unequal spreads, use residual="dataset".',
            )
        )
    return rows


_normal_words = {
    "data set effects": (
        "Data sets are not spread normally in difficulty, as where they come in groups",
        "Intervals of levels rest on it, differences between algorithms do not.",
    ),
    "data set x algorithm effects": (
        "How the algorithms differ does not vary normally between data sets",
        "With few data sets intervals and predictions rely on it: see outlying ones, and add more.",
    ),
}


def _normal(effects: RandomEffects) -> list[Check]:
    """Check that predicted effects look normal."""
    shapes = (effects.dataset_shape, effects.interaction_shape)
    return [
        Check.of(
            f"{name}: Shapiro-Francia p-value",
            shape.p_normal,
            _RARE,
            least=True,
            ok=_looks_normal(shape),
            sentence=f"{sentence} (Shapiro-Francia test, {p_clause(shape.p_normal)}).",
            remedy=remedy,
        )
        for (name, (sentence, remedy)), shape in zip(_normal_words.items(), shapes, strict=True)
        if shape.n >= _FEWEST
    ]


def _looks_normal(shape: Shape) -> bool:
    """Return whether a sample looks normal.

    In large ones any departure is significant: only one that shows counts.
    """
    return (abs(shape.skewness) < 0.5 and abs(shape.kurtosis) < 1) or shape.p_normal >= _RARE


def _outlying(
    effects: RandomEffects, datasets: Sequence[str], algorithms: Sequence[str]
) -> list[Check]:
    """Return the checks on outlying data sets and cells."""
    far = np.flatnonzero(effects.p_distance < _RARE)
    far = far[np.argsort(-effects.distance[far])]
    cells = np.argwhere(effects.p_interaction < _RARE)
    cells = cells[np.argsort(-np.abs(effects.interaction[tuple(cells.T)]))]
    better = effects.interaction > 0
    where = [
        f"{algorithms[k]} on {datasets[m]} ({'better' if better[m, k] else 'worse'} than elsewhere)"
        for m, k in cells[:3]
    ]
    more = (" ..." if len(far) > 3 else "", " ..." if len(cells) > 3 else "")
    return [
        Check.of(
            "outlying data sets",
            len(far),
            concerns="verdict",
            sentence=f"On {several([str(datasets[m]) for m in far], _SHOWN)} the algorithms differ"
            " unlike elsewhere.",
            remedy="Look for errors in these scores; influence() says which verdicts change"
            " without them.",
        ),
        Check.of(
            "outlying cells",
            len(cells),
            concerns="verdict",
            sentence=f"{subject(len(cells), 'cell', 'lies')} far from what the other data sets say"
            f" ({'; '.join(where)}{more[1]}).",
            remedy="Look for errors in these scores, such as failed runs.",
        ),
    ]


# What a variance component that is not zero says.
_SIGNS = {
    "replication": "replications differ in difficulty",
    "dataset": "data sets differ in difficulty",
    "dataset:replication": "replications of a data set differ in difficulty",
    "dataset:algorithm": "how the algorithms differ depends on the data set",
    "domain": "domains differ in difficulty",
    "domain:algorithm": "how the algorithms differ depends on the domain",
}


def _fit(
    setting: Setting, fitted: MixedFit, evidence: Evidence, p_error: float
) -> tuple[Check, ...]:
    """Check the variances, the degrees of freedom and the p-values of a fit."""
    design, model = fitted.design, fitted.model
    few = "data sets" if design.target == "domain" else "replications"
    absent = [_readable(name, design, setting) for name in model.singular]
    signs = [_SIGNS.get(name, f"there is variation from {name}") for name in absent]
    df = float(evidence.df.min())
    return (
        Check.informing(
            ABSENT,
            len(model.singular),
            sentence=f"There is no sign that {', nor that '.join(signs)}.",
            remedy="Such a variance is estimated as zero, and the fit stands.",
        ),
        Check.of(
            "degrees of freedom",
            df,
            5.0,
            least=True,
            sentence=f"With {df:.3g} degrees of freedom intervals rely on normality.",
            remedy=f"Add {few}.",
        ),
        Check.of(
            "error of adjusted p-values",
            p_error,
            1e-3,
            concerns="computation",
            sentence=f"Adjusted p-values have errors of up to {p_error:.2g}: those near the level"
            " may fall on either side of it.",
            remedy="Take such a verdict as undecided.",
        ),
    )


def _readable(name: str, design: Design, setting: Setting) -> str:
    """Return the name of a source of variation, with an algorithm or data set for its index.

    Indices occur in names such as ``dataset:algorithm[2]`` and ``residual[0]``.
    """
    source, bracket, index = name.removesuffix("]").partition("[")
    if not bracket:
        if design.structure == "unstructured" and name == "dataset:algorithm":
            return "some combination of algorithms between data sets"
        return design.source(name)
    by_dataset = source == "residual" and design.residual == "dataset"
    owners = setting.coverage.datasets if by_dataset else setting.algorithms
    return f"{source} of {owners[int(index)]}"


def _standard_errors(
    setting: Setting, fitted: MixedFit, family: ContrastFamily, errors: Errors, pairs: Oriented
) -> list[Check]:
    """Compare the standard errors from the spread between data sets with the common one."""
    few = len(setting.coverage.datasets) < 3
    if errors.spread is None or fitted.replications is not None or few:
        return []
    structure = fitted.design.structure
    spread, common = (std_errors(family, e) for e in (errors.spread, errors.common))
    flat = without_spread(spread, errors.spread)
    known = ~flat & (common > 0)
    apart = float(np.abs(np.log(spread[known] / common[known])).max(initial=0.0))
    row = Check.of(
        _OWN,
        np.exp(apart),
        2.0 if structure == "common" else None,
        ok=structure != "common" or apart <= np.log(2.0),
        concerns="verdict",
        sentence=f"{_APART.format('between data sets')} (by a factor of {np.exp(apart):.2g}).",
        remedy='For some pairs it is too small, for others too large: structure="pairwise" gives'
        " each its own.",
    )
    if fitted.datasets is not None:
        flat &= ~fitted.datasets.silent(family.matrix)
    return [row, without_error(flat, pairs)] if structure == "pairwise" else [row]


def _replication_errors(
    setting: Setting, fitted: MixedFit, family: ContrastFamily, errors: Errors, pairs: Oriented
) -> list[Check]:
    """Compare the standard errors of the pairs' own replications with the common one."""
    means, design, n = fitted.replications, fitted.design, len(family.matrix)
    if means is None or not isinstance(errors.spread, Estimates):
        return []
    spread, common = errors.spread.first(n), std_errors(family, errors.common)
    flat = spread.std_error == 0
    ratio = np.where(flat, 1.0, spread.std_error) / np.where(flat, 1.0, common)
    # Of few replications errors differ by chance: F tests, after Bonferroni.
    df, df_common = (np.minimum(each.df[:n], _MANY) for each in (spread, errors.common))
    below = fdtr(df, df_common, ratio**2)
    sure = 2 * n * np.minimum(below, 1 - below) <= _SURE
    apart = np.abs(np.log(ratio))
    row = Check.of(
        _OWN,
        float(np.exp(apart.max())),
        None if design.by_replications else 2.0,
        ok=design.by_replications or not (sure & (apart > np.log(2.0))).any(),
        concerns="verdict",
        sentence=f"{_APART.format('between replications')} (by a factor of"
        f" {np.exp(apart.max()):.2g}).",
        remedy='For some pairs it is too small, for others too large: structure="pairwise" gives'
        " each its own.",
    )
    if not design.by_replications:
        return [row]
    without = Check.of(
        "pairs with the same difference in every replication",
        int(flat.sum()),
        sentence=f"{subject(int(flat.sum()), 'pair', 'has')} the same difference in every"
        f" replication, so that there is no error to test against ({some_of(pairs, flat)}).",
        remedy=f"{SAME} Those that differ are tested by compare_permutation.",
    )
    return [row, without, *_unshared(setting, design, means)]


def _unshared(setting: Setting, design: Design, means: ReplicationMeans) -> list[Check]:
    """Return the check on pairs that share too few replications for a paired test."""
    few = (means.n[:, means.k :] == 0).any(axis=0)
    if "dataset:replication" not in design.components or not few.any():
        return []
    names = [(setting.algorithms[i], setting.algorithms[j]) for i, j in pairs_of(means.k)[few]]
    return [
        Check.informing(
            "pairs compared as independent samples",
            len(names),
            sentence=f"{subject(len(names), 'pair', 'is')} compared by Welch's t-test of"
            f" independent samples, as they share fewer than two replications ({some(names)}).",
            remedy="Replications that both have would make it a paired test.",
        )
    ]


def _direct(result: MixedComparison, pairs: Oriented, alpha: float) -> list[Check]:
    """Return the checks on pairs without shared data sets, and on those that these contradict."""
    if result.fitted.design.shared:
        return [_few_shared(result, pairs)]
    if not result.setting.coverage.empty or result.pairs.averages:
        return []
    direct = direct_evidence(result.fitted, result.pairs.index)
    if direct is None:
        return []
    apart = direct.contradicts(result.evidence, alpha)
    sides = result.pairs.sides
    shown = [
        _gap(result, direct, p, pair, -1.0 if pair != sides[p] else 1.0)
        for p, pair in pairs.items()
        if p < len(apart) and apart[p]
    ]
    more = " ..." if len(shown) > _SHOWN else ""
    none = direct.n == 0
    return [
        Check.of(
            "pairs that share no data set",
            int(none.sum()),
            sentence=f"{subject(int(none.sum()), 'pair', 'shares')} no data set: what is said of"
            f" them rests on other algorithms and the model alone ({some_of(pairs, none)}).",
            remedy="Run both on some data sets to compare them directly.",
        ),
        Check.of(
            "pairs that shared data sets do not support",
            len(shown),
            concerns="verdict",
            sentence=f"{subject(len(shown), 'verdict', 'is')} not that of the data sets that both"
            f" algorithms have ({'; '.join(shown[:_SHOWN])}{more}).",
            remedy="The model adds data sets that only one of the two has; direct() leaves"
            " these out.",
        ),
    ]


def _few_shared(result: MixedComparison, pairs: Oriented) -> Check:
    """Return the check on pairs that share too few data sets for a test."""
    family, means = result._family()[0], result.fitted.datasets
    silent = np.zeros(len(result.pairs), np.bool_)
    if means is not None:
        silent = means.silent(family.matrix[family.wanted])
    return Check.of(
        f"pairs that share fewer than {FEWEST_SHARED} data sets",
        int(silent.sum()),
        sentence=f"{subject(int(silent.sum()), 'pair', 'shares')} fewer than {FEWEST_SHARED} data"
        f" sets, too few for a test ({some_of(pairs, silent)}).",
        remedy="Their p-values are 1, and their intervals have no bounds; estimates of pairs"
        " that share none are differences of levels.",
    )


def _gap(
    result: MixedComparison, direct: DirectEvidence, p: int, pair: tuple[str, str], sign: float
) -> str:
    """Return the model's and the direct estimate of a pair, in words; -1 turns their sign."""
    model, shared = (
        significant(float(result.measure.effect(np.array([sign * estimate[p]]))[0]))
        for estimate in (result.evidence.estimate, direct.estimate)
    )
    of_model = f"{' and '.join(pair)}: {model} by the model"
    if not direct.n[p]:
        return f"{of_model}, through other algorithms alone, as no data set has both"
    return f"{of_model}, {shared} on the {direct.n[p]} data sets that both have"


def _other_reference(
    result: MixedComparison,
    family: ContrastFamily,
    method: str,
    errors: Errors,
    pairs: Oriented,
) -> list[Check]:
    """Return the check on pairs whose verdict differs by the other reference of the closed test."""
    setting, fitted, options = result.setting, result.fitted, result.options
    if method != "rotation" or fitted.residuals is None:
        return []
    effects, shape = fitted.residuals.effects, fitted.residuals.effects.interaction_shape
    far = (effects.p_distance < _RARE).any() or (effects.p_interaction < _RARE).any()
    if not far and (shape.n < _FEWEST or _looks_normal(shape)):
        return []
    other = "rotation" if options.reference == "flips" else "flips"
    # Flips of few data sets can decide no pair.
    m = len(family.matrix)
    share = level_share(1.0, m, level_spent(method, m, options.interval))
    if other == "flips" and 2.0 ** (1 - len(setting.coverage.datasets)) > options.alpha * share:
        return []
    levels, options = result.levels.estimate, replace(options, reference=other)
    e, _ = evidence_of(setting, fitted, options, family, method, levels, errors)
    changed = result.pairs.codes != decide(e.estimate, e.p_value, e.p_equivalence, options.alpha)
    by = {"flips": "sign flips", "rotation": "rotations"}[other]
    row = Check.informing(
        f"pairs that {by} decide otherwise",
        int(changed.sum()),
        sentence=f"The differences do not look normal, and {by} decide"
        f" {count(int(changed.sum()), 'pair')} otherwise ({some_of(pairs, changed)}).",
        remedy="Rotations take them to be normal, sign flips do not: report"
        f' reference="{other}" as well.',
    )
    return [row]


def _skewness(result: MixedComparison, family: ContrastFamily, pairs: Oriented) -> list[Check]:
    """Return the checks on pairs too skew for claims about means, and on the skewness correction.

    The correction refers the t statistic without the effect of skewness to Student's distribution.
    It errs at small levels, and the larger p-value counts: the adjusted one grows with the pair's
    own, up to Bonferroni's, which is what tells where the adjusted one is as small as draws can be.
    """
    fitted, evidence, alpha = result.fitted, result.evidence, result.options.alpha
    contrasts, means = family.matrix[family.wanted], fitted.dataset_means
    if means is None:
        return []
    d = means.differences(contrasts)
    skew = excessive(skewness(d), np.isfinite(d).sum(axis=0))
    side = SIDES[result.alternative]
    t, df = corrected_t(d), np.maximum(np.isfinite(d).sum(axis=0) - 1, 1)
    p_student = stdtr(df, -side * t) if side else 2 * stdtr(df, -np.abs(t))
    larger = np.maximum(p_student / np.maximum(evidence.p_raw, np.finfo(float).tiny), 1.0)
    corrected = np.minimum(evidence.p_value * larger, len(contrasts) * p_student)
    lost = (evidence.p_value <= alpha) & (corrected > alpha)
    return [
        Check.of(
            "pairs whose differences are too skew for claims about means",
            int(skew.sum()),
            concerns="verdict",
            sentence=f"The differences of {count(int(skew.sum()), 'pair')} are too skew for"
            f" claims about means, so that such a pair is undecided ({some_of(pairs, skew)}).",
            remedy="Tests of means take differences as symmetric; typical differences are compared"
            " by compare_permutation.",
        ),
        Check.of(
            "decided pairs that a t-test corrected for skewness leaves undecided",
            int(lost.sum()),
            concerns="verdict",
            sentence="A t-test corrected for skewness leaves"
            f" {count(int(lost.sum()), 'decided pair')} undecided ({some_of(pairs, lost)}).",
            remedy="Such a verdict rests on symmetric differences; typical differences are"
            " compared by compare_permutation.",
        ),
    ]
