"""Permutation tests of a family of contrasts."""

from dataclasses import dataclass, replace

import numpy as np

from benchinfer.analyses.permutation import adjustment
from benchinfer.analyses.permutation.blocks import Exchangeable, standardised
from benchinfer.analyses.permutation.options import PermutationProcedure
from benchinfer.analyses.permutation.pairs import (
    PairTests,
    intervals,
    of_one_side,
    of_rates,
    paired_tests,
    unpaired_tests,
)
from benchinfer.analyses.permutation.pooled import PooledTests, pooled_tests, scores_of
from benchinfer.comparison.adjustment import adjusted
from benchinfer.comparison.contrasts import NO_ALGORITHM, ContrastFamily
from benchinfer.comparison.evidence import (
    Evidence,
    Setting,
    decide,
    in_agreement,
    tail_of_step,
    with_equivalence,
)
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.numerics.types import Array, States


def contrasts_in_blocks(
    setting: Setting, data: Exchangeable, family: ContrastFamily, procedure: PermutationProcedure
) -> tuple[ContrastFamily, list[str]]:
    """Return the contrasts whose algorithms share a block, and the names of the others."""
    pair = (family.pairs != NO_ALGORITHM).all(axis=1)
    if procedure.pairs == "pairwise" and not pair.all():
        raise ArgumentError(
            "averages of algorithms have no pair of scores to exchange.",
            hint='pairs="pooled" tests them by exchanging the labels of all algorithms.',
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
            hint="permutation tests move labels within blocks; compare_mixed can compare across"
            " them.",
        )
    retained = np.flatnonzero(keep)
    many = count(len(retained), "contrast")
    return replace(
        family,
        words=f"the {many} that blocks bear out of {family.words}" if lost else family.words,
        pairs=family.pairs[keep],
        matrix=family.matrix[keep],
        sides=tuple(family.sides[i] for i in retained) if family.sides else (),
        names=tuple(family.names[i] for i in retained) if family.names else (),
        shown=family.shown if family.shown < 0 else int(keep[: family.shown].sum()),
    ), lost


@dataclass(frozen=True, slots=True)
class PermutationTests:
    """Tests of a family of P contrasts; the chosen contrasts become evidence."""

    family: ContrastFamily
    pairwise: PairTests  # each pair on its own scores
    pooled: PooledTests  # the same pairs on scores that all algorithms share, and the global test
    # evidence, error: of the wanted contrasts, and the error of the evaluation of their adjusted
    # p-values
    evidence: Evidence
    error: Array
    other: Array  # (P,) Holm's p-values of pairwise tests where pooled ones decide; else empty
    kinds: tuple[str, ...]  # null distribution of the test of each wanted contrast
    tied: int  # rows that share a rank


def tested(
    data: Exchangeable, family: ContrastFamily, procedure: PermutationProcedure
) -> PermutationTests:
    """Test, adjust and estimate the contrasts of a family."""
    adjust = procedure.adjust
    pairwise = _alone(data, family, procedure)
    scaled = standardised(data) if procedure.scale == "dataset" else data
    scores = scores_of(scaled, data.layout, procedure.on)
    pooled = pooled_tests(scaled, scores.values, family.matrix, procedure)
    if procedure.pairs == "pairwise":
        statistic, raw, kinds = pairwise.statistic, pairwise.p, pairwise.kinds
        p, error = adjustment.adjusted_pairwise(procedure, pairwise, family.pairs, data.n_labels)
        other = np.empty(0)
    else:
        statistic, raw, kinds = pooled.statistic, pooled.raw[0], (pooled.kind,) * len(family.pairs)
        p, error = adjustment.adjusted_pooled(
            adjust, pooled, family.pairs, data.n_labels, complete=data.layout.complete
        )
        other = adjusted("holm", pairwise.p)
    low, high = pairwise.low, pairwise.high
    if procedure.agreeing(len(p)):
        low, high = in_agreement(low, high, statistic, p <= procedure.alpha)
    shown = family.wanted
    none = np.full(len(p), np.nan)[shown]
    not_worse = adjusted(adjust, pairwise.noninferiority)[shown]
    equivalence = adjusted(adjust, pairwise.equivalence)
    evidence = Evidence(
        estimate=pairwise.estimate[shown],
        std_error=none,
        df=none,
        statistic=statistic[shown],
        p_value=np.minimum(p, 1.0)[shown],
        p_raw=raw[shown],
        p_equivalence=equivalence[shown],
        low=low[shown],
        high=high[shown],
        p_noninferiority=not_worse if procedure.side and procedure.margin else None,
    )
    evidence = with_equivalence(
        evidence,
        tail_of_step(pairwise.equivalence, equivalence, procedure.alpha)[shown],
        procedure.alpha,
        procedure.margin,
        lambda pairs, tails: intervals(data, family.matrix[shown][pairs], procedure, tails),
    )
    return PermutationTests(
        family, pairwise, pooled, evidence, error[shown], other, kinds[shown], scores.tied
    )


def verdict_codes(
    data: Exchangeable, family: ContrastFamily, procedure: PermutationProcedure
) -> States:
    """Return the verdicts of a family of pairs, each tested on its own scores."""
    tests = _alone(data, family, procedure)
    p, _ = adjustment.adjusted_pairwise(procedure, tests, family.pairs, data.n_labels)
    equivalence = adjusted(procedure.adjust, tests.equivalence)
    return decide(tests.statistic, np.minimum(p, 1.0), equivalence, procedure.alpha)


def _alone(
    data: Exchangeable, family: ContrastFamily, procedure: PermutationProcedure
) -> PairTests:
    """Test each contrast on the scores of its own algorithms."""
    test_pairs = unpaired_tests if data.repeated else paired_tests
    tests = test_pairs(data, family.matrix, procedure)
    if data.outcomes and procedure.on != "dispersion":
        tests = of_rates(tests, data, family.matrix, procedure)
    return of_one_side(tests) if procedure.of_estimates else tests
