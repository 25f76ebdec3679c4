"""The same numbers for any number of processes."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.parallel import in_order
from benchinfer.core.saving import encode


def scores(datasets=8, replications=4, algorithms=4):
    rng = np.random.default_rng(20261123)
    d, r, a = np.indices((datasets, replications, algorithms)).reshape(3, -1)
    size = rng.normal(size=datasets)
    rows = {
        "dataset": [f"d{i}" for i in d],
        "replication": r,
        "algorithm": [f"a{i}" for i in a],
        "accuracy": size[d] + 0.4 * a * np.sign(size[d]) + 0.3 * rng.normal(size=len(d)),
        "size": size[d],
    }
    return bi.read_scores(pd.DataFrame(rows), measures={"accuracy": "higher"}, covariates=["size"])


def votes():
    return bi.per_dataset(bi.compare_points, scores()).relations()


def effects():
    rng = np.random.default_rng(3)
    rows = [
        (f"d{d}", "ab"[i], "bc"[j], rng.normal(), 0.5)
        for d in range(6)
        for i in range(2)
        for j in range(i, 2)
    ]
    names = ["study", "first", "second", "estimate", "std_error"]
    return bi.read_effects(pd.DataFrame(rows, columns=names), measures={"accuracy": "higher"})


WORK = {
    "bootstrapped consensus": lambda n: bi.stability.bootstrap_consensus(
        votes(), resamples=20, seed=1, n_jobs=n
    ),
    "resampled relations": lambda n: [
        ensemble.states
        for ensemble in bi.stability.resample_relations(
            bi.compare_mixed, scores(), resamples=4, seed=1, n_jobs=n
        )
    ],
    "archetypes": lambda n: bi.archetypes(scores(), starts=3, seed=1, n_jobs=n),
    "resampled archetypes": lambda n: bi.archetypes(scores(), k=2, seed=1).stability(
        10, seed=1, n_jobs=n
    ),
    "trees": lambda n: bi.compare_subgroups(scores(40), minsize=8, seed=1).stability(
        8, seed=1, n_jobs=n
    ),
    "data sets of a mixed model": lambda n: (
        bi.compare_mixed(scores()).influence(n_jobs=n).to_dict("list")
    ),
    "algorithms of a mixed model": lambda n: (
        bi.compare_mixed(scores()).influence("algorithm", scores(), n_jobs=n).to_dict("list")
    ),
    "data sets of a meta-analysis": lambda n: (
        bi.compare_meta(effects()).influence(n_jobs=n).to_dict("list")
    ),
}


# These share one way to run processes; the first of each kind shows it.
ALIKE = {
    "resampled relations",
    "archetypes",
    "trees",
    "algorithms of a mixed model",
    "data sets of a meta-analysis",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "work",
    [
        pytest.param(work, id=name, marks=[pytest.mark.calibration] * (name in ALIKE))
        for name, work in WORK.items()
    ],
)
def test_processes_give_the_same_numbers(work):
    with pytest.raises(ArgumentError, match="n_jobs is 0"):
        work(0)
    assert repr(encode(work(1))) == repr(encode(work(2)))


def test_functions_without_a_name_are_refused():
    def compare(scores, measure):
        return bi.compare_points(scores, measure)

    with pytest.raises(ArgumentError, match="other processes cannot be given this analysis"):
        bi.stability.resample_relations(compare, scores(), n_jobs=2)


def test_results_come_in_the_order_of_many_items():
    assert list(in_order(abs, range(-40, 0), 2, processes=True)) == list(range(40, 0, -1))
    assert list(in_order(abs, [], 2, processes=True)) == []
