"""Diagnostics of permutation tests."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from benchinfer.analyses.permutation.blocks import Exchangeable
from benchinfer.analyses.permutation.options import RANKED, PermutationProcedure
from benchinfer.analyses.permutation.tests import PermutationTests
from benchinfer.comparison import checks as comparison_checks
from benchinfer.comparison import stepwise as comparison_stepwise
from benchinfer.comparison.contrasts import Sides
from benchinfer.comparison.evidence import Setting
from benchinfer.core.hints import Call, Either, Option, Phrase
from benchinfer.core.numbers import count
from benchinfer.core.sections import Check


def blocks(
    setting: Setting, data: Exchangeable, lost: list[str], asked: PermutationProcedure
) -> list[Check]:
    """Say which blocks are not whole or were left out, and which pairs no block holds."""
    layout = data.layout
    there = np.zeros((len(layout.sizes), data.n_labels), np.bool_)
    there[layout.blocks, layout.labels] = True
    partial = int((~there.all(axis=1)).sum())
    rows = [
        Check.of(
            f"blocks ({data.unit}s) left out",
            layout.dropped,
            remedy="they hold scores of one algorithm only, so that no labels can be exchanged",
        ),
        Check.of(
            f"blocks ({data.unit}s) that lack algorithms",
            partial,
            remedy="labels are exchanged among the algorithms that are there, and levels are of an"
            " additive fit of blocks and algorithms; fair only if scores are not missing because"
            " they are bad",
        ),
    ]
    if lost:
        rows.append(
            Check.of(
                "pairs that no block holds",
                len(lost),
                remedy=f"not compared: {'; '.join(lost[:3])}{' ...' if len(lost) > 3 else ''}",
            )
        )
    alone = bool((setting.coverage.found > 1).all())
    rows += comparison_checks.tied(data.ties, setting, alone=alone)
    return [*rows, *_dominated(setting, data, asked)]


def _dominated(setting: Setting, data: Exchangeable, asked: PermutationProcedure) -> list[Check]:
    """Say whether one data set of several has most of the spread that values are summed over."""
    d = len(setting.coverage.datasets)
    if asked.on != "values" or asked.scale != "none" or d < 3:
        return []
    means = np.bincount(data.block, data.values) / np.maximum(np.bincount(data.block), 1)
    squares = np.bincount(data.dataset, (data.values - means[data.block]) ** 2, d)
    share = float(squares.max() / squares.sum()) if squares.sum() > 0 else 0.0
    alike = Phrase(f"{Option('on', 'ranks')} gives each block the same weight")
    if data.target == "datasets":
        alike = Phrase(f"{Option('scale', 'dataset')} tests each data set in units of its own")
    return [
        Check.of(
            "largest share of a data set in the spread",
            share,
            0.5,
            remedy=Phrase(
                f"{setting.coverage.datasets[int(squares.argmax())]} outweighs all others: ", alike
            ),
        )
    ]


def claims(setting: Setting, data: Exchangeable) -> list[Check]:
    """Say how far claims go, and which scores are missing."""
    d, coverage = len(setting.coverage.datasets), setting.coverage
    domain = data.target == "domain"
    domains = len(set(setting.domains))
    rows = [
        comparison_checks.number_of_datasets(setting)
        if domain
        else comparison_checks.replications(setting)
    ]
    if domain:
        rows.append(
            Check.of(
                "domains taken as one",
                domains,
                1.0,
                remedy=f"the table names several domains; {Call('compare_mixed')} compares within"
                " each",
            )
        )
    elif d > 1:
        rows.append(
            Check.of(
                "claims go beyond these data sets",
                0.0,
                1.0,
                least=True,
                remedy="replications count as evidence, so that the claims hold for these data"
                " sets only",
            )
        )
    return [
        *rows,
        Check.of(
            "thin cells",
            len(coverage.thin),
            remedy="some replications are missing in these cells; the rest is used",
        ),
        comparison_checks.tolerance(setting.measure),
    ]


def checks(
    setting: Setting,
    data: Exchangeable,
    found: PermutationTests,
    lost: list[str],
    asked: PermutationProcedure,
    sides: Sides,
) -> tuple[Check, ...]:
    """Return the rows; remedies name the pairs."""
    return (
        _attainable(data, found, asked),
        *blocks(setting, data, lost, asked),
        *_scores(data, found, sides, asked),
        *_decisions(found, sides, asked),
        *_adjustment(asked),
        *comparison_checks.of_table(
            setting,
            rates=not data.outcomes or len(setting.coverage.datasets) == 1,
            ranks=asked.on in RANKED,
        ),
        *claims(setting, data),
    )


def _decisions(found: PermutationTests, sides: Sides, asked: PermutationProcedure) -> list[Check]:
    """Say where other looks at the same scores would decide otherwise."""
    e, shown = found.evidence, found.family.wanted
    decided = e.p_value <= asked.alpha
    apart = np.zeros(len(decided), np.bool_)
    if len(found.other):
        apart = (found.other[shown] <= asked.alpha) != decided
    direction, mean = np.where(decided, e.statistic, 0.0), found.own.mean[shown]
    stepwise = comparison_stepwise.stepwise(asked.adjust, len(found.family.matrix))

    def row(what: str, pairs: NDArray[np.bool_], remedy: str) -> Check:
        n = int(pairs.sum())
        return Check.of(what, n, remedy=Phrase(f"{sides.some(pairs)}: ", remedy))

    return [
        comparison_checks.near_level(
            comparison_checks.within_error(e.p_value, found.error, asked.alpha),
            sides,
            Phrase(f"more of them decide: raise {Option('resamples', '')}"),
        ),
        row(
            "pairwise and pooled tests disagree, pairs",
            apart,
            Phrase(
                "in pooled tests other algorithms have a say in whether two differ;"
                " pairwise tests, which have not, are the ones to trust;"
                f" {Either('post_hoc()', '--details')} has the pooled ones"
            ),
        ),
        comparison_checks.other_sign(
            direction, mean, sides, Phrase(f"{Option('on', 'values')} compares means")
        ),
        comparison_checks.over_equality(e, asked.alpha, sides, stepwise=stepwise),
    ]


def _attainable(data: Exchangeable, found: PermutationTests, asked: PermutationProcedure) -> Check:
    """Say whether any scores in these blocks could reach the level."""
    unit, many = data.unit, len(found.own.smallest)
    if asked.adjust in ("none", *comparison_stepwise.FLIPPED):
        many = 1
    if asked.pairs == "pooled":
        n = found.together.n
        smallest = 1 / (n + 1 if found.together.kind == "monte-carlo" else n)
        more = f"more {unit}s or resamples are needed"
    elif "asymptotic" in found.kinds:
        smallest, more = 0.0, ""
    else:
        # The best of a family has to pass the strictest step.
        smallest = float(found.own.smallest.min()) * many
        need = int(np.ceil(np.log2(many / asked.alpha) + (asked.side == 0) - 1e-9))
        more = f"{need} could"
        if data.repeated or 1 / (asked.resamples + 1) > 0.99 * smallest / many:
            more = "more scores or resamples could"
    smallest = min(smallest, 1.0)
    blocks = count(int((found.own.n - found.own.zeros).max()), unit)
    return Check.of(
        comparison_checks.ATTAINABLE,
        smallest,
        asked.alpha,
        remedy=f"no pair differs on more than {blocks}, and so few decide none,"
        f" whatever the scores: the smallest adjusted p-value that they give is {smallest:.4g};"
        f" {more}",
    )


def _scores(
    data: Exchangeable, found: PermutationTests, sides: Sides, asked: PermutationProcedure
) -> list[Check]:
    """Say what is odd about the scores: ties, differences of zero, skewness."""
    own, tied = found.own, found.tied
    n = len(data.layout.rows)
    bound = -float(ndtri(0.005 / len(own.skewness)))
    skew = np.abs(own.skewness) > bound
    rows = [
        comparison_checks.differences_of_zero(own.zeros, own.n, sides),
        Check.of(
            "asymmetry of differences, in standard errors",
            float(np.abs(own.skewness).max()),
            bound,
            ok=not skew.any(),
            remedy=f"{sides.some(skew)}: sign flips and signed ranks test that differences"
            " are symmetric, and skewness alone can reject: look at the largest differences, and"
            " read such a verdict as one on distributions, not on means",
        ),
    ]
    if asked.on in RANKED:
        rows.insert(
            0,
            Check.of(
                "share of tied scores",
                tied / n,
                0.5,
                ok=tied <= n / 2,
                remedy="most scores share their rank with others: exact and Monte Carlo p-values"
                " hold, with little power",
            ),
        )
    return rows


def _adjustment(asked: PermutationProcedure) -> list[Check]:
    """Say what the adjustment takes for granted."""
    rows: list[Check] = []
    if asked.pairs == "pooled":
        rows.append(
            Check.of(
                "errors over pairs are controlled whichever algorithms differ",
                0.0,
                1.0,
                least=True,
                remedy="pooled scores control them only if all algorithms are alike: read the"
                f" global test, and {Option('pairs', 'pairwise')} for pairs",
            )
        )
    if asked.adjust in comparison_stepwise.CONDITIONS:
        rows.append(
            Check.of(
                "adjustment holds under any dependence",
                0.0,
                1.0,
                least=True,
                remedy=f"it needs {comparison_stepwise.CONDITIONS[asked.adjust]} of the p-values,"
                f" which is not established for tests of pairs: {Option('adjust', 'holm')}"
                " needs nothing",
            )
        )
    return rows
