"""Scores in units of their data set, so that data sets of a large scale do not outweigh others.

The unit is the standard deviation of a data set's scores around the means of their blocks. It does
not look at labels, so that permuting them within blocks leaves it as it is, and tests stay exact.
For a pair alone it comes from the pair's own scores: up to a factor it is the root mean square of
their differences, which random signs leave as it is.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from benchinfer.compare.comparison import Target
from benchinfer.compare.evidence import Array
from benchinfer.compare.exchangeable import Codes, Exchangeable, On
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics import ties
from benchinfer.numerics.layout import center

type Scale = Literal["none", "dataset"]

# A spread below this, relative to the scores, is the noise of subtraction.
_NOISE = 1e-13


def check_scale(scale: str, on: On, target: Target) -> None:
    """Refuse scales that do not exist or do not fit.

    Raises
    ------
    DesignError
        The scale is unknown, blocks are data sets, or spreads are compared.
    """
    if scale not in ("none", "dataset"):
        raise DesignError(unknown("scale", scale, ["none", "dataset"]))
    if scale == "none":
        return
    if target == "domain":
        raise DesignError(
            message(
                "with one block per data set, differences in units of their data set are all of"
                " the same size.",
                hint='scale="dataset" goes with target="datasets"; for claims about a domain'
                ' compare relative scores, as in Measure(..., scale="log").',
            )
        )
    if on == "dispersion":
        raise DesignError(
            message(
                'on="dispersion" compares spreads, which scale="dataset" takes as the unit.',
                hint='scale="none".',
            )
        )


def with_ties(data: Exchangeable, scale: str) -> Exchangeable:
    """Make scores of a block equal that are ties, in the unit in which tests take them."""
    unit = units(data) if scale == "dataset" else np.ones(int(data.dataset.max()) + 1)
    rows = data.layout.rows
    rounded = unit * ties.resolution((data.values / unit[data.dataset])[rows])
    values = ties.joined(data.values, rounded[data.dataset], data.block)
    n = int((values != data.values)[rows].sum())
    return replace(data, values=values, rounded=rounded, ties=n)


def standardised(data: Exchangeable) -> Exchangeable:
    """Divide scores by the standard deviation of their data set within blocks."""
    return replace(data, values=data.values / units(data)[data.dataset])


def units(data: Exchangeable) -> Array:
    """Return (D,) standard deviations of data sets within blocks, 1 where there is no spread."""
    layout = data.layout
    values, home = data.of(layout), data.dataset[layout.rows]
    d = int(data.dataset.max()) + 1
    blocks = np.bincount(home[layout.starts[:-1]], minlength=d)
    freedom = np.bincount(home, minlength=d) - blocks
    squares = np.bincount(home, center(values, layout) ** 2, d)
    largest = np.zeros(d)
    np.maximum.at(largest, home, np.abs(values))
    return _units(squares, freedom, _NOISE * largest)


def in_units(differences: Array, home: Codes, noise: Array) -> Array:
    """Divide each column of differences by its root mean square on each data set.

    Parameters
    ----------
    differences
        (B, P), NaN where there is none.
    home
        (B,) data set of each block.
    noise
        (B,) a root mean square up to the largest on a data set is zero, and left alone.
    """
    d = int(home.max()) + 1
    largest = np.zeros(d)
    np.maximum.at(largest, home, noise)
    squares, count = np.zeros((2, d, differences.shape[1]))
    np.add.at(squares, home, np.nan_to_num(differences) ** 2)
    np.add.at(count, home, np.isfinite(differences))
    return differences / _units(squares, count, largest[:, None])[home]


def _units(squares: Array, freedom: Array | Codes, noise: Array) -> Array:
    unit = np.sqrt(squares / np.maximum(freedom, 1))
    return np.where(unit > noise, unit, 1.0)
