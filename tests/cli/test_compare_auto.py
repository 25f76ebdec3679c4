"""Comparison by the analysis that fits, on the command line."""

import pytest

import benchinfer as bi
from benchinfer.comparison.wording import direction

TABLE = "example:sklearn_bootstrap"


@pytest.mark.slow
def test_a_table_alone_is_answered_on_all_measures(run):
    found = run(TABLE)
    answer = bi.compare(bi.load_example("sklearn_bootstrap"))
    words = " ".join(found.stdout.split())
    assert found.exit_code == 3  # svm is not shown better than lda by the error
    for name, result in answer.items():
        assert (
            f"{name}: {result.headline().replace(f' ({direction(result.measure)})', '')}" in words
        )
        assert f"{name} (lower)" in words
        assert answer.basis(name) in words
    assert words.index("Level of each algorithm on each measure") < words.index("Contrasts")
    assert words.count("is better)") == 0
    assert run("compare", TABLE).stdout == found.stdout == run("compare", "auto", TABLE).stdout


@pytest.mark.slow
def test_one_measure_is_answered_as_its_analysis_does(run):
    found = run("compare", TABLE, "-m", "error")
    named = run("compare", "permutation", TABLE, "-m", "error")
    assert found.exit_code == named.exit_code == 3
    basis = bi.compare(bi.load_example("sklearn_bootstrap"), "error").basis("error")
    assert basis in " ".join(found.stdout.split())
    assert set(named.stdout.splitlines()) <= set(found.stdout.splitlines())


@pytest.mark.slow
def test_the_table_for_a_paper_has_all_measures(run):
    table = bi.compare(bi.load_example("sklearn_bootstrap")).table()
    assert run(TABLE, "--table", "md").stdout == table.to_markdown()
    assert "error (lower is better)" in run(TABLE, "--table", "tex").stdout
    one = run(TABLE, "-m", "error", "--table", "md", "--rows", "datasets")
    assert "| moons |" in one.stdout
    assert "--rows goes with one measure" in run(TABLE, "--table", "md", "--rows", "pairs").stderr


def test_published_wins_and_effects_go_their_way(run, tmp_path):
    (tmp_path / "wins.csv").write_text("first,second,wins,losses\na,b,30,10\nb,c,25,15\na,c,33,7\n")
    assert "as the table holds wins, ties and losses" in run(tmp_path / "wins.csv").stdout
    rows = [f"s{i},a,b,acc,{0.1 + 0.01 * i},0.02\n" for i in range(6)]
    head = "study,first,second,measure,estimate,std_error\n"
    (tmp_path / "effects.csv").write_text(head + "".join(rows))
    shown = run(tmp_path / "effects.csv", "--measures", "acc:higher")
    assert "as the table holds published effects" in " ".join(shown.stdout.split())


def test_an_analysis_that_does_not_take_an_option_says_so(run):
    found = run("compare", TABLE, "-m", "error", "--target", "datasets", "--alternative", "better")
    assert found.exit_code == 3
    assert "better than" in found.stdout


def test_random_splits_end_with_3_and_a_caution_before_the_sentence(run, tmp_path):
    rows = [f"{s},{a},{0.8 + 0.1 * i + 0.001 * s}" for s in range(6) for i, a in enumerate("abc")]
    path = tmp_path / "splits.csv"
    path.write_text("\n".join(["split,algorithm,accuracy", *rows]))
    result = run(path, "-m", "accuracy:higher")
    text = " ".join(result.stdout.split())
    assert result.exit_code == 3
    assert text.index("--resampling holdout:0.1") < text.index("nothing was tested")


def test_points_end_with_3(run):
    result = run("compare", "points", "example:demsar2006")
    assert result.exit_code == 3
    assert "nothing was tested" in " ".join(result.stdout.split())


def test_time_outs_without_a_limit_are_asked_for(run, tmp_path):
    rows = [
        f"i{d:02},{a},{'timeout,1800' if d < 2 else f'ok,{10 + 7 * d + i}'}"
        for d in range(8)
        for i, a in enumerate("abc")
    ]
    path = tmp_path / "times.csv"
    path.write_text("\n".join(["instance,solver,status,seconds", *rows]))
    asked = ("--column", "solver=algorithm", "-m", "seconds:lower")
    result = run(path, *asked)
    text = " ".join((result.stdout + result.stderr).split())
    assert result.exit_code == 4
    assert "names 6 time-outs" in text
    assert "--measures seconds:lower:limit=1800" in text
    assert run(path, *asked[:3], "seconds:lower:limit=1800").exit_code in (0, 3)
    assert run(path, *asked, "--column", "status=failure").exit_code in (0, 3)
