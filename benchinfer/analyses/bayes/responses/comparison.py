"""Comparison by a model of single responses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from benchinfer.analyses.bayes.comparison import BayesComparison, unused_effect_priors
from benchinfer.analyses.bayes.diagnostics import of_posterior
from benchinfer.analyses.bayes.fit import (
    CommonLevels,
    PosteriorDraws,
    domain_level,
    modelled,
    reduced,
    tree,
)
from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.numerics.predictive import Thinned
from benchinfer.analyses.bayes.options import BayesOptions
from benchinfer.analyses.bayes.responses.fit import (
    MeanResponses,
    ResponseFit,
    mean_responses,
    sample_responses,
)
from benchinfer.analyses.bayes.responses.scores import Answers, read_responses
from benchinfer.comparison.checks import tables
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.comparison.posterior import codes_of, level_of
from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError, optional
from benchinfer.core.progress import reporting
from benchinfer.core.saving import savable
from benchinfer.core.sections import Check
from benchinfer.numerics.posterior import nuts
from benchinfer.numerics.posterior.outcome_probabilities import average_outcomes, ranks
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd
    from xarray import DataTree

    from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
    from benchinfer.analyses.bayes.pymc_model import PyMCModel
    from benchinfer.comparison.comparison import Target
    from benchinfer.comparison.evidence import Setting
    from benchinfer.core.progress import Progress
    from benchinfer.scores.table import ScoreTable


@checked
@savable
@dataclass(frozen=True, eq=False, repr=False)
class ResponseComparison(BayesComparison):
    """Verdicts from posterior probabilities of a row-level model of scores between 0 and 1.

    The model is on the logit scale; estimates, the tolerance and verdicts are about mean scores
    (success probabilities): on average over the data sets that there could be, or on the next one.

    Attributes
    ----------
    responses
        What the model saw of the scores. `data` only has their means, for figures.
    logits
        (C, T, K) draws of the algorithms' logits at the mean data set, in the user's direction.
    """

    responses: Answers = field(kw_only=True)
    logits: Array = field(kw_only=True)

    _title: ClassVar[str] = "Hierarchical Bayesian model of scores between 0 and 1"
    sampler: ClassVar[str] = "NUTS (nutpie)"
    _leans_on: ClassVar[str] = "the model and its priors"

    @property
    def items(self) -> bool:
        """True if items that algorithms share have effects of their own."""
        return self.responses.items is not None

    @property
    def typical(self) -> bool:
        """False: mean scores are averages over all data sets, not of a typical one."""
        return False

    @property
    def unused_priors(self) -> frozenset[str]:
        """Names of priors that the model does not have."""
        unused = {*unused_effect_priors(self), "slope_sd", "residual_sd", "residual_spread"}
        return frozenset(unused if self.items else {*unused, "item_scale"})

    @property
    def prior_unit(self) -> str:
        """Unit of the priors, in words."""
        return "in units of the logit"

    @property
    def sampled(self) -> GibbsModel:
        """Model of contrasts; raises a DesignError, as this comparison has none.

        Raises
        ------
        DesignError
            Always.
        """
        raise DesignError(
            "the model of likelihood='binomial' is of rows, not of contrasts.",
            hint="model() returns it in PyMC; likelihood='normal' has the rest.",
        )

    @property
    def posterior(self) -> DataTree:
        """Draws and observations as an `xarray.DataTree`, which ArviZ reads.

        ``effect`` (average), ``effect_these`` and ``effect_next`` are mean scores, turned so that
        larger is better; ``logit`` are the algorithms' logits at the mean data set.
        """
        from xarray import DataTree

        groups = {
            name: node.to_dataset()
            for name, node in tree(self.draws, self.setting, self.data, {}).children.items()
            if name not in {"observed_data", "constant_data"}
        }
        draw = ("chain", "draw", "algorithm")
        groups["posterior"] = groups["posterior"].assign(logit=(draw, self.logits))
        return DataTree.from_dict(groups)

    def model(self) -> PyMCModel:
        """Return the model in PyMC, with the same posterior, to inspect or to extend.

        Returns
        -------
        pymc.Model
            On the logit scale: ``theta_mk = d_m + (H' w_m)_k`` of data set m and algorithm k, with
            ``d_m ~ N(level, dataset_scale^2)`` and ``w_m ~ N(beta + g_d(m), lam_m Sigma)``.
        """
        optional("pymc", "bayes")
        from benchinfer.analyses.bayes.responses.model import response_model

        model = modelled(
            self.data,
            self.options.interactions,
            self.options.structure,
            self.options.model_priors,
            self.domain,
        )
        return response_model(model, self.responses, self._names())

    @property
    def formula(self) -> str:
        """The model in one line."""
        kind = "t" if self.interactions == "t" else "normal"
        within = "" if self.domain is None else " domain:algorithm +"
        shared = " + item" if self.items else ""
        return (
            f"score ~ binomial; logit = data set + algorithm +{within} interaction"
            f"{shared}; interaction ~ {kind}, {self.structure} covariance"
        )

    def _likelihood_words(self) -> str:
        """Describe the distribution of the scores, to the end of the sentence and on."""
        shared = ""
        if self.items:
            shared = " Algorithms share items, whose effects are normal on the logit scale."
        return (
            "for right answers, binomial given the log odds of a success. Levels of the data sets"
            f" are normal on that scale.{shared}{self._domain_words()} Logits were turned into mean"
            " scores, which differences and the tolerance are about, averaged over the data sets"
            " that there could be."
        )

    def diagnose(self) -> tuple[Check, ...]:
        """Return the checks of the finished comparison."""
        setting = self.setting
        rows = [
            *of_posterior(self, " in a second run", rates=False),
            *tables.learnt_from(setting, len(setting.coverage.datasets)),
            tables.tolerance(setting.measure),
        ]
        if not self.items:
            rows.append(
                Check.of(
                    "items shared by the algorithms",
                    0.0,
                    1.0,
                    least=True,
                    sentence="Answers count as independent of each other, as it is not known which"
                    " items algorithms shared.",
                    remedy="Where they answered the same items, rows of 0 and 1 with the item as"
                    " replication say more.",
                )
            )
        return tuple(rows)

    def _sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        from benchinfer.analyses.bayes.numerics.responses import count_items
        from benchinfer.comparison.posterior import settled

        used: list[object] = [BayesOptions, settled]
        if self.items:
            used.append(count_items)
        return used

    def sensitivity(
        self,
        scores: ScoreTable | None = None,
        *,
        draws: int = 400,
        progress: Progress | bool | None = None,
    ) -> pd.DataFrame:
        """Raise a DesignError: each variant would take another run of NUTS.

        Raises
        ------
        DesignError
            Always.
        """
        del scores, draws, progress
        raise DesignError(
            "variants of a model with likelihood='binomial' are not sampled at once: each takes as"
            " long as the comparison.",
            hint="compare again with other interactions=, structure= or priors=, and"
            " likelihood='normal'.",
        )


def compare_responses(
    scores: ScoreTable,
    setting: Setting,
    target: Target,
    options: BayesOptions,
    *,
    progress: Progress | bool | None,
) -> ResponseComparison:
    """Compare by a row-level model; see `compare_bayes`."""
    nuts.library()
    rng = np.random.default_rng(options.seed)
    data = reduced(scores, setting)
    domain = domain_level(setting, data) if options.domains == "random" else None
    responses = read_responses(scores, setting, data.dataset, options.trials)
    model = modelled(data, options.interactions, options.structure, options.model_priors, domain)
    with reporting(progress=progress, doing="Sampling:") as callback:
        fitted = sample_responses(model, responses, options.size, rng, callback)
    return _compare_fit(setting, target, options, model, responses, fitted, rng)


def _compare_fit(
    setting: Setting,
    target: Target,
    options: BayesOptions,
    model: GibbsModel,
    responses: Answers,
    fitted: ResponseFit,
    rng: np.random.Generator,
) -> ResponseComparison:
    """Return the comparison of a fit."""
    means = mean_responses(model, fitted, rng)
    draws = _posterior_draws(setting.measure.sign, model, fitted, means)
    effects = draws.effects if target == "domain" else draws.these
    level, margin = options.level, setting.measure.margin
    levels = level_of(effects, level).modelled(setting.measure.sign * responses.rates)
    family = options.family(setting.algorithms, levels.estimate)
    matrix = family.matrix[family.wanted]
    average = average_outcomes(effects, matrix, margin, level)
    following = ranks_following = None
    if target == "domain":
        new = setting.measure.sign * means.following
        following = replace(average_outcomes(new, matrix, margin, level), estimate=average.estimate)
        ranks_following = ranks(new, margin)
    base = fitted.values["level"][..., None]
    result = ResponseComparison(
        setting=setting,
        pairs=ComparedPairs.of(family, setting, codes_of(average, level), levels),
        level=level,
        target=target,
        levels=levels,
        stored_checks=(),
        provenance=options.joint_provenance(setting.digest, family),
        quantity="average",
        structure=model.structure,
        average=average,
        following=following,
        ranks=ranks(effects, margin),
        ranks_following=ranks_following,
        data=model.data,
        convergence=fitted.convergence,
        extended=fitted.extended,
        draws=draws,
        domain=model.domain,
        responses=responses,
        logits=base + fitted.draws.average @ helmert(model.data.n_algorithms),
    )
    return result.of("next" if options.quantity == "next" else "average")


def _posterior_draws(
    sign: int, model: GibbsModel, fitted: ResponseFit, means: MeanResponses
) -> PosteriorDraws:
    """Return the draws that results hold: mean scores, turned so that larger is better."""
    values, draws = fitted.values, fitted.draws
    c, t = values["level"].shape
    contrasts = sign * means.datasets @ helmert(model.data.n_algorithms).T
    names = ("level", "dataset_scale", "item_scale")
    parameters = {name: values[name] for name in names if name in values}
    others = {
        "interaction_scale": draws.effective_scale,
        "effect_scale": draws.effect_scale,
        "degrees_of_freedom": draws.df,
        "shrinkage": draws.shrinkage,
        "domain_scale": draws.domain_scale,
    }
    following = means.following.reshape(c, t, -1, model.data.n_algorithms)
    # Mean scores are levels already.
    nothing = np.zeros((c, t))
    domains = None if means.domains is None else np.zeros(means.domains.shape[:3])
    return PosteriorDraws(
        effects=sign * means.average,
        these=sign * means.datasets.mean(axis=2),
        following=sign * following[:, :, 0],
        common=CommonLevels(nothing, nothing, {}, domains, None if domains is None else nothing),
        parameters=parameters | {name: x for name, x in others.items() if x is not None},
        dataset_mean=contrasts.mean(axis=(0, 1)),
        dataset_sd=contrasts.std(axis=(0, 1)),
        thinned=Thinned.of(draws),
        domains=None if means.domains is None else sign * means.domains,
        new_domain=None if means.new_domain is None else sign * means.new_domain,
        statistics=fitted.statistics,
    )
