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
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.analyses.bayes.numerics.priors import PseudoObservation
from benchinfer.analyses.bayes.options import BayesPairsOptions, PairQuantity, PairTest
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
from benchinfer.comparison.contrasts import Contrasts
from benchinfer.comparison.evidence import Level, Scores, Setting, mean_ranks
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.comparison.posterior import codes_of
from benchinfer.core.arguments import checked, seed_of
from benchinfer.core.errors import DesignError
from benchinfer.core.progress import Progress, reporting
from benchinfer.numerics.posterior import nuts
from benchinfer.numerics.shifts import hodges_lehmann
from benchinfer.numerics.types import Array, Codes

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable


SIGNED_RANK_DRAWS = 50_000
_STRENGTH = {"sign": 1.0, "signed-rank": 0.5}


@checked
def compare_bayes_pairs(
    scores: Scores,
    measure: str | None = None,
    *,
    test: PairTest = "signed-rank",
    quantity: PairQuantity | None = None,
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
    draws: int | None = None,
    chains: int | None = None,
    priors: PseudoObservation | None = None,
    seed: int | None = 1,
    progress: Progress | bool | None = None,
) -> BayesPairsComparison:
    """Compare algorithms by a published Bayesian test of each pair by itself.

    As in the papers each pair has a test of its own, so that there are no ranks and no levels that
    pairs share; `compare_bayes` has one model of all algorithms.

    Parameters
    ----------
    scores
        The table, of at least two data sets; cells may be missing.
    measure
        Name of the measure; may be omitted where there is one.
    test
        The test: ``"signed-rank"`` or ``"sign"``, a Dirichlet process on the data sets' mean
        differences, or ``"corani2017"``, the hierarchical model of replicated differences.

        The hierarchical model has its published priors, and needs replications that algorithms
        share.
    quantity
        Quantity of the verdicts: the ``"next"`` data set (the default), the ``"dominant"``, most
        probable outcome, as papers decide, or of ``"corani2017"`` the ``"average"``.

        All are in the result; see `BayesPairsComparison.of`.
    contrasts, control
        As in `compare_mixed`; contrasts of two algorithms each.
    level
        Probability that a verdict takes, and of the credible intervals.
    missing
        Cells that lack scores: ``"use"`` the scores that are there, or ``"error"``.
    draws
        Independent draws of ``"signed-rank"``, 50,000 by default; of ``"corani2017"`` those of each
        chain after warming up, an even number, 1,000 by default. ``"sign"`` has none.
    chains
        Number of chains of ``"corani2017"``, 4 by default.
    priors
        Prior of ``"signed-rank"`` and ``"sign"``: the ``strength`` and the ``place`` of a
        pseudo-observation.

        `PseudoObservation` holds them.
    seed
        As in `compare_bootstrap`.

        The same seed gives the same numbers to the last bit.
    progress
        As in `compare_bayes`.

    Returns
    -------
    BayesPairsComparison
        With probabilities of the pairs' outcomes, and of which one is the most probable.

    Raises
    ------
    DesignError
        The table cannot answer the question: pairs share fewer than two data sets, or replications
        are not shared; or arguments do not go with the test.

    Notes
    -----
    Each of the three outcomes needs `level`, as in the papers: a pair can be decided though its
    interval includes 0.

    References
    ----------
    Benavoli, A., Corani, G., Demsar, J. & Zaffalon, M. (2017). Time for a change: a tutorial for
    comparing multiple classifiers through Bayesian analysis. Journal of Machine Learning Research
    18(77), 1-36.

    Corani et al. (2017), https://doi.org/10.1007/s10994-017-5641-9

    Examples
    --------
    >>> import benchinfer as bi
    >>> demsar = bi.load_example("demsar2006").subset(algorithms=["C4.5", "C4.5+m"])
    >>> found = compare_bayes_pairs(demsar, test="sign")
    >>> rows = found.contrasts(all=True)[["prob_equivalent", "prob_second"]]
    >>> rows.to_numpy().round(1).tolist()
    [[0.6, 0.4]]
    """
    if test == "corani2017":
        nuts.library()
    options = BayesPairsOptions.from_call(locals(), seed=seed_of(seed))
    options.check_size()
    setting, scores = Setting.of(scores, options.measure)
    options.check_family(setting.algorithms)
    _refuse(options, setting)
    validation.check_missing(setting, options.missing)
    completed = _completed(options, setting)
    cells = scores.cells(setting.measure.name).mean
    means = _levels(cells)
    family = completed.family(setting.algorithms, means)
    pairs = family.pairs[family.wanted]
    if family.sides:
        raise DesignError(
            f"{NAMES[test]} compares two algorithms, not averages of several.",
            hint='contrasts="tukey", "dunnett" or "sequential"; or compare_bayes',
        )
    data = _test_data(test, scores, setting, pairs)
    with reporting(progress=progress, doing="Sampling:") as callback:
        fitted = _fit(data, setting, completed, callback)
    codes = codes_of(fitted.following, completed.level, published=True)
    medians, typical = np.nanmedian(cells, axis=0), _typical(test, data, fitted)
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
        test=test,
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


def _fit(
    data: Differences,
    setting: Setting,
    options: BayesPairsOptions,
    progress: Progress | None,
) -> PairwiseFit:
    """Return the posterior of each pair by the test."""
    rng = np.random.default_rng(options.seed)
    if options.test == "corani2017":
        return hierarchical(data, setting, options.size, options.level, rng, progress)
    return by_dirichlet(data, setting, options, rng, progress)


def _refuse(options: BayesPairsOptions, setting: Setting) -> None:
    """Raise a DesignError that lists all arguments that do not go with the test."""
    test, rows = options.test, list[tuple[str, str]]()
    by_model = test == "corani2017"
    if by_model and options.priors is not None:
        rows.append(("priors=PseudoObservation(...)", "its priors are those of the paper"))
    if not by_model and options.chains is not None:
        rows.append((f"chains={options.chains!r}", "its draws are independent"))
    if test == "sign" and options.draws is not None:
        rows.append((f"draws={options.draws!r}", "its probabilities are exact"))
    if not by_model and options.quantity == "average":
        rows.append(("quantity='average'", 'it has none: "next" or "dominant"'))
    if by_model and not setting.paired:
        rows.append(("paired=False (of the table)", "it needs replications that algorithms share"))
    if rows:
        what = "argument does" if len(rows) == 1 else "arguments do"
        raise DesignError(
            f"{len(rows)} {what} not go with {test=}.",
            where=[("given", "why not"), *rows],
            hint="leave them out; compare_bayes, one model of all algorithms, has priors and chains"
            " of its own.",
            shown=len(rows),
        )


def _completed(options: BayesPairsOptions, setting: Setting) -> BayesPairsOptions:
    """Return the arguments with the defaults of the test in place of None."""
    test, prior = options.test, None
    draws = {"corani2017": 1000, "signed-rank": SIGNED_RANK_DRAWS, "sign": 0}[test]
    chains = 4 if test == "corani2017" else 1
    if test != "corani2017":
        prior = options.priors or PseudoObservation()
        prior = replace(prior, strength=prior.strength or _STRENGTH[test])
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


def _typical(test: str, data: Differences, fitted: PairwiseFit) -> Array:
    """Return (P,) differences on a typical data set, the estimand of each test.

    The sign test weighs single differences against 0, and so their median; the signed-rank test
    means of two of them, and so the median of these; the hierarchical model has delta_0.
    """
    if test == "corani2017":
        return fitted.following.estimate
    centre = np.median if test == "sign" else lambda d: hodges_lehmann(d).estimate
    return np.array([centre(mean[n > 0]) for n, mean in zip(data.n, data.mean, strict=True)])


def _test_data(test: str, scores: ScoreTable, setting: Setting, pairs: Codes) -> Differences:
    """Return the differences for a test; raise a DesignError where they do not suffice."""
    data = differences(scores, setting, pairs)
    if test != "corani2017":
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
    hint = 'test="signed-rank" needs no replications; scores.subset(algorithms=...) narrows.'
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
