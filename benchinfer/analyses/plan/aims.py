"""Aims of a planned experiment."""

import math
from dataclasses import dataclass, replace
from typing import Literal

from benchinfer.analyses.plan.numerics import power
from benchinfer.analyses.plan.numerics.power import (
    Aimed,
    Bound,
    DifferenceSpread,
    Pilot,
    Uncertain,
    Varies,
)
from benchinfer.analyses.plan.variances import Components
from benchinfer.comparison.comparison import Target
from benchinfer.core.errors import DesignError
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.max_t import ALONE, Aim, CriticalFamily

type Contrasts = Literal["tukey", "dunnett"]
type Adjust = Literal["auto", "single-step", "holm", "none"]
COVER = 0.95  # level of intervals from the pilot's uncertainty


@savable
@shaped(level="(0,1)", power="(0,1)", difference="(-inf,inf)", k="[1,inf)")
@dataclass(frozen=True, slots=True)
class PlanAims:
    """Aims of a planned experiment."""

    components: Components  # the variances
    # aim, difference: what is to be shown, and the difference or margin in the unit of contrasts
    aim: Aim
    difference: float
    # level, power: confidence level of the family, and the power wanted for each pair
    level: float
    power: float
    # contrasts, adjust, k: the family of comparisons of k algorithms, None for one pair, and its
    # adjustment
    contrasts: Contrasts | None
    adjust: Adjust
    k: int
    target: Target  # what claims are about

    @property
    def n_contrasts(self) -> int:
        """Number of comparisons made together."""
        if self.contrasts is None:
            return 1
        return self.k - 1 if self.contrasts == "dunnett" else self.k * (self.k - 1) // 2

    @property
    def aimed(self) -> Aimed:
        """Aim of the power calculation, on the modelling scale."""
        measure = self.components.measure
        log = measure is not None and measure.scale == "log"
        effect = math.log1p(self.difference) if log else self.difference
        family = ALONE
        if self.contrasts is not None and self.adjust == "single-step":
            family = CriticalFamily(self.contrasts, self.k)
        elif self.adjust == "holm":
            family = CriticalFamily("bonferroni", self.n_contrasts)
        return Aimed(self.aim, effect, 1 - self.level, family)

    @property
    def spread(self) -> DifferenceSpread:
        """Sources of variation of a difference of two algorithms."""
        c, errors = self.components, self.k - 1 if self.adjust == "single-step" else 1
        if self.target == "datasets":
            return DifferenceSpread(
                0.0, c.residual, given=True, overlap=c.overlap or 0.0, errors=errors
            )
        return DifferenceSpread(c.dataset_algorithm or 0.0, c.residual, errors=errors)

    @property
    def known_by(self) -> Pilot | None:
        """Pilot whose uncertainty is allowed for; None where variances are taken as known."""
        pilot = self.components.pilot
        none = pilot is None or (self.target == "datasets" and pilot.df_residual <= 0)
        return None if none else pilot

    @property
    def bounds(self) -> tuple[Varies, Varies] | None:
        """Confidence bounds of the variance of a difference; None where it is taken as known."""
        if (pilot := self.known_by) is None:
            return None
        return Bound(self.spread, pilot, COVER, "low"), Bound(self.spread, pilot, COVER, "high")

    @property
    def believed(self) -> Varies:
        """Variance of a difference: uncertain, as the pilot estimates it, or known."""
        pilot = self.known_by
        return self.spread if pilot is None else Uncertain(self.spread, pilot)

    def reached(self, d: float, r: float, spread: Varies | None = None) -> float:
        """Return the mean power of D data sets with R replications over uncertain variances."""
        by = self.believed if spread is None else spread
        return power.power(self.aimed, by.variance(d, r), by.df(d, r))

    def datasets(self, r: float, spread: Varies | None = None) -> int:
        """Return the least number of data sets with R replications each."""
        by = self.believed if spread is None else spread
        return power.least_datasets(self.aimed, by, r, self.power)

    def replications(self, d: int, spread: Varies | None = None) -> int:
        """Return the least number of replications on D data sets."""
        by = self.believed if spread is None else spread
        return power.least_replications(self.aimed, by, d, self.power)

    def detectable(self, d: float, r: float) -> float:
        """Return the least difference, in the unit of contrasts, that has the power wanted."""
        by, measure = self.believed, self.components.measure
        aimed = replace(self.aimed, difference=math.nan)
        least = power.detectable(aimed, by.variance(d, r), by.df(d, r), self.power)
        return math.expm1(least) if measure is not None and measure.scale == "log" else least

    def check(self) -> None:
        """Raise a DesignError where the difference is not positive, or the pilot insufficient."""
        if not (math.isfinite(self.difference) and self.difference > 0):
            raise DesignError(
                f"difference is {self.difference!r}.",
                hint="a size, larger than 0: what matters in the unit of the contrasts.",
            )
        if self.target == "domain" and self.components.dataset_algorithm is None:
            raise DesignError(
                "the pilot does not tell how algorithms vary between data sets.",
                hint='target="datasets" plans claims about given data sets; a'
                " pilot on several data sets tells.",
            )
        if self.target == "datasets" and self.components.overlap is None:
            raise DesignError(
                "replications of the pilot overlap, and by how much is not declared.",
                hint='declare it, as in resampling="cv:10".',
            )
        pilot = self.components.pilot
        if self.target == "datasets" and pilot is not None and pilot.df_residual <= 0:
            raise DesignError(
                "the pilot has one score per cell, which does not tell the noise on a data set.",
                hint="a pilot with replications tells.",
            )
