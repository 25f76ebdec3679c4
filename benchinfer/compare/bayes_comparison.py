"""The comparison that a hierarchical model gives: verdicts by probability, ranks, the posterior."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare import bayes_words
from benchinfer.compare.bayes_checked import Checked
from benchinfer.compare.comparison import Comparison
from benchinfer.compare.convergence import Convergence
from benchinfer.compare.evidence import Array
from benchinfer.compare.kept import Kept
from benchinfer.compare.local import Comparisons
from benchinfer.compare.posterior_verdicts import codes_of
from benchinfer.errors import DesignError, message, unknown
from benchinfer.frames import frame
from benchinfer.numerics.bayes.gibbs import Model, Structure
from benchinfer.numerics.bayes.outcomes import Outcomes, Ranks
from benchinfer.numerics.bayes.priors import Priors
from benchinfer.numerics.bayes.reduction import ContrastData
from benchinfer.saving import savable

if TYPE_CHECKING:
    import pandas as pd
    from xarray import DataTree

    from benchinfer.compare.pymc_model import PyMCModel
    from benchinfer.progress import Progress
    from benchinfer.scores import ScoreTable

type Quantity = Literal["average", "next"]


@savable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BayesComparison(Checked, Comparison):
    """Verdicts from posterior probabilities of a hierarchical model.

    Attributes
    ----------
    quantity
        What the verdicts are about: ``"average"`` effects or the ``"next"`` data set.
    structure
        Covariance of the interactions: ``"common"`` or ``"unstructured"``.
    average, following
        Outcomes of the pairs on average and on the next data set, on the modelling scale; None for
        the next one where claims are about these data sets.
    ranks, ranks_following
        Ranks of the algorithms, likewise.
    data
        What the model saw of the scores.
    convergence, extended
        Whether the chains settled, and whether they had to be run on for that.
    draws
        Draws of the posterior.
    domain
        (M,) domain of each of the model's data sets, None where they are taken as one.
    about
        What domain the claims are about, in words; empty where they are about all.
    """

    quantity: Quantity
    structure: Structure
    average: Outcomes
    following: Outcomes | None
    ranks: Ranks
    ranks_following: Ranks | None
    data: ContrastData
    convergence: Convergence
    extended: bool
    draws: Kept
    domain: NDArray[np.int64] | None = None
    about: str = ""

    title: ClassVar[str] = "Hierarchical Bayesian model"

    @property
    def priors(self) -> Priors:
        """The priors used."""
        found = self.provenance.arguments["priors"]
        return found if isinstance(found, Priors) else Priors()

    @property
    def interactions(self) -> str:
        """Distribution of the interactions: ``"t"`` or ``"normal"``."""
        return str(self.provenance.arguments["interactions"])

    @property
    def posterior(self) -> "DataTree":
        """Draws and observations as an `xarray.DataTree`, which ArviZ reads.

        Effects are on the modelling scale, larger is better, and sum to 0 over the algorithms.
        Groups are ``posterior``, ``prior``, ``prior_predictive`` (contrasts of the data sets),
        ``sample_stats``, ``observed_data``, and, for every so many draws, ``log_likelihood`` (per
        data set, with its interactions and its scales integrated out), ``log_prior`` and
        ``posterior_predictive`` (data sets drawn anew). ``posterior.to_netcdf`` and
        ``posterior.to_zarr`` save it.
        """
        from benchinfer.compare.bayes_tree import groups

        return self.draws.tree(self.setting, self.data, groups(self))

    @property
    def sampled(self) -> Model:
        """What was sampled, as both engines read it."""
        interactions = "t" if self.interactions == "t" else "normal"
        return Model(self.data, interactions, self.structure, self.priors, self.domain)

    def model(self) -> "PyMCModel":
        """Return the model in PyMC: the same posterior, to look at or to build upon.

        Returns
        -------
        pymc.Model
            In units of ``result.data.scale``; what its variables are stands in
            `benchinfer.compare.pymc_model`.
        """
        from benchinfer.compare.pymc_model import pymc_model

        names = {
            "dataset": [self.setting.coverage.datasets[m] for m in self.data.dataset],
            "algorithm": list(self.algorithms),
            **({} if self.domain is None else {"domain": sorted(set(self.setting.domains))}),
        }
        return pymc_model(self.sampled, names)

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        return bayes_words.rule(self)

    @property
    def formula(self) -> str:
        """The model in one line."""
        return bayes_words.formula(self)

    @property
    def method(self) -> str:
        """What was done, in sentences for a methods section."""
        return bayes_words.method(self)

    @property
    def intervals(self) -> str:
        """What the intervals of the contrasts are, in words."""
        return f"{100 * self.level:g} % credible intervals of each pair alone"

    def scope(self) -> str:
        """Return what the claims are about, in words."""
        return bayes_words.scope(self)

    def rests_on(self) -> list[str]:
        """Return the modules and functions used whose docstrings name their sources."""
        return bayes_words.rests_on(self)

    @property
    def outcomes(self) -> Outcomes:
        """Outcomes of the pairs for the quantity that verdicts are about."""
        chosen = self.following if self.quantity == "next" else self.average
        return self.average if chosen is None else chosen

    def of(self, quantity: Quantity) -> "BayesComparison":
        """Return the same comparison with verdicts about another quantity.

        Parameters
        ----------
        quantity
            ``"average"`` or ``"next"``.

        Raises
        ------
        DesignError
            The quantity is not known, or claims are about these data sets.
        """
        if quantity not in (known := get_args(Quantity.__value__)):
            raise DesignError(unknown("quantity", quantity, known))
        if quantity == "next" and self.following is None:
            raise DesignError(
                message(
                    f"the comparison is {self.about or 'about these data sets'}, not about the next"
                    " data set.",
                    hint='compare with target="domain"; the next data set is one of all domains.',
                )
            )
        other = replace(self, quantity=quantity)
        return replace(other, codes=codes_of(other.outcomes, self.level))

    def by_domain(self) -> Comparisons:
        """Compare the algorithms on average in each domain, and in a new domain.

        Returns
        -------
        Comparisons
            Domain to comparison; the last, ``"new domain"``, is about one not seen yet.

        Raises
        ------
        DesignError
            The domains are no level of the model: ask for ``domains="random"``.
        """
        from benchinfer.compare.bayes_domains import by_domain

        return by_domain(self)

    def effects(self) -> Mapping[str, Array]:
        """Return estimate, interval and probabilities of the pairs, in the measure's own unit."""
        found = self.outcomes
        low, high = self.measure.effect_interval(found.low, found.high)
        return {
            "estimate": self.measure.effect(found.estimate),
            "conf_low": low,
            "conf_high": high,
            "prob_first": found.first,
            "prob_equivalent": found.equivalent,
            "prob_second": found.second,
            "prob_error": found.error,
            **({} if found.dominant is None else {"p_dominant": found.dominant}),
        }

    def contrasts(self, quantity: Quantity | None = None) -> "pd.DataFrame":
        """One row per pair of algorithms.

        Parameters
        ----------
        quantity
            ``"average"`` or ``"next"``; by default what verdicts are about.

        Returns
        -------
        pandas.DataFrame
            ``measure first second estimate ... verdict winner``; see the glossary. The estimate is
            the posterior mean of the average difference for either quantity, as that is the
            expected difference on the next data set, too.
        """
        chosen = self if quantity is None else self.of(quantity)
        table = Comparison.contrasts(chosen)
        table.insert(list(table.columns).index("prob_first"), "quantity", chosen.quantity)
        return table

    def summary(self) -> "pd.DataFrame":
        """One row per algorithm: its level, ranks, and probabilities to be the best.

        Returns
        -------
        pandas.DataFrame
            ``measure algorithm estimate conf_low conf_high n rank expected_rank rank_low rank_high
            prob_best`` and, for claims about the domain, ``prob_best_next prob_near_best``.
            Intervals are of the algorithm's effect on top of what data sets have in common.
        """
        table = Comparison.summary(self)
        low, high = self.ranks.interval(self.level)
        columns = {
            "expected_rank": self.ranks.expected,
            "rank_low": low,
            "rank_high": high,
            "prob_best": self.ranks.best,
        }
        if self.ranks_following is not None:
            columns["prob_best_next"] = self.ranks_following.best
            columns["prob_near_best"] = self.ranks_following.near
        return frame({**{name: table[name] for name in table.columns}, **columns})

    def sensitivity(
        self,
        scores: "ScoreTable | None" = None,
        *,
        draws: int = 400,
        progress: "Progress | bool | None" = None,
    ) -> "pd.DataFrame":
        """Say who is best by models that differ in one thing each: each is sampled anew.

        Parameters
        ----------
        scores
            The table that was compared, for other scales (those that its scores have room on:
            log above 0, logit between 0 and 1).
        draws
            Draws of each chain; an even number. Fewer than for the comparison will do.
        progress
            As in `compare_bayes`.

        Returns
        -------
        pandas.DataFrame
            ``measure variant algorithm prob_best prob_best_next``: the comparison itself, the other
            interactions, the other structure (of three algorithms or more), priors twice as wide,
            and the other scales. On another scale, "on average" is about other differences.

        Raises
        ------
        DesignError
            The table is not the one that was compared.
        """
        from benchinfer.compare import bayes_sensitivity
        from benchinfer.progress import reporting

        with reporting(progress=progress, doing="Sampling:") as told:
            return bayes_sensitivity.sensitivity(self, scores, draws, told)
