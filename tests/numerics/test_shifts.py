import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.numerics import shifts, signs
from tests.numerics.test_multiplicity import VALUES

numbers = st.lists(
    st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float), min_size=1, max_size=30
).map(np.array)


def all_walsh(d):
    first, second = np.triu_indices(len(d))
    return np.sort(d[first] / 2 + d[second] / 2)


@pytest.mark.slow
@given(numbers, st.integers(0, 8))
def test_walsh_averages_by_sorting_them_all(d, candidates):
    everything = all_walsh(d)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shifts, "_CANDIDATES", candidates)
        found = shifts.walsh_averages(d, range(len(everything)))
    np.testing.assert_allclose(found, everything, rtol=0, atol=4e-16 * np.abs(d).max())


@pytest.mark.parametrize("golden", VALUES["shifts"], ids=lambda g: str(len(g["d"])))
def test_agrees_with_wilcox_test_of_r(golden):
    d = np.array(golden["d"])
    found = shifts.hodges_lehmann(d, golden["level"])
    assert found.estimate == pytest.approx(golden["estimate"], rel=1e-12)
    assert [found.low, found.high] == pytest.approx(golden["interval"], rel=1e-12)
    assert signs.signed_rank(d).p_value == pytest.approx(golden["p"], rel=1e-12)


@given(st.lists(st.floats(-9, 9), min_size=6, max_size=12, unique=True).map(np.array))
def test_the_interval_holds_what_the_test_does_not_reject(d):
    walsh = all_walsh(d)
    if np.diff(walsh).min() < 1e-3:
        return
    found = shifts.hodges_lehmann(d, 0.9)
    for end, inside in ((found.low, 1), (found.high, -1)):
        assert signs.signed_rank(d - end - inside * 1e-4).p_value > 0.1
        assert signs.signed_rank(d - end + inside * 1e-4).p_value <= 0.1


def test_normal_and_exact_intervals_are_neighbours():
    d = np.random.default_rng(1).normal(size=300)
    exact, normal = shifts.hodges_lehmann(d), shifts.hodges_lehmann(d, exact=False)
    assert exact.exact
    assert not normal.exact
    assert exact.estimate == normal.estimate
    assert [exact.low, exact.high] == pytest.approx([normal.low, normal.high], abs=1e-3)
    assert exact.level == pytest.approx(normal.level, abs=1e-4)


def test_five_thousand_differences():
    d = np.random.default_rng(2).normal(0.1, size=5000)
    found = shifts.hodges_lehmann(d)
    # Asymptotically the standard error is sqrt(pi / 3) / sqrt(n) for normal differences.
    half = 1.96 * np.sqrt(np.pi / 3 / 5000)
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=0.05)
    tied = np.round(d, 1)
    assert shifts.hodges_lehmann(tied).estimate == pytest.approx(0.1, abs=0.05)


def test_too_few_differences_have_no_interval():
    found = shifts.hodges_lehmann(np.array([1.0, 2.0, 4.0]))
    assert found == shifts.Shift(2.25, -np.inf, np.inf, 1.0, exact=True)
    assert shifts.median_shift(np.array([2.0])) == shifts.Shift(2, -np.inf, np.inf, 1, exact=True)
    assert shifts.hodges_lehmann(np.array([2.0]), exact=False).low == -np.inf


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=30, unique=True).map(np.array))
def test_the_interval_of_the_median_holds_what_the_sign_test_does_not_reject(d):
    found = shifts.median_shift(d, 0.9)
    ordered = np.sort(d)
    grid = np.r_[-10, (ordered[1:] + ordered[:-1]) / 2, 10]
    between = (grid[:-1] < ordered) & (ordered < grid[1:])
    if not between.all():
        return
    for point in grid:
        kept = signs.sign_flip(np.sign(d - point)).p_value > 0.1
        assert kept == (found.low <= point <= found.high)
