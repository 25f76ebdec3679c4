"""Other models beside a comparison, by few draws."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.bayes import fit, sensitivity
from benchinfer.analyses.bayes.numerics import gibbs
from benchinfer.core.verdict import Verdict
from tests.analyses.bayes.test_compare import read


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(fit, "WARM_UP", 150)


def outlying(n=12, far=-3.0, shift=0.5):
    """Return a table on which b is a little better than a, but on one data set far worse."""
    rng = np.random.default_rng(4)
    rows = []
    for i in range(n):
        gain = far if i == 0 else 0.1 + 0.05 * rng.standard_normal()
        rows += [(f"d{i}", r, "a", shift + 0.01 * rng.standard_normal()) for r in range(4)]
        rows += [(f"d{i}", r, "b", shift + gain + 0.01 * rng.standard_normal()) for r in range(4)]
    return pd.DataFrame(rows, columns=["dataset", "replication", "algorithm", "value"])


def test_one_unusual_data_set_turns_the_answer():
    result = bi.compare_bayes(read(outlying()), draws=400, seed=1, sensitivity="quick")
    assert result.ranks.best[1] > 0.95
    assert result.other_models.variants[0] == 'interactions="normal" (every data set counts fully)'
    assert result.other_models.best[0, 1] < 0.5
    row = result.diagnostics().iloc[-1]
    assert (row["value"], row["ok"]) == (result.other_models.disagree, False)
    assert 'interactions="normal" (every data set counts fully): a is likeliest' in row["sentence"]
    assert "rather than b" in row["sentence"]


@pytest.mark.slow
def test_few_draws_tell_what_many_do():
    scores = read(outlying(far=-0.2))
    result = bi.compare_bayes(scores, draws=400, seed=1, sensitivity="quick")
    many = bi.compare_bayes(scores, interactions="normal", draws=800, seed=2)
    error = np.hypot(result.other_models.error[0], many.ranks.error.max())
    np.testing.assert_allclose(result.other_models.best[0], many.ranks.best, atol=4 * error)
    after = many.ranks_following
    np.testing.assert_allclose(result.other_models.following[0], after.best, atol=4 * error)


def test_where_nothing_is_unusual_all_agree():
    result = bi.compare_bayes(
        read(outlying(far=0.1, shift=0.9)),
        draws=400,
        seed=1,
        sensitivity="quick",
        target="datasets",
    )
    assert result.other_models.disagree == 0
    assert result.other_models.following is None
    assert result.diagnostics().iloc[-1]["ok"]
    rows = result.other_models.table(result.measure, result.algorithms)
    # Some scores are above 1: there is room for logs, and none for log-odds.
    assert rows["variant"].unique().tolist()[1:] == ["standardised on each data set", 'scale="log"']
    np.testing.assert_allclose(rows.groupby("variant")["prob_best"].sum(), 1)


def test_logs_are_left_out_where_there_is_room_for_log_odds():
    result = bi.compare_bayes(
        read(outlying(far=0.1, shift=0.3)), draws=400, seed=1, sensitivity="quick"
    )
    assert result.other_models.variants[1:] == ("standardised on each data set", 'scale="logit"')


def test_nobody_is_asked_by_default():
    result = bi.compare_bayes(read(outlying()), draws=100, chains=4, seed=1)
    assert result.other_models is None
    assert sensitivity.leaders(result)[1] == []


def test_what_cannot_be_sampled_is_left_out(monkeypatch):
    def fails(*_, **__):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(sensitivity, "_compare_by", fails)
    result = bi.compare_bayes(read(outlying()), draws=100, chains=4, seed=1, sensitivity="quick")
    assert result.other_models is None
    monkeypatch.setattr(gibbs, "sample", fails)
    with pytest.raises(bi.DesignError, match="spike at 0 that cannot be sampled"):
        bi.compare_bayes(read(outlying()), draws=100, chains=4, seed=1)


def test_changes_within_monte_carlo_error_are_none():
    result = bi.compare_bayes(read(outlying(far=0.1)), draws=400, seed=1)
    by_code = {Verdict.FIRST: "first", Verdict.SECOND: "second", Verdict.EQUIVALENT: "equivalent"}
    own = int(result.pairs.codes[0])
    p = float(getattr(result.outcomes, by_code[Verdict(own)])[0])
    from dataclasses import replace

    error = np.array([0.01])
    near = replace(result, level=1.01, average=replace(result.average, error=error))
    # One direction is decided beyond (1 + level) / 2, which is p - 0.015 and p - 0.03.
    assert not sensitivity.changed_pairs(replace(result, level=2 * p - 1.03), near).any()
    assert sensitivity.changed_pairs(replace(result, level=2 * p - 1.06), near).all()
