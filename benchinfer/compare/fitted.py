"""From a table to a fitted mixed model: the one place where scores are reduced and fitted."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare import resamples
from benchinfer.compare.averaged import AveragedFit, each_dataset
from benchinfer.compare.designs import Design
from benchinfer.compare.evidence import Setting
from benchinfer.compare.fixed import Fixed, along, domain_codes, fixed_effects
from benchinfer.compare.observed import ObservedFit, fit_observed
from benchinfer.compare.problem import Fit, Problem, Solved
from benchinfer.compare.reduction import Reduction
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics.residuals import Residuals
from benchinfer.numerics.score_model import ScoreModelFit
from benchinfer.numerics.sufficient import Statistics
from benchinfer.saving import savable

if TYPE_CHECKING:
    from benchinfer.scores import ScoreTable


type Estimate = Solved | AveragedFit | ObservedFit
type AnyFit = Fit | AveragedFit | ObservedFit


@savable
@dataclass(frozen=True, slots=True)
class Fitted:
    """A model with its fit.

    Attributes
    ----------
    design
        The terms and why.
    fixed
        The fixed effects.
    estimate
        The fit, with what it was fitted to where that is kept.
    residuals
        Diagnostics of the fit, for models with one variance per source over several data sets.
    """

    design: Design
    fixed: Fixed
    estimate: Estimate
    residuals: Residuals | None = None

    @property
    def model(self) -> AnyFit:
        """The fit."""
        return self.estimate.model if isinstance(self.estimate, Solved) else self.estimate

    @property
    def peculiarity(self) -> str:
        """What makes the model other than one variance per source and level per algorithm."""
        design = self.design
        reasons = {
            "each data set is fitted by itself": design.each,
            "scores are fitted one by one": design.by_run,
            "there are covariates": bool(design.covariates),
            "domains have levels of their own or are a sample": design.domains != "pooled",
            f"the structure is {design.structure}": design.between != "common",
            f"there is a residual variance for each {design.residual}": True,
        }
        return next(words for words, holds in reasons.items() if holds)

    @property
    def plain(self) -> tuple[Statistics, ScoreModelFit] | None:
        """Moments and fit of a model with one variance per source, else None."""
        if isinstance(self.estimate, Solved) and isinstance(self.model, ScoreModelFit):
            stats = self.estimate.problem.statistics
            return (stats, self.model) if isinstance(stats, Statistics) else None
        return None


def known_covariates(scores: "ScoreTable", covariates: tuple[str, ...]) -> None:
    """Refuse covariates that the table was not read with.

    Raises
    ------
    DesignError
        With those that it has, or how to keep them.
    """
    strange = [name for name in covariates if name not in scores.covariates]
    if strange and scores.covariates:
        raise DesignError(unknown("covariate", strange[0], scores.covariates))
    if strange:
        raise DesignError(
            message(
                "the table was read without covariates.",
                hint=f"read_scores(..., covariates={list(covariates)!r}) keeps these columns.",
            )
        )


def varying(scores: "ScoreTable", measure: str, covariates: tuple[str, ...]) -> tuple[str, ...]:
    """Return the covariates, of those asked for, that vary within data sets."""
    known_covariates(scores, covariates)
    if not covariates:
        return ()
    known = scores.dataset_covariates(measure)
    return tuple(name for name in covariates if name in known.varying)


def fit_design(scores: "ScoreTable", setting: Setting, design: Design) -> Fitted:
    """Reduce the scores as the design asks, and fit the model.

    Raises
    ------
    DesignError
        The table does not support the fixed effects, or its scores do not vary.
    """
    name = setting.measure.name
    if design.by_run:
        return _by_run(scores, setting, design)
    values = np.empty((0, 0))
    if design.covariates:
        known = scores.dataset_covariates(name)
        values = np.column_stack([known.constant[c] for c in design.covariates])
    fixed = fixed_effects(setting, design.domains, design.covariates, values)
    overlap = resamples.overlap_share(setting) if design.target == "datasets" else 0.0
    if design.each:
        datasets = setting.coverage.datasets
        parts = each_dataset(scores, name, datasets, design.components, overlap)
        return Fitted(design, fixed, parts)
    domain = np.array(domain_codes(setting)[1]) if design.domains == "random" else None
    plain = design.between == "common" and design.residual == "constant" and domain is None
    reduction = Reduction.of(scores, name, design)
    stats = reduction.statistics(one=design.one_dataset, plain=plain)
    problem = Problem(
        stats,
        design.fitted,
        fixed.x,
        between=design.between,
        residual=design.residual,
        domain=domain,
        robust=not design.one_dataset,
        overlap=overlap if design.one_dataset else 0.0,
    )
    found, residuals = Fitted(design, fixed, problem.solve()), None
    if found.plain is not None and fixed.x is None and not design.one_dataset:
        residuals = reduction.residuals(*found.plain)
    return replace(found, residuals=residuals)


def _by_run(scores: "ScoreTable", setting: Setting, design: Design) -> Fitted:
    """Fit score by score: some covariate varies within data sets."""
    found = scores.observations(setting.measure.name)
    chosen = [found.covariates.index(name) for name in design.covariates]
    fixed, z = along(len(setting.algorithms), design.covariates, found.covariate[:, chosen])
    return Fitted(design, fixed, fit_observed(found, z, design.fitted))
