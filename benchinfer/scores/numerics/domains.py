"""Units of a comparison by domains, and levels over the data sets of a domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from benchinfer.numerics.covariance import additive_fit
from benchinfer.numerics.types import Array, Flags

# Units of a comparison: data sets, domains, data sets within given domains, or runs of programs.
type Units = Literal["datasets", "domains", "within domains", "runs"]
FEWEST_DOMAINS = 5  # domains that can be a sample of domains


def units_of(domains: Mapping[str, str] | None, datasets: Sequence[str]) -> Units:
    """Return the units of a comparison on data sets, by their domains.

    Data sets of one domain are like each other, so that they are no independent sample of data sets
    of all domains. Where each data set is of a domain of its own, or all are of one, there is
    nothing to tell apart.

    Examples
    --------
    >>> units_of({"a": "x", "b": "x", "c": "y"}, ["a", "b", "c"])
    'within domains'
    >>> units_of({"a": "x", "b": "y"}, ["a", "b"])
    'datasets'
    """
    n = len({(domains or {}).get(name, "") for name in datasets})
    if n == 1 or n == len(datasets):
        return "datasets"
    return "domains" if n >= FEWEST_DOMAINS else "within domains"


def domain_levels(means: Array) -> Array:
    """Return (K,) means over the data sets of a domain, of a (D, K) table with gaps.

    Examples
    --------
    >>> domain_levels(np.array([[1.0, 2.0], [3.0, np.nan]])).tolist()
    [2.0, 3.0]
    """
    held = np.isfinite(means)
    levels = np.full(means.shape[1], np.nan)
    some, rows = _connected(held)
    if not some.any():
        return levels
    part = means[np.ix_(rows, some)]
    complete = held[np.ix_(rows, some)].all()
    levels[some] = part.mean(axis=0) if complete else additive_fit(part).levels
    return levels


def _connected(held: Flags) -> tuple[Flags, Flags]:
    """Return the most algorithms that data sets connect, and the data sets that hold some."""
    best = np.zeros(held.shape[1], np.bool_)
    for k in np.flatnonzero(held.any(axis=0)):
        group = np.arange(held.shape[1]) == k
        while True:
            grown = held[held[:, group].any(axis=1)].any(axis=0)
            if (grown == group).all():
                break
            group = grown
        if group.sum() > best.sum():
            best = group
    return best, held[:, best].any(axis=1)
