"""Exchangeable blocks of a table.

The unit is the standard deviation of a data set's scores around the means of their blocks. It does
not look at labels, so that permuting them within blocks leaves it as it is, and tests stay exact.
For a pair alone it comes from the pair's own scores: up to a factor it is the root mean square of
their differences, which random signs leave as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from benchinfer.analyses.permutation.numerics.blocks import BlockLayout, center, lay_out
from benchinfer.comparison.checks.validation import refuse_overlap
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.evidence import Setting
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.hints import literal
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics import ties
from benchinfer.numerics.types import Array, Codes
from benchinfer.scores.table import ScoreTable

type On = Literal["aligned-ranks", "ranks", "values", "normal-scores", "dispersion"]


type Scale = Literal["none", "dataset"]


@savable
@shaped(
    values="N",
    block="N [0,inf)",
    label="N [0,inf)",
    dataset="N [0,inf)",
    rounding="N",
    size="N",
    linear="N",
)
@dataclass(frozen=True)
class Exchangeable:
    """Scores in blocks, larger is better; N rows."""

    # (N,) scores on the modelling scale; for ``on="dispersion"`` minus the spreads of cells, where
    # the data set is the unit
    values: Array
    # block, label, dataset: (N,) codes of block, algorithm and data set
    block: Codes
    label: Codes
    dataset: Codes
    n_labels: int  # K
    unit: str  # what a block is, in words
    repeated: bool  # whether an algorithm can have several scores in a block
    target: Target  # what claims are about
    rounding: Array  # (N,) differences from the scores that count as none
    ties: int = 0  # scores that were made equal to another one of their block
    # size, linear: (N,) of nested units of unequal size, whose `values` are the totals of
    # `unit_scores`, the other results of it; else None
    size: Array | None = None
    linear: Array | None = None

    @property
    def outcomes(self) -> bool:
        """True if all scores are right or wrong: 0 or 1, or -1 or 0 where lower is better."""
        levels = np.unique(self.values)
        return self.size is None and len(levels) == 2 and 0.0 in levels and np.ptp(levels) == 1

    @cached_property
    def layout(self) -> BlockLayout:
        """The blocks that hold two or more algorithms."""
        return lay_out(self.block, self.label, self.n_labels)

    def of(self, layout: BlockLayout) -> Array:
        """Return (n,) the scores in the order of the layout."""
        return self.values[layout.rows]

    def homes(self) -> Codes:
        """Return (B,) the data set of each block."""
        datasets = np.zeros(int(self.block.max()) + 1, np.int64)
        datasets[self.block] = self.dataset
        return datasets

    def table(self) -> Array:
        """Return (B, K) scores, NaN where there is none; blocks without repeats only."""
        filled = np.full((int(self.block.max()) + 1, self.n_labels), np.nan)
        filled[self.block, self.label] = self.values
        return filled

    def noise(self, matrix: Array) -> Array:
        """Return (B, P) differences that count as none, of contrasts of the blocks' scores.

        Of a pair the mean rounding of its two scores: those within the larger one tie already.
        """
        filled = np.zeros((int(self.block.max()) + 1, self.n_labels))
        filled[self.block, self.label] = self.rounding
        return filled @ np.abs(matrix).T / 2

    def shift(self, by: float) -> Array | float:
        """Return the shift of block scores by a shift per item: (B, 1) if sizes are unequal."""
        if self.size is None:
            return by
        count = np.maximum(np.bincount(self.block), 1)
        return by * (np.bincount(self.block, self.size) / count)[:, None]


def exchangeable(
    scores: ScoreTable, setting: Setting, target: Literal["auto"] | Target, on: On
) -> Exchangeable:
    """Return the scores of a table in exchangeable blocks: data sets, or their replications."""
    if on not in (known := get_args(On.__value__)):
        raise DesignError(unknown("on", on, known))
    one = len(setting.coverage.datasets) == 1
    if target == "domain" and one:
        raise DesignError(
            "one data set says nothing about a domain of data sets.",
            hint='target="datasets" makes claims about this data set.',
        )
    if target == "datasets" or one:
        refuse_overlap(setting)
        return _replications(scores, setting, on)
    return _datasets(scores, setting, spread=on == "dispersion")


def of_spread(setting: Setting) -> Setting:
    """Turn the measure into its spread: smaller is better, on its modelling scale, no tolerance."""
    spread = replace(
        setting.measure,
        better="lower",
        scale="identity",
        tolerance=0.0,
        bounds=None,
        label=f"spread of {setting.measure.noun}",
    )
    return replace(setting, measure=spread)


def _datasets(scores: ScoreTable, setting: Setting, *, spread: bool) -> Exchangeable:
    """Return one block for each data set: the mean of its replications, or minus their spread."""
    name, k = setting.measure.name, len(setting.algorithms)
    cells = scores.cells(name)
    values = -_spreads(scores, name) if spread else cells.mean
    d, a = np.nonzero(np.isfinite(values))
    if spread and not len(d):
        raise DesignError(
            "one score per data set and algorithm has no spread.",
            hint='on="dispersion" needs replications.',
        )
    return Exchangeable(
        values[d, a],
        d,
        a,
        d,
        k,
        "data set",
        repeated=False,
        target="domain",
        rounding=cells.rounding[d, a],
    )


def _spreads(scores: ScoreTable, measure: str) -> Array:
    """Return (D, K) mean distances from the cell's own median, NaN below two scores."""
    blocks = scores.blocks(measure)
    spreads = np.full((len(blocks.datasets), len(blocks.algorithms)), np.nan)
    for d, k in np.ndindex(spreads.shape):
        scores_of_cell = blocks.mean[(blocks.dataset == d) & (blocks.count[:, k] > 0), k]
        if len(scores_of_cell) > 1:
            spreads[d, k] = np.abs(scores_of_cell - np.median(scores_of_cell)).mean()
    return spreads


def _replications(scores: ScoreTable, setting: Setting, on: On) -> Exchangeable:
    """Return one block for each replication, or for each data set where they are not shared."""
    blocks = scores.blocks(setting.measure.name)
    row, label = np.nonzero(blocks.count)
    dataset = blocks.dataset[row]
    size = linear = None
    if blocks.size is not None:
        _refuse_uneven(on, paired=blocks.paired)
        size, linear = blocks.size[row, label], blocks.mean[row, label]
    return Exchangeable(
        blocks.sums[row, label],  # so that whole units are permuted with their sizes
        row if blocks.paired else dataset,
        label,
        dataset,
        len(setting.algorithms),
        "replication" if blocks.paired else "data set",
        repeated=not blocks.paired,
        target="datasets",
        rounding=blocks.rounding[row, label],
        size=size,
        linear=linear,
    )


def _refuse_uneven(on: On, *, paired: bool) -> None:
    """Raise a DesignError for units of unequal size, unless paired and tested by values."""
    by_unit = 'with Declaration(unit_weights="units") units count alike.'
    if not paired:
        raise DesignError(
            "units hold different numbers of items, and algorithms do not share them: scores that"
            " change places would take another number of items along.",
            hint=f"compare_mixed compares means of items; {by_unit}",
        )
    if on != "values":
        raise DesignError(
            f"units hold different numbers of items, and on={literal(on)} is of units, not of"
            " items.",
            hint='compare_permutation(..., on="values") exchanges units with'
            f" their items, compare_mixed compares means of items; {by_unit}",
        )


# A spread below this, relative to the scores, is the noise of subtraction.
_NOISE = 1e-13


def check_scale(scale: Scale, target: Target, setting: Setting) -> None:
    """Raise a DesignError where scores are scaled by data sets that are one block each."""
    if (scale, target) == ("dataset", "domain"):
        relative = '; for claims about a domain compare relative scores, as in Measure(scale="log")'
        raise DesignError(
            "with one block per data set, differences in units of their data set are all of the"
            " same size.",
            hint=(
                'scale="dataset" goes with target="datasets"'
                + (relative if "log" in setting.scales else "")
                + "."
            ),
        )


def with_ties(data: Exchangeable) -> Exchangeable:
    """Make scores of a block equal that are ties."""
    values = ties.joined(data.values, data.rounding, data.block)
    n = int((values != data.values)[data.layout.rows].sum())
    return replace(data, values=values, ties=n)


def standardised(data: Exchangeable) -> Exchangeable:
    """Divide scores by the standard deviation of their data set within blocks."""
    unit = units(data)[data.dataset]
    return replace(data, values=data.values / unit, rounding=data.rounding / unit)


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


def in_units(differences: Array, home: Codes, noise: Array) -> tuple[Array, Array]:
    """Divide (B, P) differences by the root mean square of their column on each data set.

    The second array is their `noise`, with that of the division.
    """
    shape = int(home.max()) + 1, differences.shape[1]
    largest, squares, count = np.zeros((3, *shape))
    np.maximum.at(largest, home, noise)
    np.add.at(squares, home, np.nan_to_num(differences) ** 2)
    np.add.at(count, home, np.isfinite(differences))
    unit = _units(squares, count, largest)[home]
    scaled = differences / unit
    return scaled, np.maximum(noise / unit, ties.rounding(np.nan_to_num(scaled)))


def _units(squares: Array, freedom: Array | Codes, noise: Array) -> Array:
    unit = np.sqrt(squares / np.maximum(freedom, 1))
    return np.where(unit > noise, unit, 1.0)
