"""What must hold of every table, however odd: scores, words, verdicts and answers of commands."""

import json
import math
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import benchinfer as bi
from benchinfer.cli.app import app
from tests.properties import odd_tables
from tests.properties.odd_tables import FILES, FRAMES, Cells, OddTable, draw
from tests.properties.said import check_sentences

# A run by hand widens the range: BENCHINFER_FUZZ=10000:20000.
FIRST, LAST = map(int, os.environ.get("BENCHINFER_FUZZ", "0:120").split(":"))
PARTS = 4
Analysis = Callable[[bi.ScoreTable, str], Any]


def boot(scores: bi.ScoreTable, measure: str) -> Any:
    """Bootstrap with few draws."""
    return bi.compare_bootstrap(scores, measure, resamples=99, seed=1)


def permutation(scores: bi.ScoreTable, measure: str) -> Any:
    """Permute with few draws."""
    return bi.compare_permutation(scores, measure, resamples=999)


def robust(scores: bi.ScoreTable, measure: str) -> Any:
    """Compare medians by the bootstrap of whole data sets."""
    return bi.compare_bootstrap(
        scores, measure, statistic="median", resample="datasets", resamples=99, seed=1
    )


def ranks(scores: bi.ScoreTable, measure: str) -> Any:
    """Permute ranks against the first algorithm."""
    return bi.compare_permutation(
        scores,
        measure,
        on="ranks",
        resamples=999,
        contrasts="control",
        control=scores.algorithms[0],
    )


def wins_of_replications(scores: bi.ScoreTable, measure: str) -> Any:
    """Count wins of replications."""
    return bi.compare_wins(scores, measure, by="replications", penalised=True)


def on_each(scores: bi.ScoreTable, measure: str) -> Any:
    """Compare points on each data set."""
    return bi.per_dataset(bi.compare_points, scores, measure)


def agreed(scores: bi.ScoreTable, measure: str) -> Any:
    """Find the consensus of data sets."""
    return bi.consensus(on_each(scores, measure))


def gated(scores: bi.ScoreTable, measure: str) -> Any:
    """Pass the second algorithm in place of the first one."""
    first, *others = scores.algorithms
    return bi.gate(scores, measure, baseline=first, candidate=(others or [first])[0])


def planned(scores: bi.ScoreTable, measure: str) -> Any:
    """Plan the sizes that show a difference of a tenth."""
    return bi.plan(scores, 0.1, measure)


COMPARE: tuple[Analysis, ...] = (
    *(bi.compare_points, bi.compare_mixed, permutation, boot, bi.compare_pair, bi.compare_wins),
    *(bi.compare_meta, bi.monitor, robust, ranks, wins_of_replications),
)
OTHERS: tuple[Analysis, ...] = (on_each, agreed, gated, planned)


def read(table: OddTable, source: object) -> bi.ScoreTable | None:
    """Read a table; None where it is refused in words."""
    layout = "long" if len(table.measures) == 1 else "wide-measures"
    try:
        return bi.read_scores(source, measures=table.measures, layout=layout, **table.options)
    except bi.BenchinferError:
        return None


def cells_of(scores: bi.ScoreTable) -> Cells:
    """Collect the scores of each cell of what was read."""
    held: Cells = {}
    for measure in scores.measures:
        rows = scores.to_frame(measure.name)[["dataset", "algorithm", "value"]]
        for dataset, algorithm, value in rows.itertuples(index=False):
            held.setdefault((measure.name, dataset, algorithm), []).append(value)
    return {place: sorted(values) for place, values in held.items()}


def check_scores(table: OddTable, scores: bi.ScoreTable) -> None:
    """Find each score in its cell, and each row without one among the failures."""
    cells = table.cells()
    assert cells_of(scores) == cells
    assert len(scores.failures()) == table.without()
    for measure in scores.measures:
        own = sum(len(v) for (name, *_), v in cells.items() if name == measure.name)
        assert scores.coverage(measure.name).n == own
    assert str(scores.findings())
    assert str(scores.describe(scores.measures[0].name))


def check_words(result: Any) -> None:
    """Read all that a result says of itself."""
    assert str(result)
    assert repr(result)
    assert str(result.to_frame()) if hasattr(result, "to_frame") else True
    json.dumps(result.citations() if hasattr(result, "citations") else "")


def check_comparison(result: Any, folder: Path) -> None:
    """Hold verdicts, estimates, p-values and the relation against each other."""
    rows = result.contrasts(all=True)
    for row in rows.to_dict("records"):
        verdict, estimate = row["verdict"], row["estimate"]
        assert verdict in {"first", "second", "equivalent", "undecided", "missing"}, row
        if verdict in {"first", "second"}:
            assert not math.isnan(estimate), row
            neutral = result.measure.neutral
            gain = (math.log(estimate) if estimate > 0 else -math.inf) if neutral else estimate
            larger = not result._relative and result.measure.better == "lower" and not neutral
            assert row["winner"] == row[verdict], row
            assert (gain if verdict == "first" else -gain) * (-1 if larger else 1) >= 0, row
            for name in ("p_value", "p_adjusted"):
                assert not math.isnan(row.get(name, 0.0)), row
        else:
            assert row["winner"] == "", row
        p, adjusted = row.get("p_value"), row.get("p_adjusted")
        if p is not None and adjusted is not None and not math.isnan(p):
            assert 0 <= p <= 1, row
            assert math.isnan(adjusted) or adjusted >= p * (1 - 1e-9) - 1e-12, row
        low, high = row.get("conf_low", math.nan), row.get("conf_high", math.nan)
        assert not low > high, row
    pairs = rows.set_index(["first", "second"])["winner"]
    for first, second, word, winner in result.relation().to_frame().itertuples(index=False):
        if (first, second) in pairs.index:
            assert pairs[first, second] == winner, (first, second)
        else:  # relations have all pairs, contrasts may have those with a control only
            assert word == "missing", (first, second)
    assert isinstance(result.diagnostics(), pd.DataFrame)
    check_sentences(result)
    assert sorted(result.ranking()) == sorted(result.summary()["algorithm"])
    for text in (result.headline(), result.sentence(), result.rule, result.method, result.formula):
        assert text.strip()
    assert result.table().to_latex()
    back = bi.load(result.save(folder / "result.json"))
    pd.testing.assert_frame_equal(back.contrasts(all=True), rows)
    assert str(back) == str(result)


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def answer(analysis: Analysis, scores: bi.ScoreTable, measure: str) -> Any:
    """Analyse a measure; None where that is refused in words."""
    try:
        return analysis(scores, measure)
    except bi.BenchinferError:
        return None


def check_table(seed: int, folder: Path) -> bool:
    """Read an odd table, analyse it, and check all that is said."""
    rng = random.Random(-seed - 1)  # noqa: S311 - tables, no secrets
    table = draw(seed)
    write = rng.choice([*FRAMES, *FILES])
    scores = read(table, write(table, folder))
    if rng.random() < 0.1:
        check_sources(table, scores, folder)
    if rng.random() < 0.1:
        check_command(table, folder, rng)
    if scores is None:
        return False
    check_scores(table, scores)
    measure = rng.choice(scores.measures).name
    result = answer(rng.choice(COMPARE), scores, measure)
    if result is not None and hasattr(result, "contrasts"):
        check_comparison(result, folder)
        check_words(result)
    if rng.random() < 0.3:
        other = answer(rng.choice(OTHERS), scores, measure)
        if other is not None:
            check_words(other)
    if rng.random() < 0.15:
        check_changes(table, scores, measure, rng)
    return True


def check_sources(table: OddTable, scores: bi.ScoreTable | None, folder: Path) -> None:
    """Read the table from every source: all are refused, or all are the same."""
    for write in (*FRAMES, *FILES):
        other = read(table, write(table, folder))
        assert (other and other.digest) == (scores and scores.digest), write.__name__


def check_changes(table: OddTable, scores: bi.ScoreTable, measure: str, rng: random.Random) -> None:
    """Turn rows, names and signs: the result turns with them."""
    compare = rng.choice([bi.compare_points, bi.compare_mixed, permutation, bi.compare_pair])
    one = answer(compare, scores, measure)
    rows = table.rows[:]
    rng.shuffle(rows)
    shuffled = read(
        OddTable(rows, table.measures, table.plain, table.options), frame_of(rows, table)
    )
    assert shuffled is not None
    assert shuffled.digest == scores.digest
    close(one, answer(compare, shuffled, measure))
    labels = sorted({row["algorithm"] for row in rows})
    names = {name: f"{i:03}" for i, name in enumerate(labels)}
    renamed = [{**row, "algorithm": names[row["algorithm"]]} for row in rows]
    other = read(table, frame_of(renamed, table))
    assert other is not None
    close(one, answer(compare, other, measure))
    turned = [
        {**row, **{m.name: None if row[m.name] is None else -row[m.name] for m in table.measures}}
        for row in rows
    ]
    ways = {"higher": "lower", "lower": "higher"}
    measures = [bi.Measure(m.name, ways[m.better], m.tolerance) for m in table.measures]  # pyright: ignore[reportArgumentType]
    other = read(OddTable(turned, measures, table.plain, table.options), frame_of(turned, table))
    assert other is not None
    close(one, answer(compare, other, measure), factor=-1)


def frame_of(rows: list[odd_tables.Row], table: OddTable) -> pd.DataFrame:
    """Return rows as a frame."""
    return odd_tables.frame(OddTable(rows, table.measures, table.plain, table.options))


def close(one: Any, other: Any, factor: float = 1) -> None:
    """Compare verdicts and numbers of two results, or that both were refused."""
    assert (one is None) == (other is None)
    if one is None or not hasattr(one, "contrasts"):
        return
    a, b = one.contrasts(all=True), other.contrasts(all=True)
    assert a["verdict"].tolist() == b["verdict"].tolist()
    scale = np.abs(one.summary()["estimate"]).max()
    np.testing.assert_allclose(a["estimate"], factor * b["estimate"], rtol=1e-6, atol=1e-9 * scale)


def check_command(table: OddTable, folder: Path, rng: random.Random) -> None:
    """Ask a command about a file: its exit code is a documented one, and its JSON strict."""
    path = str(rng.choice(FILES)(table, folder))
    names = sorted({str(row["algorithm"]) for row in table.rows})
    gate = ["gate", "--baseline", names[0], "--candidate", names[-1]] if names else ["check"]
    command = rng.choice(
        [
            *(["check"], ["describe"], ["consensus"], gate, ["plan", "--difference", "0.1"]),
            *(["monitor"], ["compare", "points"], ["compare", "mixed"], ["compare", "pair"]),
            *(["compare", "wins"], ["compare", "meta"]),
            ["compare", "permutation", "--resamples", "999"],
            ["compare", "bootstrap", "--resamples", "99"],
        ]
    )
    measures = [
        part
        for m in table.measures
        for part in ("--measures", f"{m.name}:{m.better}:{m.tolerance:g}")
    ]
    several = [] if command[0] == "check" else ["--measure", table.measures[0].name]
    wants_json = rng.random() < 0.5
    call = [*command, path, *measures, *several, *(["--json"] if wants_json else [])]
    result = CliRunner(env={"NO_COLOR": "1", "COLUMNS": "80"}).invoke(app, call)
    assert result.exit_code in {0, 1, 2, 3, 4}, (call, result.output)
    assert result.exception is None or isinstance(result.exception, SystemExit), call
    assert "Traceback" not in result.output, call
    assert result.output.strip(), call
    if wants_json and result.stdout:
        json.loads(result.stdout, parse_constant=_refuse)


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", [0, *(pytest.param(n, marks=pytest.mark.calibration) for n in range(1, PARTS))]
)
def test_odd_tables_are_read_and_compared_or_refused_in_words(tmp_path: Path, part: int) -> None:
    seeds = range(FIRST + part, LAST, PARTS)
    read = 0
    for seed in seeds:
        try:
            read += check_table(seed, tmp_path)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
    assert 0.3 * len(seeds) < read < len(seeds)


@pytest.mark.parametrize("seed", [1161])
def test_tables_on_which_a_warning_escaped(tmp_path: Path, seed: int) -> None:
    check_table(seed, tmp_path)
