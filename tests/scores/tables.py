"""Simulated tables, and what the checks find in them."""

import numpy as np
import pandas as pd

import benchinfer as bi
from benchinfer.core.measure import Measure
from benchinfer.scores.checks.facts import Facts
from benchinfer.scores.rows.summary import Summary


def table(values, held=None) -> pd.DataFrame:
    """Lay out (D, K) or (D, K, R) scores as a long table, without what is not held."""
    values = np.asarray(values, float)
    values = values[..., None] if values.ndim == 2 else values
    held = np.isfinite(values) if held is None else np.broadcast_to(held[..., None], values.shape)
    d, k, r = np.nonzero(held)
    return pd.DataFrame(
        {
            "dataset": [f"d{i:03}" for i in d],
            "replication": r,
            "algorithm": [f"a{i:02}" for i in k],
            "score": values[d, k, r],
        }
    )


def found(values, measures="acc:higher", held=None, **options) -> dict:
    """Return rule to finding."""
    scores = bi.read_scores(table(values, held), measures=measures, **options)
    return {finding.rule: finding for finding in scores.finding_records}


def additive(rng, d, k, sd=0.03, middle=0.7) -> np.ndarray:
    """Draw (D, K) scores of data sets and algorithms without interaction but noise."""
    return (
        middle
        + rng.normal(0, 0.08, (d, 1))
        + rng.normal(0, 0.02, (1, k))
        + rng.normal(0, sd, (d, k))
    )


def facts(values, measure: Measure | None = None) -> Facts:
    """Return the facts of (D, K) single scores, as reading a table of them would."""
    values = np.asarray(values, float)
    held, (d, k) = np.isfinite(values), values.shape
    measure = measure or Measure("acc", better="higher")
    ends = np.array([[np.nanmin(values), np.nanmax(values)]])
    one = held[None].astype(int)
    summary = Summary(
        (measure.name,),
        tuple(f"d{i:03}" for i in range(d)),
        tuple(f"a{i:02}" for i in range(k)),
        n=one,
        replications=one,
        shared=one.max(axis=2),
        mean=values[None],
        squares=np.zeros((1, d, k)),
        minimum=values[None],
        maximum=values[None],
        ends=ends,
        at_ends=(values[None, ..., None] == ends[:, None, None]).astype(int),
    )
    return Facts(summary, paired=False, measures=(measure,))
