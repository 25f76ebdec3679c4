"""The comparison that wins give: verdicts, worths, the win table, and whether the model fits it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import expit

from benchinfer.compare import wins_predicted, wins_words, wording
from benchinfer.compare.comparison import Comparison, TestedComparison
from benchinfer.compare.either import EitherComparison
from benchinfer.compare.evidence import Array
from benchinfer.compare.posterior_verdicts import probabilities
from benchinfer.compare.wins_counted import Counted
from benchinfer.compare.wins_sampled import WinPosterior
from benchinfer.frames import frame
from benchinfer.numerics.wins.likelihood import WinFit
from benchinfer.numerics.wins.posterior import WinModel, WinPriors
from benchinfer.numerics.wins.quasi import QuasiVariances
from benchinfer.numerics.wins.tally import Ties
from benchinfer.saving import savable

if TYPE_CHECKING:
    import pandas as pd
    from xarray import DataTree


@savable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WinsComparison(EitherComparison):
    """Verdicts from how often algorithms win against each other.

    The measure of the comparison is the probability of winning: levels are against an algorithm of
    average worth, contrasts are odds ratios, and so the odds that the first wins against the
    second.

    Attributes
    ----------
    counted
        The wins, and what they were counted from.
    quasi
        Quasi-variances of the log worths.
    errors
        ``"robust"``, ``"independent"`` or, of a posterior, ``"posterior"``.
    fit
        By maximum likelihood, None of a posterior.
    bayes
        Of a Bayesian model, else None.
    """

    counted: Counted
    quasi: QuasiVariances
    errors: str
    fit: WinFit | None
    bayes: WinPosterior | None

    title: ClassVar[str] = "Wins (Bradley-Terry model)"

    @property
    def bayesian(self) -> bool:
        """Whether verdicts rest on posterior probabilities."""
        return self.bayes is not None

    @property
    def posterior(self) -> "DataTree":
        """Draws of a Bayesian model as an `xarray.DataTree`, which ArviZ reads.

        Groups are ``posterior`` and ``prior`` (``log_worth``, ``worth_scale``, and with them
        ``log_nu`` of modelled ties and ``departure_scale``), and ``observed_data``, the counts as
        the model saw them.

        Raises
        ------
        DesignError
            The comparison was made by maximum likelihood.
        """
        from benchinfer.compare.wins_tree import tree

        return tree(self)

    @property
    def rope(self) -> float:
        """Probabilities of winning within this of 1/2 do not matter."""
        return float(expit(self.measure.margin) - 0.5)

    @property
    def ties(self) -> Ties:
        """What becomes of ties."""
        asked = self.provenance.arguments["ties"]
        return "half" if asked == "half" else "drop" if asked == "drop" else "davidson"

    @property
    def modelled_ties(self) -> bool:
        """Whether ties have a parameter of their own."""
        return self.ties == "davidson" and bool(self.counted.tally.ties.sum() > 0)

    @property
    def departures(self) -> bool:
        """Whether data sets have worths of their own."""
        return bool(self.provenance.arguments["departures"])

    @property
    def penalised(self) -> bool:
        """Whether the likelihood was penalised."""
        return self.fit is not None and self.fit.penalised

    @property
    def clusters(self) -> int:
        """Number of data sets (or, on one data set, of replications) with a contest."""
        return self.counted.tally.clusters

    @property
    def log_worth(self) -> Array:
        """(K,) log worths; their mean is 0."""
        return self.levels.estimate

    @property
    def model(self) -> WinModel:
        """What a posterior was sampled of."""
        given = self.provenance.arguments["priors"]
        priors = given if isinstance(given, WinPriors) else WinPriors()
        taken = self.counted.tally.taken(self.ties)
        return WinModel(taken if self.departures else taken.total, priors, self.departures)

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        return wins_words.rule(self)

    @property
    def formula(self) -> str:
        """The model in one line."""
        return wins_words.formula(self)

    @property
    def method(self) -> str:
        """What was done, in sentences for a methods section."""
        return wins_words.method(self)

    def scope(self) -> str:
        """Return what the claims are about, in words."""
        return wins_words.scope(self)

    def headline(self) -> str:
        """Return the verdict in one sentence, with direction and what it is about."""
        measure = self.counted.scored.measure
        if self.sides:
            return wording.claims(self.named_sides(), self.codes, measure, self.scope())
        return wording.headline(self.relation(), measure, self.scope())

    def effects(self) -> Mapping[str, Array]:
        """Return odds that the first wins, intervals, tests or probabilities, and the counts."""
        # Zero-argument super() does not work in a slotted dataclass.
        columns = TestedComparison.effects(self)
        if self.bayes is None:
            found = {**columns, "prob_win": expit(self.evidence.estimate)}
        else:
            outcome = self.bayes.outcomes
            found = {name: columns[name] for name in ("estimate", "conf_low", "conf_high")}
            found |= {
                **probabilities(outcome),
                "prob_win": self.bayes.prob_win,
                "prob_more_wins": self.bayes.more,
            }
        return found if self.sides else {**found, **self._counts()}

    def _counts(self) -> dict[str, Array]:
        """Return the counts of the compared pairs, the first one's wins as wins."""
        square = wins_predicted.square(self.counted.tally.total)
        i, j = self.pairs.T
        wins, ties, losses = square[0][i, j], square[1][i, j], square[0][j, i]
        n = wins + ties + losses
        return {"wins": wins, "ties": ties, "losses": losses, "n_contests": n}

    def summary(self) -> "pd.DataFrame":
        """One row per algorithm: its chance against an average one, worth, and contests.

        Returns
        -------
        pandas.DataFrame
            ``measure algorithm estimate conf_low conf_high n rank worth log_worth quasi_error wins
            ties losses`` and, of a posterior, ``expected_rank rank_low rank_high prob_best``. The
            estimate is the probability to win against an algorithm of average worth; the interval
            is its own.
        """
        table = Comparison.summary(self)
        won, tied = wins_predicted.square(self.counted.tally.total)
        worth = np.exp(self.log_worth - self.log_worth.max())
        columns = {
            "worth": worth / worth.sum(),
            "log_worth": self.log_worth,
            "quasi_error": np.sqrt(np.maximum(self.quasi.variance, 0.0)),
            "wins": won.sum(axis=1),
            "ties": tied.sum(axis=1),
            "losses": won.sum(axis=0),
        }
        if self.bayes is not None:
            own = self.bayes.ranks
            low, high = own.interval(self.level)
            columns |= {
                "expected_rank": own.expected,
                "rank_low": low,
                "rank_high": high,
                "prob_best": own.best,
            }
        return frame({**{name: table[name] for name in table.columns}, **columns})

    def wins(self) -> "pd.DataFrame":
        """Return the win table: ``first second wins ties losses n_contests`` of every pair."""
        return wins_predicted.table(self)

    def predicted(self) -> "pd.DataFrame":
        """Say what the model expects of the win table that it was fitted to.

        Returns
        -------
        pandas.DataFrame
            ``first second wins expected_wins wins_low wins_high inside ties expected_ties``: wins
            observed and expected, and the 90 % interval of new contests: of a posterior by its
            predictions, else of binomial ones by the estimates. Where more pairs than 1 in 10 lie
            outside, no single worth for each algorithm tells who beats whom.
        """
        return wins_predicted.predicted(self)

    def rests_on(self) -> list[str]:
        """Return the modules and functions used whose docstrings name their sources."""
        home = "benchinfer.numerics"
        names = ["benchinfer.compare.wins", f"{home}.wins.quasi"]
        if self.bayes is not None:
            return [
                *names,
                f"{home}.wins.posterior",
                f"{home}.hmc",
                "benchinfer.compare.convergence",
            ]
        return [*names, f"{home}.wins.likelihood", f"{home}.tukey"]
