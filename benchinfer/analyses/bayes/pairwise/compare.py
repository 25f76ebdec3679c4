"""Published Bayesian tests of two algorithms (Corani et al. 2017; Benavoli et al. 2017).

References
----------
Corani, G., Benavoli, A., Demsar, J., Mangili, F. & Zaffalon, M. (2017). Statistical comparison of
classifiers through Bayesian hierarchical modelling. Machine Learning 106, 1817-1837.
https://doi.org/10.1007/s10994-017-5641-9

Benavoli, A., Corani, G., Demsar, J. & Zaffalon, M. (2017). Time for a change: a tutorial for
comparing multiple classifiers through Bayesian analysis. Journal of Machine Learning Research
18(77), 1-36.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.bayes.numerics.priors import PseudoObservation
from benchinfer.analyses.bayes.options import BayesOptions, Preset
from benchinfer.analyses.bayes.pairwise.comparison import NAMES, BayesPairsComparison
from benchinfer.analyses.bayes.pairwise.fit import (
    Differences,
    PairwiseFit,
    by_dirichlet,
    differences,
    hierarchical,
    require_datasets,
)
from benchinfer.comparison.checks import validation
from benchinfer.comparison.evidence import Level, Scores, Setting, mean_ranks
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.comparison.posterior import codes_of
from benchinfer.core.errors import DesignError
from benchinfer.core.progress import reporting
from benchinfer.numerics.posterior import nuts
from benchinfer.numerics.shifts import hodges_lehmann
from benchinfer.numerics.types import Array, Codes

if TYPE_CHECKING:
    from benchinfer.core.progress import Progress
    from benchinfer.scores.table import ScoreTable


SIGNED_RANK_DRAWS = 50_000
_STRENGTH = {"sign": 1.0, "signed-rank": 0.5}
# What the tests fix, with the values that say the same.
_FIXED: dict[str, tuple[tuple[object, ...], str]] = {
    "interactions": (("t",), "the test has its own distribution of differences"),
    "structure": (("auto",), "each pair has a model of its own"),
    "domains": (("pooled",), "the test takes data sets as alike"),
    "covariates": (((),), "the test takes data sets as alike"),
    "likelihood": (("normal",), "the test has its own distribution of differences"),
    "trials": ((None,), 'it goes with likelihood="binomial"'),
    "sensitivity": (("none",), "its assumptions are those of the paper"),
    "target": (("auto", "domain"), "the test is about the domain"),
}


def compare_preset(
    scores: Scores,
    preset: Preset,
    options: BayesOptions,
    *,
    progress: Progress | bool | None,
) -> BayesPairsComparison:
    """Compare each pair of algorithms by a published Bayesian test."""
    if preset == "corani2017":
        nuts.library()
    setting, scores = Setting.of(scores, options.measure)
    options.check_family(setting.algorithms)
    _refuse(preset, options, setting)
    validation.check_missing(setting, options.missing)
    completed = _completed(preset, options, setting)
    cells = scores.cells(setting.measure.name).mean
    means = _levels(cells)
    family = completed.family(setting.algorithms, means)
    pairs = family.pairs[family.wanted]
    if family.sides:
        raise DesignError(
            f"{NAMES[preset]} compares two algorithms, not averages of several.",
            hint='contrasts="tukey", "dunnett" or "sequential"; or leave out preset=...',
        )
    data = _test_data(preset, scores, setting, pairs)
    rng = np.random.default_rng(completed.seed)
    with reporting(progress=progress, doing="Sampling:") as callback:
        if preset == "corani2017":
            size, level = completed.size, completed.level
            fitted = hierarchical(data, setting, size, level, rng, callback)
        else:
            fitted = by_dirichlet(data, setting, completed, preset, rng, callback)
    codes = codes_of(fitted.following, completed.level, published=True)
    medians, typical = np.nanmedian(cells, axis=0), _typical(preset, data, fitted)
    levels = Level.of_pairs(
        Level.of_medians(medians, means),
        pairs,
        typical,
        codes,
        mean_ranks(cells),
        units=setting.one_unit,
    )
    result = BayesPairsComparison(
        setting=setting,
        pairs=ComparedPairs.of(family, setting, codes, levels),
        level=completed.level,
        target="domain",
        levels=levels,
        stored_checks=(),
        provenance=completed.provenance(
            setting.digest,
            f"Probabilities of {family.words} are each those of a model of its own; none is"
            " adjusted for the number of pairs",
            completed.seed,
        ),
        preset=preset,
        quantity="next",
        following=fitted.following,
        votes=fitted.votes,
        average=fitted.average,
        differences=data,
        convergence=fitted.convergence,
        settled=fitted.settled,
        extended=fitted.extended,
        draws=fitted.draws,
    )
    return result.of(completed.quantity or "next")


def _refuse(preset: str, options: BayesOptions, setting: Setting) -> None:
    """Raise a DesignError that lists all options that do not go with the preset."""
    rows: list[tuple[object, ...]] = [
        (f"{name}={getattr(options, name)!r}", why)
        for name, (same, why) in _FIXED.items()
        if getattr(options, name) not in same
    ]
    priors, by_model = options.priors, preset == "corani2017"
    if priors is not None and (by_model or not isinstance(priors, PseudoObservation)):
        why = "its prior is a PseudoObservation"
        if by_model:
            why = "its priors are those of the paper"
        rows.append((f"priors={type(priors).__name__}(...)", why))
    if not by_model and options.chains is not None:
        rows.append((f"chains={options.chains!r}", "its draws are independent"))
    if preset == "sign" and options.draws is not None:
        rows.append((f"draws={options.draws!r}", "its probabilities are exact"))
    if not by_model and options.quantity == "average":
        rows.append(("quantity='average'", 'it has none: "next" or "dominant"'))
    if by_model and not setting.paired:
        rows.append(("paired=False (of the table)", "it needs replications that algorithms share"))
    if rows:
        what = "argument does" if len(rows) == 1 else "arguments do"
        raise DesignError(
            f"{len(rows)} {what} not go with {preset=}.",
            where=[("given", "why not"), *rows],
            hint="leave them out; without preset=... one model of all algorithms takes them.",
            shown=len(rows),
        )


def _completed(preset: Preset, options: BayesOptions, setting: Setting) -> BayesOptions:
    """Return the arguments with the defaults of the preset in place of None."""
    draws = {"corani2017": 1000, "signed-rank": SIGNED_RANK_DRAWS, "sign": 0}[preset]
    chains, prior = 4 if preset == "corani2017" else 1, options.priors
    if preset != "corani2017":
        prior = options.pseudo
        prior = replace(prior, strength=prior.strength or _STRENGTH[preset])
    return replace(
        options,
        measure=setting.measure.name,
        quantity=options.quantity or "next",
        draws=draws if options.draws is None else options.draws,
        chains=chains if options.chains is None else options.chains,
        priors=prior,
    )


def _levels(means: Array) -> Array:
    """Return (K,) levels of (D, K) cell means, adjusted for missing cells.

    The effects of a least-squares fit of data sets and algorithms; plain means where no cell is
    missing.
    """
    there = np.isfinite(means)
    if there.all():
        return means.mean(axis=0)
    d, k = means.shape
    row, column = np.nonzero(there)
    design = np.hstack([np.eye(d)[row], np.eye(k)[column]])
    effects = np.linalg.lstsq(design, means[there], rcond=None)[0]
    return effects[d:] + effects[:d].mean()


def _typical(preset: str, data: Differences, fitted: PairwiseFit) -> Array:
    """Return (P,) differences on a typical data set, the estimand of each test.

    The sign test weighs single differences against 0, and so their median; the signed-rank test
    means of two of them, and so the median of these; the hierarchical model has delta_0.
    """
    if preset == "corani2017":
        return fitted.following.estimate
    centre = np.median if preset == "sign" else lambda d: hodges_lehmann(d).estimate
    return np.array([centre(mean[n > 0]) for n, mean in zip(data.n, data.mean, strict=True)])


def _test_data(preset: str, scores: ScoreTable, setting: Setting, pairs: Codes) -> Differences:
    """Return the differences for a test; raise a DesignError where they do not suffice."""
    data = differences(scores, setting, pairs)
    if preset != "corani2017":
        hint = "compare algorithms that share data sets: scores.subset(algorithms=...)."
        require_datasets(data, setting, pairs, "scores of both", hint)
        return data
    enough = data.n >= 2
    data = replace(
        data,
        n=np.where(enough, data.n, 0),
        mean=np.where(enough, data.mean, 0.0),
        square=np.where(enough, data.square, 0.0),
        constant=data.constant & enough,
    )
    hint = 'preset="signed-rank" needs no replications; scores.subset(algorithms=...) narrows.'
    require_datasets(data, setting, pairs, "two replications of both", hint)
    margin = setting.measure.margin
    if data.constant.any() and margin == 0:
        where = np.argwhere(data.constant)
        names, sets = setting.algorithms, setting.coverage.datasets
        rows = [(names[pairs[p, 0]], names[pairs[p, 1]], sets[m]) for p, m in where]
        raise DesignError(
            f"in {len(rows):,} of {int((data.n > 0).sum()):,} cases differences of a pair repeat"
            " exactly, for which the published model has no posterior.",
            where=[("first", "second", "dataset"), *rows],
            hint="as in the paper they are given noise within the tolerance: set"
            " Measure(tolerance=...).",
        )
    # The authors add uniform random numbers within the margin; this is their expected square.
    added = np.where(data.constant, data.n * margin**2 / 3, data.square)
    return replace(data, square=added)
