"""Differences of two algorithms as lines along a covariate, with simultaneous bands."""

from dataclasses import dataclass, replace

import numpy as np

from benchinfer.analyses.bayes.comparison import BayesComparison
from benchinfer.analyses.bayes.subgroups import moved
from benchinfer.analyses.mixed.comparison import MixedComparison
from benchinfer.analyses.subgroups.regions.numerics.bands import (
    angle_of,
    band_critical,
    drawn_critical,
)
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.evidence import Array
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.hints import Call, Option, Phrase

_PLACES = 401  # of the grid, from the smallest to the largest value of the data sets
_TRIED = 5  # places whose degrees of freedom are compared


@dataclass(frozen=True, slots=True)
class Band:
    """Difference of a pair at G places with its band, on the modelling scale; (G,) arrays.

    Attributes
    ----------
    estimate, low, high
        First minus second, larger is better for the first.
    critical
        Half the width in standard errors.
    """

    estimate: Array
    low: Array
    high: Array
    critical: float


def covariate_values(comparison: Comparison, covariate: str) -> Array:
    """Return (D,) values of a covariate on the data sets that a model learnt from.

    Raises
    ------
    DesignError
        The comparison has no covariates, or not that one.
    """
    if isinstance(comparison, MixedComparison) and comparison.design.covariates:
        fixed = comparison.fitted.fixed
        if covariate not in fixed.covariates:
            raise DesignError(unknown("covariate", covariate, fixed.covariates))
        i, k = fixed.covariates.index(covariate), len(fixed.at)
        column = fixed.at.shape[1] - k * (len(fixed.covariates) - i)
        scaled = np.asarray(fixed.x)[:, 0, column]
        return scaled * float(np.asarray(fixed.spread)[i]) + float(np.asarray(fixed.centre)[i])
    if isinstance(comparison, BayesComparison) and comparison.along is not None:
        along = comparison.along
        if covariate not in along.names:
            raise DesignError(unknown("covariate", covariate, along.names))
        return along.values[:, along.names.index(covariate)]
    raise DesignError(
        "the comparison has no covariates along which algorithms differ.",
        hint=Phrase(
            Call("compare_mixed", Option("covariates", ())),
            " or ",
            Call("compare_bayes", Option("covariates", ())),
            " has them.",
        ),
    )


def places_of(values: Array) -> Array:
    """Return the (G,) places of the grid, from the smallest to the largest value."""
    return np.linspace(values.min(), values.max(), _PLACES)


def band_of(
    comparison: MixedComparison | BayesComparison,
    covariate: str,
    pair: tuple[int, int],
    places: Array,
    alpha: float,
) -> Band:
    """Return the difference of a pair along a covariate, in a band that holds all of it."""
    if isinstance(comparison, MixedComparison):
        return _of_model(comparison, covariate, pair, places, alpha)
    return _of_draws(comparison, covariate, pair, places, alpha)


def _of_model(
    mixed: MixedComparison, covariate: str, pair: tuple[int, int], places: Array, alpha: float
) -> Band:
    """Return the band of a mixed model, exact for the range of places at its smallest df."""
    fitted, fixed = mixed.fitted, mixed.fitted.fixed
    middle = float(places.mean())
    first, second = pair
    slope = fixed.slopes(covariate)
    start = fixed.levels_at({covariate: middle})
    line = np.vstack([start[first] - start[second], slope[first] - slope[second]])
    off = places - middle
    tried = np.vstack([line[1], *(line[0] + x * line[1] for x in off[:: len(off) // _TRIED])])
    errors = fitted.errors(tried, mixed.options.df)
    own = fitted.spread(tried) if mixed.structure == "pairwise" else None
    if own is not None:
        df = np.full_like(own.df, np.inf) if mixed.options.df == "asymptotic" else own.df
        errors = replace(own, df=df)
    cov = line @ errors.cov @ line.T
    values = line @ mixed.model.beta
    error = np.sqrt(cov[0, 0] + 2 * off * cov[0, 1] + off**2 * cov[1, 1])
    critical = band_critical(angle_of(cov, off[0], off[-1]), float(errors.df.min()), alpha)
    difference = values[0] + off * values[1]
    return Band(difference, difference - critical * error, difference + critical * error, critical)


def _of_draws(
    bayes: BayesComparison, covariate: str, pair: tuple[int, int], places: Array, alpha: float
) -> Band:
    """Return the band that holds a share of the drawn lines."""
    along, draws = bayes.along, bayes.draws
    if along is None:
        raise DesignError("the model has no covariates.")
    first, second = pair
    middle = float(places.mean())
    effects = draws.effects + moved(replace(along, at={**along.at, covariate: middle}), draws)[0]
    slopes = draws.slopes[covariate]
    start, slope = ((x[..., first] - x[..., second]).ravel() for x in (effects, slopes))
    lines = start[:, None] + np.outer(slope, places - middle)
    mean, spread, critical = drawn_critical(lines, alpha)
    return Band(mean, mean - critical * spread, mean + critical * spread, critical)
