"""Worths of algorithms by maximum likelihood, with their errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import expit

from benchinfer.analyses.wins.counts import Counted
from benchinfer.analyses.wins.numerics import likelihood
from benchinfer.analyses.wins.numerics.likelihood import WinFit, fit_wins, least_errors
from benchinfer.analyses.wins.numerics.robust import RobustErrors, robust_errors
from benchinfer.analyses.wins.numerics.tally import Tally
from benchinfer.analyses.wins.options import WinsOptions
from benchinfer.comparison.further import best
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics.covariance import Adjusted, all_pairs
from benchinfer.numerics.directions.rank_sets import RankSets
from benchinfer.numerics.max_t import max_t
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    from benchinfer.analyses.wins.comparison import WinsComparison

FEWEST = 5  # data sets from which robust errors are used
NO_ROPE = "No region of equivalence is set."
_INSIDE = 0.9
TAILS = (1 - _INSIDE) / 2, (1 + _INSIDE) / 2  # of the interval of new contests


@dataclass(frozen=True, slots=True)
class WorthErrors:
    """Errors of log worths: from the spread of the data sets, or with contests as independent."""

    fit: WinFit
    robust: RobustErrors | None
    tally: Tally
    clustered: bool

    @property
    def cov(self) -> Array:
        """(K, K) covariance."""
        return self.fit.cov if self.robust is None else self.robust.cov

    def of(self, contrasts: Array) -> tuple[Array, Array]:
        """Return (J,) degrees of freedom and least errors, infinite where there is no error."""
        df = np.full(len(contrasts), np.inf)
        if self.robust is not None:
            df = self.robust.degrees(contrasts)
        none, df = df == 0, np.where(df == 0, 1.0, df)
        worth = self.fit.log_worth
        least = least_errors(self.tally, contrasts, worth, df, clustered=self.clustered)
        return df, np.where(none, np.inf, least)


@dataclass(frozen=True, slots=True)
class FittedWorths:
    """Worths of the algorithms with their errors.

    ``tally`` has ties as the model treats them, ``spread`` the robust errors where data sets are
    known, and ``boundless`` says that some worths are finite by the penalty alone.
    """

    tally: Tally
    fit: WinFit
    kind: str
    spread: RobustErrors | None
    errors: WorthErrors
    boundless: bool

    @staticmethod
    def of(counted: Counted, options: WinsOptions) -> FittedWorths:
        """Fit the counts by maximum likelihood."""
        boundless = counted.tally.with_ties(options.ties).boundless()
        tally, fit = _fit(counted, options, boundless=boundless)
        kind = _resolved(options.errors, counted)
        spread = robust_errors(tally, fit) if counted.clustered and tally.clusters > 1 else None
        # Ties that only the penalty gives a parameter say nothing of who wins.
        decided = counted.tally.with_ties("drop") if boundless else tally
        robust = spread if kind == "robust" else None
        errors = WorthErrors(fit, robust, decided, counted.clustered)
        return FittedWorths(tally, fit, kind, spread, errors, boundless)


@savable
@shaped(fit=SAME)
@dataclass(frozen=True, slots=True)
class WinLikelihood:
    """Inference by maximum likelihood; `WinPosterior` answers the same questions."""

    bayesian: ClassVar[bool] = False

    fit: WinFit

    @property
    def penalised(self) -> bool:
        """True if the likelihood was penalised."""
        return self.fit.penalised

    def expected(self, result: WinsComparison, counts: Tally) -> tuple[Array, Array, Array]:
        """Return (3, P) expected wins, ties and losses, and binomial bounds of new ones."""
        from scipy.stats import binom  # half a second, which a comparison does without

        i, j = counts.pairs.T
        n, worth = counts.n[0], result.log_worth
        shares = np.stack(likelihood.probabilities(worth[i] - worth[j], self.fit.tie))
        low, high = (binom.ppf(q, np.rint(n), shares) for q in TAILS)
        return n * shares, np.maximum(low, 0.0), np.maximum(high, 0.0)

    def rank_sets(self, result: WinsComparison) -> RankSets:
        """Return the sets of the best and of ranks by worths and their errors."""
        fitted = FittedWorths.of(result.counted, result.options)
        df, least = fitted.errors.of(all_pairs(len(result.algorithms))[1])
        errors, worth = Adjusted(fitted.errors.cov, df), fitted.fit.log_worth
        return best.of_normal(worth, errors, result._alpha, result.measure.margin, least)

    def effects(self, result: WinsComparison, columns: Mapping[str, Array]) -> dict[str, Array]:
        """Return columns of contrasts, with odds that counts do not show as infinite."""
        worth = result.evidence.estimate
        beyond = np.abs(worth) > np.log(result.counted.tally.most_odds)
        odds = result.measure.effect(np.where(beyond, np.copysign(np.inf, worth), worth))
        return {**columns, "estimate": odds, "prob_win": expit(worth)}

    def ranking(self) -> Mapping[str, Array]:
        """Return further columns of the summary: tests have none."""
        return {}

    def sentence(self, result: WinsComparison, ties: str) -> str:
        """Return a sentence on the model, the method of estimation and the errors."""
        how = "penalised maximum likelihood (Firth)" if self.penalised else "maximum likelihood"
        if self.penalised and not result.options.penalised:
            apart = len(result.counted.tally.with_ties(result.options.ties).groups()) > 1
            how += ", as some algorithms never lose to others" * apart
            how += ", as the parameter of ties has no finite estimate" * (not apart)
        errors = "errors take all contests as independent"
        if result.errors == "robust":
            errors = (
                "errors are from the spread of data sets (sandwich), as contests of a data set"
                f" depend on each other, with {_degrees(result)}"
            )
        return f"A Bradley-Terry model was fitted by {how}{ties}; {errors}"

    def rule(self, result: WinsComparison) -> str:
        """Return the decision rule in words."""
        alpha, rope = f"{100 * result._alpha:.3g} %", result.rope
        test = "adjusted p-value"
        if result.alternative != "two-sided":
            side = "more" if result.alternative == "better" else "less"
            test = f"adjusted one-sided p-value, that first wins {side} often than it loses,"
        decided = f"decided when the {test} of its odds is at most {alpha}"
        if rope == 0:
            return f"A pair is {decided}, and undecided otherwise. {NO_ROPE}"
        return (
            "A pair is equivalent when the adjusted test that the probability of winning lies"
            f" between {0.5 - rope:g} and {0.5 + rope:g} rejects at {alpha}; otherwise it is"
            f" {decided}; otherwise it is undecided."
        )

    def interval_note(self, result: WinsComparison, pairs: Sequence[int] | None) -> str:
        """Return a note on infinite odds and bounds; empty where all are finite."""
        evidence, tally = result.evidence, result.counted.tally
        ends = np.array([evidence.low, evidence.high])
        if np.isfinite(ends[:, slice(None) if pairs is None else pairs]).all():
            return ""
        return (
            f"Odds, and bounds of odds, beyond {tally.most_odds:,} to 1 are open:"
            f" {count(int(tally.total.n.sum()), 'contest')} do not show such odds."
        )

    def sources(self, result: WinsComparison) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        robust = [robust_errors] if result.errors == "robust" else []
        return [fit_wins, *robust, max_t]


def _degrees(result: WinsComparison) -> str:
    """Return the degrees of freedom of the tests as text."""
    df = result.evidence.df[np.isfinite(result.evidence.std_error)]
    if not len(df):
        return "no degrees of freedom: a single data set informs on each pair"
    if np.ptp(df) == 0:
        return f"{df[0]:.4g} degree{'' if df[0] == 1 else 's'} of freedom"
    return (
        f"{df.min():.1f} to {df.max():.1f} degrees of freedom (Bell and McCaffrey), by the data"
        " sets that inform on a pair"
    )


def _fit(counted: Counted, options: WinsOptions, *, boundless: bool) -> tuple[Tally, WinFit]:
    """Return the counts with ties as the model treats them, and the fit.

    Algorithms that ties alone connect are refused, where ties are left out.
    """
    tally = counted.tally.with_ties(options.ties)
    penalised = boundless or len(tally.groups()) > 1
    if penalised:
        # Worths are finite by the penalty alone, which is for wins and losses.
        tally = counted.tally.with_ties("drop" if options.ties == "drop" else "half")
        if len(parts := tally.parts()) > 1:
            raise DesignError(
                f"without ties the algorithms are in {len(parts)} parts that never met.",
                where=[("part", "algorithms"), *listed(parts, counted.scored.algorithms)],
                hint='ties="half" counts half a win for each side.',
            )
    return tally, fit_wins(tally, penalised=penalised or options.penalised)


def _resolved(errors: str, counted: Counted) -> str:
    """Return the errors to use: robust ones, or those of independent contests."""
    if errors == "robust" and not (counted.clustered and counted.tally.clusters > 1):
        raise DesignError(
            "robust errors need to know which contests go together, in two groups or more.",
            hint='errors="independent" goes with published counts.',
        )
    if errors != "auto":
        return errors
    clusters, several = counted.tally.clusters, len(counted.scored.coverage.datasets) > 1
    if clusters >= FEWEST:
        return "robust"
    if counted.clustered and several:
        raise DesignError(
            f"{count(clusters, 'data set')} with contests: those of a data set depend on each"
            f" other, and fewer than {FEWEST} do not show by how much.",
            hint=[
                ('errors="independent" ignores that: its errors are too small, and it says so;'),
                "compare_mixed and compare_permutation use the scores.",
            ],
        )
    return "independent"


def listed(groups: list[list[int]], names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the number and the names of each group of algorithms."""
    return [(str(n), ", ".join(names[k] for k in group)) for n, group in enumerate(groups, 1)]
