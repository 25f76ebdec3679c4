"""Pooled effects of pairs and of networks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from benchinfer.analyses.meta.numerics.effects import EffectRows, components, rows_of
from benchinfer.analyses.meta.numerics.means import Errors, pool_means
from benchinfer.analyses.meta.numerics.nested import nested
from benchinfer.analyses.meta.numerics.network import (
    NetworkClusters,
    clusters,
    effective_share,
    equally_exact,
    pool_network_equally,
)
from benchinfer.analyses.meta.numerics.pooling import (
    NOTHING,
    Method,
    NetworkPart,
    pool,
    tau_squared,
    uneven,
)
from benchinfer.analyses.meta.studies import Studies
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.numbers import count, join
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.covariance import Adjusted, pairs_of
from benchinfer.numerics.types import Array, Codes, Flags

type Interval = Literal["auto", "equal-weights", "robust", "hartung-knapp", "wald"]


def columns(rows: EffectRows, studies: Studies) -> Array | None:
    """Return a column for each covariate and algorithm but the first, None without covariates."""
    if not studies.covariates:
        return None
    at = [z[rows.dataset, None] for z in studies.covariates.values()]
    return np.hstack([z * rows.x[:, 1:] for z in at])


def study_codes(studies: Studies, rows: EffectRows) -> Codes:
    """Return (n,) codes of the studies that the rows lie within, in order of their names."""
    names = sorted(set(studies.groups))
    return np.array([names.index(name) for name in studies.groups])[rows.dataset]


def gathered(studies: Studies, fit: NetworkFit, k: int) -> NetworkClusters:
    """Return the rows by what is independent: data sets, or studies where they lie within them."""
    rows = rows_of(studies.blocks, k)
    part = rows.part(columns(rows, studies))
    if fit.interval == "equal-weights":
        return clusters(equally_exact(part), rows.dataset, fit.beta, 0.0)
    if not fit.nested:
        return clusters(part, rows.dataset, fit.beta, fit.tau2)
    shared = np.sqrt(fit.between / 2) * rows.x
    return clusters(part, study_codes(studies, rows), fit.beta, fit.tau2, shared)


def share_of(studies: Studies, k: int) -> float:
    """Return the smallest effective number of data sets of a pair, over the number needed."""
    rows = rows_of(studies.blocks, k)
    return effective_share(rows.part(), rows.dataset)


def resolved(studies: Studies, fit: NetworkFit, k: int, interval: Interval) -> Interval:
    """Return the errors that ``"auto"`` means, or check the ones requested.

    Two algorithms have one difference, whose variance is tau^2 itself: nothing is assumed alike.
    Weights by sampling errors that are estimated can be far off, which robust errors allow for. Few
    or unevenly exact data sets have equal weights, unless one alone determines a difference.
    """
    independent = not fit.nested and not studies.covariates
    if interval == "equal-weights" and not independent:
        raise DesignError(
            "equal weights are those of data sets that are independent, without slopes.",
            hint='nested="none" and no covariates take data sets as independent.',
        )
    if interval not in ("auto", "robust", "equal-weights"):
        return interval
    equally = interval == "equal-weights" or (
        interval == "auto" and independent and share_of(studies, k) < 1 - 1e-12
    )
    even = replace(fit, interval="equal-weights")
    if equally and not gathered(studies, even, k).determined_alone().any():
        return "equal-weights"
    if interval == "auto" and k == 2 and not studies.prior_df:
        return "hartung-knapp"
    weighed = even if interval == "equal-weights" else fit
    alone = gathered(studies, weighed, k).determined_alone()
    if not alone.any():
        return "robust"
    if interval == "auto":
        return "hartung-knapp"
    kind = "study" if fit.nested else "data set"
    names = sorted(set(studies.groups)) if fit.nested else studies.datasets
    single = [names[g] for g in np.flatnonzero(alone)]
    shown = join([*single[:5], *(["others"] if len(single) > 5 else [])])
    raise DesignError(
        f"without {shown}, some differences are not known at all: there is no spread between"
        f" {'studies' if fit.nested else 'data sets'} to take an error from.",
        hint=f"each algorithm must be joined to the others by more than one {kind};"
        ' interval="hartung-knapp" takes all pairs as varying alike.',
    )


def errors_of(
    studies: Studies, fit: NetworkFit, contrasts: Array, at: int = 0
) -> tuple[Array, Adjusted]:
    """Return levels with the errors of their contrasts."""
    k = contrasts.shape[1]
    levels, cov = fit.levels(k, at)
    if not fit.own_errors:
        return levels, Adjusted(cov, np.full(len(contrasts), fit.df))
    block = slice(at * (k - 1), (at + 1) * (k - 1))
    wide = np.zeros((len(contrasts), len(fit.beta)))
    wide[:, block] = contrasts[:, 1:]
    errors = gathered(studies, fit, k).errors(wide)
    if fit.interval == "equal-weights":  # whose errors are not below those of sampling
        return levels, Adjusted(cov, errors.df)
    cov = np.zeros((k, k))
    cov[1:, 1:] = errors.cov[block, block]
    return levels, Adjusted(cov, errors.df)


def joint_errors(studies: Studies, fit: NetworkFit, k: int) -> tuple[Array, Array, float]:
    """Return (K,) levels, (K, K) variances of their differences, and degrees of freedom for all.

    Where pairs have degrees of freedom of their own, the median stands for all.
    """
    first, second = np.triu_indices(k, 1)
    levels, errors = errors_of(studies, fit, np.eye(k)[first] - np.eye(k)[second])
    variances = errors.cov.diagonal()
    apart = np.maximum(variances + variances[:, None] - 2 * errors.cov, 0.0)
    return levels, apart, float(np.median(errors.df))


@savable
@shaped(beta="p", cov="p p", tau2="[0,inf)", between="[0,inf)", scale="[0,inf)")
@dataclass(frozen=True, slots=True)
class NetworkFit:
    """All algorithms jointly, with one variance between data sets for all pairs."""

    # beta, cov: (p,) coefficients: levels of all algorithms but the first, then their slopes along
    # each covariate, and their (p, p) covariance under the model with one variance
    beta: Array
    cov: Array
    tau2: float  # variance of a difference between data sets, of three levels within studies
    between: float  # variance of a difference between studies; 0 for two levels
    scale: float  # what Hartung and Knapp multiply the covariance with, at least 1; 1 for Wald
    df: float  # degrees of freedom of all contrasts under that model
    free: int  # residual degrees of freedom of the rows
    lifted: int  # number of sampling variances that were 0
    # The errors that were chosen; robust ones come from `network.clusters`
    interval: Interval = "hartung-knapp"
    nested: bool = False  # whether data sets lie within studies

    def levels(self, k: int, at: int = 0) -> tuple[Array, Array]:
        """Return (K,) levels (or slopes of the covariate before `at`) and their covariance."""
        block = slice(at * (k - 1), (at + 1) * (k - 1))
        value, cov = np.zeros(k), np.zeros((k, k))
        value[1:], cov[1:, 1:] = self.beta[block], self.cov[block, block]
        return value, cov

    @property
    def own_errors(self) -> bool:
        """Whether each contrast has an error of its own, from the spread of the data sets."""
        return self.interval in ("robust", "equal-weights")

    @property
    def heterogeneity(self) -> float:
        """Variance of a difference on a data set of a new study."""
        return self.tau2 + self.between


@savable
@shaped(
    estimate="P",
    std_error="P [0,inf] nan",
    df="P [0,inf] nan",
    tau2="P [0,inf] nan",
    n_datasets="P [0,inf)",
    equal="P",
)
@dataclass(frozen=True, slots=True)
class PairFits:
    """Each of P pairs by itself, from the data sets that hold both; (P,) arrays."""

    estimate: Array
    std_error: Array
    df: Array
    tau2: Array
    n_datasets: Codes
    equal: Flags  # whether data sets have equal weights

    def of(self, chosen: Flags) -> PairFits:
        """Return some of the pairs."""
        return PairFits(
            self.estimate[chosen],
            self.std_error[chosen],
            self.df[chosen],
            self.tau2[chosen],
            self.n_datasets[chosen],
            self.equal[chosen],
        )


def network(
    studies: Studies,
    algorithms: tuple[str, ...],
    method: Method,
    interval: Interval,
    *,
    three: bool,
) -> NetworkFit:
    """Fit all algorithms jointly."""
    require_connected(studies, algorithms)
    rows = rows_of(studies.blocks, len(algorithms))
    part = rows.part(columns(rows, studies))
    require_free(part, studies)
    if method == "fixed":
        interval = "wald"
    refined = interval != "wald"
    last: tuple[int, int, Interval, bool] = (part.free, rows.lifted, interval, three)
    if three:
        three_levels = nested(part, rows.x, study_codes(studies, rows))
        df = float(max(three_levels.groups - 1, 1)) if refined else np.inf
        fit = NetworkFit(
            three_levels.beta,
            three_levels.cov,
            three_levels.within,
            three_levels.between,
            1.0,
            df,
            *last,
        )
    else:
        tau2 = tau_squared([part], method)
        got = pool(part, tau2, refined=refined)
        fit = NetworkFit(got.beta, got.cov, got.tau2, 0.0, got.scale, got.df, *last)
    fit = replace(fit, interval=resolved(studies, fit, len(algorithms), interval))
    if fit.interval != "equal-weights":
        return fit
    got = pool_network_equally(part, rows.dataset, fit.tau2)
    return replace(fit, beta=got.beta, cov=got.cov, scale=got.scale, df=got.df)


def require_connected(studies: Studies, algorithms: tuple[str, ...]) -> None:
    """Raise a DesignError where the network of comparisons is not connected."""
    code = components(studies.blocks, len(algorithms))
    if not code.max(initial=0):
        return
    names = np.array(algorithms)
    parts = [names[code == c].tolist() for c in range(int(code.max()) + 1)]
    held = [sum(code[b.arms[0]] == c for b in studies.blocks) for c in range(len(parts))]
    raise DesignError(
        f"the algorithms fall into {len(parts)} parts that no data set joins.",
        where=[
            ("algorithms", "data sets"),
            *((join(part), int(n)) for part, n in zip(parts, held, strict=True)),
        ],
        hint="compare each part by itself, or add a data set with algorithms of several parts.",
        shown=20,
    )


def require_noise(studies: Studies, algorithms: tuple[str, ...]) -> None:
    """Raise a FitError where the effects of some pair have no sampling error on any data set."""
    pairs = pairs_of(len(algorithms))
    each = studies.direct(pairs)
    sizes = [np.abs(np.nan_to_num(studies.levels)), *(np.abs(one.y) for one in each)]
    size = max(float(values.max(initial=0.0)) for values in sizes)
    none = [len(one.v) > 1 and float(one.v.max()) <= (NOTHING * size) ** 2 for one in each]
    if not any(none):
        return
    rows = [
        (algorithms[i], algorithms[j], len(one.held), float(np.ptp(one.y)) <= NOTHING * size)
        for (i, j), one, noiseless in zip(pairs, each, none, strict=True)
        if noiseless
    ]
    raise FitError(
        f"{len(rows):,} of {count(len(pairs), 'pair')} have no sampling error on any data set, so"
        " that there is nothing to weigh or to test their effects by.",
        where=[
            ("first", "second", "data sets", "effects"),
            *((*row[:3], "the same on all" if row[3] else "differ") for row in rows),
        ],
        hint=[
            ("are scores constant, or an algorithm in the table twice? compare_points describes"),
            "such scores; of identical replications keep one, for compare_mixed.",
        ],
    )


def require_free(part: NetworkPart, studies: Studies) -> None:
    """Raise a DesignError where coefficients or the heterogeneity are not estimable."""
    p = part.x.shape[1]
    rank = int(np.linalg.matrix_rank(part.x))
    if rank < p:
        raise DesignError(
            f"{p - rank:,} of {count(p, 'coefficient')} cannot be told from the others.",
            hint="a slope needs data sets that differ in the covariate for each algorithm.",
        )
    if part.free < 1:
        raise DesignError(
            f"{count(len(part.y), 'effect')} of {count(len(studies.blocks), 'data set')}"
            f" {'leaves' if len(part.y) == 1 else 'leave'} nothing to tell heterogeneity from:"
            f" {count(p, 'difference')} {'is' if p == 1 else 'are'} estimated.",
            hint="some pair needs a second data set.",
        )


def weighs_equally(interval: Interval, v: Array) -> bool:
    """Return whether the effects of one pair, with sampling variances (D,), have equal weights."""
    return interval == "equal-weights" or (interval == "auto" and uneven(v))


def of_pairs(studies: Studies, interval: Interval) -> Errors:
    """Return the errors of pairs that are weighed by precision: robust of moderated variances."""
    if interval == "wald":
        return interval
    return "robust" if studies.prior_df and interval != "hartung-knapp" else "hartung-knapp"


def lifted(v: Array) -> Array:
    """Return sampling variances with those that are 0 set to the smallest that is not."""
    none = v <= 0
    return v if none.all() or not none.any() else np.where(none, v[~none].min(), v)


def pool_pairs(
    y: Array, v: Array, studies: Studies, method: Method, interval: Interval
) -> PairFits:
    """Pool the (P, D) effects of each of P pairs on as many data sets, two or more."""
    fixed = method == "fixed"
    equally = np.array([not fixed and weighs_equally(interval, one) for one in v], np.bool_)
    errors = "wald" if fixed else of_pairs(studies, interval)
    pooled = pool_means(y, v, method, errors, equally)
    n = np.full(len(y), y.shape[1])
    error = np.sqrt(pooled.variance)
    return PairFits(pooled.estimate, error, pooled.df, pooled.tau2, n, equally)


def pairwise(studies: Studies, pairs: Codes, method: Method, interval: Interval) -> PairFits:
    """Fit each pair by itself; fewer than two data sets give no estimate (NaN)."""
    each = studies.direct(pairs)
    n = np.array([len(one.held) for one in each], np.int64)
    columns, equal = np.full((4, len(pairs)), np.nan), np.zeros(len(pairs), np.bool_)
    for d in np.unique(n[n > 1]):
        some = np.flatnonzero(n == d)
        y, v = np.array([each[p].y for p in some]), np.array([lifted(each[p].v) for p in some])
        fits = pool_pairs(y, v, studies, method, interval)
        columns[:, some] = fits.estimate, fits.std_error, fits.df, fits.tau2
        equal[some] = fits.equal
    return PairFits(columns[0], columns[1], columns[2], columns[3], n, equal)
