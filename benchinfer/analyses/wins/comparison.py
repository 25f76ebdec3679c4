"""Comparison by a Bradley-Terry model of wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, override

import numpy as np
from scipy.special import expit

from benchinfer.analyses.wins.counts import Counted
from benchinfer.analyses.wins.fit import FittedWorths
from benchinfer.analyses.wins.numerics import likelihood
from benchinfer.analyses.wins.numerics.likelihood import QuasiVariances, WinFit
from benchinfer.analyses.wins.numerics.posterior import WinModel, WinPriors, replicated
from benchinfer.analyses.wins.numerics.tally import Tally, Ties
from benchinfer.analyses.wins.options import WinsOptions
from benchinfer.analyses.wins.posterior import WinPosterior
from benchinfer.comparison import wording
from benchinfer.comparison.comparison import TestedComparison
from benchinfer.comparison.further import best
from benchinfer.comparison.posterior import probabilities
from benchinfer.core.frames import frame
from benchinfer.core.numbers import count
from benchinfer.core.provenance import StoredOptions
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics.covariance import Adjusted, all_pairs
from benchinfer.numerics.directions.rank_sets import RankSets, rank_sets_of_draws
from benchinfer.numerics.outcome_probabilities import directional
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd
    from xarray import DataTree


_REPLICATES, _INSIDE = 2000, 0.9


def win_square(tally: Tally) -> tuple[Array, Array]:
    """Return (K, K) wins of rows against columns, and ties, of counts over all clusters."""
    k, total = tally.n_algorithms, tally.total
    won, tied = np.zeros((k, k)), np.zeros((k, k))
    i, j = tally.pairs.T
    won[i, j], won[j, i] = total.wins[0], total.losses[0]
    tied[i, j] = tied[j, i] = total.ties[0]
    return won, tied


def _expected(result: WinsComparison, counts: Tally) -> tuple[Array, Array, Array]:
    """Return (3, P) expected wins, ties and losses, and bounds of new ones.

    New ones are of the posterior, or binomial by the estimates.
    """
    tails = (1 - _INSIDE) / 2, (1 + _INSIDE) / 2
    if result.bayes is not None:
        rng = np.random.default_rng(result.provenance.seed)
        new = replicated(result.model, result.bayes.draws, _REPLICATES, rng)
        low, high = np.quantile(new, tails, axis=1)
        return new.mean(axis=1), low, high
    from scipy.stats import binom  # half a second, which a comparison does without

    i, j = counts.pairs.T
    tie = None if result.fit is None else result.fit.tie
    n, worth = counts.n[0], result.log_worth
    shares = np.stack(likelihood.probabilities(worth[i] - worth[j], tie))
    low, high = (binom.ppf(q, np.rint(n), shares) for q in (tails[0], 1 - tails[0]))
    return n * shares, np.maximum(low, 0.0), np.maximum(high, 0.0)


_TIES = {
    "davidson": "ties were modelled with a parameter of their own (Davidson)",
    "half": "a tie counted as half a win for each side",
    "drop": "ties were left out",
}
SIZES = (
    "Wins say how often an algorithm is better, not by how much: small differences count like large"
    " ones"
)


# Odds that estimates and bounds may reach, whatever the number of contests.
_ODDS = 1000


def most_odds(tally: Tally) -> int:
    """Return the limit of finite odds: 1,000, or the number of contests if that is larger.

    Of n contests that all are won, none shows odds beyond n: those come from the model, the penalty
    and the tails of t distributions of few degrees of freedom.
    """
    return max(_ODDS, int(tally.total.n.sum()))


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
    if result.bayes is None:
        how = "penalised maximum likelihood (Firth)" if result.penalised else "maximum likelihood"
        if result.penalised and not result.options.penalised:
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
    settled = result.bayes.convergence
    chains, draws, _ = result.bayes.draws.log_worth.shape
    dependence = (
        ", with worths of each data set that depart from the common ones"
        if result.departures
        else ", all contests taken as independent given the worths"
    )
    return (
        f"A Bayesian Bradley-Terry model was fitted{dependence}{ties}. The posterior was sampled by"
        f" Hamiltonian Monte Carlo ({chains} chains of {draws:,} draws, seed"
        f" {result.provenance.seed}; largest R-hat"
        f" {max(settled.r_hat, settled.r_hat_effects):.3f})"
    )


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


def odds_of_level(k: int) -> float:
    """Return the log odds of a level per log worth: those against the other one of two algorithms.

    Of more algorithms levels are the odds against one of average worth, whose log worth is 0. Two
    have the log worths w and -w, and so the log odds 2 w.
    """
    return 2.0 if k == 2 else 1.0


@savable
@shaped(counted=SAME, quasi=SAME, fit=SAME, bayes=SAME)
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
    fit
        By maximum likelihood, None of a posterior.
    bayes
        Of a Bayesian model, else None.
    """

    _home: ClassVar[str] = "benchinfer.analyses.wins"

    counted: Counted
    quasi: QuasiVariances
    errors: str
    fit: WinFit | None
    bayes: WinPosterior | None

    _title: ClassVar[str] = "Wins (Bradley-Terry model)"
    _leans_on: ClassVar[str] = "the model of wins, with approximate errors"

    options: ClassVar[StoredOptions[WinsOptions]] = StoredOptions(WinsOptions)

    @property
    def _bayesian(self) -> bool:
        """True if verdicts rest on posterior probabilities."""
        return self.bayes is not None

    @override
    def _rank_sets(self) -> RankSets:
        """Return the sets of the best and of ranks by worths, from draws where there are some."""
        if self.bayes is not None:
            return rank_sets_of_draws(self.bayes.draws.log_worth, self.level)
        fitted = FittedWorths.of(self.counted, self.options)
        df, least = fitted.errors.of(all_pairs(len(self.algorithms))[1])
        errors, worth = Adjusted(fitted.errors.cov, df), fitted.fit.log_worth
        return best.of_normal(worth, errors, self._alpha, self.measure.margin, least)

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
        return self.fit is not None and self.fit.penalised

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
        rope, none = self.rope, "No region of equivalence is set."
        within = f"between {0.5 - rope:g} and {0.5 + rope:g}"
        if self.bayes is not None:
            share = f"more than {100 * directional(self.level):.6g} %"
            if rope == 0:
                return (
                    "A pair is decided when the posterior probability that one wins more often than"
                    f" it loses is {share}, and undecided otherwise. {none}"
                )
            return (
                "A pair is decided when the posterior probability that one wins with a probability"
                f" above {0.5 + rope:g} is {share}; it is equivalent when the probability that this"
                f" lies {within} is at least {100 * self.level:g} %; otherwise it is undecided."
            )
        alpha = f"{100 * self._alpha:.3g} %"
        test = "adjusted p-value"
        if self.alternative != "two-sided":
            side = "more" if self.alternative == "better" else "less"
            test = f"adjusted one-sided p-value, that first wins {side} often than it loses,"
        decided = f"decided when the {test} of its odds is at most {alpha}"
        if rope == 0:
            return f"A pair is {decided}, and undecided otherwise. {none}"
        return (
            "A pair is equivalent when the adjusted test that the probability of winning lies"
            f" {within} rejects at {alpha}; otherwise it is {decided}; otherwise it is undecided."
        )

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

    @property
    def _interval_note(self) -> str:
        """Note on infinite odds and bounds; empty where all are finite."""
        if self.bayes is not None or np.isfinite([self.evidence.low, self.evidence.high]).all():
            return ""
        total = count(int(self.counted.tally.total.n.sum()), "contest")
        return (
            f"Odds, and bounds of odds, beyond {most_odds(self.counted.tally):,} to 1 are open:"
            f" {total} do not show such odds."
        )

    def headline(self) -> str:
        """Return the verdict in one sentence, with its direction and its scope."""
        measure = self.counted.scored.measure
        read = self.setting.members or self.setting.coverage
        gaps = wording.gaps(read)
        if self.pairs.averages:
            return f"{self._claims(measure, self.scope())}{gaps}"
        levels, where = self.levels.estimate, self.scope()
        thin = wording.resting(read)
        headline = wording.headline(
            self.pairs.relation(), measure, where, levels, "the highest worth", thin=thin
        )
        return f"{headline}{gaps}{self._by_name}"

    def _effects(self) -> Mapping[str, Array]:
        """Return odds that the first wins, intervals, tests or probabilities, and the counts."""
        columns = dict(super()._effects())
        if self.bayes is None:
            worth = self.evidence.estimate
            beyond = np.abs(worth) > np.log(most_odds(self.counted.tally))
            odds = self.measure.effect(np.where(beyond, np.copysign(np.inf, worth), worth))
            columns |= {"estimate": odds, "prob_win": expit(worth)}
        else:
            columns = {name: columns[name] for name in ("estimate", "conf_low", "conf_high")} | {
                **probabilities(self.bayes.outcomes),
                "prob_win": self.bayes.prob_win,
                "prob_more_wins": self.bayes.more,
            }
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
        if self.bayes is not None:
            of_draws = self.bayes.ranks
            columns |= {"expected_rank": of_draws.expected, "prob_best": of_draws.best}
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
        expected, low, high = _expected(self, counts)
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
        from benchinfer.analyses.wins.compare import compare_wins
        from benchinfer.analyses.wins.numerics import posterior
        from benchinfer.analyses.wins.numerics.robust import robust_errors
        from benchinfer.comparison.posterior import settled
        from benchinfer.numerics.max_t import max_t

        used: list[object] = [compare_wins, likelihood.quasi_variances]
        if self.bayes is not None:
            return [*used, posterior.density, posterior.sample, settled]
        robust = [robust_errors] if self.errors == "robust" else []
        return [*used, likelihood.fit_wins, *robust, max_t]
