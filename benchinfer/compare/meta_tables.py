"""Tables that a meta-analysis gives besides its contrasts."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from benchinfer.compare.evidence import Array
from benchinfer.compare.network_errors import columns, joint_errors
from benchinfer.compare.pooled_effects import alone, lifted
from benchinfer.errors import DesignError, FitError, message
from benchinfer.frames import frame
from benchinfer.numerics import tukey
from benchinfer.numerics.best import probability_best
from benchinfer.numerics.meta import funnel
from benchinfer.numerics.meta.heterogeneity import Heterogeneity
from benchinfer.numerics.meta.heterogeneity import heterogeneity as described
from benchinfer.numerics.meta.pooling import Part
from benchinfer.numerics.meta.rows import rows_of

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.meta_comparison import MetaComparison


def ranked(meta: "MetaComparison", table: "pd.DataFrame") -> "pd.DataFrame":
    """Add the probabilities to be best to a summary, where estimates have a joint distribution."""
    if meta.fit is None:
        return table
    found = probability_best(
        *joint_errors(meta.studies, meta.fit, len(meta.algorithms)), meta.measure.margin
    )
    table["prob_best"], table["prob_near_best"] = found.best, found.near
    return table


def whole(meta: "MetaComparison") -> Part:
    """Return the rows of all data sets as one part."""
    rows = rows_of(meta.studies.blocks, len(meta.algorithms))
    return rows.part(columns(rows, meta.studies))


def heterogeneity(meta: "MetaComparison") -> "pd.DataFrame":
    """One row for the network, or one per pair; see `MetaComparison.heterogeneity`."""
    name = meta.measure.name
    if meta.fit is None:
        named = meta.named_sides()
        found: list[Heterogeneity] = []
        each = meta.studies.direct(meta.pairs)
        for one, tau2 in zip(each, meta.alone.tau2, strict=False):
            found.append(described([_of_pair(one.y, one.v)], float(tau2), meta.level))
        pairs = {"first": [pair[0] for pair in named], "second": [pair[1] for pair in named]}
        return frame({"measure": [name] * len(found), **pairs, **_numbers(found)})
    one = described([whole(meta)], meta.fit.tau2, meta.level)
    if meta.third:
        own = meta.fit
        return frame(
            {
                "measure": [name],
                "tau2": [own.tau2],
                "tau2_between": [own.between],
                "i2": [one.i2(own.heterogeneity)],
                "q": [one.q],
                "df": [one.df],
                "p_value": [one.p_value],
            }
        )
    return frame({"measure": [name], **_numbers([one])})


def _of_pair(y: Array, v: Array) -> Part:
    return Part(y, np.ones((len(y), 1)), lifted(v))


def _numbers(found: list[Heterogeneity]) -> dict[str, list[float]]:
    return {
        "tau2": [h.tau2 for h in found],
        "tau2_low": [h.tau2_low for h in found],
        "tau2_high": [h.tau2_high for h in found],
        "i2": [h.i2(h.tau2) for h in found],
        "i2_low": [h.i2(h.tau2_low) for h in found],
        "i2_high": [h.i2(h.tau2_high) for h in found],
        "h2": [h.h2(h.tau2) for h in found],
        "q": [h.q for h in found],
        "df": [h.df for h in found],
        "p_value": [h.p_value for h in found],
    }


def egger(meta: "MetaComparison") -> "pd.DataFrame":
    """One row per pair with three data sets; see `MetaComparison.egger`."""
    rows: list[tuple[object, ...]] = []
    each = meta.studies.direct(meta.pairs)
    for one, (first, second) in zip(each, meta.named_sides(), strict=True):
        try:
            found = funnel.egger(one.y, lifted(one.v))
        except FitError:
            continue
        test = (found.slope, found.std_error, found.df, found.statistic, found.p_value)
        rows.append((first, second, len(one.held), *test, found.limit))
    if not rows:
        raise DesignError(
            message(
                "no pair has three effects whose standard errors differ.",
                hint="a funnel needs data sets of different size.",
            )
        )
    names = ("first", "second", "n_datasets", "slope", "std_error", "df", "statistic", "p_value")
    table = frame({name: [row[c] for row in rows] for c, name in enumerate(names)})
    limits = np.array([row[-1] for row in rows], np.float64)
    table["estimate"] = meta.measure.effect(limits)
    return table


def subgroups(meta: "MetaComparison") -> "pd.DataFrame":
    """One row per pair and domain; see `MetaComparison.subgroups`."""
    groups = _groups(meta)
    if len(set(groups.tolist())) < 2:
        raise DesignError(
            message(
                "the data sets do not come from several domains or studies.",
                hint="a column of domains says which data set belongs to which.",
            )
        )
    rows: list[dict[str, object]] = []
    each = meta.studies.direct(meta.pairs)
    for one, (first, second) in zip(each, meta.named_sides(), strict=True):
        own, start = groups[one.held], len(rows)
        parts = {
            g: _subgroup(meta, one.y[own == g], one.v[own == g]) for g in sorted(set(own.tolist()))
        }
        names = {"first": first, "second": second}
        rows += [{"domain": g, **names, **found} for g, found in parts.items() if found]
        _between(rows[start:])
    if not rows:
        raise DesignError(
            message("no pair is on two data sets of one domain.", hint="pool all domains.")
        )
    shown = [name for name in rows[0] if name != "raw"]
    return frame({name: [row[name] for row in rows] for name in shown})


def _groups(meta: "MetaComparison") -> NDArray[np.str_]:
    """Return the domain of each data set, or its study where there are no domains."""
    setting, studies = meta.setting, meta.studies
    if not setting.domains:
        return np.array(studies.groups)
    known = dict(zip(setting.coverage.datasets, setting.domains, strict=True))
    return np.array([known[name] for name in studies.datasets])


def _subgroup(meta: "MetaComparison", y: Array, v: Array) -> dict[str, object] | None:
    if len(y) < 2:
        return None
    asked = meta.provenance.arguments
    got = alone(y, lifted(v), asked["method"], asked["interval"])  # pyright: ignore[reportArgumentType]
    estimate, error = float(got.beta[0]), float(np.sqrt(got.cov[0, 0]))
    reach = float(tukey.critical_t(got.df, meta.alpha)) * error
    low, high = meta.measure.effect_interval(estimate - reach, estimate + reach)
    t = estimate / error if error > 0 else 0.0
    return {
        "n_datasets": len(y),
        "estimate": float(meta.measure.effect(estimate)),
        "conf_low": float(low),
        "conf_high": float(high),
        "std_error": error,
        "df": got.df,
        "statistic": t,
        "p_raw": float(tukey.raw_p(np.array(t), got.df)),
        "tau2": got.tau2,
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
