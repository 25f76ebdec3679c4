"""Comparison by a Bradley-Terry model of wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, override

import numpy as np
from scipy.special import expit

from benchinfer.analyses.wins.counts import Counted
from benchinfer.analyses.wins.fit import WinLikelihood
from benchinfer.analyses.wins.numerics.likelihood import QuasiVariances, quasi_variances
from benchinfer.analyses.wins.numerics.posterior import WinModel, WinPriors
from benchinfer.analyses.wins.numerics.tally import Tally, Ties
from benchinfer.analyses.wins.options import WinsOptions
from benchinfer.analyses.wins.posterior import WinPosterior
from benchinfer.comparison import wording
from benchinfer.comparison.comparison import TestedComparison
from benchinfer.core.frames import frame
from benchinfer.core.numbers import count
from benchinfer.core.provenance import StoredOptions
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics.directions.rank_sets import RankSets
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd
    from xarray import DataTree


def win_square(tally: Tally) -> tuple[Array, Array]:
    """Return (K, K) wins of rows against columns, and ties, of counts over all clusters."""
    k, total = tally.n_algorithms, tally.total
    won, tied = np.zeros((k, k)), np.zeros((k, k))
    i, j = tally.pairs.T
    won[i, j], won[j, i] = total.wins[0], total.losses[0]
    tied[i, j] = tied[j, i] = total.ties[0]
    return won, tied


_TIES = {
    "davidson": "ties were modelled with a parameter of their own (Davidson)",
    "half": "a tie counted as half a win for each side",
    "drop": "ties were left out",
}
SIZES = (
    "Wins say how often an algorithm is better, not by how much: small differences count like large"
    " ones"
)


def counting(result: WinsComparison) -> str:
    """Return a sentence on the contests that were counted and on the definition of a tie."""
    total = result.counted.tally.total
    n = int(total.n.sum())
    by = {
        "datasets": "on the means of each data set with scores of both",
        "replications": "on each replication with scores of both",
        "published": "as published",
    }[result.counted.by]
    measure = result.counted.scored.measure
    ties = float(total.ties.sum())
    tied = f"{ties:g} tie" if ties == 1 else f"{ties:g} ties"
    return (
        f"Wins by {measure.noun} ({measure.better} is better) were counted for each pair {by}:"
        f" {count(n, 'contest')}, of which {tied}; {result.counted.ties}"
    )


def model(result: WinsComparison) -> str:
    """Return a sentence on the fitted model, the method of estimation and the errors."""
    ties = _TIES[result.ties]
    ties = f"; {ties}" if result.counted.tally.ties.sum() else ""
    return result.inference.sentence(result, ties)


def odds_of_level(k: int) -> float:
    """Return the log odds of a level per log worth: those against the other one of two algorithms.

    Of more algorithms levels are the odds against one of average worth, whose log worth is 0. Two
    have the log worths w and -w, and so the log odds 2 w.
    """
    return 2.0 if k == 2 else 1.0


@savable
@shaped(counted=SAME, quasi=SAME, inference=SAME)
@dataclass(frozen=True, eq=False, repr=False)
class WinsComparison(TestedComparison):
    """Verdicts from how often algorithms win against each other.

    The measure of the comparison is the probability of winning: levels are against an algorithm of
    average worth (of two algorithms, against the other), contrasts are odds ratios, and so the odds
    that the first wins against the second.

    Attributes
    ----------
    counted
        The wins, and what they were counted from.
    quasi
        Quasi-variances of the log worths.
    errors
        ``"robust"``, ``"independent"`` or, of a posterior, ``"posterior"``.
    inference
        The fit by maximum likelihood, or the posterior of a Bayesian model.
    """

    _home: ClassVar[str] = "benchinfer.analyses.wins"

    counted: Counted
    quasi: QuasiVariances
    errors: str
    inference: WinLikelihood | WinPosterior

    _title: ClassVar[str] = "Wins (Bradley-Terry model)"
    _leans_on: ClassVar[str] = "the model of wins, with approximate errors"

    options: ClassVar[StoredOptions[WinsOptions]] = StoredOptions(WinsOptions)

    @property
    def _bayesian(self) -> bool:
        """True if verdicts rest on posterior probabilities."""
        return self.inference.bayesian

    @override
    def _rank_sets(self) -> RankSets:
        """Return the sets of the best and of ranks by worths."""
        return self.inference.rank_sets(self)

    @property
    def posterior(self) -> DataTree:
        """Draws of a Bayesian model as an `xarray.DataTree`, which ArviZ reads.

        Groups are ``posterior`` and ``prior`` (``log_worth``, ``worth_scale``, and with them
        ``log_nu`` of modelled ties and ``departure_scale``), and ``observed_data``, the counts as
        the model saw them.

        Raises
        ------
        DesignError
            The comparison was made by maximum likelihood.
        """
        from benchinfer.analyses.wins.posterior import tree

        return tree(self)

    @property
    def rope(self) -> float:
        """Probabilities of winning within this of 1/2 do not matter."""
        return float(expit(self.measure.margin) - 0.5)

    @property
    def ties(self) -> Ties:
        """Treatment of ties."""
        ties = self.options.ties
        return "half" if self.penalised and ties == "davidson" else ties

    @property
    def modelled_ties(self) -> bool:
        """True if ties have a parameter."""
        return self.ties == "davidson" and bool(self.counted.tally.ties.sum() > 0)

    @property
    def departures(self) -> bool:
        """True if worths vary between data sets."""
        return self.options.departures

    @property
    def penalised(self) -> bool:
        """True if the likelihood was penalised."""
        return self.inference.penalised

    @property
    def log_worth(self) -> Array:
        """(K,) log worths; their mean is 0."""
        return self.levels.estimate / odds_of_level(len(self.algorithms))

    @property
    def model(self) -> WinModel:
        """Model whose posterior was sampled."""
        priors = self.options.priors or WinPriors()
        tally = self.counted.tally.with_ties(self.ties)
        return WinModel(tally if self.departures else tally.total, priors, self.departures)

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        return self.inference.rule(self)

    @property
    def formula(self) -> str:
        """The model in one line."""
        departure = " + departure of the data set" if self.departures else ""
        odds = f"log odds that first wins = log worth(first) - log worth(second){departure}"
        return f"{odds}; P(tie) ~ nu sqrt(P(first) P(second))" if self.modelled_ties else odds

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        return f"{counting(self)}. {model(self)}. {self.provenance.adjustment}. {SIZES}."

    def scope(self) -> str:
        """Return what the claims are about, in words."""
        datasets = self.setting.coverage.datasets
        if self.counted.by == "published":
            return "by wins as published"
        if len(datasets) == 1:
            return f"by wins on replications of the data set {datasets[0]}"
        within_each = "" if self.counted.by == "datasets" else "replications of "
        mixed = wording.mixture(self.setting)
        return f"by wins on {within_each}data sets like these {len(datasets)}{mixed}"

    @override
    def _interval_note(self, pairs: Sequence[int] | None = None) -> str:
        """Note on infinite odds and bounds of all or some pairs; empty where all are finite."""
        return self.inference.interval_note(self, pairs)

    def headline(self) -> str:
        """Return the verdict in one sentence, with its direction and its scope."""
        measure = self.counted.scored.measure
        read = self.setting.members or self.setting.coverage
        gaps = wording.gaps(read)
        if self.pairs.averages:
            return f"{wording.claims_of(self, measure, self.scope())}{gaps}"
        levels, where = self.levels.estimate, self.scope()
        thin = wording.resting(read)
        headline = wording.headline(
            self.pairs.relation(), measure, where, levels, "the highest worth", thin=thin
        )
        return f"{headline}{gaps}{self._by_name}"

    def _effects(self) -> Mapping[str, Array]:
        """Return odds that the first wins, intervals, tests or probabilities, and the counts."""
        columns = self.inference.effects(self, super()._effects())
        if self.pairs.averages:
            return columns
        won, tied = win_square(self.counted.tally)
        i, j = self.pairs.index.T
        wins, ties, losses = won[i, j], tied[i, j], won[j, i]
        n = wins + ties + losses
        return {**columns, "wins": wins, "ties": ties, "losses": losses, "n_contests": n}

    def summary(self) -> pd.DataFrame:
        """One row per algorithm: its chance to win, worth, and contests.

        Returns
        -------
        pandas.DataFrame
            ``measure algorithm estimate conf_low conf_high n rank worth log_worth quasi_error wins
            ties losses`` and, of a posterior, ``expected_rank rank_low rank_high prob_best``. The
            estimate is the probability to win against an algorithm of average worth, of two
            algorithms against the other; the interval is its own. A quasi-error is NaN where the
            quasi-variance is negative.
        """
        table = super().summary()
        won, tied = win_square(self.counted.tally)
        worth = np.exp(self.log_worth - self.log_worth.max())
        columns = {
            "worth": worth / worth.sum(),
            "log_worth": self.log_worth,
            "quasi_error": self.quasi.error,
            "wins": won.sum(axis=1),
            "ties": tied.sum(axis=1),
            "losses": won.sum(axis=0),
        }
        columns |= self.inference.ranking()
        return frame({**{name: table[name] for name in table.columns}, **columns})

    def wins(self) -> pd.DataFrame:
        """Return the win table: ``first second wins ties losses n_contests`` of every pair."""
        total, names = self.counted.tally.total, self.algorithms
        i, j = total.pairs.T
        return frame(
            {
                "first": [names[k] for k in i],
                "second": [names[k] for k in j],
                "wins": total.wins[0],
                "ties": total.ties[0],
                "losses": total.losses[0],
                "n_contests": total.n[0],
            }
        )

    def predicted(self) -> pd.DataFrame:
        """Return the observed win table with the counts that the model expects.

        Returns
        -------
        pandas.DataFrame
            ``first second wins expected_wins wins_low wins_high inside losses expected_losses
            losses_low losses_high losses_inside``, where ties are modelled ``ties expected_ties``,
            too: wins and losses of the first observed and expected, and the 90 % interval of new
            contests: of a posterior by its predictions, else of binomial ones by the estimates.
            Where more pairs than 1 in 10 lie outside, no single worth for each algorithm tells who
            beats whom.
        """
        counts = self.counted.tally.with_ties(self.ties).total
        expected, low, high = self.inference.expected(self, counts)
        names, (i, j) = self.algorithms, counts.pairs.T
        columns = {"first": [names[k] for k in i], "second": [names[k] for k in j]}
        for name, inside, observed, at in (
            ("wins", "inside", counts.wins[0], 0),
            ("losses", "losses_inside", counts.losses[0], 2),
        ):
            columns |= {
                name: observed,
                f"expected_{name}": expected[at],
                f"{name}_low": low[at],
                f"{name}_high": high[at],
                inside: (observed >= low[at]) & (observed <= high[at]),
            }
        if self.modelled_ties:
            columns |= {"ties": counts.ties[0], "expected_ties": expected[1]}
        return frame(columns)

    def _sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        return [WinsOptions, quasi_variances, *self.inference.sources(self)]
