"""Configuration and standard input that would end in an error of Python, or never."""

import io
import os
from pathlib import Path

import pytest

import benchinfer as bi


@pytest.mark.parametrize("name", ["measures.toml", "benchinfer.toml"])
def test_a_nested_toml_file(tmp_path, run, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(f"a = {'[' * 5000}{']' * 5000}\n")
    (tmp_path / "scores.csv").write_text("dataset,algorithm,score\nd1,a,1\nd1,b,2\n")
    found = run("check", "scores.csv")
    assert found.exit_code in {2, 4}
    assert "is nested too deep to be read." in found.stderr


def test_standard_input_without_end(monkeypatch):
    from benchinfer.cli.options import source as piped
    from benchinfer.scores.sources import streams

    monkeypatch.setattr(streams, "_MOST", 1 << 20)
    monkeypatch.setattr(streams, "_PART", 1 << 19)
    piped.standard_input.cache_clear()

    class Endless(io.RawIOBase):
        def read(self, size=-1):
            return b"d,a,1,0.5\n" * (size // 10)

    monkeypatch.setattr("sys.stdin", type("Piped", (), {"buffer": Endless()})())
    with pytest.raises(bi.ScoreTableError, match="standard input has more than 0 GB"):
        piped.standard_input()


TABLE = "dataset,algorithm,acc\n" + "".join(
    f"d{d},{a},0.{d}{n}\n" for d in range(1, 7) for n, a in enumerate("ab")
)
CHECK = ("check", "scores.csv", "-m", "acc:higher:0.05")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in a folder with a table, beside one of others."""
    (tmp_path / "here").mkdir()
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("scores.csv").write_text(TABLE)
    return tmp_path / "else"


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("there", [False, True])
def test_init_writes_through_no_link(here, run, force, there):
    target = here / "target.toml"
    if there:
        target.write_text("mine")
    Path("benchinfer.toml").symlink_to(target)
    found = run("init", *CHECK[1:], *force)
    assert found.exit_code == 2
    assert target.read_text() == "mine" if there else not target.exists()
    assert Path("benchinfer.toml").is_symlink()


@pytest.mark.parametrize(
    "text",
    [
        'features = "ELSE/sizes.csv"',
        'features = "../else/sizes.csv"',
        'features = "link/sizes.csv"',
        'features = "lin?/*.csv"',
        'features = "held"',
        'features = "~/../../../../../../../../../../../ELSE/sizes.csv"',
        'measures = ["ELSE/m.toml"]',
        'normalise = "link/m.toml"',
    ],
)
def test_a_file_names_no_input_outside_its_folder(here, run, text):
    secret = "canary"  # noqa: S105 (of a test)
    (here / "sizes.csv").write_text(f"dataset,{secret}\nx,{secret}\n")
    (here / "m.toml").write_text(f'"{secret}" = "{secret}"\n')
    Path("link").symlink_to(here)
    Path("held").mkdir()
    Path("held/sizes.csv").symlink_to(here / "sizes.csv")
    Path("benchinfer.toml").write_text(text.replace("ELSE", str(here)))
    options = CHECK if "measures" not in text else CHECK[:2]
    found = run(*options)
    assert found.exit_code == 2
    assert "of benchinfer.toml is not below this folder" in " ".join(found.stderr.split())
    assert secret not in found.output


def test_a_file_names_inputs_in_its_folder_and_what_is_typed_lies_anywhere(here, run):
    sizes = "dataset,size\n" + "".join(f"d{d},{d}\n" for d in range(1, 7))
    Path("sizes.csv").write_text(sizes)
    (here / "sizes.csv").write_text(sizes)
    Path("benchinfer.toml").write_text('features = "sizes.csv"\n')
    assert run(*CHECK).exit_code in {0, 1}
    Path("benchinfer.toml").write_text('features = "../else/sizes.csv"\n')
    assert run(*CHECK).exit_code == 2
    assert run(*CHECK, "--features", here / "sizes.csv").exit_code in {0, 1}


@pytest.mark.usefixtures("here")
def test_options_from_a_pipe_are_not_waited_for(run):
    os.mkfifo("benchinfer.toml")
    found = run(*CHECK)
    assert found.exit_code == 2
    assert "benchinfer.toml is no file" in found.stderr


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("features", ["pipe", "pi*e"])
def test_pipes_that_a_file_names_are_not_waited_for(run, features):
    os.mkfifo("pipe")
    Path("benchinfer.toml").write_text(f'features = "{features}"')
    found = run(*CHECK)
    assert found.exit_code == 2
    assert "'pipe' of benchinfer.toml is a pipe" in found.stderr.replace("pi*e", "pipe")


@pytest.mark.parametrize(
    ("path", "fits"),
    [
        *(("page.html", True), ("link/page.html", False), ("page-link.html", False)),
        *(("../else/page.html", False), ("ELSE/page.html", False), ("TEMP/page.html", True)),
        *(("TEMP/../else/page.html", False), ("to-temp/page.html", False)),
    ],
)
def test_typed_pages_lie_below_the_folders_that_the_environment_names(
    here, run, monkeypatch, path, fits
):
    temp = here.parent / "temp"
    temp.mkdir()
    Path("link").symlink_to(here)
    Path("to-temp").symlink_to(temp)
    Path("page-link.html").symlink_to(here / "page.html")
    (here / "page.html").write_text("mine")
    monkeypatch.setenv("BENCHINFER_WRITE_BELOW", f".{os.pathsep}{temp}")
    path = path.replace("ELSE", str(here)).replace("TEMP", str(temp))
    words = ("gate", *CHECK[1:], "--baseline", "a", "--candidate", "b", "--report", path)
    found = run(*words)
    assert (found.exit_code != 2) == fits, found.output
    assert (here / "page.html").read_text() == "mine"
    assert (temp / "page.html").exists() == (fits and "temp" in path)
