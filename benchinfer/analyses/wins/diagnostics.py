"""Diagnostics for win comparisons."""

from typing import TYPE_CHECKING

from benchinfer.analyses.wins import comparison
from benchinfer.comparison import checks
from benchinfer.core.hints import Call, Either, Option, Phrase, Subset
from benchinfer.core.numbers import join, several
from benchinfer.core.sections import Check
from benchinfer.scores.checks.kinds import BINOMIAL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchinfer.analyses.wins.counts import Counted
    from benchinfer.analyses.wins.numerics.likelihood import QuasiVariances, WinFit
    from benchinfer.analyses.wins.numerics.robust import RobustErrors
    from benchinfer.analyses.wins.numerics.tally import Tally
    from benchinfer.analyses.wins.posterior import WinPosterior
    from benchinfer.comparison.comparison import Target
    from benchinfer.comparison.contrasts import Sides
    from benchinfer.comparison.evidence import Array


# Data sets from which robust errors are used.
FEWEST = 5
_TOO_SMALL, _FEW, _MISFIT, _QUASI, _ROUNDING = 1.2, 5, 0.05, 0.1, 1e-6


def counts(counted: "Counted", target: "Target", rope: float) -> list[Check]:
    """Return rows about what was counted."""
    tally, setting = counted.tally, counted.scored
    n = tally.total.n[0]
    share = float(tally.ties.sum() / max(n.sum(), 1.0))
    rows = [
        Check.of(
            "pairs that never met",
            int((n == 0).sum()),
            remedy="what is said of these pairs rests on the model alone, through other algorithms",
        ),
        Check.of(
            "fewest contests of a pair that met",
            float(n[n > 0].min()),
            _FEW,
            least=True,
            remedy="so few contests say little of who wins",
        ),
        Check.of(
            "share of ties",
            share,
            0.5,
            remedy="most contests are ties, so that few decide: look at the tie tolerance,"
            f" and at the sizes of the differences ({Call('compare_mixed')})",
        ),
        Check.of(
            "region of equivalence about 1/2",
            rope,
            None,
            ok=rope > 0,
            remedy="no region is set, so no pair can be called equivalent:"
            f" {Option('rope', 0.05)} sets one",
        ),
    ]
    if not counted.clustered:
        return rows
    own = [checks.number_of_datasets(setting)] if target == "domain" else []
    one = len(setting.coverage.datasets) == 1
    rows += [*checks.of_table(setting, means=False, rates=one, ranks=True), *_rates(counted), *own]
    return [
        *rows,
        *checks.tied(counted.rounded, setting, alone=counted.by == "replications"),
        checks.beyond(target),
    ]


def _rates(counted: "Counted") -> list[Check]:
    """Say what counting rates as wins leaves out, where scores are 0 or 1."""
    setting = counted.scored
    if not setting.zero_one or len(setting.coverage.datasets) == 1:
        return []
    remedy = Phrase(
        "a rate that is higher by one item wins like one that is far higher:"
        f" {BINOMIAL} models right and wrong"
    )
    return [Check.of(checks.RATES, setting.coverage.n, remedy=remedy)]


def dependence(
    spread: "RobustErrors | None", counted: "Counted", errors: str, advice: str
) -> list[Check]:
    """Say how much errors of independent contests understate."""
    if not counted.clustered:
        return [
            Check.of(
                "contests known to be of one data set",
                0.0,
                1.0,
                least=True,
                remedy="published counts do not say which contests go together: as each data set"
                " ranks all algorithms at once, errors that take contests as independent are too"
                " small, of many algorithms by far",
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
                remedy=f"contests of a {unit} depend on each other, and so few {unit}s do not show"
                " by how much: claims may be too sure",
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
            remedy=Phrase(
                "contests of a data set depend on each other, so that claims are too sure; ", advice
            ),
        )
    ]


def degrees(df: "Array", lone: "NDArray[np.bool_]", sides: "Sides") -> list[Check]:
    """Say how many data sets the errors of pairs rest on."""
    known = df[~lone]
    fewest = float(known.min()) if len(known) else 0.0
    few = ~lone & (df < FEWEST - 1 - _ROUNDING)
    return [
        Check.of(
            "pairs with an algorithm that met others on a single data set",
            int(lone.sum()),
            remedy=f"{sides.some(lone)}: one data set does not show how data sets vary, so these"
            " pairs are undecided, and their intervals, with those against the average, have no"
            f" bounds: {Subset('algorithms')} leaves such algorithms out",
        ),
        Check.of(
            "fewest degrees of freedom of a pair",
            fewest,
            FEWEST - 1,
            least=True,
            ok=not few.any(),
            remedy=f"{sides.some(few)}: these pairs rest on a few of the data sets, so that only"
            " very large differences are shown; more scores of these algorithms would help",
        ),
    ]


def goodness(tally: "Tally", fit: "WinFit | None") -> list[Check]:
    """Say whether one worth for each algorithm tells who beats whom."""
    if fit is None or tally.n_algorithms < 3:
        return []
    p, df = comparison.misfit(tally, fit.log_worth, fit.tie)
    if df <= 0:
        return []
    return [
        Check.of(
            "p-value of the win table under the model, contests taken as independent",
            p,
            _MISFIT,
            least=True,
            ok=p > _MISFIT,
            remedy="some pairs win more or less often than the worths say (see"
            f" {Either('predicted()', '--details')}): one number for each algorithm"
            " may not tell who beats whom",
        )
    ]


def quasi(found: "QuasiVariances", names: tuple[str, ...]) -> list[Check]:
    """Say whether quasi-standard errors give those of the differences."""
    worst = max(-found.low, found.high)
    none = [name for name, size in zip(names, found.variance, strict=True) if size <= 0]
    rows = [
        Check.of(
            "largest relative error of quasi-standard errors",
            worst,
            _QUASI,
            remedy="intervals of worths compare pairs roughly only: read the contrasts",
        )
    ]
    if none:
        remedy = (
            f"of {several(none)} the quasi-variance is negative, as of an algorithm that is much"
            " like another one, and no interval compares it with others: read the contrasts"
        )
        row = Check.of("algorithms without a quasi-standard error", len(none), remedy=remedy)
        rows.append(row)
    return rows


def penalty(groups: list[list[int]], names: tuple[str, ...]) -> Check:
    """Say that estimates are finite by a penalty alone, where they are."""
    said = "; ".join(join([names[k] for k in group]) for group in groups)
    return Check.of(
        "groups of algorithms of which one never loses to the other",
        len(groups),
        1.0,
        remedy="worths of different groups are finite by the penalty alone, and their sizes say"
        f" little; p-values between groups are not below those of sign tests: {said}",
    )


def boundless(tally: "Tally") -> Check:
    """Say that Davidson's parameter of ties has no finite estimate."""
    return Check.of(
        "ties whose parameter has no finite estimate",
        float(tally.ties.sum()),
        remedy=f"each counts as half a win for each side, as by {Option('ties', 'half')}, under the"
        f" penalty; {Option('inference', 'bayes')} keeps the parameter, finite by its priors",
    )


def chains(posterior: "WinPosterior", *, departures: bool) -> list[Check]:
    """Return rows about the draws."""
    c, t, _ = posterior.draws.log_worth.shape
    words = f"{c} x {t} draws" + (" after one extension" if posterior.extended else "")
    settled, lost = posterior.convergence, posterior.convergence.divergences or 0
    # There may be no effects of data sets, and paths go astray here as nowhere else.
    others = () if departures else ("largest R-hat of the data sets' effects",)
    others = (*others, "divergent transitions")
    rows = [row for row in settled.checks(words) if row.check not in others]
    rows.append(
        Check.of(
            "paths of the sampler that went astray",
            lost,
            remedy="some part of the posterior may not have been reached:"
            f" {Either('priors=WinPriors(...)', '--prior NAME=NUMBER')} with smaller"
            " numbers",
        )
    )
    error = float(max(posterior.outcomes.error.max(), posterior.ranks.error.max()))
    return [
        *rows,
        checks.monte_carlo_error(error),
    ]
