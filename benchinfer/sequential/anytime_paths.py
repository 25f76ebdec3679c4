"""Paths of e-processes and of confidence sequences, of whole pairs and of their data sets."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.betting import anytime_p
from benchinfer.sequential.course import Columns
from benchinfer.sequential.design import MonitorDesign
from benchinfer.sequential.gathered import Gathered
from benchinfer.sequential.paths import joined, points, sparse
from benchinfer.sequential.sequences import running

type Array = NDArray[np.float64]


def paths(
    gathered: Gathered,
    design: MonitorDesign,
    log_e: list[Array],
    each: list[Array],
    ends: list[Array] | None,
) -> tuple[Columns, Columns]:
    """Return the columns of the path of pairs, and of that of their data sets.

    Parameters
    ----------
    gathered, design
        The differences, and how they are watched.
    log_e, each
        Log capital of each pair (n,), and on each of its data sets (D, n).
    ends
        (D, 2) confidence sequences of each pair after all replications, None where there are none.
    """
    whole: list[Columns] = []
    parts: list[Columns] = []
    for i, path in enumerate(log_e):
        at = points(len(path))
        if not len(at):
            continue
        pair: dict[str, NDArray[np.generic]] = {"pair": np.full(len(at), i), "n": at}
        pair |= {"log_e": path[at - 1], "p_raw": anytime_p(path)[at - 1]}
        narrow = None
        if ends is not None:
            d = gathered.of(i)
            narrow = running(d, design.alpha_pair, ends[i], at, len(log_e) * len(d))
            pair["low"], pair["high"] = narrow.mean(axis=1)
        whole.append(pair)
        if gathered.n_datasets > 1:
            parts.append(_parts(i, at, each[i], narrow))
    return joined(whole), joined(parts)


def _parts(pair: int, at: NDArray[np.int64], log_e: Array, narrow: Array | None) -> Columns:
    """Return the columns of the data sets of one pair, at fewer points where there are many."""
    kept = sparse(len(at), len(log_e))
    shown = at[kept]
    found: dict[str, NDArray[np.generic]] = {
        "pair": np.full(len(log_e) * len(shown), pair),
        "dataset": np.repeat(np.arange(len(log_e)), len(shown)),
        "n": np.tile(shown, len(log_e)),
        "log_e_dataset": log_e[:, shown - 1].ravel(),
        "p_raw": np.concatenate([anytime_p(row)[shown - 1] for row in log_e]),
    }
    if narrow is not None:
        found["low"], found["high"] = narrow[:, :, kept].reshape(2, -1)
    return found
