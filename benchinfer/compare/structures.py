"""How algorithms vary between data sets, and what errors of the contrasts follow from it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.adjust import sidak, std_errors, without_spread
from benchinfer.compare.contrasts import Family
from benchinfer.compare.designs import Design, Residual, Structure
from benchinfer.compare.evidence import Array, Check, Evidence, Setting
from benchinfer.compare.fitted import AnyFit, AnyProblem
from benchinfer.compare.phrases import join
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics import degrees
from benchinfer.numerics.tukey import critical_t


def resolve(structure: Structure, residual: Residual, design: Design, setting: Setting) -> Design:
    """Return the design with the structure that ``"auto"`` means, or the one asked for, checked.

    Raises
    ------
    DesignError
        The structure is not known or the table cannot estimate it.
    """
    _check_known(structure, residual)
    alone = design.one_dataset or design.each
    if structure == "auto":
        structure = "common" if alone else "pairwise"
    if alone and (structure != "common" or residual == "dataset"):
        here = "there is one" if design.one_dataset else "each is taken by itself"
        raise DesignError(
            message(
                f"structure={structure!r} with residual={residual!r} describes how data sets"
                f" differ: {here}.",
                hint='structure="common", residual="constant" compares on given data sets.',
            )
        )
    seen = (setting.coverage.found > 0).sum(axis=0)
    if structure != "common" and (seen < 2).any():
        alone = [setting.algorithms[k] for k in np.flatnonzero(seen < 2)]
        raise DesignError(
            message(
                f"{join(alone)} {'has' if len(alone) == 1 else 'have'} scores on one data set"
                " only: there is no spread between data sets to take an error from.",
                hint='leave it out with scores.subset(algorithms=[...]); structure="common" lends'
                " it the error of the others.",
            )
        )
    _check_estimable(structure, residual, design, setting)
    return replace(design, structure=structure, residual=residual)


def _check_known(structure: str, residual: str) -> None:
    for name, value, kinds in (
        ("structure", structure, get_args(Structure.__value__)),
        ("residual", residual, get_args(Residual.__value__)),
    ):
        if value not in kinds:
            raise DesignError(unknown(name, value, kinds))


def _check_estimable(structure: str, residual: str, design: Design, setting: Setting) -> None:
    """Refuse variances that the table cannot tell apart."""
    k, several = len(setting.algorithms), bool((setting.coverage.found > 1).any())
    if structure in ("diagonal", "unstructured") and "dataset:algorithm" not in design.components:
        raise DesignError(
            message(
                f"structure={structure!r} gives algorithms variances of their own between data"
                " sets, and this model has no dataset:algorithm term.",
                hint='with one score per cell structure="pairwise" gives each pair its own error.',
            )
        )
    if structure == "diagonal" and k < 3:
        raise DesignError(
            message(
                'structure="diagonal" needs three algorithms: of two, only the variance of the'
                " difference can be told.",
                hint='structure="pairwise" is enough for one pair.',
            )
        )
    if residual != "constant" and not several:
        raise DesignError(
            message(
                f"residual={residual!r} needs several scores per data set and algorithm.",
                hint='residual="constant" is what one score per cell supports.',
            )
        )


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
    def of(
        problem: AnyProblem,
        model: AnyFit,
        at: Array,
        family: Family,
        df: str,
    ) -> "Errors":
        """Compute both.

        Parameters
        ----------
        problem, model
            What was fitted, and the fit.
        at
            (K, p) the levels as combinations of the fixed effects.
        family
            The contrasts.
        df
            Method of the degrees of freedom.
        """
        rows = np.vstack([family.matrix @ at, at])
        common = problem.errors(model, rows, df)
        own = problem.spread(model, rows)
        if own is not None and df == "asymptotic":
            own = degrees.Adjusted(own.cov, np.full_like(own.df, np.inf))
        return Errors(_of_levels(common, at), None if own is None else _of_levels(own, at))

    def of_structure(self, structure: Structure) -> degrees.Adjusted:
        """Return the errors that a structure stands for."""
        return self.own if structure == "pairwise" and self.own is not None else self.common


def _of_levels(errors: degrees.Adjusted, at: Array) -> degrees.Adjusted:
    return degrees.Adjusted(at @ errors.cov @ at.T, errors.df)


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
    names = setting.algorithms
    sides = family.sides or [(names[i], names[j]) for i, j in family.pairs]

    def named(chosen: NDArray[np.bool_]) -> str:
        # Of a family that is shown in part the flags may cover that part alone.
        pairs = [" and ".join(pair) for pair, one in zip(sides, chosen, strict=False) if one]
        return join(pairs[:3]) + (" ..." if len(pairs) > 3 else "")

    over = (evidence.p_value <= alpha) & (evidence.low < 0) & (evidence.high > 0)
    stepwise = adjust in ("holm", "shaffer")
    # Stepwise tests of equivalence answer to the (1 - 2 alpha) intervals, which are wider, too.
    wide = critical_t(evidence.df, sidak(2 * alpha, len(family.matrix))) * evidence.std_error
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
    return [*rows, *_spread_checks(family, errors.common, errors.own, design.structure, named)]


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
            ok=kind != "common" or apart <= np.log(2.0),
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
