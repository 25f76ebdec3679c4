"""The command `init`: a benchinfer.toml with which the next commands need no options."""

import json
import re
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[1] / "scores" / "formats" / "samples"
LONG = "dataset,replication,algorithm,value\n" + "".join(
    f"{d},{r},{k},{0.1 * len(d + k) + 0.01 * (3 * r * len(k) % 7 + len(d) * r % 3):.3f}\n"
    for d in ("a", "bb", "cc")
    for r in (1, 2)
    for k in ("svm", 'k=n,n "x"'.replace(",", ";"), "ours_v3")
).replace('k=n;n "x"', '"k=n;n ""x"""')
WIDE = "problem,fold,model,accuracy,time,loss\n" + "".join(
    f"{d},{r},{k},0.{d}{r}{len(k)},{r}.{len(k)},-0.{d}{len(k)}\n"
    for d in (1, 2)
    for r in (1, 2)
    for k in ("svm", "knn", "ours")
)
WITHOUT_A_TOOL = {
    "long": LONG,
    "wide measures": WIDE,
    "wide algorithms": "task,fold,svm,knn\na,1,0.5,0.6\na,2,0.4,0.7\nb,1,0.2,0.3\nb,2,0.3,0.2\n",
    "rows are algorithms": "model,iris,wine\nsvm,0.5,0.6\nknn,0.4,0.7\n",
    "joined columns": "task,seed,fold,model,score\n" + "".join(
        f"{d},{s},{f},{k},0.{s}{f}{len(k)}\n"
        for d in "ab" for s in (1, 2) for f in (1, 2) for k in ("x", "yy")
    ),
}  # fmt: skip
TOOLS = [
    *(
        "cv_results.csv",
        "cross_validate.csv",
        "automl_results.csv",
        "tabrepo.csv",
        "tidymodels.csv",
    ),
    *("harness/*/*.json", "samples/*/*.jsonl", "mteb/*/*/*.json", "mlr3.csv", "mlflow.csv"),
    *("wandb.csv", "testfolds/*.csv", "tsml", "weka.csv", "weka.arff", "rliable.json"),
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(folder: Path) -> dict[str, str]:
    """Fill in the directions that are open, and return all by measure."""
    file = folder / "benchinfer.toml"
    text = file.read_text(encoding="utf-8").replace(':?"', ':lower"')
    file.write_text(text, encoding="utf-8")
    measures = tomllib.loads(text).get("measures", [])
    return dict(measure.split(":")[:2] for measure in measures)


def table(run: Callable, *words: object) -> dict:
    """Return the table that `check` reads."""
    found = run("check", *words, "--json")
    assert found.exit_code in {0, 1}, found.output
    text = json.loads(found.stdout)
    assert "digest" in text, text
    # Declared measures have neither the units nor the bounds of a tool's.
    text["measures"] = [(m["name"], m["better"]) for m in text["measures"]]
    return {key: text[key] for key in ("digest", "measures", "resampling", "paired", "n")}


@pytest.mark.parametrize("layout", WITHOUT_A_TOOL)
def test_the_second_command_reads_the_table_without_options(
    run: Callable, here: Path, layout: str
) -> None:
    (here / "runs.csv").write_text(WITHOUT_A_TOOL[layout], encoding="utf-8")
    refused = run("check", "runs.csv", *_joined(layout))
    assert refused.exit_code == 4
    if "higher or lower" in refused.stderr or "as measures" in refused.stderr:
        once = "Once for all commands: benchinfer init runs.csv\n"
        assert refused.stderr.endswith(once) or "It can be read by" in refused.stderr
    written = run("init", "runs.csv", *_joined(layout))
    assert written.exit_code == 0, written.output
    assert "benchinfer runs.csv" in written.stdout
    directions = fill(here)
    again = table(run, "runs.csv")
    (here / "benchinfer.toml").unlink()
    typed = [word for name, way in directions.items() for word in ("-m", f"{name}:{way}")]
    assert again == table(run, "runs.csv", *typed, *_joined(layout))


def _joined(layout: str) -> tuple[str, ...]:
    columns = ("--column", "seed=replication", "--column", "fold=replication")
    return columns if layout == "joined columns" else ()


@pytest.mark.parametrize("name", TOOLS)
def test_results_of_tools_are_read_the_same(run: Callable, here: Path, name: str) -> None:
    written = run("init", SAMPLES / name)
    if written.exit_code:  # a table of many columns of which none is said to be a measure
        assert "-m test_acc:BETTER" in written.stderr, written.output
        said = {"mlflow.csv": "acc", "wandb.csv": "test_acc", "weka.csv": "Percent_correct",
                "weka.arff": "Kappa_statistic"}[name]  # fmt: skip
        written = run("init", SAMPLES / name, "-m", f"{said}:higher")
    assert written.exit_code == 0, written.output
    directions = fill(here)
    again = table(run, SAMPLES / name)
    (here / "benchinfer.toml").unlink()
    typed = [word for name, way in directions.items() for word in ("-m", f"{name}:{way}")]
    assert again == table(run, SAMPLES / name, *typed)


def test_directions_are_never_guessed_but_by_names_of_one_meaning(
    run: Callable, here: Path
) -> None:
    (here / "runs.csv").write_text(WIDE.replace("loss", "rmse"), encoding="utf-8")
    out = run("init", "runs.csv").stdout
    measures = tomllib.loads((here / "benchinfer.toml").read_text(encoding="utf-8"))["measures"]
    # A loss below zero may be one whose sign was turned.
    assert measures == ["accuracy:higher", "time:?", "rmse:?"]
    assert "accuracy: higher is better, judging by its name: see that it is so." in out
    assert "time: say in benchinfer.toml whether higher or lower is better." in out
    refused = run("compare", "runs.csv")
    assert refused.exit_code == 2
    assert "does not say yet whether higher or lower is better for: time, rmse." in refused.stderr
    # A measure that is typed takes the place of those of the file.
    assert run("describe", "runs.csv", "-m", "accuracy:higher").exit_code == 0


def test_another_measure_is_read_from_its_own_column(run: Callable, here: Path) -> None:
    (here / "runs.csv").write_text(WIDE, encoding="utf-8")
    assert run("init", "runs.csv", "-m", "accuracy:higher").exit_code == 0
    typed = table(run, "runs.csv", "-m", "time:lower")
    (here / "benchinfer.toml").unlink()
    assert typed == table(run, "runs.csv", "-m", "time:lower")


def test_what_is_typed_is_written(run: Callable, here: Path) -> None:
    (here / "runs.csv").write_text(LONG, encoding="utf-8")
    options = [
        *("-m", "value:lower:0.01:log", "--resampling", "cv:2", "--unpaired", "--dataset", "bb"),
        *("--where", "replication < 3 and algorithm != 'x'", "--failed", "worst"),
        *("--names", "ours_v3=Ours\u00b2", "--names", 'k=n;n "x"=KNN', "--repeats", "mean"),
    ]
    written = run("init", "runs.csv", *options)
    assert written.exit_code == 0, written.output
    again = json.loads(run("describe", "runs.csv", "--json").stdout)
    assert "--names" in again.pop("from_file")
    settings = tomllib.loads((here / "benchinfer.toml").read_text(encoding="utf-8"))
    assert settings["names"] == {"ours_v3": "Ours\u00b2", 'k=n;n "x"': "KNN"}
    assert settings["measures"] == ["value:lower:0.01:log"]
    assert settings["where"] == "replication < 3 and algorithm != 'x'"
    assert settings["paired"] is False
    (here / "benchinfer.toml").unlink()
    assert again == json.loads(run("describe", "runs.csv", *options, "--json").stdout)
    assert "KNN" in json.dumps(again)


def test_comments_are_options_when_their_mark_is_removed(run: Callable, here: Path) -> None:
    (here / "runs.csv").write_text(LONG, encoding="utf-8")
    assert run("init", "runs.csv").exit_code == 0
    fill(here)
    file = here / "benchinfer.toml"
    mark = r"^# (?=[\[\]]|    |[^ ]+ = |\"[^\n]*\" = )"
    text = re.sub(mark, "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    settings = tomllib.loads(text)
    assert settings["control"] == 'k=n;n "x"'
    assert set(settings["names"]) == {'k=n;n "x"', "ours_v3", "svm", "value"}
    file.write_text(text, encoding="utf-8")
    found = run("compare", "mixed", "runs.csv")
    assert found.exit_code in {0, 3}, found.output
    assert "cv" in run("check", "runs.csv").stdout or settings["resampling"] == "independent"


def test_a_file_is_not_overwritten_and_never_left_half(run: Callable, here: Path) -> None:
    (here / "runs.csv").write_text(LONG, encoding="utf-8")
    file = here / "benchinfer.toml"
    file.write_text("level = = 1", encoding="utf-8")
    refused = run("init", "runs.csv")
    assert refused.exit_code == 2
    assert "there is a benchinfer.toml already." in refused.stderr
    assert "--force" in refused.stderr
    wrong = run("init", "runs.csv", "--force", "--names", "nobody=x")
    assert wrong.exit_code == 4
    assert file.read_text(encoding="utf-8") == "level = = 1"
    assert run("init", "runs.csv", "--force").exit_code == 0
    assert fill(here) == {"value": "lower"}
    assert [path.name for path in sorted(here.iterdir())] == ["benchinfer.toml", "runs.csv"]


def test_a_table_with_faults_writes_nothing(run: Callable, here: Path) -> None:
    (here / "runs.csv").write_text(LONG + "a,1,svm,0.5\n", encoding="utf-8")
    refused = run("init", "runs.csv")
    assert refused.exit_code == 4
    assert "1 place" in refused.stderr
    assert not (here / "benchinfer.toml").exists()


def test_names_that_toml_must_escape(run: Callable, here: Path) -> None:
    odd = 'q"uo\\te # \x7f \U0001f600 [x]'
    quoted = '"' + odd.replace('"', '""') + '"'
    (here / "a 'b'.csv").write_text(f"dataset,replication,{quoted},method,value\n" + "".join(
        f"{d},{r},{g},{k},0.{d}{r}{g}\n" for d in (1, 2) for r in (1, 2) for g in (1, 2)
        for k in ("x", "y")
    ), encoding="utf-8")  # fmt: skip
    columns = ("--column", f"{odd}=replication", "--column", "replication=replication")
    written = run("init", "a 'b'.csv", *columns, "-m", "value:higher", "--names", f"x={odd}")
    assert written.exit_code == 0, written.output
    assert shlex.quote("a 'b'.csv") in written.stdout
    settings = tomllib.loads((here / "benchinfer.toml").read_text(encoding="utf-8"))
    assert set(settings["columns"]) == {odd, "replication"}
    assert settings["names"] == {"x": odd}


def test_a_table_from_elsewhere(run: Callable, here: Path) -> None:
    assert run("init", "example:demsar2006").exit_code == 0
    again = table(run, "example:demsar2006")
    (here / "benchinfer.toml").unlink()
    assert again == table(run, "example:demsar2006")


def test_a_name_alone_is_no_declaration(run: Callable, here: Path) -> None:
    (here / "runs.csv").write_text(WIDE, encoding="utf-8")
    refused = run("init", "runs.csv", "-m", "accuracy")
    assert refused.exit_code == 2
    assert "say which direction of accuracy is better" in refused.stderr


def test_the_column_of_steps_is_no_label(
    run: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        f"d{d},a{a},{s},{e},0.{d}{a}{s}{e}" for d in "12" for a in "34" for s in "12" for e in "12"
    ]
    file = tmp_path / "curves.csv"
    file.write_text("\n".join(["dataset,algorithm,seed,epoch,acc", *rows]), encoding="utf-8")
    result = run("init", file, "--take", "last", "-m", "acc:higher")
    assert result.exit_code == 0, result.output
    written = tomllib.loads((tmp_path / "benchinfer.toml").read_text(encoding="utf-8"))
    assert written["take"] == "last"
    assert set(written["columns"]) == {"dataset", "seed", "algorithm"}
    chosen = run("check", file, "--take", "last", "-m", "acc:higher", "--dataset", "d1", "--json")
    assert json.loads(chosen.stdout)["datasets"] == ["d1"]
