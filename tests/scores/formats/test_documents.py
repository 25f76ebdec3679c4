"""Layouts of tools, read without options.

Each case names repository and file of the writer after which its sample was written. Made by the
tool itself: `timing/pytest_benchmark.json` (pytest-benchmark 5.2.3, four rounds of each test).
"""

from typing import NamedTuple

import pytest

from benchinfer import read_scores
from tests.scores.formats.test_tables import SAMPLES


class Case(NamedTuple):
    """A sample, what is read of it, one of its scores, and its writer."""

    path: str
    tool: str
    sizes: tuple[int, int, int, int]  # data sets, algorithms, scores, failures
    measures: str
    cell: tuple[str, str, str, str]  # data set, algorithm, replication, measure
    value: float
    writer: str


CASES = [
    Case(
        "timing/pytest_benchmark.json",
        "pytest-benchmark",
        (2, 2, 16, 0),
        "time:l",
        ("n=1000", "sorted", "2", "time"),
        6.28900011179212e-06,
        "ionelmc/pytest-benchmark src/pytest_benchmark/fixture.py",
    ),
    Case(
        "timing/hyperfine.json",
        "hyperfine",
        (1, 2, 10, 0),
        "time:l",
        ("hyperfine", "rg -c needle", "3", "time"),
        0.01953,
        "sharkdp/hyperfine src/benchmark/benchmark_result.rs",
    ),
    Case(
        "timing/hyperfine.csv",
        "hyperfine; means of runs",
        (1, 2, 2, 0),
        "time:l",
        ("hyperfine", "grep -c needle", "1", "time"),
        0.0521,
        "sharkdp/hyperfine src/export/csv.rs",
    ),
    Case(
        "timing/google_benchmark.json",
        "Google Benchmark",
        (2, 2, 36, 3),
        "real_time:l cpu_time:l items_per_second:h",
        ("1024", "BM_vector", "2", "real_time"),
        2031.8035293141454,
        "google/benchmark src/json_reporter.cc",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.path for case in CASES])
def test_layouts_are_read_without_options(case):
    scores = read_scores(SAMPLES / case.path)
    (known,) = [f for f in scores.finding_records if f.rule == "tool recognised"]
    assert known.what.startswith(f"taken for results of {case.tool}")
    failures = len(scores.failures())
    sizes = (len(scores.datasets), len(scores.algorithms), scores.n_rows, failures)
    assert sizes == case.sizes
    assert " ".join(f"{m.name}:{m.better[0]}" for m in scores.measures) == case.measures
    table = scores.to_frame().set_index(["dataset", "algorithm", "replication", "measure"])
    assert table.loc[case.cell, "value"] == pytest.approx(case.value, rel=1e-9)
