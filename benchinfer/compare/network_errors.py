"""Errors of a network's contrasts: of one variance, or from the spread of the data sets."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.evidence import Array
from benchinfer.compare.phrases import join
from benchinfer.compare.studies import Studies
from benchinfer.errors import DesignError, message
from benchinfer.numerics.degrees import Adjusted
from benchinfer.numerics.meta.clusters import Clusters, clusters
from benchinfer.numerics.meta.rows import Codes, Rows, rows_of

if TYPE_CHECKING:
    from benchinfer.compare.pooled_effects import Interval, NetworkFit


def columns(rows: Rows, studies: Studies) -> Array | None:
    """Return a column for each covariate and algorithm but the first, None without covariates."""
    if not studies.covariates:
        return None
    at = [z[rows.dataset, None] for z in studies.covariates.values()]
    return np.hstack([z * rows.x[:, 1:] for z in at])


def study_codes(studies: Studies, rows: Rows) -> Codes:
    """Return (n,) codes of the studies that the rows lie within, in order of their names."""
    names = sorted(set(studies.groups))
    return np.array([names.index(name) for name in studies.groups])[rows.dataset]


def gathered(studies: Studies, fit: "NetworkFit", k: int) -> Clusters:
    """Return the rows by what is independent: data sets, or studies where they lie within them."""
    rows = rows_of(studies.blocks, k)
    part = rows.part(columns(rows, studies))
    if not fit.nested:
        return clusters(part, rows.dataset, fit.beta, fit.tau2)
    shared = np.sqrt(fit.between / 2) * rows.x
    return clusters(part, study_codes(studies, rows), fit.beta, fit.tau2, shared)


def resolved(studies: Studies, fit: "NetworkFit", k: int, interval: "Interval") -> "Interval":
    """Return the errors that ``"auto"`` means, or check the ones asked for.

    Two algorithms have one difference, whose variance is tau^2 itself: nothing is assumed alike.

    Raises
    ------
    DesignError
        Robust errors are asked for, and some difference is known from one data set alone.
    """
    if interval not in ("auto", "robust"):
        return interval
    if interval == "auto" and k == 2:
        return "hartung-knapp"
    alone = gathered(studies, fit, k).determined_alone()
    if not alone.any():
        return "robust"
    if interval == "auto":
        return "hartung-knapp"
    kind = "study" if fit.nested else "data set"
    names = sorted(set(studies.groups)) if fit.nested else studies.datasets
    found = [names[g] for g in np.flatnonzero(alone)]
    shown = join([*found[:5], *(["others"] if len(found) > 5 else [])])
    raise DesignError(
        message(
            f"without {shown}, some differences are not known at all: there is no spread between"
            f" {'studies' if fit.nested else 'data sets'} to take an error from.",
            hint=f"each algorithm must be joined to the others by more than one {kind};"
            ' interval="hartung-knapp" takes all pairs as varying alike.',
        )
    )


def errors_of(
    studies: Studies, fit: "NetworkFit", contrasts: Array, at: int = 0
) -> tuple[Array, Adjusted]:
    """Return levels with the errors of their contrasts.

    Parameters
    ----------
    studies
        The effects.
    fit
        The network.
    contrasts
        (J, K) contrasts of the levels.
    at
        0 for levels, 1 and more for the slopes along each covariate.

    Returns
    -------
    levels
        (K,) levels or slopes.
    errors
        Their (K, K) covariance and the (J,) degrees of freedom of the contrasts.
    """
    k = contrasts.shape[1]
    levels, cov = fit.levels(k, at)
    if fit.interval != "robust":
        return levels, Adjusted(cov, np.full(len(contrasts), fit.df))
    own = slice(at * (k - 1), (at + 1) * (k - 1))
    wide = np.zeros((len(contrasts), len(fit.beta)))
    wide[:, own] = contrasts[:, 1:]
    found = gathered(studies, fit, k).errors(wide)
    cov = np.zeros((k, k))
    cov[1:, 1:] = found.cov[own, own]
    return levels, Adjusted(cov, found.df)


def joint_errors(studies: Studies, fit: "NetworkFit", k: int) -> tuple[Array, Array, float]:
    """Return (K,) levels, (K, K) variances of their differences, and degrees of freedom for all.

    Where pairs have degrees of freedom of their own, the median stands for all.
    """
    first, second = np.triu_indices(k, 1)
    levels, errors = errors_of(studies, fit, np.eye(k)[first] - np.eye(k)[second])
    own = errors.cov.diagonal()
    apart = np.maximum(own + own[:, None] - 2 * errors.cov, 0.0)
    return levels, apart, float(np.median(errors.df))
