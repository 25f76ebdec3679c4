"""Published errors beside scores are offered to `compare meta`, by a command that works."""

import shlex

import pytest

from tests.scores.sources.test_layouts_errors import NAMES, table

OFFER = "Weighing by the published errors of the scores: benchinfer "


def offers(result):
    return [line.removeprefix(OFFER) for line in result.stderr.splitlines() if OFFER in line]


START = [(["compare", "mixed"], names) for names in NAMES]


@pytest.mark.parametrize(("start", "names"), [*START, (["compare"], NAMES[0])])
def test_the_offered_command_pools_what_was_published(run, tmp_path, names, start):
    path = tmp_path / "my scores.csv"
    table(names).to_csv(path, index=False)
    first = run(*start, str(path), "-m", "acc:higher")
    (command,) = offers(first)
    second = run(*shlex.split(command))
    assert second.exit_code == 0
    assert offers(second) == []
    assert "18 differences of scores" in second.stderr
    assert "cleo > bert > ada" in second.stdout


@pytest.mark.parametrize("options", [["--where", "acc > 0"], ["--layout", "wide-measures"]])
def test_nothing_is_offered_where_it_would_not_be_of_the_same_scores(run, tmp_path, options):
    path = tmp_path / "scores.csv"
    table({"std_error": "acc_stderr"}).to_csv(path, index=False)
    assert offers(run("compare", "mixed", str(path), "-m", "acc:higher", *options)) == []
