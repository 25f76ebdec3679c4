"""Stability of the divisions of a tree over subsamples of the data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from benchinfer.analyses.subgroups.models import NodeModel, model_of
from benchinfer.analyses.subgroups.tree import Growth, Tree, grow
from benchinfer.comparison.evidence import Setting
from benchinfer.core.arguments import check_count, check_jobs, seed_of
from benchinfer.core.citations import bibtex
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import brief, count
from benchinfer.core.parallel import in_order, workers
from benchinfer.core.result import Showable
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes, Flags

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from benchinfer.analyses.subgroups.subgroups import Subgroups
    from benchinfer.scores.rows.features import Feature


# Distinct data sets that a sample with replacement has on average.
_SHARE = 1 - math.exp(-1)
# Random orders of each test: a decision at the level needs fewer than a p-value.
_DRAWS = 200


@savable
@shaped(characteristics="C", resample="S", depth="S", by="S <C", threshold="S", place="S")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SubgroupStability(Showable):
    """Divisions of the trees of R subsamples of the data sets, and of the tree of all of them.

    Attributes
    ----------
    setting
        The table.
    characteristics
        The C names.
    resample
        (S,) subsample of each division, from 1; 0 of the tree of all data sets.
    depth
        (S,) number of divisions above it.
    by
        (S,) position of its characteristic.
    threshold
        (S,) largest value on its first side, NaN of categories.
    place
        (S,) share of all data sets with at most that value, of those with a value.
    size
        Number of data sets in a subsample.
    total
        Number of data sets.
    resamples
        Number of subsamples.
    seed
        Seed of the draws.
    """

    _home: ClassVar[str] = "benchinfer.analyses.subgroups"

    setting: Setting
    characteristics: tuple[str, ...]
    resample: Codes
    depth: Codes
    by: Codes
    threshold: Array
    place: Array
    size: int
    total: int
    resamples: int
    seed: int

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.setting.measure

    def share(self, *, root: bool = False) -> Array:
        """Return (C,) shares of the subsamples that each characteristic divides.

        Parameters
        ----------
        root
            Count divisions of a whole subsample alone.
        """
        counted = (self.resample > 0) & ((self.depth == 0) | (not root))
        pairs = np.unique(np.column_stack([self.resample, self.by])[counted], axis=0)
        return np.bincount(pairs[:, 1], minlength=len(self.characteristics)) / self.resamples

    @property
    def chosen(self) -> Flags:
        """(C,) whether the characteristic divides the tree of all data sets."""
        return np.isin(np.arange(len(self.characteristics)), self.by[self.resample == 0])

    @property
    def undivided(self) -> float:
        """Share of the subsamples without any division."""
        return 1 - len(np.unique(self.resample[self.resample > 0])) / self.resamples

    def thresholds(self, c: int) -> Array:
        """Return the threshold of the uppermost division along a characteristic, by subsample."""
        rows = np.flatnonzero((self.by == c) & (self.resample > 0))
        rows = rows[np.lexsort((self.depth[rows], self.resample[rows]))]
        return self.threshold[rows[np.unique(self.resample[rows], return_index=True)[1]]]

    def summary(self) -> pd.DataFrame:
        """One row per characteristic, the one that divides most subsamples first.

        Returns
        -------
        pandas.DataFrame
            ``characteristic chosen share_root share share_error threshold threshold_low
            threshold_high``: whether the tree of all data sets divides along it, the shares of the
            subsamples in which the first division, or some division, does, the Monte Carlo error of
            the latter, and the median and the 5 and 95 % quantiles of the threshold of the
            uppermost division along it; NaN of categories, and without a division.
        """
        share = self.share()
        ends = np.full((len(share), 3), np.nan)
        for c in range(len(share)):
            thresholds = self.thresholds(c)
            if len(thresholds) and not np.isnan(thresholds).any():
                ends[c] = np.quantile(thresholds, [0.5, 0.05, 0.95], method="inverted_cdf")
        order = np.lexsort((-self.share(root=True), -share))
        return frame(
            {
                "characteristic": [self.characteristics[c] for c in order],
                "chosen": self.chosen[order],
                "share_root": self.share(root=True)[order],
                "share": share[order],
                "share_error": np.sqrt(share * (1 - share) / self.resamples)[order],
                "threshold": ends[order, 0],
                "threshold_low": ends[order, 1],
                "threshold_high": ends[order, 2],
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per division: ``resample depth characteristic threshold``; 0 of all data sets."""
        return frame(
            {
                "resample": self.resample,
                "depth": self.depth,
                "characteristic": [self.characteristics[c] for c in self.by],
                "threshold": self.threshold,
            }
        )

    def sentence(self) -> str:
        """Return how often each characteristic divides the data sets."""
        parts = list[str]()
        for _, row in self.summary().iterrows():
            if row["share"] > 0:
                ends = (brief(row["threshold_low"]), brief(row["threshold_high"]))
                where = "" if np.isnan(row["threshold"]) else f", at {ends[0]} to {ends[1]}"
                parts.append(
                    f"{row['characteristic']} in {100 * row['share']:.0f} %"
                    f" (first in {100 * row['share_root']:.0f} %{where})"
                )
        splits = "; ".join(parts) or "none"
        return (
            f"In {count(self.resamples, 'subsample')} of {self.size} of {self.total} data sets"
            f" these characteristics divide: {splits}. No division in {100 * self.undivided:.0f} %."
        )

    __str__ = sentence

    def citations(self) -> str:
        """Return the BibTeX entries of the methods."""
        return bibtex([subgroup_stability])


def subgroup_stability(
    result: Subgroups, resamples: int, seed: int | None, n_jobs: int | None = None
) -> SubgroupStability:
    """Grow trees on subsamples; see `Subgroups.stability`.

    References
    ----------
    De Bin, R., Janitza, S., Sauerbrei, W. & Boulesteix, A.-L. (2016). Subsampling versus
    bootstrapping in resampling-based model selection for multivariable regression. Biometrics 72,
    272-280. https://doi.org/10.1111/biom.12381

    Philipp, M., Rusch, T., Hornik, K. & Strobl, C. (2018). Measuring the stability of results from
    supervised statistical learning. Journal of Computational and Graphical Statistics 27, 685-700.
    https://doi.org/10.1080/10618600.2018.1473779
    """
    check_count("resamples", resamples, 2, "at least 2 resamples, as in 100.")
    check_jobs(n_jobs)
    seed = seed_of(seed)
    rng = np.random.default_rng(seed)
    everyone = np.array(result.tree.nodes[0].datasets)
    size = round(_SHARE * len(everyone))
    minsize = math.ceil(_SHARE * result.options.growth.minsize)
    if size < 2 * minsize:
        raise DesignError(
            f"subsamples of {size} of {len(everyone)} data sets have no division that leaves"
            f" {minsize} on either side.",
            hint="a smaller minsize, or more data sets, makes divisions possible.",
        )
    model = model_of(result.options.model, result.means, result.measure.margin)
    plain = replace(result.options.growth, minsize=minsize, fewest_draws=_DRAWS)
    drawn = [
        (int(rng.integers(2**31)), np.sort(rng.choice(everyone, size, replace=False)))
        for _ in range(resamples)
    ]
    work = partial(_grown, model, result.features, plain)
    trees = [result.tree, *in_order(work, drawn, workers(n_jobs), processes=True)]
    return _of_trees(result, trees, size, len(everyone), seed)


def _grown(
    model: NodeModel, features: Mapping[str, Feature], rules: Growth, drawn: tuple[int, Codes]
) -> Tree:
    seed, datasets = drawn
    return grow(model, features, datasets, replace(rules, seed=seed))


def _of_trees(
    result: Subgroups, trees: list[Tree], size: int, total: int, seed: int
) -> SubgroupStability:
    """Collect the divisions of trees, that of all data sets first."""
    names = result.tree.characteristics
    rows: list[tuple[int, int, int, float, float]] = []
    for resample, tree in enumerate(trees):
        for node in tree.nodes:
            if node.split is not None:
                by = names.index(node.split.by)
                values = result.features[node.split.by].values
                values = values[~np.isnan(values)]
                place = float((values <= node.split.at).mean())
                place = math.nan if math.isnan(node.split.at) else place
                rows.append((resample, node.depth, by, node.split.at, place))
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    resample, depth, by = table[:, :3].astype(np.int64).T
    return SubgroupStability(
        setting=result.setting,
        characteristics=names,
        resample=resample,
        depth=depth,
        by=by,
        threshold=table[:, 3],
        place=table[:, 4],
        size=size,
        total=total,
        resamples=len(trees) - 1,
        seed=seed,
    )
