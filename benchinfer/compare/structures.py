"""How pairs vary between data sets: one common standard error, or each pair its own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.designs import Design
from benchinfer.compare.evidence import Check, Evidence, Setting
from benchinfer.compare.families import Family, sidak, std_errors, without_spread
from benchinfer.compare.phrases import join
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics import degrees
from benchinfer.numerics.reml import evaluate
from benchinfer.numerics.robust import cluster_robust
from benchinfer.numerics.score_model import ScoreModelFit
from benchinfer.numerics.sufficient import Statistics
from benchinfer.numerics.tukey import critical_t

type Structure = Literal["auto", "common", "pairwise"]


def resolve(structure: Structure, design: Design, setting: Setting) -> Structure:
    """Return the structure that ``"auto"`` means, or check the one asked for.

    Raises
    ------
    DesignError
        The structure is not known, or needs several data sets of each algorithm.
    """
    known = ("auto", "common", "pairwise")
    if structure not in known:
        raise DesignError(unknown("structure", structure, known))
    if structure == "auto":
        structure = "common" if design.one_dataset else "pairwise"
    if structure == "pairwise" and design.one_dataset:
        raise DesignError(
            message(
                'structure="pairwise" takes its errors from the spread between data sets; there is'
                " one.",
                hint='structure="common" compares on one data set.',
            )
        )
    seen = (setting.coverage.found > 0).sum(axis=0)
    if structure == "pairwise" and (seen < 2).any():
        alone = [setting.algorithms[k] for k in np.flatnonzero(seen < 2)]
        raise DesignError(
            message(
                f"{join(alone)} {'has' if len(alone) == 1 else 'have'} scores on one data set"
                " only: there is no spread between data sets to take an error from.",
                hint='leave it out with scores.subset(algorithms=[...]); structure="common" lends'
                " it the error of the others.",
            )
        )
    return structure


@dataclass(frozen=True, slots=True)
class Errors:
    """Covariance and degrees of freedom of the pairs, followed by those of the K levels.

    Attributes
    ----------
    common
        Under the model.
    own
        From the spread between data sets; None where there is one data set.
    """

    common: degrees.Adjusted
    own: degrees.Adjusted | None

    @staticmethod
    def of(
        stats: Statistics,
        model: ScoreModelFit,
        family: Family,
        df: str,
        extra: float,
        *,
        one: bool,
    ) -> "Errors":
        """Compute both; `extra` is the variance that overlapping resamples add to each level."""
        k = len(model.beta)
        rows = np.vstack([family.matrix, np.eye(k)])
        common = degrees.METHODS[df](model, rows)
        common = degrees.Adjusted(common.cov + extra * np.eye(k), common.df)
        if one:
            return Errors(common, None)
        work = evaluate(stats, model.variances / stats.scale**2, reml=True)
        own = cluster_robust(work.q_matrix, model.derivatives.z, work.phi, rows)
        own_df = np.full_like(own.df, np.inf) if df == "asymptotic" else own.df
        return Errors(common, degrees.Adjusted(own.cov * stats.scale**2, own_df))

    def of_structure(self, kind: Structure) -> degrees.Adjusted:
        """Return the errors that a structure stands for."""
        return self.own if kind == "pairwise" and self.own is not None else self.common


def checks(
    setting: Setting,
    family: Family,
    evidence: Evidence,
    errors: Errors,
    kind: Structure,
    adjust: str,
    alpha: float,
) -> list[Check]:
    """Say how far the pairs' own errors are from a common one, and where rules part company."""
    names = setting.algorithms

    def named(chosen: NDArray[np.bool_]) -> str:
        pairs = [f"{names[i]} and {names[j]}" for i, j in family.pairs[chosen]]
        return join(pairs[:3]) + (" ..." if len(pairs) > 3 else "")

    over = (evidence.p_value <= alpha) & (evidence.low < 0) & (evidence.high > 0)
    stepwise = adjust in ("holm", "shaffer")
    # Stepwise tests of equivalence answer to the (1 - 2 alpha) intervals, which are wider, too.
    wide = critical_t(evidence.df, sidak(2 * alpha, len(evidence.df))) * evidence.std_error
    loose = evidence.p_equivalence <= alpha
    loose &= np.abs(evidence.estimate) + wide > setting.measure.margin * (1 + 1e-12)
    rows = [
        Check.of(
            "equivalent pairs whose interval leaves the tolerance",
            int(loose.sum()) * stepwise,
            0.0,
            ok=not (loose.any() and stepwise),
            remedy=f"{named(loose)}: the stepwise test decides where the simultaneous"
            " (1 - 2 alpha) interval, which is wider, does not",
        ),
        Check.of(
            "decided pairs whose interval includes equality",
            int(over.sum()),
            0.0,
            ok=not over.any(),
            remedy=f"{named(over)}: the stepwise test decides where the interval, which is wider,"
            " does not",
        ),
    ]
    if errors.own is None or len(setting.coverage.datasets) < 3:
        return rows
    return [*rows, *_spread_checks(family, errors.common, errors.own, kind, named)]


def _spread_checks(
    family: Family,
    model: degrees.Adjusted,
    spread: degrees.Adjusted,
    kind: Structure,
    named: Callable[[NDArray[np.bool_]], str],
) -> list[Check]:
    """Hold the pairs' own standard errors against the common one."""
    own, common = (std_errors(family, e) for e in (spread, model))
    flat = without_spread(own, spread)
    ratio = own / common
    apart = float(np.abs(np.log(ratio[~flat])).max(initial=0.0))
    rows = [
        Check.of(
            "own / common standard error, largest factor",
            np.exp(apart),
            2.0,
            ok=kind == "pairwise" or apart <= np.log(2.0),
            remedy="pairs vary by different amounts between data sets, so that one common error is"
            ' too small for some and too large for others: use structure="pairwise"',
        )
    ]
    if kind == "pairwise":
        rows.append(
            Check.of(
                "pairs with the same difference on every data set",
                int(flat.sum()),
                0.0,
                ok=not flat.any(),
                remedy=f"{named(flat)}: without spread there is no error to test against; are they"
                " the same algorithm?",
            )
        )
    return rows
