"""Streams: pipes and standard input are read once, their format told by content."""

import bz2
import gzip
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

import benchinfer as bi

FRAME = pd.DataFrame(
    [
        (f"d{d}", a, 0.1 * d + 0.01 * n)
        for d in range(1, 7)
        for n, a in enumerate(("old", "new", "third"))
    ],
    columns=["dataset", "algorithm", "accuracy"],
)
MAIN = "from benchinfer.cli import main; main()"
ARFF = "% of a tool\n@RELATION r\n@ATTRIBUTE dataset STRING\n@ATTRIBUTE algorithm STRING\n"
ARFF += "@ATTRIBUTE accuracy NUMERIC\n@DATA\n" + FRAME.to_csv(index=False, header=False)


def written(write: Callable[[Path], object]) -> Callable[[Path], bytes]:
    """Return the bytes that a writer of files gives."""

    def data(path: Path) -> bytes:
        write(path)
        return path.read_bytes()

    return data


def page() -> str:
    """Return the table in Markdown."""
    rows = [FRAME.columns, ["---"] * 3, *FRAME.itertuples(index=False)]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows)


def database(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.register("frame", FRAME)
        connection.execute("CREATE TABLE scores AS SELECT * FROM frame")


def packed(path: Path) -> None:
    with pa.output_stream(path, compression="zstd") as stream:
        stream.write(FRAME.to_csv(index=False).encode())


KINDS: dict[str, Callable[[Path], bytes]] = {
    "csv": lambda _: FRAME.to_csv(index=False).encode(),
    "csv with a mark": lambda _: FRAME.to_csv(index=False).encode("utf-8-sig"),
    "tsv": lambda _: FRAME.to_csv(index=False, sep="\t").encode(),
    "gz": lambda _: gzip.compress(FRAME.to_csv(index=False).encode()),
    "tsv.gz": lambda _: gzip.compress(FRAME.to_csv(index=False, sep="\t").encode()),
    "bz2": lambda _: bz2.compress(FRAME.to_csv(index=False).encode()),
    "zst": written(packed),
    "jsonl": lambda _: FRAME.to_json(orient="records", lines=True).encode(),
    "json": lambda _: FRAME.to_json(orient="records").encode(),
    "parquet": written(FRAME.to_parquet),
    "feather": written(FRAME.to_feather),
    "xlsx": written(lambda p: FRAME.to_excel(p, index=False)),
    "duckdb": written(database),
    "arff": lambda _: ARFF.encode(),
    "md": lambda _: page().encode(),
}


def piped(path: Path, data: bytes, *, pause: bool = False) -> threading.Thread:
    """Make a pipe, and write to it as soon as it is read, in two parts where there is a pause."""
    if not path.exists():
        os.mkfifo(path)

    def write() -> None:
        with path.open("wb", buffering=0) as pipe:
            half = 3 if pause else len(data)
            pipe.write(data[:half])
            threading.Event().wait(0.1 if pause else 0)
            pipe.write(data[half:])

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("pause", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_pipe_is_read_as_a_file_is(tmp_path: Path, kind: str, *, pause: bool) -> None:
    data = KINDS[kind](tmp_path / "written.xlsx")
    thread = piped(tmp_path / "pipe", data, pause=pause)
    table = bi.read_scores(tmp_path / "pipe", measures={"accuracy": "higher"})
    thread.join(10)
    direct = bi.read_scores(FRAME, measures={"accuracy": "higher"})
    columns = ["dataset", "algorithm", "value"]
    pd.testing.assert_frame_equal(
        table.to_frame()[columns].sort_values(columns, ignore_index=True),
        direct.to_frame()[columns].sort_values(columns, ignore_index=True),
        check_dtype=False,
    )


def test_a_pipe_that_is_written_again_is_read_again(tmp_path: Path) -> None:
    for factor in (1, 2):
        frame = FRAME.assign(accuracy=factor * FRAME["accuracy"])
        thread = piped(tmp_path / "pipe.csv", frame.to_csv(index=False).encode())
        table = bi.read_scores(tmp_path / "pipe.csv", measures={"accuracy": "higher"})
        thread.join(10)
        assert table.to_frame()["value"].max() == pytest.approx(factor * 0.62)


def test_features_from_a_pipe(tmp_path: Path) -> None:
    data = "dataset,size\n" + "".join(f"d{d},{d}\n" for d in range(1, 7))
    thread = piped(tmp_path / "pipe", data.encode())
    table = bi.read_scores(FRAME, measures={"accuracy": "higher"}, features=str(tmp_path / "pipe"))
    thread.join(10)
    assert "size" in table.features


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/null", "socket"])
def test_what_never_ends_or_is_no_file_is_refused(tmp_path: Path, device: str) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "s"))
        path = str(tmp_path / "s") if device == "socket" else device
        with pytest.raises(bi.ScoreTableError, match=r"is a (socket|device), which holds no table"):
            bi.read_scores(path, measures="accuracy:higher")


def test_an_empty_pipe_and_one_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchinfer.scores.sources import streams

    piped(tmp_path / "pipe", b"")
    with pytest.raises(bi.ScoreTableError, match=r"pipe' is empty"):
        bi.read_scores(tmp_path / "pipe", measures="accuracy:higher")
    monkeypatch.setattr(streams, "_MOST", 1 << 20)
    os.mkfifo(tmp_path / "yes")
    with subprocess.Popen(["sh", "-c", f"exec yes d1,a,1 > '{tmp_path}/yes'"]) as endless:
        with pytest.raises(bi.ScoreTableError, match=r"yes' has more than 0 GB"):
            bi.read_scores(tmp_path / "yes", measures="accuracy:higher")
        endless.kill()


@pytest.mark.parametrize("typed", ["", "*", "*.csv"])
def test_pipes_of_a_folder_are_counted_and_not_opened(tmp_path: Path, typed: str) -> None:
    """Nobody writes to them: a reader would wait for ever, and this test would not end."""
    FRAME.to_csv(tmp_path / "scores-1.csv", index=False)
    for name in ("a.csv", "b", "measures.toml", "c.csv"):
        os.mkfifo(tmp_path / name)
    table = bi.read_scores(tmp_path / typed if typed else tmp_path, measures="accuracy:higher")
    found = [f for f in table.notes if f.rule == "streams not read"]
    assert [f.count for f in found] == [{"": 4, "*": 4, "*.csv": 2}[typed]]
    assert len(table.to_frame()) == len(FRAME)


def test_pipes_beside_results_of_a_tool(tmp_path: Path) -> None:
    items = FRAME.assign(accuracy=1.0)
    table = bi.read_scores(items, measures=bi.Measure("accuracy", "higher", bounds=(0, 1)))
    table.to_every_eval_ever(tmp_path / "x", "m")
    folder = next((tmp_path / "x").rglob("*.json")).parent
    os.mkfifo(folder / "more.json")
    again = bi.read_scores(tmp_path / "x")
    assert [f.count for f in again.notes if f.rule == "streams not read"] == [1]
    assert len(again.to_frame()) == len(table.to_frame())


@pytest.mark.slow
@pytest.mark.parametrize("source", ["<(cat scores.csv)", "/dev/stdin < scores.csv", "/dev/fd/3"])
def test_the_commands_read_what_the_shell_gives(tmp_path: Path, source: str) -> None:
    FRAME.to_csv(tmp_path / "scores.csv", index=False)
    (tmp_path / "sizes").write_text("dataset,size\n" + "".join(f"d{d},{d}\n" for d in range(1, 7)))
    options = "-m accuracy:higher:0.05 --baseline old --candidate new --features <(cat sizes)"
    command = f"exec 3< scores.csv; {sys.executable} -c '{MAIN}' gate {source} {options} --json"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outcome"] == "pass"
    assert not list(tmp_path.glob("benchinfer-*"))


@pytest.mark.slow
def test_two_pipes_are_the_sides_of_a_gate(tmp_path: Path) -> None:
    for name in ("old", "new"):
        FRAME[FRAME["algorithm"] == name].to_csv(tmp_path / name, index=False)
    command = f"{sys.executable} -c '{MAIN}' gate <(cat old) <(cat new) -m accuracy:higher:0.05"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout[:4]) == (0, "Pass"), done.stderr
