"""Comparison of the levels of one factor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, override

from benchinfer.analyses.factors.numerics import tests
from benchinfer.analyses.factors.options import LevelsOptions
from benchinfer.comparison.comparison import TestedComparison
from benchinfer.comparison.evidence import Setting
from benchinfer.core.numbers import join
from benchinfer.core.provenance import StoredOptions
from benchinfer.core.saving import savable

FLIPPED = "sign flips of whole data sets, stepped down from the largest t"
HOLM = "t tests with Holm's adjustment"
MODELLED = (
    "As few data sets hold all cells, means of cells were fitted by least squares with a level of"
    " each data set, effects of each factor and of each pair of factors, and none of three; levels"
    " of a factor are compared on average over all cells of the other factors, with equal weights,"
    " with CR2 errors by data set and Satterthwaite's degrees of freedom."
)


def in_units(setting: Setting, text: str) -> str:
    """Return a text on data sets; of one data set replications are the units."""
    alone = len(setting.coverage.datasets) == 1
    return text.replace("data set", "replication") if alone else text


def units_like_these(setting: Setting) -> str:
    """Return what claims are about: data sets, domains, or replications on one data set."""
    datasets = setting.coverage.datasets
    if len(datasets) == 1:
        drawn = setting.resampling is not None and setting.resampling.kind == "bootstrap"
        return f"replications like these on {datasets[0]}{' as drawn' if drawn else ''}"
    return f"{'domains' if setting.members is not None else 'data sets'} like these {len(datasets)}"


@savable
@dataclass(frozen=True, eq=False, repr=False)
class LevelComparison(TestedComparison):
    """Verdicts on the levels of one factor, each the mean over all cells of the other factors.

    Attributes
    ----------
    others
        Names of the other factors.
    by_flips
        Whether p-values are by flips of whole data sets.
    modelled
        Whether effects are those of a model, as too few data sets hold all cells.
    """

    _home: ClassVar[str] = "benchinfer.analyses.factors"
    _title: ClassVar[str] = "Main effects"

    others: tuple[str, ...]
    by_flips: bool
    modelled: bool

    options: ClassVar[StoredOptions[LevelsOptions]] = StoredOptions(LevelsOptions)

    @property
    @override
    def _heading(self) -> str:
        return f"Main effects of {self.options.factor}"

    @override
    def scope(self) -> str:
        """Return the scope of the claims: the other factors' levels, and data sets like these."""
        return f"on average over {join(self.others)}, and over {units_like_these(self.setting)}"

    @property
    @override
    def method(self) -> str:
        """Sentences for a methods section."""
        say = partial(in_units, self.setting)
        if self.modelled:
            return f"{say(MODELLED)} P-values are by {HOLM}."
        return (
            f"Levels of {self.options.factor} were compared by the mean of all cells of"
            f" {join(self.others)} "
            + say("on each data set, with equal weights: one difference for each data set")
            + ", with the standard error of their own spread. P-values are by"
            f" {say(FLIPPED) if self.by_flips else HOLM}."
        )

    @property
    @override
    def formula(self) -> str:
        """The statistic in one line."""
        if self.modelled:
            return "difference of marginal means of the model, over its CR2 error"
        return in_units(
            self.setting,
            "mean over data sets of differences of marginal means, over its standard error",
        )

    def _sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        from benchinfer.numerics.covariance import cluster_robust
        from benchinfer.numerics.multiplicity import holm

        by = tests.step_down_flips if self.by_flips else holm
        return [by, cluster_robust] if self.modelled else [by]
