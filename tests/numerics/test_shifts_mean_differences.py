import numpy as np
import pytest

from benchinfer.numerics.covariance import all_pairs
from benchinfer.numerics.shifts import mean_differences
from tests.numerics.test_multiplicity import VALUES


def test_mean_differences_agree_with_paired_t_of_r():
    golden = VALUES["mean_differences"]
    found = mean_differences(np.array(golden["scores"]), all_pairs(4)[0])
    for name in ("estimate", "std_error", "low", "high"):
        np.testing.assert_allclose(getattr(found, name), golden[name], rtol=1e-11)
    assert (found.df == 8).all()


def test_mean_differences_use_the_blocks_of_both():
    scores = np.array(VALUES["mean_differences"]["scores"])
    scores[:2, 0] = np.nan
    scores[1:, 3] = np.nan
    pairs = all_pairs(4)[0]
    found = mean_differences(scores, pairs)
    part = mean_differences(scores[2:], pairs)
    assert found.low[0] == pytest.approx(part.low[0])
    assert found.df.tolist() == [6, 6, 0, 8, 0, 0]
    assert np.isnan(found.estimate[2])
    assert not np.isnan(found.estimate[4])
    assert found.low[4] == -np.inf
