"""The state of a board: judged entries cannot change, and no process can break the file."""

import json
import multiprocessing
import os
import random
import signal
import time

import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.board.state import BoardFile
from benchinfer.core.saving import sealed
from tests.analyses.board.conftest import runs

MEANS = (3.28, 3.279, 3.27, 3.2695, 3.25)
NAMES = tuple(f"e{i}" for i in range(len(MEANS)))
KILLS = 6


def first(rows, n):
    return rows[rows["algorithm"].isin(NAMES[:n])]


def test_entries_are_appended(table, tmp_path):
    rows, state = runs(MEANS), tmp_path / "s.json"
    for n in range(2, 6):
        found = bi.board(table(first(rows, n)), sequence=NAMES[:n], state=state)
        assert len(json.loads(state.read_text())["entries"]) == n
    whole = bi.board(table(rows), sequence=NAMES, state=tmp_path / "whole.json")
    assert state.read_bytes() == (tmp_path / "whole.json").read_bytes()
    pd.testing.assert_frame_equal(found.summary(), whole.summary())
    text = state.read_text()
    bi.board(table(rows), sequence=NAMES, state=state)
    assert state.read_text() == text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows[rows["algorithm"] != "e1"], "e1 +gone"),
        (lambda rows: rows.assign(loss=rows["loss"] + (rows.index == 9) * 1e-9), "scores changed"),
        (lambda rows: pd.concat([rows, rows.iloc[[0]].assign(seed=99)]), "e0 +scores changed"),
    ],
)
def test_a_changed_past_is_named(table, tmp_path, change, said):
    rows, state = runs(MEANS), tmp_path / "s.json"
    bi.board(table(first(rows, 3)), sequence=NAMES[:3], state=state)
    before = state.read_bytes()
    other = change(rows)
    names = [name for name in NAMES if name in set(other["algorithm"])]
    with pytest.raises(bi.ScoreTableError, match=said):
        bi.board(table(other), sequence=names, state=state)
    assert state.read_bytes() == before


def test_late_entries_come_after_those_that_were_judged(table, tmp_path):
    rows, state = runs(MEANS), tmp_path / "s.json"
    bi.board(table(first(rows, 3)), sequence=NAMES[:3], state=state)
    with pytest.raises(bi.ScoreTableError, match=r"e1 +now entry 3"):
        bi.board(table(rows), sequence=("e0", "e3", "e1", "e2", "e4"), state=state)


def test_other_rules_are_named(table, tmp_path):
    scores, state = table(runs(MEANS)), tmp_path / "s.json"
    bi.board(scores, sequence=NAMES, state=state)
    with pytest.raises(bi.BenchinferError, match=r"by_more_than +0.0 +0.005"):
        bi.board(scores, sequence=NAMES, by_more_than=0.005, state=state)


def test_forged_verdicts_and_damage_are_refused(table, tmp_path):
    scores, state = table(runs(MEANS)), tmp_path / "s.json"
    bi.board(scores, sequence=NAMES, state=state)
    document = json.loads(state.read_text())
    state.write_text(state.read_text().replace('"record": false', '"record": true'))
    with pytest.raises(bi.BenchinferError, match="checksum does not match"):
        bi.board(scores, sequence=NAMES, state=state)
    del document["sha256"]
    document["entries"][1]["record"] = True
    for forged in (document, {**document, "entries": [3]}, {**document, "design": 1}):
        state.write_text(json.dumps(sealed(forged)))
        with pytest.raises(bi.BenchinferError, match="is not as board leaves it"):
            bi.board(scores, sequence=NAMES, state=state)


def _judge(folder, n):
    rows = pd.read_csv(folder / f"{n}.csv")
    with BoardFile(folder / "s.json") as state:
        scores = bi.read_scores(rows, measures="loss:lower", dataset="text", paired=False)
        bi.board(scores, sequence=list(dict.fromkeys(rows["algorithm"])), state=state)


def _finished(context, folder, n):
    one = context.Process(target=_judge, args=(folder, n))
    one.start()
    one.join()
    assert one.exitcode == 0


@pytest.mark.slow
def test_kills_at_random_moments_leave_a_whole_state(tmp_path):
    rows = runs([3.28 - 0.001 * i for i in range(KILLS + 3)], n=4)
    names, state = list(dict.fromkeys(rows["algorithm"])), tmp_path / "s.json"
    for n in range(2, len(names) + 1):
        rows[rows["algorithm"].isin(names[:n])].to_csv(tmp_path / f"{n}.csv", index=False)
    random_, context = random.Random(1), multiprocessing.get_context("fork")  # noqa: S311
    start = time.perf_counter()
    _finished(context, tmp_path, 2)
    once, known = time.perf_counter() - start, 2
    for n in range(3, KILLS + 3):
        child = context.Process(target=_judge, args=(tmp_path, n))
        child.start()
        time.sleep(random_.uniform(0.0, 2 * once))
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        entries = json.loads(state.read_text())["entries"]
        assert known <= len(entries) <= n
        known = len(entries)
    _finished(context, tmp_path, len(names))
    assert not list(tmp_path.glob(".benchinfer*"))
    killed = json.loads(state.read_text())["entries"]
    state.unlink()
    _finished(context, tmp_path, len(names))  # one that nobody disturbed
    assert killed == json.loads(state.read_text())["entries"]
