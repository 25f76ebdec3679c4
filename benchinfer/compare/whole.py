"""Tests of the whole model: the algorithms taken together, and each source of variation."""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import f as f_distribution

from benchinfer.compare.averaged import AveragedFit
from benchinfer.compare.designs import Design
from benchinfer.compare.evidence import Array
from benchinfer.compare.fitted import Fitted
from benchinfer.compare.problem import Problem
from benchinfer.errors import DesignError, message
from benchinfer.frames import frame
from benchinfer.numerics.profile import effect_test, profile_intervals, variance_test
from benchinfer.numerics.reml import COMPONENTS
from benchinfer.numerics.score_model import ScoreModelFit
from benchinfer.numerics.structured.optimum import StructuredFit
from benchinfer.numerics.sufficient import Statistics
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
    if isinstance(model, AveragedFit):
        return
    d = _differences(len(fixed.at))
    yield _f("algorithm", fitted, d @ fixed.at, df)
    if fitted.design.structure == "pairwise":
        yield from _hotelling(fitted, d @ fixed.at)
    if fixed.domains:
        inner = [d @ fixed.levels_in(name) for name in fixed.domains]
        rows = np.vstack([one - two for one, two in pairwise(inner)])
        yield _f("domain:algorithm", fitted, rows, df)
    for name in fixed.covariates:
        slopes = fixed.slopes(name)
        yield _f(name, fitted, slopes.mean(axis=0, keepdims=True), df)
        yield _f(f"algorithm:{name}", fitted, d @ slopes, df)
    if (stats := plain(fitted)) is not None:
        x, k = fixed.x, len(fixed.at)
        # The smaller model: the same columns, the algorithms' own put together.
        null = None if x is None else x.reshape(*x.shape[:2], -1, k).sum(axis=3)
        test = effect_test(stats, fitted.design.fitted, x, null)
        yield (
            "algorithm",
            "likelihood ratio (ML)",
            test.statistic,
            float(test.df),
            np.inf,
            test.p_value,
        )


def _f(term: str, fitted: Fitted, rows: Array, df: str) -> Row:
    found = f_test(fitted.model, rows, df)
    words = "F, one variance for all pairs" if fitted.design.structure == "pairwise" else "F"
    return (
        term,
        words,
        found.statistic,
        float(found.df_numerator),
        found.df_denominator,
        found.p_value,
    )


def _hotelling(fitted: Fitted, rows: Array) -> Iterator[Row]:
    """Test all algorithms together by the spread between data sets, if there are enough of them.

    Hotelling's T squared; on a table with missing cells an approximation with the smallest of the
    contrasts' degrees of freedom.
    """
    errors = fitted.problem.spread(fitted.model, rows)
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
    model, stats = fitted.model, plain(fitted)
    if stats is None or not isinstance(model, ScoreModelFit):
        return
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


def variances(fitted: Fitted, level: float | None) -> "pd.DataFrame":
    """Return the variance components: ``source variance share``, with intervals at a level.

    Parameters
    ----------
    fitted
        The model.
    level
        Confidence level of profile intervals (restricted likelihood), or None for none.

    Raises
    ------
    DesignError
        Intervals are asked for of a model whose likelihood cannot be profiled.
    """
    model = fitted.model
    if isinstance(model, StructuredFit):
        held = _structured(model, fitted.design)
        columns: dict[str, object] = {"source": list(held)}
        values = np.array(list(held.values()))
    else:
        index = [i for i, name in enumerate(COMPONENTS) if name in model.terms]
        columns = {"source": [fitted.design.source(COMPONENTS[i]) for i in index]}
        values = model.variances[index]
    columns["variance"] = values
    if level is not None:
        low, high = _profiled(fitted, level)
        columns |= {"conf_low": low, "conf_high": high}
    return frame({**columns, "share": values / values.sum()})


def _structured(model: StructuredFit, design: Design) -> dict[str, float]:
    """Return the sources of a structured model, variances averaged over the algorithms.

    What all algorithms share on a data set is the mean covariance of two algorithms.
    """
    k = len(model.between)

    def split(cov: Array) -> tuple[float, float]:
        shared = (cov.sum() - np.trace(cov)) / (k * (k - 1))
        return float(shared), float(np.trace(cov)) / k - float(shared)

    held: dict[str, float] = {}
    if model.domain is not None:
        held["domain"], held["domain:algorithm"] = split(model.domain)
    held["dataset"], held["dataset:algorithm"] = split(model.between)
    if "dataset:replication" in design.components:
        held["dataset:replication"] = model.replication
    held["residual"] = float(model.residual.mean())
    return held


def _profiled(fitted: Fitted, level: float) -> tuple[list[float], list[float]]:
    if (stats := plain(fitted)) is None:
        raise DesignError(
            message(
                "profile intervals exist for one variance per source.",
                hint='structure="common" or "pairwise" and residual="constant" have such.',
            )
        )
    found = profile_intervals(stats, fitted.design.fitted, fitted.fixed.x, level=level, reml=True)
    return [i.low**2 for i in found], [i.high**2 for i in found]


def correlations(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return the intraclass correlations: ``shared correlation``.

    The correlation of two scores that share a data set, and whatever else: the share of the
    variances that they have in common.

    Parameters
    ----------
    table
        From `variances`.
    """
    share = dict(zip(table["source"], table["share"], strict=True))
    domain = share.get("domain", 0.0)
    both = domain + share.get("domain:algorithm", 0.0)
    dataset = domain + share.get("dataset", 0.0)
    known = {
        "domain": (domain, "domain"),
        "domain and algorithm": (both, "domain:algorithm"),
        "data set": (dataset, "dataset"),
        "data set and algorithm": (
            both + share.get("dataset", 0.0) + share.get("dataset:algorithm", 0.0),
            "dataset:algorithm",
        ),
        "data set and replication": (
            dataset + share.get("dataset:replication", 0.0),
            "dataset:replication",
        ),
        "replication": (share.get("replication", 0.0), "replication"),
    }
    held = {name: value for name, (value, source) in known.items() if source in share}
    return frame({"shared": list(held), "correlation": list(held.values())})


def plain(fitted: Fitted) -> Statistics | None:
    """Return the moments of a model with one variance per source, else None."""
    problem = fitted.problem
    if isinstance(problem, Problem) and isinstance(problem.statistics, Statistics):
        return problem.statistics
    return None
