"""Failures: rows of a table that hold no score, with their reasons."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from benchinfer.core import frames
from benchinfer.core.errors import DesignError
from benchinfer.core.hints import literal
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, several
from benchinfer.numerics.types import Array, Codes, Counts
from benchinfer.scores.checks.faults import Reading, tests
from benchinfer.scores.columns.engines import FAILED, Frame, lazy
from benchinfer.scores.columns.roles import INNER, LABELS
from benchinfer.scores.coverage import Finding, Gaps
from benchinfer.scores.declaration import Failed
from benchinfer.scores.rows.summary import Summary, first_rows, n_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def gaps_of(
    failures: Any, summary: Summary, expected: Counts, failed: Failed, *, paired: bool
) -> Gaps:
    """Count the failed runs and the missing scores of a measure, as `Gaps` has them.

    Parameters
    ----------
    failures
        Rows without a score, those of stopped runs included; None without any.
    summary
        Of one measure.
    expected
        (D,) how many replications a complete cell has.
    failed
        What failures count as.
    paired
        Whether algorithms share replications.
    """
    counts, runs = np.zeros(summary.n[0].shape, np.int64), dict[str, int]()
    if failures is not None:
        rows = _without_score(failures, summary.measures[0])
        numbers = Counter(map(str, rows["algorithm"]))
        runs = dict(sorted(numbers.items(), key=lambda one: (-one[1], one[0])))
        d, k = _places(rows, summary)
        there = (d >= 0) & (k >= 0)
        np.add.at(counts, (d[there], k[there]), 1)
    lost, empty = expected[:, None] - summary.replications[0], summary.n[0] == 0
    if failed == "missing":
        lost = lost - counts
    missing = np.where(paired | empty, np.maximum(lost, 0), 0)
    words = {"missing": "", "error": "", "worst": "the worst score"}
    counted = f"the scores of {failed}" if isinstance(failed, str) else f"{failed:g}"
    return Gaps(counts, missing, runs, words.get(str(failed), counted) if runs else "")


def filled(reading: Reading) -> tuple[Frame, list[Finding]]:
    """Return the rows with a score for each failure: the worst, a number, or an algorithm's.

    On a measure without any score a failure has no worst one, and stays.
    """
    import pyarrow as pa

    failed = reading.failed
    absent = tests(reading.frame)["absent"].alias("benchinfer_absent")
    table: Any = reading.frame.with_columns(absent).collect().to_arrow()
    lost = np.flatnonzero(table.column("benchinfer_absent").to_numpy(zero_copy_only=False))
    table = table.drop_columns(["benchinfer_absent"])
    places = _labels(table.take(lost))
    value = np.array(table.column("value").to_numpy(zero_copy_only=False), dtype=float)
    if failed == "worst":
        scores, kind = _worst(reading, places), "the worst score"
    elif isinstance(failed, str):
        rows = _labels(table).assign(value=value)
        scores, kind = scores_of(failed, rows, places), f"those of {failed}"
    else:
        scores, kind = np.full(len(lost), float(failed)), f"a score of {failed:g}"
    value[lost] = scores
    i = table.schema.get_field_index("value")
    table = table.set_column(i, "value", pa.array(value, pa.float64(), from_pandas=True))
    if "text" in table.column_names:
        text = table.column("text").to_pylist()
        for row, score in zip(lost.tolist(), scores.tolist(), strict=True):
            text[row] = None if np.isnan(score) else repr(score)
        i = table.schema.get_field_index("text")
        table = table.set_column(i, "text", pa.array(text, pa.string()))
    n = int(np.isfinite(scores).sum())
    what = f"{count(n, 'failure')} {'counts' if n == 1 else 'count'} as {kind}."
    hint = 'failed="missing" leaves them without a score.'
    findings = [Finding("failures filled", "warning", n, what, (), hint)]
    return lazy(table), findings


def _labels(table: Any) -> pd.DataFrame:
    """Return the labels of rows as text."""
    import pyarrow as pa

    names = [name for name in (*LABELS, *INNER) if name in table.column_names]
    return pa.table({name: table.column(name).cast(pa.string()) for name in names}).to_pandas()


def _places(rows: pd.DataFrame, summary: Summary) -> tuple[Codes, Codes]:
    """Return the data set and the algorithm of rows as positions, -1 for what has no scores."""
    both: list[Codes] = []
    for role, names in (("dataset", summary.datasets), ("algorithm", summary.algorithms)):
        place = {name: i for i, name in enumerate(names)}
        both.append(np.array([place.get(name, -1) for name in rows[role]], dtype=np.int64))
    return both[0], both[1]


def _worst(reading: Reading, places: pd.DataFrame) -> Array:
    """Return the worst score for each place, NaN on a measure without scores."""
    scores, s = np.full(len(places), np.nan), reading.summary
    d, k = _places(places, s)
    for measure in reading.measures:
        rows = (places["measure"] == measure.name).to_numpy()
        if measure.name in s.measures and rows.any():
            scores[rows] = worst_scores(s.of(measure.name), measure, d[rows], k[rows])
    return scores


def worst_scores(summary: Summary, measure: Measure, dataset: Codes, algorithm: Codes) -> Array:
    """Return the score that failures count as under ``failed="worst"``.

    The worst score of any algorithm on the data set of the failure, where two others or more have
    scores there; else the worst score of the measure in the table, as a failure would tie with a
    single other algorithm. A run that has a limit counts as one that was stopped at it.

    Parameters
    ----------
    summary
        Of one measure.
    measure
        Which direction is better, and the limit.
    dataset, algorithm
        (N,) places of the failures; -1 for what has no scores at all.

    Examples
    --------
    >>> import benchinfer as bi, pandas as pd
    >>> runs = pd.DataFrame({"dataset": list("ccccdd"), "algorithm": list("xyzwxw"),
    ...                      "acc": [0.9, 0.8, None, 0.7, 0.5, None]})
    >>> bi.read_scores(runs, measures="acc:higher", failed="worst").to_frame()["value"].tolist()
    [0.7, 0.9, 0.8, 0.7, 0.5, 0.5]
    """
    if measure.stopped_score is not None:
        return np.full(len(dataset), float(measure.stopped_score))
    worse, ends = (
        (np.fmin, summary.minimum[0]) if measure.sign > 0 else (np.fmax, summary.maximum[0])
    )
    of_table = float(summary.ends[0, 0 if measure.sign > 0 else 1])
    there = np.pad(summary.n[0] > 0, (0, 1))
    others = there[dataset].sum(axis=1) - there[dataset, algorithm]
    of_datasets = np.append(worse.reduce(ends, axis=1), np.nan)
    return np.where(others > 1, of_datasets[dataset], of_table)


def with_worst(
    frame: Frame, failures: Any, summary: Summary, measure: Measure, *, paired: bool
) -> Frame:
    """Add rows with the worst score for empty cells and for failures, to rows of one measure.

    Parameters
    ----------
    frame
        Canonical columns.
    failures
        Rows without a score, None without any.
    summary
        Of the rows.
    measure
        The measure.
    paired
        Whether algorithms share replications: an empty cell then gets all those of its data set,
        else as many as the algorithm with the most of them has.
    """
    import pyarrow as pa

    table: Any = frame.collect().to_arrow()
    labels = _labels(table)
    lost = _rows_lost(labels, failures, summary, paired=paired)
    new: Any = table.take(lost["like"].to_numpy(np.int64))
    worst = pa.array(worst_scores(summary, measure, *_places(lost, summary)), pa.float64())
    columns = {role: pa.array(lost[role], pa.string()) for role in labels}
    for name, column in (columns | {"value": worst}).items():
        i = table.schema.get_field_index(name)
        table = table.set_column(i, name, table.column(name).cast(column.type))
        new = new.set_column(i, name, column)
    return lazy(pa.concat_tables([table, new]))


def _rows_lost(
    labels: pd.DataFrame, failures: Any, summary: Summary, *, paired: bool
) -> pd.DataFrame:
    """Return the labels of rows for empty cells and failures, each with a row that it is like."""
    import pandas as pd

    labels = labels.assign(like=np.arange(len(labels)))
    empty, most = summary.n[0] == 0, summary.n[0].argmax(axis=1)
    parts = [labels]
    for d, rows in enumerate(rows for _, rows in labels.groupby("dataset")):
        algorithm = summary.algorithms[most[d]]
        of_most = rows[rows["algorithm"] == algorithm]
        like = rows.drop_duplicates("replication") if paired else of_most
        parts += [like.assign(algorithm=summary.algorithms[k]) for k in np.flatnonzero(empty[d])]
    if failures is not None:
        place = ["dataset", "replication"]
        failed = _without_score(failures, summary.measures[0])
        failed = failed[failed["dataset"].isin(summary.datasets)]
        failed = failed[failed["algorithm"].isin(summary.algorithms)]
        first = labels.drop_duplicates("dataset").set_index("dataset")["like"]
        same = labels.drop_duplicates(place).set_index(place)["like"].rename("same")
        like = failed.join(same, on=place)["same"].fillna(failed["dataset"].map(first))
        of_failed = labels.iloc[like.astype(np.int64)]
        changed = {role: failed[role].to_numpy() for role in ("replication", "algorithm")}
        parts.append(of_failed.assign(**changed))
    rows = pd.concat(parts, ignore_index=True)
    again = rows.duplicated(["dataset", "replication", "algorithm"])
    return rows[(rows.index >= len(labels)) & ~again]


def _without_score(failures: Any, measure: str) -> pd.DataFrame:
    """Return the failures of a measure but those of stopped runs, which have a score."""
    rows = failures_frame(failures)
    rows = rows[rows["measure"] == measure] if "measure" in rows else rows
    return rows[~rows["scored"].astype(bool)] if "scored" in rows else rows


def scores_of(name: str, rows: pd.DataFrame, places: pd.DataFrame) -> Array:
    """Return the scores of an algorithm at some places: those of the same replications.

    Where it has none of a replication, its mean on the data set.

    Raises
    ------
    DesignError
        It has no score on a data set.
    """
    scores = rows[(rows["algorithm"] == name) & rows["value"].notna()]
    inner = [role for role in (*LABELS, *INNER) if role in places and role in rows]
    inner = [role for role in inner if role not in ("domain", "algorithm")]
    outer = [role for role in ("measure", "dataset") if role in inner]
    same, mean = (
        places[keys].join(scores.groupby(keys)["value"].mean(), on=keys)["value"]
        for keys in (inner, outer)
    )
    values = same.fillna(mean)
    lacking = values.isna() & places[inner].notna().all(axis=1)
    if lacking.any():
        lost = places.loc[lacking, "dataset"].drop_duplicates().tolist()
        raise DesignError(
            f"{name!r} has no scores to stand for those that are missing on"
            f" {count(len(lost), 'data set')}: {several(lost)}.",
            hint="name an algorithm that has, or a score.",
        )
    return values.to_numpy(np.float64)


def _in_sql(column: str) -> str:
    """Return the name of a column as an expression has it."""
    return column if column.isidentifier() else '"{}"'.format(column.replace('"', '""'))


def without_states(column: str, words: Iterable[str]) -> str:
    """Return the argument that leaves out rows by their states, and keeps those without one.

    In SQL a state that is missing is neither in a list nor not in it.
    """
    name = _in_sql(column)
    texts = ", ".join("'{}'".format(word.replace("'", "''")) for word in sorted(words))
    return f"where={literal(f'{name} is null or {name} not in ({texts})')}"


def scores_of_failures(reading: Reading) -> Finding | None:
    """Report scores of runs that did not end, by a column of states."""
    state = nw.col("failure").cast(nw.String).str.to_lowercase()
    rows = reading.frame.filter(
        state.is_in(_UNFINISHED).fill_null(value=False) & ~tests(reading.frame)["absent"]
    )
    states: Any = rows.select("failure").collect().to_arrow().column("failure")
    if not (n := len(states)):
        return None
    column = reading.roles.of["failure"][0]
    what = f"{count(n, 'score')} {'is' if n == 1 else 'are'} of runs that failed or go on,"
    hint = (
        f"{without_states(column, map(str, states.unique().to_pylist()))} leaves them out, which"
        " favours what fails on hard data sets."
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
        f"where={literal(f'{_in_sql(column)} is distinct from true')} leaves them out;"
        " scores.failures() lists rows without a score."
    )
    return Finding("imputed scores", "warning", n, what, (), hint)
