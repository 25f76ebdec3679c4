"""Standard errors of contrasts, by the model and by data sets."""

from dataclasses import dataclass

import numpy as np

from benchinfer.analyses.mixed.design import Design, Structure
from benchinfer.analyses.mixed.fit import Estimate
from benchinfer.comparison.adjustment import std_errors, without_spread
from benchinfer.comparison.checks import without_error
from benchinfer.comparison.contrasts import ContrastFamily, Sides
from benchinfer.comparison.evidence import Array, Evidence, Setting
from benchinfer.comparison.stepwise import stepwise_checks
from benchinfer.core.hints import Option
from benchinfer.core.sections import Check
from benchinfer.numerics import covariance


@dataclass(frozen=True, slots=True)
class Errors:
    """Covariance of the K levels, and degrees of freedom of the contrasts and then of the levels.

    Attributes
    ----------
    common
        Under the model.
    own
        From the spread between data sets; None where data sets are taken by themselves.
    """

    common: covariance.Adjusted
    own: covariance.Adjusted | None

    @staticmethod
    def of(estimate: Estimate, at: Array, family: ContrastFamily, df: str) -> "Errors":
        """Compute both."""
        rows = np.vstack([family.matrix @ at, at])
        common, own = estimate.errors(rows, df), estimate.spread(rows)
        if own is not None and df == "asymptotic":
            own = covariance.Adjusted(own.cov, np.full_like(own.df, np.inf))
        return Errors(_of_levels(common, at), None if own is None else _of_levels(own, at))

    def of_structure(self, structure: Structure) -> covariance.Adjusted:
        """Return the errors that a structure stands for."""
        return self.own if structure == "pairwise" and self.own is not None else self.common


def _of_levels(errors: covariance.Adjusted, at: Array) -> covariance.Adjusted:
    return covariance.Adjusted(at @ errors.cov @ at.T, errors.df)


def checks(
    setting: Setting,
    family: ContrastFamily,
    evidence: Evidence,
    errors: Errors,
    design: Design,
    adjust: str,
    alpha: float,
    sides: Sides,
) -> list[Check]:
    """Say how far the pairs' own errors are from a common one, and where rules differ."""
    rows = stepwise_checks(setting, family, evidence, adjust, alpha, sides)
    if errors.own is None or len(setting.coverage.datasets) < 3:
        return rows
    return [*rows, *_spread_checks(family, errors.common, errors.own, design.structure, sides)]


def _spread_checks(
    family: ContrastFamily,
    model: covariance.Adjusted,
    spread: covariance.Adjusted,
    kind: Structure,
    sides: Sides,
) -> list[Check]:
    """Hold the pairs' own standard errors against the common one."""
    own, common = (std_errors(family, e) for e in (spread, model))
    flat = without_spread(own, spread)
    known = ~flat & (common > 0)
    apart = float(np.abs(np.log(own[known] / common[known])).max(initial=0.0))
    rows = [
        Check.of(
            "own / common standard error, largest factor",
            np.exp(apart),
            2.0 if kind == "common" else None,
            ok=kind != "common" or apart <= np.log(2.0),
            remedy="pairs vary by different amounts between data sets, so that one common"
            " error is too small for some and too large for others: use"
            f" {Option('structure', 'pairwise')}",
        )
    ]
    return [*rows, without_error(flat, sides)] if kind == "pairwise" else rows
