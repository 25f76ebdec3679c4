"""From a table to a fitted mixed model: the one place where scores are reduced and fitted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare import cautions
from benchinfer.compare.averaged import AveragedFit, EachDataset, each_dataset
from benchinfer.compare.designs import Design
from benchinfer.compare.evidence import Array, Setting
from benchinfer.compare.fixed import Fixed, domain_codes, fixed_effects
from benchinfer.compare.phrases import join
from benchinfer.compare.problem import Fit, Problem, reduce
from benchinfer.errors import DesignError, message, unknown
from benchinfer.saving import savable

if TYPE_CHECKING:
    from benchinfer.scores import ScoreTable


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
    """

    design: Design
    fixed: Fixed
    problem: Problem | EachDataset
    model: Fit | AveragedFit


def fit_design(scores: "ScoreTable", setting: Setting, design: Design) -> Fitted:
    """Reduce the scores as the design asks, and fit the model.

    Raises
    ------
    DesignError
        The table does not support the fixed effects, or its scores do not vary.
    """
    name = setting.measure.name
    values = _covariates(scores, name, design.covariates)
    fixed = fixed_effects(setting, design.domains, design.covariates, values)
    overlap = cautions.overlap_share(setting) if design.target == "datasets" else 0.0
    if design.each:
        datasets = setting.coverage.datasets
        problem = each_dataset(scores, name, datasets, design.components, overlap)
    else:
        domain = np.array(domain_codes(setting)[1]) if design.domains == "random" else None
        plain = design.between == "common" and design.residual == "constant" and domain is None
        problem = Problem(
            reduce(scores, name, design, plain=plain),
            design.fitted,
            fixed.x,
            between=design.between,
            residual=design.residual,
            domain=domain,
            robust=not design.one_dataset,
            overlap=overlap if design.one_dataset else 0.0,
        )
    return Fitted(design, fixed, problem, problem.fit())


def _covariates(scores: "ScoreTable", measure: str, names: Sequence[str]) -> Array:
    """Return (D, q) covariates of the data sets.

    Raises
    ------
    DesignError
        The table has no such covariate, or it varies within data sets.
    """
    if not names:
        return np.empty((0, 0))
    if strange := [name for name in names if name not in scores.covariates]:
        raise DesignError(unknown("covariate", strange[0], scores.covariates))
    known = scores.dataset_covariates(measure)
    if varying := [name for name in names if name in known.varying]:
        raise DesignError(
            message(
                f"{join(varying)} varies within data sets.",
                hint="only covariates that are constant within each data set can be fitted so.",
            )
        )
    return np.column_stack([known.constant[name] for name in names])
