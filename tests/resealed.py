"""Saved results with one value changed and the checksum made anew."""

import json
import math
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import benchinfer as bi
from benchinfer.core.saving import sealed
from tests.forked import told

type Place = tuple[str | int, ...]

WHOLE: list[object] = [-1, 0, 1, 2, 7, 255, 10**9, 10**30, 0.5, math.nan, None, "x"]
REAL: list[object] = [
    *(-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 3, 1e300, -1e300, 5e-324, math.nan, math.inf, -math.inf),
    *(10**30, None, "x"),
]
TEXTS: list[object] = ["", "zzz", "auto", "a", "b", "<b>", "\0", "d0", "first", "x" * 500, None, 3]


def scores(better: str = "higher") -> bi.ScoreTable:
    """Make a table of three algorithms with a covariate."""
    rng = np.random.default_rng(2)
    rows = pd.DataFrame(
        {
            "dataset": f"d{d}",
            "algorithm": a,
            "replication": r,
            "acc": round(0.5 + 0.05 * k + 0.2 * rng.random(), 3),
            "size": d + 0.5,
        }
        for d in range(6)
        for k, a in enumerate("abc", 1)
        for r in range(3)
    )
    return bi.read_scores(rows, measures={"acc": better}, covariates="size")


KINDS: dict[str, Callable[[bi.ScoreTable], Any]] = {
    "points": bi.compare_points,
    "mixed": bi.compare_mixed,
    "mixed, covariate": lambda table: bi.compare_mixed(table, covariates="size"),
    "permutation": lambda table: bi.compare_permutation(table, resamples=200),
    "bootstrap": lambda table: bi.compare_bootstrap(table, resamples=200),
    "bayes": lambda table: bi.compare_bayes(table, draws=100, chains=4),
    "corani2017": lambda table: bi.compare_bayes_pairs(
        table, test="corani2017", chains=4, draws=1000
    ),
    "signed-rank": lambda table: bi.compare_bayes_pairs(table, test="signed-rank", draws=200),
    "sign": lambda table: bi.compare_bayes_pairs(table, test="sign"),
    "monitor": lambda table: bi.monitor(table, stage=2),
    "anytime": lambda table: bi.monitor(table, method="anytime"),
    "meta": bi.compare_meta,
    "pair": lambda table: bi.compare_pair(table.subset(datasets="d0")),
    "wins": bi.compare_wins,
    "wins, bayes": lambda table: bi.compare_wins(table, inference="bayes", draws=100, chains=4),
    "statistics": lambda table: table.statistics(),
    "consensus": lambda table: bi.consensus(bi.per_dataset(bi.compare_points, table).relations()),
    "ensemble": lambda table: bi.per_dataset(bi.compare_points, table).relations(),
    "relation": lambda table: bi.compare_points(table).relation(),
    "per data set": lambda table: bi.per_dataset(bi.compare_points, table),
    "stability": lambda table: bi.stability.bootstrap_consensus(
        bi.per_dataset(bi.compare_points, table).relations(), resamples=5
    ),
    "answer": bi.compare,
    "board": lambda table: bi.board(table, sequence=table.algorithms),
    "gate": lambda table: bi.gate(table, baseline="a", candidate="b"),
    "plan": lambda table: bi.plan(table, 0.1),
    "archetypes": lambda table: bi.archetypes(table, k=2, starts=2),
    "regions": lambda table: bi.regions(bi.compare_mixed(table, covariates="size"), "size"),
}


def places(node: object, at: Place = ()) -> Iterator[Place]:
    """Yield the places of the values of a document, of an array the first and the last one."""
    if isinstance(node, dict) and "array" in node:
        yield (*at, "values")
        yield (*at, "array")
        yield (*at, "shape", 0) if node["shape"] else (*at, "shape")
        yield from ((*at, "values", i) for i in {0, len(node["values"]) - 1} if node["values"])
    elif isinstance(node, dict):
        for key, part in node.items():
            yield from places(part, (*at, key))
    elif isinstance(node, list):
        yield at
        for i in range(len(node)) if len(node) < 9 else (0, len(node) - 1):
            yield from places(node[i], (*at, i))
    else:
        yield at


def mutations(node: object) -> list[object]:
    """Return other values for one at a place."""
    if isinstance(node, list):
        return [node[:-1], [*node, *node[-1:]], [], node[::-1], [*node[1:], *node[:1]], None]
    if isinstance(node, bool) or node is None:
        return [not node, None, 0, 0.5, "x", []]
    others = TEXTS if isinstance(node, str) else WHOLE if isinstance(node, int) else REAL
    return [other for other in others if repr(other) != repr(node)]


def changed(document: Any, place: Place, value: object) -> Any:
    """Return a document with another value at a place."""
    document = deepcopy(document)
    *above, last = place
    node = document
    for key in above:
        node = node[key]
    node[last] = value
    return document


def at(document: Any, place: Place) -> Any:
    """Return the value at a place."""
    for key in place:
        document = document[key]
    return document


_QUESTIONS = ("headline", "summary", "diagnostics", "sentence", "to_frame", "citations", "table")


def use(result: Any, folder: Path, *, report: bool) -> None:
    """Ask a result all that people ask."""
    for name in _QUESTIONS if not isinstance(result, bi.typing.SufficientStatistics) else ():
        if hasattr(result, name):
            getattr(result, name)()
    if hasattr(result, "contrasts"):
        result.contrasts(all=True)
    str(result), repr(result)
    if report and hasattr(result, "report"):
        result.report(folder / "x.html")
    elif report:
        result._repr_html_()


def outcome(document: Any, folder: Path, *, report: bool) -> str:
    """Load a document that is sealed anew, and use it; return "used", "refused" or the error."""
    path = folder / "x.json"
    path.write_text(json.dumps(sealed(document)))
    try:
        result = bi.load(path)
    except bi.BenchinferError as error:
        text = str(error)
        return "refused" if "cannot be" in text or "holds no result" in text else text
    except BaseException as error:  # noqa: BLE001 - that no other is raised is the test
        return f"load: {told(error)}"
    try:
        use(result, folder, report=report)
    except bi.BenchinferError as error:
        return f"late: {str(error).splitlines()[0]}"
    except BaseException as error:  # noqa: BLE001 - that no other is raised is the test
        return told(error)
    return "used"


def drawn(document: Any, n: int, rng: random.Random) -> list[tuple[Place, object]]:
    """Draw places with other values."""
    every = [
        (p, v) for p in places(document["result"], ("result",)) for v in mutations(at(document, p))
    ]
    return rng.sample(every, min(n, len(every)))
