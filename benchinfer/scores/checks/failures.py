"""Failures: rows of a table that hold no score, with their reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from benchinfer.core import frames
from benchinfer.core.hints import literal
from benchinfer.core.numbers import count
from benchinfer.scores.checks.faults import Failed, Reading, tests
from benchinfer.scores.columns import FAILED, LABELS, Frame, lazy
from benchinfer.scores.coverage import Finding
from benchinfer.scores.summary import first_rows, n_rows

if TYPE_CHECKING:
    import pandas as pd

_TRUE = ("true", "1", "yes")
_UNFINISHED = (*FAILED, "killed", "running", "scheduled", "pending", "preempted")


def failures_of(reading: Reading) -> Any:
    """Return the rows without a score as an Arrow table.

    Its columns are the labels, and ``reason``, empty where the table gives none.
    """
    names = [name for name in (*LABELS, "failure") if name in reading.columns]
    rows = reading.frame.filter(tests(reading.frame)["absent"])
    columns = [nw.col(name).cast(nw.String) for name in names if name != "failure"]
    if "failure" in names:
        reason = nw.col("failure").cast(nw.String).fill_null("").alias("reason")
    else:
        reason = nw.lit("").alias("reason")
    return rows.select(*columns, reason).collect().to_arrow()


def within(failures: Any, dataset: str) -> Any:
    """Keep the failures on one data set."""
    import pyarrow.compute as pc

    return None if failures is None else failures.filter(pc.equal(failures["dataset"], dataset))  # pyright: ignore[reportAttributeAccessIssue]


def failures_frame(failures: Any) -> pd.DataFrame:
    """Return a tidy table of failures, sorted by labels, or by algorithm and state of the run."""
    names = [*LABELS[1:], "reason"]
    if failures is None:
        return frames.frame({name: [] for name in names})
    if "run_state" in failures.column_names:
        names = ["algorithm", "run_state", "scored", "dataset", "replication", "measure", "reason"]
    held = [name for name in names if name in failures.column_names]
    rows = failures.select(held).to_pandas().sort_values(held, kind="stable")
    return frames.frame({name: rows[name].tolist() for name in held})


def filled(reading: Reading, failed: Failed) -> tuple[Frame, list[Finding]]:
    """Return the rows with a score for each failure, and a finding that reports this.

    The worst score is that of any algorithm on the same data set; where there is none, the failure
    stays without a score.
    """
    import pyarrow as pa

    absent = tests(reading.frame)["absent"].alias("benchinfer_absent")
    table: Any = reading.frame.with_columns(absent).collect().to_arrow()
    lost = np.flatnonzero(table.column("benchinfer_absent").to_numpy(zero_copy_only=False))
    table = table.drop_columns(["benchinfer_absent"])
    part = table.select(["measure", "dataset"]).take(lost).to_pylist()
    if failed == "worst":
        worst = _worst(reading)
        scores = [worst.get((row["measure"], row["dataset"]), np.nan) for row in part]
    else:
        scores = [float(failed)] * len(lost)
    value = np.array(table.column("value").to_numpy(zero_copy_only=False), dtype=float)
    value[lost] = scores
    i = table.schema.get_field_index("value")
    table = table.set_column(i, "value", pa.array(value, pa.float64(), from_pandas=True))
    if "text" in table.column_names:
        text = table.column("text").to_pylist()
        for row, score in zip(lost.tolist(), scores, strict=True):
            text[row] = None if np.isnan(score) else repr(score)
        i = table.schema.get_field_index("text")
        table = table.set_column(i, "text", pa.array(text, pa.string()))
    n = int(np.isfinite(scores).sum())
    took = "the worst score of their data set" if failed == "worst" else f"a score of {failed:g}"
    what = f"{count(n, 'failure')} {'takes' if n == 1 else 'take'} {took}."
    hint = 'failed="missing" leaves them without a score.'
    findings = [Finding("failures filled", "warning", n, what, (), hint)]
    return lazy(table), findings


def _worst(reading: Reading) -> dict[tuple[str, str], float]:
    """Return the worst score by measure and data set."""
    s, worst = reading.summary, dict[tuple[str, str], float]()
    for measure in reading.measures:
        if measure.name not in s.measures:
            continue
        m = s.measures.index(measure.name)
        ends = s.minimum[m] if measure.sign > 0 else s.maximum[m]
        for d, dataset in enumerate(s.datasets):
            if (there := ends[d][np.isfinite(ends[d])]).size:
                end = there.min() if measure.sign > 0 else there.max()
                worst[measure.name, dataset] = float(end)
    return worst


def scores_of_failures(reading: Reading) -> Finding | None:
    """Report scores of runs that did not end, by a column of states."""
    state = nw.col("failure").cast(nw.String).str.to_lowercase()
    rows = reading.frame.filter(
        state.is_in(_UNFINISHED).fill_null(value=False) & ~tests(reading.frame)["absent"]
    )
    states: Any = rows.select("failure").collect().to_arrow().column("failure")
    if not (n := len(states)):
        return None
    words = ", ".join(f"'{word}'" for word in sorted(map(str, states.unique().to_pylist())))
    column = reading.roles.of["failure"][0]
    what = f"{count(n, 'score')} {'is' if n == 1 else 'are'} of runs that failed or go on,"
    hint = (
        f"where={literal(f'{column} not in ({words})')} leaves them out, which favours what"
        " fails on hard data sets."
    )
    where = first_rows(rows, (*reading.place, "failure"))
    return Finding("scores of failures", "warning", n, f"{what} as {column} says.", where, hint)


def imputed_scores(reading: Reading) -> Finding | None:
    """Report imputed scores, by a column of the table."""
    said = nw.col("imputed").cast(nw.String).str.to_lowercase().is_in(_TRUE)
    rows = reading.frame.filter(said & ~tests(reading.frame)["absent"])
    if not (n := n_rows(rows)):
        return None
    column = reading.roles.of["imputed"][0]
    what = f"{count(n, 'score')} {'is' if n == 1 else 'are'} imputed, as the column {column} says."
    hint = (
        f"where={literal(f'not {column}')} leaves them out;"
        " scores.failures() lists rows without a score."
    )
    return Finding("imputed scores", "warning", n, what, (), hint)
