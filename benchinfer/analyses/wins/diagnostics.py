"""Diagnostics for win comparisons."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.wins.comparison import WinsComparison
from benchinfer.analyses.wins.fit import FEWEST
from benchinfer.analyses.wins.numerics.likelihood import fit_wins, goodness_of_fit
from benchinfer.analyses.wins.numerics.robust import robust_errors
from benchinfer.comparison.checks import decisions, tables
from benchinfer.comparison.contrasts import some_of
from benchinfer.comparison.normal import std_errors, without_spread
from benchinfer.core.errors import FitError
from benchinfer.core.numbers import amount, count, p_clause, percent, several, subject
from benchinfer.core.sections import Check
from benchinfer.scores.checks.kinds import BINOMIAL

if TYPE_CHECKING:
    from benchinfer.analyses.wins.counts import Counted
    from benchinfer.analyses.wins.fit import FittedWorths
    from benchinfer.analyses.wins.numerics.likelihood import QuasiVariances, WinFit
    from benchinfer.analyses.wins.numerics.robust import RobustErrors
    from benchinfer.analyses.wins.numerics.tally import Tally
    from benchinfer.analyses.wins.posterior import WinPosterior
    from benchinfer.comparison.contrasts import ContrastFamily, Oriented
    from benchinfer.numerics.covariance import Adjusted
    from benchinfer.numerics.types import Array


_TOO_SMALL, _FEW, _MISFIT, _QUASI, _ROUNDING = 1.2, 5, 0.05, 0.1, 1e-6


def checks(
    result: WinsComparison,
    fitted: FittedWorths,
    family: ContrastFamily,
    adjust: str,
    errors: Adjusted,  # covariance of the log worths, degrees of freedom of the contrasts
    least: Array,  # (P,) least errors of the contrasts
) -> tuple[Check, ...]:
    """Return the diagnostics of a comparison by maximum likelihood."""
    names = result.algorithms
    pairs = result.pairs.oriented(family.named_sides(names))
    advice = 'errors="robust" allows for it'
    return (
        *_counts(result),
        *_dependence(fitted.spread, result.counted, result.errors, advice),
        *decisions.stepwise_checks(
            result.setting, family, result.evidence, adjust, result._alpha, pairs
        ),
        *(_of_spread(family, errors, least, pairs) if result.errors == "robust" else []),
        *_goodness(fitted.tally, fitted.fit),
        *_quasi(result.quasi, names),
        *(_penalty(result, fitted) if result.penalised else []),
    )


def posterior_checks(result: WinsComparison, posterior: WinPosterior) -> tuple[Check, ...]:
    """Return the diagnostics of a posterior, with those of the likelihood if it can be fitted."""
    counted, tally = result.counted, result.counted.tally.with_ties(result.options.ties)
    fit, spread = None, None
    if len(tally.groups()) == 1 and not tally.boundless():
        with suppress(FitError):
            fit = fit_wins(tally)
    if fit is not None and counted.clustered and tally.clusters > 1:
        spread = robust_errors(tally, fit)
    errors = "departures" if result.departures else "independent"
    advice = "departures=True allows for much of it"
    return (
        *_chains(posterior, departures=result.departures),
        *_counts(result),
        *_dependence(spread, counted, errors, advice),
        *_goodness(tally, fit),
    )


def _counts(result: WinsComparison) -> list[Check]:
    """Return the checks on the counts."""
    counted, target, rope = result.counted, result.target, result.options.rope
    tally, setting = counted.tally, counted.scored
    n = tally.total.n[0]
    share = float(tally.ties.sum() / max(n.sum(), 1.0))
    rows = [
        Check.of(
            "pairs that never met",
            int((n == 0).sum()),
            sentence=f"{subject(int((n == 0).sum()), 'pair', 'has', of=len(n))} never met: what"
            " is said of them rests on other algorithms and the model alone.",
            remedy="Contests between the two would compare them directly.",
        ),
        Check.of(
            "fewest contests of a pair that met",
            float(n[n > 0].min()),
            _FEW,
            least=True,
            sentence=f"Some pairs met only {amount(float(n[n > 0].min()))} times.",
            remedy="So few contests say little of who wins.",
        ),
        Check.of(
            "share of ties",
            share,
            0.5,
            sentence=f"{percent(share)} of the contests are ties, so that few decide.",
            remedy="Look at the tie tolerance, and at the sizes of the differences"
            " (compare_mixed).",
        ),
        Check.of(
            "region of equivalence about 1/2",
            rope,
            None,
            ok=rope > 0,
            sentence="No region of equivalence is set, so that no pair can be called equivalent.",
            remedy="For that, set one, such as rope=0.05.",
        ),
    ]
    if not counted.clustered:
        return rows
    one = len(setting.coverage.datasets) == 1
    rates = Check.of(
        tables.RATES,
        setting.coverage.n,
        sentence="Scores of 0 and 1 are compared by the rates of the data sets: one that is"
        " higher by one item wins like one that is far higher.",
        remedy=f"A model of right and wrong items is {BINOMIAL}.",
    )
    domain = target == "domain"
    return [
        *rows,
        *tables.of_table(setting, means=False, rates=one, ranks=True),
        *([rates] if setting.zero_one and not one else []),
        *([tables.number_of_datasets(setting)] if domain else []),
        *tables.tied(counted.rounded),
        tables.beyond(target),
    ]


def _dependence(
    spread: RobustErrors | None, counted: Counted, errors: str, advice: str
) -> list[Check]:
    """Return the check on dependent contests, with the factor by which errors are too small."""
    if not counted.clustered:
        return [
            Check.of(
                "contests known to be of one data set",
                0.0,
                1.0,
                least=True,
                sentence="Published counts do not say which contests are of one data set: errors"
                " are too small, of many algorithms by far.",
                remedy="Each data set ranks all algorithms at once, while these errors take"
                " contests as independent.",
            )
        ]
    clusters = counted.tally.clusters
    if clusters < FEWEST and errors != "departures":
        one = len(counted.scored.coverage.datasets) == 1
        unit = "replication" if one else "data set"
        return [
            Check.of(
                f"{unit}s with contests",
                clusters,
                FEWEST,
                least=True,
                sentence=f"Contests of a {unit} depend on each other, and"
                f" {count(clusters, unit)} cannot show by how much.",
                remedy=f"Claims may be too sure: add {unit}s.",
            )
        ]
    if spread is None:
        return []
    ratio = spread.inflation()
    safe = errors in ("robust", "departures")
    return [
        Check.of(
            "standard errors by data set, over those of independent contests",
            ratio,
            _TOO_SMALL,
            ok=safe or ratio <= _TOO_SMALL,
            concerns="verdict",
            sentence=f"Contests of a data set depend on each other: standard errors are {ratio:.2g}"
            " times those of independent contests.",
            remedy=f"Claims are too sure; {advice}.",
        )
    ]


def _of_spread(
    family: ContrastFamily, errors: Adjusted, least: Array, pairs: Oriented
) -> list[Check]:
    """Return the checks on robust errors: pairs without one, and few degrees of freedom."""
    df, lone = errors.df, np.isinf(least)
    flat = without_spread(std_errors(family, errors), errors) & ~lone
    known = df[~lone]
    fewest = float(known.min()) if len(known) else 0.0
    few = ~lone & (df < FEWEST - 1 - _ROUNDING)
    return [
        decisions.without_error(flat, pairs),
        Check.of(
            "pairs with an algorithm that met others on a single data set",
            int(lone.sum()),
            sentence=f"{subject(int(lone.sum()), 'pair', 'is')} undecided, as one of the two met"
            f" others on a single data set ({some_of(pairs, lone)}).",
            remedy="One data set does not show how data sets vary: intervals of such a pair, and"
            " those against the average, have no bounds. To leave such algorithms out, use"
            " scores.subset(algorithms=[...]).",
        ),
        Check.of(
            "fewest degrees of freedom of a pair",
            fewest,
            FEWEST - 1,
            least=True,
            ok=not few.any(),
            sentence=f"{subject(int(few.sum()), 'pair', 'rests')} on a few of the data sets"
            f" ({some_of(pairs, few)}).",
            remedy="Only very large differences are decided there; more scores of these"
            " algorithms would help.",
        ),
    ]


def _goodness(tally: Tally, fit: WinFit | None) -> list[Check]:
    """Test the goodness of fit of one worth for each algorithm."""
    if fit is None or tally.n_algorithms < 3:
        return []
    p, df = goodness_of_fit(tally, fit)
    if df <= 0:
        return []
    return [
        Check.of(
            "p-value of the win table under the model, contests taken as independent",
            p,
            _MISFIT,
            least=True,
            ok=p > _MISFIT,
            concerns="verdict",
            sentence="Some pairs win more or less often than one number for each algorithm says"
            f" (test of fit, {p_clause(p)}).",
            remedy="One number may not tell who beats whom: see predicted().",
        )
    ]


def _quasi(quasi: QuasiVariances, names: tuple[str, ...]) -> list[Check]:
    """Return the checks of quasi-standard errors against the errors of the differences."""
    worst = max(-quasi.low, quasi.high)
    none = [name for name, size in zip(names, quasi.variance, strict=True) if size <= 0]
    rows = [
        Check.of(
            "largest relative error of quasi-standard errors",
            worst,
            _QUASI,
            sentence=f"Intervals of the worths compare pairs only roughly, with errors up to"
            f" {percent(worst)} too large or too small.",
            remedy="For pairs, read the contrasts.",
        )
    ]
    if none:
        remedy = "Such an algorithm is much like another one: read the contrasts."
        sentence = (
            f"No interval compares the worth of {several(none)} with those of others, as a"
            " quasi-variance is negative."
        )
        row = Check.of(
            "algorithms without a quasi-standard error", len(none), sentence=sentence, remedy=remedy
        )
        rows.append(row)
    return rows


def _penalty(result: WinsComparison, fitted: FittedWorths) -> list[Check]:
    """Return the checks on worths, or a parameter of ties, that only the penalty makes finite."""
    groups = fitted.tally.groups()
    place = {name: i for i, name in enumerate(result.ranking())}
    members = (sorted((result.algorithms[k] for k in one), key=place.__getitem__) for one in groups)
    listed = "; ".join(map(several, members))
    ties = Check.of(
        "ties whose parameter has no finite estimate",
        float(result.counted.tally.ties.sum()),
        sentence="The parameter of ties has no finite estimate: each tie counts as half a win for"
        " each side.",
        remedy='That is what ties="half" does, under the penalty; inference="bayes" keeps the'
        " parameter, finite by its priors.",
    )
    worths = Check.of(
        "groups of algorithms of which one never loses to the other",
        len(groups),
        1.0,
        sentence=f"Algorithms fall into {len(groups)} groups, of which one never loses to the"
        f" other: {listed}.",
        remedy="The sizes of their worths are finite by the penalty alone, and say little;"
        " p-values between groups are not below those of sign tests.",
    )
    return [worths, ties] if fitted.boundless else [worths]


def _chains(posterior: WinPosterior, *, departures: bool) -> list[Check]:
    """Return the checks on the draws of the posterior."""
    c, t, _ = posterior.draws.log_worth.shape
    words = f"{c} x {t} draws" + (" after a first try" if posterior.extended else "")
    # There may be no effects of data sets.
    others = () if departures else ("largest R-hat of the data sets' effects",)
    rows = [row for row in posterior.convergence.checks(words) if row.check not in others]
    error = float(max(posterior.outcomes.error.max(), posterior.ranks.error.max()))
    return [*rows, decisions.monte_carlo_error(error)]
