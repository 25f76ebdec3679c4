"""The function `compare_wins`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.analyses.wins import diagnostics
from benchinfer.analyses.wins.comparison import WinsComparison, odds_of_level
from benchinfer.analyses.wins.counts import By, Counted, Wins, count_wins, wins_setting
from benchinfer.analyses.wins.fit import FittedWorths, WinLikelihood, WorthErrors, listed
from benchinfer.analyses.wins.numerics.likelihood import (
    quasi_variances,
)
from benchinfer.analyses.wins.numerics.posterior import WinModel, WinPriors
from benchinfer.analyses.wins.numerics.tally import Ties
from benchinfer.analyses.wins.options import Errors, Inference, WinsOptions
from benchinfer.analyses.wins.posterior import posterior_of, sampled
from benchinfer.comparison.adjustment import JOINT, Adjust, Interval, resolve, words
from benchinfer.comparison.comparison import Alternative
from benchinfer.comparison.contrasts import Contrasts
from benchinfer.comparison.evidence import Evidence, Level, Scores, decide
from benchinfer.comparison.normal import evidence_of
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.comparison.posterior import codes_of, level_of
from benchinfer.core.arguments import ArgumentError, checked, seed_of
from benchinfer.core.errors import DesignError
from benchinfer.core.progress import Progress, reporting
from benchinfer.numerics import max_t
from benchinfer.numerics.covariance import Adjusted, all_pairs
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    from benchinfer.comparison.comparison import Target


def by_likelihood(counted: Counted, options: WinsOptions) -> WinsComparison:
    """Compare by maximum likelihood."""
    setting, alpha = wins_setting(counted, options.rope), options.alpha
    fitted = FittedWorths.of(counted, options)
    fit, kind, errors = fitted.fit, fitted.kind, fitted.errors
    family = options.family(setting.algorithms, fit.log_worth)
    adjust = _adjustment(options, robust=kind == "robust")
    df, least = errors.of(family.matrix)
    adjusted = Adjusted(errors.cov, df)
    evidence, _ = evidence_of(
        family, fit.log_worth, adjusted, adjust, alpha, setting.measure.margin,
        options.alternative, least=least, interval=options.interval,
    )  # fmt: skip
    low, high = _open_bounds(evidence.low, evidence.high, counted.tally.most_odds)
    least_of_pairs = errors.of(all_pairs(len(setting.algorithms))[1])[1]
    codes = decide(evidence.estimate, evidence.p_value, evidence.p_equivalence, alpha)
    levels = _levels(errors, alpha, counted.tally.most_odds)
    result = WinsComparison(
        setting=setting,
        pairs=ComparedPairs.of(family, setting, codes, levels, directed=options.directed),
        level=options.level,
        target=_target(counted),
        levels=levels,
        stored_checks=(),
        provenance=options.provenance(
            setting.digest,
            words(adjust, family, directed=options.directed, interval=options.interval, joint=True),
        ),
        evidence=replace(evidence, low=low, high=high),
        counted=counted,
        quasi=quasi_variances(errors.cov, least_of_pairs),
        errors=kind,
        inference=WinLikelihood(fit),
    )
    rows = diagnostics.checks(result, fitted, family, adjust, adjusted, least)
    return replace(result, stored_checks=rows)


def _adjustment(options: WinsOptions, *, robust: bool) -> str:
    """Return the adjustment for many pairs.

    Of D data sets robust errors have a covariance of rank D - 1 at most, whose largest statistic
    over all pairs does not follow the distribution of single-step tests.
    """
    adjust = options.adjust
    if robust and adjust in JOINT:
        raise ArgumentError(
            f"{adjust=} needs the covariance of all pairs, which robust errors do not estimate"
            " well enough.",
            hint='adjust="holm" goes with robust errors.',
        )
    return resolve(adjust, options.contrasts, options.alternative, common=not robust)


def _target(counted: Counted) -> Target:
    """Return the target of the claims: the domain, or the data set if there is only one."""
    several = counted.by == "published" or len(counted.scored.coverage.datasets) > 1
    return "domain" if several else "datasets"


def _open_bounds(low: Array, high: Array, most: float) -> tuple[Array, Array]:
    """Return the bounds of log odds, infinite beyond the largest odds that counts can support."""
    reach = np.log(most)
    return np.where(low < -reach, -np.inf, low), np.where(high > reach, np.inf, high)


def _levels(errors: WorthErrors, alpha: float, most: float) -> Level:
    """Return log odds, each with an interval of its own, against the average one or the other."""
    worth = errors.fit.log_worth
    k = len(worth)
    df, least = errors.of(np.eye(k) - 1 / k)
    error = np.maximum(np.sqrt(np.maximum(errors.cov.diagonal(), 0.0)), least)
    odds = odds_of_level(k)
    worth, reach = odds * worth, odds * max_t.critical_t(df, alpha) * error
    return Level(worth, *_open_bounds(worth - reach, worth + reach, most))


def by_posterior(
    counted: Counted, options: WinsOptions, progress: Progress | None
) -> WinsComparison:
    """Compare by a posterior."""
    setting, level = wins_setting(counted, options.rope), options.level
    tally = counted.tally.with_ties(options.ties)
    departures = options.departures
    model = WinModel(
        tally if departures else tally.total, options.priors or WinPriors(), departures
    )
    rng = np.random.default_rng(options.seed)
    sampling = sampled(model, (options.chains, options.draws), rng, progress)
    effects = sampling[0].log_worth
    levels = level_of(odds_of_level(effects.shape[2]) * effects, level)
    family = options.family(setting.algorithms, levels.estimate)
    matrix = family.matrix[family.wanted]
    posterior = posterior_of(sampling, matrix, setting.measure.margin, level)
    outcomes, none = posterior.outcomes, np.full(len(matrix), np.nan)
    words = (
        f"Probabilities of {family.words} are those of one joint model, which draws the worths"
        " towards each other; none is adjusted for the number of pairs"
    )
    codes = codes_of(outcomes, level, settled=posterior.convergence.settled)
    result = WinsComparison(
        setting=setting,
        pairs=ComparedPairs.of(family, setting, codes, levels),
        level=level,
        target=_target(counted),
        levels=levels,
        stored_checks=(),
        provenance=options.provenance(setting.digest, words, options.seed),
        # Credible bounds; there are no tests.
        evidence=Evidence(
            estimate=outcomes.estimate,
            std_error=(effects @ matrix.T).std(axis=(0, 1)),
            df=np.full(len(matrix), np.inf),
            statistic=none,
            p_value=none,
            p_raw=none,
            p_equivalence=none,
            low=outcomes.low,
            high=outcomes.high,
        ),
        counted=counted,
        quasi=quasi_variances(np.cov(effects.reshape(-1, effects.shape[2]), rowvar=False)),
        errors="posterior",
        inference=posterior,
    )
    return replace(result, stored_checks=diagnostics.posterior_checks(result, posterior))


# Pairs of all data sets with departures; of so many chains take a minute or two of a core.
_MOST_PAIRS = 10_000


@checked
def compare_wins(
    scores: Scores | Wins,
    measure: str | None = None,
    *,
    inference: Inference = "likelihood",
    by: By = "datasets",
    ties: Ties = "davidson",
    tie_tolerance: float | None = None,
    local_rope: float | None = None,
    rope: float = 0.05,
    errors: Errors = "auto",
    penalised: bool = False,
    departures: bool = False,
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "auto",
    interval: Interval = "compatible",
    level: float = 0.95,
    missing: Literal["use", "error"] = "use",
    draws: int = 1000,
    chains: int = 8,
    priors: WinPriors | None = None,
    seed: int | None = 1,
    progress: Progress | bool | None = None,
) -> WinsComparison:
    """Compare algorithms by how often they win against each other, by whatever margin.

    Algorithm i wins against j with the odds of their worths. A win is a better mean on a data set;
    how much better does not count. Use it where sizes of differences cannot be compared between
    data sets, or where only a win table is published; else models of the scores say more.

    Parameters
    ----------
    scores
        A score table, or published counts from `read_wins`.
    measure
        Name of the measure; may be omitted where there is one.
    inference
        Maximum likelihood with tests and simultaneous intervals (``"likelihood"``), or posterior
        probabilities that one wins more often (``"bayes"``, Wainer 2023).
    by
        Unit of a contest: ``"datasets"`` (by means), or ``"replications"`` that algorithms share.

        Those of a data set depend on each other, which robust errors or `departures` allow for.
    ties
        Ties: a parameter of their own (``"davidson"``), ``"half"`` a win for each side, or left out
        (``"drop"``).
    tie_tolerance
        Differences of at most this are ties, in the unit of the measure; by default its tolerance.

        Equal but for rounding is a tie in any case.
    local_rope
        Differences of means of at most so many standard deviations on the data set are ties, too.

        Of the differences where replications are shared. Wainer takes 0.4.
    rope
        Probabilities of winning within this of 1/2 are equivalent; 0 for none.
    errors
        Errors of the likelihood: from the spread of the data sets (``"robust"``), or as if no
        contest depended on another (``"independent"``). ``"auto"``: robust from five data sets on.

        Two to four data sets are refused. Counts of published tables and of few replications of one
        data set are taken as independent.
    penalised
        Use Firth's penalty, also where no algorithm always wins. Not with Davidson's
        ties.

        Under it worths are finite. Where they, or the parameter of ties, are so by it alone it is
        used in any case, and ties with a parameter count as half a win for each side.
    departures
        Of a posterior: give each data set worths of its own, so that its contests depend on each
        other. Ties are halved or dropped then.

        They are normal about the common ones.
    contrasts, control
        As in `compare_mixed`.
    alternative
        As in `compare_mixed`, for the likelihood.
    adjust
        Adjustment for many contrasts: ``"single-step"``, ``"westfall"``, ``"shaffer"``, ``"holm"``
        or ``"none"``. ``"auto"`` is Holm's.
    interval
        As in `compare_mixed`.
    level
        Confidence level of the family of contrasts, or the probability that a verdict takes.
    missing
        As in `compare_mixed`.

        A pair is counted where both have scores.
    draws
        Of a posterior: draws of each chain after warming up, an even number.
    chains
        Of a posterior: number of chains.
    priors
        Of a posterior: priors other than the default ones.

        See `WinPriors`.
    seed
        As in `compare_bootstrap`.
    progress
        As in `compare_bayes`.

    Returns
    -------
    WinsComparison
        With worths, their quasi-standard errors, the win table and what the model says of it.

    Raises
    ------
    DesignError
        The counts cannot answer the question: one data set, algorithms that never met, only ties.

    Notes
    -----
    A preference by wins is about how often, and says nothing of sizes: who wins on most data sets
    may be worse on average over them.

    References
    ----------
    Wainer, J. (2023). A Bayesian Bradley-Terry model to compare multiple ML algorithms on multiple
    data sets. Journal of Machine Learning Research 24(341), 1-34.

    Bradley & Terry (1952), https://doi.org/10.1093/biomet/39.3-4.324; Davidson (1970),
    https://doi.org/10.1080/01621459.1970.10481082.

    Examples
    --------
    >>> import benchinfer as bi
    >>> found = compare_wins(bi.load_example("demsar2006"))
    >>> columns = ["first", "second", "wins", "ties", "losses", "prob_win"]
    >>> found.contrasts(all=True)[columns].head(2).round(2)
      first   second  wins  ties  losses  prob_win
    0  C4.5  C4.5+cf   4.0   6.0     4.0      0.39
    1  C4.5   C4.5+m   0.0   8.0     6.0      0.12
    """
    options = WinsOptions.from_call(
        locals(),
        priors=priors or (WinPriors() if inference == "bayes" else None),
        seed=seed_of(seed),
    )
    counted = count_wins(scores, options)
    _check_counts(counted, options)
    options = replace(
        options,
        measure=counted.scored.measure.name,
        tie_tolerance=counted.tie,
        local_rope=counted.local,
    )
    if not options.bayes:
        return by_likelihood(counted, options)
    with reporting(progress=progress, doing="Sampling:") as callback:
        return by_posterior(counted, options, callback)


def _check_counts(counted: Counted, options: WinsOptions) -> None:
    """Raise a DesignError where the requested model cannot be fitted to the counts."""
    tally, departures = counted.tally, options.departures
    if departures and (counted.by == "published" or len(tally.wins) < 2):
        raise DesignError(
            "departures of data sets show where the contests of several are known.",
            hint="departures=False goes with published counts, and with one data set.",
        )
    if departures and tally.n.size > _MOST_PAIRS:
        d, k = len(tally.wins), tally.n_algorithms
        raise DesignError(
            f"worths of each of {d:,} data sets are too many to sample: with {k} algorithms"
            f" {tally.n.size:,} pairs, and {_MOST_PAIRS:,} take a minute or two of a core.",
            hint='inference="likelihood" allows for the dependence at any'
            " size, by robust errors; or compare fewer algorithms:"
            " scores.subset(algorithms=[...]).",
        )
    if departures and options.ties == "davidson" and tally.ties.sum():
        raise DesignError(
            f"{tally.ties.sum():g} contests are ties: with departures, the odds of winning on"
            " average over data sets are not known where ties have a parameter.",
            hint='ties="half" or ties="drop" goes with departures=True.',
        )
    if counted.by == "datasets" and len(tally.wins) == 1:
        raise DesignError(
            "one data set is a single contest of each pair.",
            hint='by="replications" counts the replications that algorithms share.'
            if counted.scored.paired
            else "scores on more data sets, or replications that algorithms share;"
            " compare_points describes such a table.",
        )
    _check_meetings(counted)


def _check_meetings(counted: Counted) -> None:
    """Raise a DesignError where contests do not connect all algorithms, or all of them are ties."""
    tally, names = counted.tally, counted.scored.algorithms
    if not tally.n.sum():
        raise DesignError(
            "no pair of algorithms met.",
            hint="a contest needs scores of both algorithms on one data set.",
        )
    parts = tally.parts()
    if len(parts) > 1:
        raise DesignError(
            f"the algorithms are in {len(parts)} parts that never met.",
            where=[("part", "algorithms"), *listed(parts, names)],
            hint="compare each part by itself, with scores.subset(algorithms=[...]).",
        )
    if not (tally.wins.sum() or tally.losses.sum()):
        raise DesignError(
            f"all {tally.n.sum():g} contests are ties: {counted.ties}.",
            hint="a smaller tie_tolerance=... tells more apart; compare_mixed with a tolerance can"
            " show that algorithms are equivalent.",
        )
