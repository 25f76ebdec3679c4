"""Priors of the hierarchical model."""

import math
from dataclasses import dataclass, fields
from typing import Literal

from benchinfer.core.arguments import ArgumentError, check_fields
from benchinfer.core.errors import message
from benchinfer.core.saving import savable

type Place = Literal["first", "equivalent", "second"]


@savable
@dataclass(frozen=True, slots=True)
class Priors:
    """Priors of the hierarchical model of K algorithms, after dividing scores by their scale.

    The scale is the root mean square of the contrasts of the algorithms' effects on the data sets,
    so that the numbers below need no unit.

    Parameters
    ----------
    effect_scale
        Scale of the half-t prior, with 3 degrees of freedom, of the ratio of the standard deviation
        of the average effects, of which each orthonormal contrast is normal, to the scale of the
        interactions.
    effect_sd
        That standard deviation, where it is not to be estimated.
    interaction_scale
        Scale of the half-t prior, with 3 degrees of freedom, of the interactions' scale.
    tail_shape, tail_rate
        Degrees of freedom of t interactions are 1 plus a gamma variable of this shape and rate.
    shrinkage_median, shrinkage_sd
        Median (K - 1 unless given) and standard deviation of the logarithm of kappa, the strength
        with which an unstructured covariance is shrunk to the common one; log-normal.
    residual_sd
        Standard deviation of the normal prior of the mean log residual scale, about the log of the
        pooled one.
    residual_spread
        Scale of the half-t prior, with 3 degrees of freedom, of the standard deviation of log
        residual scales between data sets.
    domain_scale
        Scale of the half-t prior, with 3 degrees of freedom, of the standard deviation of the
        domains' effects about the average ones, where domains are a level of the model.
    slope_sd
        Standard deviation of the normal prior of each orthonormal contrast of the slopes along a
        covariate, per standard deviation of the covariate.
    level_sd, level_scale
        Of scores between 0 and 1 with a likelihood of their own, whose unit is the logit: standard
        deviation of the normal prior of the data sets' mean level, and scale of the half-t prior,
        with 3 degrees of freedom, of the standard deviation of their levels.
    item_scale
        Scale of the half-t prior, with 3 degrees of freedom, of the standard deviation of the
        effects of items or shared replications, in the same unit.

    Raises
    ------
    DesignError
        A number is not positive and finite.

    Examples
    --------
    >>> Priors(effect_scale=0.5)
    Priors(effect_scale=0.5, effect_sd=None, interaction_scale=1.0, ...)
    """

    effect_scale: float = 1.0
    effect_sd: float | None = None
    interaction_scale: float = 1.0
    tail_shape: float = 2.0
    tail_rate: float = 0.1
    shrinkage_median: float | None = None
    shrinkage_sd: float = 1.5
    residual_sd: float = 2.0
    residual_spread: float = 1.0
    domain_scale: float = 1.0
    slope_sd: float = 1.0
    level_sd: float = 2.0
    level_scale: float = 1.0
    item_scale: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self)
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ArgumentError(
                    message(f"{field.name} is {value!r}.", hint="a finite number above 0.")
                )


@savable
@dataclass(frozen=True, slots=True)
class PseudoObservation:
    """A data set that was never seen, with a weight: the prior of tests with a Dirichlet process.

    Parameters
    ----------
    strength
        Its weight, where each data set has weight 1. By default 1 for the sign test and 0.5 for the
        signed-rank test.
    place
        Where it stands: ``"equivalent"`` (no difference), or without bound where the ``"first"`` or
        ``"second"`` algorithm is better. A verdict that depends on it rests on the prior.

    Raises
    ------
    DesignError
        The strength is not positive and finite, or the place is not known.

    Examples
    --------
    >>> PseudoObservation(place="second").place
    'second'
    """

    strength: float | None = None
    place: Place = "equivalent"

    def __post_init__(self) -> None:
        check_fields(self)
        if self.strength is not None and not (math.isfinite(self.strength) and self.strength > 0):
            raise ArgumentError(
                message(f"strength is {self.strength!r}.", hint="a finite number above 0.")
            )
