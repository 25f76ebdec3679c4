"""Commands on two files, where each is one model."""

import pytest

from tests.scores.formats.test_tables import SAMPLES

DECLARED = ("-m", "acc:higher:0.01")


@pytest.fixture
def files(tmp_path):
    """A file for each model: the branch is better by about 0.1."""
    paths = []
    for name, gain in (("main", 0.0), ("branch", 0.1)):
        path = tmp_path / f"{name}.csv"
        rows = [
            f"{d},{k},{0.5 + k / 50 + (d == 'a') / 10 + gain * (1 + i * k % 5 / 10)}"
            for i, d in enumerate("abcdef")
            for k in (1, 2, 3)
        ]
        path.write_text("task,fold,acc\n" + "\n".join(rows) + "\n", encoding="utf-8")
        paths.append(path)
    return paths


def test_files_are_compared(run, files):
    compared = run("compare", *files, *DECLARED)
    assert compared.exit_code == 0
    assert "branch > main" in compared.stdout
    assert run(*files, *DECLARED).stdout == compared.stdout


def test_the_second_file_is_the_candidate(run, files):
    main, branch = files
    passed = run("gate", main, branch, *DECLARED)
    assert passed.exit_code == 0
    assert "branch is not worse than main" in passed.stdout
    assert run("gate", branch, main, *DECLARED).exit_code == 1
    turned = run("gate", branch, main, "--baseline", "main", "--candidate", "branch", *DECLARED)
    assert turned.exit_code == 0


def test_the_one_model_of_each_file_is_a_side(run):
    logs = sorted((SAMPLES / "evaluations" / "inspect_json").glob("*.json"))
    answer = run("gate", *logs, "-m", "match:higher:0.05")
    assert "mockllm/small is not worse than mockllm/large" in " ".join(answer.stdout.split())


def test_sides_of_one_file_are_said(run, files):
    answer = run("gate", files[0], *DECLARED, "--column", "fold=algorithm")
    assert answer.exit_code == 2
    assert "'--baseline': names an algorithm" in answer.stderr
