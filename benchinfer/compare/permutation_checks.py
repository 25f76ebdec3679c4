"""What a reader of permutation tests must beware of, as rows of the diagnostics."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from benchinfer.compare import block_checks, cautions, steps
from benchinfer.compare.asked import Asked
from benchinfer.compare.cautions import Sides
from benchinfer.compare.evidence import Check, Setting
from benchinfer.compare.exchangeable import Exchangeable
from benchinfer.compare.phrases import count, some
from benchinfer.compare.tested import Tested

# Adjusted p-values so many standard errors from the level are not certain to be on one side of it.
_NEAR = 3.0


def checks(
    setting: Setting, data: Exchangeable, found: Tested, lost: list[str], asked: Asked
) -> tuple[Check, ...]:
    """Return the rows; names of pairs stand in the remedies."""
    sides = found.family.named_sides(setting.algorithms)
    return (
        _attainable(data, found, asked),
        *block_checks.blocks(setting, data, lost, asked),
        *_scores(data, found, sides, asked),
        *_decisions(found, sides, asked),
        *_adjustment(asked),
        *cautions.left_out(setting),
        *block_checks.claims(setting, data),
    )


def _decisions(found: Tested, sides: Sides, asked: Asked) -> list[Check]:
    """Say where other looks at the same scores would decide otherwise."""
    e, shown = found.evidence, found.family.wanted
    decided = e.p_value <= asked.alpha
    apart = np.zeros(len(decided), np.bool_)
    if len(found.other):
        apart = (found.other[shown] <= asked.alpha) != decided
    direction, mean = np.where(decided, e.statistic, 0.0), found.own.mean[shown]
    stepwise = steps.stepwise(asked.adjust, len(found.family.matrix))
    near = (found.error > 0) & (np.abs(e.p_value - asked.alpha) <= _NEAR * found.error)

    def row(what: str, pairs: NDArray[np.bool_], remedy: str) -> Check:
        n = int(pairs.sum())
        return Check.of(what, n, 0.0, ok=not n, remedy=f"{some(sides, pairs)}: {remedy}")

    return [
        row(
            "Monte Carlo error near the level, pairs",
            near,
            "more resamples could decide otherwise; raise resamples=",
        ),
        row(
            "pairwise and pooled tests disagree, pairs",
            apart,
            "in pooled tests other algorithms have a say in whether two differ; pairwise tests,"
            " which have not, are the ones to trust; post_hoc() has the pooled ones",
        ),
        cautions.other_sign(direction, mean, sides, 'on="values" compares means'),
        cautions.over_equality(e, asked.alpha, sides, stepwise=stepwise),
    ]


def _attainable(data: Exchangeable, found: Tested, asked: Asked) -> Check:
    """Say whether any scores in these blocks could reach the level."""
    unit, many = data.unit, 1 if asked.adjust == "none" else len(found.own.smallest)
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
        more = f"{need} {unit}s that tell them apart could"
        if data.repeated or 1 / (asked.resamples + 1) > 0.99 * smallest / many:
            more = "more scores or resamples could"
    smallest = min(smallest, 1.0)
    blocks = count(int((found.own.n - found.own.zeros).max()), unit)
    return Check.of(
        "smallest attainable adjusted p-value",
        smallest,
        asked.alpha,
        ok=smallest <= asked.alpha,
        remedy=f"no scores that tell a pair apart on {blocks}, as these do at most, could decide"
        f" it: the smallest adjusted p-value that they can give is {smallest:.4g}; {more}",
    )


def _scores(data: Exchangeable, found: Tested, sides: Sides, asked: Asked) -> list[Check]:
    """Say what is odd about the scores: ties, differences of zero, skewness."""
    own, tied = found.own, found.tied
    n = len(data.layout.rows)
    bound = -float(ndtri(0.005 / len(own.skewness)))
    skew = np.abs(own.skewness) > bound
    rows = [
        cautions.differences_of_zero(own.zeros, own.n, sides),
        Check.of(
            "asymmetry of differences, in standard errors",
            float(np.abs(own.skewness).max()),
            bound,
            ok=not skew.any(),
            remedy=f"{some(sides, skew)}: sign flips and signed ranks test that differences are"
            " symmetric, and skewness alone can reject; compare_mixed compares means",
        ),
    ]
    if asked.on in ("ranks", "aligned-ranks", "normal-scores"):
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


def _adjustment(asked: Asked) -> list[Check]:
    """Say what the adjustment takes for granted."""
    rows: list[Check] = []
    weak = {
        "pooled scores control them only if all algorithms are alike: read the global test, and"
        ' pairs="pairwise" for pairs': asked.pairs == "pooled",
        f'adjust="{asked.adjust}" controls them only if no pair differs: adjust="holm" does'
        " always": asked.adjust in steps.WEAK,
    }
    if any(weak.values()):
        rows.append(
            Check.of(
                "errors over pairs are controlled whichever algorithms differ",
                0.0,
                1.0,
                least=True,
                ok=False,
                remedy="; ".join(words for words, named in weak.items() if named),
            )
        )
    if asked.adjust in steps.CONDITIONS:
        rows.append(
            Check.of(
                "adjustment holds under any dependence",
                0.0,
                1.0,
                least=True,
                ok=False,
                remedy=f"it needs {steps.CONDITIONS[asked.adjust]} of the p-values, which is not"
                ' established for tests of pairs: adjust="holm" needs nothing',
            )
        )
    return rows
