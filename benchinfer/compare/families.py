"""From a fitted model to the evidence of each pair: standard errors, adjustment, intervals."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array, Evidence
from benchinfer.compare.phrases import count
from benchinfer.errors import DesignError, message, unknown
from benchinfer.numerics import closed_pairs, multiplicity, tukey
from benchinfer.numerics.degrees import Adjusted

type Contrasts = Literal["tukey", "dunnett"]
type Adjust = Literal["auto", "single-step", "westfall", "shaffer", "holm", "none"]

ADJUSTMENTS = ("single-step", "westfall", "shaffer", "holm", "none")
# With an error of its own for each pair the joint distribution of the statistics is not known.
_JOINT = ("single-step", "westfall")


@dataclass(frozen=True, slots=True)
class Family:
    """Pairs to compare at once.

    Attributes
    ----------
    pairs
        (P, 2) index pairs into the algorithms.
    matrix
        (P, K) contrasts.
    words
        The family in words.
    """

    pairs: NDArray[np.int64]
    matrix: Array
    words: str


def family_of(algorithms: tuple[str, ...], contrasts: Contrasts, control: str | None) -> Family:
    """Return all pairs, or the pairs of each algorithm with the control.

    Raises
    ------
    DesignError
        The family is not known, or the control is missing, superfluous or unknown.
    """
    k = len(algorithms)
    pairs, matrix = tukey.all_pairs(k)
    if contrasts == "tukey":
        if control is not None:
            raise DesignError(
                message(f"control is {control!r}.", hint='it goes with contrasts="dunnett".')
            )
        words = "the one pair" if k == 2 else f"all {len(pairs)} pairs"
        return Family(pairs, matrix, words)
    if contrasts != "dunnett":
        raise DesignError(unknown("contrasts", contrasts, ["tukey", "dunnett"]))
    if control not in algorithms:
        raise DesignError(unknown("control", control, algorithms))
    c = algorithms.index(control)
    others = np.array([i for i in range(k) if i != c], dtype=np.int64)
    pairs = np.column_stack([others, np.full(k - 1, c)])
    matrix = np.eye(k)[others]
    matrix[:, c] = -1
    return Family(pairs, matrix, f"the {count(k - 1, 'pair')} with the control {control}")


def resolve(adjust: Adjust, contrasts: Contrasts, *, common: bool) -> str:
    """Return the adjustment that ``"auto"`` means, or check the one asked for.

    Raises
    ------
    DesignError
        The adjustment does not exist or does not fit the errors or the family.
    """
    if adjust == "auto":
        return "single-step" if common else "holm"
    if adjust not in ADJUSTMENTS:
        raise DesignError(unknown("adjust", adjust, ["auto", *ADJUSTMENTS]))
    if adjust in _JOINT and not common:
        raise DesignError(
            message(
                f"adjust={adjust!r} needs one variance common to all pairs.",
                hint='adjust="holm" goes with pair-specific errors; structure="common" assumes'
                " that all pairs vary alike.",
            )
        )
    if adjust in ("westfall", "shaffer") and contrasts != "tukey":
        raise DesignError(
            message(
                f"adjust={adjust!r} uses how all pairs hang together.",
                hint='adjust="holm" goes with any family.',
            )
        )
    return adjust


def sidak(alpha: float, n: int) -> float:
    """Return the level of each of n intervals that hold together with probability 1 - alpha.

    References
    ----------
    Sidak, Z. (1967). Rectangular confidence regions for the means of multivariate normal
    distributions. Journal of the American Statistical Association 62, 626-633.
    https://doi.org/10.1080/01621459.1967.10482935
    """
    return -float(np.expm1(np.log1p(-alpha) / n))


def std_errors(family: Family, errors: Adjusted) -> Array:
    """Return (P,) standard errors of the pairs' differences."""
    squares = np.einsum("jp,pq,jq->j", family.matrix, errors.cov, family.matrix)
    return np.sqrt(np.maximum(squares, 0.0))


def without_spread(error: Array, errors: Adjusted) -> NDArray[np.bool_]:
    """Return which standard errors are zero up to the rounding of the covariance (its root)."""
    return error <= 1e-7 * np.sqrt(errors.cov.diagonal().max())


def evidence_of(
    family: Family, beta: Array, errors: Adjusted, adjust: str, alpha: float, margin: float
) -> tuple[Evidence, Array, float]:
    """Return the evidence of each pair.

    Parameters
    ----------
    family
        The pairs.
    beta
        (K,) levels of the algorithms.
    errors
        Their covariance and the degrees of freedom of the pairs.
    adjust
        From `resolve`.
    alpha
        Family-wise error rate.
    margin
        Tolerance on the modelling scale.

    Returns
    -------
    evidence
        Tests and intervals.
    critical
        (P,) critical values of the intervals.
    p_error
        Largest numerical error of the adjusted p-values.

    Notes
    -----
    A pair whose difference is the same on every data set has no standard error: its tests say
    nothing (p = 1), and a diagnostics row names it.
    """
    estimate = family.matrix @ beta
    error = std_errors(family, errors)
    flat = without_spread(error, errors)
    safe = np.where(flat, 1.0, error)
    statistic = np.where(flat, 0.0, estimate / safe)
    gap = np.where(flat, -1.0, (margin - np.abs(estimate)) / safe)
    raw = tukey.raw_p(statistic, errors.df)
    half = tukey.raw_p(gap, errors.df) / 2
    # One-sided: the test that the difference is smaller than the tolerance in both directions.
    raw_equivalence = np.where(gap > 0, half, 1 - half)
    critical = tukey.critical_t(errors.df, alpha)
    p_error = 0.0
    if adjust in _JOINT:
        p, q, critical, p_error = _joint(family, errors, statistic, gap, adjust, alpha)
    elif adjust == "none":
        p, q = raw, raw_equivalence
    else:
        step = _steps(adjust, len(beta))
        p, q = step(raw), step(raw_equivalence)
        # Step-down p-values themselves have no intervals.
        critical = tukey.critical_t(errors.df, sidak(alpha, len(raw)))
    return (
        Evidence(
            estimate=estimate,
            std_error=error,
            df=errors.df,
            statistic=statistic,
            p_value=np.where(flat, 1.0, p),
            p_raw=raw,
            p_equivalence=np.where(flat, 1.0, q),
            low=estimate - critical * error,
            high=estimate + critical * error,
        ),
        critical,
        p_error,
    )


def _steps(adjust: str, k: int) -> Callable[[Array], Array]:
    if adjust == "shaffer":
        return lambda p: closed_pairs.shaffer(p, k)
    return multiplicity.holm


def _joint(
    family: Family, errors: Adjusted, statistic: Array, gap: Array, adjust: str, alpha: float
) -> tuple[Array, Array, Array, float]:
    """Return p, equivalence p, critical values and their error by the joint distribution."""
    df = float(errors.df.min())
    joint = tukey.max_t(family.matrix, errors.cov, df)
    critical = np.full(len(statistic), tukey.quantile(joint, alpha))
    size = np.abs(statistic)
    p, error = tukey.survival(joint, np.r_[size, np.abs(gap)])
    half = p[len(size) :] / 2
    # Two one-sided tests: equivalent at alpha when the (1 - 2 alpha) interval lies inside.
    q = np.where(gap > 0, half, 1 - half)
    if adjust == "single-step":
        return p[: len(size)], q, critical, float(error.max())

    def survival(members: tuple[int, ...], own: int) -> float:
        part = tukey.max_t(family.matrix[list(members)], errors.cov, df)
        return float(tukey.survival(part, size[[own]])[0][0])

    stepped = closed_pairs.westfall(tukey.raw_p(size, df), family.matrix.shape[1], survival)
    return stepped, q, critical, float(error.max())
