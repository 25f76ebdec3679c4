"""Archetypes of data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from benchinfer.analyses.subgroups.archetypes.stability import (
    ArchetypeStability,
    archetype_stability,
)
from benchinfer.comparison.evidence import Setting
from benchinfer.core.arguments import check_count, check_index, checked
from benchinfer.core.citations import bibtex
from benchinfer.core.frames import checks_frame, frame
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, join, percent, significant, subject
from benchinfer.core.provenance import AnalysisOptions, Provenance, StoredOptions
from benchinfer.core.result import Showable
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.core.sections import Check
from benchinfer.numerics.ties import joined_levels, ranked_rows
from benchinfer.numerics.types import Array, Codes

if TYPE_CHECKING:
    import pandas as pd

type Profiles = Literal["differences", "levels"]

NEAREST = 3  # data sets that an archetype is named by
_ALIKE = 0.1  # of the largest gap between two algorithms: gaps below it are not told
_FEW = 0.3  # share of the starts that should end in the same optimum


@dataclass(frozen=True, kw_only=True)
class ArchetypesOptions(AnalysisOptions):
    """Arguments of `archetypes`; see there.

    References
    ----------
    Cutler & Breiman (1994), https://doi.org/10.1080/00401706.1994.10485840

    Eugster & Leisch (2009), https://doi.org/10.18637/jss.v030.i08

    Eugster & Leisch (2011), https://doi.org/10.1016/j.csda.2010.10.017
    """

    analysis: ClassVar[str] = "archetypes"

    measure: str
    k: int | None
    profiles: Profiles
    standardise: bool
    weights: Mapping[str, float]
    robust: bool
    starts: int
    missing: Literal["use", "error"]
    seed: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("starts", self.starts, 1, "a whole number, as in 20.")
        if self.k is not None:
            check_count("k", self.k, 1, "a whole number of archetypes, as in 3.")


@checked
@savable
@shaped(
    setting=SAME,
    points="D K",
    unit="K",
    alphas="D k [0,1]",
    betas="k D [0,1]",
    given="D [0,inf)",
    weights="D [0,inf)",
    objectives="o [0,inf)",
    same="o [0,1]",
)
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Archetypes(Showable):
    """Archetypes of D data sets by the scores of K algorithms.

    Attributes
    ----------
    setting
        The table that was described.
    points
        (D, K) profiles of the data sets on the modelling scale, larger is better.
    unit
        (K,) what points were divided by.
    alphas
        (D, k) shares of the archetypes in each data set; rows sum to 1.
    betas
        (k, D) shares of the data sets in each archetype; rows sum to 1.
    given, weights
        (D,) weights as given, and times those of robust archetypes.
    objectives, same
        Distance that is left, and share of the starts that end in it: with one and with k
        archetypes, or with 1, 2, ... where k was chosen by the elbow.
    converged
        Whether the distance had settled.
    provenance
        Where it comes from.
    """

    _home: ClassVar[str] = "benchinfer.analyses.subgroups.archetypes"

    setting: Setting
    points: Array
    unit: Array
    alphas: Array
    betas: Array
    given: Array
    weights: Array
    objectives: Array
    same: Array
    converged: bool
    provenance: Provenance

    options: ClassVar[StoredOptions[ArchetypesOptions]] = StoredOptions(ArchetypesOptions)

    @property
    def k(self) -> int:
        """Number of archetypes."""
        return len(self.betas)

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.setting.measure

    @property
    def datasets(self) -> tuple[str, ...]:
        """The D data sets."""
        return self.setting.coverage.datasets

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The K algorithms."""
        return self.setting.algorithms

    @property
    def levels(self) -> bool:
        """True if profiles are means, not differences from the mean on the data set."""
        return self.options.profiles == "levels"

    @property
    def robust(self) -> bool:
        """True if distant data sets have smaller weights."""
        return self.options.robust

    @property
    def corners(self) -> Array:
        """(k, K) profiles of the archetypes on the modelling scale, larger is better."""
        return self.betas @ self.points

    @property
    def distances(self) -> Array:
        """(D,) distances of data sets to their mixtures, in the units that were minimised."""
        return np.linalg.norm((self.points - self.alphas @ self.corners) / self.unit, axis=1)

    @property
    def explained(self) -> float:
        """Share of the distance that is left by one archetype which k of them take away."""
        total, left = float(self.objectives[0]), float(self.objectives[self._place])
        return 1 - left / total if total else 1.0

    @property
    def _place(self) -> int:
        """Place of k among the numbers of archetypes that were tried."""
        return self.tried.tolist().index(self.k)

    @property
    def tried(self) -> Codes:
        """Numbers of archetypes that were tried: 1 and k, or all up to the most."""
        if self.options.k is None:
            return np.arange(1, len(self.objectives) + 1)
        return np.unique([1, self.k])

    def nearest(self, j: int) -> list[str]:
        """Return the data sets nearest to archetype j, counted from 0, of those it is nearest to.

        Of an archetype that is nearest to none, the data set that is nearest to it.
        """
        check_index("j", j, self.k)
        scaled, corners = self.points / self.unit, self.corners / self.unit
        apart = np.linalg.norm(scaled[:, None] - corners, axis=2)
        order = np.argsort(joined_levels(apart[:, j]), kind="stable")
        members = [d for d in order if joined_levels(apart[d]).argmin() == j][:NEAREST]
        return [self.datasets[d] for d in members or order[:1]]

    def describe(self, j: int) -> str:
        """Return which algorithms are best and last at archetype j, counted from 0, in words."""
        check_index("j", j, self.k)
        values = self.corners[j]
        gaps = values.max() - values
        largest = np.ptp(self.corners, axis=1).max()
        if gaps.max() <= max(self.measure.margin, _ALIKE * largest):
            return f"all alike ({self._behind(gaps.max())} at most)"
        order = np.argsort(joined_levels(gaps), kind="stable")
        step = max(self.measure.margin, _ALIKE * gaps.max())
        best = [self.algorithms[i] for i in order if gaps[i] <= step]
        last = [self.algorithms[i] for i in order if gaps[i] >= gaps.max() - step]
        return f"{join(best)} best, {join(last)} last ({self._behind(gaps.max())})"

    def _behind(self, gap: float) -> str:
        """Write a difference between two algorithms."""
        if self.measure.scale == "identity":
            return f"behind by {self.measure.in_unit(significant(gap, 2))}"
        kind = "a factor" if self.measure.scale == "log" else "an odds ratio"
        return f"behind by {kind} of {significant(float(np.exp(gap)), 3)}"

    def sentence(self) -> str:
        """Return what was found in one sentence."""
        share = f"{100 * self.explained:.0f} %"
        what = "scores" if self.levels else "differences between algorithms"
        name = self.measure.on_scale(self.measure.name)
        return (
            f"{count(self.k, 'archetype')} of {len(self.datasets)} data sets"
            f" {'gives' if self.k == 1 else 'give'} back {share} of the variation of"
            f" {what} in {name} ({self.measure.better} is better)."
        )

    def __str__(self) -> str:
        """Return the sentence, and a line for each archetype."""
        lines = (
            f"{j + 1}: {self.describe(j)}; like {join(self.nearest(j))}" for j in range(self.k)
        )
        return "\n".join([self.sentence(), *lines])

    def summary(self) -> pd.DataFrame:
        """One row per archetype, the one that most data sets are like first.

        Returns
        -------
        pandas.DataFrame
            ``archetype description nearest weight n_datasets``: who is best and last at it, the
            data sets nearest to it, the mean of its shares in all data sets, and the number of data
            sets of which it has the largest share.
        """
        largest = self.alphas.argmax(axis=1)
        return frame(
            {
                "archetype": np.arange(1, self.k + 1),
                "description": [self.describe(j) for j in range(self.k)],
                "nearest": [", ".join(self.nearest(j)) for j in range(self.k)],
                "weight": self.alphas.mean(axis=0),
                "n_datasets": np.bincount(largest, minlength=self.k),
            }
        )

    def coordinates(self) -> pd.DataFrame:
        """One row per data set and archetype: ``dataset archetype share distance weight``.

        The shares of a data set sum to 1; its distance to the mixture of archetypes, on the
        modelling scale, is 0 where it is one, and its weight is that with which it counted.
        """
        d, k = self.alphas.shape
        return frame(
            {
                "dataset": np.repeat(self.datasets, k),
                "archetype": np.tile(np.arange(1, k + 1), d),
                "share": self.alphas.ravel(),
                "distance": np.repeat(self.distances, k),
                "weight": np.repeat(self.weights, k),
            }
        )

    to_frame = coordinates

    def profiles(self) -> pd.DataFrame:
        """One row per archetype and algorithm: ``archetype algorithm estimate rank``.

        The estimate is the level of the algorithm at the archetype, or its difference from the mean
        of all algorithms, in the measure's own unit (a ratio to it on log and logit scales).
        """
        corners = self.corners
        values = self.measure.level_of(corners) if self.levels else self.measure.effect(corners)
        k, m = corners.shape
        return frame(
            {
                "archetype": np.repeat(np.arange(1, k + 1), m),
                "algorithm": np.tile(self.algorithms, k),
                "estimate": values.ravel(),
                "rank": ranked_rows(-corners).ravel(),
            }
        )

    def parts(self) -> pd.DataFrame:
        """One row per data set that an archetype is made of: ``archetype dataset share``."""
        j, d = np.nonzero(self.betas > 1e-9)
        share = self.betas[j, d]
        order = np.lexsort((-share, j))
        return frame(
            {
                "archetype": j[order] + 1,
                "dataset": [self.datasets[i] for i in d[order]],
                "share": share[order],
            }
        )

    def curve(self) -> pd.DataFrame:
        """One row per number of archetypes: ``n_archetypes objective explained share_starts``.

        The least weighted sum of squared distances (or bisquare losses), the share of that of one
        archetype which it takes away, and the share of the starts that end in it.
        """
        numbers, total = self.tried, self.objectives[0]
        return frame(
            {
                "n_archetypes": numbers,
                "objective": self.objectives,
                "explained": 1 - self.objectives / total if total else np.ones(len(numbers)),
                "share_starts": self.same,
            }
        )

    def stability(
        self, resamples: int = 200, *, seed: int | None = 1, n_jobs: int | None = None
    ) -> ArchetypeStability:
        """Find the archetypes again in data sets drawn with replacement.

        Parameters
        ----------
        resamples
            How many samples to draw.
        seed
            Seed of the draws; None draws one.
        n_jobs
            As in `per_dataset`.

        Returns
        -------
        ArchetypeStability
        """
        return archetype_stability(self, resamples, seed, n_jobs)

    @property
    def checks(self) -> tuple[Check, ...]:
        """Checks of the description."""
        same = float(self.same[self._place])
        left_out = len(self.setting.datasets_left_out) + len(self.setting.algorithms_left_out)
        checks = [
            Check.of(
                "share of starts that end in the least distance", same, _FEW, least=True,
                sentence=f"Only {percent(same)} of the starts end in the least distance, which may"
                " not be the least there is.",
                remedy="Take more starts, or fewer archetypes.",
            ),
            Check.of("distance has settled", float(self.converged), 1, least=True,
                     sentence="The distance has not settled, and shares are not exact.",
                     remedy="Take fewer archetypes."),
            Check.informing("data sets or algorithms left out", left_out,
                            sentence=f"{left_out} data sets or algorithms with gaps are left out.",
                            remedy="Archetypes need every algorithm on every data set."),
        ]  # fmt: skip
        if self.robust:
            away = int(((self.weights == 0) & (self.given > 0)).sum())
            sentence = f"{subject(away, 'data set', 'is')} far from all mixtures of the others."
            remedy = "Archetypes do not follow them."
            words = {"sentence": sentence, "remedy": remedy}
            checks.append(Check.informing("data sets without weight", away, **words))
        return tuple(checks)

    def diagnostics(self) -> pd.DataFrame:
        """One row per check: ``check value direction limit ok sentence remedy``."""
        return checks_frame(self.checks)

    def citations(self) -> str:
        """Return the BibTeX entries of the methods."""
        return bibtex([ArchetypesOptions])
