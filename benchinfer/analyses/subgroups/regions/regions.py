"""The function `regions`."""

from collections.abc import Sequence

import numpy as np

from benchinfer.analyses.bayes.comparison import BayesComparison
from benchinfer.analyses.mixed.comparison import MixedComparison
from benchinfer.analyses.subgroups.regions.lines import band_of, covariate_values, places_of
from benchinfer.analyses.subgroups.regions.result import Regions
from benchinfer.comparison.evidence import alpha_of
from benchinfer.core.errors import DesignError, unknown


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
    values = covariate_values(comparison, covariate)
    level = comparison.level if level is None else level
    alpha = alpha_of(level)
    chosen = _pairs(comparison.algorithms, pairs)
    places = places_of(values)
    bands = [band_of(comparison, covariate, pair, places, alpha / len(chosen)) for pair in chosen]
    names = comparison.algorithms
    return Regions(
        measure=comparison.measure,
        covariate=covariate,
        values=values,
        pairs=tuple((names[i], names[j]) for i, j in chosen),
        places=places,
        estimate=np.array([band.estimate for band in bands]),
        low=np.array([band.low for band in bands]),
        high=np.array([band.high for band in bands]),
        critical=np.array([band.critical for band in bands]),
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
