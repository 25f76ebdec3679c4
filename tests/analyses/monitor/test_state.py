"""The state of an experiment: a decided past cannot change, and no process can break the file."""

import json
import multiprocessing
import os
import random
import re
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.monitor import anytime
from benchinfer.analyses.monitor.state import StateFile
from benchinfer.core.saving import sealed

KILLS = 10
AB = {"a": 0.0, "b": 0.05}


def test_rows_in_any_order_give_the_same_stages(draw, table, tmp_path):
    rows = draw(100, AB)
    whole = bi.monitor(table(rows), state=tmp_path / "whole.json", stage=20)
    mixed = rows.sample(frac=1.0, random_state=1)
    for n in range(20, 201, 20):
        found = bi.monitor(table(mixed.head(n)), state=tmp_path / "s.json", stage=20)
    assert len(found.stages()) == len(whole.stages())
    assert found.contrasts(all=True)["n_used"].tolist() == [100]


def test_late_replications_fill_the_next_stage(draw, table, tmp_path):
    rows = draw(120, AB)
    early = rows[rows["replication"] != 7]
    first = bi.monitor(table(early[early["replication"] <= 51]), state=tmp_path / "s.json")
    assert first.contrasts(all=True)["n_used"].tolist() == [50]
    second = bi.monitor(table(rows), state=tmp_path / "s.json")
    assert second.contrasts(all=True)["n_used"].tolist() == [100]
    state = json.loads((tmp_path / "s.json").read_text())
    assert state["stages"][0][0]["replications"] == [[1, 6], [8, 51]]
    assert state["stages"][1][0]["replications"] == [[7, 7], [52, 100]]


def test_a_changed_past_is_named(draw, table, tmp_path):
    rows = draw(100, AB, datasets=2)
    bi.monitor(table(rows), state=tmp_path / "s.json", stage=20)
    before = (tmp_path / "s.json").read_bytes()
    other = rows.copy()
    other.loc[(rows["dataset"] == "d2") & (rows["replication"] == 35), "value"] += 1e-9
    other = other[~((rows["dataset"] == "d1") & (rows["replication"] == 3))]
    with pytest.raises(bi.ScoreTableError) as error:
        bi.monitor(table(other), state=tmp_path / "s.json", stage=20)
    assert "2 stages that were decided on before" in str(error.value)
    assert "d1           1  1 of 20 replications gone" in str(error.value)
    assert "d2           2  scores changed" in str(error.value)
    assert (tmp_path / "s.json").read_bytes() == before


def test_a_changed_past_of_an_e_process_is_named(draw, table, tmp_path):
    """As one stage: an e-process has none of its own as long as the same pairs go on."""
    rows = draw(90, {"a": 0.0, "b": 0.0})
    for n in (30, 90):
        part = table(rows[rows["replication"] <= n])
        bi.monitor(part, state=tmp_path / "s.json", stage=20, method="anytime")
    rows.loc[rows["replication"] == 45, "value"] += 1.0
    with pytest.raises(bi.ScoreTableError, match=r"d1 +1  scores changed"):
        bi.monitor(table(rows), state=tmp_path / "s.json", stage=20, method="anytime")


def test_a_changed_design_names_what_changed(draw, table, tmp_path):
    scores = table(draw(60, AB))
    bi.monitor(scores, state=tmp_path / "s.json")
    with pytest.raises(bi.BenchinferError, match=r"stage +50 +25\n +test +\"t\" +\"signed-rank\""):
        bi.monitor(scores, state=tmp_path / "s.json", stage=25, test="signed-rank")
    third = draw(60, {**AB, "c": 0.0})
    with pytest.raises(bi.BenchinferError, match="algorithms"):
        bi.monitor(table(third), state=tmp_path / "s.json")


@pytest.mark.slow
@pytest.mark.parametrize("null", ["symmetry", "mean"])
def test_many_looks_give_what_one_look_gives(draw, null, tmp_path):
    """A state remembers when pairs retired; what is bet is worked out from the scores each time."""
    rows = draw(300, {"a": 0.0, "b": 0.3, "c": 0.32}, datasets=2, seed=4)
    rows["value"] = 1 / (1 + np.exp(-rows["value"]))
    measure = bi.Measure("acc", "higher", tolerance=0.2, bounds=(0, 1))
    paired = bi.Resampling("independent", paired=True)

    def monitored(n, **options):
        part = rows[rows["replication"] <= n]
        scores = bi.read_scores(part, measures=measure, resampling=paired)
        return bi.monitor(scores, method="anytime", null=null, stage=20, **options)

    state = tmp_path / "s.json"
    for n in (10, 47, 48, 120, 290, 300):
        found = monitored(n, state=state)
    text = state.read_text()
    again = monitored(300, state=state)
    assert state.read_text() == text
    pd.testing.assert_frame_equal(again.contrasts(all=True), found.contrasts(all=True))
    pd.testing.assert_frame_equal(again.path(), found.path())
    pd.testing.assert_frame_equal(again.stages(), found.stages())


@pytest.fixture
def remembering(monkeypatch):
    """Remember bets from the first difference on."""
    monkeypatch.setattr(anytime, "_REMEMBERED", 1)


@pytest.mark.slow
@pytest.mark.parametrize("null", ["symmetry", "mean"])
@pytest.mark.usefixtures("remembering")
def test_bets_go_on_from_what_they_have_come_to(draw, null, tmp_path):
    rows = draw(300, {"a": 0.0, "b": 0.3, "c": 0.32, "d": 1.5}, datasets=3, seed=4)
    rows["value"] = 1 / (1 + np.exp(-rows["value"]))
    measure = bi.Measure("acc", "higher", tolerance=0.1, bounds=(0, 1))
    paired = bi.Resampling("independent", paired=True)
    state, plain = tmp_path / "s.json", tmp_path / "plain.json"
    bets = 0

    def monitored(n, **options):
        part = rows[rows["replication"] <= n].sample(frac=1, random_state=n)
        scores = bi.read_scores(part, measures=measure, resampling=paired)
        return bi.monitor(scores, method="anytime", null=null, stage=20, **options)

    for n in (3, 10, 47, 48, 120, 290, 300):
        found = monitored(n, state=state)
        document = json.loads(state.read_text())
        bets += document.pop("bets")["fields"]["ends"]["values"].count("go on")
        document.pop("sha256")
        plain.write_text(json.dumps(sealed(document)))
        again = monitored(n, state=plain)
        for frame in ("contrasts", "path", "stages", "diagnostics"):
            pd.testing.assert_frame_equal(
                getattr(found, frame)(), getattr(again, frame)(), rtol=1e-12, atol=1e-13
            )
    assert bets
    assert monitored(300, state=state).contrasts(all=True).equals(found.contrasts(all=True))


@pytest.mark.slow
@pytest.mark.usefixtures("remembering")
def test_bets_of_other_stages_are_refused(draw, table, tmp_path):
    rows, state = draw(60, {"a": 0.0, "b": 0.05, "c": 1.5}), tmp_path / "s.json"
    bi.monitor(table(rows[rows["replication"] <= 20]), method="anytime", stage=20, state=state)
    before = json.loads(state.read_text())["bets"]
    bi.monitor(table(rows), method="anytime", stage=20, state=state)
    document = json.loads(state.read_text())
    fields = document["bets"]["fields"]
    less = {"class": "Bets", "fields": {**fields, "pairs": {"tuple": []}}}
    for bets in (before, less, {"class": "Bets", "fields": {}}, 3, fields["ends"]):
        state.write_text(json.dumps(sealed({**document, "bets": bets})))
        with pytest.raises(bi.BenchinferError, match="is not as monitor leaves it"):
            bi.monitor(table(rows), method="anytime", stage=20, state=state)


def test_short_histories_and_many_series_are_not_remembered(draw, table, tmp_path, monkeypatch):
    scores = table(draw(60, AB))
    for most in (1_000, 0):
        monkeypatch.setattr(anytime, "_SERIES", most)
        bi.monitor(scores, method="anytime", stage=20, state=tmp_path / "s.json")
        assert "bets" not in json.loads((tmp_path / "s.json").read_text())
        monkeypatch.setattr(anytime, "_REMEMBERED", 1)


# --- states that were edited, merged, emptied or forged


def doubled(stages):
    return [stages[0], *stages]


def doubled_and_numbered(stages):
    return numbered(doubled(stages))


def numbered(stages):
    return [[{**pin, "stage": i} for pin in stage] for i, stage in enumerate(stages, 1)]


def swapped(stages):
    return stages[1::-1] + stages[2:]


def beheaded(stages):
    return stages[1:]


def emptied(stages):
    return [[{**pin, "replications": [], "digest": ""} for pin in stages[0]], *stages[1:]]


def halved(stages):
    return [[{**pin, "replications": [[1, 10]]} for pin in stages[0]], *stages[1:]]


def without_a_data_set(stages):
    return [stages[0][:1], *stages[1:]]


def typed_wrongly(stages):
    return [[{**pin, "digest": None} for pin in stages[0]], *stages[1:]]


def vast(stages):
    return [[{**pin, "replications": [[1, 10**12]]} for pin in stages[0]], *stages[1:]]


def turned(stages):
    return {str(i): stage for i, stage in enumerate(stages)}


EDITS = {
    doubled: r"2  d1       is numbered 1",
    doubled_and_numbered: r"2  d1       replications that are used twice",
    swapped: r"1  d1       is numbered 2",
    beheaded: r"1  d1       is numbered 2",
    emptied: r"1  d1       0 replications in place of",
    halved: r"1  d1       10 replications in place of 20",
    without_a_data_set: r"1           its data sets are not those of the design",
    typed_wrongly: r"is not as monitor leaves it\.\nHint",
    vast: r"is not as monitor leaves it\.\nHint",
    turned: r"is not as monitor leaves it\.\nHint",
}


@pytest.mark.parametrize("method", ["recursive", "group-sequential", "anytime"])
@pytest.mark.parametrize("edit", EDITS)
def test_edited_states_are_refused(draw, table, tmp_path, method, edit):
    """Also where somebody has made the checksum anew."""
    rows, state = draw(60, {"a": 0.0, "b": 0.05, "c": 1.5}, datasets=2), tmp_path / "s.json"

    def monitored(n):
        part = table(rows[rows["replication"] <= n])
        return bi.monitor(part, method=method, stage=20, state=state)

    monitored(20)
    monitored(60)  # of a and b alone
    document = json.loads(state.read_text())
    document["stages"] = edit(document["stages"])
    state.write_text(json.dumps(document))
    with pytest.raises(bi.BenchinferError, match="its checksum does not match"):
        monitored(60)
    forged = json.dumps(sealed(document))
    state.write_text(forged)
    with pytest.raises(bi.BenchinferError) as error:
        monitored(60)
    if edit is halved and method == "anytime":  # whose stages may have any length
        assert "1  scores changed" in str(error.value)
    else:
        assert re.search(EDITS[edit], str(error.value)), error.value
        assert "begin anew with another state file" in str(error.value)
    assert state.read_text() == forged


@pytest.mark.slow
def test_a_state_that_is_edited_in_any_other_way_is_refused(draw, table, tmp_path):
    scores, state = table(draw(60, AB)), tmp_path / "s.json"
    bi.monitor(scores, state=state)
    document = json.loads(state.read_text())
    for name, value in {"design": None, "stages": [], "monitor": 1, "sha256": ""}.items():
        state.write_text(json.dumps(document | {name: value}))
        with pytest.raises(bi.BenchinferError, match=r"checksum|has format 1; this version reads"):
            bi.monitor(scores, state=state)
    state.write_text(json.dumps(sealed(document | {"design": None})))
    with pytest.raises(bi.BenchinferError, match="is not as monitor leaves it"):
        bi.monitor(scores, state=state)
    state.write_text(json.dumps(document, indent=7))  # other spacing is no edit
    assert bi.monitor(scores, state=state).contrasts(all=True)["n_used"].tolist() == [50]


@pytest.mark.parametrize("method", ["recursive", "group-sequential"])
def test_stages_that_the_scores_do_not_lead_to_are_refused(draw, table, tmp_path, method):
    """At the level forged into the design, c has retired before the last stage."""
    scores = table(draw(60, {"a": 0.0, "b": 0.05, "c": 0.9}, datasets=2))
    options = {"method": method, "stage": 20, "control": "a", "state": tmp_path / "s.json"}
    bi.monitor(scores, level=1 - 1e-8, **options)
    document = json.loads((tmp_path / "s.json").read_text())
    document["design"]["level"] = 0.95
    (tmp_path / "s.json").write_text(json.dumps(sealed(document)))
    with pytest.raises(bi.BenchinferError, match=r"[23] +not the stage that the scores before"):
        bi.monitor(scores, **options)


@pytest.mark.parametrize(
    ("name", "why"),
    [("", "names no file"), (".", "is a folder"), ("/", "is a folder"), ("folder", "is a folder")],
)
def test_a_folder_is_no_state(draw, table, tmp_path, monkeypatch, name, why):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(bi.BenchinferError, match=f"^'{name}' {why}"):
        bi.monitor(table(draw(60, AB)), state=name)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_before_the_first_stage_there_is_no_state(draw, table, tmp_path):
    bi.monitor(table(draw(40, AB)), state=tmp_path / "s.json")
    assert not (tmp_path / "s.json").exists()
    found = bi.monitor(table(draw(60, {**AB, "c": 0.0})), state=tmp_path / "s.json", stage=20)
    assert len(found.contrasts(all=True)) == 3


def test_unused_scores_may_change(draw, table, tmp_path):
    rows = draw(60, AB)
    one = bi.monitor(table(rows), state=tmp_path / "s.json")
    rows.loc[rows["replication"] > 50, "value"] = 0.0
    two = bi.monitor(table(rows), state=tmp_path / "s.json")
    assert one.contrasts(all=True).equals(two.contrasts(all=True))


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000, "no json", "\0"])
def test_what_is_no_state_is_refused(draw, table, tmp_path, text):
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(bi.BenchinferError, match="is not the state"):
        bi.monitor(table(draw(60, AB)), state=tmp_path / "s.json")
    assert (tmp_path / "s.json").read_text() == text


def test_a_folder_that_is_not_there(draw, table, tmp_path):
    with pytest.raises(bi.BenchinferError, match="there is no folder"):
        bi.monitor(table(draw(60, AB)), state=tmp_path / "no" / "s.json")


@pytest.mark.parametrize("name", ["env", "run.json", "s.json"])
def test_what_lies_beside_a_state_is_left_alone(draw, table, tmp_path, name):
    others = [".env.local", ".env.production", ".run.json.swp", ".s.json.b.tmp1", ".s.json.abc"]
    for other in others:
        (tmp_path / other).write_text("not ours")
    bi.monitor(table(draw(60, AB)), state=tmp_path / name)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([*others, name, f"{name}.lock"])


def test_a_state_reached_through_a_link_is_one_state(draw, table, tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "far" / "s.json")
    rows = draw(100, AB)
    first = table(rows[rows["replication"] <= 50])
    with pytest.raises(bi.BenchinferError, match="is a link to a file that is not there"):
        bi.monitor(first, state=tmp_path / "link.json")
    bi.monitor(first, state=tmp_path / "far" / "s.json")
    (tmp_path / "far" / "s.json").chmod(0o600)
    bi.monitor(table(rows), state=tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert sorted(p.name for p in (tmp_path / "far").iterdir()) == ["s.json", "s.json.lock"]
    assert [p.name for p in tmp_path.glob("*.lock")] == []
    assert len(json.loads((tmp_path / "far" / "s.json").read_text())["stages"]) == 2
    assert (tmp_path / "far" / "s.json").stat().st_mode & 0o777 == 0o600


def test_a_lock_is_no_link(draw, table, tmp_path):
    (tmp_path / "s.json.lock").symlink_to(tmp_path / "beyond")
    with pytest.raises(bi.BenchinferError, match=r"s\.json\.lock' is a link"):
        bi.monitor(table(draw(60, AB)), state=tmp_path / "s.json")
    assert [path.name for path in tmp_path.iterdir()] == ["s.json.lock"]


def test_a_state_is_a_file_of_its_own(draw, tmp_path):
    rows = draw(60, AB)
    path = tmp_path / "scores.csv"
    rows.to_csv(path, index=False)
    (tmp_path / "hard").hardlink_to(path)
    os.mkfifo(tmp_path / "pipe")
    shared = bi.Resampling("independent", paired=True)
    read = bi.read_scores(path, measures={"acc": "higher"}, resampling=shared)
    for name, why in (
        ("scores.csv", "was read as input"),
        ("hard", "was read as input"),
        ("pipe", "is no file"),
        (".", "is a folder"),
    ):
        with pytest.raises(bi.BenchinferError, match=why):
            bi.monitor(read, state=tmp_path / name)
    pd.testing.assert_frame_equal(pd.read_csv(path), rows.reset_index(drop=True))
    assert not [*tmp_path.glob("*.lock")]
    with pytest.raises(bi.BenchinferError, match=r"lock' cannot be written: its name is too long"):
        bi.monitor(read, state=tmp_path / ("n" * 252))


# --- real processes


def grow(path: Path, rows: pd.DataFrame, n: int) -> None:
    part = rows[rows["replication"] <= n].rename(columns={"value": "acc"})
    new = path.with_suffix(".new")
    part.drop(columns="dataset").assign(measure="acc").rename(columns={"acc": "value"}).to_csv(
        new, index=False
    )
    new.replace(path)


def _watch(path: Path) -> None:
    """Monitor in a forked child, as often as it is let."""
    from benchinfer.analyses.monitor.monitor import monitor
    from benchinfer.scores.read import read_scores

    while True:
        with StateFile(path.with_name("s.json")) as state:
            scores = read_scores(
                path,
                measures={"acc": "higher"},
                dataset="d",
                resampling=bi.Resampling("independent", paired=True),
            )
            monitor(scores, stage=10, last_stage=None, state=state)


@pytest.mark.slow
def test_kills_at_random_moments_leave_a_whole_state(draw, tmp_path):
    rows, random_ = draw(400, {"a": 0.0, "b": 0.0}, seed=9), random.Random(1)  # noqa: S311
    path, state = tmp_path / "scores.csv", tmp_path / "s.json"
    context = multiprocessing.get_context("fork")
    known = 1
    grow(path, rows, 10)
    start = time.perf_counter()
    _whole(context, path)
    once = time.perf_counter() - start  # so that kills hit on slow machines, too
    for kill in range(KILLS):
        grow(path, rows, 10 * (kill + 1))
        child = context.Process(target=_watch, args=(path,))
        child.start()
        time.sleep(random_.uniform(0.0, 2 * once))
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        if state.exists():
            stages = json.loads(state.read_text())["stages"]
            assert known <= len(stages) <= kill + 1
            known = len(stages)
    _whole(context, path)
    assert not list(tmp_path.glob(".benchinfer*"))
    killed = state.read_text()
    state.unlink()
    _whole(context, path)  # one that nobody disturbed
    assert json.loads(killed)["stages"] == json.loads(state.read_text())["stages"]


def _whole(context: Any, path: Path) -> None:
    """Monitor once in a process that is left alone."""
    one = context.Process(target=_once, args=(path,))
    one.start()
    one.join()
    assert one.exitcode == 0


def _once(path: Path) -> None:
    from benchinfer.analyses.monitor.monitor import monitor
    from benchinfer.scores.read import read_scores

    scores = read_scores(
        path,
        measures={"acc": "higher"},
        dataset="d",
        resampling=bi.Resampling("independent", paired=True),
    )
    monitor(scores, stage=10, last_stage=None, state=path.with_name("s.json"))


@pytest.mark.slow
def test_two_processes_take_turns(draw, tmp_path):
    rows = draw(100, {"a": 0.0, "b": 0.0}, seed=9)
    path, context = tmp_path / "scores.csv", multiprocessing.get_context("fork")
    for n in (20, 50, 70, 100):
        grow(path, rows, n)
        both = [context.Process(target=_once, args=(path,)) for _ in "ab"]
        for process in both:
            process.start()
        for process in both:
            process.join()
        assert [process.exitcode for process in both] == [0, 0]
        stages = json.loads((tmp_path / "s.json").read_text())["stages"]
        assert [stage[0]["stage"] for stage in stages] == list(range(1, len(stages) + 1))
        labels = [label for stage in stages for label in stage[0]["replications"]]
        assert labels == [[10 * t + 1, 10 * t + 10] for t in range(len(stages))]
    assert len(stages) > 1
