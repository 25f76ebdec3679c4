"""Fit the score model with structured covariances, and what follows from the optimum.

Which algorithms vary how much between data sets is estimated (`between`), as is which of them, or
which data sets, have noisier scores (`residual`); data sets may come from several domains.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import FitError
from benchinfer.numerics.reml import Derivatives
from benchinfer.numerics.score_model import OptimizerRecord, require_converged
from benchinfer.numerics.structured.blocks import Residual, contrast_basis
from benchinfer.numerics.structured.covariances import FLOOR, Between, Layout, layout
from benchinfer.numerics.structured.levels import Evaluation, Model
from benchinfer.numerics.structured.newton import minimise
from benchinfer.numerics.structured.optimum import StructuredFit, at_zero, describe
from benchinfer.numerics.structured.patterns import Patterns
from benchinfer.numerics.structured.slopes import derivatives
from benchinfer.numerics.structured.starts import even, start

type Array = NDArray[np.float64]


def fit_structured(
    patterns: Patterns,
    *,
    between: Between = "common",
    residual: Residual = "constant",
    terms: Sequence[str] = ("dataset", "dataset:algorithm"),
    domain: NDArray[np.int64] | None = None,
    domain_terms: Sequence[str] = ("domain", "domain:algorithm"),
    x: Array | None = None,
    reml: bool = True,
) -> StructuredFit:
    """Fit the score model with structured covariances.

    Parameters
    ----------
    patterns
        Sufficient statistics of D data sets and K algorithms.
    between
        ``"common"``: the algorithms' effects on a data set have covariance ``sd J + sa I``, each
        term if it is among `terms`. ``"diagonal"``: ``sd J + diag(sa_1, ..., sa_K)``, which takes
        three algorithms. ``"unstructured"``: any covariance; it contains the data sets' intercept.
    residual
        One residual variance (``"constant"``), or one for each ``"algorithm"`` or ``"dataset"``.
    terms
        Of ``"dataset"``, ``"dataset:algorithm"`` and ``"dataset:replication"``; the last needs
        statistics of blocks.
    domain
        (D,) codes 0, 1, ... of the data sets' domains, for a level above the data sets.
    domain_terms
        Of ``"domain"`` and ``"domain:algorithm"``.
    x
        (D, K, p) design of the fixed effects, or None for one mean per algorithm. The means of the
        algorithms must be among its linear combinations.
    reml
        Restricted (default) or full maximum likelihood.

    Returns
    -------
    StructuredFit
        The optimum.

    Raises
    ------
    FitError
        The scores do not vary beyond the fixed effects, there are too few of them, the model cannot
        be told apart from a simpler one, the likelihood grows without bound, or the optimum is not
        reached.

    Examples
    --------
    >>> from benchinfer.numerics.structured.patterns import from_cells
    >>> n = np.full((4, 2), 1); y = np.array([[1., 2.], [2., 4.], [5., 5.], [0., 3.]])
    >>> model = fit_structured(from_cells(n, y, np.zeros_like(y)), terms=("dataset",))
    >>> model.terms, model.variances.round(4).tolist()
    (('dataset', 'residual'), [2.3333, 0.8333])
    """
    d, k = patterns.delta.shape[0], patterns.offset.shape[0]
    held = () if domain is None else tuple(domain_terms)
    design = np.broadcast_to(np.eye(k), (d, k, k)) if x is None else x
    offset, turn = _offset(patterns, design), _separation(design)
    if "dataset:replication" in terms and not patterns.paired:
        raise FitError("a replication term needs the statistics of blocks.")
    model = Model(
        patterns=patterns,
        layout=layout((d, k), between, tuple(terms), held, residual),
        x=contrast_basis(k).T @ design @ turn,
        member=_member(domain if held else None, d),
        reml=reml,
    )
    _check(model)
    try:
        psi, at, record = _best(model)
        der = derivatives(model, at, matrices=True)
    except np.linalg.LinAlgError as error:
        raise FitError(f"the score model cannot be fitted: {error}.") from error
    _check_bounded(model.layout, at, der)
    require_converged(record)
    return describe(model, psi, at, der, record, offset, turn)


def _member(domain: NDArray[np.int64] | None, d: int) -> Array:
    """Return the (G, D) indicators of domains."""
    if domain is None:
        return np.zeros((0, d))
    return (np.unique(domain)[:, None] == domain).astype(np.float64)


def _best(model: Model) -> tuple[Array, Evaluation, OptimizerRecord]:
    """Return the better of the optima that two starts lead to, if there may be two.

    The likelihood may have several optima where a variance is zero, or where each algorithm or data
    set has a residual variance of its own.
    """
    layout, first = model.layout, start(model)
    psi, at, record = minimise(model, layout.psi(first))
    zero, lacking = at_zero(layout, at)
    if layout.residual == "constant" and not lacking and not zero.any():
        return psi, at, record
    again, there, other = minimise(model, layout.psi(even(model)))
    record = replace(record, evaluations=record.evaluations + other.evaluations)
    if there.criterion < at.criterion:
        return again, there, replace(other, evaluations=record.evaluations)
    return psi, at, record


def _check(model: Model) -> None:
    """Refuse what leaves nothing to estimate."""
    stats, p = model.patterns, model.x.shape[2]
    if stats.n_scores <= p:
        raise FitError(f"{stats.n_scores} scores cannot tell {p} fixed effects from noise.")
    weight = stats.rows[:, None] * stats.mean**2
    varied = weight.sum() + np.einsum("mkk->", stats.cross) + stats.square.sum() > 0
    # Scores that are constant up to rounding were divided by a spread of rounding size.
    if not varied or (stats.offset**2).max() > 1e28:
        raise FitError("the scores do not vary beyond the algorithm and data set means.")


def _check_bounded(layout: Layout, at: Evaluation, der: Derivatives) -> None:
    """Refuse a residual variance that goes to zero while the likelihood grows without bound."""
    # There -2 log likelihood goes as a multiple of log(theta), whose slope is that over theta.
    steep = (at.theta < 1e4 * FLOOR) & (at.theta * der.score > 1e-3)
    steep[: layout.inner + layout.replicated] = False
    if steep.any():
        names = [name for name, bad in zip(layout.names, steep, strict=True) if bad]
        raise FitError(
            f"nothing varies beyond the random effects ({', '.join(names)}): scores repeat each"
            " other."
        )


def _offset(patterns: Patterns, x: Array) -> Array:
    """Return the fixed effects that stand for the algorithms' centres."""
    wanted = np.tile(patterns.offset, len(x))
    design = x.reshape(-1, x.shape[2])
    offset = np.linalg.lstsq(design, wanted, rcond=None)[0]
    if np.abs(design @ offset - wanted).max() > 1e-7 * (1 + np.abs(wanted).max()):
        raise FitError("the algorithms' means must be among the fixed effects.")
    return offset


def _separation(x: Array) -> Array:
    """Return an orthogonal (p, p) basis that parts fixed effects common to all algorithms.

    Where data sets vary much more than algorithms, little is known of these; mixed with the others
    they would spoil what is known of those.
    """
    contrasts = contrast_basis(x.shape[1])[:, 1:].T @ x
    return np.linalg.eigh(np.einsum("dkp,dkq->pq", contrasts, contrasts, optimize=True))[1]
