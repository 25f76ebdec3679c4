"""What a reader of permutation tests must beware of, as rows of the diagnostics."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from benchinfer.compare import cautions, steps
from benchinfer.compare.asked import Asked
from benchinfer.compare.contrasts import NO_ALGORITHM, Family
from benchinfer.compare.evidence import Check, Setting
from benchinfer.compare.exchangeable import Exchangeable
from benchinfer.compare.tested import Tested
from benchinfer.errors import DesignError, message

type Named = Callable[[NDArray[np.bool_]], str]

# Adjusted p-values so many standard errors from the level are not certain to be on one side of it.
_NEAR = 3.0


def borne_out(
    setting: Setting, data: Exchangeable, family: Family, asked: Asked
) -> tuple[Family, list[str]]:
    """Leave out the contrasts whose algorithms no block brings together, and name them.

    Raises
    ------
    DesignError
        No contrast is left, or averages of algorithms are to be tested pairwise.
    """
    pair = (family.pairs != NO_ALGORITHM).all(axis=1)
    if asked.pairs == "pairwise" and not pair.all():
        raise DesignError(
            message(
                "averages of algorithms have no pair of scores to exchange.",
                hint='pairs="pooled" tests them by exchanging the labels of all algorithms.',
            )
        )
    there = np.zeros((int(data.block.max()) + 1, data.n_labels))
    there[data.block, data.label] = 1.0
    involved = (family.matrix != 0).astype(np.float64)
    keep = (there @ involved.T >= involved.sum(axis=1)).any(axis=0)
    names = setting.algorithms
    sides = list(family.sides) or [(names[i], names[j]) for i, j in family.pairs]
    lost = [" and ".join(side) for side, one in zip(sides, keep, strict=True) if not one]
    if not keep[family.wanted].any():
        raise DesignError(
            message(
                f"no {data.unit} holds the algorithms of any contrast together.",
                hint="permutation tests move labels within blocks; compare_mixed can compare"
                " across them.",
            )
        )
    kept = np.flatnonzero(keep)
    return replace(
        family,
        pairs=family.pairs[keep],
        matrix=family.matrix[keep],
        sides=tuple(family.sides[i] for i in kept) if family.sides else (),
        names=tuple(family.names[i] for i in kept) if family.names else (),
        shown=family.shown if family.shown < 0 else int(keep[: family.shown].sum()),
    ), lost


def checks(
    setting: Setting, data: Exchangeable, found: Tested, lost: list[str], asked: Asked
) -> tuple[Check, ...]:
    """Return the rows; names of pairs stand in the remedies."""
    names = setting.algorithms
    family = found.family
    sides = list(family.sides) or [(names[i], names[j]) for i, j in family.pairs]

    def named(chosen: NDArray[np.bool_]) -> str:
        pairs = [" and ".join(pair) for pair, one in zip(sides, chosen, strict=False) if one]
        return "; ".join(pairs[:3]) + (" ..." if len(pairs) > 3 else "")

    return (
        _attainable(data, found, asked),
        *_blocks(setting, data, lost, asked),
        *_scores(data, found, named, asked),
        *_decisions(found, named, asked),
        *_adjustment(asked),
        *cautions.left_out(setting),
        *_claims(setting, data),
    )


def _decisions(found: Tested, named: Named, asked: Asked) -> list[Check]:
    """Say where other looks at the same scores would decide otherwise."""
    e, shown = found.evidence, found.family.wanted
    decided = e.p_value <= asked.alpha
    apart = np.zeros(len(decided), np.bool_)
    if len(found.other):
        apart = (found.other[shown] <= asked.alpha) != decided
    turned = decided & (np.sign(found.own.mean) * np.sign(found.statistic) < 0)[shown]
    over = decided & (e.low < 0) & (e.high > 0)
    near = (found.error > 0) & (np.abs(e.p_value - asked.alpha) <= _NEAR * found.error)

    def row(what: str, pairs: NDArray[np.bool_], remedy: str) -> Check:
        n = int(pairs.sum())
        return Check.of(what, n, 0.0, ok=not n, remedy=f"{named(pairs)}: {remedy}")

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
        row(
            "mean difference of the other sign, decided pairs",
            turned,
            "ranks favour one and means the other: a few large differences outweigh many small"
            ' ones; on="values" compares means',
        ),
        row(
            "decided pairs whose interval includes equality",
            over,
            "the test decides where the interval, which is wider or of another statistic, does not",
        ),
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
    return Check.of(
        "smallest attainable adjusted p-value",
        smallest,
        asked.alpha,
        ok=smallest <= asked.alpha,
        remedy=f"no scores on {int(found.own.n.max())} {unit}s could decide a pair: the smallest"
        f" adjusted p-value that they can give is {smallest:.4g}; {more}",
    )


def _blocks(setting: Setting, data: Exchangeable, lost: list[str], asked: Asked) -> list[Check]:
    """Say which blocks are not whole or were left out, and which pairs no block holds."""
    layout = data.layout
    distinct = np.unique(np.column_stack([layout.blocks, layout.labels]), axis=0)
    present = np.bincount(distinct[:, 0], minlength=len(layout.sizes))
    partial = int((present < data.n_labels).sum())
    rows = [
        Check.of(
            f"blocks ({data.unit}s) left out",
            layout.dropped,
            0.0,
            ok=layout.dropped == 0,
            remedy="they hold scores of one algorithm only, so that no labels can be exchanged",
        ),
        Check.of(
            f"blocks ({data.unit}s) that lack algorithms",
            partial,
            0.0,
            ok=partial == 0,
            remedy="labels are exchanged among the algorithms that are there; fair only if scores"
            " are not missing because they are bad",
        ),
    ]
    if lost:
        rows.append(
            Check.of(
                "pairs that no block holds",
                len(lost),
                0.0,
                ok=False,
                remedy=f"not compared: {'; '.join(lost[:3])}{' ...' if len(lost) > 3 else ''}",
            )
        )
    return [*rows, *_dominated(setting, data, asked)]


def _dominated(setting: Setting, data: Exchangeable, asked: Asked) -> list[Check]:
    """Say whether one data set of several has most of the spread that values are summed over."""
    d = len(setting.coverage.datasets)
    if asked.on != "values" or d < 3:
        return []
    means = np.bincount(data.block, data.values) / np.maximum(np.bincount(data.block), 1)
    squares = np.bincount(data.dataset, (data.values - means[data.block]) ** 2, d)
    share = float(squares.max() / squares.sum()) if squares.sum() > 0 else 0.0
    return [
        Check.of(
            "largest share of a data set in the spread",
            share,
            0.5,
            ok=share <= 0.5,
            remedy=f"{setting.coverage.datasets[int(squares.argmax())]} outweighs all others:"
            ' on="ranks" gives each block the same weight',
        )
    ]


def _scores(data: Exchangeable, found: Tested, named: Named, asked: Asked) -> list[Check]:
    """Say what is odd about the scores: ties, differences of zero, skewness."""
    own, tied = found.own, found.tied
    n = len(data.layout.rows)
    nothing = own.zeros / np.maximum(own.n, 1)
    bound = -float(ndtri(0.005 / len(own.skewness)))
    skew = np.abs(own.skewness) > bound
    rows = [
        Check.of(
            "share of differences that are zero, largest",
            float(nothing.max()),
            0.5,
            ok=float(nothing.max()) <= 0.5,
            remedy=f"{named(nothing > 0.5)}: most differences say nothing and are left out of the"
            " test; the verdict rests on the others",
        ),
        Check.of(
            "asymmetry of differences, in standard errors",
            float(np.abs(own.skewness).max()),
            bound,
            ok=not skew.any(),
            remedy=f"{named(skew)}: sign flips and signed ranks test that differences are"
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
    if asked.pairs == "pooled":
        rows.append(
            Check.of(
                "errors over pairs are controlled whichever algorithms differ",
                0.0,
                1.0,
                ok=False,
                remedy="pooled scores control them only if all algorithms are alike: read the"
                ' global test, and pairs="pairwise" for pairs',
            )
        )
    if asked.adjust in steps.CONDITIONS:
        rows.append(
            Check.of(
                "adjustment holds under any dependence",
                0.0,
                1.0,
                ok=False,
                remedy=f"it needs {steps.CONDITIONS[asked.adjust]} of the p-values, which is not"
                ' established for tests of pairs: adjust="holm" needs nothing',
            )
        )
    return rows


def _claims(setting: Setting, data: Exchangeable) -> list[Check]:
    """Say how far claims go, and which scores are missing."""
    d, coverage = len(setting.coverage.datasets), setting.coverage
    domain = data.target == "domain"
    domains = len(set(setting.domains))
    rows = [cautions.number_of_datasets(setting) if domain else cautions.replications(setting)]
    if domain:
        rows.append(
            Check.of(
                "domains taken as one",
                domains,
                1.0,
                ok=domains <= 1,
                remedy="the table names several domains; compare_mixed compares within each",
            )
        )
    elif d > 1:
        rows.append(
            Check.of(
                "claims go beyond these data sets",
                0.0,
                1.0,
                ok=False,
                remedy="replications count as evidence, so that the claims hold for these data"
                " sets only",
            )
        )
    return [
        *rows,
        Check.of(
            "thin cells",
            len(coverage.thin),
            0.0,
            ok=not coverage.thin,
            remedy="some replications are missing in these cells; the rest is used",
        ),
        cautions.tolerance(setting),
    ]
