"""Posterior draws of abilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import expit

from benchinfer.analyses.wins.fit import NO_ROPE, TAILS
from benchinfer.analyses.wins.numerics import posterior
from benchinfer.analyses.wins.numerics.posterior import (
    WinDensity,
    WinDraws,
    WinModel,
    draws_of,
    prior_draws,
)
from benchinfer.analyses.wins.numerics.tally import Tally
from benchinfer.comparison.posterior import Convergence, probabilities, segments_r_hat, settled
from benchinfer.core.errors import DesignError
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics.directions.rank_sets import RankSets, rank_sets_of_draws
from benchinfer.numerics.posterior import nuts
from benchinfer.numerics.posterior.outcome_probabilities import (
    Outcomes,
    Ranks,
    average_outcomes,
    directional,
    ranks,
)
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    from xarray import Dataset, DataTree

    from benchinfer.analyses.wins.comparison import WinsComparison
    from benchinfer.core.progress import Progress


# Parameters are close to normal: half the usual warm-up, and longer steps, serve as well.
_ACCEPT, WARM_UP = 0.8, 500
_REPLICATES = 2000  # of the counts


@savable
@shaped(draws=SAME, outcomes=SAME, prob_win="P [0,1]", more="P [0,1]", ranks=SAME)
@dataclass(frozen=True, slots=True)
class WinPosterior:
    """Posterior of a Bayesian Bradley-Terry model; answers the questions of `WinLikelihood`."""

    bayesian: ClassVar[bool] = True
    penalised: ClassVar[bool] = False

    draws: WinDraws  # draws of the posterior
    # convergence, extended: whether the chains settled, and whether they had to be run on for that
    convergence: Convergence
    extended: bool
    outcomes: Outcomes  # of the contrasts of log worths, as they are on a data set not counts
    # (P,) posterior mean of the probability that the first wins a contest that is no tie
    prob_win: Array
    more: Array  # (P,) probability that it is above 1/2
    ranks: Ranks  # of the algorithms by their worths

    def expected(self, result: WinsComparison, _: Tally) -> tuple[Array, Array, Array]:
        """Return (3, P) expected wins, ties and losses, and bounds of new ones."""
        rng = np.random.default_rng(result.provenance.seed)
        new = posterior.replicated(result.model, self.draws, _REPLICATES, rng)
        low, high = np.quantile(new, TAILS, axis=1)
        return new.mean(axis=1), low, high

    def rank_sets(self, result: WinsComparison) -> RankSets:
        """Return the sets of the best and of ranks by draws of the worths."""
        return rank_sets_of_draws(self.draws.log_worth, result.level)

    def effects(self, _: WinsComparison, columns: Mapping[str, Array]) -> dict[str, Array]:
        """Return columns of contrasts: estimates, credible bounds and probabilities."""
        return {
            **{name: columns[name] for name in ("estimate", "conf_low", "conf_high")},
            **probabilities(self.outcomes),
            "prob_win": self.prob_win,
            "prob_more_wins": self.more,
        }

    def ranking(self) -> Mapping[str, Array]:
        """Return further columns of the summary: ranks and probabilities to be the best."""
        return {"expected_rank": self.ranks.expected, "prob_best": self.ranks.best}

    def sentence(self, result: WinsComparison, ties: str) -> str:
        """Return a sentence on the model, the sampler and its convergence."""
        settled = self.convergence
        chains, draws, _ = self.draws.log_worth.shape
        dependence = (
            ", with worths of each data set that depart from the common ones"
            if result.departures
            else ", all contests taken as independent given the worths"
        )
        return (
            f"A Bayesian Bradley-Terry model was fitted{dependence}{ties}. The posterior was"
            f" sampled by NUTS (nutpie; {chains} chains of {draws:,} draws, seed"
            f" {result.provenance.seed}; largest R-hat"
            f" {max(settled.r_hat, settled.r_hat_effects):.3f})"
        )

    def rule(self, result: WinsComparison) -> str:
        """Return the decision rule in words."""
        rope, share = result.rope, f"more than {100 * directional(result.level):.6g} %"
        if rope == 0:
            return (
                "A pair is decided when the posterior probability that one wins more often than"
                f" it loses is {share}, and undecided otherwise. {NO_ROPE}"
            )
        return (
            "A pair is decided when the posterior probability that one wins with a probability"
            f" above {0.5 + rope:g} is {share}; it is equivalent when the probability that this"
            f" lies between {0.5 - rope:g} and {0.5 + rope:g} is at least"
            f" {100 * result.level:g} %; otherwise it is undecided."
        )

    def interval_note(self, *_: object) -> str:
        """Return a note on infinite bounds: credible ones are finite."""
        return ""

    def sources(self, _: WinsComparison) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        return [WinDensity, nuts.sample, settled]


def sampled(
    model: WinModel, size: tuple[int, int], rng: np.random.Generator, progress: Progress | None
) -> tuple[WinDraws, Convergence, bool]:
    """Sample; once more where the draws fail the convergence checks."""

    def fit(drawn: nuts.NutsDraws) -> tuple[tuple[WinDraws, Convergence, bool], bool]:
        draws = draws_of(model, drawn.points)
        convergence = _converged(model, draws, drawn)
        return (draws, convergence, drawn.again), convergence.passed

    density = WinDensity.of(model)
    return nuts.until_settled(density, size, rng, progress, fit, accept=_ACCEPT, warm_up=WARM_UP)


def _converged(model: WinModel, draws: WinDraws, drawn: nuts.NutsDraws) -> Convergence:
    """Return the convergence diagnostics of worths, scales and departures."""
    quantities = [*np.moveaxis(draws.log_worth, 2, 0), draws.scale]
    quantities += [x for x in (draws.tie, draws.departure) if x is not None]
    between = 1.0
    if model.departures:
        # The largest split R-hat of the departures.
        departures = drawn.points[:, :, -model.departing :]
        n = departures.shape[1] // 2
        halves = np.stack([departures[:, :n], departures[:, n : 2 * n]])
        between = segments_r_hat(halves.mean(axis=2), halves.var(axis=2) * n, 2 * n)
    return settled(quantities, between, drawn.divergences)


def posterior_of(
    sampling: tuple[WinDraws, Convergence, bool], matrix: Array, margin: float, level: float
) -> WinPosterior:
    """Return the posterior of contrasts, from draws with their convergence."""
    draws, convergence, extended = sampling
    effects = draws.log_worth
    d = effects @ matrix.T
    return WinPosterior(
        draws=draws,
        convergence=convergence,
        extended=extended,
        outcomes=average_outcomes(effects, matrix, margin, level),
        prob_win=expit(d).mean(axis=(0, 1)),
        more=(d > 0).mean(axis=(0, 1)),
        ranks=ranks(effects, margin),
    )


def tree(result: WinsComparison) -> DataTree:
    """Return draws of the posterior and of the prior, and the counts."""
    from xarray import Dataset, DataTree

    inference = result.inference
    if not isinstance(inference, WinPosterior):
        raise DesignError(
            "maximum likelihood has no posterior.",
            hint='compare_wins(..., inference="bayes") draws one.',
        )
    rng = np.random.default_rng(result.provenance.seed)
    _, draws, _ = inference.draws.log_worth.shape
    counts = result.counted.tally.with_ties(result.ties).total
    names = result.algorithms
    observed = Dataset(
        {
            "wins": ("pair", counts.wins[0]),
            "ties": ("pair", counts.ties[0]),
            "losses": ("pair", counts.losses[0]),
        },
        coords={"pair": [f"{names[i]} vs {names[j]}" for i, j in counts.pairs]},
    )
    groups = {
        "posterior": _group(inference.draws, names),
        "prior": _group(prior_draws(result.model, draws, rng), names),
        "observed_data": observed,
    }
    return DataTree.from_dict(groups)


def _group(draws: WinDraws, names: tuple[str, ...]) -> Dataset:
    """Return draws by name with their dimensions."""
    from xarray import Dataset

    chains, n, _ = draws.log_worth.shape
    numbers = {"worth_scale": draws.scale, "log_nu": draws.tie, "departure_scale": draws.departure}
    variables: dict[str, Any] = {"log_worth": (("chain", "draw", "algorithm"), draws.log_worth)}
    variables |= {name: (("chain", "draw"), x) for name, x in numbers.items() if x is not None}
    axes = {"chain": np.arange(chains), "draw": np.arange(n), "algorithm": list(names)}
    return Dataset(variables, coords=axes)
