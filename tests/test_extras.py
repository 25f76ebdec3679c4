"""Extras: the core works without them, and what needs one names it."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.errors import MissingExtra

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_core_needs_no_extra(tmp_path):
    """Each command runs, a report is written and a posterior saved where no extra is installed."""
    command = [sys.executable, str(ROOT / "tests" / "core_alone.py"), str(tmp_path), "--hide"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert done.stdout.count("core: ") == 16


def rates():
    """Return answers, right or wrong, of two algorithms on three data sets."""
    rows = [
        (f"d{d}", a, i, (i + d + (a == "x")) % 3 // 2)
        for d in range(3)
        for a in "xy"
        for i in range(9)
    ]
    names = ["dataset", "algorithm", "replication", "right"]
    return bi.read_scores(pd.DataFrame(rows, columns=names), measures="right:higher")


@pytest.fixture(scope="module")
def sampled():
    return bi.compare_bayes(bi.load_example("sklearn_bootstrap"), "error", draws=200, seed=1)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("dataset,algorithm,accuracy,phase\na,x,1,1\na,y,2,1\nb,x,1,1\nb,y,0,2\n")
    return path


def steps(sampled, table):
    """Return what a user does that needs a package of an extra."""
    return {
        "duckdb": lambda: bi.read_scores(table, measures="accuracy:higher", where="phase = 1"),
        "pymc": sampled.model,
        "arviz_plots": lambda: sampled.plot("trace"),
        "responses": lambda: bi.compare_bayes(rates(), "right", likelihood="binomial"),
        "pairs": lambda: bi.compare_bayes_pairs(rates(), "right", test="corani2017"),
        "wins": lambda: bi.compare_wins(bi.load_example("demsar2006"), inference="bayes"),
    }


@pytest.mark.parametrize(
    ("step", "package", "extra"),
    [
        ("duckdb", "duckdb", "sql"),
        ("pymc", "pymc", "bayes"),
        ("arviz_plots", "arviz_plots", "bayes"),
        *((model, "nutpie", "bayes") for model in ("responses", "pairs", "wins")),
    ],
)
def test_what_needs_an_extra_names_it(monkeypatch, sampled, table, step, package, extra):
    monkeypatch.setitem(sys.modules, package, None)
    said = rf"{package} is not installed.\nHint: pip install 'benchinfer\[{extra}\]' brings it."
    with pytest.raises(MissingExtra, match=said):
        steps(sampled, table)[step]()


def test_parts_of_the_data_are_a_fault_without_sql_too(monkeypatch, table):
    table.write_text(
        "dataset,algorithm,accuracy,split\n"
        + "".join(
            f"{d},{a},0.5{i},{s}\n"
            for i, s in enumerate(("test", "train"))
            for d in "pqr"
            for a in "xy"
        )
    )
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(bi.ScoreTableError, match="parts of the data, no replications"):
        bi.read_scores(table, measures="accuracy:higher")
