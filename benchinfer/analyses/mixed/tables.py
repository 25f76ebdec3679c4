"""Tables of a mixed model: variances, tests, departures of data sets, direct evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtri, stdtrit

from benchinfer.analyses.mixed.design import Design, Structure, resolve
from benchinfer.analyses.mixed.fit import MixedFit, fit_design, reread
from benchinfer.analyses.mixed.numerics.degrees import f_test
from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS
from benchinfer.analyses.mixed.numerics.optimum import ModelFit
from benchinfer.analyses.mixed.numerics.profile import effect_test, profile_intervals, variance_test
from benchinfer.analyses.mixed.numerics.random_effects import predicted_effects
from benchinfer.analyses.mixed.numerics.structured_covariance import Residual
from benchinfer.comparison.checks.groups import domain_codes
from benchinfer.comparison.evidence import Evidence, Setting
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure
from benchinfer.numerics.types import Array, Codes, Flags

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.mixed.comparison import MixedComparison
    from benchinfer.scores.table import ScoreTable


type Row = tuple[str, str, float, float, float, float]


def departures(setting: Setting, fitted: MixedFit, level: float) -> pd.DataFrame:
    """Return the predicted random effects: ``source dataset algorithm estimate std_error ...``."""
    model, statistics, measure = fitted.across, fitted.statistics, setting.measure
    if statistics is None or model is None or fitted.design.one_dataset:
        raise DesignError(
            "data sets have no random effects in this model.",
            hint='compare_mixed with target="domain" on several data sets has them.',
        )
    effects = predicted_effects(statistics, model, fitted.fixed.x)
    parts: list[dict[str, Array]] = []
    for source, effect in effects.items():
        domains = source.startswith("domain")
        units = domain_codes(setting)[0] if domains else setting.coverage.datasets
        of_each = setting.algorithms if effect.mean.ndim == 2 else ("",)
        cells = np.array(list(product(units, of_each)), dtype=object)
        mean, sd = effect.mean.ravel(), effect.prediction_sd.ravel()
        reach = -ndtri((1 - level) / 2) * sd
        low, high = measure.effect_interval(mean - reach, mean + reach)
        parts.append(
            {
                "source": np.full(len(cells), source, dtype=object),
                "dataset": cells[:, 0],
                "algorithm": cells[:, 1],
                "estimate": measure.effect(mean),
                "conf_low": low,
                "conf_high": high,
                "std_error": sd,
            }
        )
    return frame({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


_BETWEEN: tuple[Structure, ...] = ("common", "diagonal", "unstructured")
_RESIDUAL: tuple[Residual, ...] = ("constant", "algorithm", "dataset")


def structures(setting: Setting, design: Design, scores: ScoreTable) -> pd.DataFrame:
    """Return one row per covariance structure that the table supports, least AIC first."""
    scores = reread(setting, scores)
    rows: list[dict[str, object]] = []
    refused: list[str] = []
    for structure, residual in product(_BETWEEN, _RESIDUAL):
        try:
            variant = resolve(structure, residual, design, setting)
            fitted = fit_design(scores, setting, variant, diagnosed=False)
        except DesignError as error:
            refused.append(str(error).splitlines()[0])
            continue
        if (model := fitted.across) is None:
            raise DesignError(
                f"structures are not compared where {fitted.peculiarity}.",
                hint='target="domain" fits them together.',
            )
        rows.append(
            {
                "structure": structure,
                "residual": residual,
                "n_parameters": model.n_parameters,
                "log_likelihood": model.log_likelihood,
                "aic": model.aic,
                "bic": model.bic,
            }
        )
    if len(rows) < 2:
        reasons = list(dict.fromkeys(refused))
        raise DesignError("the table supports one structure only.", hint=reasons)
    table = frame({name: [row[name] for row in rows] for name in rows[0]})
    # The smallest model lies within all others; it may be one that could not be fitted.
    smallest = table[(table["structure"] == "common") & (table["residual"] == "constant")]
    gain, df = (
        table[name] - (smallest[name].iloc[0] if len(smallest) else np.nan)
        for name in ("log_likelihood", "n_parameters")
    )
    statistic = np.maximum(2 * gain, 0.0)
    table["statistic"], table["df"] = statistic, df
    table["p_value"] = np.where(df > 0, chdtrc(np.maximum(df, 1), statistic), np.nan)
    return table.sort_values("aic", ignore_index=True)


def variances(fitted: MixedFit, level: float | None) -> pd.DataFrame:
    """Return the variance components: ``source variance share``, with intervals at a level."""
    held = components(fitted)
    values = np.array(list(held.values()))
    columns: dict[str, object] = {"source": list(held), "variance": values}
    if level is not None and fitted.plain is None:
        raise DesignError(
            f"profile intervals are not worked out where {fitted.peculiarity}.",
            hint='structure="common" or "pairwise" with residual="constant" has them.',
        )
    if level is not None and fitted.plain is not None:
        stats, terms, x = fitted.plain[0], fitted.design.fitted, fitted.fixed.x
        intervals = profile_intervals(stats, terms, x, level=level, reml=True)
        columns["conf_low"] = [interval.low**2 for interval in intervals]
        columns["conf_high"] = [interval.high**2 for interval in intervals]
    return frame({**columns, "share": values / values.sum()})


def components(fitted: MixedFit) -> dict[str, float]:
    """Return the variance of each source; of structured covariances averaged over the algorithms.

    There, what all algorithms share on a data set is the mean covariance of two algorithms, or
    nothing where that is negative.
    """
    model, design = fitted.across, fitted.design
    if fitted.plain is not None or model is None:
        held, terms = fitted.model.variances, fitted.model.terms
        return {design.source(name): float(held[COMPONENTS.index(name)]) for name in terms}
    k, sources = len(model.between), dict[str, float]()
    for unit, cov in (("domain", model.domain), ("dataset", model.between)):
        if cov is None:
            continue
        each = float(np.trace(cov)) / k
        shared = float(cov.sum() - np.trace(cov)) / (k * (k - 1))
        # Up to rounding a variance is zero, or all of it is shared.
        shared = min(max(shared, 0.0), each)
        shared = shared if shared < each * (1 - 1e-9) else each
        sources |= {unit: shared, f"{unit}:algorithm": each - shared}
    if "dataset:replication" in design.components:
        sources["dataset:replication"] = model.replication
    return sources | {"residual": float(model.residual.mean())}


def correlations(table: pd.DataFrame) -> pd.DataFrame:
    """Return the intraclass correlations: ``shared correlation``.

    The correlation of two scores that share a data set, and whatever else: the share of the
    variances that they have in common.
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


_COLUMNS = ("term", "test", "statistic", "df", "df_residual", "p_value")


def anova(fitted: MixedFit, df: str) -> pd.DataFrame:
    """Return one row per test: ``term test statistic df df_residual p_value``."""
    rows = list(_fixed(fitted, df))
    if fitted.plain is not None:
        stats, model = fitted.plain
        for name in model.terms[:-1]:
            test = variance_test(stats, model, name, fitted.fixed.x)
            words = "likelihood ratio (REML), variance is 0"
            term, ratio = fitted.design.source(name), float(test.statistic)
            rows.append((term, words, ratio, 1.0, np.inf, test.p_value))
    return frame({name: [row[i] for row in rows] for i, name in enumerate(_COLUMNS)})


def _fixed(fitted: MixedFit, df: str) -> Iterator[Row]:
    """Test the algorithms' levels, by domain and along covariates where they are in the model."""
    fixed, model = fitted.fixed, fitted.across
    if model is None:
        return
    identity = np.eye(len(fixed.at))
    d = identity[:-1] - identity[1:]
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
    if fitted.plain is not None and not fitted.overlap:
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


def _f(term: str, fitted: MixedFit, model: ModelFit, rows: Array, df: str) -> Iterator[Row]:
    """Test fixed effects by F, unless there are too few data sets for its degrees of freedom."""
    test = f_test(model, rows, df)
    if not (test.df_denominator > 0 and test.statistic >= 0):
        return
    statistic, p_value = test.statistic, test.p_value
    if fitted.overlap:
        # Overlapping resamples raise the covariance that the test of the model knows.
        cov = rows @ fitted.errors(rows, df).cov @ rows.T
        estimate = rows @ model.beta
        statistic = float(estimate @ np.linalg.solve(cov, estimate)) / len(rows)
        p_value = float(fdtrc(len(rows), test.df_denominator, statistic))
    words = "F, covariance of the model" if fitted.design.structure == "pairwise" else "F"
    yield (
        term,
        words,
        statistic,
        float(test.df_numerator),
        test.df_denominator,
        p_value,
    )


def _hotelling(fitted: MixedFit, rows: Array) -> Iterator[Row]:
    """Test all algorithms together by the spread between data sets, if there are enough of them.

    Hotelling's T squared; on a table with missing cells an approximation with the smallest of the
    contrasts' degrees of freedom.
    """
    errors = fitted.spread(rows)
    if errors is None:
        return
    q, nu = len(rows), float(errors.df.min())
    cov, estimate = rows @ errors.cov @ rows.T, rows @ fitted.model.beta
    if nu < q or np.linalg.matrix_rank(cov, tol=1e-10 * cov.diagonal().max()) < q:
        return
    t2 = float(estimate @ np.linalg.solve(cov, estimate))
    statistic, rest = (nu - q + 1) / (nu * q) * t2, nu - q + 1
    p = float(fdtrc(q, rest, statistic))
    yield "algorithm", "Hotelling's T squared as F", statistic, float(q), rest, p


# Few enough false rows: the differences of two estimates of one thing are compared by it.
_RARE = 0.005


@dataclass(frozen=True, slots=True)
class DirectEvidence:
    """Differences of pairs on the data sets that both have, on the modelling scale; (P,) arrays."""

    n: Codes  # number of these data sets
    # Mean difference, first minus second, larger is better; NaN where there is no data set
    estimate: Array
    std_error: Array  # from the spread of the differences; NaN for fewer than two

    def contradicts(self, evidence: Evidence, alpha: float) -> Flags:
        """Return the pairs whose direct evidence contradicts the model.

        A pair that the model decides and its shared data sets favour the other algorithm, or there
        are none; or the two estimates are further apart than both errors allow (as if they were
        independent, which is cautious).
        """
        decided = evidence.p_value <= alpha
        turned = decided & ~(np.sign(self.estimate) == np.sign(evidence.estimate))
        error = np.hypot(evidence.std_error, self.std_error)
        critical = stdtrit(np.maximum(self.n - 1, 1), 1 - _RARE / 2)
        return turned | (np.abs(evidence.estimate - self.estimate) > critical * error)


def direct_evidence(fitted: MixedFit, pairs: Codes) -> DirectEvidence | None:
    """Return the mean differences of cell means; None where the fit does not store these."""
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


def direct(mixed: MixedComparison) -> pd.DataFrame:
    """Return one row per pair: the model's and the direct estimate."""
    real, evidence = mixed.pairs.real, mixed.evidence
    shared = direct_evidence(mixed.fitted, mixed.pairs.index[real])
    if shared is None:
        raise DesignError(
            "the direct evidence is kept where several data sets are compared by one variance per"
            f" source; here {mixed.fitted.peculiarity}.",
            hint='compare_mixed(..., structure="pairwise") keeps it.',
        )
    named = [pair for pair, one in zip(mixed.pairs.sides, real, strict=True) if one]
    return frame(
        {
            "first": [first for first, _ in named],
            "second": [second for _, second in named],
            "estimate": mixed.measure.effect(evidence.estimate[real]),
            "std_error": evidence.std_error[real],
            "direct": mixed.measure.effect(shared.estimate),
            "direct_error": shared.std_error,
            "n_datasets": shared.n,
        }
    )


_SOURCES = {
    "domain": "domains",
    "domain:algorithm": "algorithms, between domains",
    "dataset": "difficulty of data sets",
    "dataset:algorithm": "algorithms, between data sets",
    "dataset:replication": "replications, all algorithms alike",
    "replication": "replications, all algorithms alike",
    "residual": "single scores (residual)",
}


def source_words(source: str) -> str:
    """Return the description of a source of variation; unknown ones keep their name."""
    return _SOURCES.get(source, source)


@dataclass(frozen=True, slots=True)
class CaterpillarLayout:
    """Departures selected for the figure, of D data sets and P panels.

    Attributes
    ----------
    measure
        The measure.
    datasets, owners
        Their names, and those of the algorithms, or one owner for all of them.
    ends
        (D, P, 3) lower end, prediction and upper end, in the unit of contrasts.
    expected
        What a departure is one from, in words.
    level
        Level of the intervals.
    """

    measure: Measure
    datasets: tuple[str, ...]
    owners: tuple[str, ...]
    ends: Array
    expected: str
    level: float

    @property
    def side(self) -> Codes:
        """(D, P) 1 where the interval holds better values only, -1 worse ones only, else 0."""
        low, high = self.ends[:, :, 0], self.ends[:, :, 2]
        above, below = low > self.measure.neutral, high < self.measure.neutral
        return self.measure.sign * (above.astype(np.int64) - below)

    @property
    def size(self) -> Array:
        """(D, P) sizes of the predictions on the modelling scale."""
        effect = self.ends[:, :, 1]
        return np.abs(effect if self.measure.scale == "identity" else np.log(effect))


def caterpillar(mixed: MixedComparison) -> CaterpillarLayout:
    """Return the departures of the algorithms or, where they have none, of the data sets."""
    table = mixed.departures()
    sources = set(table["source"])
    both = "dataset + dataset:algorithm"
    chosen = next(name for name in ("dataset:algorithm", both, "dataset") if name in sources)
    table = table[table["source"] == chosen]
    owners = tuple(str(name) or "all algorithms" for name in dict.fromkeys(table["algorithm"]))
    datasets = tuple(str(name) for name in dict.fromkeys(table["dataset"]))
    ends = table[["conf_low", "estimate", "conf_high"]].to_numpy(dtype=np.float64)
    expected = "the average data set"
    if chosen != "dataset":
        expected = "the algorithm's average"
        expected += " and the data set's difficulty" if "dataset" in sources else ""
    shape = (len(datasets), len(owners), 3)
    layout = CaterpillarLayout(
        mixed.measure, datasets, owners, ends.reshape(shape), expected, mixed.level
    )
    if not layout.size.any():
        raise DesignError(
            "no data set departs from the average in this model: the variance is zero.",
            hint="variances() says where the scores vary.",
        )
    return layout
