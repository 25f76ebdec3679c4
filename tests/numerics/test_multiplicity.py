import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from benchinfer.errors import DesignError
from benchinfer.numerics import multiplicity
from tests.numerics.test_score_model import GOLDEN

probabilities = st.lists(st.floats(1e-6, 1), min_size=6, max_size=6).map(np.array)


@given(probabilities)
def test_holm_agrees_with_statsmodels(p):
    np.testing.assert_allclose(multiplicity.holm(p), multipletests(p, method="holm")[1])


def closed(p, local):
    """Adjust by the whole closure: every set of equalities that can be true together."""
    pairs = list(combinations(range(4), 2))
    adjusted = np.zeros(6)
    for labels in np.ndindex(4, 4, 4, 4):
        members = [i for i, (a, b) in enumerate(pairs) if labels[a] == labels[b]]
        if members:
            value = local(p[members])
            adjusted[members] = np.maximum(adjusted[members], value)
    return np.minimum(adjusted, 1)


@given(probabilities)
def test_shaffer_lies_between_the_closure_and_holm(p):
    adjusted = multiplicity.shaffer(p, 4)
    # A step-down shortcut of the closed Bonferroni test: never smaller than it, never above Holm.
    assert (adjusted >= closed(p, lambda q: len(q) * q.min()) - 1e-12).all()
    assert (adjusted <= multiplicity.holm(p) + 1e-12).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


def test_shaffer_of_three_algorithms_knows_that_two_equalities_make_three():
    # Once one pair differs, at most one equality can hold.
    p = np.array([0.01, 0.02, 0.04])
    np.testing.assert_allclose(multiplicity.shaffer(p, 3), [0.03, 0.03, 0.04])


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
        multiplicity.shaffer(raw, k), np.array(step["p_shaffer"])[order], rtol=1e-10, atol=1e-15
    )


def test_too_many_algorithms_are_refused():
    with pytest.raises(DesignError, match="9 algorithms have too many sets"):
        multiplicity.shaffer(np.full(36, 0.1), 9)
