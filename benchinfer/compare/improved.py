"""How often a run of one algorithm is better than a run of another, with intervals and tests."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchinfer.compare.adjust import sidak
from benchinfer.compare.evidence import Array
from benchinfer.numerics import improvement, multiplicity
from benchinfer.numerics.bootstrap import Resample, Sample
from benchinfer.numerics.bootstrap_intervals import gather, lower, p_at_least, p_at_most, upper
from benchinfer.numerics.tukey import pairs_of
from benchinfer.progress import Progress, of_task
from benchinfer.saving import savable

# Enough for the probabilities, whose intervals are not near anything that decides.
SIDE_RESAMPLES = 2000
# Beyond these they would take longer than what verdicts rest on.
_MOST = 10_000


@savable
@dataclass(frozen=True, slots=True)
class Improvement:
    """Probability of improvement of P pairs; (P,) arrays."""

    estimate: Array
    low: Array
    high: Array
    p_value: Array


def improvement_of(
    sample: Sample,
    resample: Resample,
    given: Mapping[str, Any],
    alpha: float,
    progress: Progress | None = None,
) -> Improvement:
    """Return the probability of improvement of all pairs, as the contrasts are adjusted.

    Intervals are percentiles, expanded where those of the contrasts are.
    """
    pairs = pairs_of(sample.values.shape[1])
    several = given["adjust"] == "holm"
    n = len(pairs) if several else 1
    units = sample.units(resample) if given["interval"] == "expanded" else None
    side = sidak(alpha, n) / 2
    # Of many pairs the bounds lie far out, where more resamples are needed.
    enough = min(given["resamples"], max(SIDE_RESAMPLES, int(10 / side)), _MOST)
    told = of_task(progress, "improvement", enough)
    values = improvement.draws(sample, pairs, resample, enough, given["seed"], progress=told)
    found = gather(
        improvement.point(sample, pairs), values, 1.0, units=units, least=sample.least(resample)
    )
    p = np.minimum(2 * np.minimum(p_at_most(found, 0.5), p_at_least(found, 0.5)), 1.0)
    return Improvement(
        found.estimate,
        np.maximum(lower(found, side), 0.0),
        np.minimum(upper(found, side), 1.0),
        multiplicity.holm(p) if several else p,
    )
