"""From blocks to the evidence of each pair: tests, adjustment, equivalence, intervals."""

from dataclasses import dataclass

import numpy as np

from benchinfer.compare import alone, pooled, steps, within
from benchinfer.compare.alone import Alone
from benchinfer.compare.asked import Asked
from benchinfer.compare.contrasts import Family
from benchinfer.compare.evidence import Array, Evidence
from benchinfer.compare.exchangeable import Exchangeable
from benchinfer.compare.pooled import Pooled
from benchinfer.compare.scaled import standardised


@dataclass(frozen=True, slots=True)
class Tested:
    """What tests of a family say; P contrasts, of which the wanted ones are evidence.

    Attributes
    ----------
    family
        The contrasts.
    own
        Each pair on its own scores.
    together
        The same pairs on scores that all algorithms share, and the global test.
    statistic
        (P,) what the direction of verdicts is taken from.
    evidence, error
        Of the wanted contrasts, and the error of the evaluation of their adjusted p-values.
    other
        (P,) adjusted p-values of the tests that do not decide: single-step pooled ones for pairwise
        tests, Holm's pairwise ones for pooled tests; empty where not available.
    kinds
        Null distributions of the deciding tests.
    tied
        Rows that share a rank.
    """

    family: Family
    own: Alone
    together: Pooled
    statistic: Array
    evidence: Evidence
    error: Array
    other: Array
    kinds: tuple[str, ...]
    tied: int


def tested(data: Exchangeable, family: Family, asked: Asked) -> Tested:
    """Test, adjust and estimate the contrasts of a family."""
    method = asked.adjust
    own = (within.alone if data.repeated else alone.alone)(data, family.matrix, asked)
    scaled = standardised(data) if asked.scale == "dataset" else data
    scores = pooled.scores_of(scaled, data.layout, asked.on)
    together = pooled.pooled(scaled, scores.values, family.matrix, asked)
    if asked.pairs == "pairwise":
        statistic, raw, kinds = own.statistic, own.p, own.kinds
        p = steps.adjusted(method, raw)
        error = steps.grown(own.error, p, raw)
        other = together.single_step[0]
    else:
        statistic, raw, kinds = together.statistic, together.raw[0], (together.kind,)
        p, error = steps.of_pooled(
            method, together, family.pairs, data.n_labels, complete=data.layout.complete
        )
        other = steps.adjusted("holm", own.p)
    shown = family.wanted
    nothing = np.full(len(p), np.nan)[shown]
    not_worse = steps.adjusted(method, own.noninferiority)[shown]
    evidence = Evidence(
        estimate=own.estimate[shown],
        std_error=nothing,
        df=nothing,
        statistic=statistic[shown],
        p_value=np.minimum(p, 1.0)[shown],
        p_raw=raw[shown],
        p_equivalence=steps.adjusted(method, own.equivalence)[shown],
        low=own.low[shown],
        high=own.high[shown],
        p_noninferiority=not_worse if asked.side and asked.margin else None,
    )
    kinds = tuple(dict.fromkeys(kinds))
    return Tested(
        family, own, together, statistic, evidence, error[shown], other, kinds, scores.tied
    )
