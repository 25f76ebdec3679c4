"""Kinds of scores are recognised, and ordinary scores are not taken for them."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.comparison.checks.caveats import caveats
from benchinfer.scores.checks import kinds
from benchinfer.scores.checks.facts import mean_ranks
from benchinfer.scores.checks.kinds import counts_out_of, trials
from tests.scores.tables import additive, facts, found, table

KINDS = {"0/1 scores", "ranks", "counts out of n", "whole numbers", "scores on a bound"}


def test_right_or_wrong_on_one_data_set():
    rng = np.random.default_rng(1)
    items = (rng.random((1, 3, 40)) < 0.7).astype(float)
    finding = found(items, resampling="items")["0/1 scores"]
    assert (finding.severity, finding.count) == ("note", 1)
    assert finding.where[1] == ("acc", "120", f"{items.mean():.3g}")
    assert "compare_pair" in finding.hint
    assert "wilson" in finding.hint


def test_right_or_wrong_across_data_sets():
    rng = np.random.default_rng(2)
    items = (rng.random((5, 3, 20)) < 0.6).astype(float)
    assert 'likelihood="binomial"' in found(items)["0/1 scores"].hint


def test_right_or_wrong_needs_every_score_to_be():
    rng = np.random.default_rng(3)
    items = (rng.random((4, 3, 25)) < 0.6).astype(float)
    items[2, 1, 7] = 0.5
    assert "0/1 scores" not in found(items)
    assert "0/1 scores" not in found(np.ones((4, 3, 5)))


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_ranks(better):
    rng = np.random.default_rng(4)
    values = rng.random((6, 5)).argsort(axis=1).argsort(axis=1) + 1.0
    values[0] = [1.5, 1.5, 3, 4, 5]
    assert found(values, f"place:{better}")["ranks"].count == 30
    values[3, 2] += 1
    assert "ranks" not in found(values, f"place:{better}")


def test_grades_are_no_ranks():
    grades = np.random.default_rng(5).integers(1, 6, (12, 5)).astype(float)
    assert "ranks" not in found(grades)


def test_shares_of_n_items_as_published():
    rng = np.random.default_rng(6)
    sizes = [164, 30, 450]
    shares = np.array([rng.choice(n - 1, 6, replace=False) / n for n in sizes]).round(4)
    finding = found(shares)["counts out of n"]
    assert finding.where[1:] == tuple((f"d{i:03}", "acc", str(n)) for i, n in enumerate(sizes))
    assert "trials=" in finding.hint
    assert found(100 * shares)["counts out of n"].where == finding.where


def test_rounded_numbers_are_no_shares_of_n():
    rng = np.random.default_rng(7)
    for decimals in (2, 3, 4, 6, 16):
        for _ in range(20):
            assert not counts_out_of(facts(rng.uniform(0.3, 0.9, (6, 5)).round(decimals)))


@pytest.mark.parametrize(
    ("measure", "values", "asked"),
    [
        ("solved:higher", [[12, 40, 30], [3, 9, 17]], True),
        ("solved:lower", [[12, 40, 30], [3, 9, 17]], False),  # as times in whole seconds
        ("solved:higher", [[12, 40.5, 30], [3, 9, 17]], False),
        ("solved:higher", [[-1, 40, 30], [3, 9, 17]], False),
        ("solved:higher", [[1, 2, 3], [3, 2, 1], [2, 1, 3]], False),  # ranks
        ("solved:higher", [[0, 1, 1], [0, 1, 0]], False),
        ("accuracy:higher", [[12, 40, 30], [3, 9, 17]], False),  # per cent
        (bi.Measure("solved", "higher", unit="%"), [[12, 40, 30], [3, 9, 17]], False),
    ],
)
def test_whole_numbers_may_be_counts_of_successes(measure, values, asked):
    finding = found(np.array(values, float), measure).get("whole numbers")
    assert (finding is not None) == asked
    if finding is not None:
        assert finding.where[1] == ("solved", "3 to 40")
        assert "number of trials" in finding.hint


def test_whole_numbers_are_named_before_the_headline():
    values = np.random.default_rng(5).integers(20, 90, (6, 4)).astype(float)
    scores = bi.read_scores(table(values), measures="solved:higher")
    assert "divide each" in str(caveats(bi.compare_mixed(scores))["whole numbers"])


def test_an_unused_column_of_trials_is_named_with_what_to_do():
    rows = table(np.random.default_rng(5).integers(20, 90, (6, 4)).astype(float))
    noted = {
        name: next(
            one.hint
            for one in bi.read_scores(
                rows.assign(**{name: 100}), measures="solved:higher"
            ).finding_records
            if one.rule == "unused columns"
        )
        for name in ("n_trials", "note")
    }
    assert "divide counts by it" in noted["n_trials"]
    assert 'trials="n_trials"' in noted["n_trials"]
    assert "divide" not in noted["note"]


def test_folds_are_no_trials():
    shares = np.random.default_rng(8).integers(20, 69, (4, 3, 10)) / 69
    assert "counts out of n" not in found(shares)


def test_trials_of_exact_shares():
    assert trials(np.array([1, 5, 7, 11]) / 13) == 13
    assert trials(np.array([0.0, 1.0, 0.5])) == 0


@pytest.mark.parametrize("replications", [1, 5])
def test_scores_on_a_declared_bound(replications):
    rng = np.random.default_rng(9)
    values = np.minimum(1, rng.normal(0.9, 0.15, (8, 4, replications))).clip(0)
    share = (values == 1).mean()
    measure = bi.Measure("acc", better="higher", bounds=(0, 1))
    finding = found(values, [measure])["scores on a bound"]
    assert finding.severity == "warning"
    assert finding.where[1][2] == f"{(values == 1).sum()} of {values.size}"
    assert finding.where[1][3] == f"{100 * share:.0f} %"


def test_a_few_scores_on_a_bound_are_none():
    rng = np.random.default_rng(10)
    values = rng.uniform(0.5, 0.99, (10, 4))
    values[0, :3] = 1.0
    assert "scores on a bound" not in found(values)


def test_the_largest_score_is_no_bound():
    values = np.minimum(3600, np.random.default_rng(11).exponential(3000, (10, 4)))
    assert "scores on a bound" not in found(values, "seconds:lower")


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "duckdb"])
def test_scores_on_a_bound_are_counted_alike_by_all_engines(engine):
    import duckdb
    import polars as pl
    import pyarrow as pa

    values = np.minimum(1, np.random.default_rng(12).normal(0.9, 0.15, (3, 3, 8)))
    frame = table(values)
    into = {
        "pandas": lambda f: f,
        "polars": pl.from_pandas,
        "pyarrow": pa.Table.from_pandas,
        "duckdb": lambda f: duckdb.from_arrow(pa.Table.from_pandas(f)),
    }
    scores = bi.read_scores(into[engine](frame), measures="acc:higher")
    one = {f.rule: f for f in scores.finding_records}["scores on a bound"]
    assert one.where[1][2] == f"{(values == 1).sum()} of 72"
    part = scores.subset(datasets=["d000"])
    assert part.summary.at_ends[..., 1].sum() == (values[0] == 1).sum()


def test_ordinary_scores_are_of_no_kind():
    rng = np.random.default_rng(13)
    for d, k in ((3, 2), (12, 4), (30, 6)):
        assert not KINDS & set(found(additive(rng, d, k)))
    for name in ("demsar2006", "sklearn_bootstrap", "simulated/balanced"):
        assert not KINDS & {f.rule for f in bi.load_example(name).finding_records}


def test_mean_ranks_are_those_of_scipy():
    from scipy.stats import rankdata

    values = np.random.default_rng(14).integers(0, 4, (30, 9)).astype(float)
    assert (mean_ranks(values) == rankdata(values, axis=1)).all()


@pytest.mark.slow
def test_checks_of_a_table_take_no_special_functions():
    import subprocess
    import sys

    code = (
        "import sys, benchinfer as bi\n"
        "for name in ('sklearn_bootstrap', 'simulated/unbalanced'):\n"
        "    bi.load_example(name).finding_records\n"
        "assert not any(name.startswith('scipy') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_many_data_sets_without_shares_are_not_all_looked_at(monkeypatch):
    """Shares of 30 on the first data sets are found; those of a table of times are not sought."""
    looked, of = [], kinds.trials
    monkeypatch.setattr(kinds, "trials", lambda values: looked.append(0) or of(values))
    rng = np.random.default_rng(3)
    times = rng.uniform(0.1, 0.9, (1500, 3))
    assert counts_out_of(facts(times)) is None
    assert len(looked) == 500
    times[::2] = np.round(rng.integers(1, 30, (750, 3)) / 31, 4)
    assert counts_out_of(facts(times)).count > 100
    assert len(looked) == 500 + 1500
