"""What a network says: direct and indirect evidence, their consistency, slopes."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare import adjust
from benchinfer.compare.network_errors import errors_of
from benchinfer.errors import DesignError, message
from benchinfer.frames import frame
from benchinfer.numerics import tukey
from benchinfer.numerics.meta.consistency import Split, Test, by_design, split
from benchinfer.numerics.meta.rows import rows_of, together

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.evidence import Array
    from benchinfer.compare.meta_comparison import MetaComparison
    from benchinfer.compare.pooled_effects import NetworkFit


def _network(meta: "MetaComparison") -> "NetworkFit":
    """Return the fit of a network without covariates and with two levels, or refuse."""
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
            message(
                f"direct and indirect evidence are not told apart: {reason}.",
                hint='pooling="network" of three algorithms or more, nested="none" and no'
                " covariates tell them apart.",
            )
        )
    return meta.fit


def splits(meta: "MetaComparison") -> list[Split | None]:
    """Split the evidence of each pair, None where there is no direct or no indirect evidence."""
    robust = _network(meta).interval == "robust"
    blocks, asked = meta.studies.blocks, meta.provenance.arguments
    rows = rows_of(blocks, len(meta.algorithms))
    refined = asked["interval"] != "wald"
    return [
        split(rows, blocks, (int(i), int(j)), meta.estimator, refined=refined, robust=robust)
        if min(i, j) >= 0
        else None
        for i, j in meta.pairs
    ]


def consistency(meta: "MetaComparison") -> "pd.DataFrame":
    """One row per test; see `MetaComparison.consistency`."""
    _network(meta)
    blocks, asked = meta.studies.blocks, meta.provenance.arguments
    refined = asked["interval"] != "wald"
    found = by_design(
        rows_of(blocks, len(meta.algorithms)), blocks, meta.estimator, refined=refined
    )
    parts = {"within designs": found.within, "between designs": found.between}
    tests = [(name, "Q", test) for name, test in parts.items() if test.df]
    if found.interaction is not None:
        kind = "F" if np.isfinite(found.interaction.df_residual) else "Q"
        tests.append(("design by treatment", f"{kind}, random effects", found.interaction))
    for (first, second), one in zip(meta.named_sides(), splits(meta), strict=True):
        if one is None:
            continue
        t = one.difference[0] / one.difference[1]
        p = float(tukey.raw_p(np.array(t), one.df))
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


def evidence(meta: "MetaComparison") -> "pd.DataFrame":
    """One row per pair; see `MetaComparison.network`."""
    _network(meta)
    count = together(meta.studies.blocks, len(meta.algorithms))
    e, named, measure = meta.evidence, meta.named_sides(), meta.measure
    found = splits(meta)
    n = np.array([count[i, j] if min(i, j) >= 0 else 0 for i, j in meta.pairs])
    direct, indirect = np.full((2, len(n)), np.nan), np.full((2, len(n)), np.nan)
    for p, one in enumerate(found):
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
    return frame({k: v for k, v in columns.items() if not _nothing(v)})


def _nothing(values: object) -> bool:
    return isinstance(values, np.ndarray) and bool(np.isnan(values.astype(np.float64)).all())


def slopes(meta: "MetaComparison") -> "pd.DataFrame":
    """One row per covariate and contrast; see `MetaComparison.slopes`."""
    if meta.fit is None or not meta.studies.covariates:
        raise DesignError(
            message("there are no slopes.", hint="compare_meta(..., covariates=[...]) gives them.")
        )
    family, method = meta.asked()
    names = meta.named_sides()
    columns: dict[str, list[object] | Array] = {}
    for at, covariate in enumerate(meta.studies.covariates, 1):
        value, errors = errors_of(meta.studies, meta.fit, family.matrix, at)
        e, _ = adjust.evidence_of(family, value, errors, method, meta.alpha, 0.0, meta.alternative)
        low, high = meta.measure.effect_interval(e.low, e.high)
        own: dict[str, list[object]] = {
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
        for name, values in own.items():
            columns[name] = [*columns.get(name, []), *values]
    return frame(columns)
