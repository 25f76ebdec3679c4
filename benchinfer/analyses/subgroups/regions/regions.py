"""The function `regions`."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchinfer.analyses.bayes.comparison import BayesComparison
from benchinfer.analyses.bayes.subgroups import moved
from benchinfer.analyses.mixed.comparison import MixedComparison
from benchinfer.analyses.subgroups.numerics.bands import angle_of, band_critical, drawn_critical
from benchinfer.analyses.subgroups.regions.result import Regions
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.evidence import alpha_of
from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError, unknown
from benchinfer.numerics.types import Array

# Difference of a pair at G places with its band, on the modelling scale: estimate, lower and upper
# end, each (G,), and half the width in standard errors.
type _Band = tuple[Array, Array, Array, float]

_PLACES = 401  # of the grid, from the smallest to the largest value of the data sets
_TRIED = 5  # places whose degrees of freedom are compared


@checked
def regions(
    comparison: MixedComparison | BayesComparison,
    covariate: str,
    pairs: Sequence[tuple[str, str]] | tuple[str, str] | None = None,
    *,
    level: float | None = None,
) -> Regions:
    """Find the values of a covariate at which one of two algorithms is better.

    The difference of two algorithms is a line along the covariate, with a band that holds all of it
    between the smallest and the largest value of the data sets, for all pairs at once. Where the
    band leaves out no difference, one is better (Johnson and Neyman's regions, with the error of
    all places controlled). Other covariates are at their means, or where a Bayesian comparison has
    them.

    Parameters
    ----------
    comparison
        By `compare_mixed` or `compare_bayes`, with covariates.
    covariate
        One of them.
    pairs
        One pair of algorithms or several; by default all pairs, each then with a wider band.
    level
        Probability that all bands hold; that of the comparison if not given.

    Returns
    -------
    Regions
        With `Regions.summary`, the regions and what holds in them, `Regions.curve`, and a figure.

    Raises
    ------
    DesignError
        The comparison has no such covariate, or no such algorithms.

    Notes
    -----
    A mixed model's band is ``d(x) +- c se(x)`` with c exact for a line over a segment (Wynn and
    Bloomfield 1971) at alpha / P, for P pairs (Bonferroni), and at the smallest degrees of freedom
    along it. A Bayesian model's holds the share ``1 - alpha / P`` of the drawn lines. Where the
    band is within the tolerance, algorithms are equivalent.

    References
    ----------
    Bauer, D. J. & Curran, P. J. (2005). Probing interactions in fixed and multilevel regression.
    Multivariate Behavioral Research 40, 373-400. https://doi.org/10.1207/s15327906mbr4003_5

    Esarey, J. & Sumner, J. L. (2018). Marginal effects in interaction models: determining and
    controlling the false positive rate. Comparative Political Studies 51, 1144-1176.
    https://doi.org/10.1177/0010414017730080

    Wynn, H. P. & Bloomfield, P. (1971). Simultaneous confidence bands in regression analysis.
    Journal of the Royal Statistical Society B 33, 202-217.
    https://doi.org/10.1111/j.2517-6161.1971.tb00873.x
    """
    values = _covariate_values(comparison, covariate)
    level = comparison.level if level is None else level
    alpha = alpha_of(level)
    chosen = _pairs(comparison.algorithms, pairs)
    places = np.linspace(values.min(), values.max(), _PLACES)
    share = alpha / len(chosen)
    bands = [
        _of_model(comparison, covariate, pair, places, share)
        if isinstance(comparison, MixedComparison)
        else _of_draws(comparison, covariate, pair, places, share)
        for pair in chosen
    ]
    estimate, low, high, critical = (np.array(part) for part in zip(*bands, strict=True))
    names = comparison.algorithms
    return Regions(
        measure=comparison.measure,
        covariate=covariate,
        values=values,
        pairs=tuple((names[i], names[j]) for i, j in chosen),
        places=places,
        estimate=estimate,
        low=low,
        high=high,
        critical=critical,
        level=level,
        bayesian=isinstance(comparison, BayesComparison),
        digest=comparison.provenance.digest,
    )


def _pairs(
    algorithms: tuple[str, ...], pairs: Sequence[tuple[str, str]] | tuple[str, str] | None
) -> list[tuple[int, int]]:
    """Return the positions of the algorithms of each pair."""
    if pairs is None:
        n = len(algorithms)
        return [(i, j) for i in range(n) for j in range(i + 1, n)]
    selected = [pairs] if pairs and isinstance(pairs[0], str) else list(pairs)
    indices: list[tuple[int, int]] = []
    for pair in selected:
        if len(pair) != 2 or pair[0] == pair[1]:
            raise DesignError(f"{pair!r} is no pair.", hint='two algorithms, as in ("rf", "svm").')
        for name in pair:
            if name not in algorithms:
                raise DesignError(unknown("algorithm", str(name), algorithms))
        indices.append((algorithms.index(str(pair[0])), algorithms.index(str(pair[1]))))
    if not indices:
        raise DesignError("no pair is given.", hint='as in [("rf", "svm")].')
    return indices


def _covariate_values(comparison: Comparison, covariate: str) -> Array:
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
        hint=(
            "compare_mixed(..., covariates=[...]) or compare_bayes(..., covariates=[...]) has them."
        ),
    )


def _of_model(
    mixed: MixedComparison, covariate: str, pair: tuple[int, int], places: Array, alpha: float
) -> _Band:
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
    spread = fitted.spread(tried) if mixed.structure == "pairwise" else None
    if spread is not None:
        df = np.full_like(spread.df, np.inf) if mixed.options.df == "asymptotic" else spread.df
        errors = replace(spread, df=df)
    cov = line @ errors.cov @ line.T
    values = line @ mixed.model.beta
    error = np.sqrt(cov[0, 0] + 2 * off * cov[0, 1] + off**2 * cov[1, 1])
    critical = band_critical(angle_of(cov, off[0], off[-1]), float(errors.df.min()), alpha)
    difference = values[0] + off * values[1]
    return difference, difference - critical * error, difference + critical * error, critical


def _of_draws(
    bayes: BayesComparison, covariate: str, pair: tuple[int, int], places: Array, alpha: float
) -> _Band:
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
    return mean, mean - critical * spread, mean + critical * spread, critical
