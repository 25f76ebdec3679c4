import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.core.errors import DesignError
from benchinfer.numerics import closed_testing, multiplicity
from tests.analyses.mixed.numerics.test_likelihood import GOLDEN
from tests.numerics.test_closed_testing_on_line import p_of


def closure(p, k):
    """Adjust by the whole closure: every partition of the algorithms, Bonferroni in each."""
    first, second = np.triu_indices(k, 1)
    adjusted = np.zeros(len(p))
    for partition in closed_testing.partitions(k):
        labels = np.array(partition)
        true = labels[first] == labels[second]
        if true.any():
            adjusted[true] = np.maximum(adjusted[true], true.sum() * p[true].min())
    return np.minimum(adjusted, 1)


@st.composite
def families(draw, most=6):
    k = draw(st.integers(2, most))
    m = k * (k - 1) // 2
    # Few different values: ties.
    value = st.floats(1e-6, 1) | st.sampled_from([0.001, 0.01, 0.02, 0.05])
    return np.array(draw(st.lists(value, min_size=m, max_size=m))), k


@given(families())
def test_bergmann_hommel_is_the_whole_closure(family):
    p, k = family
    np.testing.assert_array_equal(closed_testing.bergmann_hommel(p, k), closure(p, k))


@given(families())
def test_from_the_least_to_the_most_powerful(family):
    p, k = family
    steps = (
        closed_testing.bergmann_hommel(p, k),
        closed_testing.shaffer(p, k),
        closed_testing.shaffer_static(p, k),
        multiplicity.holm(p),
    )
    order = np.argsort(p, kind="stable")
    for smaller, larger in pairwise(steps):
        assert (smaller <= larger * (1 + 1e-12)).all()
        assert (np.diff(larger[order]) >= 0).all()


@given(families(), st.randoms())
@pytest.mark.parametrize("method", ["bergmann_hommel", "shaffer", "shaffer_static"])
def test_renaming_algorithms_renames_the_result(method, family, random):
    p, k = family
    adjust = getattr(closed_testing, method)
    matrix, first, second = np.zeros((k, k)), *np.triu_indices(k, 1)
    matrix[first, second] = matrix[second, first] = np.arange(len(p))
    names = np.array(random.sample(range(k), k))
    moved = matrix[np.ix_(names, names)][first, second].astype(int)
    np.testing.assert_array_equal(adjust(p[moved], k), adjust(p, k)[moved])


def test_three_algorithms_know_that_two_equalities_make_three():
    # Once one pair differs, at most one equality can hold.
    p = np.array([0.01, 0.02, 0.04])
    for adjust in (
        closed_testing.shaffer,
        closed_testing.shaffer_static,
        closed_testing.bergmann_hommel,
    ):
        np.testing.assert_allclose(adjust(p, 3), [0.03, 0.03, 0.04])


@pytest.mark.slow
def test_fifteen_algorithms_in_general():
    p = np.random.default_rng(4).uniform(size=105) ** 3 * 0.02
    exact = closed_testing.bergmann_hommel(p, 15)
    step = closed_testing.shaffer(p, 15)
    assert (exact <= step + 1e-15).all()
    assert (step <= closed_testing.shaffer_static(p, 15) + 1e-15).all()


@pytest.mark.parametrize("table", ["simulated_unbalanced", "simulated_heteroscedastic"])
def test_shaffer_agrees_with_multcomp(table):
    values = json.loads((GOLDEN / f"{table}.json").read_text())["values"]
    step = values["M4_reml"]["single_step"]
    names = [pair.split(" - ") for pair in step["pair"]]
    order = sorted(range(len(names)), key=lambda i: (names[i][1], names[i][0]))
    k = len(values["M4_reml"]["level"])
    raw = np.array(step["p_raw"])[order]
    # Exact up to the 15 digits that R prints.
    np.testing.assert_allclose(
        closed_testing.shaffer(raw, k), np.array(step["p_shaffer"])[order], rtol=1e-10, atol=1e-15
    )


@given(families(most=5))
def test_westfall_with_bonferroni_is_shaffer(family):
    p, k = family
    if len(np.unique(p)) < len(p):
        return

    def survival(members, own):
        return len(members) * float(p[own])

    np.testing.assert_allclose(
        closed_testing.westfall(p, k, survival), closed_testing.shaffer(p, k), rtol=1e-12
    )


@pytest.mark.parametrize("method", ["shaffer", "bergmann_hommel"])
def test_too_many_algorithms_are_refused(method):
    with pytest.raises(DesignError, match="19 algorithms have too many sets"):
        getattr(closed_testing, method)(np.full(171, 0.1), 19)


def test_too_many_algorithms_for_westfall_are_refused():
    with pytest.raises(DesignError, match="9 algorithms have too many sets"):
        closed_testing.westfall(np.full(36, 0.1), 9, lambda _, __: 1.0)


def test_the_exact_closure_need_not_keep_the_order_of_p():
    # Pairwise p-values of the mean ranks of García & Herrera (2008), 5 algorithms on 30 data sets.
    mean = np.array([2.1, 3.25, 2.2, 13 / 3, 187 / 60])
    doubled = np.rint(60 * mean).astype(int)
    p = p_of(doubled, 30)
    exact = closed_testing.bergmann_hommel(p, 5)
    # 1NN - NB, 1NN - Kernel.
    assert p[4] > p[5]
    np.testing.assert_allclose(exact[[4, 5]], [3 * p[4], 4 * p[5]], rtol=1e-12)
    # Not told apart: C4.5 and NB, 1NN and CN2.
    assert np.flatnonzero(exact > 0.05).tolist() == [1, 6]
