"""Results on one line, in text and in full."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer import typing
from benchinfer.core.numbers import line
from benchinfer.core.result import Readable

LIMIT = 100
TWO = ["first measure", "second measure"]


def scores(
    k, datasets=6, replications=2, measures=("quality of the fitted surface",), tolerance=0.01
):
    """Return a table of K algorithms with long names, of 0 to 1."""
    rng = np.random.default_rng(k)
    shape = (len(measures), datasets, k, replications)
    values = rng.random(shape) * 0.3 + 0.6 * np.arange(k)[:, None] / k
    m, d, a, r = np.indices(shape).reshape(4, -1)
    frame = pd.DataFrame(
        {
            "measure": np.array(measures)[m],
            "dataset": [f"a data set with a long name, number {i}" for i in d],
            "algorithm": [f"an algorithm with a long name, number {i:02d}" for i in a],
            "replication": r,
            "value": values.ravel(),
        }
    )
    sizes = {name: 10.0 * n + 10 for n, name in enumerate(frame["dataset"].unique())}
    return bi.read_scores(
        frame.assign(size=frame["dataset"].map(sizes)),
        measures=[f"{name}:higher:{tolerance}" for name in measures],
        covariates=["size"],
        resampling=bi.Resampling("independent"),
    )


@cache
def read(k):
    return scores(k)


def crossed(k):
    """Return the effects of two factors, one of K levels with long names."""
    rng = np.random.default_rng(k)
    names = [f"level number {i} of the encoder" for i in range(k)]
    at = [(f"d{d}", name, aug) for d in range(6) for name in names for aug in ("with", "without")]
    frame = pd.DataFrame(at, columns=["dataset", "encoder", "augmentation"])
    frame["quality of the fitted surface"] = rng.random(len(frame))
    roles = dict.fromkeys(("encoder", "augmentation"), "factor")
    measures = "quality of the fitted surface:higher"
    return bi.compare_factors(bi.read_scores(frame, columns=roles, measures=measures))


@cache
def local(k):
    return bi.per_dataset(bi.compare_points, read(k))


@cache
def sampled(k):
    return bi.compare_bayes(read(k), draws=100, chains=4, seed=1)


def answers(k):
    names = [f"a measure with a long name, number {n}" for n in range(4)]
    return bi.compare(scores(k, datasets=8, replications=1, measures=names))


def allocated(k):
    """Return a plan of items and answers of K algorithms."""
    rng = np.random.default_rng(k)
    d, i, e, a = np.indices((2, 8, 3, k)).reshape(4, -1)
    frame = pd.DataFrame({"dataset": d, "item": i, "epoch": e, "algorithm": a}).astype(str)
    frame["algorithm"] = "an algorithm with a long name, number " + frame["algorithm"]
    frame["value"] = rng.normal(size=(2, 8, 1, k)).repeat(3, axis=2).ravel() + rng.random(len(a))
    units = ("item", "epoch")
    return bi.allocate(bi.read_scores(frame, measures="quality:higher", units=units))


def groups(k):
    return bi.compare_subgroups(scores(k, datasets=24), tests="asymptotic")


def gated(k):
    names = read(k).algorithms
    return bi.gate(read(k), baseline=names[0], candidate=names[1])


def wins(k):
    names = read(k).algorithms
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    frame = pd.DataFrame(pairs, columns=["first", "second"])
    return bi.read_wins(frame.assign(wins=3, ties=1, losses=2))


def effects(k):
    names = read(k).algorithms
    frame = pd.DataFrame(
        [("s1", f"d{n}", names[0], b, 0.1, 0.05) for n, b in enumerate(names[1:])],
        columns=["study", "dataset", "first", "second", "estimate", "std_error"],
    )
    return bi.read_effects(frame, measures="quality of the fitted surface of the model:higher")


def few(k):
    """Return orders on K algorithms whose consensus is found at once: they are the same."""
    names = read(k).algorithms
    return bi.Ensemble(
        {
            f"r{n}": bi.Relation.from_pairs(
                names, {(a, b): "first" for i, a in enumerate(names) for b in names[i + 1 :]}
            )
            for n in range(4)
        }
    )


def steady(k):
    return bi.stability.bootstrap_consensus(few(k), resamples=9, seed=1)


MADE = {
    "ScoreTable": read,
    "SufficientStatistics": lambda k: read(k).statistics(),
    "Coverage": lambda k: read(k).coverage("quality of the fitted surface"),
    "Answer": answers,
    "PointsComparison": lambda k: bi.compare_points(read(k)),
    "MixedComparison": lambda k: bi.compare_mixed(read(k)),
    "PermutationComparison": lambda k: bi.compare_permutation(read(k), seed=1),
    "BootstrapComparison": lambda k: bi.compare_bootstrap(read(k), seed=1, resamples=200),
    "BayesComparison": sampled,
    "BayesPairsComparison": lambda k: bi.compare_bayes_pairs(read(k), test="sign", seed=1),
    "WinsComparison": lambda k: bi.compare_wins(wins(k)),
    "MetaComparison": lambda k: bi.compare_meta(read(k)),
    "Factors": crossed,
    "PairComparison": lambda k: bi.compare_pair(scores(k, datasets=1, replications=8)),
    "MonitorComparison": lambda k: bi.monitor(read(k)),
    "MonitoredMeasures": lambda k: bi.monitor_measures(scores(k, measures=TWO), TWO),
    "Consecutive": lambda k: bi.monitor(read(k)).consecutive(read(k), permutations=9, seed=1),
    "Comparisons": local,
    "Subgroups": groups,
    "SubgroupStability": lambda k: groups(k).stability(5, seed=1),
    "Archetypes": lambda k: bi.archetypes(read(k), k=2, seed=1),
    "ArchetypeStability": lambda k: bi.archetypes(read(k), k=2, seed=1).stability(5, seed=1),
    "Regions": lambda k: bi.regions(
        bi.compare_mixed(read(k), covariates="size", structure="common"), "size"
    ),
    "Relation": lambda k: bi.compare_mixed(read(k)).relation(),
    "Ensemble": lambda k: local(k).relations(),
    "Map": lambda k: local(k).relations().map(),
    "ClusterStability": lambda k: local(k).relations().cluster_stability(3, resamples=9, seed=1),
    "Consensus": lambda k: bi.consensus(local(k).relations(), method="borda"),
    "Stability": steady,
    "ConsensusInfluence": lambda k: bi.stability.consensus_influence(few(k)),
    "Plan": lambda k: bi.plan(read(k), 0.01),
    "Allocation": allocated,
    "Gate": gated,
    "Board": lambda k: bi.board(read(k), sequence=read(k).algorithms),
    "GatedMeasure": lambda k: next(iter(gated(k).values())),
    "Pareto": lambda k: bi.pareto(scores(k, measures=TWO)),
    "NewDataset": lambda k: bi.compare_mixed(read(k)).predict(),
    "LeaveOneOut": lambda k: sampled(k).loo(refit=False),
    "PredictiveChecks": lambda k: sampled(k).predictive_check(sampled(k).loo(refit=False)),
    "Wins": wins,
    "Effects": effects,
}


@pytest.mark.parametrize("k", [2, 12])
@pytest.mark.parametrize("kind", MADE)
def test_a_result_is_shown_on_one_line(kind, k):
    found = MADE[kind](k)
    assert type(found).__name__ == kind
    shown = repr(found)
    assert len(shown) <= LIMIT
    assert "\n" not in shown
    assert shown == line(found.description())
    assert kind in shown.split("(")[0].split(":")[0]
    assert len(found.description()) >= len(shown) - 4


def test_each_class_of_results_is_made_above():
    kinds = {name for name in typing.__all__ if issubclass(getattr(typing, name), Readable)}
    # The base class, and a comparison that PyMC fits.
    assert kinds - set(MADE) == {"Comparison", "ResponseComparison"}
    assert typing.ResponseComparison.__repr__ is Readable.__repr__


def test_a_line_ends_with_its_bracket():
    assert line("<Gate: pass,\n a against b>") == "<Gate: pass, a against b>"
    assert line("x" * 120 + ">") == "x" * 95 + " ...>"
    assert line("x" * 120) == "x" * 96 + " ..."
