"""Public functions and methods with valid arguments, and odd values for each of them."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin

import numpy as np
import pandas as pd

import benchinfer as bi
from benchinfer.core.arguments import choices, kinds_of, members
from benchinfer.core.errors import BenchinferError
from tests.forked import outcomes, told
from tests.test_arguments import functions

_SECONDS, _ROOM = 20, 6 << 30
_ODD: dict[object, list[object]] = {
    int: [0, -1, 1, 2, 10**15, 2**63, 10**400],
    float: [0.0, -1.0, 0.5, 1.0, float("nan"), float("inf"), 1e300, 5e-324, 10**400],
    str: ["", " ", "no such", "a\0b", "\ud800", "x" * 300],
    Path: [Path("no") / "such"],
    bool: [True, False],
    type(None): [None],
    Callable: [lambda *_, **__: None],
}


def odd_values(kind: Any) -> Iterator[object]:
    """Yield odd values of a type."""
    yield from choices(kind)
    for part in members(kind):
        origin, parts = get_origin(part) or part, get_args(part)
        inner = [*odd_values(parts[0])] if parts and origin in (Sequence, tuple) else []
        if origin in _ODD:
            yield from _ODD[origin]
        elif origin is Sequence:
            yield from ([], *([value] for value in inner), inner[:3], np.array(inner[-4:-2]))
        elif origin is tuple:
            yield from ((value, value) for value in inner)
        elif origin is Mapping:
            keys = [*odd_values(parts[0])] or ["x"]
            yield from ({}, *({keys[-2]: value} for value in odd_values(parts[1])))


def frame() -> pd.DataFrame:
    """Make a table of two measures, with a covariate and a feature of the data sets."""
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "dataset": f"d{d}",
            "algorithm": a,
            "replication": r,
            "acc": round(0.5 + 0.1 * k + 0.2 * rng.random(), 3),
            "t": round(rng.random() * k, 3),
            "size": d + 0.5,
        }
        for d in range(8)
        for k, a in enumerate("abc", 1)
        for r in range(4)
    )


EFFECTS = pd.DataFrame(
    {
        "study": [f"s{i}" for i in range(5)],
        "first": "a",
        "second": "b",
        "estimate": [0.1, 0.2, 0.15, 0.3, 0.1],
        "std_error": [0.05, 0.04, 0.06, 0.1, 0.05],
    }
)
WINS = pd.DataFrame(
    {"first": ["a", "a", "b"], "second": ["b", "c", "c"], "wins": [5, 6, 3], "losses": [3, 2, 4]}
)
TRACES = pd.DataFrame(
    {
        "dataset": "d",
        "algorithm": a,
        "replication": r,
        "evaluations": e,
        "value": 1 / e + 0.1 * k,
    }
    for k, a in enumerate("ab")
    for r in range(2)
    for e in (1, 2, 4, 8)
)
MEASURES = {"acc": "higher", "t": "lower"}


@cache
def two() -> bi.ScoreTable:
    return bi.read_scores(frame(), measures=MEASURES, covariates="size")


@cache
def table() -> bi.ScoreTable:
    return two().subset(measures="acc")


@cache
def made(name: str) -> Any:
    """Make a result by the name of its class."""
    return {
        "Ensemble": lambda: bi.per_dataset(bi.compare_points, table()).relations(),
        "Measure": lambda: table().measures[0],
        "Relation": lambda: bi.compare_points(table()).relation(),
        "ScoreTable": table,
        "Resampling": lambda: bi.Resampling("cv", folds=4),
        "Allocation": lambda: bi.allocate(nested(), std_error=0.01, costs=[1.0, 1.0]),
        "Answer": lambda: bi.compare(two()),
        "ArchetypeStability": lambda: made("Archetypes").stability(resamples=5),
        "Archetypes": lambda: bi.archetypes(table(), k=2, starts=2),
        "BayesComparison": lambda: bi.compare_bayes(table(), draws=50, chains=4),
        "BayesPairsComparison": lambda: bi.compare_bayes_pairs(table(), test="sign"),
        "ClusterStability": lambda: made("Ensemble").cluster_stability(2, resamples=5),
        "Comparison": lambda: bi.compare_points(table()),
        "Comparisons": lambda: bi.per_dataset(bi.compare_permutation, table()),
        "Consecutive": lambda: made("MonitorComparison").consecutive(table(), permutations=20),
        "Consensus": lambda: bi.consensus(made("Ensemble")),
        "ConsensusInfluence": lambda: bi.stability.consensus_influence(made("Ensemble")),
        "Effects": lambda: bi.read_effects(EFFECTS, measures="effect:higher"),
        "Declaration": lambda: bi.Declaration("acc:higher"),
        "LimitedRuns": lambda: bi.read_scores(
            frame()[["dataset", "algorithm", "replication", "t"]], measures="t:lower:limit=3"
        ).runs(),
        "Board": lambda: bi.board(table(), sequence=table().algorithms),
        "Gate": lambda: bi.gate(table(), baseline="a", candidate="b"),
        "MetaComparison": lambda: bi.compare_meta(table()),
        "MixedComparison": lambda: bi.compare_mixed(table(), covariates="size"),
        "MonitorComparison": lambda: bi.monitor(table(), stage=2),
        "MonitoredMeasures": lambda: bi.monitor_measures(two(), ["acc", "t"], stage=2),
        "PairComparison": lambda: bi.compare_pair(table().subset(datasets="d0")),
        "PaperTable": lambda: bi.compare_points(table()).table(),
        "Pareto": lambda: bi.pareto(two()),
        "Plan": lambda: bi.plan(table(), 0.1),
        "Regions": lambda: bi.regions(made("MixedComparison"), "size"),
        "ResponseComparison": None,
        "Stability": lambda: bi.stability.bootstrap_consensus(made("Ensemble"), resamples=5),
        "Subgroups": None,
        "SufficientStatistics": lambda: table().statistics(),
        "Wins": lambda: bi.read_wins(WINS),
        "WinsComparison": lambda: bi.compare_wins(table()),
    }[name]()


@cache
def nested() -> bi.ScoreTable:
    """Make a table of nested units."""
    rows = (
        frame()
        .drop(columns=["t", "size"])
        .rename(columns={"dataset": "task", "replication": "item"})
    )
    rows["dataset"] = "d"
    return bi.read_scores(rows, measures="acc:higher", units=["task", "item"])


# Arguments beside the one that is odd: required ones, and those that keep a call short.
VALID: dict[str, dict[str, Any]] = {
    "archetypes": {"scores": table, "k": 2, "starts": 2},
    "allocate": {"pilot": nested},
    "compare_bayes": {"scores": table, "draws": 50, "chains": 4},
    "compare_bayes_pairs": {"scores": table, "draws": 200},
    "compare_bootstrap": {"scores": table, "resamples": 200},
    "compare_pair": {"scores": lambda: table().subset(datasets="d0")},
    "compare_permutation": {"scores": table, "resamples": 200},
    "consensus": {"ensemble": lambda: made("Ensemble")},
    "dataset_features": {"x": [[0.0, 1.0], [1.0, 3.0], [2.0, 5.0], [3.0, None]]},
    "board": {"scores": table, "sequence": lambda: table().algorithms},
    "gate": {"scores": two, "measure": "acc", "baseline": "a", "candidate": "b"},
    "load_example": {"name": "demsar2006"},
    "monitor": {"scores": two, "measure": "acc", "stage": 2},
    "monitor_measures": {"scores": two, "measures": ["acc", "t"], "stage": 2},
    "pareto": {"scores": two},
    "per_dataset": {"compare": bi.compare_points, "scores": table},
    "plan": {"pilot": table, "difference": 0.1},
    "plot": {"result": lambda: made("Comparison")},
    "read_effects": {"source": EFFECTS, "measures": "effect:higher"},
    "read_scores": {"source": frame, "measures": MEASURES},
    "read_wins": {"source": WINS},
    "regions": {"comparison": lambda: made("MixedComparison"), "covariate": "size"},
    "report": {"results": lambda: made("Comparison"), "path": "x.html"},
    "stability.bootstrap_consensus": {"ensemble": lambda: made("Ensemble"), "resamples": 5},
    "stability.consensus_influence": {"ensemble": lambda: made("Ensemble")},
    "stability.resample_relations": {"compare": bi.compare_points, "scores": table, "resamples": 3},
    "papers.latex": {"text": "a"},
    "ScoreTable.to_every_eval_ever": {"folder": "x"},
    "SufficientStatistics.rescaled": None,
    "read_traces": {"source": TRACES, "targets": [0.5]},
    "Declaration.over": {"other": lambda: made("Declaration")},
    "Declaration.with_file": {"default": None},
}
# Of required arguments of methods, by name.
REQUIRED: dict[str, Any] = {
    "algorithms": ["a", "b"], "by": "min-max", "covariate": "size", "datasets": ["d0", "d1"],
    "folder": "x", "j": 0, "level": 0, "measures": ["acc"], "n": 2, "n_replications": [2],
    "names": ["d0"], "order": "result", "other": lambda: made("Relation"), "p": 0, "par": 2.0,
    "path": "x.json", "quantity": "next", "rows": [0], "scope": "x", "scores": table,
    "weights": None, "kind": "symdiff", "most": 1, "number": "1", "values": [1.0],
    "oriented": np.ones(2),
    "effect": 1.0, "low": 1.0, "high": 2.0,
}  # fmt: skip


def base(name: str, function: Any) -> dict[str, Any]:
    """Return valid arguments of a function or method, those of `VALID` first."""
    given = dict(VALID.get(name.removeprefix("typing."), {}))
    for each, parameter in inspect.signature(function).parameters.items():
        required = parameter.default is parameter.empty and parameter.kind not in _MANY
        if each == "self":
            given[each] = lambda: made(name.removeprefix("typing.").split(".")[0])
        elif required and each not in given and each == "scores":
            given[each] = table
        elif required and each not in given and each in ("measure", "name"):
            of_class = members(kinds_of(inspect.unwrap(function)).get(each))[0] is bi.Measure
            effects = "Effects." in name
            given[each] = (lambda: made("Measure")) if of_class else "effect" if effects else "acc"
        elif required and each not in given:
            given[each] = REQUIRED[each]
    return given


_MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
# A function, one of its arguments, and the number and value of an odd one.
type Case = tuple[str, Callable[..., Any], str, int, object]


def cases() -> Iterator[Case]:
    """Yield each function with each odd value of each argument, numbered."""
    seen: set[Any] = set()
    for name, function in functions():
        plain = inspect.unwrap(function)
        if plain in seen or any(name.endswith(f".{each}") for each in ("fill", "rescaled")):
            continue
        seen.add(plain)
        kinds = kinds_of(plain)
        for each, parameter in inspect.signature(plain).parameters.items():
            if each == "self" or parameter.kind in _MANY:
                continue
            for i, value in enumerate(odd_values(kinds[each])):
                yield name, function, each, i, value


def outcome(name: str, function: Callable[..., Any], argument: str, value: object) -> str:
    """Call a function with an odd argument, and use what it returns; return what is wrong."""
    try:
        given = {**base(name, function), argument: value}
        given = {
            each: held() if inspect.isfunction(held) and each not in (argument, "compare") else held
            for each, held in given.items()
        }
        result = function(**given)
        repr(result), str(result)
    except (BenchinferError, bi.errors.MissingExtra):
        return ""
    except TypeError as error:
        return "" if argument in str(error) else told(error)
    return ""


def check(folder: Path, chosen: Sequence[Case]) -> list[str]:
    """Call functions in a process with limits of time and room; return what is wrong."""

    def run(case: Case) -> str:
        name, function, argument, _, value = case
        return outcome(name, function, argument, value)

    said = outcomes(folder, chosen, run, seconds=_SECONDS, room=_ROOM)
    return [
        f"{name} {argument}[{i}]={value!r:.40}: {text}"
        for (name, _, argument, i, value), text in zip(chosen, said, strict=True)
        if text
    ]
