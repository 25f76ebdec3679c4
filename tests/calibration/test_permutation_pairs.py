"""Error rates of permutation tests of pairs by simulation: `make calibrate`, about 15 minutes.

Each pair on its own scores, with intervals, and on scores that all algorithms share. The first
table of each cell goes the whole way of `compare_permutation` for comparison.
"""

from itertools import product

import numpy as np
import pytest

from benchinfer.analyses.permutation import pairs
from benchinfer.analyses.permutation import tests as package
from benchinfer.analyses.permutation.numerics import blocks, nulls
from benchinfer.analyses.permutation.numerics.arrangements import monte_carlo
from benchinfer.comparison import adjustment
from benchinfer.numerics import closed_testing, multiplicity, signs
from tests.calibration import stacks
from tests.calibration.stacks import ALPHA, NOISES, Cell, between
from tests.calibration.tables import FAR, limit, report

# Tables of a cell by the number of algorithms: tests of pairs, and their intervals.
TABLES_PAIRS = {2: 10_000, 4: 5000, 8: 2000}
TABLES_INTERVALS = {2: 3000, 4: 2000, 8: 600}
TABLES_POOLED = 2500
# Holm's first step takes a p-value of 1 in 560 among 28 pairs.
RESAMPLES, RESAMPLES_PAIRS = 199, 19_999
# Error rates whose conditions are not met, as measured.
PAIR_SKEWED, INTERVAL_SKEWED = 0.06, 0.06
# All algorithms with the same mean: one with a standard deviation of 5, the others of 1.
POOLED_UNEQUAL, NEMENYI = {4: (0.07, 0.1), 8: (0.14, 0.17)}, 0.06
# The identical pair of two with a standard deviation of 5, and any pair.
NOISY = {4: (0.066, 0.08), 6: (0.085, 0.109), 10: (0.119, 0.178), 20: (0.18, 0.302)}
CLOSED = {"shaffer": closed_testing.shaffer, "bergmann-hommel": closed_testing.bergmann_hommel}

PAIRS = [Cell(*of) for of in product(NOISES, (6, 12, 30), (2, 4, 8))]
POOLED = [Cell(*of) for of in product(("normal", "tied", "unequal"), (12, 30), (4, 8))]


def pair_tests(cell, values, on, seed):
    """Return (n, P) p-values of the pairs of n tables."""
    first, second = cell.family.pairs.T
    d = values[:, :, first] - values[:, :, second]
    columns = d.transpose(1, 0, 2).reshape(cell.b, -1)
    found = sign_tests(
        cell, columns if on == "values" else signs.signed_ranks(columns, 1e-9), on, seed
    )
    return found.reshape(len(values), -1)


def sign_tests(cell, terms, on, seed):
    # Sign flips of 30 values take 2^15 sums for each pair; signed ranks are integers.
    null = "monte-carlo" if on == "values" and cell.b > 12 else "exact"
    two_sided = np.ones(terms.shape[1], bool)
    return signs.sign_tests(
        terms, two_sided=two_sided, null=null, resamples=RESAMPLES_PAIRS, seed=seed
    ).p_value


def claims(cell, p, apart):
    """Return in which tables each adjustment claims a wrong difference, (n,) for each name.

    Without any difference, and with two groups so far apart that pairs across have the p-value
    `apart`; for all pairs, and for the comparisons with the first algorithm.
    """
    control = (cell.family.pairs == 0).any(axis=1)
    found = {}
    for family, members in {"all pairs": slice(None), "control": control}.items():
        own, within = p[:, members], cell.within[members]
        grouped = np.where(within, own, apart)
        for truth, raw, null in (("none", own, slice(None)), ("groups", grouped, within)):
            if cell.k == 2 and (truth, family) != ("none", "all pairs"):
                continue
            for method in ("bonferroni", "holm", "hochberg", "hommel", "none"):
                wrong = [claimed(method, one, null) for one in raw]
                found[f"{method}, {family}, {truth}"] = wrong
    return found


def claimed(method, raw, null):
    if raw[null].min() > ALPHA:
        return False  # no adjustment makes a p-value smaller
    return adjustment.adjusted(method, raw)[null].min() <= ALPHA


def check_pairs(cell, value, on, p):
    asked = stacks.asked(on, null="exact", pairs="pairwise")
    exact = package.tested(cell.data(value), cell.family, asked)
    tolerance = {"rtol": 1e-9} if on != "values" or cell.b <= 12 else {"atol": 0.02}
    np.testing.assert_allclose(p, exact.pairwise.p, **tolerance)


@pytest.mark.calibration
@pytest.mark.parametrize("cell", PAIRS, ids=str)
@pytest.mark.parametrize("on", ["values", "ranks"])
def test_pairs_on_their_own(cell, on, record_property):
    rng = np.random.default_rng(cell.seed)
    apart = sign_tests(cell, np.ones((cell.b, 1)), on, 0)[0]
    found = {}
    for i, values in enumerate(cell.batches(rng, TABLES_PAIRS[cell.k], 1000 // cell.k)):
        p = pair_tests(cell, values, on, i)
        if not i:
            check_pairs(cell, values[0], on, p[0])
        for name, wrong in claims(cell, p, apart).items():
            found.setdefault(name, []).extend([one] for one in wrong)
    shares = report(f"pairs {on} {cell}", found, record_property)
    for name, (share,) in shares.items():
        between(bounds_pairs(cell, name), share, len(found[name]), name)


def bounds_pairs(cell, name):
    """Return between what the error rate of an adjustment should lie."""
    if name.startswith("none,"):
        return 0.0, 1.0
    return 0.0, ALPHA if cell.symmetric else PAIR_SKEWED


@pytest.mark.calibration
@pytest.mark.parametrize("cell", PAIRS, ids=str)
@pytest.mark.parametrize("on", ["values", "ranks"])
def test_intervals_of_pairs(cell, on, record_property):
    rng = np.random.default_rng(cell.seed)
    settings = stacks.asked(
        on, null="asymptotic", pairs="pairwise"
    )  # the intervals are no part of it
    missed = []
    for value in cell.tables(rng, TABLES_INTERVALS[cell.k]):
        own = pairs.paired_tests(cell.data(value), cell.family.matrix, settings)
        missed.append([((own.low > 0) | (own.high < 0)).any()])
    share = report(f"intervals {on} {cell}", {"misses": missed}, record_property)["misses"][0]
    between(bounds_intervals(cell), share, len(missed), "misses")


def bounds_intervals(cell):
    return 0.0, ALPHA if cell.symmetric else INTERVAL_SKEWED


# --- pairs on scores that all algorithms share -----------------------------------------------


def asks(cell, value, on):
    scores = blocks.score(np.ravel(value), cell.layout, on).values
    return nulls.PermutationProblem.of(scores, cell.layout, cell.family.matrix)


def pooled_claims(cell, value, null_pairs, seed):
    """Return which procedures claim one of the pairs that are alike."""
    question = asks(cell, value, "values")
    found = monte_carlo(question, RESAMPLES, seed)
    ranked = nulls.asymptotic(asks(cell, value, "ranks"))
    p = {
        "single-step, values": found.single_step.value,
        "step-down, values": found.step_down.value,
        "Nemenyi": ranked.single_step.value,
        **{
            f"{method}, ranks": adjust(ranked.raw.value, cell.k)
            for method, adjust in CLOSED.items()
        },
        "holm, ranks": multiplicity.holm(ranked.raw.value),
    }
    return {name: one[null_pairs].min() <= ALPHA for name, one in p.items()}


@pytest.mark.calibration
@pytest.mark.parametrize("cell", POOLED, ids=str)
def test_pooled_pairs(cell, record_property):
    rng = np.random.default_rng(cell.seed)
    found = {}
    for i, value in enumerate(cell.tables(rng, TABLES_POOLED)):
        for truth, moved, null in (
            ("none", value, slice(None)),
            ("groups", value + FAR * cell.group, cell.within),
        ):
            for name, wrong in pooled_claims(cell, moved, null, i).items():
                found.setdefault(f"{name}, {truth}", []).append([wrong])
    shares = report(f"pooled {cell}", found, record_property)
    for name, (share,) in shares.items():
        between(bounds_pooled(cell, name), share, len(found[name]), name)


def bounds_pooled(cell, name):
    if cell.noise == "unequal" and name in ("single-step, values, none", "step-down, values, none"):
        return POOLED_UNEQUAL[cell.k]
    return 0.0, NEMENYI if name == "Nemenyi, none" else ALPHA


@pytest.mark.calibration
@pytest.mark.parametrize("k", [4, 6, 10, 20])
def test_two_noisy_algorithms_among_good_ones(k, record_property):
    """30 blocks; the first two algorithms have a standard deviation of 5, the others of 1."""
    cell = Cell("normal", 30, k)
    rng = np.random.default_rng(cell.seed)
    sd = np.where(np.arange(k) < 2, 5.0, 1.0)
    noisy = int(np.flatnonzero((cell.family.pairs == [0, 1]).all(axis=1))[0])
    found = {}
    for i in range(TABLES_POOLED):
        value = sd * rng.normal(size=(30, k))
        for on in ("values", "ranks", "aligned-ranks"):
            question = asks(cell, value, on)
            p = monte_carlo(question, RESAMPLES, i).single_step.value
            found.setdefault(f"single-step, {on}", []).append([p[noisy] <= ALPHA, p.min() <= ALPHA])
        p = pair_tests(cell, value[None], "ranks", i)[0]
        p = multiplicity.holm(p)
        found.setdefault("pairwise signed ranks", []).append([p[noisy] <= ALPHA, p.min() <= ALPHA])
    shares = report(f"noisy K={k}", found, record_property)
    for share, expected in zip(shares["single-step, values"], NOISY[k], strict=True):
        between((expected, expected), share, TABLES_POOLED, "single-step, values")
    assert (shares["pairwise signed ranks"] <= limit(TABLES_POOLED)).all()
