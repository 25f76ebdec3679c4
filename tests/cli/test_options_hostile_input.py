"""Configuration and standard input that would end in an error of Python, or never."""

import io

import pytest

import benchinfer as bi


@pytest.mark.parametrize("name", ["measures.toml", "benchinfer.toml"])
def test_a_nested_toml_file(tmp_path, run, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(f"a = {'[' * 5000}{']' * 5000}\n")
    (tmp_path / "scores.csv").write_text("dataset,algorithm,score\nd1,a,1\nd1,b,2\n")
    found = run("check", "scores.csv")
    assert found.exit_code in {1, 2}
    assert "is nested too deep to be read." in found.stderr


def test_standard_input_without_end(monkeypatch):
    from benchinfer.cli.options import source as piped

    monkeypatch.setattr(piped, "_MOST_PIPED", 1 << 20)
    monkeypatch.setattr(piped, "_PART", 1 << 19)
    piped.standard_input.cache_clear()

    class Endless(io.RawIOBase):
        def read(self, size=-1):
            return b"d,a,1,0.5\n" * (size // 10)

    monkeypatch.setattr("sys.stdin", type("Piped", (), {"buffer": Endless()})())
    with pytest.raises(bi.ScoreTableError, match="standard input has more than 0 GB"):
        piped.standard_input()
