"""Refits without one data set.

Data sets are independent given the variances, so the statistics without one of them are those of
the others: nothing is read again. An algorithm is different. Without it every block is smaller,
which moves blocks into other classes. The sums of ``score * score`` between algorithms for each
pattern of counts would be needed, and a table with gaps has about as many patterns as blocks. So an
algorithm is left out of the blocks themselves, in one pass over them.

References
----------
Cook, R. D. (1977). Detection of influential observation in linear regression. Technometrics 19,
15-18. https://doi.org/10.1080/00401706.1977.10489493

Christensen, R., Pearson, L. M. & Johnson, W. (1992). Case-deletion diagnostics for mixed models.
Technometrics 34, 38-45. https://doi.org/10.2307/1269550
"""

from dataclasses import replace

import numpy as np

from benchinfer.analyses.mixed.numerics import degrees
from benchinfer.analyses.mixed.numerics.likelihood import evaluate
from benchinfer.analyses.mixed.numerics.moments import Statistics, from_blocks, from_cells
from benchinfer.analyses.mixed.numerics.optimum import ModelFit, fit
from benchinfer.analyses.mixed.numerics.robust import of_fit
from benchinfer.core.errors import FitError
from benchinfer.numerics.covariance import Adjusted, contrast_variances
from benchinfer.numerics.types import Array, Codes


def without_dataset(stats: Statistics, m: int) -> Statistics:
    """Return the statistics of the table without data set m; centres and scale stay.

    Of D data sets D - 1 are left.

    Examples
    --------
    >>> y = np.array([[1., 2.], [2., 4.], [5., 5.], [0., 3.]])
    >>> stats = from_cells(np.ones((4, 2), int), y, np.zeros_like(y))
    >>> fit(without_dataset(stats, 2), ("dataset",)).beta.round(6).tolist()
    [1.0, 3.0]
    """
    rest = np.arange(len(stats.n)) != m
    smaller = replace(
        stats,
        n=stats.n[rest],
        total=stats.total[rest],
        square=stats.square[rest],
        delta=stats.delta[rest],
    )
    if not len(stats.start):
        return smaller
    first = stats.start[m]
    stop = stats.start[m + 1] if m + 1 < len(stats.start) else len(stats.size)
    held = np.r_[0:first, stop : len(stats.size)]
    return replace(
        smaller,
        start=np.r_[stats.start[:m], stats.start[m + 1 :] - (stop - first)],
        size=stats.size[held],
        rows=stats.rows[held],
        class_n=stats.class_n[held],
        class_total=stats.class_total[held],
        cross=stats.cross[held],
        moment=stats.moment[held],
        block_square=stats.block_square[held],
    )


def blocks_without_algorithm(
    dataset: Codes,
    count: Codes,
    mean: Array,
    within: Array,
    k: int,
    rows: Array | None = None,
) -> Statistics:
    """Return the statistics of the blocks without algorithm k.

    Data sets on which no other algorithm has a score are dropped with it.

    `dataset`, `count` and `mean` are as for `moments.from_blocks`, `within` (D, K) are sums of
    squares of repeated scores about their mean, and `rows` (R,) numbers of blocks that each stands
    for, by default one.
    """
    others = np.arange(count.shape[1]) != k
    count, mean = count[:, others], mean[:, others]
    held = count.any(axis=1)
    present, home = np.unique(dataset[held], return_inverse=True)
    spread = within[present][:, others].sum(axis=1)
    rows = None if rows is None else rows[held]
    return from_blocks(home, count[held], mean[held], spread, rows)


def cells_without_algorithm(n: Codes, mean: Array, square_within: Array, k: int) -> Statistics:
    """Return the statistics of the cells without algorithm k; see `moments.from_cells`."""
    others = np.arange(n.shape[1]) != k
    held = n[:, others].any(axis=1)
    return from_cells(n[held][:, others], mean[held][:, others], square_within[held][:, others])


def deletion(stats: Statistics, model: ModelFit) -> tuple[Array, Array]:
    """Leave out each data set in turn, all at once, with the variances of the full table.

    With ``z = Za' V^-1 (y - X b)`` and ``Q = Za' V^-1 Za`` of the data set,
    ``b - b_without = (Phi^-1 - Q)^-1 z``, exactly.

    Parameters
    ----------
    stats
        Statistics of D data sets and K algorithms.
    model
        The fit of the full table with one mean per algorithm.

    Returns
    -------
    shift
        (D, K) fixed effects of all data sets minus those without the data set, on the scores' own
        scale; NaN where the others cannot estimate them.
    cook
        (D,) Cook's distance of the differences between algorithms: the squared length of the shift
        in the metric of their covariance, divided by K - 1.
    """
    work = evaluate(stats, model.variances / stats.scale**2, reml=model.reml)
    values, vectors = np.linalg.eigh(work.information - work.q_matrix)
    known = values[:, 0] > 1e-10 * values[:, -1]
    inverse = np.where(known[:, None], 1 / np.where(known[:, None], values, 1.0), np.nan)
    turned = np.einsum("dkl,dk->dl", vectors, model.derivatives.z) * inverse
    shift = np.einsum("dkl,dl->dk", vectors, turned)
    k = len(work.phi)
    contrasts = np.eye(k)[:-1] - np.eye(k)[1:]
    metric = np.linalg.inv(contrasts @ work.phi @ contrasts.T)
    cook = contrast_variances(shift @ contrasts.T, metric) / (k - 1)
    return shift * stats.scale, cook


def refit(
    stats: Statistics, terms: tuple[str, ...], contrasts: Array, df: str, *, robust: bool
) -> tuple[ModelFit, Adjusted] | None:
    """Fit the model to a smaller table, variances included, with the errors of the contrasts.

    `terms` are the components besides the residual, `contrasts` (J, K), and `df` one of
    `degrees.METHODS`. Errors are those of the model or, if `robust`, from the spread between data
    sets. None where the smaller table cannot estimate the model.
    """
    if len(stats.n) < 2:
        return None
    try:
        model = fit(stats, terms)
        errors = degrees.METHODS[df](model, contrasts)
    except (FitError, np.linalg.LinAlgError):
        return None
    if not robust:
        return model, errors
    if ((stats.n > 0).sum(axis=0) < 2).any():
        return None
    try:
        errors = of_fit(stats, model, contrasts)
    except FitError:
        return None
    return model, Adjusted(
        errors.cov, np.full_like(errors.df, np.inf)
    ) if df == "asymptotic" else errors
