"""The comparison that a hierarchical model gives: verdicts by probability, ranks, the posterior."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare import bayes_checks, bayes_covariates, bayes_words, cautions
from benchinfer.compare.bayes_beside import Beside
from benchinfer.compare.bayes_checked import Checked
from benchinfer.compare.bayes_covariates import Along
from benchinfer.compare.bayes_rules import Rule, check_rule, in_unit, verdict_codes
from benchinfer.compare.comparison import Comparison
from benchinfer.compare.convergence import Convergence
from benchinfer.compare.evidence import Array
from benchinfer.compare.kept import Kept
from benchinfer.compare.local import Comparisons
from benchinfer.compare.posterior_verdicts import probabilities
from benchinfer.errors import DesignError, message, unknown
from benchinfer.frames import frame
from benchinfer.numerics.bayes.gibbs import Model, Structure
from benchinfer.numerics.bayes.outcomes import Outcomes, Ranks
from benchinfer.numerics.bayes.priors import Priors
from benchinfer.numerics.bayes.reduction import ContrastData
from benchinfer.numerics.bayes.regret import Regrets
from benchinfer.order.relation import Relation
from benchinfer.saving import savable

if TYPE_CHECKING:
    import pandas as pd
    from xarray import DataTree

    from benchinfer.compare.pymc_model import PyMCModel

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
    regret, regret_following
        Expected regrets of choosing an algorithm, on average and on the next data set, likewise.
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
    decision
        What verdicts go by: ``"threshold"``, ``"regret"`` or ``"vote"``.
    beside
        What other models say by few draws, None where they were not asked.
    along
        Covariates of the data sets, and where along them claims are made; None without them.
    """

    quantity: Quantity
    structure: Structure
    average: Outcomes
    following: Outcomes | None
    ranks: Ranks
    ranks_following: Ranks | None
    regret: Regrets
    regret_following: Regrets | None
    data: ContrastData
    convergence: Convergence
    extended: bool
    draws: Kept
    domain: NDArray[np.int64] | None = None
    about: str = ""
    decision: Rule = "threshold"
    beside: Beside | None = None
    along: Along | None = None

    title: ClassVar[str] = "Hierarchical Bayesian model"

    @property
    def priors(self) -> Priors:
        """The priors used."""
        found = self.provenance.arguments["priors"]
        return found if isinstance(found, Priors) else Priors()

    @property
    def unused_priors(self) -> frozenset[str]:
        """Names of priors that the model does not have."""
        levels = {"domain_scale": self.domain, "slope_sd": self.along}
        unused = {name for name, level in levels.items() if level is None}
        if self.interactions != "t":
            unused |= {"tail_shape", "tail_rate"}
        if self.structure == "common":
            unused |= {"shrinkage_median", "shrinkage_sd"}
        if not self.data.noisy:
            unused |= {"residual_sd", "residual_spread"}
        return frozenset({*unused, "level_sd", "level_scale", "item_scale"})

    @property
    def prior_unit(self) -> str:
        """What priors are in units of, in words."""
        unit = f"{self.data.scale:.4g}"
        return f"in units of {unit}, the spread of the algorithms on the modelling scale"

    @property
    def interactions(self) -> str:
        """Distribution of the interactions: ``"t"`` or ``"normal"``."""
        return str(self.provenance.arguments["interactions"])

    @property
    def typical(self) -> bool:
        """Whether averages are the centre of t interactions, that of a typical data set."""
        return self.interactions == "t" and self.target == "domain"

    @property
    def average_words(self) -> str:
        """Where the average effects hold, in words."""
        return "on a typical data set" if self.typical else "on average"

    @property
    def posterior(self) -> "DataTree":
        """Draws and observations as an `xarray.DataTree`, which ArviZ reads.

        Effects are on the modelling scale, larger is better, and sum to 0 over the algorithms. They
        are those at the means of the covariates, wherever `at` has gone; slopes are beside them.
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
        scaled = None if self.along is None else self.along.scaled
        return Model(self.data, interactions, self.structure, self.priors, self.domain, scaled)

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
            **({} if self.along is None else {"covariate": list(self.along.names)}),
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

    @property
    def costs(self) -> Regrets:
        """Expected regrets for the quantity that verdicts are about."""
        chosen = self.regret_following if self.quantity == "next" else self.regret
        return self.regret if chosen is None else chosen

    def of(self, quantity: Quantity | None = None, *, rule: Rule | None = None) -> Self:
        """Return the same comparison with verdicts about another quantity, or by another rule.

        Parameters
        ----------
        quantity
            ``"average"`` or ``"next"``; by default as it is.
        rule
            ``"threshold"``, ``"regret"`` or ``"vote"``, as in `compare_bayes`; by default as it is.

        Raises
        ------
        DesignError
            The quantity or the rule is not known or does not go with the other or the measure, or
            claims are about these data sets.
        """
        quantity, rule = quantity or self.quantity, rule or self.decision
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
        check_rule(rule, self.measure, quantity, "pooled" if self.domain is None else "random")
        other = replace(self, quantity=quantity, decision=rule)
        if rule == "vote" and other.outcomes.dominant is None:
            raise DesignError(
                message(
                    "the next data set's probabilities are shares of draws here, of which each is"
                    " certain: there is nothing to vote on.",
                    hint='rule="threshold" goes with it.',
                )
            )
        margin = self.measure.margin
        settled = self.convergence.settled
        codes = verdict_codes(
            rule, other.outcomes, other.costs, margin, self.level, settled=settled
        )
        matrix = bayes_covariates.contrast_matrix(self)
        row = bayes_checks.other_sign(self.setting, self.data, matrix, self.named_sides(), codes)
        return replace(other, codes=codes, checks=cautions.renewed(self.checks, row))

    def relation(self, rule: str = "evidence") -> Relation:
        """Return the preference relation.

        Parameters
        ----------
        rule
            ``"evidence"``: the verdicts as they stand; or ``"threshold"``, ``"regret"`` or
            ``"vote"``, as in `compare_bayes`.

        Raises
        ------
        DesignError
            The rule does not exist, or does not go with the quantity or the measure.
        """
        if rule == "evidence":
            return Comparison.relation(self)
        if rule not in (known := get_args(Rule.__value__)):
            raise DesignError(unknown("rule", rule, ["evidence", *known]))
        chosen: Rule = next(name for name in known if name == rule)
        return Comparison.relation(self.of(rule=chosen))

    def regrets(self) -> "pd.DataFrame":
        """Return what choosing an algorithm is expected to cost.

        The regret of a choice is how much better the best algorithm is. Regrets are cut off at the
        range of the measure where its ``bounds`` are declared, else at the largest difference
        between two algorithms' means on one data set (``regret.cap``, on the modelling scale).

        Returns
        -------
        pandas.DataFrame
            One row per quantity and algorithm: ``measure quantity algorithm expected_regret
            regret_error prob_near_best prob_error``, in the unit of the tolerance (relative on the
            log scale, log-odds on the logit scale). `prob_near_best` is the probability of a regret
            within the tolerance.
        """
        from benchinfer.compare.bayes_tables import regrets

        return regrets(self)

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

    def at(self, **covariates: float) -> "BayesComparison":
        """Compare the algorithms at given values of covariates, others at their means.

        The next data set is then one with these values. Its probabilities are shares of draws.

        Raises
        ------
        DesignError
            A covariate is not in the model, or claims are about these data sets.
        """
        return bayes_covariates.at(self, covariates)

    def slopes(self) -> "pd.DataFrame":
        """Contrasts of the algorithms' slopes along the covariates, per unit of them.

        Returns
        -------
        pandas.DataFrame
            The columns of `contrasts` after a leading ``covariate``, but for what is about
            equivalence: the algorithm with the better slope gains more as the covariate grows.

        Raises
        ------
        DesignError
            The model has no covariates.
        """
        return bayes_covariates.slopes(self)

    def effects(self) -> Mapping[str, Array]:
        """Return estimate, interval and probabilities of the pairs, in the measure's own unit."""
        found, costs = self.outcomes, {}
        if self.decision == "regret":
            costs = {
                "regret_first": in_unit(self.measure, self.costs.first),
                "regret_second": in_unit(self.measure, self.costs.second),
            }
        low, high = self.measure.effect_interval(found.low, found.high)
        return {
            "estimate": self.measure.effect(found.estimate),
            "conf_low": low,
            "conf_high": high,
            **probabilities(found),
            **costs,
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
            ``measure first second estimate ... verdict winner``; see the glossary. With verdicts by
            ``rule="regret"``, what either choice is expected to cost, too. The estimate is the
            posterior mean of the average difference for either quantity, as that is the
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
            prob_best expected_regret`` and, for claims about the domain, ``prob_best_next
            prob_near_best expected_regret_next``. Regrets are as in `regrets`.
            Intervals are of the algorithm's effect on top of what data sets have in common.
        """
        table = Comparison.summary(self)
        low, high = self.ranks.interval(self.level)
        columns = {
            "expected_rank": self.ranks.expected,
            "rank_low": low,
            "rank_high": high,
            "prob_best": self.ranks.best,
            "expected_regret": in_unit(self.measure, self.regret.expected),
        }
        if self.ranks_following is not None and self.regret_following is not None:
            columns["prob_best_next"] = self.ranks_following.best
            columns["prob_near_best"] = self.ranks_following.near
            columns["expected_regret_next"] = in_unit(self.measure, self.regret_following.expected)
        return frame({**{name: table[name] for name in table.columns}, **columns})
