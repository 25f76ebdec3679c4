"""Stability of archetypes over resamples of the data sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from benchinfer.analyses.subgroups.numerics.alternating import fit_archetypes
from benchinfer.comparison.evidence import Setting
from benchinfer.core.arguments import check_count, check_jobs, seed_of
from benchinfer.core.citations import bibtex
from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count
from benchinfer.core.result import Showable
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics.types import Array, Codes
from benchinfer.relations.numerics.stability import bootstrapped, jaccard, together

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.subgroups.archetypes.result import Archetypes


_STARTS = 6  # of each resample


@savable
@shaped(
    setting=SAME,
    recurs="k [0,1] nan",
    likeness="k [0,1] nan",
    spread="k K",
    together="D D [0,1] nan",
)
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ArchetypeStability(Showable):
    """Archetypes of R resamples of D data sets, matched to k archetypes.

    Attributes
    ----------
    setting
        The table, of D data sets and K algorithms.
    recurs
        (k,) share of the resamples in which the archetype matched to it is nearer to it than to any
        other.
    likeness
        (k,) mean Jaccard coefficient of the data sets of which the archetype has the largest share.
    spread
        (k, K) standard deviations of the profiles over resamples, on the modelling scale.
    together
        (D, D) share of the resamples in which one archetype has the largest share in both.
    resamples, seed
        How many, and the seed of the draws.
    """

    _home: ClassVar[str] = "benchinfer.analyses.subgroups.archetypes"

    setting: Setting
    recurs: Array
    likeness: Array
    spread: Array
    together: Array
    resamples: int
    seed: int

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.setting.measure

    @property
    def datasets(self) -> tuple[str, ...]:
        """The D data sets."""
        return self.setting.coverage.datasets

    def summary(self) -> pd.DataFrame:
        """One row per archetype: ``archetype share share_error jaccard``.

        The share of the resamples in which it recurs with its Monte Carlo error, and how alike the
        groups of data sets are (Jaccard coefficient: 1 for the same groups).
        """
        error = np.sqrt(self.recurs * (1 - self.recurs) / self.resamples)
        return frame(
            {
                "archetype": np.arange(1, len(self.recurs) + 1),
                "share": self.recurs,
                "share_error": error,
                "jaccard": self.likeness,
            }
        )

    def pairs(self) -> pd.DataFrame:
        """One row per pair of data sets: ``dataset other share``, most often together first."""
        i, j = np.triu_indices(len(self.datasets), 1)
        order = np.argsort(-self.together[i, j], kind="stable")
        return frame(
            {
                "dataset": [self.datasets[d] for d in i[order]],
                "other": [self.datasets[d] for d in j[order]],
                "share": self.together[i, j][order],
            }
        )

    def description(self) -> str:
        """Return in how many resamples each archetype recurs."""
        shares = ", ".join(
            f"{j}: {100 * share:.0f} %" for j, share in enumerate(self.recurs.tolist(), 1)
        )
        return f"<ArchetypeStability: recurs in {count(self.resamples, 'resample')}: {shares}>"

    def citations(self) -> str:
        """Return the BibTeX entries of the methods."""
        return bibtex([jaccard])


def archetype_stability(
    result: Archetypes, resamples: int, seed: int | None, n_jobs: int | None = None
) -> ArchetypeStability:
    """Find archetypes again in resamples; see `Archetypes.stability`.

    A data set that is drawn twice has twice its weight; one that is not drawn is no part of an
    archetype.
    """
    check_count("resamples", resamples, 2, "at least 2 resamples, as in 200.")
    check_jobs(n_jobs)
    seed = seed_of(seed)
    points, corners = result.points / result.unit, result.corners / result.unit
    n, k = len(points), result.k
    refitted = partial(_refitted, points, k, result.given, result.robust, _STARTS, seed)
    moved = np.full((resamples, *corners.shape), np.nan)
    # Of samples with fewer than k different data sets there are no archetypes.
    groups = np.full((resamples, n), -1, dtype=np.int64)
    recurs = np.zeros((resamples, k), dtype=np.bool_)
    for r, fit in enumerate(bootstrapped(refitted, n, resamples, seed, n_jobs)):
        if fit is not None:
            archetypes, nearest = fit
            apart = cdist(corners, archetypes)
            _, order = linear_sum_assignment(apart**2)
            moved[r] = archetypes[order]
            groups[r] = np.argsort(order)[nearest]
            recurs[r] = apart[:, order].argmin(axis=0) == np.arange(k)
    fitted = groups[:, 0] >= 0
    largest = result.alphas.argmax(axis=1)
    likeness = np.full(k, np.nan)
    likeness[np.unique(largest)] = np.nanmean(
        jaccard(np.unique(largest, return_inverse=True)[1], groups[fitted]), axis=0
    )
    return ArchetypeStability(
        setting=result.setting,
        recurs=recurs.mean(axis=0),
        likeness=likeness,
        spread=np.std(moved[fitted], axis=0, ddof=1) * result.unit,
        together=together(groups[fitted]),
        resamples=resamples,
        seed=seed,
    )


def _refitted(
    points: Array,
    k: int,
    weights: Array,
    robust: bool,  # noqa: FBT001 (the one argument that varies comes last)
    starts: int,
    seed: int,
    drawn: Codes,
) -> tuple[Array, Codes] | None:
    """Return the archetypes of the points drawn and who is nearest to which, None of too few."""
    counts = np.bincount(drawn, minlength=len(points)) * weights
    if len(np.unique(points[counts > 0], axis=0)) < k:
        return None
    best = fit_archetypes(points, k, weights=counts, robust=robust, starts=starts, seed=seed)
    return best.archetypes, best.alphas.argmax(axis=1)
