"""What is exchangeable: the blocks of a table within which permutation tests move labels."""

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.comparison import Target
from benchinfer.compare.evidence import Array, Setting
from benchinfer.compare.resamples import declaration
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics.layout import Layout, lay_out
from benchinfer.scores import ScoreTable

type On = Literal["aligned-ranks", "ranks", "values", "normal-scores", "dispersion"]
type Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Exchangeable:
    """Scores in blocks, larger is better; N rows.

    Attributes
    ----------
    values
        (N,) scores on the modelling scale; for ``on="dispersion"`` minus the spreads of cells,
        where the data set is the unit.
    block, label, dataset
        (N,) codes of block, algorithm and data set.
    n_labels
        K.
    unit
        What a block is, in words.
    repeated
        Whether an algorithm can have several scores in a block.
    target
        What claims are about.
    rounded
        (D,) differences on each data set that count as none, which `ties` are made of.
    ties
        Scores that were made equal to another one of their block.
    """

    values: Array
    block: Codes
    label: Codes
    dataset: Codes
    n_labels: int
    unit: str
    repeated: bool
    target: Target
    rounded: Array = field(default_factory=lambda: np.zeros(0))
    ties: int = 0

    @property
    def layout(self) -> Layout:
        """The blocks that hold two or more algorithms."""
        return lay_out(self.block, self.label, self.n_labels)

    def of(self, layout: Layout) -> Array:
        """Return (n,) the scores in the order of the layout."""
        return self.values[layout.rows]

    def homes(self) -> Codes:
        """Return (B,) the data set of each block."""
        found = np.zeros(int(self.block.max()) + 1, np.int64)
        found[self.block] = self.dataset
        return found

    def table(self) -> Array:
        """Return (B, K) scores, NaN where there is none; blocks without repeats only."""
        filled = np.full((int(self.block.max()) + 1, self.n_labels), np.nan)
        filled[self.block, self.label] = self.values
        return filled


def exchangeable(
    scores: ScoreTable, setting: Setting, target: Literal["auto"] | Target, on: On
) -> Exchangeable:
    """Lay a table out in blocks.

    Parameters
    ----------
    scores
        The table, narrowed to the measure.
    setting
        Its setting.
    target
        ``"domain"``: a data set is a block, its replications are averaged; ``"datasets"``: a
        replication of a data set is a block, or the data set with all its scores where replications
        are not shared; ``"auto"``: the domain, if there are several data sets.
    on
        What is compared.

    Raises
    ------
    DesignError
        The target does not fit the table, replications of a data set overlap, or there is no
        spread to compare.
    """
    if on not in (known := get_args(On.__value__)):
        raise DesignError(unknown("on", on, known))
    if target not in ("auto", "domain", "datasets"):
        raise DesignError(unknown("target", target, ["auto", "domain", "datasets"]))
    one = len(setting.coverage.datasets) == 1
    if target == "domain" and one:
        raise DesignError(
            message(
                "one data set says nothing about a domain of data sets.",
                hint='target="datasets" makes claims about this data set.',
            )
        )
    if target == "datasets" or one:
        refuse_overlap(setting)
        return _replications(scores, setting)
    return _datasets(scores, setting, spread=on == "dispersion")


def of_spread(setting: Setting) -> Setting:
    """Turn the measure into its spread: smaller is better, on its modelling scale, no tolerance."""
    spread = replace(
        setting.measure,
        better="lower",
        scale="identity",
        tolerance=0.0,
        bounds=None,
        label=f"spread of {setting.measure.label or setting.measure.name}",
    )
    return replace(setting, measure=spread)


def refuse_overlap(setting: Setting) -> None:
    """Refuse replications whose training sets overlap: they are not independent blocks."""
    resampling = setting.resampling
    if resampling is None or (kind := resampling.kind) not in ("cv", "holdout"):
        return
    undeclared = resampling.overlap is None
    once = f", once it is declared, as in {declaration(kind)}" if undeclared else ""
    hints = [f'compare_mixed(..., target="datasets") corrects for the overlap{once}.']
    if len(setting.coverage.datasets) > 1:
        hints.insert(0, 'target="domain" takes the mean of each data set as one block;')
    raise DesignError(
        message(
            f"scores on one data set come from {kind!r}, whose training sets overlap: its"
            " replications are not exchangeable blocks.",
            hint=hints,
        )
    )


def _datasets(scores: ScoreTable, setting: Setting, *, spread: bool) -> Exchangeable:
    """Return one block for each data set: the mean of its replications, or minus their spread."""
    name, k = setting.measure.name, len(setting.algorithms)
    values = -_spreads(scores, name) if spread else scores.cells(name).mean
    d, a = np.nonzero(np.isfinite(values))
    if spread and not len(d):
        raise DesignError(
            message(
                "one score per data set and algorithm has no spread.",
                hint='on="dispersion" needs replications.',
            )
        )
    return Exchangeable(values[d, a], d, a, d, k, "data set", repeated=False, target="domain")


def _spreads(scores: ScoreTable, measure: str) -> Array:
    """Return (D, K) mean distances from the cell's own median, NaN below two scores."""
    blocks = scores.blocks(measure)
    found = np.full((len(blocks.datasets), len(blocks.algorithms)), np.nan)
    for d, k in np.ndindex(found.shape):
        own = blocks.mean[(blocks.dataset == d) & (blocks.count[:, k] > 0), k]
        if len(own) > 1:
            found[d, k] = np.abs(own - np.median(own)).mean()
    return found


def _replications(scores: ScoreTable, setting: Setting) -> Exchangeable:
    """Return one block for each replication, or for each data set where they are not shared."""
    blocks = scores.blocks(setting.measure.name)
    row, label = np.nonzero(blocks.count)
    dataset = blocks.dataset[row]
    return Exchangeable(
        blocks.mean[row, label],
        row if blocks.paired else dataset,
        label,
        dataset,
        len(setting.algorithms),
        "replication" if blocks.paired else "data set",
        repeated=not blocks.paired,
        target="datasets",
    )
