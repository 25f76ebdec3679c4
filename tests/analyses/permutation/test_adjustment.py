"""Closed testing of pooled pairs: many algorithms as few, bounds, and pairs that no block holds."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.permutation import adjustment
from benchinfer.numerics import closed_testing
from tests.analyses.mixed.test_compare import simulated, table

METHODS = {"shaffer": closed_testing.shaffer, "bergmann-hommel": closed_testing.bergmann_hommel}


def pooled(values, adjust, **options):
    options = {"pairs": "pooled", "null": "asymptotic", "seed": 1} | options
    names = [f"a{i:02d}" for i in range(values.shape[-1])]
    return bi.compare_permutation(table(values, algorithms=names), adjust=adjust, **options)


@pytest.mark.slow
@pytest.mark.parametrize("on", ["ranks", "aligned-ranks", "values", "normal-scores"])
@pytest.mark.parametrize("adjust", METHODS)
def test_many_algorithms_in_complete_blocks_are_adjusted_as_few(adjust, on, monkeypatch):
    values = simulated(3, shape=(15, 1, 7), effect=0.4)
    general = pooled(values, adjust, on=on)
    monkeypatch.setattr(closed_testing, "MOST_ALGORITHMS", 5)
    line = pooled(values, adjust, on=on)
    p = general.contrasts(all=True)["p_value"]
    np.testing.assert_allclose(line.contrasts(all=True)["p_value"], p, rtol=1e-9)
    assert 0 < (p < 0.05).sum() < 21
    assert line.method == general.method


@pytest.mark.parametrize("adjust", METHODS)
def test_random_p_values_are_raised_until_they_fall(adjust, monkeypatch):
    with monkeypatch.context() as seven_are_many:
        seven_are_many.setattr(closed_testing, "MOST_ALGORITHMS", 5)
        values = simulated(3, shape=(15, 1, 7), effect=0.4)
        found = pooled(values, adjust, on="ranks", null="monte-carlo", resamples=500)
    rows = found.contrasts(all=True)
    p, z = rows["p_raw"].to_numpy(), np.abs(rows["statistic"].to_numpy())
    raised = np.array([p[z >= one - 1e-9].max() for one in z])
    assert (raised > p).any()
    np.testing.assert_allclose(rows["p_value"], METHODS[adjust](raised, 7), rtol=1e-9)


@pytest.mark.parametrize("adjust", METHODS)
def test_many_algorithms_in_partial_blocks_get_a_bound(adjust, monkeypatch):
    values = simulated(3, shape=(15, 1, 7), effect=0.4)
    values[0, 0, 0] = np.nan
    general = pooled(values, adjust).contrasts(all=True)
    monkeypatch.setattr(closed_testing, "MOST_ALGORITHMS", 5)
    bound = pooled(values, adjust)
    p = bound.contrasts(all=True)["p_value"].to_numpy()
    raw = general["p_raw"].to_numpy()
    np.testing.assert_allclose(p, closed_testing.shaffer_static(raw, 7))
    assert (p >= general["p_value"]).all()
    assert "(upper bounds: Shaffer's first variant, for over 5 algorithms" in bound.method


@pytest.mark.parametrize("adjust", METHODS)
def test_pairs_that_no_block_holds_may_be_equal(adjust):
    values = simulated(3, shape=(8, 1, 4))
    values[:4, :, 0], values[4:, :, 2] = np.nan, np.nan
    rows = pooled(values, adjust).contrasts(all=True)
    assert len(rows) == 5
    raw = np.insert(rows["p_raw"].to_numpy(), 1, 1.0)
    np.testing.assert_allclose(rows["p_value"], np.delete(METHODS[adjust](raw, 4), 1))


@pytest.mark.parametrize("adjust", METHODS)
def test_thirty_algorithms(adjust):
    values = simulated(3, shape=(40, 1, 30), effect=0.4)
    rows = pooled(values, adjust, on="ranks").contrasts(all=True)
    static = closed_testing.shaffer_static(rows["p_raw"].to_numpy(), 30)
    assert (rows["p_value"] <= static + 1e-15).all()
    assert (rows["p_value"] < static - 1e-6).any()
    assert (rows["p_value"] >= rows["p_raw"]).all()
    same = np.repeat(values[..., :1], 30, axis=2)
    assert (pooled(same, adjust, on="ranks").contrasts(all=True)["p_value"] == 1).all()


def test_statistics_become_places():
    """Three sums 0, 3 and 1 over a standard error."""
    z = np.array([-3.0, -1.0, 2.0]) / 7
    p = np.array([0.01, 0.4, 0.03])
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    for method, exact in METHODS.items():
        found = adjustment._CLOSED[method][1](p, np.array([0, 6, 2]))
        np.testing.assert_allclose(found, exact(p, 3))
        np.testing.assert_allclose(
            adjustment.closed_p_values(method, p, z, pairs, 3, complete=True), found
        )
    assert closed_testing.falling(p, np.array([0, 3, 1])).tolist() == p.tolist()
