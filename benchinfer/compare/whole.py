"""Tests of the whole model: the algorithms taken together, and each source of variation."""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import f as f_distribution

from benchinfer.compare.averaged import AveragedFit
from benchinfer.compare.evidence import Array
from benchinfer.compare.fitted import Fitted
from benchinfer.compare.observed import ObservedFit
from benchinfer.compare.problem import Fit, Solved
from benchinfer.frames import frame
from benchinfer.numerics.profile import effect_test, variance_test
from benchinfer.numerics.wald import f_test

if TYPE_CHECKING:
    import pandas as pd

type Row = tuple[str, str, float, float, float, float]

_COLUMNS = ("term", "test", "statistic", "df", "df_residual", "p_value")


def anova(fitted: Fitted, df: str) -> "pd.DataFrame":
    """Return one row per test: ``term test statistic df df_residual p_value``.

    Parameters
    ----------
    fitted
        The model.
    df
        Method of the degrees of freedom of the F tests.
    """
    rows = [*_fixed(fitted, df), *_random(fitted)]
    return frame({name: [row[i] for row in rows] for i, name in enumerate(_COLUMNS)})


def _differences(k: int) -> Array:
    return np.eye(k)[:-1] - np.eye(k)[1:]


def _fixed(fitted: Fitted, df: str) -> Iterator[Row]:
    """Test the algorithms' levels, by domain and along covariates where they are in the model."""
    fixed, model = fitted.fixed, fitted.model
    if isinstance(model, AveragedFit | ObservedFit):
        return
    d = _differences(len(fixed.at))
    yield from _f("algorithm", fitted, model, d @ fixed.at, df)
    if fitted.design.structure == "pairwise":
        yield from _hotelling(fitted, d @ fixed.at)
    if fixed.domains:
        inner = [d @ fixed.levels_in(name) for name in fixed.domains]
        rows = np.vstack([one - two for one, two in pairwise(inner)])
        yield from _f("domain:algorithm", fitted, model, rows, df)
    for name in fixed.covariates:
        slopes = fixed.slopes(name)
        yield from _f(name, fitted, model, slopes.mean(axis=0, keepdims=True), df)
        yield from _f(f"algorithm:{name}", fitted, model, d @ slopes, df)
    overlap = isinstance(fitted.estimate, Solved) and fitted.estimate.problem.overlap > 0
    if fitted.plain is not None and not overlap:
        x, k = fixed.x, len(fixed.at)
        # The smaller model: the same columns, the algorithms' own put together.
        null = None if x is None else x.reshape(*x.shape[:2], -1, k).sum(axis=3)
        test = effect_test(fitted.plain[0], fitted.design.fitted, x, null)
        yield (
            "algorithm" if x is None else "algorithm and its interactions",
            "likelihood ratio (ML)",
            test.statistic,
            float(test.df),
            np.inf,
            test.p_value,
        )


def _f(term: str, fitted: Fitted, model: Fit, rows: Array, df: str) -> Iterator[Row]:
    """Test fixed effects by F, unless there are too few data sets for its degrees of freedom."""
    found = f_test(model, rows, df)
    if not (found.df_denominator > 0 and found.statistic >= 0):
        return
    statistic, p_value = found.statistic, found.p_value
    if isinstance(fitted.estimate, Solved) and fitted.estimate.problem.overlap:
        # Overlapping resamples raise the covariance that the test of the model knows.
        cov = rows @ fitted.estimate.errors(rows, df).cov @ rows.T
        estimate = rows @ model.beta
        statistic = float(estimate @ np.linalg.solve(cov, estimate)) / len(rows)
        p_value = float(f_distribution.sf(statistic, len(rows), found.df_denominator))
    words = "F, covariance of the model" if fitted.design.structure == "pairwise" else "F"
    yield (
        term,
        words,
        statistic,
        float(found.df_numerator),
        found.df_denominator,
        p_value,
    )


def _hotelling(fitted: Fitted, rows: Array) -> Iterator[Row]:
    """Test all algorithms together by the spread between data sets, if there are enough of them.

    Hotelling's T squared; on a table with missing cells an approximation with the smallest of the
    contrasts' degrees of freedom.
    """
    errors = fitted.estimate.spread(rows)
    if errors is None:
        return
    q, nu = len(rows), float(errors.df.min())
    cov, estimate = rows @ errors.cov @ rows.T, rows @ fitted.model.beta
    if nu < q or np.linalg.matrix_rank(cov, tol=1e-10 * cov.diagonal().max()) < q:
        return
    t2 = float(estimate @ np.linalg.solve(cov, estimate))
    statistic, rest = (nu - q + 1) / (nu * q) * t2, nu - q + 1
    p = float(f_distribution.sf(statistic, q, rest))
    yield "algorithm", "Hotelling's T squared as F", statistic, float(q), rest, p


def _random(fitted: Fitted) -> Iterator[Row]:
    """Test each variance, where the plain model is fitted."""
    if fitted.plain is None:
        return
    stats, model = fitted.plain
    for name in model.terms[:-1]:
        test = variance_test(stats, model, name, fitted.fixed.x)
        yield (
            fitted.design.source(name),
            "likelihood ratio (REML), variance is 0",
            test.statistic,
            1.0,
            np.inf,
            test.p_value,
        )
