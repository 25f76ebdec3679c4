"""Comparison by a hierarchical Bayesian model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self, get_args, override

import numpy as np

from benchinfer.analyses.bayes import diagnostics, subgroups
from benchinfer.analyses.bayes.fit import (
    BayesFit,
    PosteriorDraws,
    posterior_draws,
    predictive_groups,
    sources,
    tree,
)
from benchinfer.analyses.bayes.numerics import next_dataset
from benchinfer.analyses.bayes.numerics.contrasts import ContrastData
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel, Structure
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.options import BayesOptions, Quantity
from benchinfer.analyses.bayes.sensitivity import OtherModels
from benchinfer.analyses.bayes.subgroups import Along
from benchinfer.comparison import wording
from benchinfer.comparison.comparison import Comparison, Order, Target
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.comparison.posterior import Convergence, codes_of, effects_of, level_of
from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError, optional, unknown
from benchinfer.core.numbers import count, join
from benchinfer.core.progress import Progress, reporting
from benchinfer.core.provenance import StoredOptions
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.core.sections import Check
from benchinfer.numerics.directions.rank_sets import RankSets, rank_sets_of_draws
from benchinfer.numerics.posterior.outcome_probabilities import (
    Outcomes,
    Ranks,
    average_outcomes,
    directional,
    ranks,
)
from benchinfer.numerics.types import Array, Codes

if TYPE_CHECKING:
    import pandas as pd
    from xarray import DataTree

    from benchinfer.analyses.bayes.leave_one_out import LeaveOneOut
    from benchinfer.analyses.bayes.predictive_checks import PredictiveChecks
    from benchinfer.analyses.bayes.pymc_model import PyMCModel
    from benchinfer.scores.table import ScoreTable


_STRUCTURES = {
    "common": "one variance of the interactions for all pairs",
    "unstructured": "an unstructured covariance of the interactions with estimated shrinkage",
}


def unused_effect_priors(result: BayesComparison) -> set[str]:
    """Return the names of priors of effects and interactions that the model does not have."""
    # Of the two priors of the average effects one replaces the other.
    unused = {"effect_sd" if result.priors.effect_sd is None else "effect_scale"}
    if result.domain is None:
        unused.add("domain_scale")
    if result.interactions != "t":
        unused |= {"tail_shape", "tail_rate"}
    if result.structure == "common":
        unused |= {"shrinkage_median", "shrinkage_sd"}
    return unused


@checked
@savable
@shaped(average=SAME, following=SAME, ranks=SAME, ranks_following=SAME)
@dataclass(frozen=True, eq=False, repr=False)
class BayesComparison(Comparison):
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
    other_models
        Answers of other models by few draws, None without them.
    along
        Covariates of the data sets, and where along them claims are made; None without them.
    """

    _home: ClassVar[str] = "benchinfer.analyses.bayes"

    quantity: Quantity
    structure: Structure
    average: Outcomes
    following: Outcomes | None
    ranks: Ranks
    ranks_following: Ranks | None
    data: ContrastData
    convergence: Convergence
    extended: bool
    draws: PosteriorDraws
    domain: Codes | None = None
    about: str = ""
    other_models: OtherModels | None = None
    along: Along | None = None

    _title: ClassVar[str] = "Hierarchical Bayesian model"
    sampler: ClassVar[str] = "Gibbs sampling"
    _leans_on: ClassVar[str] = "the model and its priors"
    _decides_sooner: ClassVar[str] = "not adjusted for many pairs; erratic data sets weigh less"
    _decides_later: ClassVar[str] = "it shrinks differences by the spread that all show"

    options: ClassVar[StoredOptions[BayesOptions]] = StoredOptions(BayesOptions)

    @property
    def priors(self) -> Priors:
        """The priors used."""
        return self.options.model_priors

    @property
    def unused_priors(self) -> frozenset[str]:
        """Names of priors that the model does not have."""
        unused = {*unused_effect_priors(self), "level_sd", "level_scale", "item_scale"}
        if self.along is None:
            unused.add("slope_sd")
        if not self.data.noisy:
            unused |= {"residual_sd", "residual_spread"}
        return frozenset(unused)

    @property
    def prior_unit(self) -> str:
        """Unit of the priors, in words."""
        unit = f"{self.data.scale:.4g}"
        return f"in units of {unit}, the spread of the algorithms on the modelling scale"

    @property
    def interactions(self) -> str:
        """Distribution of the interactions: ``"t"`` or ``"normal"``."""
        return self.options.interactions

    @property
    def typical(self) -> bool:
        """True if averages are the centre of t interactions, that of a typical data set."""
        return self.interactions == "t" and self.target == "domain"

    @property
    def average_words(self) -> str:
        """Scope of the average effects, in words."""
        return "on a typical data set" if self.typical else "on average"

    @property
    def _level_note(self) -> str:
        """Note on the estimator of the levels in the summary."""
        return (
            "Levels are means of the posterior; an interval is wider than equal-tailed where it"
            " would not hold the mean."
        )

    @property
    def _level_words(self) -> str:
        """Scope of the levels in the summary, in words; empty where it is the mean."""
        return self.average_words if self.typical else ""

    @property
    def posterior(self) -> DataTree:
        """Draws and observations as an `xarray.DataTree`, which ArviZ reads.

        Effects are on the modelling scale, larger is better, and sum to 0 over the algorithms;
        ``level`` has the levels of the algorithms, ``effect`` on top of what these have in common.
        They are those at the means of the covariates, wherever `at` has gone; slopes are beside
        them. Groups are ``posterior``, ``prior``, ``sample_stats``, ``observed_data`` and
        ``prior_predictive`` (effects by cell, on the data sets and on data sets drawn anew),
        ``constant_data`` (the statistics that the model sees), and, for every so many draws,
        ``posterior_predictive``, ``log_likelihood`` (per data set, with its interactions and its
        scales integrated out) and ``log_prior``. ``posterior.to_netcdf`` and
        ``posterior.to_zarr`` save it, with the packages of the extra ``bayes``.
        """
        return tree(self.draws, self.setting, self.data, predictive_groups(self))

    @property
    def sampled(self) -> GibbsModel:
        """Model and data in the form that the sampler and `model` use."""
        interactions = "t" if self.interactions == "t" else "normal"
        scaled = None if self.along is None else self.along.scaled
        return GibbsModel(self.data, interactions, self.structure, self.priors, self.domain, scaled)

    def model(self) -> PyMCModel:
        """Return the model in PyMC, with the same posterior, to inspect or to extend.

        PyMC comes with the extra ``bayes``.

        Returns
        -------
        pymc.Model
            In units of ``result.data.scale``, interactions integrated out: of data set m the
            contrasts ``z_m ~ N(X_m (beta + B' x_m + g_d(m)), C_m)``, ``C_m = lam_m X_m Sigma X_m'
            + sigma_m^2 D_m`` and the residual sum of squares ``RSS_m ~ sigma_m^2 chi2(df_m)``.
        """
        optional("pymc", "bayes")
        from benchinfer.analyses.bayes.pymc_model import pymc_model

        return pymc_model(self.sampled, self._names())

    def _names(self) -> dict[str, list[str]]:
        """Return the coordinates of the dimensions of the model."""
        return {
            "dataset": [self.setting.coverage.datasets[m] for m in self.data.dataset],
            "algorithm": list(self.algorithms),
            **({} if self.domain is None else {"domain": sorted(set(self.setting.domains))}),
            **({} if self.along is None else {"covariate": list(self.along.names)}),
        }

    def loo(
        self,
        *,
        refit: bool = True,
        draws: int = 400,
        progress: Progress | bool | None = None,
    ) -> LeaveOneOut:
        """Return the leave-one-out predictive density of each data set.

        By importance sampling from the draws (PSIS-LOO by data set); where its Pareto k is too
        large the model is sampled anew without the data set. This is about predictions, not about
        verdicts: `influence` of other comparisons lists the verdicts that change.

        Parameters
        ----------
        refit
            Whether to sample anew where that is needed.
        draws
            Draws of each of four chains where it is.
        progress
            As in `compare_bayes`.

        Returns
        -------
        LeaveOneOut
            With ``elpd``, ``se``, ``p_loo``, a ``table()`` of the data sets, and ``diagnostics()``
            that name the influential ones.

        References
        ----------
        Vehtari et al. (2017), https://doi.org/10.1007/s11222-016-9696-4
        """
        from benchinfer.analyses.bayes.leave_one_out import leave_out

        datasets = tuple(self.setting.coverage.datasets[m] for m in self.data.dataset)
        rng = np.random.default_rng(self.provenance.seed)
        thinned, refits, name = self.draws.thinned, draws if refit else 0, self.measure.name
        with reporting(progress=progress, doing="Sampling:") as callback:
            return leave_out(self.sampled, thinned, refits, name, datasets, rng, callback)

    def predictive_check(self, left: LeaveOneOut | None = None) -> PredictiveChecks:
        """Compare each data set with predictive draws of the model without it.

        Parameters
        ----------
        left
            What `loo` returned, to save doing it again.

        Returns
        -------
        PredictiveChecks
            A ``table()`` with one row for each data set and statistic (spread of the algorithms,
            largest difference, residual standard deviation), and ``diagnostics()`` that name the
            data sets which are not as the model says.
        """
        from benchinfer.analyses.bayes.predictive_checks import predict_each

        return predict_each(self, (left or self.loo()).draws)

    def prior_check(self) -> pd.DataFrame:
        """Compare predictions of the priors with the scores.

        Returns
        -------
        pandas.DataFrame
            ``measure statistic_name estimate predicted_low predicted predicted_high`` in the
            modelling scale's unit: what is observed (or the posterior median, of parameters), and
            the 5 %, 50 % and 95 % points of the prior.
        """
        from benchinfer.analyses.bayes.predictive_checks import prior_check

        return prior_check(self)

    def prior_sensitivity(self) -> pd.DataFrame:
        """Return the sensitivity of the posterior to the weights of priors and likelihood.

        Prior and likelihood are raised to powers near 1 (power scaling), by importance weights.

        Returns
        -------
        pandas.DataFrame
            ``measure parameter prior_sensitivity likelihood_sensitivity diagnosis``.

        References
        ----------
        Kallioinen et al. (2024), https://doi.org/10.1007/s11222-023-10366-5
        """
        from benchinfer.analyses.bayes.sensitivity import prior_sensitivity

        return prior_sensitivity(self)

    def compare_models(
        self,
        scores: ScoreTable | None = None,
        *,
        draws: int = 400,
        progress: Progress | bool | None = None,
    ) -> pd.DataFrame:
        """Compare models by their predictions of data sets left out: one row per model.

        Parameters
        ----------
        scores
            The table that was compared, for other scales.
        draws
            Draws of each chain; an even number.
        progress
            As in `compare_bayes`.

        Returns
        -------
        pandas.DataFrame
            ``measure variant elpd elpd_difference difference_error stacking_weight winner_score
            winner_difference winner_error largest_k n_refitted``: the comparison itself, other
            interactions, the other structure, other scales, and data sets divided by their spread.
            ``elpd`` is of the contrasts of the algorithms' means given the residuals, in the
            measure's own unit if `scores` are given; on other scales means are those of the scale,
            so that it is comparable as far as these are near the plain means. ``winner_score`` is
            comparable always.

        Raises
        ------
        DesignError
            The table is not the one that was compared.

        References
        ----------
        Yao et al. (2018), https://doi.org/10.1214/17-BA1091
        """
        from benchinfer.analyses.bayes.sensitivity import compare_models

        with reporting(progress=progress, doing="Sampling:") as callback:
            return compare_models(self, scores, draws, callback)

    def sensitivity(
        self,
        scores: ScoreTable | None = None,
        *,
        draws: int = 400,
        progress: Progress | bool | None = None,
    ) -> pd.DataFrame:
        """Return the best algorithms by models that differ in one assumption each, sampled anew.

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
        from benchinfer.analyses.bayes import sensitivity

        with reporting(progress=progress, doing="Sampling:") as callback:
            return sensitivity.sensitivity(self, scores, draws, callback, compare_fit)

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        share = f"more than {100 * directional(self.level):.6g} %"
        where = "on the next data set" if self.quantity == "next" else self.average_words
        if self.measure.tolerance == 0:
            return (
                f"A pair is decided when the posterior probability that one is better {where} is"
                f" {share}, and undecided otherwise. No tolerance is set, so no pair can be called"
                " equivalent."
            )
        return (
            f"A pair is decided when the posterior probability that one is better {where} by more"
            f" than {wording.margin(self.measure)} is {share}; it is equivalent when the"
            f" probability that they differ by no more than that is at least {100 * self.level:g}"
            " %; otherwise it is undecided."
        )

    @property
    def formula(self) -> str:
        """The model in one line."""
        kind = "t" if self.interactions == "t" else "normal"
        within = "" if self.domain is None else " domain:algorithm +"
        if self.along is not None:
            within += "".join(f" algorithm:{name} +" for name in self.along.names)
        return (
            f"score = data set + replication + algorithm +{within} interaction + residual;"
            f" interaction ~ {kind}, {self.structure} covariance"
        )

    @property
    def method(self) -> str:
        """The method, in sentences for a methods section."""
        chains, draws, _ = self.draws.effects.shape
        scale = "" if self.measure.scale == "identity" else f" on the {self.measure.scale} scale"
        tails = (
            "multivariate t interactions, under which unusual data sets count less,"
            if self.interactions == "t"
            else "normal interactions, under which every data set counts fully,"
        )
        return (
            f"The scores of {self.measure.noun}{scale} on"
            f" {count(len(self.data.z), 'data set')} were compared by a hierarchical Bayesian"
            f" model of the algorithms' effects with {tails} and {_STRUCTURES[self.structure]},"
            f" {self._likelihood_words()} The posterior was sampled by {self.sampler}"
            f" ({chains} chains of {draws:,} draws, seed {self.options.seed}; largest R-hat"
            f" {max(self.convergence.r_hat, self.convergence.r_hat_effects):.3f})."
            f" {self.provenance.adjustment}."
        )

    def _likelihood_words(self) -> str:
        """Return the end of a sentence on the distribution of the scores, and further sentences."""
        slopes = ""
        if self.along is not None:
            names = join(list(self.along.names))
            slopes = f" Effects had slopes along {names} of the data sets, centred and scaled."
        return (
            f"and a residual variance of each data set.{self._domain_words()}{slopes} Scores"
            " entered by least-squares contrasts and residuals, which are sufficient."
        )

    def _domain_words(self) -> str:
        if self.domain is None:
            return ""
        n = count(len(set(self.setting.domains)), "domain")
        return f" The effects depart from their average in each of {n}."

    @property
    def _intervals(self) -> str:
        """Kind of the intervals of the contrasts, in words."""
        return f"{100 * self.level:g} % credible intervals of each pair alone"

    def scope(self) -> str:
        """Return what the claims are about, in words."""
        domains = "pooled" if self.domain is None else "random"
        domains = "one" if self.about else domains
        over = wording.TYPICAL if self.typical else wording.AVERAGE
        if self.quantity == "next":
            over = "on the next one of"
        where = wording.scope(self.setting, self.target, domains, over)
        if self.along is not None and self.target == "domain":
            where = f"{where}, {self.along.place}"
        if self.about:
            where = f"{where}, {self.about}"
        return where

    def _sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        resampling = self.setting.resampling
        overlap = resampling is not None and bool(resampling.overlap)
        return [BayesOptions, *sources(self.sampled, overlap=overlap)]

    @property
    def outcomes(self) -> Outcomes:
        """Outcomes of the pairs for the quantity that verdicts are about."""
        chosen = self.following if self.quantity == "next" else self.average
        return self.average if chosen is None else chosen

    def of(self, quantity: Quantity | None = None) -> Self:
        """Return the same comparison with verdicts about another quantity.

        Parameters
        ----------
        quantity
            ``"average"`` or ``"next"``; by default as it is.

        Raises
        ------
        DesignError
            The quantity is not known, or claims are about these data sets.
        """
        quantity = quantity or self.quantity
        if quantity not in (known := get_args(Quantity.__value__)):
            raise DesignError(unknown("quantity", quantity, known))
        if quantity == "next" and self.following is None:
            raise DesignError(
                f"the comparison is {self.about or 'about these data sets'}, not about the next"
                " data set.",
                hint='compare with target="domain"; the next data set is one of all domains.',
            )
        result = replace(self, quantity=quantity)
        codes = codes_of(result.outcomes, self.level, settled=self.convergence.settled)
        pairs = replace(result.pairs, codes=codes, quality=result.levels.quality)
        result = replace(result, pairs=pairs)
        return replace(result, stored_checks=result.diagnose())

    @override
    def _rank_sets(self) -> RankSets:
        """Return the credible sets of the best and of ranks."""
        from benchinfer.analyses.bayes.subgroups import moved

        if self.about:
            raise DesignError(
                f"there are no sets of the best {self.about}.",
                hint="the table of levels has the probabilities to be the best there.",
            )
        draws = self.draws.effects if self.target == "domain" else self.draws.these
        further = 0.0 if self.along is None else moved(self.along, self.draws)[0]
        return rank_sets_of_draws(draws + further, self.level)

    def diagnose(self) -> tuple[Check, ...]:
        """Return the checks of the finished comparison."""
        return diagnostics.checks(self)

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
        from benchinfer.analyses.bayes.subgroups import by_domain

        return by_domain(self)

    def at(self, **covariates: float) -> BayesComparison:
        """Compare the algorithms at given values of covariates, others at their means.

        The next data set is then one with these values. Its probabilities are shares of draws.

        Raises
        ------
        DesignError
            A covariate is not in the model, or claims are about these data sets.
        """
        return subgroups.at(self, covariates)

    def slopes(self) -> pd.DataFrame:
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
        return subgroups.slopes(self)

    def _effects(self) -> Mapping[str, Array]:
        """Return estimate, interval and probabilities of the pairs, in the measure's own unit."""
        outcomes = self.outcomes
        dominant = {} if outcomes.dominant is None else {"p_dominant": outcomes.dominant}
        return effects_of(outcomes, self.measure, self.quantity) | dominant

    def contrasts(
        self,
        quantity: Quantity | None = None,
        *,
        order: Order = "fixed",
        all: bool = False,  # noqa: A002
    ) -> pd.DataFrame:
        """One row per pair of algorithms.

        Parameters
        ----------
        quantity
            ``"average"`` or ``"next"``; by default what verdicts are about.
        order, all
            As of every comparison: ``order="result"`` has the better-ranked first, ``all=True`` all
            columns.

        Returns
        -------
        pandas.DataFrame
            ``first second estimate ... verdict``, with `all` more; see the glossary. The
            estimate is the posterior mean of the average difference for either quantity, as that is
            the expected difference on the next data set, too.
        """
        if quantity is not None:
            return self.of(quantity).contrasts(order=order, all=all)
        return super().contrasts(order=order, all=all)

    def summary(self) -> pd.DataFrame:
        """One row per algorithm: its level, ranks, and probabilities to be the best.

        Returns
        -------
        pandas.DataFrame
            ``measure algorithm estimate conf_low conf_high n rank expected_rank rank_low rank_high
            prob_best`` and, for claims about the domain, ``prob_best_next prob_near_best``.
            The estimate is the posterior mean of the algorithm's level, on a typical data set under
            t interactions, else the average over the data sets that there could be, or over those
            at hand (`target`). Differences of levels are the estimates of `contrasts`, and shrunk
            as these. Intervals are of each level alone; claims about the domain include how its
            data sets vary.
        """
        table = super().summary()
        columns = {
            "expected_rank": self.ranks.expected,
            "prob_best": self.ranks.best,
        }
        if self.ranks_following is not None:
            columns["prob_best_next"] = self.ranks_following.best
            columns["prob_near_best"] = self.ranks_following.near
        return table.assign(**columns)


def compare_fit(
    setting: Setting,
    fitted: BayesFit,
    target: Target,
    options: BayesOptions,
    rng: np.random.Generator,
    along: Along | None,
) -> BayesComparison:
    """Return the comparison of a fit."""
    data, margin, level = fitted.model.data, setting.measure.margin, options.level
    centre = next_dataset.new_domain(fitted.draws, rng)
    draws = posterior_draws(fitted, centre, along, rng)
    effects, common = draws.these, draws.common.these
    if target == "domain":
        effects, common = draws.effects, draws.common.average
    levels = level_of(common[:, :, None] + effects, level)
    if options.interactions == "t" and target == "domain":
        levels = replace(levels, order_name="typical {}")  # the centre of t interactions
    family = options.family(setting.algorithms, levels.estimate)
    matrix = family.matrix[family.wanted]
    average = average_outcomes(effects, matrix, margin, level)
    following = ranks_following = None
    if target == "domain":
        new = draws.following / data.scale
        outcomes = next_dataset.next_outcomes(
            fitted.draws, new, matrix, margin / data.scale, level, centre
        )
        following = replace(
            outcomes,
            estimate=data.scale * outcomes.estimate,
            low=data.scale * outcomes.low,
            high=data.scale * outcomes.high,
        )
        ranks_following = ranks(draws.following, margin)
    result = BayesComparison(
        setting=setting,
        pairs=ComparedPairs.of(family, setting, codes_of(average, level), levels),
        level=level,
        target=target,
        levels=levels,
        stored_checks=(),
        provenance=options.joint_provenance(setting.digest, family),
        quantity="average",
        structure=fitted.model.structure,
        average=average,
        following=following,
        ranks=ranks(effects, margin),
        ranks_following=ranks_following,
        data=data,
        convergence=fitted.convergence,
        extended=fitted.extended,
        draws=draws,
        domain=fitted.model.domain,
        along=along,
    )
    return result.of("next" if options.quantity == "next" and following else "average")
