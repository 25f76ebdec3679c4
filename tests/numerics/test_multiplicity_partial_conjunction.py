"""Partial conjunction against the published script, and by all subsets."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from benchinfer.numerics.multiplicity import partial_conjunction

GOLDEN = Path(__file__).parents[1] / "golden" / "partial_conjunction" / "values.json"
CASES = json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("combine", ["fisher", "bonferroni"])
def test_agrees_with_the_published_script(case, combine):
    p = partial_conjunction(np.array(case["p"]), combine)
    # The script takes tails from 1: they are rounded at 1e-16.
    np.testing.assert_allclose(p, case[f"pc_{combine}"], rtol=1e-10, atol=1e-14)
    for alpha in (0.05, 0.01):
        assert int((p <= alpha).sum()) == case[f"{combine}_{alpha}"]


def test_is_the_largest_p_value_of_the_intersections():
    p = np.array([0.3, 0.001, 0.04, 0.02, 0.6])
    for u in range(1, 6):
        tails = [
            chi2.sf(-2 * np.log(p[list(part)]).sum(), 2 * len(part))
            for part in combinations(range(5), 5 - u + 1)
        ]
        assert partial_conjunction(p)[u - 1] == pytest.approx(max(tails), rel=1e-12)


def test_a_p_value_of_zero_is_no_error():
    assert partial_conjunction(np.array([0.0, 1.0])).tolist()[1] == 1.0
