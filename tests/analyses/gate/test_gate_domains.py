"""A gate on data sets of few domains: claims about these, each with the same weight."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi


def of_domains(seed, g):
    """Return scores on g domains of unequal size; the candidate is worse on the largest alone."""
    draw = np.random.default_rng(seed)
    rows = []
    for i in range(g):
        for j in range(12 if i == 0 else 4):
            level, change = draw.normal(0.7, 0.05), draw.normal(-0.06 if i == 0 else 0.05, 0.01)
            place = {"domain": f"g{i}", "dataset": f"g{i}_{j}"}
            rows.append({**place, "algorithm": "old", "acc": level})
            rows.append({**place, "algorithm": "new", "acc": level + change})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("g", [2, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_the_difference_is_the_mean_over_domains_as_compare_has_it(g, seed):
    frame = of_domains(seed, g)
    scores = bi.read_scores(frame, measures="acc:higher:0.02")
    row = bi.gate(scores, baseline="old", candidate="new")["acc"]
    wide = frame.pivot_table(index=["domain", "dataset"], columns="algorithm", values="acc")
    d = (wide["new"] - wide["old"]).groupby("domain")
    assert row.estimate == pytest.approx(d.mean().mean(), abs=1e-9)
    compared = bi.compare(scores, level=0.9)["acc"].contrasts()  # two one-sided bounds of 95 %
    assert row.low == pytest.approx(compared["conf_low"].item(), abs=1e-6)
    assert row.high == pytest.approx(compared["conf_high"].item(), abs=1e-6)
