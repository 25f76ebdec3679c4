"""Data sets left out: importance weights against sampling anew without each of them."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp

import benchinfer as bi
from benchinfer.analyses.bayes.leave_one_out import sample_without, select_datasets
from benchinfer.analyses.bayes.numerics.predictive import log_marginals
from benchinfer.comparison.posterior import Convergence


def table(d=8, k=3, n=4, far=0.0, seed=2, domains=0):
    rng = np.random.default_rng(seed)
    effect = np.linspace(0, 1, k) + 0.7 * rng.standard_normal((d, k))
    effect[0, 0] += far
    i, r, a = (x.ravel() for x in np.indices((d, n, k)))
    columns = {
        "dataset": [f"d{x}" for x in i],
        "replication": r,
        "algorithm": [f"a{x}" for x in a],
        "value": effect[i, a] + 0.4 * rng.standard_normal(i.size),
    }
    if domains:
        columns["domain"] = [f"e{x % domains}" for x in i]
    measures = [bi.Measure("value", "higher")]
    return bi.read_scores(pd.DataFrame(columns), measures=measures, paired=True)


@pytest.fixture
def _quick(monkeypatch):
    """Take the first draws, however few."""
    monkeypatch.setattr(Convergence, "passed", property(lambda _: True))


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("domains", [0, 4])
def test_weights_agree_with_refits(domains):
    scores = table(domains=domains)
    asked = {"draws": 300, "chains": 4, "seed": 1}
    result = bi.compare_bayes(scores, domains="random" if domains else "pooled", **asked)
    weighted = result.loo(refit=False)
    assert not weighted.refitted.any()
    good = np.argsort(weighted.pareto_k)[:2]
    assert weighted.pareto_k[good].max() < 0.5
    rng = np.random.default_rng(1)
    for m in good:
        other = sample_without(result.sampled, m, 300, rng, None)
        both, residuals = log_marginals(select_datasets(result.data, np.array([m])), other)
        exact = logsumexp(both) - np.log(len(other))
        assert weighted.pointwise[m] == pytest.approx(exact, abs=0.25)
        exact -= logsumexp(residuals) - np.log(len(other))
        assert weighted.contrasts[m] == pytest.approx(exact, abs=0.25)
    assert weighted.elpd == pytest.approx(weighted.table()["elpd"].sum())


@pytest.mark.usefixtures("_quick")
def test_an_influential_data_set_is_named_and_refitted():
    result = bi.compare_bayes(table(far=12.0), interactions="normal", draws=200, chains=4, seed=1)
    left = result.loo(draws=100)
    assert left.refitted[0]
    row = left.diagnostics().iloc[0]
    assert not row["ok"]
    assert "d0" in row["sentence"]
    assert left.diagnostics()["ok"][1]
    assert left.pointwise[0] == left.pointwise.min()
    assert not result.loo(refit=False).diagnostics()["ok"][1]


@pytest.mark.usefixtures("_quick")
def test_arviz_reads_the_tree():
    from arviz_stats import loo

    result = bi.compare_bayes(table(), draws=200, chains=4, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a Pareto k that is just too large
        left = loo(result.posterior, reff=1.0, pointwise=True)
    assert float(left.elpd) == pytest.approx(result.loo(refit=False).elpd, abs=0.3)
    assert left.elpd_i.sizes == {"dataset": 8}
