"""Entries of published studies: their files, and published numbers beside those computed."""

import gzip
import hashlib
import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from benchinfer.core.errors import ScoreTableError
from benchinfer.reproductions.atlas import NAMES, entry
from benchinfer.reproductions.entry import Entry, SourceFile, numbers


def sums(*paths: Path) -> dict[str, float]:
    return {"sum": sum(float(path.read_bytes().split(b"\n")[0]) for path in paths)}


def study(*sources: SourceFile, value: float = 3.0) -> Entry:
    return Entry(
        name="study",
        study="demsar2006",
        title="Sums",
        files=sources,
        licence="CC0",
        published=numbers("Table 1", {"sum": value}, 0.5),
        compute=sums,
    )


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_says_what_its_study_is_and_what_was_published(name):
    one = entry(name)
    assert one.name == name
    references = files("benchinfer").joinpath("references.bib").read_text("utf-8")
    assert f"{{{one.study}," in references
    assert len({row.name for row in one.published}) == len(one.published) > 0
    assert all(len(source.digest) in {0, 64} for source in one.files)
    halves = [0.5 * 10.0**-row.decimals for row in one.published]
    wider = [
        r for r, half in zip(one.published, halves, strict=True) if r.tolerance > half * 1.0001
    ]
    assert all(row.reason for row in wider)


def test_files_are_located_by_name_in_a_folder_packed_or_not(tmp_path):
    (tmp_path / "a.txt").write_text("1\n")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"2\n"))
    digest = hashlib.sha256(b"2\n").hexdigest()
    both = study(SourceFile("a.txt", "somewhere"), SourceFile("b.txt", "elsewhere", digest))
    assert [path.name for path in both.located([tmp_path])] == ["a.txt", "b.txt.gz"]
    turned = both.located([tmp_path / "b.txt.gz", tmp_path / "a.txt"])
    assert turned == both.located([tmp_path])
    one = study(SourceFile("a.txt", "somewhere"))
    renamed = (tmp_path / "a.txt").rename(tmp_path / "c.txt")
    assert one.located([renamed]) == [renamed]


def test_all_missing_and_strange_files_come_in_one_error(tmp_path):
    (tmp_path / "a.txt").write_text("1\n")
    three = study(
        SourceFile("a.txt", "here", "0" * 64),
        SourceFile("b.txt", "repository R"),
        SourceFile("c.txt", "S"),
    )
    with pytest.raises(ScoreTableError) as caught:
        three.located([tmp_path])
    for part in ("a.txt is another file or version", "b.txt is missing", "repository R", "c.txt"):
        assert part in str(caught.value)


def test_numbers_are_set_beside_the_published_ones(tmp_path):
    (tmp_path / "a.txt").write_text("3.4\n")
    source = SourceFile("a.txt", "here")
    near, far = (study(source, value=v).reproduce(tmp_path).iloc[0] for v in (3.0, 2.0))
    assert near["agrees"]
    assert not far["agrees"]
    assert (near["published"], near["here"], near["tolerance"]) == (3.0, 3.4, 0.5)


def test_a_number_that_ends_in_five_agrees_with_either_rounding(tmp_path):
    (tmp_path / "a.txt").write_text("2.5\n")
    for value in (2.0, 3.0):
        table = study(SourceFile("a.txt", "here"), value=value).reproduce(tmp_path)
        assert table["agrees"].all()


def test_agents_of_agarwal_by_a_direct_mean(tmp_path):
    rng = np.random.default_rng(1)
    games = [f"game{n}" for n in range(6)]
    runs = {game: rng.uniform(0, 20, size=5).tolist() for game in games}
    random, human = {game: [1.0] for game in games}, {game: [11.0] for game in games}
    for name, content in (("IRIS", runs), ("RANDOM", random), ("HUMAN", human)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    agarwal = entry("agarwal2021")
    ours = replace(agarwal, files=tuple(replace(file, digest="") for file in agarwal.files))
    table = ours.reproduce(tmp_path).set_index("name")["here"]
    means = np.array([np.mean(values) for values in runs.values()])
    assert table["IRIS, games"] == (means >= 11).sum()
    assert table["IRIS, mean human-normalised score"] == pytest.approx(((means - 1) / 10).mean())


def test_the_virtual_best_of_bischl_is_that_of_solved_instances(tmp_path):
    runs = {"a": ("10,ok", "5000,timeout"), "b": ("30,ok", "20,ok"), "c": ("5000,timeout",) * 2}
    lines = [
        f"{instance},1,{solver},{run}"
        for instance, of in runs.items()
        for solver, run in zip("xy", of, strict=True)
    ]
    columns = "instance_id STRING|repetition NUMERIC|algorithm STRING|runtime NUMERIC|runstatus"
    head = [f"@ATTRIBUTE {column}" for column in columns.split("|")]
    head[-1] += " {ok, timeout}"
    path = tmp_path / "algorithm_runs.arff"
    path.write_text("\n".join(["@RELATION r", *head, "@DATA", *lines]) + "\n")
    ours = replace(entry("bischl2016"), files=(SourceFile(path.name, "here"),))
    here = ours.reproduce(path)["here"]
    assert here.tolist() == [2, 1, pytest.approx((10 + 20) / 2)]


def test_ranks_of_means_far_apart_are_certain_and_of_equal_ones_open(tmp_path):
    from benchinfer.reproductions.mogstad2024 import ranks_of

    path = tmp_path / "pisa.csv"
    rows = ["A,500,1", "B,400,1", "C,400.5,5", "D,,"]
    path.write_text("\n".join(["jurisdiction,math_score,math_se", *rows]) + "\n", "utf-8-sig")
    table = ranks_of(path).set_index("country")
    assert table.index.tolist() == ["A", "C", "B"]
    ranks = table[["rank_low", "rank_high", "marginal_low", "marginal_high"]].to_numpy().tolist()
    assert ranks == [[1, 1, 1, 1], [2, 3, 2, 3], [2, 3, 2, 3]]
    assert table["may_be_best"].tolist() == [True, False, False]


def test_a_folder_of_files_has_one_digest_and_may_be_renamed(tmp_path):
    lines = ""
    for name, content in (("a.csv", b"1\n"), ("b.csv", b"2\n")):
        (tmp_path / "table").mkdir(exist_ok=True)
        (tmp_path / "table" / name).write_bytes(content)
        lines += f"{hashlib.sha256(content).hexdigest()}  {name}\n"  # as sha256sum prints
    (tmp_path / "table" / "notes.txt").write_text("not read")
    digest = hashlib.sha256(lines.encode()).hexdigest()
    one = study(SourceFile("table", "here", digest, "*.csv"))
    assert one.located([tmp_path]) == one.located([tmp_path / "table"]) == [tmp_path / "table"]
    renamed = (tmp_path / "table").rename(tmp_path / "other")
    assert one.located([renamed]) == [renamed]
    (renamed / "b.csv").write_text("3\n")
    with pytest.raises(ScoreTableError, match="another file or version"):
        one.located([renamed])
    (tmp_path / "table").write_text("a file")
    with pytest.raises(ScoreTableError, match="table is missing"):
        one.located([tmp_path])
