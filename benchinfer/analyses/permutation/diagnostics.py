"""Diagnostics of permutation tests."""

import numpy as np
from scipy.special import ndtri

from benchinfer.analyses.permutation.blocks import Exchangeable
from benchinfer.analyses.permutation.comparison import PermutationComparison
from benchinfer.analyses.permutation.options import RANKED
from benchinfer.analyses.permutation.tests import PermutationTests
from benchinfer.comparison.adjustment import ADJUSTMENTS, adjusted, level_spent, needs, stepwise
from benchinfer.comparison.checks import decisions, tables
from benchinfer.comparison.contrasts import Oriented, some_of
from benchinfer.core.hints import literal
from benchinfer.core.numbers import count, percent, subject
from benchinfer.core.sections import Check
from benchinfer.numerics.multiplicity import FALSE_DISCOVERY, level_share


def checks(
    result: PermutationComparison, data: Exchangeable, tests: PermutationTests, lost: list[str]
) -> tuple[Check, ...]:
    """Return the diagnostics of a comparison; no block holds the `lost` contrasts."""
    pairs = result.pairs.oriented(tests.family.named_sides(result.algorithms))
    return (
        _attainable(result, data, tests),
        *_of_blocks(result, data, lost),
        *_of_scores(result, data, tests, pairs),
        *_of_decisions(result, tests, pairs),
        *_of_adjustment(result),
        *tables.of_table(
            result.setting,
            rates=not data.outcomes,
            ranks=result.on in RANKED,
        ),
        *_of_claims(result),
    )


def _attainable(
    result: PermutationComparison, data: Exchangeable, tests: PermutationTests
) -> Check:
    """Return the check that the smallest attainable p-value, adjusted, is at most the level."""
    pairwise, alpha, unit = tests.pairwise, result._alpha, data.unit
    flips = needs(result.adjusted, "flips")
    many, n = 1.0, len(pairwise.smallest)
    if flips:
        # A pair alone is the hypothesis with the least share of the level.
        many = 1 / level_share(1.0, n, _spent(result, n))
    elif result.adjusted != "none":
        many = float(n)
    if not result.pairwise:
        drawn = tests.pooled.n
        smallest = 1 / (drawn + 1 if tests.pooled.kind == "monte-carlo" else drawn)
        more = f"more {unit}s or resamples"
    elif "asymptotic" in tests.kinds:
        smallest, more = 0.0, ""
    else:
        # The best of a family has to pass the strictest step.
        smallest = float(pairwise.smallest.min()) * many
        if result.adjusted in FALSE_DISCOVERY:
            # The last of a family has to pass the mildest step, and all others go with it.
            smallest, many = float(adjusted(result.adjusted, pairwise.smallest).min()), 1.0
        two_sided = result.alternative == "two-sided"
        least = int(np.ceil(np.log2(many / alpha) + two_sided - 1e-9))
        more = count(least, unit)
        if data.repeated or 1 / (result.options.resamples + 1) > 0.99 * smallest / many:
            more = "more scores or resamples"
    smallest = min(smallest, 1.0)
    blocks = count(int((pairwise.n - pairwise.zeros).max()), unit)
    return Check.of(
        decisions.ATTAINABLE,
        smallest,
        alpha,
        concerns="verdict",
        sentence="No pair can be decided, whatever the scores: none differs on more than"
        f" {blocks}, and the smallest adjusted p-value that these can give is {smallest:.4g}.",
        remedy=f"It takes {more} to decide one.",
    )


def _spent(result: PermutationComparison, n: int) -> float:
    """Return the share of the level that intervals take from the tests."""
    return level_spent(result.adjusted, n, result.options.procedure(0.0).statement)


def _of_blocks(result: PermutationComparison, data: Exchangeable, lost: list[str]) -> list[Check]:
    """Return the checks of incomplete blocks, pairs in no block, ties and dominant data sets."""
    layout = data.layout
    present = np.zeros((len(layout.sizes), data.n_labels), np.bool_)
    present[layout.blocks, layout.labels] = True
    lacking = ~present.all(axis=1)
    rows = [
        Check.of(
            f"blocks ({data.unit}s) left out",
            layout.dropped,
            sentence=f"{subject(layout.dropped, data.unit, 'is', which='with one algorithm only')}"
            " left out.",
            remedy="Labels are exchanged within a block, which takes two algorithms.",
        ),
        Check.of(
            f"blocks ({data.unit}s) that lack algorithms",
            int(lacking.sum()),
            sentence=f"{subject(int(lacking.sum()), data.unit, 'lacks', of=len(present))} some of"
            " the algorithms.",
            remedy="Labels are exchanged among those that are there, and levels are of an"
            " additive fit of blocks and algorithms, which is fair only if scores are not missing"
            " because they are bad.",
        ),
    ]
    if lost:
        named = f"{'; '.join(lost[:3])}{' ...' if len(lost) > 3 else ''}"
        rows.append(
            Check.of(
                "pairs that no block holds",
                len(lost),
                sentence=f"{subject(len(lost), 'pair', 'is')} not compared, as no {data.unit} holds"
                f" both algorithms ({named}).",
                remedy=f"To compare them, run both on the same {data.unit}s.",
            )
        )
    rows += tables.tied(data.ties)
    return [*rows, *_dominating_dataset(result, data)]


def _dominating_dataset(result: PermutationComparison, data: Exchangeable) -> list[Check]:
    """Return the check that no data set has most of the sum of squares within blocks."""
    datasets = result.setting.coverage.datasets
    d = len(datasets)
    if result.on != "values" or result.options.scale != "none" or d < 3:
        return []
    means = np.bincount(data.block, data.values) / np.maximum(np.bincount(data.block), 1)
    squares = np.bincount(data.dataset, (data.values - means[data.block]) ** 2, d)
    advice = 'To give each block the same weight, use on="ranks"'
    if data.target == "datasets":
        advice = 'To test each data set in units of its own, use scale="dataset"'
    share = float(squares.max() / squares.sum()) if squares.sum() > 0 else 0.0
    return [
        Check.of(
            "largest share of a data set in the spread",
            share,
            0.5,
            concerns="verdict",
            sentence=f"{datasets[int(squares.argmax())]} has {percent(share)} of the spread of all"
            " data sets, and outweighs the others.",
            remedy=f"{advice}.",
        )
    ]


def _of_scores(
    result: PermutationComparison, data: Exchangeable, tests: PermutationTests, pairs: Oriented
) -> list[Check]:
    """Return the checks of ties, differences of zero and skewness."""
    pairwise, n = tests.pairwise, len(data.layout.rows)
    bound = -float(ndtri(0.005 / len(pairwise.skewness)))
    skew = np.abs(pairwise.skewness) > bound
    ties = Check.of(
        "share of tied scores",
        tests.tied / n,
        0.5,
        ok=tests.tied <= n / 2,
        sentence=f"{percent(tests.tied / n)} of the scores share their rank with others, which"
        " leaves little power.",
        remedy="Exact and Monte Carlo p-values hold all the same.",
    )
    return [
        *([ties] if result.on in RANKED else []),
        decisions.differences_of_zero(pairwise.zeros, pairwise.n, pairs),
        Check.of(
            "asymmetry of differences, in standard errors",
            float(np.abs(pairwise.skewness).max()),
            bound,
            ok=not skew.any(),
            concerns="verdict",
            sentence=f"The differences of {count(int(skew.sum()), 'pair')} are skewed, and skewness"
            f" alone can make these tests reject ({some_of(pairs, skew)}).",
            remedy="Sign flips and signed ranks test whether differences are symmetric: look at"
            " the largest ones, and read such a verdict as one on distributions, not on means.",
        ),
    ]


def _of_decisions(
    result: PermutationComparison, tests: PermutationTests, pairs: Oriented
) -> list[Check]:
    """Return the checks of pairs near the level, or on which tests, means or intervals disagree."""
    evidence, alpha, shown = result.evidence, result._alpha, tests.family.wanted
    decided = evidence.p_value <= alpha
    rows = [
        decisions.near_level(
            decisions.within_error(evidence.p_value, result.p_error, alpha),
            pairs,
            "More resamples decide: raise resamples=.",
        )
    ]
    if not result.pairwise:
        disagreeing = (tests.other[shown] <= alpha) != decided
        rows.append(
            Check.of(
                "pairwise and pooled tests disagree, pairs",
                int(disagreeing.sum()),
                concerns="verdict",
                sentence=f"Tests on their own scores decide {count(int(disagreeing.sum()), 'pair')}"
                f" otherwise ({some_of(pairs, disagreeing)}).",
                remedy="Pooled tests of two algorithms depend on the scores of the others;"
                ' pairs="pairwise" leaves these out.',
            )
        )
    return [
        *rows,
        decisions.other_sign(
            np.where(decided, evidence.statistic, 0.0),
            tests.pairwise.mean[shown],
            pairs,
            'on="values"',
        ),
        decisions.over_equality(
            evidence,
            alpha,
            pairs,
            in_steps=stepwise(result.adjusted, len(tests.family.matrix)),
        ),
    ]


def _of_adjustment(result: PermutationComparison) -> list[Check]:
    """Return the checks of the assumptions of the adjustment."""
    rows: list[Check] = []
    if not result.pairwise:
        rows.append(
            Check.of(
                "errors over pairs are controlled whichever algorithms differ",
                0.0,
                1.0,
                least=True,
                concerns="verdict",
                sentence="Pooled tests of pairs keep the level only if all algorithms are alike.",
                remedy='Read the global test, and for pairs use pairs="pairwise".',
            )
        )
    if condition := ADJUSTMENTS[result.adjusted].condition:
        other = "by" if result.adjusted == "bh" else "holm"
        rows.append(
            Check.of(
                "adjustment holds under any dependence",
                0.0,
                1.0,
                least=True,
                concerns="verdict",
                sentence=f"The adjustment needs {condition} of the p-values, which is not"
                " established for tests of pairs.",
                remedy=f"To need no such condition, use adjust={literal(other)}.",
            )
        )
    return rows


def _of_claims(result: PermutationComparison) -> list[Check]:
    """Return the checks of the population of the claims, missing scores and the tolerance."""
    setting, domain = result.setting, result.target == "domain"
    domains = len(set(setting.domains))
    rows: list[Check] = []
    if domain:
        rows = [
            tables.number_of_datasets(setting),
            Check.of(
                "domains taken as one",
                domains,
                1.0,
                sentence=f"The {domains} domains of the data sets are taken as one.",
                remedy="To compare within each, use compare_mixed.",
            ),
        ]
    else:
        rows = [tables.replications(setting)]
        if len(setting.coverage.datasets) > 1:
            rows.append(tables.beyond(result.target))
    return [
        *rows,
        tables.thin_cells(setting, "the test"),
        tables.tolerance(setting.measure),
    ]
