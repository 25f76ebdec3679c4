"""Where the spread of the scores comes from: variances, their shares, and correlations."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.designs import Design
from benchinfer.compare.evidence import Array
from benchinfer.compare.fitted import Fitted
from benchinfer.errors import DesignError, message
from benchinfer.frames import frame
from benchinfer.numerics.profile import profile_intervals
from benchinfer.numerics.reml import COMPONENTS
from benchinfer.numerics.structured.optimum import StructuredFit

if TYPE_CHECKING:
    import pandas as pd


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

    What all algorithms share on a data set is the mean covariance of two algorithms, or nothing
    where that is negative.
    """
    k = len(model.between)

    def split(cov: Array) -> tuple[float, float]:
        each = float(np.trace(cov)) / k
        shared = float(cov.sum() - np.trace(cov)) / (k * (k - 1))
        # Up to rounding a variance is zero, or all of it is shared.
        shared = min(max(shared, 0.0), each)
        return (shared, each - shared) if shared < each * (1 - 1e-9) else (each, 0.0)

    held: dict[str, float] = {}
    if model.domain is not None:
        held["domain"], held["domain:algorithm"] = split(model.domain)
    held["dataset"], held["dataset:algorithm"] = split(model.between)
    if "dataset:replication" in design.components:
        held["dataset:replication"] = model.replication
    held["residual"] = float(model.residual.mean())
    return held


def _profiled(fitted: Fitted, level: float) -> tuple[list[float], list[float]]:
    if fitted.plain is None:
        raise DesignError(
            message(
                f"profile intervals are not worked out where {fitted.peculiarity}.",
                hint='structure="common" or "pairwise" with residual="constant" has them.',
            )
        )
    found = profile_intervals(
        fitted.plain[0], fitted.design.fitted, fitted.fixed.x, level=level, reml=True
    )
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
