"""Influence of each data set on a meta-analysis."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.meta.numerics.effects import rows_of
from benchinfer.analyses.meta.pooling import columns
from benchinfer.analyses.meta.studies import Studies
from benchinfer.comparison.evidence import Array
from benchinfer.comparison.wording import becomes
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.frames import frame
from benchinfer.core.parallel import in_order, workers
from benchinfer.numerics.ties import joined_levels

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from benchinfer.analyses.meta.comparison import MetaComparison


_COLUMNS = (
    *("dataset", "cooks_distance", "first", "second", "shift", "tau2"),
    *("refitted", "n_changed", "changes"),
)
# What pages and figures refit without, at most; each refit of a large network takes a second.
SHOWN = 50
# With a condition number beyond this the rest does not hold together.
_SINGULAR = 1e12
_NOTHING: dict[str, object] = {
    "cooks_distance": np.nan,
    "first": "",
    "second": "",
    "shift": np.nan,
    "tau2": np.nan,
    "refitted": False,
    "n_changed": 0,
    "changes": "",
}


def without(studies: Studies, d: int) -> Studies:
    """Return the effects of all data sets but one."""
    kept = [i for i in range(len(studies.datasets)) if i != d]
    return replace(
        studies,
        datasets=tuple(studies.datasets[i] for i in kept),
        blocks=tuple(studies.blocks[i] for i in kept),
        groups=tuple(studies.groups[i] for i in kept) if studies.groups else (),
        n=studies.n[kept],
        levels=studies.levels[kept],
        covariates={name: z[kept] for name, z in studies.covariates.items()},
    )


def one_step(meta: "MetaComparison") -> Array:
    """Return (D,) Cook's distances of the data sets at the tau^2 of all: one step of weights.

    ``m' P m / p`` of the moves ``m = (P - P_d)^-1 s_d`` of p coefficients, with P their precision,
    and P_d and s_d what a data set adds to it and to the score; infinite where the rest does not
    determine all coefficients. Of pairs alone tau^2 is their median, of three levels the sum.
    """
    rows = rows_of(meta.studies.blocks, len(meta.algorithms))
    part = rows.part(columns(rows, meta.studies))
    tau2 = float(np.nanmedian(meta.alone.tau2)) if meta.fit is None else meta.fit.heterogeneity
    w = 1 / (part.v + tau2)
    whole = part.x.T @ (w[:, None] * part.x)
    rest = part.y - part.x @ (np.linalg.pinv(whole) @ (part.x.T @ (w * part.y)))
    found = np.full(len(meta.studies.datasets), np.inf)
    for d in range(len(found)):
        x, own = part.x[rows.dataset == d], w[rows.dataset == d]
        less = whole - x.T @ (own[:, None] * x)
        if np.linalg.cond(less) < _SINGULAR:
            move = np.linalg.solve(less, x.T @ (own * rest[rows.dataset == d]))
            found[d] = float(move @ whole @ move) / len(move)
    return found


def left_out(
    meta: "MetaComparison",
    again: "Callable[[Studies], MetaComparison]",
    most: int | None = None,
    n_jobs: int = 1,
) -> "pd.DataFrame":
    """One row per data set; see `MetaComparison.influence`."""
    step = one_step(meta) if most is not None and most < len(meta.studies.datasets) else None
    kept = range(len(meta.studies.datasets)) if step is None else sorted(_largest(step, most))
    rows = [_NOTHING | {"dataset": dataset} for dataset in meta.studies.datasets]
    if step is not None:
        for row, distance in zip(rows, step.tolist(), strict=True):
            row["cooks_distance"] = distance
    work = partial(_refitted, meta, again)
    for d, found in zip(kept, in_order(work, kept, workers(n_jobs), processes=True), strict=True):
        rows[d] = _NOTHING | {"dataset": meta.studies.datasets[d]} | found
    return frame({name: [row[name] for row in rows] for name in _COLUMNS})


def _refitted(
    meta: "MetaComparison", again: "Callable[[Studies], MetaComparison]", d: int
) -> dict[str, object]:
    """Return what changes without a data set; nothing where the rest cannot be analysed alike."""
    try:
        less = again(without(meta.studies, d))
    except (DesignError, FitError):
        return {}
    return _row(meta, less) if np.array_equal(less.pairs, meta.pairs) else {}


def _largest(step: Array, most: int | None) -> list[int]:
    """Return the data sets that move most; what cannot be left out has no refit to spend on."""
    order = np.argsort(-joined_levels(np.where(np.isfinite(step), step, -1.0)), kind="stable")
    return [int(d) for d in order[:most]]


def looked_at(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return the rows of data sets that were refitted without, or could not be."""
    return table[table["refitted"] | ~np.isfinite(table["cooks_distance"])]


def _row(meta: "MetaComparison", less: "MetaComparison") -> dict[str, object]:
    names, error = meta.named_sides(), meta.evidence.std_error
    move = meta.evidence.estimate - less.evidence.estimate
    move = np.divide(move, error, out=np.zeros_like(move), where=error > 0)
    p = int(np.argmax(np.abs(move)))
    turned = np.flatnonzero(less.codes != meta.codes)
    turns = meta.turns()
    changes = [
        becomes(names[i], meta.codes[i], less.codes[i], turn=turns[i]) for i in turned.tolist()
    ]
    return {
        "cooks_distance": _cook(meta, less, move),
        "first": names[p][0],
        "second": names[p][1],
        "shift": float(move[p]),
        "tau2": float(less.alone.tau2[p]) if less.fit is None else less.fit.heterogeneity,
        "refitted": True,
        "n_changed": len(turned),
        "changes": "; ".join(changes),
    }


def _cook(meta: "MetaComparison", less: "MetaComparison", move: Array) -> float:
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
