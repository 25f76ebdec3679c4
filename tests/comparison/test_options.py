"""Arguments of analyses as records, and what they refuse."""

import importlib
import inspect
from dataclasses import fields

import pytest

import benchinfer as bi
from benchinfer.analyses import ANALYSES
from benchinfer.comparison.options import AnalysisOptions
from benchinfer.core.arguments import ArgumentError

# What the record resolves, or has no use for.
ELSEWHERE = {"scores", "n_jobs", "progress"}


def records() -> dict[str, type[AnalysisOptions]]:
    for home in ANALYSES.values():
        importlib.import_module(home)
    found, new = {}, [AnalysisOptions]
    while new:
        kind = new.pop()
        new += kind.__subclasses__()
        if "analysis" in vars(kind):
            found[kind.analysis] = kind
    return found


def test_each_analysis_has_a_record_of_its_arguments() -> None:
    kinds = records()
    assert set(kinds) >= {f"compare_{name}" for name in ANALYSES}
    for name, home in ANALYSES.items():
        function = getattr(importlib.import_module(home), f"compare_{name}")
        asked = set(inspect.signature(function).parameters) - ELSEWHERE
        own = {field.name for field in fields(kinds[f"compare_{name}"])}
        # A pair has one family of contrasts, which follows from its control.
        assert own - asked == ({"contrasts"} if name == "pair" else set())
        assert asked <= own


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"df": "exact"}, "unknown df 'exact'"),
        ({"structure": "own"}, "unknown structure 'own'"),
        ({"target": "world"}, "unknown target 'world'"),
        ({"missing": 3}, "unknown missing 3"),
        ({"level": 95}, "level is 95"),
        ({"alternative": "less"}, "unknown alternative 'less'"),
        ({"control": "svm", "contrasts": "mean"}, "the control 'svm' does not go with"),
        ({"contrasts": "dunnett"}, "need a control"),
        ({"contrasts": ["C4.5", "svm"]}, "unknown algorithm 'svm'"),
        ({"adjust": "westfall", "structure": "diagonal"}, "one variance common to all pairs"),
        ({"target": "datasets", "domains": "random"}, "takes each data set by itself"),
    ],
)
def test_arguments_are_refused_before_the_work(arguments: dict, said: str, monkeypatch) -> None:
    def fit(*_: object) -> None:
        raise AssertionError("the model is fitted")

    monkeypatch.setattr("benchinfer.analyses.mixed.compare.fit_design", fit)
    with pytest.raises(ArgumentError, match=said):
        bi.compare_mixed(bi.load_example("demsar2006"), **arguments)


def test_a_result_has_its_arguments_also_from_a_file(tmp_path) -> None:
    scores = bi.load_example("demsar2006")
    result = bi.compare_mixed(scores, control="C4.5", df="asymptotic")
    path = result.save(tmp_path / "result.json")
    for found in (result, bi.load(path)):
        assert found.options == result.provenance.options
        assert (found.options.contrasts, found.options.df) == ("dunnett", "asymptotic")
        assert found.options.arguments() == dict(result.provenance.arguments)


def test_arguments_that_fit_no_data_set_are_not_reported_for_each() -> None:
    scores = bi.load_example("sklearn_bootstrap")
    with pytest.raises(ArgumentError, match="unknown control 'z'"):
        bi.per_dataset(bi.compare_mixed, scores, "error", control="z")
    with pytest.raises(ArgumentError, match="per_dataset takes each data set by itself"):
        bi.per_dataset(bi.compare_mixed, scores, "error", target="domain")


def test_options_of_lists_and_mappings_come_back_from_a_file(tmp_path) -> None:
    scores = bi.load_example("demsar2006")
    named = {"half": {"C4.5": 1.0, "C4.5+m": -1.0}}
    for contrasts in (["C4.5", "C4.5+m"], ("C4.5", "C4.5+cf"), named):
        result = bi.compare_mixed(scores, contrasts=contrasts, df="asymptotic")
        again = bi.load(result.save(tmp_path / "result.json"))
        assert again.options == result.options
        assert again.headline() == result.headline()
