"""Influence of each data set on a meta-analysis."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.meta.numerics.effects import rows_of
from benchinfer.analyses.meta.pooling import columns
from benchinfer.analyses.meta.studies import Studies
from benchinfer.comparison.further.influence import Influence
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.parallel import in_order, workers
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.ties import joined_levels
from benchinfer.numerics.types import Array, States

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchinfer.analyses.meta.comparison import MetaComparison


# What pages and figures refit without, at most; each refit of a large network takes a second.
SHOWN = 50
# With a condition number beyond this the rest does not hold together.
_SINGULAR = 1e12


def without(studies: Studies, d: int) -> Studies:
    """Return the effects of all data sets but one."""
    rest = [i for i in range(len(studies.datasets)) if i != d]
    return replace(
        studies,
        datasets=tuple(studies.datasets[i] for i in rest),
        blocks=tuple(studies.blocks[i] for i in rest),
        groups=tuple(studies.groups[i] for i in rest) if studies.groups else (),
        n=studies.n[rest],
        levels=studies.levels[rest],
        covariates={name: z[rest] for name, z in studies.covariates.items()},
    )


def one_step(meta: MetaComparison) -> Array:
    """Return (D,) Cook's distances of the data sets at the tau^2 of all: one step of weights.

    ``m' P m / p`` of the moves ``m = (P - P_d)^-1 s_d`` of p coefficients, with P their precision,
    and P_d and s_d what a data set adds to it and to the score; infinite where the rest does not
    determine all coefficients. Of pairs alone tau^2 is their median, of three levels the sum.
    """
    rows = rows_of(meta.studies.blocks, len(meta.algorithms))
    part = rows.part(columns(rows, meta.studies))
    tau2 = float(np.nanmedian(meta.alone.tau2)) if meta.fit is None else meta.fit.heterogeneity
    w = 1 / (part.v + tau2)
    precision = part.x.T @ (w[:, None] * part.x)
    residual = part.y - part.x @ (np.linalg.pinv(precision) @ (part.x.T @ (w * part.y)))
    cook = np.full(len(meta.studies.datasets), np.inf)
    for d in range(len(cook)):
        at = rows.dataset == d
        x, weight = part.x[at], w[at]
        less = precision - x.T @ (weight[:, None] * x)
        if np.linalg.cond(less) < _SINGULAR:
            move = np.linalg.solve(less, x.T @ (weight * residual[at]))
            cook[d] = float(move @ precision @ move) / len(move)
    return cook


def left_out(
    meta: MetaComparison,
    again: Callable[[Studies], MetaComparison],
    most: int | None = None,
    n_jobs: int | None = None,
) -> Influence:
    """Return the influence of each data set, left out in turn; see `MetaComparison.influence`."""
    names = meta.studies.datasets
    d, p = len(names), len(meta.pairs)
    cook, tau2 = np.full(d, np.nan), np.full(d, np.nan)
    chosen = list(range(d))
    if most is not None and most < d:
        cook = one_step(meta)
        # What cannot be left out has no refit to spend on.
        size = joined_levels(np.where(np.isfinite(cook), cook, -1.0))
        chosen = sorted(np.argsort(-size, kind="stable")[:most].tolist())
    shift, codes = np.full((d, p), np.nan), np.full((d, p), Verdict.MISSING, np.int8)
    refitted = np.zeros(d, np.bool_)
    work = partial(_without, meta, again)
    for m, row in zip(chosen, in_order(work, chosen, workers(n_jobs), processes=True), strict=True):
        cook[m] = np.nan
        if row is not None:
            shift[m], codes[m], cook[m], tau2[m] = row
            refitted[m] = True
    return Influence(
        measure=meta.measure,
        unit="dataset",
        names=names,
        sides=tuple(meta.pairs.sides),
        oriented=meta.pairs.oriented(),
        before=meta.pairs.codes,
        shift=shift,
        codes=codes,
        refitted=refitted,
        cook=cook,
        variances={"tau2": tau2},
    )


def _without(
    meta: MetaComparison, again: Callable[[Studies], MetaComparison], d: int
) -> tuple[Array, States, float, float] | None:
    """Return shifts, verdicts, Cook's distance and tau^2 without a data set.

    None where the rest cannot be analysed in the same way.
    """
    try:
        less = again(without(meta.studies, d))
    except (DesignError, FitError):
        return None
    if not np.array_equal(less.pairs.index, meta.pairs.index):
        return None
    error = meta.evidence.std_error
    move = meta.evidence.estimate - less.evidence.estimate
    move = np.divide(move, error, out=np.zeros_like(move), where=error > 0)
    most = int(np.argmax(np.abs(move)))
    tau2 = float(less.alone.tau2[most]) if less.fit is None else less.fit.heterogeneity
    return move, less.pairs.codes, _cook(meta, less, move), tau2


def _cook(meta: MetaComparison, less: MetaComparison, move: Array) -> float:
    """Return the squared length of the move of all levels in the metric of their covariance.

    It is divided by their number less one; in metafor it is not. Of pairs pooled alone it is the
    largest squared move.
    """
    if meta.fit is None or less.fit is None:
        return float((move**2).max())
    k = len(meta.algorithms)
    (before, cov), (after, _) = meta.fit.levels(k), less.fit.levels(k)
    gone = (before - after)[1:]
    return float(gone @ np.linalg.solve(cov[1:, 1:], gone)) / (k - 1)
