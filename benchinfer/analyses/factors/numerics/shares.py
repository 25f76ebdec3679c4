"""Shares of the variation of cells within data sets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from benchinfer.numerics.types import Array, Flags

# Data sets from which on shares have errors by the jackknife.
LEAST_JACKKNIFED = 5
# Above this ratio of the largest to the median variance of cells, each data set is a unit.
_UNEQUAL = 5.0


@dataclass(frozen=True, slots=True)
class Shares:
    """Components of the variation of cells, with their shares.

    Attributes
    ----------
    terms
        (T,) the factors of each component, and whether it is one with data sets; the last one has
        no factors and is the rest.
    component
        (T,) unbiased sums of squares over the cells of a data set, which may be negative.
    share, std_error
        (T,) shares, 0 at the least, and their jackknife errors over data sets, NaN below five.
    scaled
        Whether each data set was divided by the spread of its own cells.
    noise
        Sum of squares of replications that was left out; NaN where there is one replication.
    """

    terms: tuple[tuple[tuple[int, ...], bool], ...]
    component: Array
    share: Array
    std_error: Array
    scaled: bool
    noise: float


def shares_of(cells: Array, error: Array | None = None) -> Shares:
    """Return the shares of factors, pairs of factors, factors by data sets, and the rest.

    Parameters
    ----------
    cells
        (D, L_1, ..., L_F) means of cells, all there.
    error
        (D,) mean variance of a cell's mean over its replications; None where there is one.

    Notes
    -----
    With C cells and mean squares MS of a term and of term by data set, the component of a factor or
    a pair is ``(SS - df MS_by_data_set) / D``, that of a factor by data set ``df (MS_by_data_set -
    MS_R)``, where MS_R is the mean square of all pairs and higher terms by data sets. The rest is
    what these leave of the mean sum of squares within data sets, less ``C - 1`` times the error.
    """
    shape = cells.shape[1:]
    flat = cells.reshape(len(cells), -1)
    spread = flat.var(axis=1, ddof=1)
    scaled = bool(spread.max() > _UNEQUAL * np.median(spread)) and bool((spread > 0).all())
    if scaled:
        cells = cells / np.sqrt(spread).reshape(-1, *(1 for _ in shape))
        error = None if error is None else error / spread
    terms, component = _components(cells, error)
    n = len(cells)
    std_error = np.full(len(component), np.nan)
    if n >= LEAST_JACKKNIFED:
        keep: list[Flags] = [np.arange(n) != d for d in range(n)]
        left = np.array(
            [
                _share(_components(cells[one], None if error is None else error[one])[1])
                for one in keep
            ]
        )
        std_error = np.sqrt((n - 1) / n * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
    noise = np.nan if error is None else float((flat.shape[1] - 1) * error.mean())
    return Shares(terms, component, _share(component), std_error, scaled, noise)


def _share(component: Array) -> Array:
    """Return components as shares of their sum, at least 0 each."""
    total = component.sum()
    return np.maximum(component, 0.0) / total if total > 0 else np.zeros_like(component)


def _components(
    cells: Array, error: Array | None
) -> tuple[tuple[tuple[tuple[int, ...], bool], ...], Array]:
    """Return the terms and components of the variation."""
    n, n_factors = len(cells), cells.ndim - 1
    n_cells = cells[0].size
    centred = cells - cells.mean(axis=tuple(range(1, cells.ndim)), keepdims=True)
    parts = {
        factors: _term(centred, factors)
        for order in (1, 2)
        for factors in combinations(range(n_factors), order)
    }
    squares: dict[tuple[int, ...], tuple[float, float, int]] = {}
    for factors, part in parts.items():
        df = int(np.prod([cells.shape[1 + f] - 1 for f in factors]))
        mean = part.mean(axis=0)
        weight = n_cells / mean.size
        fixed = weight * n * float((mean**2).sum())
        by_dataset = weight * float(((part - mean) ** 2).sum())
        squares[factors] = fixed, by_dataset / (df * (n - 1)), df
    mean = centred.mean(axis=0)
    all_by_dataset = float(((centred - mean) ** 2).sum())
    ones = [f for f in squares if len(f) == 1]
    used = sum(squares[f][2] for f in ones)
    higher = all_by_dataset - sum(squares[f][1] * squares[f][2] * (n - 1) for f in ones)
    rest = higher / ((n_cells - 1 - used) * (n - 1))
    terms: list[tuple[tuple[int, ...], bool]] = [(f, False) for f in squares]
    component = [(ss - df * ms) / n for ss, ms, df in squares.values()]
    terms += [(f, True) for f in ones]
    component += [squares[f][2] * (squares[f][1] - rest) for f in ones]
    total = float((centred**2).sum()) / n
    total -= 0.0 if error is None else (n_cells - 1) * float(error.mean())
    terms.append(((), False))
    component.append(total - sum(component))
    return tuple(terms), np.array(component)


def _term(centred: Array, factors: tuple[int, ...]) -> Array:
    """Return (D, L, ...) parts of one factor, or of two beyond either of them."""
    others = tuple(a for a in range(1, centred.ndim) if a - 1 not in factors)
    means = centred.mean(axis=others)
    if len(factors) == 1:
        return means
    return means - means.mean(axis=1, keepdims=True) - means.mean(axis=2, keepdims=True)
