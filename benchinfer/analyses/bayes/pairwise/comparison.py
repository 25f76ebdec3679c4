"""Comparison by published Bayesian tests of each pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import numpy as np

from benchinfer.analyses.bayes.numerics.priors import PseudoObservation
from benchinfer.analyses.bayes.options import BayesPairsOptions, PairQuantity, PairTest
from benchinfer.analyses.bayes.pairwise.fit import OUTCOMES, Differences, PairPosterior
from benchinfer.analyses.bayes.pairwise.numerics.dirichlet import Walsh, concentrations, weights
from benchinfer.analyses.bayes.pairwise.numerics.pair_model import Votes, draw_hyperparameters
from benchinfer.comparison import wording
from benchinfer.comparison.checks import decisions, tables
from benchinfer.comparison.comparison import Comparison, Order
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.posterior import Convergence, codes_of, effects_of
from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.frames import frame
from benchinfer.core.numbers import count
from benchinfer.core.provenance import StoredOptions
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.core.sections import Check
from benchinfer.numerics.posterior.outcome_probabilities import Outcomes
from benchinfer.numerics.types import Array, Flags

if TYPE_CHECKING:
    import pandas as pd
    from xarray import DataTree


NAMES = {
    "corani2017": "the hierarchical model of Corani et al. (2017)",
    "signed-rank": "the Bayesian signed-rank test",
    "sign": "the Bayesian sign test",
}
_HEADINGS = {
    "corani2017": "Bayesian hierarchical test of each pair (Corani et al. 2017)",
    "signed-rank": "Bayesian signed-rank test of each pair",
    "sign": "Bayesian sign test of each pair",
}
_FORMULAS = {
    "corani2017": "difference on data set m ~ t(nu, delta0, std0); differences of its replications"
    " ~ normal, correlated by overlap",
    "signed-rank": "difference of a data set ~ Dirichlet process; outcomes of the mean of two of"
    " them",
    "sign": "difference of a data set ~ Dirichlet process; outcomes of one of them",
}


@checked
@savable
@shaped(average=SAME, following=SAME, votes=SAME, settled="P")
@dataclass(frozen=True, eq=False, repr=False)
class BayesPairsComparison(Comparison):
    """Verdicts from posterior probabilities of a published test, made for each pair by itself.

    Attributes
    ----------
    test
        The test.
    quantity
        What the verdicts are about: the ``"next"`` data set, the ``"average"`` (delta_0 of the
        hierarchical model), or which outcome is ``"dominant"``, the most probable one.
    following
        Outcomes of the pairs on the next data set (signed rank: of the mean of the next two), on
        the modelling scale.
    votes
        Posterior probabilities that each outcome is the most probable one.
    average
        Outcomes of delta_0; None for the other tests.
    differences
        What the test saw.
    convergence, extended
        Whether chains settled, and how many pairs were sampled once more; None where there are no
        chains.
    draws
        Draws of the hierarchical model, else None.
    settled
        (P,) whether each pair's chains have: others decide nothing; True where there are no chains.
    """

    _home: ClassVar[str] = "benchinfer.analyses.bayes"

    test: PairTest
    quantity: PairQuantity
    following: Outcomes
    votes: Votes
    average: Outcomes | None
    differences: Differences
    convergence: Convergence | None
    extended: int
    draws: PairPosterior | None
    settled: Flags | bool = True

    _title: ClassVar[str] = "Bayesian test of each pair"
    _leans_on: ClassVar[str] = "the prior"

    options: ClassVar[StoredOptions[BayesPairsOptions]] = StoredOptions(BayesPairsOptions)

    @property
    def _heading(self) -> str:
        """The published test, by its name."""
        return _HEADINGS[self.test]

    @property
    def prior(self) -> PseudoObservation | None:
        """The pseudo-observation of the tests with a Dirichlet process."""
        return self.options.priors

    @property
    def posterior(self) -> DataTree:
        """Draws and data of the test, as an `xarray.DataTree` that ArviZ reads.

        For the hierarchical model: ``delta0``, ``std0`` (on the modelling scale, larger is better)
        and ``nu`` with the hyperparameters ``alpha`` and ``beta`` of its prior, for each pair. For
        the other tests: ``share``, the probabilities of the three outcomes.
        """
        from xarray import Dataset, DataTree

        names = [" vs ".join(pair) for pair in self.pairs.sides]
        rng = np.random.default_rng(self.provenance.seed)
        axes: dict[str, Any] = {"pair": names, "dataset": list(self.setting.coverage.datasets)}
        seen = self.differences
        observed = Dataset(
            {
                "difference": (("pair", "dataset"), np.where(seen.n > 0, seen.mean, np.nan)),
                "n": (("pair", "dataset"), seen.n),
            },
            coords=axes,
        )
        groups = {"posterior": _posterior(self, names, rng), "observed_data": observed}
        return DataTree.from_dict(groups)

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        share = f"at least {100 * self.level:g} %"
        by, none = "", " No tolerance is set, so no pair can be called equivalent."
        if self.measure.tolerance > 0:
            by, none = f" by more than {wording.margin(self.measure)}", ""
        if self.quantity == "dominant":
            other = " or that they differ by no more" if by else ""
            return (
                f"A pair is decided by an outcome (that one is better{by}{other}) when the"
                f" posterior probability that it is the most probable outcome is {share}, and"
                f" undecided otherwise. That is not the probability of the outcome.{none}"
            )
        where = f"on the {self.next_words}"
        if self.quantity == "average":
            where = "on a typical data set (delta0)"
        equivalence = (
            f"; it is equivalent when the probability that they differ by no more is {share}"
            if by
            else ""
        )
        return (
            "A pair is decided when the posterior probability that one is better"
            f" {where}{by} is {share}{equivalence}; otherwise it is undecided.{none}"
        )

    @property
    def next_words(self) -> str:
        """Subject of the predictive probabilities, in words."""
        return "mean of the next two data sets" if self.test == "signed-rank" else "next data set"

    @property
    def formula(self) -> str:
        """The model in one line."""
        return _FORMULAS[self.test]

    @property
    def method(self) -> str:
        """The method, in sentences for a methods section."""
        shared = self.differences.datasets
        sets = (
            f"{shared.min()}"
            if shared.min() == shared.max()
            else f"{shared.min()} to {shared.max()}"
        )
        scale = "" if self.measure.scale == "identity" else f" on the {self.measure.scale} scale"
        return (
            f"The scores of {self.measure.noun}{scale} were compared by {NAMES[self.test]},"
            f" each of {count(len(self.pairs), 'pair')} by itself on the {sets} data sets that have"
            f" scores of both algorithms. {self._how()} (seed {self.options.seed})."
            f" {self.provenance.adjustment}."
        )

    def _how(self) -> str:
        """Describe how probabilities were computed."""
        if self.convergence is not None and self.draws is not None:
            return (
                "Its posterior was sampled by NUTS (nutpie;"
                f" {self.options.chains} chains of {self.options.draws:,} draws; largest R-hat"
                f" {max(self.convergence.r_hat, self.convergence.r_hat_effects):.3f})"
            )
        prior = self.prior
        words = "" if prior is None else f"{prior.strength:g}, placed at {prior.place!r}"
        drawn = (
            "Probabilities are exact, intervals are drawn"
            if self.test == "sign"
            else f"Which outcome is ahead is from {self.options.draws:,} draws"
        )
        return f"The pseudo-observation has strength {words}. {drawn}"

    @property
    def _intervals(self) -> str:
        """Kind of the intervals of the contrasts, in words."""
        of = {"next": "the next data set", "average": "delta0", "dominant": "the next data set"}
        what = of[self.quantity] if self.test == "corani2017" else "the mean difference"
        return f"{100 * self.level:g} % credible intervals of {what}, each pair alone"

    def scope(self) -> str:
        """Return what the claims are about, in words."""
        where = "on the mean of the next two of"
        if self.test != "signed-rank":
            where = "on the next one of"
        if self.quantity == "dominant":
            where = f"by the most probable outcome {where}"
        if self.quantity == "average":
            where = wording.TYPICAL
        return wording.scope(self.setting, self.target, where=where)

    def _sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        from benchinfer.analyses.bayes.pairwise.numerics.dirichlet import signed_rank_test
        from benchinfer.analyses.bayes.pairwise.numerics.pair_model import PairDensity
        from benchinfer.comparison import posterior
        from benchinfer.numerics.posterior import nuts

        if self.test == "corani2017":
            return [PairDensity, nuts.sample, posterior.settled]
        return [signed_rank_test]

    @property
    def outcomes(self) -> Outcomes:
        """Outcomes of the pairs for the quantity that verdicts are about."""
        return self.of_quantity(self.quantity)

    def of_quantity(self, quantity: PairQuantity) -> Outcomes:
        """Return the outcomes of the pairs for a quantity.

        Parameters
        ----------
        quantity
            ``"next"``, ``"average"`` or ``"dominant"``.

        Raises
        ------
        DesignError
            The test has no such quantity.
        """
        if quantity not in (known := get_args(PairQuantity.__value__)):
            raise DesignError(unknown("quantity", quantity, known))
        if quantity == "next":
            return self.following
        if quantity == "dominant":
            v = self.votes
            return replace(
                self.following,
                first=v.first,
                equivalent=v.equivalent,
                second=v.second,
                error=v.error,
            )
        if self.average is None:
            raise DesignError(
                f"{NAMES[self.test]} says nothing of the average difference.",
                hint='quantity="next" or "dominant"; test="corani2017" has the average.',
            )
        return replace(self.average, dominant=self.following.dominant)

    def of(self, quantity: PairQuantity) -> BayesPairsComparison:
        """Return the same comparison with verdicts about another quantity.

        Parameters
        ----------
        quantity
            ``"next"`` data set, ``"average"`` (of the hierarchical model), or ``"dominant"``: the
            rule of the papers, which decide by which outcome is the most probable one.

        Raises
        ------
        DesignError
            The test has no such quantity.
        """
        codes = codes_of(
            self.of_quantity(quantity), self.level, settled=self.settled, published=True
        )
        result = replace(self, quantity=quantity, pairs=replace(self.pairs, codes=codes))
        return decisions.informed(replace(result, stored_checks=checks(result)))

    def _effects(self) -> Mapping[str, Array]:
        """Return estimate, interval and probabilities of the pairs, in the measure's own unit."""
        dominant = {"p_dominant": np.asarray(self.following.dominant)}
        return effects_of(self.outcomes, self.measure, self.quantity) | dominant

    def contrasts(
        self,
        quantity: PairQuantity | None = None,
        *,
        order: Order = "fixed",
        all: bool = False,  # noqa: A002
    ) -> pd.DataFrame:
        """One row per pair of algorithms.

        Parameters
        ----------
        quantity
            ``"next"``, ``"average"`` or ``"dominant"``; by default what verdicts are about.
        order, all
            As of every comparison: ``order="result"`` has the better-ranked first, ``all=True`` all
            columns.

        Returns
        -------
        pandas.DataFrame
            ``first second estimate conf_low conf_high prob_first ... verdict``, with `all` also
            ``measure quantity prob_error p_dominant winner``; see the glossary.
        """
        if quantity is not None:
            return self.of(quantity).contrasts(order=order, all=all)
        return super().contrasts(order=order, all=all)

    def shrunken(self) -> pd.DataFrame:
        """Return the difference of each pair on each data set, by itself and by the model.

        The hierarchical model draws what a data set says to the average over data sets, the more
        the fewer or the more variable its replications.

        Returns
        -------
        pandas.DataFrame
            ``measure first second dataset n estimate shrunken std_error``: number of shared
            replications, their mean difference, the posterior mean of the true one (of ratios,
            that of their logarithms), and its posterior standard deviation on the modelling scale.
            Data sets that are left out of a pair have no row.

        Raises
        ------
        DesignError
            The test has no model of all data sets.
        """
        if self.draws is None:
            raise DesignError(
                f"{NAMES[self.test]} takes each data set's mean difference as it is.",
                hint='test="corani2017" draws them to their average.',
            )
        pair, at = np.nonzero(self.differences.n)
        sides, names = self.pairs.sides, self.setting.coverage.datasets
        return frame(
            {
                "measure": [self.measure.name] * len(pair),
                "first": [sides[p][0] for p in pair],
                "second": [sides[p][1] for p in pair],
                "dataset": [names[m] for m in at],
                "n": self.differences.n[pair, at],
                "estimate": self.measure.effect(self.differences.mean[pair, at]),
                "shrunken": self.measure.effect(self.draws.effect[pair, at]),
                "std_error": self.draws.effect_sd[pair, at],
            }
        )

    def dominance(self) -> pd.DataFrame:
        """Return the posterior probability that each outcome is the most probable one.

        These are the three numbers that the papers print for a pair. They say how sure it is which
        outcome is ahead, not how probable that outcome is.

        Returns
        -------
        pandas.DataFrame
            ``measure first second dominant_first dominant_equivalent dominant_second
            dominant_error n_datasets``. Data sets that lack scores of one of the pair are left out.
        """
        sides, v = self.pairs.sides, self.votes
        return frame(
            {
                "measure": [self.measure.name] * len(sides),
                "first": [one for one, _ in sides],
                "second": [other for _, other in sides],
                "dominant_first": v.first,
                "dominant_equivalent": v.equivalent,
                "dominant_second": v.second,
                "dominant_error": v.error,
                "n_datasets": self.differences.datasets,
            }
        )


def checks(result: BayesPairsComparison) -> tuple[Check, ...]:
    """Return the checks of the finished comparison."""
    setting, differences = result.setting, result.differences
    by_chains, rows = result.convergence is not None, list[Check]()
    if result.convergence is not None:
        chains, draws = result.options.size
        words = f"{chains} x {draws} draws"
        words += f" ({count(result.extended, 'pair')} sampled twice)" if result.extended else ""
        rows += result.convergence.checks(words)
    error = max(float(result.following.error.max()), float(result.votes.error.max()))
    mean = differences.mean.sum(axis=1)
    n = len(set(setting.domains))
    row = Check.of(
        "domains taken as one",
        n,
        1.0,
        sentence=f"The {n} domains of the data sets are taken as one.",
        remedy='This test takes data sets as alike; compare_bayes(..., domains="random")'
        " makes domains a level of the model.",
    )
    return (
        *rows,
        decisions.monte_carlo_error(error),
        *tables.of_table(setting),
        *_shared_datasets(result),
        tables.number_of_datasets(setting),
        *([row] if n > 1 else []),
        decisions.other_sign_of_means(result.pairs.codes, mean, result.pairs.oriented()),
        *(_replications(setting, differences) if by_chains else ()),
        tables.thin_cells(setting, "the test"),
        tables.tolerance(setting.measure),
    )


def _shared_datasets(result: BayesPairsComparison) -> list[Check]:
    """Return the checks of the data sets of pairs, and of those left out."""
    total, shared = len(result.setting.coverage.datasets), result.differences.datasets
    fewest = int(shared.argmin())
    names = " and ".join(result.algorithms[k] for k in result.pairs.index[fewest])
    return [
        Check.of(
            "fewest data sets of a pair",
            shared[fewest],
            tables.PRIOR_MATTERS,
            least=True,
            sentence=f"{names} share only {count(int(shared[fewest]), 'data set')}, which leaves"
            " much to the prior.",
            remedy="Run both on more data sets.",
        ),
        Check.of(
            "data sets left out of a pair",
            total - shared[fewest],
            sentence=f"{names} are compared on {shared[fewest]} of {total} data sets, the fewest"
            " of all pairs.",
            remedy="Data sets that lack scores of one of the two are left out, which is fair"
            " only if scores are not missing because they are bad.",
        ),
    ]


def _replications(setting: Setting, differences: Differences) -> list[Check]:
    """Return the checks of the replications of the hierarchical model."""
    same, cases = int(differences.constant.sum()), int((differences.n > 0).sum())
    resampling = setting.resampling
    declared = resampling is not None and resampling.overlap is not None
    return [
        Check.of(
            "differences that repeat exactly",
            same,
            sentence=f"In {same:,} of {cases:,} cases of a pair and a data set differences do not"
            " vary.",
            remedy="As in the paper they are given noise within the tolerance.",
        ),
        Check.of(
            "overlap of training sets declared",
            float(declared),
            1.0,
            least=True,
            concerns="verdict",
            sentence="How much training sets overlap is not declared: replications count as"
            " independent.",
            remedy="The published test takes their correlation to be 1 / folds: to set it,"
            ' declare resampling="cv:FOLDS".',
        ),
    ]


_SHARES = 4000  # draws of the outcomes' probabilities, which no result holds


def _posterior(result: BayesPairsComparison, names: list[str], rng: np.random.Generator) -> Any:
    """Return the draws as a data set."""
    from xarray import Dataset

    if (draws := result.draws) is None:
        shares = np.stack([_shares(result, p, rng) for p in range(len(names))], axis=1)
        return Dataset(
            {"share": (("chain", "draw", "pair", "outcome"), shares[None])},
            coords={
                "chain": [0],
                "draw": np.arange(len(shares)),
                "pair": names,
                "outcome": list(OUTCOMES),
            },
        )
    alpha, beta = draw_hyperparameters(draws.nu, rng)
    parts = {"delta0": draws.centre, "std0": draws.std, "nu": draws.nu, "alpha": alpha}
    parts["beta"] = beta
    _, c, t = draws.nu.shape
    return Dataset(
        {name: (("chain", "draw", "pair"), np.moveaxis(x, 0, 2)) for name, x in parts.items()},
        coords={"chain": np.arange(c), "draw": np.arange(t), "pair": names},
    )


def _shares(result: BayesPairsComparison, p: int, rng: np.random.Generator) -> Array:
    """Draw (N, 3) probabilities of the outcomes of one pair."""
    seen, margin, prior = result.differences, result.measure.margin, result.prior
    z = seen.mean[p][seen.n[p] > 0]
    strength = 0.0 if prior is None else prior.strength or 0.0
    side = 1 if prior is None else OUTCOMES.index(prior.place)
    if result.test == "signed-rank":
        at = (np.inf, 0.0, -np.inf)[side]
        walsh = Walsh.of(z, margin, seen.size, strength, at)
        drawn = weights(walsh.concentration, _SHARES, rng)
        return np.concatenate([walsh.outcomes(part) for part in drawn])
    alpha = concentrations(z, margin, seen.size, strength * np.eye(3)[side])
    drawn = np.concatenate(list(weights(alpha, _SHARES, rng)))
    drawn /= drawn.sum(axis=1, keepdims=True)
    if margin > 0:
        return drawn
    half = drawn[:, 1] / 2
    return np.stack([drawn[:, 0] + half, np.zeros(len(drawn)), drawn[:, 2] + half], axis=1)
