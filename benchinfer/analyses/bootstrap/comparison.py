"""Comparison by the bootstrap of aggregates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, override

import numpy as np

from benchinfer.analyses.bootstrap.evidence import Improvement
from benchinfer.analyses.bootstrap.numerics.profiles import PerformanceProfiles
from benchinfer.analyses.bootstrap.options import BootstrapOptions
from benchinfer.comparison import wording
from benchinfer.comparison.comparison import TestedComparison
from benchinfer.comparison.further import best
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import sentence
from benchinfer.core.provenance import StoredOptions
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics.covariance import pairs_of
from benchinfer.numerics.directions.rank_sets import RankSets
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd


_drawn_words = {
    "replications": "replications within each data set",
    "datasets": "whole data sets (with all their replications)",
    "both": "data sets, and within each of those the replications",
}
_interval_words = {
    "percentile": "percentiles of the draws",
    "expanded": "percentiles of the draws, expanded for the number of units drawn from",
}


@savable
@shaped(p_error="P", improved=SAME)
@dataclass(frozen=True, eq=False, repr=False)
class BootstrapComparison(TestedComparison):
    """Verdicts from bootstrapped aggregates.

    Attributes
    ----------
    reported
        What the aggregates are measures of: the measure, or a gap.
    statistic
        The aggregate in words.
    p_error
        (P,) Monte Carlo standard errors of the adjusted p-values.
    improved
        Probability of improvement of all pairs.
    scores_profile, ratios_profile
        Performance profiles; no ratios where scores are not above 0.
    """

    _home: ClassVar[str] = "benchinfer.analyses.bootstrap"

    reported: Measure
    statistic: str
    p_error: Array
    improved: Improvement
    scores_profile: PerformanceProfiles
    ratios_profile: PerformanceProfiles | None

    _title: ClassVar[str] = "Bootstrap of aggregates"
    _leans_on: ClassVar[str] = "resamples of these few"
    _decides_sooner: ClassVar[str] = "its aggregate gives extremes less weight"
    _decides_later: ClassVar[str] = "its aggregate gives extremes less weight; p-values are coarse"

    options: ClassVar[StoredOptions[BootstrapOptions]] = StoredOptions(BootstrapOptions)

    @property
    def measure(self) -> Measure:
        """Measure of the aggregates."""
        return self.reported

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        options = self.options
        scale = "" if self.measure.scale == "identity" else f" on the {self.measure.scale} scale"
        together = ""
        if options.resample != "datasets":
            shared = self.setting.paired
            together = (
                "; replications that algorithms share were drawn together"
                if shared
                else "; the replications of each algorithm were drawn by themselves"
            )
        return (
            f"Algorithms were compared by the {self.statistic} of {self.measure.noun}{scale}. In"
            f" {options.resamples:,} bootstrap resamples {_drawn_words[options.resample]}"
            f" were drawn with replacement{together}, seed {self.provenance.seed}. Intervals are"
            f" {_interval_words[options.percentiles]}; a p-value is the smallest level whose"
            f" interval leaves out equality. {sentence(self.provenance.adjustment)}."
        )

    @property
    def formula(self) -> str:
        """The statistic in one line."""
        options = self.options
        return (
            f"{self.statistic} of {self.measure.noun}, {options.resamples:,} resamples of"
            f" {_drawn_words[options.resample]}"
        )

    @override
    def _rank_sets(self) -> RankSets:
        """Return the sets of the best and of ranks from p-values of the pairs."""
        return best.of_raw_p_values(self)

    def scope(self) -> str:
        """Return what the claims are about, in words."""
        where = wording.scope(self.setting, self.target, where="over")
        return f"by the {self.statistic}, {where}"

    def _sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        from benchinfer.analyses.bootstrap.numerics import intervals, profiles
        from benchinfer.numerics import multiplicity

        used: list[object] = [BootstrapOptions, profiles.scores_above]
        if self.options.percentiles == "expanded":
            used.append(intervals.expanded)
        if self.options.adjust == "holm":
            used.append(multiplicity.holm)
        return used

    def _effects(self) -> Mapping[str, Array]:
        """Return estimate, interval and test of the pairs, in the reported unit."""
        columns = dict(super()._effects())
        # Nothing is divided by a standard error: there is no statistic that has degrees of freedom.
        del columns["df"], columns["statistic"]
        return {**columns, "p_error": self.p_error}

    def probability_of_improvement(self) -> pd.DataFrame:
        """Return the probability that a run of the first algorithm beats one of the second.

        Returns
        -------
        pandas.DataFrame
            ``measure first second prob_improvement conf_low conf_high p_value`` of all pairs: the
            probability on a data set that a score of the first, of any replication, is better than
            one of the second, equal scores half, averaged over data sets. Intervals are percentiles
            at the simultaneous level of the contrasts; p-values are two-sided, of probability 1/2,
            and adjusted likewise. They are not what verdicts rest on.
        """
        pairs = pairs_of(len(self.algorithms))
        names = np.array(self.algorithms, dtype=object)
        return frame(
            {
                "measure": [self.setting.measure.name] * len(pairs),
                "first": names[pairs[:, 0]],
                "second": names[pairs[:, 1]],
                "prob_improvement": self.improved.estimate,
                "conf_low": self.improved.low,
                "conf_high": self.improved.high,
                "p_value": self.improved.p_value,
            }
        )

    @property
    def _unbounded(self) -> int:
        """How many intervals of probabilities of improvement are from 0 to 1."""
        return int(((self.improved.low == 0) & (self.improved.high == 1)).sum())

    def profile(self, kind: Literal["scores", "ratios"] = "scores") -> pd.DataFrame:
        """Return performance profiles: one curve per algorithm.

        Parameters
        ----------
        kind
            ``"scores"``: share of scores better than a threshold, data sets with equal weight.
            ``"ratios"``: share of data sets on which the algorithm's mean is within a ratio of the
            best algorithm's mean there (Dolan and Moré).

        Returns
        -------
        pandas.DataFrame
            ``measure algorithm threshold proportion conf_low conf_high band_low band_high``.
            Intervals hold at each threshold alone, bands over the whole curve of an algorithm, both
            with the level of the comparison.

        Raises
        ------
        DesignError
            The kind does not exist, or ratios are requested of scores that are not above 0.
        """
        if kind not in ("scores", "ratios"):
            raise DesignError(unknown("kind", kind, ["scores", "ratios"]))
        profile = self.scores_profile if kind == "scores" else self.ratios_profile
        if profile is None:
            raise DesignError(
                f"some scores of {self.setting.measure.noun} are not above 0, so that ratios to"
                " the best have no meaning.",
                hint="the profile of scores takes them as they are.",
            )
        k, g = profile.estimate.shape
        threshold = profile.threshold
        if kind == "scores":
            threshold = self.setting.measure.level_of(threshold)
        return frame(
            {
                "measure": [self.setting.measure.name] * (k * g),
                "algorithm": np.repeat(np.array(self.algorithms, dtype=object), g),
                "threshold": np.tile(threshold, k),
                "proportion": profile.estimate.ravel(),
                "conf_low": profile.low.ravel(),
                "conf_high": profile.high.ravel(),
                "band_low": profile.band_low.ravel(),
                "band_high": profile.band_high.ravel(),
            }
        )
