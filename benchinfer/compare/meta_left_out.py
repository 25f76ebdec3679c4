"""What changes in a meta-analysis when a data set is left out."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.evidence import Array
from benchinfer.compare.studies import Studies
from benchinfer.errors import DesignError, FitError
from benchinfer.frames import frame
from benchinfer.order.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from benchinfer.compare.meta_comparison import MetaComparison

_COLUMNS = (
    *("dataset", "cooks_distance", "first", "second", "shift", "tau2"),
    *("refitted", "n_changed", "changes"),
)
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


def left_out(
    meta: "MetaComparison", again: "Callable[[Studies], MetaComparison]"
) -> "pd.DataFrame":
    """One row per data set; see `MetaComparison.left_out`.

    Parameters
    ----------
    meta
        The comparison.
    again
        Compares other studies alike.
    """
    rows: list[dict[str, object]] = []
    for d, dataset in enumerate(meta.studies.datasets):
        try:
            less = again(without(meta.studies, d))
        except (DesignError, FitError):
            less = None
        same = less is not None and np.array_equal(less.pairs, meta.pairs)
        found = _row(meta, less) if less is not None and same else {}
        rows.append(_NOTHING | {"dataset": dataset} | found)
    return frame({name: [row[name] for row in rows] for name in _COLUMNS})


def _row(meta: "MetaComparison", less: "MetaComparison") -> dict[str, object]:
    names, error = meta.named_sides(), meta.evidence.std_error
    move = meta.evidence.estimate - less.evidence.estimate
    move = np.divide(move, error, out=np.zeros_like(move), where=error > 0)
    p = int(np.argmax(np.abs(move)))
    turned = np.flatnonzero(less.codes != meta.codes)
    changes = [
        f"{_said(names[i], meta.codes[i])} -> {_said(names[i], less.codes[i])}" for i in turned
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

    As in metafor this is not divided by the number of coefficients. Of pairs pooled alone it is the
    largest squared move.
    """
    if meta.fit is None or less.fit is None:
        return float((move**2).max())
    k = len(meta.algorithms)
    (before, cov), (after, _) = meta.fit.levels(k), less.fit.levels(k)
    gone = (before - after)[1:]
    return float(gone @ np.linalg.solve(cov[1:, 1:], gone))


def _said(pair: tuple[str, str], code: int) -> str:
    """Write a verdict with its mark: > for better, ~ for equivalent, ? for undecided."""
    first, second = pair
    if code == Verdict.SECOND:
        return f"{second} > {first}"
    mark = {Verdict.FIRST: ">", Verdict.EQUIVALENT: "~"}.get(Verdict(code), "?")
    return f"{first} {mark} {second}"
