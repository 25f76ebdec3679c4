"""Errors of the contrasts, under the model and from the spread between data sets."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare import cautions, steps
from benchinfer.compare.adjust import sidak, std_errors, without_spread
from benchinfer.compare.contrasts import Family
from benchinfer.compare.designs import Design, Structure
from benchinfer.compare.evidence import Array, Check, Evidence, Setting
from benchinfer.compare.fitted import Estimate
from benchinfer.compare.phrases import some
from benchinfer.numerics import degrees
from benchinfer.numerics.tukey import critical_t


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

    common: degrees.Adjusted
    own: degrees.Adjusted | None

    @staticmethod
    def of(estimate: Estimate, at: Array, family: Family, df: str) -> "Errors":
        """Compute both.

        Parameters
        ----------
        estimate
            The fit.
        at
            (K, p) the levels as combinations of the fixed effects.
        family
            The contrasts.
        df
            Method of the degrees of freedom.
        """
        rows = np.vstack([family.matrix @ at, at])
        common, own = estimate.errors(rows, df), estimate.spread(rows)
        if own is not None and df == "asymptotic":
            own = degrees.Adjusted(own.cov, np.full_like(own.df, np.inf))
        return Errors(_of_levels(common, at), None if own is None else _of_levels(own, at))

    def of_structure(self, structure: Structure) -> degrees.Adjusted:
        """Return the errors that a structure stands for."""
        return self.own if structure == "pairwise" and self.own is not None else self.common


def _of_levels(errors: degrees.Adjusted, at: Array) -> degrees.Adjusted:
    return degrees.Adjusted(at @ errors.cov @ at.T, errors.df)


def stepwise(
    setting: Setting, family: Family, evidence: Evidence, adjust: str, alpha: float
) -> list[Check]:
    """Say where stepwise tests and simultaneous intervals part company."""
    sides = family.named_sides(setting.algorithms)
    stepped = adjust in ("holm", "shaffer")  # Westfall's equivalence is tested in one step
    # Stepwise tests of equivalence answer to the (1 - 2 alpha) intervals, which are wider, too.
    wide = critical_t(evidence.df, sidak(2 * alpha, len(family.matrix))) * evidence.std_error
    loose = evidence.p_equivalence <= alpha
    loose &= np.abs(evidence.estimate) + wide > setting.measure.margin * (1 + 1e-12)
    return [
        Check.of(
            "equivalent pairs whose interval leaves the tolerance",
            int(loose.sum()) * stepped,
            0.0,
            ok=not (loose.any() and stepped),
            remedy=f"{some(sides, loose)}: the stepwise test decides where the simultaneous"
            " (1 - 2 alpha) interval, which is wider, does not",
        ),
        cautions.over_equality(
            evidence, alpha, sides, stepwise=steps.stepwise(adjust, len(family.matrix))
        ),
    ]


def checks(
    setting: Setting,
    family: Family,
    evidence: Evidence,
    errors: Errors,
    design: Design,
    adjust: str,
    alpha: float,
) -> list[Check]:
    """Say how far the pairs' own errors are from a common one, and where rules part company."""
    rows = stepwise(setting, family, evidence, adjust, alpha)
    if errors.own is None or len(setting.coverage.datasets) < 3:
        return rows
    sides = family.named_sides(setting.algorithms)
    return [*rows, *_spread_checks(family, errors.common, errors.own, design.structure, sides)]


def _spread_checks(
    family: Family,
    model: degrees.Adjusted,
    spread: degrees.Adjusted,
    kind: Structure,
    sides: cautions.Sides,
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
            remedy="pairs vary by different amounts between data sets, so that one common error is"
            ' too small for some and too large for others: use structure="pairwise"',
        )
    ]
    return [*rows, without_error(flat, sides)] if kind == "pairwise" else rows


def without_error(flat: NDArray[np.bool_], sides: cautions.Sides) -> Check:
    """Name the pairs without spread between data sets."""
    return Check.of(
        "pairs with the same difference on every data set",
        int(flat.sum()),
        0.0,
        ok=not flat.any(),
        remedy=f"{some(sides, flat)}: without spread there is no error to test against; are they"
        " the same algorithm?",
    )
