import json
from decimal import Decimal, localcontext
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from benchinfer.numerics import multiplicity

GOLDEN = Path(__file__).parents[1] / "golden" / "closed_testing" / "values.json"
VALUES = json.loads(GOLDEN.read_text(encoding="utf-8"))["values"]
ALL = (
    "bonferroni",
    "holm",
    "finner",
    "hochberg",
    "hommel",
    "rom",
    "li",
)

probabilities = st.lists(st.floats(1e-9, 1), min_size=1, max_size=9).map(np.array)


@pytest.mark.parametrize("family", ["small", "ties", "many"])
@pytest.mark.parametrize("method", ["bonferroni", "holm", "hochberg", "hommel"])
def test_agrees_with_p_adjust_of_r(family, method):
    golden = VALUES["adjusted"][family]
    ours = getattr(multiplicity, method)(np.array(golden["p"], dtype=float))
    np.testing.assert_allclose(ours, golden[method], rtol=1e-13)


@given(probabilities.map(lambda p: np.minimum(p, 0.999)))  # statsmodels warns at 1
@pytest.mark.parametrize("method", ["hommel"])
def test_agrees_with_statsmodels(method, p):
    expected = multipletests(p, method=method)[1]
    np.testing.assert_allclose(getattr(multiplicity, method)(p), expected, rtol=1e-7, atol=1e-15)


@given(st.lists(st.floats(1e-9, 1), min_size=1, max_size=7).map(np.array))
def test_hommel_is_closed_testing_with_simes(p):
    sets = [list(s) for n in range(1, len(p) + 1) for s in combinations(range(len(p)), n)]
    simes = {tuple(s): (len(s) * np.sort(p[s]) / np.arange(1, len(s) + 1)).min() for s in sets}
    closed = [max(value for s, value in simes.items() if i in s) for i in range(len(p))]
    np.testing.assert_allclose(multiplicity.hommel(p), closed, rtol=1e-12)


@given(probabilities, st.randoms())
@pytest.mark.parametrize("method", ALL)
def test_keeps_the_order_and_goes_with_the_hypotheses(method, p, random):
    adjust = getattr(multiplicity, method)
    adjusted = adjust(p)
    assert (adjusted >= p * (1 - 1e-12)).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    shuffled = random.sample(range(len(p)), len(p))
    np.testing.assert_array_equal(adjust(p[shuffled]), adjusted[shuffled])


@given(probabilities)
def test_more_powerful_procedures_have_smaller_p(p):
    m = multiplicity
    for smaller, larger in (
        (m.holm, m.bonferroni),
        (m.finner, m.bonferroni),
        (m.hochberg, m.holm),
        (m.hommel, m.hochberg),
        (multiplicity.rom, m.hochberg),
    ):
        assert (smaller(p) <= larger(p) * (1 + 1e-12)).all(), (smaller, larger)


def rom_exactly(alpha, m):
    """Return Rom's critical values with 100 digits."""
    with localcontext() as context:
        context.prec = 100
        level = Decimal(alpha)
        values = [level]
        for i in range(2, m + 1):
            powers = sum(level**j for j in range(1, i))
            taken = sum(comb(i, j) * values[j] ** (i - j) for j in range(1, i - 1))
            values.append((powers - taken) / i)
        return [float(v) for v in values]


@pytest.mark.parametrize("alpha", [1e-6, 0.05, 0.5, 0.95])
def test_critical_values_of_rom_do_not_cancel(alpha):
    np.testing.assert_allclose(
        multiplicity.rom_critical(alpha, 40), rom_exactly(alpha, 40), rtol=1e-13
    )


@given(st.floats(0.001, 0.9), st.integers(1, 12))
def test_rom_rejects_at_the_level_of_its_critical_values(alpha, m):
    # p-values at the critical values: each is adjusted to alpha.
    p = multiplicity.rom_critical(alpha, m)
    np.testing.assert_allclose(multiplicity.rom(p), alpha, rtol=1e-10)


def test_rom_with_probabilities_of_exactly_alpha():
    # Under independence the size of Rom's procedure is exactly alpha.
    p = np.random.default_rng(1).uniform(size=(20_000, 4))
    rejected = np.sort(p, axis=1)[:, ::-1] <= multiplicity.rom_critical(0.2, 4)
    size = rejected.any(axis=1).mean()
    assert abs(size - 0.2) < 4 * np.sqrt(0.16 / 20_000)


def test_li_divides_by_what_the_largest_leaves():
    np.testing.assert_allclose(
        multiplicity.li(np.array([0.01, 0.4, 0.2])), [0.01 / 0.61, 0.4, 0.2 / 0.8]
    )
    assert multiplicity.li(np.array([0.0, 1.0])).tolist() == [0, 1]


def test_finner_by_hand():
    expected = [1 - 0.99**3, 1 - 0.98**1.5, 0.04]
    np.testing.assert_allclose(multiplicity.finner(np.array([0.01, 0.02, 0.04])), expected)


@pytest.mark.parametrize(
    ("method", "share"),
    [("holm", 0.05), ("hochberg", 0.05), ("hommel", 0.05), ("finner", 0.142)],
)
def test_false_claims_beside_true_ones(method, share):
    # Five false hypotheses, five true ones, independent: Finner's level for the first of these is
    # 1 - 0.95^(6 / 10), so that it rejects one with probability 1 - 0.95^3.
    p = np.zeros((5000, 10))
    p[:, 5:] = np.random.default_rng(1).uniform(size=(5000, 5))
    adjusted = np.array([getattr(multiplicity, method)(row) for row in p])
    wrong = (adjusted[:, 5:] <= 0.05).any(axis=1).mean()
    assert abs(wrong - share) < 4 * np.sqrt(share * (1 - share) / 5000)


@pytest.mark.parametrize("method", ALL)
def test_tiny_p_values_keep_their_digits(method):
    adjust = getattr(multiplicity, method)
    adjusted = adjust(np.array([1e-200, 0.3, 0.6]))
    assert 1e-200 <= adjusted[0] <= 6e-200
    assert adjust(np.empty(0)).tolist() == []
