"""Intervals of one pair's effects, by hand."""

import numpy as np
import pytest
from scipy.stats import norm, t

import benchinfer as bi
from benchinfer.analyses.meta.tables import study_intervals


def test_by_hand():
    scores = bi.load_example("simulated/balanced")
    meta = bi.compare_meta(scores)
    found = study_intervals(meta, 0)
    wide = scores.to_frame().pivot_table("value", ["dataset", "replication"], "algorithm")
    first, second = (scores.algorithms[k] for k in meta.pairs.index[0])
    gap = (wide[first] - wide[second]).groupby("dataset")
    mean = gap.mean()
    assert found.datasets == tuple(scores.datasets)
    np.testing.assert_allclose(found.estimate, mean[list(found.datasets)])
    v = meta.studies.pair(*(int(k) for k in meta.pairs.index[0])).v
    np.testing.assert_allclose(found.high - found.low, 2 * norm.ppf(0.975) * np.sqrt(v))
    own = meta.alone.std_error[0]
    critical = t.ppf(0.975, len(mean) - 1)
    estimate, low, high = found.pooled
    assert (high - low) / 2 == pytest.approx(critical * own)
    assert estimate == pytest.approx((low + high) / 2)
    # On a complete table the network's estimate is near, and its robust error the same.
    ahead = meta.predict().contrasts().iloc[0]
    assert found.ahead == pytest.approx((ahead["conf_low"], ahead["conf_high"]))
    assert sum(found.ahead) / 2 == pytest.approx(found.network[0])
    pairs = bi.compare_meta(scores, pooling="pairwise")
    apart, wide = study_intervals(pairs, 0), pairs.alone.std_error[0] ** 2 + pairs.alone.tau2[0]
    assert apart.network is None
    assert apart.ahead[1] - apart.pooled[0] == pytest.approx(critical * np.sqrt(wide))
    assert found.weight.max() == 1
