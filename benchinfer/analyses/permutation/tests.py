"""Permutation tests of a family of contrasts."""

from dataclasses import dataclass, replace

import numpy as np

from benchinfer.analyses.permutation import adjustment, pairs, pooled, rates
from benchinfer.analyses.permutation.blocks import Exchangeable, standardised
from benchinfer.analyses.permutation.options import PermutationProcedure
from benchinfer.analyses.permutation.pairs import Alone
from benchinfer.analyses.permutation.pooled import PooledTests
from benchinfer.comparison import stepwise
from benchinfer.comparison.contrasts import NO_ALGORITHM, ContrastFamily
from benchinfer.comparison.evidence import Array, Evidence, Setting
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.hints import Call, Option
from benchinfer.core.numbers import count
from benchinfer.numerics import rotations


def borne_out(
    setting: Setting, data: Exchangeable, family: ContrastFamily, asked: PermutationProcedure
) -> tuple[ContrastFamily, list[str]]:
    """Leave out the contrasts whose algorithms no block brings together, and name them."""
    pair = (family.pairs != NO_ALGORITHM).all(axis=1)
    if asked.pairs == "pairwise" and not pair.all():
        raise ArgumentError(
            "averages of algorithms have no pair of scores to exchange.",
            hint=f"{Option('pairs', 'pooled')} tests them by exchanging the labels of all"
            " algorithms.",
        )
    there = np.zeros((int(data.block.max()) + 1, data.n_labels))
    there[data.block, data.label] = 1.0
    involved = (family.matrix != 0).astype(np.float64)
    keep = (there @ involved.T >= involved.sum(axis=1)).any(axis=0)
    sides = family.named_sides(setting.algorithms)
    lost = [" and ".join(side) for side, one in zip(sides, keep, strict=True) if not one]
    if not keep[family.wanted].any():
        raise DesignError(
            f"no {data.unit} holds the algorithms of any contrast together.",
            hint=f"permutation tests move labels within blocks; {Call('compare_mixed')} can"
            " compare across them.",
        )
    kept = np.flatnonzero(keep)
    many = count(len(kept), "contrast")
    return replace(
        family,
        words=f"the {many} that blocks bear out of {family.words}" if lost else family.words,
        pairs=family.pairs[keep],
        matrix=family.matrix[keep],
        sides=tuple(family.sides[i] for i in kept) if family.sides else (),
        names=tuple(family.names[i] for i in kept) if family.names else (),
        shown=family.shown if family.shown < 0 else int(keep[: family.shown].sum()),
    ), lost


@dataclass(frozen=True, slots=True)
class PermutationTests:
    """Tests of a family of P contrasts; the chosen contrasts become evidence.

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

    family: ContrastFamily
    own: Alone
    together: PooledTests
    statistic: Array
    evidence: Evidence
    error: Array
    other: Array
    kinds: tuple[str, ...]
    tied: int


def tested(
    data: Exchangeable, family: ContrastFamily, asked: PermutationProcedure
) -> PermutationTests:
    """Test, adjust and estimate the contrasts of a family."""
    method = asked.adjust
    own = (pairs.unpaired_tests if data.repeated else pairs.paired_tests)(
        data, family.matrix, asked
    )
    if data.outcomes and asked.on != "dispersion":
        own = rates.of_rates(own, data, family.matrix, asked)
    scaled = standardised(data) if asked.scale == "dataset" else data
    scores = pooled.scores_of(scaled, data.layout, asked.on)
    together = pooled.pooled(scaled, scores.values, family.matrix, asked)
    if asked.pairs == "pairwise":
        statistic, raw, kinds = own.statistic, own.p, own.kinds
        p, error = adjustment.of_pairwise(asked, own, family.pairs, data.n_labels)
        drawn = method in stepwise.FLIPPED and not rotations.all_flips(len(data.layout.sizes))
        kinds = (*kinds, "monte-carlo") if drawn else kinds
        other = together.single_step[0]
    else:
        statistic, raw, kinds = together.statistic, together.raw[0], (together.kind,)
        p, error = adjustment.of_pooled(
            method, together, family.pairs, data.n_labels, complete=data.layout.complete
        )
        other = stepwise.adjusted("holm", own.p)
    shown = family.wanted
    nothing = np.full(len(p), np.nan)[shown]
    not_worse = stepwise.adjusted(method, own.noninferiority)[shown]
    evidence = Evidence(
        estimate=own.estimate[shown],
        std_error=nothing,
        df=nothing,
        statistic=statistic[shown],
        p_value=np.minimum(p, 1.0)[shown],
        p_raw=raw[shown],
        p_equivalence=stepwise.adjusted(method, own.equivalence)[shown],
        low=own.low[shown],
        high=own.high[shown],
        p_noninferiority=not_worse if asked.side and asked.margin else None,
    )
    kinds = tuple(dict.fromkeys(kinds))
    return PermutationTests(
        family, own, together, statistic, evidence, error[shown], other, kinds, scores.tied
    )
