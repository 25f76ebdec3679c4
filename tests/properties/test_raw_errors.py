"""Calls that no table can answer: an error of ours, never one of a library."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import benchinfer as bi
from benchinfer.core import saving
from benchinfer.core.saving import sealed
from tests.scores.mutated import SAMPLES


def frame(scale=1.0):
    """Make times of three algorithms, some of them at 1.5 times the scale."""
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {"dataset": f"d{d}", "algorithm": a, "replication": r, "t": min(rng.random() * k, 1.5)}
        for d in range(6)
        for k, a in enumerate("abc", 1)
        for r in range(3)
    ).assign(t=lambda table: table["t"] * scale)


def test_runs_that_all_crashed():
    table = frame().assign(status="crash")
    measure = bi.Measure("t", "lower", limit=10)
    with pytest.raises(bi.ScoreTableError, match=r"^no row of the table has a score\."):
        bi.read_scores(table, measures=bi.Declaration(measure, crashed="missing"))


def test_a_grouping_column_of_one_value(tmp_path):
    rows = [f"d,0,{a},{i},p" for i, a in enumerate("abab")]
    path = tmp_path / "x.csv"
    path.write_text("\n".join(["dataset,replication,algorithm,value,passage", *rows]))
    with pytest.raises(bi.ScoreTableError, match="have several scores"):
        bi.read_scores(path, measures="value:higher")


@pytest.mark.parametrize("table", [pl.LazyFrame({}), pl.DataFrame({}), pd.DataFrame()])
def test_frames_without_columns(table):
    with pytest.raises(bi.ScoreTableError, match="has no columns"):
        bi.read_scores(table, measures="acc:higher")


@pytest.mark.parametrize("what", ["limit", "tolerance", "bounds", "par"])
def test_whole_numbers_beyond_64_bits_and_beyond_floats(what):
    limit = {"limit": 2} if what == "par" else {}

    def measure(number):
        value = (0, number) if what == "bounds" else number
        return bi.Measure("t", "lower", **limit, **{what: value})

    assert bi.read_scores(frame(), measures=measure(2**63)).n_rows == 54
    with pytest.raises(bi.BenchinferError, match=f"{what} is "):
        measure(10**400)


def test_per_dataset_of_what_has_no_rows():
    scores = bi.read_scores(frame(), measures="t:lower")
    with pytest.raises(bi.DesignError, match="scores is a SufficientStatistics"):
        bi.per_dataset(bi.compare_points, scores.statistics())


@pytest.mark.parametrize("scale", [1e-99, 1e99, 1e149])
def test_penalties_of_times_do_not_depend_on_their_unit(scale):
    penalties = [
        bi.read_scores(frame(s), measures=bi.Measure("t", "lower", limit=1.5 * s))
        .runs()
        .penalties()
        for s in (1.0, scale)
    ]
    turns = [table[["sign_turns", "verdict_turns"]].to_numpy() for table in penalties]
    np.testing.assert_allclose(*turns, rtol=1e-6)


@pytest.mark.parametrize("level", [0.5001, 0.6])
def test_gates_of_low_levels(level):
    gate = bi.gate(
        bi.read_scores(frame(), measures="t:lower:0.5"),
        baseline="a",
        candidate="b",
        by="mixed",
        level=level,
    )
    assert str(gate)


def changed(node, path, value):
    """Change what is at a path of a document."""
    *above, last = path
    for key in above:
        node = node[key]
    node[last] = value


@pytest.mark.parametrize(
    ("compare", "path", "value"),
    [
        (bi.compare_points, ["level"], 10**30),
        (bi.compare_permutation, ["kinds", "tuple", 0], "<b>"),
        (None, ["steps", "mapping", 0, 0], "other"),
    ],
)
def test_results_that_were_changed_and_sealed_anew(tmp_path, compare, path, value):
    scores = bi.read_scores(frame(), measures="t:lower")
    result = scores.statistics() if compare is None else compare(scores)
    document = json.loads(result.save(tmp_path / "x.json").read_text())
    changed(document["result"]["fields"], path, value)
    (tmp_path / "x.json").write_text(json.dumps(sealed(document)))
    with pytest.raises(bi.BenchinferError, match="cannot be a saved result"):
        bi.load(tmp_path / "x.json")


KINDS = {
    "points": bi.compare_points,
    "mixed": bi.compare_mixed,
    "permutation": bi.compare_permutation,
    "bootstrap": lambda scores: bi.compare_bootstrap(scores, resamples=200, seed=1),
    "signed-rank": lambda scores: bi.compare_bayes_pairs(
        scores, test="signed-rank", draws=200, seed=1
    ),
    "meta": bi.compare_meta,
    "pair": lambda scores: bi.compare_pair(scores.subset(datasets="d0")),
    "wins": bi.compare_wins,
    "statistics": lambda scores: scores.statistics(),
    "consensus": lambda scores: bi.consensus(bi.per_dataset(bi.compare_points, scores).relations()),
}


def arrays(node):
    """Yield the fields of a document that hold an array or a tuple of a declared size."""
    if isinstance(node, dict) and "class" in node:
        for kind in saving._classes[node["class"]].__mro__:
            for name, size in saving._shapes.get(kind, {}).items():
                held = node["fields"][name]
                if isinstance(held, dict) and (held.get("values") or held.get("tuple")):
                    yield f"{node['class']}.{name}", size, held
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from arrays(part)


INDICES = ("ModelFit.interior", "Block.arms")


def without_last(held):
    """Take the last entry of the first axis from an array, or from a tuple."""
    if "tuple" in held:
        return {"tuple": held["tuple"][:-1]}
    n, *others = held["shape"]
    values = held["values"][: (n - 1) * int(np.prod(others))]
    return {**held, "shape": [n - 1, *others], "values": values}


@pytest.mark.parametrize("kind", KINDS)
def test_results_of_which_one_array_has_another_size_are_refused(tmp_path, kind):
    result = KINDS[kind](bi.read_scores(frame(), measures="t:lower"))
    document = json.loads(result.save(tmp_path / "x.json").read_text())
    # Indices may be of any number.
    places = [place for place in arrays(document["result"]) if place[0] not in INDICES]
    assert len(places) > 4
    for _, size, held in places:
        before = dict(held)
        held.update(without_last(before))
        (tmp_path / "x.json").write_text(json.dumps(sealed(document)))
        if not ("?" in size.split()[0] and 0 in held.get("shape", [len(held.get("tuple", ()))])):
            with pytest.raises(bi.BenchinferError, match="cannot be a saved result: "):
                bi.load(tmp_path / "x.json")
        held.update(before)
    (tmp_path / "x.json").write_text(json.dumps(sealed(document)))
    assert str(bi.load(tmp_path / "x.json")) == str(result)


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("permutation", ["adjusted"], "auto"),
        ("permutation", ["adjusted"], "other"),
        ("pair", ["provenance", "fields", "options", "fields", "adjust"], "auto"),
        ("mixed", ["pairs", "fields", "index", "values", 0], 3),
        ("mixed", ["pairs", "fields", "codes", "values", 0], 9),
        ("meta", ["setting", "fields", "ahead_left_out"], float("inf")),
        ("consensus", ["family"], ""),
        ("consensus", ["method"], "other"),
    ],
)
def test_results_with_a_value_that_none_has_are_refused(tmp_path, kind, path, value):
    result = KINDS[kind](bi.read_scores(frame(), measures="t:lower"))
    document = json.loads(result.save(tmp_path / "x.json").read_text())
    changed(document["result"]["fields"], path, value)
    (tmp_path / "x.json").write_text(json.dumps(sealed(document)))
    with pytest.raises(bi.BenchinferError, match="cannot be a saved result: "):
        bi.load(tmp_path / "x.json")


def test_limits_of_runs_that_are_no_numbers(tmp_path):
    text = (SAMPLES / "timing" / "solver_benchmark.csv").read_text().splitlines()
    rows = [*text[:3], text[0], *text[3:]]
    (tmp_path / "x.csv").write_text("\n".join(rows))
    with pytest.raises(bi.ScoreTableError, match=r"^1 run of the column Timeout has a limit that"):
        bi.read_scores(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("ask", "match"),
    [
        (lambda scores: bi.compare_mixed(scores, level="0.95"), "level is '0.95'"),
        (lambda scores: bi.compare_points(scores).contrasts(order=5), "order is 5"),
        (lambda _: bi.load(5), "a int is no path of a saved result"),
        (lambda _: bi.read_scores(frame(), measures="t:lower", where=3), "where is 3"),
    ],
)
def test_arguments_of_another_type(ask, match):
    with pytest.raises(bi.BenchinferError, match=match):
        ask(bi.read_scores(frame(), measures="t:lower"))
