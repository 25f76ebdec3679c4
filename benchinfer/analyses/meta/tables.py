"""Tables of a meta-analysis: heterogeneity, study intervals, consistency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import chdtrc, stdtr

from benchinfer.analyses.meta.numerics import pooling
from benchinfer.analyses.meta.numerics.effects import rows_of, together
from benchinfer.analyses.meta.numerics.network import Split, Test, by_design, split
from benchinfer.analyses.meta.numerics.pooling import Heterogeneity, NetworkPart
from benchinfer.analyses.meta.pooling import (
    columns,
    errors_of,
    joint_errors,
    lifted,
    pool_pairs,
)
from benchinfer.analyses.meta.prediction import prediction_of
from benchinfer.comparison.normal import evidence_of
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.frames import frame
from benchinfer.numerics import max_t
from benchinfer.numerics.covariance import all_pairs, contrast_variances
from benchinfer.numerics.posterior.outcome_probabilities import probability_best
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.meta.comparison import MetaComparison
    from benchinfer.analyses.meta.pooling import NetworkFit


def ranked(meta: MetaComparison, table: pd.DataFrame) -> pd.DataFrame:
    """Add the probabilities to be best to a summary, where estimates have a joint distribution."""
    if meta.fit is None:
        return table
    probability = probability_best(
        *joint_errors(meta.studies, meta.fit, len(meta.algorithms)), meta.measure.margin
    )
    table["prob_best"], table["prob_near_best"] = probability.best, probability.near
    if len(meta.algorithms) > 2:
        table["p_score"] = p_scores(meta, meta.fit)
    return table


def p_scores(meta: MetaComparison, fit: NetworkFit) -> Array:
    """Return (K,) the mean certainty that each algorithm is better than another one.

    The mean over the others of one minus the one-sided p-value of being better.

    References
    ----------
    Rücker, G. & Schwarzer, G. (2015). Ranking treatments in frequentist network meta-analysis works
    without resampling methods. BMC Medical Research Methodology 15, 58.
    https://doi.org/10.1186/s12874-015-0060-8
    """
    pairs, contrasts = all_pairs(len(meta.algorithms))
    levels, errors = errors_of(meta.studies, fit, contrasts)
    error = np.sqrt(np.maximum(contrast_variances(contrasts, errors.cov), 0.0))
    gap = contrasts @ levels
    t = np.divide(gap, error, out=np.sign(gap) * np.inf, where=error > 0)
    certainty = stdtr(errors.df, np.nan_to_num(t))
    total = np.zeros(len(meta.algorithms))
    np.add.at(total, pairs[:, 0], certainty)
    np.add.at(total, pairs[:, 1], 1 - certainty)
    return total / (len(total) - 1)


def heterogeneity(meta: MetaComparison) -> pd.DataFrame:
    """One row for the network, or one per pair; see `MetaComparison.heterogeneity`."""
    name = meta.measure.name
    if meta.fit is None:
        named = meta.pairs.sides
        each_pair: list[Heterogeneity] = []
        each = meta.studies.direct(meta.pairs.index)
        for one, tau2 in zip(each, meta.alone.tau2, strict=False):
            part = NetworkPart(one.y, np.ones((len(one.y), 1)), lifted(one.v))
            each_pair.append(pooling.heterogeneity([part], float(tau2), meta.level))
        pairs = {"first": [pair[0] for pair in named], "second": [pair[1] for pair in named]}
        return frame({"measure": [name] * len(each_pair), **pairs, **_numbers(each_pair)})
    rows = rows_of(meta.studies.blocks, len(meta.algorithms))
    one = pooling.heterogeneity([rows.part(columns(rows, meta.studies))], meta.fit.tau2, meta.level)
    if meta.third:
        fit = meta.fit
        return frame(
            {
                "measure": [name],
                "tau2": [fit.tau2],
                "tau2_between": [fit.between],
                "i2": [one.i2(fit.heterogeneity)],
                "q": [one.q],
                "df": [one.df],
                "p_value": [one.p_value],
            }
        )
    return frame({"measure": [name], **_numbers([one])})


def _numbers(pooled: list[Heterogeneity]) -> dict[str, list[float]]:
    return {
        "tau2": [h.tau2 for h in pooled],
        "tau2_low": [h.tau2_low for h in pooled],
        "tau2_high": [h.tau2_high for h in pooled],
        "i2": [h.i2(h.tau2) for h in pooled],
        "i2_low": [h.i2(h.tau2_low) for h in pooled],
        "i2_high": [h.i2(h.tau2_high) for h in pooled],
        "h2": [h.h2(h.tau2) for h in pooled],
        "q": [h.q for h in pooled],
        "df": [h.df for h in pooled],
        "p_value": [h.p_value for h in pooled],
    }


def egger(meta: MetaComparison) -> pd.DataFrame:
    """One row per pair with three data sets; see `MetaComparison.egger`."""
    rows: list[tuple[object, ...]] = []
    each = meta.studies.direct(meta.pairs.index)
    for one, (first, second) in zip(each, meta.pairs.sides, strict=True):
        try:
            test = pooling.egger(one.y, lifted(one.v))
        except FitError:
            continue
        numbers = (test.slope, test.std_error, test.df, test.statistic, test.p_value)
        rows.append((first, second, len(one.held), *numbers, test.limit))
    if not rows:
        raise DesignError(
            "no pair has three effects whose standard errors differ.",
            hint="a funnel needs data sets of different size.",
        )
    names = ("first", "second", "n_datasets", "slope", "std_error", "df", "statistic", "p_value")
    table = frame({name: [row[c] for row in rows] for c, name in enumerate(names)})
    limits = np.array([row[-1] for row in rows], np.float64)
    table["estimate"] = meta.measure.effect(limits)
    return table


def subgroups(meta: MetaComparison) -> pd.DataFrame:
    """One row per pair and domain; see `MetaComparison.subgroups`."""
    setting, studies = meta.setting, meta.studies
    groups = np.array(studies.groups)
    if setting.domains:
        known = dict(zip(setting.coverage.datasets, setting.domains, strict=True))
        groups = np.array([known[name] for name in studies.datasets])
    if len(set(groups.tolist())) < 2:
        raise DesignError(
            "the data sets do not come from several domains or studies.",
            hint="a column of domains says which data set belongs to which.",
        )
    rows: list[dict[str, object]] = []
    each = studies.direct(meta.pairs.index)
    for one, (first, second) in zip(each, meta.pairs.sides, strict=True):
        domains, start = groups[one.held], len(rows)
        parts = {
            g: _subgroup(meta, one.y[domains == g], one.v[domains == g])
            for g in sorted(set(domains.tolist()))
        }
        names = {"first": first, "second": second}
        rows += [{"domain": g, **names, **row} for g, row in parts.items() if row]
        _between(rows[start:])
    if not rows:
        raise DesignError("no pair is on two data sets of one domain.", hint="pool all domains.")
    shown = [name for name in rows[0] if name != "raw"]
    return frame({name: [row[name] for row in rows] for name in shown})


def _subgroup(meta: MetaComparison, y: Array, v: Array) -> dict[str, object] | None:
    if len(y) < 2:
        return None
    rows = y[None], lifted(v)[None]
    got = pool_pairs(*rows, meta.studies, meta.estimator, meta.options.errors)
    estimate, error, df = (float(one[0]) for one in (got.estimate, got.std_error, got.df))
    reach = float(max_t.critical_t(df, meta._alpha)) * error
    low, high = meta.measure.effect_interval(estimate - reach, estimate + reach)
    t = estimate / error if error > 0 else 0.0
    return {
        "n_datasets": len(y),
        "estimate": float(meta.measure.effect(estimate)),
        "conf_low": float(low),
        "conf_high": float(high),
        "std_error": error,
        "df": df,
        "statistic": t,
        "p_raw": float(max_t.raw_p(np.array(t), df)),
        "tau2": float(got.tau2[0]),
        "raw": estimate,
    }


def _between(rows: list[dict[str, object]]) -> None:
    """Test the domains of one pair against each other: Q of their pooled effects."""
    y = np.array([row["raw"] for row in rows], np.float64)
    w = np.array([row["std_error"] for row in rows], np.float64) ** -2
    q = float(w @ (y - (w @ y) / w.sum()) ** 2) if len(rows) > 1 else 0.0
    df = len(rows) - 1
    for row in rows:
        row |= {"q_between": q, "df_between": df, "p_between": float(chdtrc(df, q)) if df else 1.0}


def _network(meta: MetaComparison) -> NetworkFit:
    """Return the fit of a two-level network without covariates; raise a DesignError if none."""
    reason = ""
    if meta.fit is None:
        reason = "pairs were pooled alone"
    elif len(meta.algorithms) == 2:
        reason = "two algorithms have direct evidence only"
    elif meta.third:
        reason = "data sets lie within a third level"
    elif meta.studies.covariates:
        reason = "algorithms have slopes along covariates"
    if meta.fit is None or reason:
        raise DesignError(
            f"direct and indirect evidence are not separated: {reason}.",
            hint='pooling="network" of three algorithms or more,'
            ' nested="none" and no covariates separate them.',
        )
    return meta.fit


def splits(meta: MetaComparison) -> list[Split | None]:
    """Split the evidence of each pair, None where there is no direct or no indirect evidence."""
    robust = _network(meta).own_errors
    blocks, options = meta.studies.blocks, meta.options
    rows = rows_of(blocks, len(meta.algorithms))
    refined = options.errors != "wald"
    return [
        split(rows, blocks, (int(i), int(j)), meta.estimator, refined=refined, robust=robust)
        if min(i, j) >= 0
        else None
        for i, j in meta.pairs.index
    ]


def consistency(meta: MetaComparison) -> pd.DataFrame:
    """One row per test; see `MetaComparison.consistency`."""
    _network(meta)
    blocks, options = meta.studies.blocks, meta.options
    refined = options.errors != "wald"
    designs = by_design(
        rows_of(blocks, len(meta.algorithms)), blocks, meta.estimator, refined=refined
    )
    parts = {"within designs": designs.within, "between designs": designs.between}
    tests = [(name, "Q", test) for name, test in parts.items() if test.df]
    if designs.interaction is not None:
        kind = "F" if np.isfinite(designs.interaction.df_residual) else "Q"
        tests.append(("design by treatment", f"{kind}, random effects", designs.interaction))
    for (first, second), one in zip(meta.pairs.sides, splits(meta), strict=True):
        if one is None:
            continue
        t = one.difference[0] / one.difference[1]
        p = float(max_t.raw_p(np.array(t), one.df))
        name = "node splitting, robust" if one.robust else "node splitting"
        tests.append((f"{first} - {second}", name, Test(t, 1, one.df, p, one.tau2)))
    return frame(
        {
            "term": [term for term, _, _ in tests],
            "test": [name for _, name, _ in tests],
            "statistic": [test.statistic for _, _, test in tests],
            "df": [test.df for _, _, test in tests],
            "df_residual": [test.df_residual for _, _, test in tests],
            "p_value": [test.p_value for _, _, test in tests],
            "tau2": [test.tau2 for _, _, test in tests],
        }
    )


def evidence(meta: MetaComparison) -> pd.DataFrame:
    """One row per pair; see `MetaComparison.network`."""
    _network(meta)
    count = together(meta.studies.blocks, len(meta.algorithms))
    e, named, measure = meta.evidence, meta.pairs.sides, meta.measure
    separate = splits(meta)
    n = np.array([count[i, j] if min(i, j) >= 0 else 0 for i, j in meta.pairs.index])
    direct, indirect = np.full((2, len(n)), np.nan), np.full((2, len(n)), np.nan)
    for p, one in enumerate(separate):
        if one is not None:
            direct[:, p], indirect[:, p] = one.direct, one.indirect
        elif n[p]:
            direct[:, p] = e.estimate[p], e.std_error[p]
        else:
            indirect[:, p] = e.estimate[p], e.std_error[p]
    columns: dict[str, object] = {
        "measure": [measure.name] * len(n),
        "first": [pair[0] for pair in named],
        "second": [pair[1] for pair in named],
        "n_datasets": n,
        "estimate": measure.effect(e.estimate),
        "std_error": e.std_error,
        "direct": measure.effect(direct[0]),
        "direct_error": direct[1],
        "indirect": measure.effect(indirect[0]),
        "indirect_error": indirect[1],
    }
    return frame(
        {
            name: values
            for name, values in columns.items()
            if not (isinstance(values, np.ndarray) and np.isnan(values.astype(np.float64)).all())
        }
    )


def slopes(meta: MetaComparison) -> pd.DataFrame:
    """One row per covariate and contrast; see `MetaComparison.slopes`."""
    if meta.fit is None or not meta.studies.covariates:
        raise DesignError(
            "there are no slopes.",
            hint="compare_meta(..., covariates=[...]) gives them.",
        )
    family, method = meta._family()
    names = meta.pairs.sides
    columns: dict[str, list[object] | Array] = {}
    for at, covariate in enumerate(meta.studies.covariates, 1):
        value, errors = errors_of(meta.studies, meta.fit, family.matrix, at)
        e, _ = evidence_of(
            family, value, errors, method, meta._alpha, 0.0, meta.alternative,
            interval=meta.options.statement,
        )  # fmt: skip
        low, high = meta.measure.effect_interval(e.low, e.high)
        rows: dict[str, list[object]] = {
            "covariate": [covariate] * len(names),
            "measure": [meta.measure.name] * len(names),
            "first": [pair[0] for pair in names],
            "second": [pair[1] for pair in names],
            "estimate": list(meta.measure.effect(e.estimate)),
            "conf_low": list(low),
            "conf_high": list(high),
            "std_error": list(e.std_error),
            "df": list(e.df),
            "statistic": list(e.statistic),
            "p_value": list(e.p_value),
            "p_raw": list(e.p_raw),
        }
        for name, values in rows.items():
            columns[name] = [*columns.get(name, []), *values]
    return frame(columns)


@dataclass(frozen=True, slots=True)
class StudyIntervals:
    """Effects of one pair on the scale of effects, from direct evidence and from the network."""

    datasets: tuple[str, ...]  # the D data sets that hold both
    # estimate, low, high: (D,) effects with their intervals
    estimate: Array
    low: Array
    high: Array
    weight: Array  # (D,) weights in the mean, the largest is 1
    pooled: tuple[float, float, float]  # the mean of these effects and the ends of its interval
    # The same from all data sets jointly, None where there are two algorithms or pairs are pooled
    # alone
    network: tuple[float, float, float] | None
    # Ends of the interval for a new data set: of the network, if there is one
    ahead: tuple[float, float]


def study_intervals(meta: MetaComparison, p: int, *, turn: bool = False) -> StudyIntervals:
    """Return the intervals of the pair at position p, each by itself at the level of `meta`.

    They are of the second algorithm less the first where the pair is to be turned.
    """
    direct = meta.studies.pair(int(meta.pairs.index[p, 0]), int(meta.pairs.index[p, 1]))
    side = -1 if turn else 1
    y, v = side * direct.y, direct.v
    measure, pairs = meta.measure, meta.alone
    reach = float(max_t.critical_t(np.inf, meta._alpha)) * np.sqrt(v)
    low, high = measure.effect_interval(y - reach, y + reach)
    weight = np.ones(len(v)) if pairs.equal[p] else 1 / (v + pairs.tau2[p])
    mean = side * float(pairs.estimate[p])
    reach_of_mean = _reach(meta, pairs.df[p], pairs.std_error[p])
    joint = meta.joint and len(meta.algorithms) > 2
    network, centre = None, mean
    wide = _reach(meta, pairs.df[p], np.sqrt(pairs.std_error[p] ** 2 + pairs.tau2[p]))
    if joint:
        error, df, _ = prediction_of(meta)
        centre, wide = side * float(meta.evidence.estimate[p]), _reach(meta, df[p], error[p])
        e = meta.evidence
        network = _ends(meta, centre, _reach(meta, e.df[p], e.std_error[p]))
    _, *ahead = _ends(meta, centre, wide)
    return StudyIntervals(
        datasets=tuple(meta.studies.datasets[d] for d in direct.held),
        estimate=np.asarray(measure.effect(y)),
        low=np.asarray(low),
        high=np.asarray(high),
        weight=weight / weight.max(),
        pooled=_ends(meta, mean, reach_of_mean),
        network=network,
        ahead=(ahead[0], ahead[1]),
    )


def _reach(meta: MetaComparison, df: float, error: float) -> float:
    return float(max_t.critical_t(df, meta._alpha)) * float(error)


def _ends(meta: MetaComparison, mean: float, reach: float) -> tuple[float, float, float]:
    """Return an effect and the ends of its interval, on the scale of effects."""
    low, high = meta.measure.effect_interval(mean - reach, mean + reach)
    return float(meta.measure.effect(mean)), float(low), float(high)
