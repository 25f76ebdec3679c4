"""Sizes of permutation and rank tests by simulation: `make calibrate`, about ten minutes.

The package's own numerics, called for many tables at once; the first table of each cell goes the
whole way of `compare_permutation` for comparison.
"""

from itertools import product
from math import factorial

import numpy as np
import pytest
from scipy.stats import norm

import benchinfer as bi
from benchinfer.analyses.permutation import overall, pooled
from benchinfer.analyses.permutation.numerics import arrangements, blocks, friedman, nulls
from benchinfer.analyses.permutation.numerics.arrangements import monte_carlo
from benchinfer.analyses.permutation.numerics.blocks import center
from benchinfer.numerics import signs
from tests.analyses.mixed.test_compare import table
from tests.calibration import stacks
from tests.calibration.stacks import ALPHA, NOISES, Cell, between
from tests.calibration.tables import limit, report

# Tables of a cell: classical tests, and permutation tests of all algorithms.
TABLES, TABLES_PERMUTED = 4000, 1500
RESAMPLES, MOST_EXACT = 199, 5000
SCORES = ("values", "ranks", "aligned-ranks", "normal-scores")

PAGE = "Page's trend (standardised)"
# Sizes of tests by their limits, and where algorithms are not exchangeable: as measured.
MEASURED = {
    "Friedman (corrected for ties)": (0.03, 0.06),
    "Iman-Davenport (corrected for ties)": (0.03, 0.065),
    "Quade": (0.04, 0.065),
    "aligned ranks (Hodges-Lehmann)": (0.03, 0.06),
    "two-way analysis of variance": (0.04, 0.055),
    PAGE: (0.015, 0.075),
    "Friedman (no correction)": (0.01, 0.03),
    "Iman-Davenport (no correction)": (0.015, 0.03),
}
UNEQUAL = {"exact": 0.16, "two-way analysis of variance": 0.145}
ONE_SKEWED = 0.08

GLOBAL = [Cell(*of) for of in product(NOISES, (6, 12, 30), (2, 3, 4, 8))]


# --- all algorithms together -----------------------------------------------------------------


def scored(cell, values):
    """Return the scores of tables (n, B K) and their moments, by name."""
    wide = stacks.laid_out(cell.b, cell.k, len(values))
    one_by_one = {
        name: np.array([blocks.score(v, cell.layout, name).values for v in values])
        for name in ("aligned-ranks", "normal-scores")
    }
    ranks = blocks.score(values.ravel(), wide, "ranks").values.reshape(values.shape)
    quade = [blocks.quade_scores(v, r, cell.layout) for v, r in zip(values, ranks, strict=True)]
    scores = {"values": values, "ranks": ranks, **one_by_one, "quade": np.array(quade)}
    return {name: (own, stacks.moments(own, cell)) for name, own in scores.items()}


def page(sums, cell):
    """Return Page's test by the normal limit, which needs the moments of ranks alone."""
    places = np.arange(1.0, cell.k + 1)
    return overall.trend(sums, places, "asymptotic", resamples=0, seed=0)


def classical(cell, values, ranks, aligned, quade):
    """Return the p-values of tests with known limits from moments."""
    f = [nulls.quadratic(m).statistic for m in (values, ranks, quade)]
    anova, iman, quade_f = (friedman.f_form(x, cell.b, cell.k).p_value for x in f)
    sums = overall.RankSums(
        ranks.deviation, ranks.cov, ranks.total, ranks.total, cell.b, complete=True, tied=0
    )
    return {
        "Friedman (corrected for ties)": nulls.quadratic(ranks).p_value,
        "Iman-Davenport (corrected for ties)": iman,
        "Quade": quade_f,
        "aligned ranks (Hodges-Lehmann)": nulls.quadratic(aligned).p_value,
        "two-way analysis of variance": anova,
        PAGE: page(sums, cell).p_value,
    }


def permuted(cell, on, scores, moments, seed):
    """Return the p-values of the quadratic form and of the largest pair."""
    centred = center(scores, cell.layout)
    question = nulls.PermutationProblem(
        centred, cell.layout, moments, cell.family.matrix, two_sided=True
    )
    exact = factorial(cell.k) ** cell.b <= MOST_EXACT
    found = arrangements.exact(question) if exact else monte_carlo(question, RESAMPLES, seed)
    return {
        f"quadratic form, {on}": float(found.overall.value),
        f"largest, {on}": found.single_step.value.min(),
    }


def uncorrected(cell, value):
    ranks = blocks.score(np.ravel(value), cell.layout, "ranks").values
    plain = friedman.friedman(ranks, cell.layout, corrected=False)
    return {
        "Friedman (no correction)": plain.p_value,
        "Iman-Davenport (no correction)": friedman.f_form(plain.statistic, cell.b, cell.k).p_value,
    }


def check_global(cell, value, found):
    """Compare with the rows of `compare_permutation`."""
    data = cell.data(value)
    scores = pooled.scores_of(data, data.layout, "values")
    tests = pooled.pooled_tests(data, scores.values, cell.family.matrix, stacks.asked())
    rows = overall.global_tests(data, tests, "pairs", stacks.asked())
    rows += (page(overall.rank_sums(data), cell),)
    p = {row.test: row.p_value for row in rows}
    for name, value_found in found.items():
        np.testing.assert_allclose(value_found, p[name], rtol=1e-9, err_msg=name)


@pytest.mark.calibration
@pytest.mark.parametrize("cell", GLOBAL, ids=str)
def test_all_algorithms_together(cell, record_property):
    rng = np.random.default_rng(cell.seed)
    found, done = {}, 0
    for values in cell.batches(rng, TABLES):
        scores = scored(cell, values.reshape(len(values), -1))
        for i, value in enumerate(values):
            m = {name: of[i] for name, (_, of) in scores.items()}
            p = classical(cell, m["values"], m["ranks"], m["aligned-ranks"], m["quade"])
            if not done:
                check_global(cell, value, p)
            if cell.noise == "tied":
                p |= uncorrected(cell, value)
            if done < TABLES_PERMUTED:
                for on in SCORES:
                    p |= permuted(cell, on, scores[on][0][i], m[on], done)
            for name, one in p.items():
                found.setdefault(name, []).append([one <= ALPHA])
            done += 1
    shares = report(f"all {cell}", found, record_property)
    for name, (share,) in shares.items():
        between(bounds_global(cell, name), share, len(found[name]), name)


def bounds_global(cell, name):
    """Return between what the size of a test should lie; permutation tests have a comma."""
    exact = ", " in name
    if cell.alike:
        return (0.0, ALPHA) if exact else MEASURED[name]
    if cell.noise == "unequal":
        return (0.0, UNEQUAL.get("exact" if exact else name, ALPHA + 0.03))
    return (0.0, ONE_SKEWED)


# --- data sets or replications ---------------------------------------------------------------


def check_targets(difference, p):
    """Compare with `compare_permutation` of a table with these differences (D, R)."""
    scores = table(np.stack([difference, np.zeros_like(difference)], axis=-1))
    for target, expected in zip(("datasets", "domain"), p, strict=True):
        found = bi.compare_permutation(
            scores, on="values", target=target, null="monte-carlo", resamples=999, seed=0
        )
        # Exact ones besides.
        np.testing.assert_allclose(found.contrasts(all=True)["p_raw"], expected, atol=0.06)


@pytest.mark.calibration
@pytest.mark.parametrize(
    ("d", "r", "sd", "n"), [(10, 50, 0.5, 20_000), (20, 100, 0.5, 20_000), (10, 50, 0.0, 20_000)]
)
def test_replications_are_not_data_sets(d, r, sd, n, record_property):
    """Two algorithms; their difference on a data set has a standard deviation of its own."""
    rng = np.random.default_rng([d, r, n])
    step, found = 500, {}
    for i in range(0, n, step):
        # Of an interaction with standard deviation `sd` and noise of 1 for each algorithm.
        own = sd * np.sqrt(2) * rng.normal(size=(d, 1, step))
        values = own + np.sqrt(2) * rng.normal(size=(d, r, step))
        means = values.mean(axis=1)
        first = []
        for name, terms, null in (
            ("replications, values", values.reshape(d * r, step), "monte-carlo"),
            ("data sets, values", means, "exact" if d <= 10 else "monte-carlo"),
            ("data sets, ranks", signs.signed_ranks(means, 1e-9), "exact"),
        ):
            p = signs.sign_tests(
                terms, two_sided=np.ones(step, bool), null=null, resamples=999, seed=i
            ).p_value
            first.append(p[0])
            found.setdefault(name, []).extend([one] for one in p <= ALPHA)
        if not i:
            check_targets(values[..., 0], first[:2])
    shares = report(f"D={d} R={r} sd={sd}", found, record_property)
    ratio = 1 + (r - 1) * sd**2 / (sd**2 + 1)
    expected = 2 * norm.sf(norm.isf(ALPHA / 2) / np.sqrt(ratio))
    # All tables of a step share their 999 random signs, which adds to the error of the share.
    pooled_bounds = (expected - 0.01, expected + 0.01)
    between(pooled_bounds, shares["replications, values"][0], n, "replications, values")
    assert shares["data sets, values"][0] <= limit(n)
    assert shares["data sets, ranks"][0] <= limit(n)


# --- many blocks -----------------------------------------------------------------------------


@pytest.mark.calibration
def test_skewness_is_found_in_many_blocks(record_property):
    """300 blocks, two algorithms of the same mean, one with skewed scores; normal limits."""
    cell, n = Cell("one skewed", 300, 2), 10_000
    found = {"values": [], "ranks": []}
    for value in cell.batches(np.random.default_rng(cell.seed), n, 1000):
        d = (value[..., 0] - value[..., 1]).T
        for on, terms in (("values", d), ("ranks", signs.signed_ranks(d, 1e-9))):
            both = np.ones(terms.shape[1], bool)
            p = signs.sign_tests(terms, two_sided=both, null="asymptotic").p_value
            found[on].extend([one] for one in p <= ALPHA)
    shares = report(f"many blocks {cell}", found, record_property)
    assert shares["values"][0] <= limit(n)
    assert 0.1 < shares["ranks"][0] < 0.4
