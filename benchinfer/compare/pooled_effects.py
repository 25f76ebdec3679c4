"""Fits of a meta-analysis: the network of all algorithms, or each pair by itself."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array
from benchinfer.compare.network_errors import columns, resolved, study_codes
from benchinfer.compare.phrases import count, join
from benchinfer.compare.studies import Studies
from benchinfer.errors import DesignError, FitError, message
from benchinfer.numerics.meta.nested import nested
from benchinfer.numerics.meta.pooling import NOTHING, Method, Part, Pooled, pool, tau_squared
from benchinfer.numerics.meta.rows import components, rows_of
from benchinfer.numerics.tukey import pairs_of
from benchinfer.saving import savable

type Interval = Literal["auto", "robust", "hartung-knapp", "wald"]


@savable
@dataclass(frozen=True, slots=True)
class NetworkFit:
    """All algorithms jointly, with one variance between data sets for all pairs.

    Attributes
    ----------
    beta, cov
        (p,) coefficients: levels of all algorithms but the first, then their slopes along each
        covariate, and their (p, p) covariance under the model with one variance.
    tau2
        Variance of a difference between data sets, of three levels within studies.
    between
        Variance of a difference between studies; 0 for two levels.
    scale
        What Hartung and Knapp multiply the covariance with; 1 for Wald.
    df
        Degrees of freedom of all contrasts under that model.
    free
        Residual degrees of freedom of the rows.
    lifted
        Number of sampling variances that were 0.
    interval
        The errors that were chosen; robust ones come from `network_errors.errors_of`.
    nested
        Whether data sets lie within studies.
    """

    beta: Array
    cov: Array
    tau2: float
    between: float
    scale: float
    df: float
    free: int
    lifted: int
    interval: Interval = "hartung-knapp"
    nested: bool = False

    def levels(self, k: int, at: int = 0) -> tuple[Array, Array]:
        """Return (K,) levels (or slopes of the covariate before `at`) and their covariance."""
        own = slice(at * (k - 1), (at + 1) * (k - 1))
        value, cov = np.zeros(k), np.zeros((k, k))
        value[1:], cov[1:, 1:] = self.beta[own], self.cov[own, own]
        return value, cov

    @property
    def heterogeneity(self) -> float:
        """Variance of a difference on a data set of a new study."""
        return self.tau2 + self.between


@savable
@dataclass(frozen=True, slots=True)
class PairFits:
    """Each of P pairs by itself, from the data sets that hold both; (P,) arrays."""

    estimate: Array
    std_error: Array
    df: Array
    tau2: Array
    n_datasets: NDArray[np.int64]

    def of(self, chosen: NDArray[np.bool_]) -> "PairFits":
        """Return some of the pairs."""
        return PairFits(
            self.estimate[chosen],
            self.std_error[chosen],
            self.df[chosen],
            self.tau2[chosen],
            self.n_datasets[chosen],
        )


def network(
    studies: Studies,
    algorithms: tuple[str, ...],
    method: Method,
    interval: Interval,
    *,
    three: bool,
) -> NetworkFit:
    """Fit all algorithms jointly.

    Parameters
    ----------
    studies
        The effects, covariates centred.
    algorithms
        The K names.
    method
        How tau^2 is estimated; of three levels always by REML.
    interval
        Which errors; ``"auto"``: robust where they can be told.
    three
        Whether data sets lie within studies.

    Raises
    ------
    DesignError
        The network falls into parts, or there are as many coefficients as effects.
    """
    require_connected(studies, algorithms)
    rows = rows_of(studies.blocks, len(algorithms))
    part = rows.part(columns(rows, studies))
    require_free(part, studies)
    refined = interval != "wald"
    last: tuple[int, int, Interval, bool] = (part.free, rows.lifted, interval, three)
    if three:
        found = nested(part, rows.x, study_codes(studies, rows))
        df = float(max(found.groups - 1, 1)) if refined else np.inf
        fit = NetworkFit(found.beta, found.cov, found.within, found.between, 1.0, df, *last)
    else:
        got = pool(part, tau_squared([part], method), refined=refined)
        fit = NetworkFit(got.beta, got.cov, got.tau2, 0.0, got.scale, got.df, *last)
    return replace(fit, interval=resolved(studies, fit, len(algorithms), interval))


def require_connected(studies: Studies, algorithms: tuple[str, ...]) -> None:
    """Refuse a network in which no path of comparisons joins some algorithms."""
    code = components(studies.blocks, len(algorithms))
    if not code.max(initial=0):
        return
    names = np.array(algorithms)
    parts = [names[code == c].tolist() for c in range(int(code.max()) + 1)]
    held = [sum(code[b.arms[0]] == c for b in studies.blocks) for c in range(len(parts))]
    raise DesignError(
        message(
            f"the algorithms fall into {len(parts)} parts that no data set joins.",
            where=[
                ("algorithms", "data sets"),
                *((join(part), int(n)) for part, n in zip(parts, held, strict=True)),
            ],
            hint="compare each part by itself, or add a data set with algorithms of several parts.",
            shown=20,
        )
    )


def require_noise(studies: Studies, algorithms: tuple[str, ...]) -> None:
    """Refuse pairs whose effects have no sampling error: constant scores, an algorithm twice.

    Raises
    ------
    FitError
        With the pairs.
    """
    pairs = pairs_of(len(algorithms))
    each = studies.direct(pairs)
    sizes = [np.abs(np.nan_to_num(studies.levels)), *(np.abs(one.y) for one in each)]
    size = max(float(values.max(initial=0.0)) for values in sizes)
    none = [len(one.v) > 1 and float(one.v.max()) <= (NOTHING * size) ** 2 for one in each]
    if not any(none):
        return
    rows = [
        (algorithms[i], algorithms[j], len(one.held), float(np.ptp(one.y)) <= NOTHING * size)
        for (i, j), one, found in zip(pairs, each, none, strict=True)
        if found
    ]
    raise FitError(
        message(
            f"{len(rows)} of {count(len(pairs), 'pair')} have no sampling error on any data set, so"
            " that there is nothing to weigh or to test their effects by.",
            where=[
                ("first", "second", "data sets", "effects"),
                *((*row[:3], "the same on all" if row[3] else "differ") for row in rows),
            ],
            hint=[
                "are scores constant, or an algorithm in the table twice? compare_points describes",
                "such scores; of identical replications keep one, for compare_mixed.",
            ],
        )
    )


def require_free(part: Part, studies: Studies) -> None:
    """Refuse effects that leave nothing to estimate heterogeneity from."""
    p = part.x.shape[1]
    rank = int(np.linalg.matrix_rank(part.x))
    if rank < p:
        raise DesignError(
            message(
                f"{p - rank} of {count(p, 'coefficient')} cannot be told from the others.",
                hint="a slope needs data sets that differ in the covariate for each algorithm.",
            )
        )
    if part.free < 1:
        raise DesignError(
            message(
                f"{count(len(part.y), 'effect')} of {count(len(studies.blocks), 'data set')} leave"
                f" nothing to tell heterogeneity from: {p} differences are estimated.",
                hint="some pair needs a second data set.",
            )
        )


def alone(y: Array, v: Array, method: Method, interval: Interval) -> Pooled:
    """Pool the effects of one pair."""
    part = Part(y, np.ones((len(y), 1)), v)
    return pool(part, tau_squared([part], method), refined=interval != "wald")


def lifted(v: Array) -> Array:
    """Return sampling variances with those that are 0 set to the smallest that is not."""
    none = v <= 1e-12 * v.max(initial=0.0)
    return v if none.all() or not none.any() else np.where(none, v[~none].min(), v)


def pairwise(
    studies: Studies, pairs: NDArray[np.int64], method: Method, interval: Interval
) -> PairFits:
    """Fit each pair by itself; fewer than two data sets give no estimate (NaN)."""
    found = np.full((4, len(pairs)), np.nan)
    n = np.zeros(len(pairs), np.int64)
    for p, one in enumerate(studies.direct(pairs)):
        n[p] = len(one.held)
        if n[p] > 1:
            got = alone(one.y, lifted(one.v), method, interval)
            found[:, p] = got.beta[0], np.sqrt(got.cov[0, 0]), got.df, got.tau2
    return PairFits(found[0], found[1], found[2], found[3], n)
