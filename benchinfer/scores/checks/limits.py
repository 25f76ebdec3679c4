"""States of runs with a limit."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import narwhals as nw
import numpy as np

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.hints import literal
from benchinfer.core.numbers import count, number_of, percent
from benchinfer.scores.checks.faults import TIMED_OUT, Reading, tests
from benchinfer.scores.columns.engines import BLANKS
from benchinfer.scores.columns.roles import LABELS
from benchinfer.scores.coverage import Finding
from benchinfer.scores.declaration import Crashed
from benchinfer.scores.formats.format import Format
from benchinfer.scores.rows.summary import Summary, first_rows, n_rows
from benchinfer.scores.sources.frames import Source

# Words of a column of status, in small letters, "_" and "-" written as spaces.
# A proof that a problem has no solution solves it (SAT, MIP, planning); a solver that gives up, and
# one that ends with a solution it has not proved to be optimal, have not.
WORDS: dict[str, tuple[str, ...]] = {
    "solved": (
        *("ok", "solved", "sat", "unsat", "satisfiable", "unsatisfiable", "optimal", "finished"),
        *("success", "succeeded", "complete", "completed", "done", "infeasible", "unbounded", "0"),
        *("unsolvable", "integer infeasible"),
    ),
    "stopped": (
        *TIMED_OUT,
        *(
            "to",
            "warning",
            "memout",
            "mle",
            "memory out",
            "memory limit",
            "oom",
            "out of memory",
            "stopped",
        ),
        *("limit", "unsolved", "unknown", "gap limit", "node limit"),
        *("feasible", "gave up", "undecided", "iteration limit"),
    ),
    "crashed": (
        *("crash", "crashed", "error", "fail", "failed", "failure", "abort", "aborted", "killed"),
        *("segfault", "exception", "wrong", "wrong answer", "runtime error", "internal error"),
        *("other", "not applicable", "er"),
    ),
}
_CLOSE = 1e-6  # relative, of scores that equal the limit
_NEAR = 0.95  # of the limit: a time-out ends no earlier


def limited(tool: Format, source: Source) -> Format:
    """Return the format of a tool with the limit of its first measure, read from the limit column.

    Raises
    ------
    ScoreTableError
        Runs were stopped at several limits, or a limit is no positive number.
    """
    if not tool.limit or tool.limit not in source.names:
        return tool
    frame, _ = source.load([tool.limit], [], [])
    rows = frame.group_by(tool.limit).agg(nw.len().alias("n")).collect().to_arrow().to_pylist()
    limits = {str(row[tool.limit]): int(row["n"]) for row in rows if row[tool.limit] is not None}
    if odd := sorted(text for text in limits if not _is_limit(text)):
        n = sum(limits[text] for text in odd)
        raise ScoreTableError(
            f"{count(n, 'run')} of the column {tool.limit} {'has' if n == 1 else 'have'} a limit"
            f" that is no positive number, as {odd[0]!r}.",
            hint="correct the limits, or leave these rows out.",
        )
    runs: dict[float, int] = {}
    for text, n in limits.items():
        runs[float(text)] = runs.get(float(text), 0) + n
    if len(runs) > 1:
        several = ", ".join(
            f"{limit:,.6g} ({count(n, 'run')})" for limit, n in sorted(runs.items())
        )
        most = max(runs, key=runs.__getitem__)
        raise ScoreTableError(
            f"runs were stopped at {len(runs)} limits, by the column {tool.limit}: {several}.",
            hint=(
                f"where={literal(f'{tool.limit} == {most:g}')}"
                " reads those of one: means of times up to different limits are of neither."
            ),
        )
    first, *others = tool.measures
    return replace(tool, measures=(*(replace(first, limit=x) for x in runs), *others))


def _is_limit(text: str) -> bool:
    number = number_of(text)
    return number is not None and 0 < number < math.inf


class RunStates:
    """States of the runs of measures with a limit, as expressions of canonical columns.

    Attributes
    ----------
    reading
        The table.
    limited
        Its measures with a limit.
    state
        ``"solved"``, ``"stopped"``, ``"crashed"`` or null.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.limited = [m for m in reading.measures if m.limit is not None]
        self.absent = tests(reading.frame)["absent"]
        self.limit = self._of_measures([cast("float", m.limit) for m in self.limited])
        self.of_status = "status" in reading.columns
        near = (nw.col("value") - self.limit).abs() <= self.limit * _CLOSE
        self.at_limit = near.fill_null(value=False) & ~self.absent
        self.above = ((nw.col("value") > self.limit) & ~near).fill_null(value=False) & ~self.absent
        at_limit = nw.when(self.at_limit).then(nw.lit("stopped"))
        score = nw.when(~self.absent).then(nw.lit("solved"))
        if not self.of_status and "failure" not in reading.columns:
            state = nw.coalesce(at_limit, score)
        else:
            column = nw.col("status" if self.of_status else "failure").cast(nw.String)
            plain = column.str.strip_chars(BLANKS).str.to_lowercase().str.replace_all("[_-]", " ")
            said = [nw.when(plain.is_in(w)).then(nw.lit(s)) for s, w in WORDS.items()]
            if self.of_status:
                state = nw.coalesce(*said)
            else:  # a word in place of a score
                word = nw.when(self.absent).then(nw.coalesce(*said[1:]))
                state = nw.coalesce(word, at_limit, score)
        self.state = nw.when(~self.limit.is_null()).then(state)

    def _of_measures(self, values: Sequence[Any]) -> nw.Expr:
        """Return the value of each row's measure, null for measures without a limit."""
        measure = nw.col("measure").cast(nw.String)
        cases = [
            nw.when(measure == m.name).then(nw.lit(value))
            for m, value in zip(self.limited, values, strict=True)
        ]
        return nw.coalesce(*cases)

    def faults(self) -> list[Finding]:
        """Report words that are not known, and runs that cannot have been solved."""
        solved = (self.state == "solved").fill_null(value=False)
        limits = ", ".join(f"{m.name} {m.limit:,.6g}" for m in self.limited)
        return [
            *(self._unknown_words() if self.of_status else ()),
            *self._fault(
                "scores above the limit",
                solved & self.above,
                (
                    f"score is above the limit of {limits}.",
                    f"scores are above the limit: {limits}.",
                ),
                "a run that takes longer was stopped: give a larger limit, or say which"
                " runs were stopped, by a column of the role"
                " columns={'NAME': 'status'}.",
            ),
            *self._solved_at_the_limit(solved),
            *self._stopped_early(),
            *self._fault(
                "solved without a score",
                solved & self.absent,
                ("solved run has no score.", "solved runs have no score."),
                "correct the status, or complete the scores.",
            ),
        ]

    def _solved_at_the_limit(self, solved: nw.Expr) -> list[Finding]:
        """Report runs recorded as solved exactly at the limit, as anytime solvers report them."""
        if not self.of_status:
            return []
        if not (n := n_rows(self.reading.frame.filter(solved & self.at_limit))):
            return []
        what = f"{count(n, 'run')} {'is' if n == 1 else 'are'} said to be solved just at the limit."
        hint = (
            "a solver that is stopped with a solution it has not proved has not solved: write such"
        )
        hint += " runs as stopped."
        return [Finding("solved at the limit", "warning", n, what, (), hint)]

    def _stopped_early(self) -> list[Finding]:
        """Report limits far above the times of all stopped runs, which suggest another limit."""
        if not self.of_status:
            return []
        stopped = (self.state == "stopped").fill_null(value=False)
        rows = self.reading.frame.filter(stopped & ~self.absent & (nw.col("value") > 0))
        name = nw.col("measure").cast(nw.String)
        longest = rows.group_by(name.alias("name")).agg(
            nw.col("value").max().alias("longest"), nw.len().alias("n")
        )
        of = {row["name"]: row for row in longest.collect().to_arrow().to_pylist()}
        return [
            Finding(
                "limit not reached",
                "warning",
                row["n"],
                f"no stopped run came near the limit of {m.name} ({m.limit:,.6g}): the longest of"
                f" {row['n']:,} ended at {row['longest']:,.6g}, and each counts as"
                f" {m.stopped_score:,.6g}.",
                (),
                f"if runs were stopped at {row['longest']:,.6g}, declare that as the limit; if it"
                " was memory that ended them, leave it.",
            )
            for m in self.limited
            if (row := of.get(m.name)) and row["longest"] < _NEAR * cast("float", m.limit)
        ]

    def _unknown_words(self) -> list[Finding]:
        said = ~self.absent | ~nw.col("status").is_null()
        rows = self.reading.frame.filter(~self.limit.is_null() & self.state.is_null() & said)
        word = nw.col("status").cast(nw.String).fill_null("(empty)").alias("status")
        table = rows.select(word).group_by("status").agg(nw.len().alias("n")).sort("status")
        words = table.collect().to_arrow().to_pylist()
        if not words:
            return []
        column = "/".join(self.reading.roles.of["status"])
        shown = [(row["status"], f"{row['n']:,}") for row in words]
        known = "; ".join(f"{state}: {', '.join(said[:5])}" for state, said in WORDS.items())
        n = sum(row["n"] for row in words)
        return [
            Finding(
                "unknown status",
                "error",
                n,
                f"{count(len(words), 'word')} of the column {column}"
                f" {'is' if len(words) == 1 else 'are'} neither of a solved, a stopped nor a"
                " crashed run.",
                (("status", "runs"), *shown),
                f"write one of these instead. {known}.",
            )
        ]

    def _fault(
        self, rule: str, condition: nw.Expr, words: tuple[str, str], hint: str
    ) -> list[Finding]:
        rows = self.reading.frame.filter(condition)
        if not (n := n_rows(rows)):
            return []
        where = first_rows(rows, (*self.reading.place, "value"))
        what = f"{n:,} {words[n > 1]}"
        return [Finding(rule, "error", n, what, where, hint)]

    def failures(self, crashed: Crashed) -> Any:
        """Return runs that were stopped, crashed or have no score as an Arrow table."""
        state = nw.coalesce(self.state, nw.lit("missing"))
        names = [name for name in LABELS if name in self.reading.columns]
        reason = nw.lit("")
        if "status" in self.reading.columns or "failure" in self.reading.columns:
            column = "status" if self.of_status else "failure"
            reason = nw.col(column).cast(nw.String).fill_null("")
        states = ("stopped", "crashed") if crashed == "stopped" else ("stopped",)
        rows = self.reading.frame.with_columns(
            state.alias("run_state"), state.is_in(states).alias("scored"), reason.alias("reason")
        )
        rows = rows.filter(self.state.is_in(("stopped", "crashed")) | self.absent)
        labels = [nw.col(name).cast(nw.String) for name in names]
        return rows.select(*labels, "run_state", "scored", "reason").collect().to_arrow()

    def scored(self, crashed: Crashed) -> Any:
        """Return the rows with stopped runs scored by the limit times the penalty factor.

        A run that was solved at the very limit gets the next smaller number, so that a score equal
        to that of stopped runs is of a stopped run everywhere.
        """
        stopped = self.state == "stopped"
        crash = self.state == "crashed"
        missing = crash if crashed == "missing" else nw.lit(value=False)
        if crashed == "stopped":
            stopped |= crash
        penalty = self._of_measures([m.stopped_score for m in self.limited])
        below = self._of_measures([float(np.nextafter(m.limit or 0, 0)) for m in self.limited])
        at_limit = (self.state == "solved") & (nw.col("value") >= self.limit)
        rest = nw.when(~missing.fill_null(value=False)).then(nw.col("value"))
        value = nw.coalesce(
            nw.when(stopped.fill_null(value=False)).then(penalty),
            nw.when(at_limit.fill_null(value=False)).then(below),
            rest,
        )
        columns = [value.alias("value")]
        if "text" in self.reading.columns:
            written = self._of_measures([repr(m.stopped_score) for m in self.limited])
            text = nw.when(~missing.fill_null(value=False)).then(nw.col("text"))
            said = nw.when(stopped.fill_null(value=False)).then(written)
            columns.append(nw.coalesce(said, text).alias("text"))
        frame = self.reading.frame.with_columns(*columns)
        return frame.drop("status") if self.of_status else frame

    def notes(self, failures: Any, scores: Summary) -> list[Finding]:
        """Report the numbers of stopped and crashed runs of each measure."""
        findings: list[Finding] = []
        table = failures.select(["measure", "run_state", "scored"]).to_pandas()
        for m in self.limited:
            rows = table[table["measure"] == m.name]
            is_crashed, scored = rows["run_state"] == "crashed", rows["scored"].astype(bool)
            total, crashed = int(scored.sum()), int((is_crashed & scored).sum())
            lost = int((is_crashed & ~scored).sum())
            n = int(scores.of(m.name).n.sum()) if m.name in scores.measures else 0
            if not total + lost:
                continue
            of, share = (f" of {n:,}", f" ({percent(total / n)})") if n and n >= total else ("", "")
            what = (
                f"{total:,}{of} runs{share} were stopped at the limit of {m.name} ({m.limit:,.6g})"
                f"{f', of which {crashed:,} crashed' if crashed else ''}"
                f"{f'; {lost:,} crashed and have no score' if lost else ''}"
            )
            hint: str = f"means are of {m.name} up to the limit."
            if m.par != 1:
                hint = f"each counts as {m.stopped_score:,.6g}, {m.par:g} times the limit."
            if not self.of_status:
                what += ", as their scores equal it"
                role = "columns={'NAME': 'status'}"
                hint = f"a column that says so is better evidence: {role}."
            findings.append(Finding("stopped runs", "note", total + lost, f"{what}.", (), hint))
        return findings
