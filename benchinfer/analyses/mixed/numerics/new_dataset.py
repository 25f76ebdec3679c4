"""Distribution of contrasts on a new data set.

On a new data set the difference of a contrast c is ``c'b + c'a``, with b the fixed effects and a
the new data set's interactions: its prediction has the variance of the estimate plus that of
``c'a`` between data sets, and t quantiles with Satterthwaite's degrees of freedom of the sum.

- Under the model, ``c'a`` has the variance ``|c|^2`` times that of ``dataset:algorithm``.
- With a variance for each contrast it comes from the differences ``d_m`` on the data sets. Their
  spread holds the noise of replications, too, ``d_m ~ (delta, tau^2 + e_m)``, with ``e_m`` the
  sampling variance from the replications of data set m; ``tau^2`` solves
  ``sum_m (d_m - delta)^2 / (tau^2 + e_m) = D - 1`` (Paule and Mandel; 0 where the noise explains
  all). On a complete table that is the variance of the differences minus the noise of their means.

With one score per cell the noise and the interactions are not identifiable: then the prediction is
that of scores, which is wider than that of true differences.

References
----------
Paule, R. C. & Mandel, J. (1982). Consensus values and weighting factors. Journal of Research of the
National Bureau of Standards 87, 377-385. https://doi.org/10.6028/jres.087.022

Higgins, J. P. T., Thompson, S. G. & Spiegelhalter, D. J. (2009). A re-evaluation of random-effects
meta-analysis. Journal of the Royal Statistical Society A 172, 137-159.
https://doi.org/10.1111/j.1467-985X.2008.00552.x
"""

import numpy as np

from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS
from benchinfer.analyses.mixed.numerics.moments import Statistics
from benchinfer.analyses.mixed.numerics.optimum import ModelFit
from benchinfer.numerics.covariance import Adjusted, contrast_variances
from benchinfer.numerics.max_t import critical_t
from benchinfer.numerics.posterior.outcome_probabilities import NewDatasetDistribution
from benchinfer.numerics.types import Array, Flags

# Of the variance on a new data set; with as many or fewer a t distribution has no variance.
_FEWEST_DF = 2.0
_INTERACTION, _RESIDUAL = COMPONENTS.index("dataset:algorithm"), COMPONENTS.index("residual")


def _home(model: ModelFit) -> int:
    """Return the position of the interaction component, or of the residual without one."""
    return _INTERACTION if COMPONENTS[_INTERACTION] in model.terms else _RESIDUAL


def predict_common(
    model: ModelFit,
    errors: Adjusted,
    contrasts: Array,
    method: str = "kenward-roger",
    replications: float = np.inf,
) -> NewDatasetDistribution:
    r"""Predict contrasts under one interaction variance.

    The variance is ``v = c'Cc + |c|^2 (s_a + s_e / B)`` with degrees of freedom
    ``2 v^2 / (g'Wg)``, where g are the derivatives of v by the variance components and W is the
    covariance of their estimates.

    `errors` is the covariance of the fixed effects, `contrasts` are (J, K), `method` is one of
    `degrees.METHODS`, and `replications` the number whose mean is predicted, infinite for the true
    contrast.
    """
    length = (contrasts**2).sum(axis=1)
    home = _home(model)
    between, noise = length * model.variances[home], length * model.variances[_RESIDUAL]
    share = 0.0 if home == _RESIDUAL else 1 / replications
    variance = contrast_variances(contrasts, errors.cov)
    variance = np.maximum(variance, 0.0) + between + share * noise
    if method == "asymptotic":
        return NewDatasetDistribution(variance, np.full(len(length), np.inf), between, noise)
    index, w = model.members, model.expected_sampling
    if method == "satterthwaite":
        index, w = model.interior, model.sampling[np.ix_(model.interior, model.interior)]
    half = contrasts @ model.phi
    g = np.stack([contrast_variances(half, f) for f in model.derivatives.f[index]], axis=1)
    g += length[:, None] * ((index == home) + share * (index == _RESIDUAL))
    # Degrees of freedom of the variance without the small-sample adjustment, as for contrasts.
    plain = np.einsum("jp,jp->j", half, contrasts) * model.scale**2 + between + share * noise
    spread = contrast_variances(g, w) * model.scale**4
    return NewDatasetDistribution(variance, 2 * plain**2 / spread, between, noise)


def _differences(
    stats: Statistics, model: ModelFit, contrasts: Array
) -> tuple[Array, Array, Flags]:
    """Estimate the contrasts on each data set from its own replications alone.

    Returns (D, J) values, their sampling variances, (1, J) where all data sets have one design, and
    which there are.
    """
    from scipy.sparse import csr_array  # takes time to load, and not every comparison predicts

    work = model.evaluation(stats)
    k = stats.n.shape[1]
    empty = stats.n == 0
    information = work.g_matrix.copy()
    information[:, range(k), range(k)] += empty[: len(information)]
    inverse = np.linalg.inv(information)
    level = np.einsum("dkl,dl->dk", inverse, work.g) + stats.offset
    few = csr_array(contrasts)
    sampling = np.stack([contrast_variances(few, each) for each in inverse])
    held = empty.astype(np.float64) @ (contrasts != 0).T == 0
    return level @ contrasts.T * stats.scale, sampling * stats.scale**2, held


def _between(value: Array, held: Flags, sampling: Array) -> Array:
    """Return (J,) variances between data sets by Paule and Mandel's equation."""
    free = held.sum(axis=0) - 1.0

    def excess(tau: Array) -> Array:
        weight = np.where(held, 1 / (tau + sampling + 1e-300), 0.0)
        centre = (weight * value).sum(axis=0) / weight.sum(axis=0)
        return (weight * (value - centre) ** 2).sum(axis=0) - free

    # The left side falls with the variance; the whole spread is more than its root.
    mean = (held * value).sum(axis=0) / (free + 1)
    square = (held * (value - mean) ** 2).sum(axis=0)
    low, high = np.zeros_like(free), square / np.maximum(free, 1.0)
    for _ in range(60):
        middle = (low + high) / 2
        more = excess(middle) > 0
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    return np.where(high < 1e-12 * np.maximum(square, 1e-300), 0.0, (low + high) / 2)


def predict_pairwise(
    stats: Statistics,
    model: ModelFit,
    errors: Adjusted,
    contrasts: Array,
    noise: Array | None = None,
    replications: float = np.inf,
) -> NewDatasetDistribution:
    """Predict contrasts with a variance between data sets of their own.

    Parameters
    ----------
    stats
        Statistics of D data sets.
    model
        The fit; its residual variance and replication variance give the noise.
    errors
        Covariance of the fixed effects from the spread between data sets, and the contrasts'
        degrees of freedom.
    contrasts
        (J, K) contrasts.
    noise
        (K, K) variance of the difference of two algorithms' scores of one replication about its
        mean on the data set; None for that of the model, twice the residual variance.
        Near-duplicates share their noise, so the model's is too much for them.
    replications
        Number B of replications whose mean is predicted; infinite for the true contrast.

    Returns
    -------
    NewDatasetDistribution
        Of the J contrasts.

    Notes
    -----
    With D data sets, s^2 the mean spread ``tau^2 + e``, V the variance of the estimate with f
    degrees of freedom, and f_e those of the noise, the degrees of freedom of ``V + tau^2`` are
    ``(V + tau^2)^2 / ((V / sqrt(f) + s^2 / sqrt(D - 1))^2 + e^2 / f_e)``: V and s^2 come from the
    same differences. On a complete table without noise, D - 1. Where noise is most of the spread,
    ``V + s^2`` with its degrees of freedom gives the narrower interval and is taken instead; so it
    is where there are no more than 2, with which a t distribution has no variance: ``tau^2`` is
    then most likely 0 by chance, and probabilities would take it as known.
    """
    length = (contrasts**2).sum(axis=1)
    value, sampling, held = _differences(stats, model, contrasts)
    one = length * model.variances[_RESIDUAL]
    if noise is not None:
        one = np.maximum(-contrast_variances(contrasts, noise) / 2, 0.0)
    confounded = _home(model) == _RESIDUAL
    ratio = 0.0 if confounded else one / (length * model.variances[_RESIDUAL])
    sampling = sampling * ratio
    between = _between(value, held, sampling)
    share = 0.0 if confounded else 1 / replications
    estimate = np.maximum(contrast_variances(contrasts, errors.cov), 0.0)
    variance = estimate + between + share * one
    if np.isinf(errors.df).all():
        return NewDatasetDistribution(variance, np.full(len(length), np.inf), between, one)
    n_held = held.sum(axis=0)
    removed = (held * sampling).sum(axis=0) / n_held
    spread = between + removed
    free = max(float(stats.n_scores - (stats.n > 0).sum()) / stats.n.shape[1], 1.0)
    root = estimate / np.sqrt(errors.df) + spread / np.sqrt(np.maximum(n_held - 1, 1))
    df = _ratio(variance**2, root**2 + (removed - share * one) ** 2 / free)
    # The spread with the noise in it is too large, but it is known better: where noise is most of
    # the spread, the interval from it is the narrower of two that both hold.
    noisy = estimate + spread
    whole_df = _ratio(noisy**2, root**2)
    better = share * one <= removed
    better &= (df <= _FEWEST_DF) | (
        critical_t(df, 0.05) ** 2 * variance > critical_t(whole_df, 0.05) ** 2 * noisy
    )
    return NewDatasetDistribution(
        np.where(better, noisy, variance), np.where(better, whole_df, df), between, one
    )


def _ratio(above: Array, below: Array) -> Array:
    """Return a ratio as degrees of freedom, at least 1: fewer make intervals useless."""
    return np.maximum(np.where(below > 0, above / np.maximum(below, 1e-300), 1.0), 1.0)
