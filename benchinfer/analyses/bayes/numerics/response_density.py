"""Log density of the model of single responses, with its gradient.

Parameters are unconstrained, as in `response_model`, which is the same model in PyMC: scales and
mixing scales by their logarithms, effects by their departure from what their prior and the scores
make likely. An additive constant is left out.

Derivatives are accumulated from the answers backwards. With Sigma = (1 + kappa) scale^2 (T T')^-1
and q_m = (1 + kappa) scale^2 lambda_m, the interactions d_m = w_m - centre of data set m have

    log p(w_m) = -|T' d_m|^2 / (2 q_m) - (J / 2) log q_m + sum_j log T_jj;

T is the identity, and kappa 0, where the structure is common.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.np.numpy_support import carray

from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.analyses.bayes.numerics.responses import ItemCounts, nodes
from benchinfer.numerics.compilation import entry, part
from benchinfer.numerics.posterior.callbacks import (
    code_matrix,
    codes,
    compiled,
    cube,
    matrix,
    vector,
)
from benchinfer.numerics.types import Array, Codes

# Variables whose logarithms are parameters.
_LOGARITHMS = (
    *("dataset_scale", "scale", "item_scale", "effect_ratio", "domain_scale", "tail", "mixing"),
    *("shrinkage", "bartlett_square"),
)
# Places of parameters that a model may lack: -1 there.
_ITEM, _RATIO, _DOMAIN, _TAIL, _KAPPA, _LEVELS, _BETA, _UNITS, _MIXING, _EFFECTS = range(10)
_LARGE = 40.0  # of a logit: beyond, 1 + exp(-x) is 1 to the last digit


@part
def digamma(x: float) -> float:
    """Return the derivative of log gamma, for x above 0; to 1e-12."""
    below = 0.0
    while x < 8.0:
        below -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    tail = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))
    return below + math.log(x) - 0.5 / x - tail


@part
def _informed(
    x: Any, centre: Any, variance: float, guess: Any, known: Any
) -> tuple[float, float, float, float]:
    """Return value, mean, standard deviation and the prior's share of a normal effect: numbers."""
    prior = 1.0 / variance
    precision = known + prior
    mean = (known * guess + centre * prior) / precision
    sd = 1.0 / math.sqrt(precision)
    return mean + sd * x, mean, sd, prior / precision


@part
def _derivatives(
    slope: Any, x: Any, centre: Any, mean: Any, sd: Any, share: Any
) -> tuple[float, float, float]:
    """Return derivatives by departure, centre and log variance; log sd is part of the density."""
    # by the logarithm of the prior's precision
    by_precision = share * (slope * (centre - mean - 0.5 * x * sd) - 0.5)
    return slope * sd, slope * share, -by_precision


@part
def _cell_answers(theta: Array, trials: Codes, successes: Codes, slope: Array) -> float:
    """Return the log density of answers to items of their own; add to the slopes by logits."""
    total = 0.0
    for m in range(theta.shape[0]):
        for k in range(theta.shape[1]):
            if trials[m, k] > 0:
                x = theta[m, k]
                e = math.exp(-abs(x))
                softplus = max(x, 0.0) + math.log1p(e)
                total += successes[m, k] * x - trials[m, k] * softplus
                slope[m, k] += successes[m, k] - trials[m, k] * (1.0 if x > 0 else e) / (1.0 + e)
    return total


@part
def _group_answers(
    theta: Array,
    spread: float,
    z: Array,
    log_weights: Array,
    trials: Codes,
    right: Codes,
    totals: Codes,
    counts: Codes,
    slope: Array,
) -> tuple[float, float]:
    """Return the log density of a group of shared items, and its slope by the items' scale.

    theta and slope are the (K,) logits of the group's data set and the slopes by them.
    """
    n_nodes, k = len(z), len(theta)
    refused, rates = np.zeros(n_nodes), np.empty((n_nodes, k))
    total = 0.0
    for q in range(n_nodes):
        product = 1.0
        for a in range(k):
            x = theta[a] + spread * z[q]
            e = math.exp(-abs(x)) if abs(x) < _LARGE else 0.0
            refused[q] += trials[a] * max(x, 0.0)
            for _ in range(trials[a]):
                product *= 1.0 + e
            rates[q, a] = trials[a] * (1.0 if x > 0 else e) / (1.0 + e)
        refused[q] += math.log(product)
    weight, by_spread = np.zeros(n_nodes), 0.0
    inner = np.empty(n_nodes)
    for i in range(len(totals)):
        largest = -np.inf
        for q in range(n_nodes):
            inner[q] = totals[i] * spread * z[q] - refused[q] + log_weights[q]
            largest = max(largest, inner[q])
        summed = 0.0
        for q in range(n_nodes):
            inner[q] = math.exp(inner[q] - largest)
            summed += inner[q]
        total += counts[i] * (largest + math.log(summed))
        for q in range(n_nodes):
            part = counts[i] * inner[q] / summed
            weight[q] += part
            by_spread += part * totals[i] * z[q]
    for a in range(k):
        total += right[a] * theta[a]
        slope[a] += right[a]
        for q in range(n_nodes):
            slope[a] -= weight[q] * rates[q, a]
            by_spread -= weight[q] * rates[q, a] * z[q]
    return total, by_spread


@part
def _factor(x: Array, at: int, factor: Array, inverse: Array) -> float:
    """Fill T and its inverse; return kappa. The identity where the structure is common."""
    j = len(factor)
    kappa = 0.0 if at < 0 else math.exp(x[at])
    below = at + 1 + j
    for i in range(j):
        factor[i, i] = 1.0 if at < 0 else math.sqrt((j + 2 + kappa - i) * math.exp(x[at + 1 + i]))
        for c in range(i):
            factor[i, c] = 0.0 if at < 0 else x[below]
            below += 1
        inverse[i, i] = 1.0 / factor[i, i]
        for c in range(i):
            inverse[i, c] = 0.0
            for b in range(c, i):
                inverse[i, c] -= factor[i, b] * inverse[b, c]
            inverse[i, c] /= factor[i, i]
    return kappa


@part
def _factor_slopes(
    x: Array,
    at: int,
    prior: Array,
    factor: Array,
    inverse: Array,
    slope: Array,
    by_scale: Array,
    by_kappa: float,
    gradient: Array,
) -> float:
    """Return the log density of kappa and T, and fill their gradient.

    slope, (J, J), has the slopes of all else by T, and by_scale, (J,), those by log a_j, with a_j
    the sum of squares in column j of the inverse of T.
    """
    j, kappa = len(factor), math.exp(x[at])
    left = np.zeros((j, j))  # T'^-1 times the slopes by the inverse
    for c in range(j):
        square = 0.0
        for i in range(c, j):
            square += inverse[i, c] ** 2
        for r in range(j):
            for i in range(max(r, c), j):
                left[r, c] += inverse[i, r] * inverse[i, c] * 2.0 * by_scale[c] / square
    total: Any = -0.5 * ((x[at] - prior[0]) / prior[1]) ** 2
    below = at + 1 + j
    for i in range(j):
        for c in range(i + 1):
            by = slope[i, c]
            for b in range(c + 1):
                by -= left[i, b] * inverse[c, b]
            if c < i:
                total -= 0.5 * x[below] ** 2
                gradient[below] = by - x[below]
                below += 1
                continue
            df, y = j + 2 + kappa - i, x[at + 1 + i]
            half, square = 0.5 * df, math.exp(y)
            total += half * (math.log(half) + y - square) - math.lgamma(half)
            gradient[at + 1 + i] = 0.5 * by * factor[i, i] + half * (1.0 - square)
            by_kappa += 0.5 * by * factor[i, i] / df
            by_kappa += 0.5 * (math.log(half) + 1.0 - digamma(half) + y - square)
    gradient[at] = kappa * by_kappa - (x[at] - prior[0]) / prior[1] ** 2
    return total


@part
def _scales(x: Array, places: Codes, sigma: Array, gradient: Array) -> float:
    """Return the log density of logarithms of half-t scales, 3 degrees of freedom."""
    total: Any = 0.0
    for i in range(len(places)):
        if places[i] >= 0:
            y = x[places[i]]
            square = math.exp(2.0 * y) / (3.0 * sigma[i] ** 2)
            total += y - 2.0 * math.log1p(square)
            gradient[places[i]] += 1.0 - 4.0 * square / (1.0 + square)
    return total


@part
def _mixing(x: Array, tail: int, at: int, n: int, prior: Array, gradient: Array) -> float:
    """Return the log density of the degrees of freedom of t interactions and mixing scales."""
    df = math.exp(x[tail])
    half = 0.5 * (1.0 + df)
    by_half = 0.0
    total: Any = prior[0] * x[tail] - prior[1] * df
    for m in range(n):
        y = x[at + m]
        total += half * (math.log(half) - y - math.exp(-y)) - math.lgamma(half)
        by_half += math.log(half) + 1.0 - digamma(half) - y - math.exp(-y)
        gradient[at + m] += half * (math.exp(-y) - 1.0)
    gradient[tail] = prior[0] - prior[1] * df + 0.5 * df * by_half
    return total


@part
def _interaction(
    x: Array,
    places: Codes,
    domain: Codes,
    effects: Array,
    centre: Any,
    variance: float,
    i: int,
    c: int,
) -> tuple[float, tuple[float, float, float, float]]:
    """Return the centre of contrast c of data set i, and what `_informed` returns of it."""
    j = effects.shape[2]
    if places[_DOMAIN] >= 0:
        unit = x[places[_UNITS] + domain[i] * j + c]
        centre += math.exp(x[places[_DOMAIN]]) * unit
    at = places[_EFFECTS] + i * j + c
    return centre, _informed(x[at], centre, variance, effects[0, i, c], effects[1, i, c])


@part
def _variance(x: Array, places: Codes, common: float, i: int) -> float:
    """Return q of data set i."""
    return common * (1.0 if places[_MIXING] < 0 else math.exp(x[places[_MIXING] + i]))


@part
def _column_squares(inverse: Array) -> Array:
    """Return (J,) sums of squares of the columns of a lower triangle."""
    a = np.zeros(len(inverse))
    for c in range(len(a)):
        for b in range(c, len(a)):
            a[c] += inverse[b, c] ** 2
    return a


@part
def _rotated(factor: Array, d: Array, q: float, back: Array, by_factor: Array) -> float:
    """Return |T' d|^2 / q, fill T T' d / q, and add the slopes of log p(w) by T."""
    j, norm = len(d), 0.0
    back[:] = 0.0
    for b in range(j):
        rotated = 0.0
        for c in range(b, j):
            rotated += factor[c, b] * d[c]
        norm += rotated**2 / q
        for c in range(b, j):
            back[c] += factor[c, b] * rotated / q
            by_factor[c, b] -= d[c] * rotated / q
        by_factor[b, b] += 1.0 / factor[b, b]
    return norm


@part
def _logits(
    x: Array,
    places: Codes,
    columns: Array,
    domain: Codes,
    levels: Array,
    effects: Array,
    beta: Array,
    inverse: Array,
    common: float,
    theta: Array,
) -> None:
    """Fill (M, K) logits; common is (1 + kappa) scale^2, and columns are Helmert's."""
    (m, k), square, a = theta.shape, math.exp(2.0 * x[1]), _column_squares(inverse)
    for i in range(m):
        at, q = places[_LEVELS] + i, _variance(x, places, common, i)
        theta[i, :] = _informed(x[at], x[0], square, levels[0, i], levels[1, i])[0]
        for c in range(len(beta)):
            _, effect = _interaction(x, places, domain, effects, beta[c], q * a[c], i, c)
            for b in range(k):
                theta[i, b] += effect[0] * columns[c, b]


@part
def _average(x: Array, places: Codes, effect_sd: float, guess: Array, beta: Array) -> None:
    """Fill (J,) contrasts of the average effects."""
    for c in range(len(beta)):
        beta[c] = x[places[_BETA] + c]
        if effect_sd == 0.0:
            square = math.exp(2.0 * (x[places[_RATIO]] + x[2]))
            beta[c] = _informed(beta[c], 0.0, square, guess[0, c], guess[1, c])[0]


@part
def _average_slopes(
    x: Array,
    places: Codes,
    effect_sd: float,
    guess: Array,
    beta: Array,
    slope: Array,
    gradient: Array,
) -> float:
    """Return the log density of the average effects, and add to the gradient."""
    total, at = 0.0, places[_BETA]
    for c in range(len(beta)):
        if effect_sd > 0.0:
            total -= 0.5 * (beta[c] / effect_sd) ** 2
            gradient[at + c] = slope[c] - beta[c] / effect_sd**2
            continue
        log_sd = x[places[_RATIO]] + x[2]
        square = math.exp(2.0 * log_sd)
        _, mean, sd, share = _informed(x[at + c], 0.0, square, guess[0, c], guess[1, c])
        total += math.log(sd) - 0.5 * beta[c] ** 2 / square - log_sd
        by = slope[c] - beta[c] / square
        gradient[at + c], _, by_log = _derivatives(by, x[at + c], 0.0, mean, sd, share)
        by_sd = beta[c] ** 2 / square - 1.0 + 2.0 * by_log
        gradient[places[_RATIO]] += by_sd
        gradient[2] += by_sd
    return total


@part
def _level_slopes(x: Array, at: int, levels: Array, slope: Array, gradient: Array) -> float:
    """Return the log density of the levels of the data sets, and add to the gradient."""
    total, square = 0.0, math.exp(2.0 * x[1])
    for i in range(len(slope)):
        z, known = levels[0, i], levels[1, i]
        level, mean, sd, share = _informed(x[at + i], x[0], square, z, known)
        e = level - x[0]
        total += math.log(sd) - 0.5 * e * e / square - x[1]
        by = slope[i].sum() - e / square
        gradient[at + i], by_centre, by_log = _derivatives(by, x[at + i], x[0], mean, sd, share)
        gradient[0] += by_centre + e / square
        gradient[1] += e * e / square - 1.0 + 2.0 * by_log
    return total


@part
def _effect_slopes(
    x: Array,
    places: Codes,
    columns: Array,
    domain: Codes,
    effects: Array,
    beta: Array,
    factor: Array,
    inverse: Array,
    common: float,
    slope: Array,
    by_beta: Array,
    by_factor: Array,
    by_column: Array,
    gradient: Array,
) -> tuple[float, float]:
    """Return the log density of the effects on data sets, and its slope by log common.

    by_beta, by_factor and by_column, the slopes by beta, T and log a_j, are added to.
    """
    n, j = len(slope), len(beta)
    total, by_common, a = 0.0, 0.0, _column_squares(inverse)
    parts, d, back = np.empty((j, 4)), np.empty(j), np.empty(j)
    for i in range(n):
        q = _variance(x, places, common, i)
        for c in range(j):
            parts[c, 0], (value, parts[c, 1], parts[c, 2], parts[c, 3]) = _interaction(
                x, places, domain, effects, beta[c], q * a[c], i, c
            )
            d[c] = value - parts[c, 0]
            total += math.log(parts[c, 2] * factor[c, c])
        norm = _rotated(factor, d, q, back, by_factor)
        total -= 0.5 * (norm + j * math.log(q))
        by_q = 0.5 * (norm - j)
        for c in range(j):
            at, by = places[_EFFECTS] + i * j + c, -back[c]
            for b in range(columns.shape[1]):
                by += slope[i, b] * columns[c, b]
            gradient[at], by_centre, by_log = _derivatives(
                by, x[at], parts[c, 0], parts[c, 1], parts[c, 2], parts[c, 3]
            )
            by_centre += back[c]
            by_q += by_log
            by_column[c] += by_log
            by_beta[c] += by_centre
            if places[_DOMAIN] >= 0:
                unit, scale = places[_UNITS] + domain[i] * j + c, math.exp(x[places[_DOMAIN]])
                gradient[unit] += scale * by_centre
                gradient[places[_DOMAIN]] += scale * x[unit] * by_centre
        by_common += by_q
        if places[_MIXING] >= 0:
            gradient[places[_MIXING] + i] += by_q
    return total, by_common


@part
def _standard(x: Array, start: int, stop: int, gradient: Array) -> float:
    """Return the log density of standard normal variables, and add to the gradient."""
    total = 0.0
    for i in range(start, stop):
        total -= 0.5 * x[i] ** 2
        gradient[i] -= x[i]
    return total


@entry
def log_density(
    x: Array,
    places: Codes,
    prior: Array,
    sigma: Array,
    columns: Array,
    domain: Codes,
    levels: Array,
    effects: Array,
    average: Array,
    trials: Codes,
    successes: Codes,
    grid: Array,
    log_weights: Array,
    group_dataset: Codes,
    group_trials: Codes,
    group_right: Codes,
    start: Codes,
    totals: Codes,
    counts: Codes,
    gradient: Array,
) -> float:
    """Return the log density at x and fill its gradient; see `ResponseDensity`."""
    (m, k), j = trials.shape, len(columns)
    gradient[:] = 0.0
    places_of_scales = np.array([1, 2, places[_ITEM], places[_RATIO], places[_DOMAIN]])
    total = _scales(x, places_of_scales, sigma, gradient) - 0.5 * (x[0] / prior[0]) ** 2
    gradient[0] = -x[0] / prior[0] ** 2
    factor, inverse, beta = np.zeros((j, j)), np.zeros((j, j)), np.empty(j)
    kappa = _factor(x, places[_KAPPA], factor, inverse)
    common = (1.0 + kappa) * math.exp(2.0 * x[2])
    _average(x, places, prior[1], average, beta)
    theta, slope = np.empty((m, k)), np.zeros((m, k))
    _logits(x, places, columns, domain, levels, effects, beta, inverse, common, theta)
    total += _cell_answers(theta, trials, successes, slope)
    for g in range(len(group_dataset)):
        i, at = group_dataset[g], places[_ITEM]
        lines, spread = slice(start[g], start[g + 1]), math.exp(x[at])
        density, by_spread = _group_answers(
            *(theta[i], spread, grid, log_weights, group_trials[g], group_right[g]),
            *(totals[lines], counts[lines], slope[i]),
        )
        total += density
        gradient[at] += by_spread * spread
    total += _level_slopes(x, places[_LEVELS], levels, slope, gradient)
    by_beta, by_factor, by_column = np.zeros(j), np.zeros((j, j)), np.zeros(j)
    density, by_common = _effect_slopes(
        *(x, places, columns, domain, effects, beta, factor, inverse, common),
        *(slope, by_beta, by_factor, by_column, gradient),
    )
    total += density
    gradient[2] += 2.0 * by_common
    if places[_KAPPA] >= 0:
        total += _factor_slopes(
            *(x, places[_KAPPA], prior[4:6], factor, inverse, by_factor, by_column),
            *(by_common / (1.0 + kappa), gradient),
        )
    if places[_DOMAIN] >= 0:
        total += _standard(x, places[_UNITS], places[_UNITS] + (domain.max() + 1) * j, gradient)
    if places[_TAIL] >= 0:
        total += _mixing(x, places[_TAIL], places[_MIXING], m, prior[2:4], gradient)
    return total + _average_slopes(x, places, prior[1], average, beta, by_beta, gradient)


def _evaluate(size: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    value[0] = log_density(
        carray(x, (size,)),
        *(codes(data, 0), vector(data, 1), vector(data, 2), matrix(data, 3), codes(data, 4)),
        *(matrix(data, 5), cube(data, 6), matrix(data, 7)),
        *(code_matrix(data, 8), code_matrix(data, 9), vector(data, 10), vector(data, 11)),
        *(codes(data, 12), code_matrix(data, 13), code_matrix(data, 14), codes(data, 15)),
        *(codes(data, 16), codes(data, 17)),
        carray(gradient, (size,)),
    )
    return 0


@dataclass(frozen=True, slots=True)
class Guesses:
    """First guesses of logits, and their precisions: (2, ...) arrays of both.

    Attributes
    ----------
    levels
        (2, M) levels of the data sets.
    effects
        (2, M, J) contrasts of the effects on the data sets.
    average
        (2, J) their means over data sets.
    """

    levels: Array
    effects: Array
    average: Array

    @classmethod
    def of(cls, logits: Array, weight: Array) -> Guesses:
        """Combine (M, K) guesses of the cells' logits, and their inverse variances."""
        m, k = logits.shape
        h = helmert(k)
        z = logits @ h.T
        return cls(
            levels=np.stack([logits.mean(axis=1), k / (1 / weight).mean(axis=1)]),
            effects=np.stack([z, 1 / np.einsum("jk,mk->mj", h**2, 1 / weight)]),
            average=np.stack([z.mean(axis=0), m / z.var(axis=0).clip(1e-6)]),
        )


@dataclass(frozen=True, slots=True)
class ResponseDensity:
    """Log density of a model of single responses by unconstrained parameters.

    Attributes
    ----------
    size
        Number of parameters.
    places
        Name of a variable, as in `response_model`, to its place among the parameters and its shape.
    arrays
        Arguments of `log_density` between the parameters and the gradient.
    """

    size: int
    places: dict[str, tuple[slice, tuple[int, ...]]]
    arrays: tuple[Any, ...]

    @classmethod
    def of(
        cls,
        model: GibbsModel,
        trials: Codes,
        successes: Codes,
        items: ItemCounts | None,
        guesses: Guesses,
    ) -> ResponseDensity:
        """Return the density of a model, with the positions of its parameters in one vector.

        Parameters
        ----------
        model
            Priors, structure and domains.
        trials, successes
            (M, K) answers in the cells, and those that are right.
        items
            The same by shared items, which take their place.
        guesses
            First guesses of the logits.
        """
        priors, (m, k) = model.priors, trials.shape
        domain = np.zeros(m, dtype=np.int64) if model.domain is None else model.domain
        places, size = _places(model, m, k, items=items is not None)
        optional = "item_scale effect_ratio domain_scale tail shrinkage dataset_level contrasts"
        names = (*optional.split(), "domain_unit", "mixing", "dataset_contrasts")
        at = [places[name][0].start if name in places else -1 for name in names]
        prior = [
            *(priors.level_sd, priors.effect_sd or 0.0, priors.tail_shape, priors.tail_rate),
            *(np.log(priors.shrinkage_median or k - 1), priors.shrinkage_sd),
        ]
        sigma = [
            *(priors.level_scale, priors.interaction_scale, priors.item_scale),
            *(priors.effect_scale, priors.domain_scale),
        ]
        if items is None:
            none = np.zeros(0, dtype=np.int64)
            grid, held = (np.zeros(0), np.zeros(0)), (trials, successes)
            groups = (
                none,
                none.reshape(0, k),
                none.reshape(0, k),
                np.zeros(1, np.int64),
                none,
                none,
            )
        else:
            grid = nodes(int(items.trials.sum(axis=1).max()))
            held = (np.zeros((m, k), dtype=np.int64),) * 2
            start = np.searchsorted(items.group, np.arange(len(items.dataset) + 1))
            groups = (items.dataset, items.trials, items.right, start, items.total, items.count)
        arrays = (
            *(np.array(at), np.array(prior), np.array(sigma), helmert(k), domain),
            *(guesses.levels, guesses.effects, guesses.average, *held, grid[0], grid[1], *groups),
        )
        return cls(size, places, tuple(map(np.ascontiguousarray, arrays)))

    def __call__(self, x: Array) -> tuple[float, Array]:
        """Return the log density and its gradient at (size,) parameters."""
        gradient = np.empty(self.size)
        kernel: Any = log_density
        return kernel(x, *self.arrays, gradient), gradient

    def callback(self) -> Any:
        """Return the compiled function that C calls."""
        return compiled(_evaluate)

    def values(self, draws: Array) -> dict[str, Array]:
        """Return (C, T, ...) draws of variables, by the names of `response_model`."""
        at = {
            name: draws[..., place].reshape(*draws.shape[:2], *shape)
            for name, (place, shape) in self.places.items()
        }
        at |= {name: np.exp(at[name]) for name in _LOGARITHMS if name in at}
        columns, domain, levels, effects, average = self.arrays[3:8]
        level, square = at["level"][..., None], at["dataset_scale"][..., None] ** 2
        j = len(columns)
        unit = np.ones((*draws.shape[:2], 1, j))  # diagonal of Sigma over its squared scale
        if "shrinkage" in at:
            at["covariance"] = _covariance(at, j)
            unit = np.diagonal(at["covariance"], axis1=2, axis2=3)[:, :, None, :]
        else:
            unit = unit * at["scale"][..., None, None] ** 2
        at["dataset_level"] = _departed(at["dataset_level"], level, square, *levels)
        if "effect_ratio" in at:
            at["effect_scale"] = at["effect_ratio"] * at["scale"]
            spread = at["effect_scale"][..., None] ** 2
            at["contrasts"] = _departed(at["contrasts"], 0.0, spread, *average)
        centre = at["contrasts"][:, :, None, :]
        if "domain_scale" in at:
            centre = (
                centre + (at["domain_scale"][..., None, None] * at["domain_unit"])[:, :, domain]
            )
        variance = unit * at.get("mixing", np.ones((1, 1, 1)))[..., None]
        contrasts = _departed(at["dataset_contrasts"], centre, variance, *effects)
        at["dataset_contrasts"] = contrasts
        return at | {"logit": at["dataset_level"][..., None] + contrasts @ columns}


def _departed(
    x: Array, centre: Array | float, variance: Array, guess: Array, known: Array
) -> Array:
    """Return effects, given their departures; see `_informed`."""
    precision = known + 1 / variance
    return (known * guess + centre / variance) / precision + x / np.sqrt(precision)


def _covariance(at: dict[str, Array], j: int) -> Array:
    """Return (C, T, J, J) Sigma."""
    kappa = at["shrinkage"][..., None]
    factor = np.zeros((*kappa.shape[:2], j, j))
    i = np.arange(j)
    factor[..., i, i] = np.sqrt((j + 2 + kappa - i) * at["bartlett_square"])
    below = np.tril_indices(j, -1)
    factor[..., below[0], below[1]] = at["bartlett_below"]
    inverse = np.linalg.inv(factor)
    scale = (1 + kappa) * at["scale"][..., None] ** 2
    return scale[..., None] * (inverse.swapaxes(2, 3) @ inverse)


def _places(
    model: GibbsModel, m: int, k: int, *, items: bool
) -> tuple[dict[str, tuple[slice, tuple[int, ...]]], int]:
    """Return places and shapes of variables, and the number of parameters."""
    j = k - 1
    shapes: dict[str, tuple[int, ...]] = {"level": (), "dataset_scale": (), "scale": ()}
    if items:
        shapes["item_scale"] = ()
    if model.priors.effect_sd is None:
        shapes["effect_ratio"] = ()
    if model.domain is not None:
        shapes |= {"domain_scale": (), "domain_unit": (int(model.domain.max()) + 1, j)}
    if model.interactions == "t":
        shapes |= {"tail": (), "mixing": (m,)}
    if model.structure != "common":
        below = (j * (j - 1) // 2,)
        shapes |= {"shrinkage": (), "bartlett_square": (j,), "bartlett_below": below}
    shapes |= {"dataset_level": (m,), "contrasts": (j,), "dataset_contrasts": (m, j)}
    places: dict[str, tuple[slice, tuple[int, ...]]] = {}
    size = 0
    for name, shape in shapes.items():
        places[name] = slice(size, size + math.prod(shape)), shape
        size += math.prod(shape)
    return places, size
