"""Direct evidence of pairs, beside what the model makes of a table with gaps."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from benchinfer.analyses.mixed.fit import MixedFit
from benchinfer.comparison.evidence import Array, Evidence, Setting
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import frame
from benchinfer.core.hints import Call, Either, Option
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import significant
from benchinfer.core.sections import Check

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from benchinfer.comparison.contrasts import Sides


# Few enough false rows: the differences of two estimates of one thing are held against it.
_RARE = 0.005
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class DirectEvidence:
    """Differences of pairs on the data sets that both have, on the modelling scale; (P,) arrays.

    Attributes
    ----------
    n
        Number of these data sets.
    estimate
        Mean difference, first minus second, larger is better; NaN where there is no data set.
    std_error
        From the spread of the differences; NaN for fewer than two.
    """

    n: NDArray[np.int64]
    estimate: Array
    std_error: Array


def direct_evidence(fitted: MixedFit, pairs: NDArray[np.int64]) -> DirectEvidence | None:
    """Average the differences of cell means; None where the fit does not keep them."""
    if fitted.plain is None or fitted.fixed.x is not None or fitted.design.one_dataset:
        return None
    stats, _ = fitted.plain
    with np.errstate(invalid="ignore", divide="ignore"):
        level = (stats.total / stats.n + stats.offset) * stats.scale
    difference = level[:, pairs[:, 0]] - level[:, pairs[:, 1]]
    n = np.isfinite(difference).sum(axis=0)
    mean = np.where(n > 0, np.nansum(difference, axis=0) / np.maximum(n, 1), np.nan)
    squares = np.nansum((difference - mean) ** 2, axis=0)
    error = np.sqrt(squares / np.maximum(n - 1, 1) / np.maximum(n, 1))
    return DirectEvidence(n, mean, np.where(n > 1, error, np.nan))


def table(
    setting: Setting,
    fitted: MixedFit,
    pairs: NDArray[np.int64],
    evidence: Evidence,
    sides: "Sequence[tuple[str, str]]",
) -> "pd.DataFrame":
    """Lay out the model's and the direct estimate of each pair."""
    real = (pairs >= 0).all(axis=1)
    found = direct_evidence(fitted, pairs[real])
    if found is None:
        raise DesignError(
            "the direct evidence is kept where several data sets are compared by one variance"
            f" per source; here {fitted.peculiarity}.",
            hint=f"{Call('compare_mixed', Option('structure', 'pairwise'))} keeps it.",
        )
    measure, named = setting.measure, [pair for pair, one in zip(sides, real, strict=True) if one]
    return frame(
        {
            "first": [first for first, _ in named],
            "second": [second for _, second in named],
            "estimate": measure.effect(evidence.estimate[real]),
            "std_error": evidence.std_error[real],
            "direct": measure.effect(found.estimate),
            "direct_error": found.std_error,
            "n_datasets": found.n,
        }
    )


def otherwise(found: DirectEvidence, evidence: Evidence, alpha: float) -> NDArray[np.bool_]:
    """Tell the pairs that shared data sets do not support than the model.

    A pair that the model decides and its shared data sets favour the other algorithm, or there are
    none; or the two estimates are further apart than both errors allow (as if they were
    independent, which is cautious).
    """
    decided = evidence.p_value <= alpha
    turned = decided & ~(np.sign(found.estimate) == np.sign(evidence.estimate))
    error = np.hypot(evidence.std_error, found.std_error)
    critical = stdtrit(np.maximum(found.n - 1, 1), 1 - _RARE / 2)
    return turned | (np.abs(evidence.estimate - found.estimate) > critical * error)


def checks(
    setting: Setting,
    fitted: MixedFit,
    pairs: NDArray[np.int64],
    evidence: Evidence,
    sides: "Sides",
    alpha: float,
) -> list[Check]:
    """Name the pairs of a table with gaps that shared data sets do not support."""
    if not setting.coverage.empty or not (pairs >= 0).all():
        return []
    found = direct_evidence(fitted, pairs)
    if found is None:
        return []
    apart = otherwise(found, evidence, alpha)
    sign = np.where(sides.turned[: len(pairs)], -1.0, 1.0)
    by_model, own = sign * evidence.estimate, sign * found.estimate
    told = [
        _told(setting.measure, sides.names[p], by_model[p], own[p], found.n[p])
        for p in sides.chosen(apart)
    ]
    more = " ..." if len(told) > _SHOWN else ""
    none = found.n == 0
    return [
        Check.of(
            "pairs that share no data set",
            int(none.sum()),
            remedy=f"{sides.some(none)}: what is said of them rests on other algorithms and the"
            " model alone",
        ),
        Check.of(
            "pairs that shared data sets do not support",
            len(told),
            remedy=f"{'; '.join(told[:_SHOWN])}{more}: the model adds data sets that only one of"
            f" the two has; {Either('direct() has all pairs', 'compare on those that both have')}",
        ),
    ]


def _told(measure: Measure, sides: tuple[str, str], model: float, own: float, n: int) -> str:
    by_model = significant(float(measure.effect(np.array([model]))[0]))
    pair = f"{sides[0]} and {sides[1]}: {by_model} by the model"
    if not n:
        return f"{pair}, through other algorithms alone, as no data set has both"
    shown = significant(float(measure.effect(np.array([own]))[0]))
    return f"{pair}, {shown} on the {n} data sets that both have"
