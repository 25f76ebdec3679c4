"""From a table to a fitted mixed model: the one place where scores are reduced and fitted."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare import cautions
from benchinfer.compare.averaged import AveragedFit, EachDataset, each_dataset
from benchinfer.compare.designs import Design
from benchinfer.compare.evidence import Setting
from benchinfer.compare.fixed import Fixed, along, domain_codes, fixed_effects
from benchinfer.compare.observed import Observed, ObservedFit, fit_observed
from benchinfer.compare.problem import Fit, Problem, Reduction
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics.residuals import Residuals
from benchinfer.numerics.score_model import ScoreModelFit
from benchinfer.numerics.sufficient import Statistics
from benchinfer.saving import savable

if TYPE_CHECKING:
    from benchinfer.scores import ScoreTable


type AnyProblem = Problem | EachDataset | Observed
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
    problem
        The reduced scores, from which the model can be fitted again.
    model
        The fit.
    residuals
        Diagnostics of the fit, for models with one variance per source over several data sets.
    """

    design: Design
    fixed: Fixed
    problem: AnyProblem
    model: AnyFit
    residuals: Residuals | None = None


def varying(scores: "ScoreTable", measure: str, covariates: tuple[str, ...]) -> tuple[str, ...]:
    """Return the covariates, of those asked for, that vary within data sets.

    Raises
    ------
    DesignError
        The table has no such covariate.
    """
    if strange := [name for name in covariates if name not in scores.covariates]:
        if scores.covariates:
            raise DesignError(unknown("covariate", strange[0], scores.covariates))
        raise DesignError(
            message(
                "the table was read without covariates.",
                hint=f"read_scores(..., covariates={list(covariates)!r}) keeps these columns.",
            )
        )
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
    overlap = cautions.overlap_share(setting) if design.target == "datasets" else 0.0
    if design.each:
        datasets = setting.coverage.datasets
        problem = each_dataset(scores, name, datasets, design.components, overlap)
        return Fitted(design, fixed, problem, problem.fit())
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
    model, residuals = problem.fit(), None
    simple = isinstance(stats, Statistics) and fixed.x is None and not design.one_dataset
    if simple and isinstance(model, ScoreModelFit):
        residuals = reduction.residuals(stats, model)
    return Fitted(design, fixed, problem, model, residuals)


def _by_run(scores: "ScoreTable", setting: Setting, design: Design) -> Fitted:
    """Fit score by score: some covariate varies within data sets."""
    found = scores.observations(setting.measure.name)
    chosen = [found.covariates.index(name) for name in design.covariates]
    fixed, z = along(len(setting.algorithms), design.covariates, found.covariate[:, chosen])
    return Fitted(design, fixed, Observed(), fit_observed(found, z, design.fitted))
