"""Two independent rates: brute force, Fisher's and Boschloo's tests, published intervals."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import binom, boschloo_exact, fisher_exact, hypergeom, norm

from benchinfer.analyses.pair.numerics import independent_rates as ir
from benchinfer.analyses.pair.tests import PairProcedure, _of_independent_rates
from benchinfer.comparison.evidence import in_agreement
from benchinfer.numerics import rates

TABLES = [
    ((9, 10), (3, 10), 0.00796),
    ((7, 34), (1, 34), 0.02814),
    ((10, 10), (180, 200), 0.46621),
    ((18, 20), (12, 20), 0.03857),
    ((20, 20), (95, 100), 0.42487),
    ((3, 3), (90, 100), 1.0),
]


@pytest.mark.parametrize(("first", "second", "p"), TABLES)
def test_p_values_by_brute_force(first, second, p):
    """Printed from 2,600 common rates; none is above Boschloo's doubled test or Fisher's."""
    assert ir.unconditional(first, second, 0) == pytest.approx(p, abs=6e-6)
    assert ir.unconditional(second, first, 0) == pytest.approx(p, abs=6e-6)
    (x, n), (y, m) = first, second
    cells = [[x, y], [n - x, m - y]]
    doubled = 2 * min(boschloo_exact(cells, side, n=64).pvalue for side in ("greater", "less"))
    conditional = 2 * min(fisher_exact(cells, side)[1] for side in ("greater", "less"))
    assert ir.unconditional(first, second, 0) <= min(1, doubled, conditional) + 1e-9


def test_all_right_against_none():
    assert ir.unconditional((10, 10), (0, 10), 0) == pytest.approx(2 * 0.25**10, rel=1e-9)
    assert ir.compared((0, 5), (0, 9), 0) == (0.0, 1.0)


def regions(n, m):
    """Return the (n + 1, m + 1) mid-p-values of Fisher's test that the first rate is larger."""
    x, y = np.ogrid[: n + 1, : m + 1]
    return hypergeom.sf(x, n + m, x + y, n) + hypergeom.pmf(x, n + m, x + y, n) / 2


@pytest.mark.parametrize(("n", "m"), [(3, 7), (6, 6), (9, 4)])
def test_every_table_by_brute_force(n, m):
    rates = np.sin(np.linspace(0, np.pi / 2, 4001)) ** 2
    first, second = (binom.pmf(np.arange(k + 1)[:, None], k, rates) for k in (n, m))
    order = regions(n, m)
    for x, y in product(range(n + 1), range(m + 1)):
        region = order <= order[x, y] * (1 + 1e-9)
        expected = np.einsum("xr,yr,xy->r", first, second, region).max()
        assert ir.unconditional((x, n), (y, m), 1) == pytest.approx(expected, rel=1e-4)
        assert ir.unconditional((y, m), (x, n), -1) == pytest.approx(expected, rel=1e-4)


def procedure(side=0, tail=0.025, margin=0.0):
    return PairProcedure("independent-rates", side, margin, tail, None, 1)


def agrees(first, second, side, tail):
    """Return whether a test and its interval say the same."""
    found = _of_independent_rates(first, second, procedure(side, tail))
    decided = found.p <= (1 if side else 2) * tail
    numbers = np.array([[found.low], [found.high], [found.statistic]])
    low, high = (float(end[0]) for end in in_agreement(*numbers, np.array([decided])))
    up, down = decided and found.estimate > 0, decided and found.estimate < 0
    # An end at 0 is open where the test decides.
    right_side = low >= 0 if up else high <= 0 if down else low <= 0 <= high and not decided
    return right_side and low <= found.estimate <= high


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 9), (7, 7), (5, 30), (30, 30)])
def test_interval_excludes_0_if_and_only_if_the_test_decides(n, m):
    draw = np.random.default_rng(n)
    tables = list(product(range(n + 1), range(m + 1)))
    for i in draw.permutation(len(tables))[:60]:
        (x, y), side = tables[i], int(draw.integers(-1, 2))
        tail = float(draw.choice([0.005, 0.025, 0.05, 0.1]))
        assert agrees((x, n), (y, m), side, tail)


@pytest.mark.calibration
def test_interval_and_test_agree_in_all_tables_up_to_30_by_30():
    for n, m in product(range(1, 31), range(1, 31)):
        # Samples may be turned round, and right with wrong.
        for x, y in product(range(n // 2 + 1), range(m + 1)) if n <= m else ():
            assert agrees((x, n), (y, m), 0, 0.025)


def test_large_samples_have_the_score_test_unless_few_are_expected():
    first, second = (1_500, 3_000), (1_420, 3_000)
    z, p = ir.compared(first, second, 0)
    assert p == pytest.approx(2 * norm.sf(abs(z)))
    low, high = ir.score_interval(first, second, p / 2)
    assert min(abs(low), abs(high)) == pytest.approx(0, abs=1e-9)
    few = (2, 3_000), (12, 3_000)
    assert ir.compared(*few, 0)[1] == ir.unconditional(*few, 0)


@pytest.mark.parametrize(
    ("first", "second", "interval", "digits"),
    [
        # PharmCat's ClinicalTrialUtilities.jl
        ((4, 5), (2, 5), (-0.228, 0.794), 3),
        ((30, 100), (40, 90), (-0.2781290897168457, -0.006708341755865329), 8),
    ],
)
def test_score_intervals_as_printed(first, second, interval, digits):
    found = ir.score_interval(first, second, 0.025)
    assert found == pytest.approx(interval, abs=0.6 * 10.0**-digits)
    turned = ir.score_interval(second, first, 0.025)
    assert turned == pytest.approx((-found[1], -found[0]), abs=1e-9)


def likeliest(first, second, d):
    """Return the score statistic at the rates that maximise the likelihood, by search."""
    (x, n), (y, m) = first, second

    def unlikely(q):
        p = q + d
        return -binom.logpmf(x, n, p) - binom.logpmf(y, m, q)

    bounds = max(0.0, -d), min(1.0, 1 - d)
    q = minimize_scalar(unlikely, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
    p, both = q + d, n + m
    variance = (p * (1 - p) / n + q * (1 - q) / m) * both / (both - 1)
    return (x / n - y / m - d) / np.sqrt(variance)


def test_score_statistic_by_maximising_the_likelihood():
    draw = np.random.default_rng(4)
    for _ in range(25):
        n, m = (int(k) for k in draw.integers(2, 60, 2))
        tables = (int(draw.integers(1, n)), n), (int(draw.integers(1, m)), m)
        d = float(draw.uniform(-0.8, 0.8))
        assert ir.score_statistic(*tables, d) == pytest.approx(likeliest(*tables, d), rel=1e-4)


def test_tolerance_and_direction_are_of_one_statistic():
    """One-sided tests at the margin are the score interval inverted."""
    first, second = (88, 100), (85, 100)
    found = _of_independent_rates(first, second, procedure(margin=0.1, tail=0.05))
    z = ir.score_statistic(first, second, -0.1), ir.score_statistic(first, second, 0.1)
    assert found.equivalence == pytest.approx(max(norm.sf(z[0]), norm.cdf(z[1])), rel=1e-6)
    low, high = ir.score_interval(first, second, 0.05)
    assert (found.equivalence <= 0.05) == (low > -0.1 and high < 0.1)
    better = _of_independent_rates(first, second, procedure(1, margin=0.1, tail=0.05))
    assert better.noninferiority == pytest.approx(norm.sf(z[0]), rel=1e-6)
    assert better.high == np.inf
    assert better.p == pytest.approx(ir.unconditional(first, second, 1))


# Newcombe (1998), table II: his methods 10 and 6 (Miettinen and Nurminen's). Method 10 as in tests
# of Python's mqr, method 6 as in the certification script of rdci for Stata, and both of three
# examples as in tests/misc.R of DescTools.
PUBLISHED = [
    ((56, 70), (48, 80), (0.0524, 0.3339), (0.0528, 0.3382)),
    ((9, 10), (3, 10), (0.1705, 0.8090), (0.1700, 0.8406)),
    ((6, 7), (2, 7), (0.0582, 0.8062), (0.0342, 0.8534)),
    ((5, 56), (0, 29), (-0.0381, 0.1926), (-0.0326, 0.1933)),
    ((0, 10), (0, 20), (-0.1611, 0.2775), (-0.1658, 0.2844)),
    ((0, 10), (0, 10), (-0.2775, 0.2775), (-0.2879, 0.2879)),
    ((10, 10), (0, 20), (0.6791, 1.0), (0.7156, 1.0)),
    ((10, 10), (0, 10), (0.6075, 1.0), (0.6636, 1.0)),
]


@pytest.mark.parametrize(("first", "second", "hybrid", "score"), PUBLISHED)
def test_intervals_as_newcombe_published_them(first, second, hybrid, score):
    assert rates.newcombe(first, second, 0.025) == pytest.approx(hybrid, abs=5.1e-5)
    assert ir.score_interval(first, second, 0.025) == pytest.approx(score, abs=5.1e-5)


NEWCOMBE = json.loads(
    (Path(__file__).parents[3] / "golden" / "pairs" / "newcombe.json").read_text()
)


@pytest.mark.parametrize("row", NEWCOMBE)
def test_intervals_of_the_examples_of_newcombe_are_those_of_r(row):
    """To more digits than are published."""
    first, second = tuple(row["first"]), tuple(row["second"])
    assert rates.newcombe(first, second, 0.025) == pytest.approx(row["method_10"], abs=1e-9)
    assert ir.score_interval(first, second, 0.025) == pytest.approx(row["method_6"], abs=2e-6)
