"""Worths of algorithms by maximum likelihood, with their errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchinfer.analyses.wins.counts import Counted
from benchinfer.analyses.wins.numerics.likelihood import WinFit, fit_wins, least_errors
from benchinfer.analyses.wins.numerics.robust import RobustErrors, robust_errors
from benchinfer.analyses.wins.numerics.tally import Tally
from benchinfer.analyses.wins.options import WinsOptions
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.numerics.types import Array

FEWEST = 5  # data sets from which robust errors are used


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
