"""per_dataset: what each data set gives by itself, whatever the table holds."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import benchinfer as bi
from benchinfer.core.errors import DesignError


def rows(seed, shape=(6, 5, 4), missing=0.0, effect=0.5):
    rng = np.random.default_rng(seed)
    d, b, k = np.indices(shape).reshape(3, -1)
    values = (
        rng.normal(size=shape[0])[d]
        + effect * k
        + 0.3 * rng.normal(size=(shape[0], shape[1]))[d, b]
    )
    found = pd.DataFrame(
        {
            "dataset": [f"d{i:02d}" for i in d],
            "replication": [str(i + 1) for i in b],
            "algorithm": [f"alg {i}" for i in k],
            "value": values + 0.5 * rng.normal(size=len(d)),
        }
    )
    return found[rng.random(len(found)) >= missing]


def complete():
    return bi.read_scores(
        rows(1), measures=bi.Measure("score", "higher", tolerance=0.3), paired=True
    )


def with_missing_scores():
    found = rows(2, missing=0.25)
    gone = (found["dataset"] == "d01") & (found["algorithm"] == "alg 2")
    return bi.read_scores(found[~gone], measures={"score": "lower"}, paired=True)


def unpaired():
    return bi.read_scores(rows(3, missing=0.1), measures={"score": "higher"}, paired=False)


def overlapping():
    resampling = bi.Resampling("cv", folds=5)
    return bi.read_scores(rows(4), measures={"score": "higher"}, resampling=resampling)


def undeclared_overlap():
    resampling = bi.Resampling("cv")
    return bi.read_scores(rows(4), measures={"score": "higher"}, resampling=resampling)


def refused_in_part():
    found = rows(5)
    found = found[(found["dataset"] != "d00") | (found["algorithm"] == "alg 0")]
    found = found[(found["dataset"] != "d01") | (found["replication"] == "1")]
    found.loc[found["dataset"] == "d02", "value"] = 1.0
    return bi.read_scores(found, measures={"score": "higher"}, paired=True)


def several_measures():
    first, second = rows(6), rows(7, missing=0.1)
    first["measure"], second["measure"] = "error", "time"
    second["value"] = np.exp(second["value"])
    second = second[(second["dataset"] != "d03") & (second["algorithm"] != "alg 1")]
    both = pd.concat([second, first]).sample(frac=1, random_state=1)
    measures = [bi.Measure("error", "lower"), bi.Measure("time", "lower", scale="log")]
    return bi.read_scores(both, measures=measures, paired=True)


def labels_of_both_kinds():
    # As text over the whole table, as numbers where a data set has numbers only.
    found = rows(8, shape=(4, 12, 3))
    found.loc[found["dataset"] == "d02", "replication"] += "b"
    return bi.read_scores(found, measures={"score": "higher"}, paired=True)


def domains():
    found = rows(9).assign(domain=lambda table: np.where(table["dataset"] < "d03", "text", "image"))
    return bi.read_scores(found, measures={"score": "higher"}, paired=True)


def lazy():
    found = pl.from_pandas(rows(10, missing=0.2)).lazy()
    return bi.read_scores(found, measures={"score": "higher"}, paired=True)


TABLES = (
    complete,
    with_missing_scores,
    unpaired,
    overlapping,
    undeclared_overlap,
    refused_in_part,
    several_measures,
    labels_of_both_kinds,
    domains,
    lazy,
)


def alone(compare, scores, measure, **arguments):
    """Narrow the table to each data set, and compare there."""
    results, refused = {}, {}
    for name in scores.datasets:
        try:
            results[name] = compare(scores.subset(datasets=name), measure, **arguments)
        except DesignError as error:
            refused[name] = str(error).partition("\nHint: ")[0].partition("\n")[0]
    return results, refused


def assert_same(found, expected, folder: Path, rtol=0.0) -> None:
    """Compare everything that two results hold: numbers to the last bit unless said otherwise."""
    numbers = []
    words = []
    for result in (found, expected):
        result.save(folder / "result.json")
        text = (folder / "result.json").read_text(encoding="utf-8")
        numbers.append([])
        words.append(json.loads(text, parse_float=lambda x: numbers[-1].append(float(x))))
        del words[-1]["sha256"]
    assert words[0] == words[1]
    np.testing.assert_allclose(*numbers, rtol=rtol, atol=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("make", TABLES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("compare", [bi.compare_mixed, bi.compare_points])
def test_equals_each_data_set_by_itself(compare, make, tmp_path):
    scores = make()
    for measure in scores.measures:
        results, refused = alone(compare, scores, measure.name)
        if not results:
            with pytest.raises(DesignError, match="can be compared by itself"):
                bi.per_dataset(compare, scores, measure.name)
            continue
        found = bi.per_dataset(compare, scores, measure.name)
        assert found.refused == refused
        assert list(found) == list(results)
        # Engines with several threads, and labels that are sorted as text, sum in another order.
        rtol = 1e-12 if make in {lazy, labels_of_both_kinds} else 0.0
        for name, result in results.items():
            assert_same(found[name], result, tmp_path, rtol)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        {"df": "satterthwaite", "adjust": "holm"},
        {"contrasts": "dunnett", "control": "alg 2"},
        {"adjust": "westfall", "structure": "common", "level": 0.9},
        {"missing": "error"},
    ],
    ids=str,
)
def test_arguments_are_passed_on(arguments, tmp_path):
    scores = bi.read_scores(rows(11)[7:], measures={"score": "higher"}, paired=True)
    results, refused = alone(bi.compare_mixed, scores, None, **arguments)
    assert bool(refused) == ("missing" in arguments)
    found = bi.per_dataset(bi.compare_mixed, scores, **arguments)
    assert found.refused == refused
    for name, result in results.items():
        assert_same(found[name], result, tmp_path)


def test_refused_data_sets_are_named_with_their_reasons():
    found = bi.per_dataset(bi.compare_mixed, refused_in_part())
    assert list(found) == ["d03", "d04", "d05"]
    assert list(found.refused) == ["d00", "d01", "d02"]
    assert found.refused["d00"].startswith("1 algorithm has scores")
    assert found.refused["d01"].startswith("one data set with one score per algorithm")
    assert repr(found) == "<Comparisons of 3 data sets, 3 refused>"


def test_rows_are_fetched_once_for_all_data_sets(monkeypatch):
    from benchinfer.scores.rows import engine, summary

    fetched = []

    def collect(frame, measure, *names):
        fetched.append(measure)
        return original(frame, measure, *names)

    original = summary.collect
    monkeypatch.setattr(engine, "collect", collect)
    bi.per_dataset(bi.compare_mixed, several_measures(), "error")
    assert sorted(fetched) == ["error", "time"]


@pytest.mark.slow
def test_processes_give_the_same_comparisons():
    scores = refused_in_part()
    one, two = (bi.per_dataset(bi.compare_mixed, scores, n_jobs=n) for n in (1, 2))
    assert one.refused == two.refused
    pd.testing.assert_frame_equal(
        one.contrasts(all=True), two.contrasts(all=True), check_exact=True
    )
    pd.testing.assert_frame_equal(one.diagnostics(), two.diagnostics(), check_exact=True)


def test_what_other_processes_cannot_be_given_is_refused():
    def compare(scores, measure):
        return bi.compare_mixed(scores, measure)

    with pytest.raises(DesignError, match="other processes cannot be given this analysis") as error:
        bi.per_dataset(compare, complete(), n_jobs=2)
    assert "n_jobs=1" in str(error.value)
    for n in (0, -2, 1.5, True):
        with pytest.raises(DesignError, match="n_jobs is"):
            bi.per_dataset(bi.compare_mixed, complete(), n_jobs=n)
