"""Faults that make a table unfit.

Rows without a score or a label are left out of the count of values that are missing or not finite:
they are reported as such, or taken as missing, and need no covariate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import narwhals as nw
import numpy as np

from benchinfer.core.hints import directions, literal
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, join
from benchinfer.scores.columns.engines import COMMA, Frame, said_to_fail, unreadable, written
from benchinfer.scores.columns.roles import INNER, LABELS, STATUS, Roles, common_name, slots
from benchinfer.scores.coverage import Finding
from benchinfer.scores.declaration import PASS, Failed
from benchinfer.scores.numerics.attempts import share_all_right, share_any_right
from benchinfer.scores.numerics.places import MOST
from benchinfer.scores.roles.labels import (
    SPLIT,
    condition_of,
    evaluated_part,
    kinds_of_splits,
    parts_of_data,
)
from benchinfer.scores.rows.nesting import of_answers
from benchinfer.scores.rows.summary import Summary, first_rows, n_rows

if TYPE_CHECKING:
    from benchinfer.scores.rows.rows import Rows
    from benchinfer.scores.sources.frames import Source

# Words of a column of status for runs that were stopped at a limit of time, "_" and "-" as spaces.
TIMED_OUT = (
    "timeout",
    "time out",
    "timed out",
    "tle",
    "time limit",
    "timelimit",
    "wallclock limit",
)
type Fault = Callable[[Reading], Finding | None]
_N, _RIGHT = "benchinfer_answers", "benchinfer_right"
NO_LIMIT = "status without a limit"  # the rule of times that stopped runs are said to have
_VALUE = nw.col("value")
_ABSENT = _VALUE.is_null() | _VALUE.is_nan()
_INFINITE = ~_ABSENT & ~_VALUE.is_finite()
_LARGE = ~_ABSENT & _VALUE.is_finite() & (_VALUE.abs() > MOST)
_FEW_REPEATED = 0.05  # of the rows, up to which repeated scores are no sign of another label
_BEYOND = f"too large to square (beyond {MOST:g})."


@dataclass(frozen=True, slots=True)
class Reading:
    """Rows of a table while it is read and checked.

    Attributes
    ----------
    canonical
        Canonical columns, as they came; None where all rows went to their places at once.
    usable
        The rows without a missing label and with a finite score, likewise.
    rows
        The same rows, in their places where these are dense.
    summary
        Of these rows.
    roles
        Which column played which role.
    measures
        As declared.
    repeats, failed
        What to do with several scores in one place, and with scores that are not there.
    counts
        How many rows fail each test of `tests`.
    """

    canonical: Frame | None
    usable: Frame | None
    rows: Rows
    summary: Summary
    roles: Roles
    measures: tuple[Measure, ...]
    repeats: str
    failed: Failed
    counts: dict[str, int]

    @property
    def frame(self) -> Frame:
        """All rows."""
        return self.clean if self.canonical is None else self.canonical

    @property
    def clean(self) -> Frame:
        """The rows without a missing label and with a finite score."""
        return self.rows.frame() if self.usable is None else self.usable

    @property
    def columns(self) -> list[str]:
        """The canonical columns that there are."""
        if self.canonical is None:
            return [*LABELS[1:], *(role for role in INNER if role in self.roles.of), "value"]
        return self.canonical.collect_schema().names()

    @property
    def domains(self) -> list[tuple[str, str]]:
        """The pairs of data set and domain, sorted."""
        pairs = self.clean.select("dataset", "domain").unique().collect().to_arrow().to_pylist()
        return sorted((pair["dataset"], pair["domain"]) for pair in pairs)

    @property
    def place(self) -> list[str]:
        """The columns of labels that identify a score, as far as the table has them."""
        many = len(self.summary.measures) > 1 or len(self.measures) > 1
        shown = ["dataset", "replication", *INNER, "algorithm", *(["measure"] if many else [])]
        return [name for name in shown if name in self.columns]


def tests(frame: Frame) -> dict[str, nw.Expr]:
    """Return the conditions that a single row can fail."""
    columns = frame.collect_schema().names()
    labels = [nw.col(name).is_null() for name in (*LABELS, *INNER) if name in columns]
    conditions = {
        "rows": nw.lit(value=True),
        "labels": nw.any_horizontal(*labels, ignore_nulls=True),
        "absent": _ABSENT,
        "infinite": _INFINITE,
        "large": _LARGE,
    }
    if "text" in columns:
        conditions["absent"] = nw.col("text").is_null()
        conditions["word"] = said_to_fail(nw.col("failure")).fill_null(value=False)
        conditions["comma"] = nw.col("text").str.contains(COMMA)
        conditions["unreadable"] = unreadable()
    return conditions


def tally(frame: Frame, conditions: Mapping[str, nw.Expr]) -> dict[str, int]:
    """Count the rows that meet each condition, in one query."""
    counts = [
        nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)).alias(name)
        for name, condition in conditions.items()
    ]
    table = frame.select(*counts).select(nw.all().sum()).collect().to_arrow()
    return {name: int(table.column(name)[0].as_py() or 0) for name in table.column_names}


def usable(frame: Frame) -> nw.Expr:
    """Return whether a row has all its labels and a score that can be counted."""
    columns = frame.collect_schema().names()
    labels = [nw.col(name).is_null() for name in (*LABELS, *INNER) if name in columns]
    return ~(nw.any_horizontal(*labels, _ABSENT, ignore_nulls=True) | _INFINITE | _LARGE)


def _are(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def no_scores(reading: Reading) -> Finding | None:
    """Report a table without rows, or without any that can be used."""
    if not reading.counts["rows"]:
        return Finding("no scores", "error", 1, "the table has no rows.")
    if not reading.summary.measures and reading.counts["absent"] == reading.counts["rows"]:
        return Finding("no scores", "error", 1, "no row of the table has a score.")
    return None


def _rows_that_fail(
    test: str,
    rule: str,
    words: tuple[str, str],
    condition: nw.Expr,
    hint: str,
    shown: str = "value",
) -> Fault:
    """Return a rule that reports the rows that fail a test; `words` are for one and for several."""

    def fault(reading: Reading) -> Finding | None:
        if not (n := reading.counts.get(test, 0)):
            return None
        rows = reading.frame.filter(condition)
        where = first_rows(rows, (*reading.place, shown), "value")
        return Finding(rule, "error", n, _are(n, *words), where, hint)

    return fault


def numbers_as_text(reading: Reading) -> Finding | None:
    """Report scores that are numbers, but typed as text throughout."""
    c = reading.counts
    if "unreadable" not in c or c["unreadable"] or c["comma"] or not c["rows"] > c["absent"]:
        return None
    if c["word"]:  # words of failure make the whole column text
        return None
    n = c["rows"] - c["absent"]
    return Finding(
        "numbers as text",
        "error",
        n,
        _are(n, "score is a number", "scores are numbers") + " written as text.",
        first_rows(reading.frame, (*reading.place, "text"), "value"),
        f"convert the column {', '.join(reading.roles.scores)} to float first.",
    )


def missing_labels(reading: Reading) -> Finding | None:
    """Report rows that lack a label."""
    if not (n := reading.counts["labels"]):
        return None
    labels = [name for name in (*LABELS, *INNER) if name in reading.columns]
    bad = reading.frame.filter(
        nw.any_horizontal(*(nw.col(name).is_null() for name in labels), ignore_nulls=True)
    )
    return Finding(
        "missing labels",
        "error",
        n,
        _are(n, "row lacks", "rows lack") + f" a label ({', '.join(labels)}).",
        first_rows(bad, (*labels, "value")),
        "complete the labels, or remove the rows.",
    )


def failures(reading: Reading) -> Finding | None:
    """Report rows without a score: NaN, null, empty, or a word such as timeout."""
    if not (n := reading.counts["absent"]):
        return None
    rows = reading.frame.filter(tests(reading.frame)["absent"])
    reasons = [name for name in ("failure",) if name in reading.columns]
    where = first_rows(rows, (*reading.place, *reasons))
    what = _are(n, "row has", "rows have") + " no score"
    if reading.failed == "error":
        hint = 'leave failed runs out, or say so knowingly: failed="missing".'
        return Finding("failures", "error", n, f"{what}.", where, hint)
    hint = 'failed="worst" counts them as the worst score, failed="error" refuses them.'
    return Finding("failures", "warning", n, f"{what}: taken as missing.", where, hint)


def duplicate_rows(reading: Reading) -> Finding | None:
    """Report several scores of one (data set, replication, algorithm, measure)."""
    more = reading.summary.n > reading.summary.replications
    if not more.any() or not reading.roles.has("algorithm") or PASS.fullmatch(reading.repeats):
        return None
    groups = _repeats(reading)
    if not (n := n_rows(groups)):
        return None  # of units with several items
    where = first_rows(groups, (*reading.place, "n"))
    levels = ", ".join(reading.roles.units) or "replication"
    place = f"(dataset, {levels}, algorithm, measure)"
    what = f"{_are(n, 'place', 'places')} {place} {'has' if n == 1 else 'have'} several scores."
    if reading.repeats == "mean":
        return Finding("repeats averaged", "note", n, what, where, "their mean counts as one.")
    if reading.repeats == "keep":
        return Finding("repeats kept", "note", n, what, where, "their spread is used as such.")
    hint = 'remove the duplicates; if they are repeats of one replication, say repeats="keep".'
    unused = any(finding.rule == "unused columns" for finding in reading.roles.findings)
    if "replication" not in reading.roles.of and unused:
        hint = (
            'columns={"NAME": "replication"} says which column tells'
            ' them apart;\nrepeats="keep" takes them as repeats of one'
            " replication."
        )
    covariates = slots(reading.roles.covariates)
    if covariates and not n_rows(_repeats(reading, *covariates)):
        labels = dict.fromkeys(
            (*reading.roles.of.get("replication", ()), *reading.roles.covariates)
        )
        both = f"columns={dict.fromkeys(labels, 'replication')!r}"
        hint += f"\nif a covariate tells them apart, it is a label too: {both}."
    rows, places = int(reading.summary.n.sum()), int(reading.summary.replications.sum())
    few = rows - places <= _FEW_REPEATED * rows
    proposes = (("repeats", "keep"),) if few else ()
    return Finding("duplicate rows", "error", n, what, where, hint, proposes)


def _repeats(reading: Reading, *more: str) -> Frame:
    """Return the places, also by further columns, that have several scores."""
    inner = [role for role in INNER if role in reading.roles.of]
    keys = ["dataset", "replication", *inner, "algorithm", "measure", *more]
    return reading.clean.group_by(*keys).agg(nw.len().alias("n")).filter(nw.col("n") > 1)


def averaged(reading: Reading) -> Frame:
    """Average the scores of each (data set, replication, algorithm, measure)."""
    keys = [name for name in (*LABELS, *INNER) if name in reading.columns]
    score = nw.when(~tests(reading.frame)["absent"]).then(_VALUE)
    frame = reading.frame.with_columns(score.alias("value"))
    values = ("value", *slots(reading.roles.covariates))
    return frame.group_by(*keys).agg(*(nw.col(name).mean() for name in values))


def without_answers(roles: Roles) -> Roles:
    """Return the roles without the innermost level of units, where it is one of answers."""
    inner = [role for role in INNER if role in roles.of]
    if not inner or not of_answers(roles.units):
        return roles
    return replace(roles, of={role: of for role, of in roles.of.items() if role != inner[-1]})


def passed(reading: Reading) -> tuple[Frame | None, Finding]:
    """Return rows of one score for the answers of each item, by ``pass^k`` or ``pass@k``.

    There are no rows where the answers are no such ones, which the finding then says.
    """
    import pyarrow as pa

    sign, k = reading.repeats[4], int(reading.repeats[5:])
    frame = reading.frame.with_columns(
        nw.when(~tests(reading.frame)["absent"]).then(nw.col("value")).alias("value")
    )
    if (fault := _not_right_or_wrong(reading, frame)) is not None:
        return None, fault
    roles = without_answers(reading.roles)
    inner = [role for role in INNER if role in roles.of]
    keys = [name for name in (*LABELS, *inner) if name in reading.columns]
    value = nw.col("value")
    # A dictionary of nested labels may hold one text more than once.
    labelled = frame.with_columns(*(nw.col(name).cast(nw.String) for name in keys))
    sums = value.count().alias(_N), value.sum().alias(_RIGHT)
    answers = labelled.group_by(*keys).agg(*sums).collect()
    few = answers.lazy().filter((nw.col(_N) > 0) & (nw.col(_N) < k))
    if n := n_rows(few):
        where = first_rows(
            few.rename({_N: "answers"}),
            (*(name for name in reading.place if name in keys), "answers"),
        )
        what = f"{count(n, 'item')} of an algorithm {'has' if n == 1 else 'have'} fewer than"
        what += f" {count(k, 'answer')}, which pass{sign}{k} takes."
        hint = 'units=("ITEM", "ANSWER") names the columns of items and of their answers.'
        return None, Finding("too few answers", "error", n, what, where, hint)
    table = nw.maybe_reset_index(answers).to_arrow()
    size, right = (table.column(name).to_numpy().astype(float) for name in (_N, _RIGHT))
    share = share_all_right if sign == "^" else share_any_right
    values = np.full(len(size), np.nan)
    values[size > 0] = share(size[size > 0], right[size > 0], k)
    table = table.drop_columns([_N, _RIGHT]).append_column("value", pa.array(values))
    answered = size[size > 0]
    counts = sorted({int(each) for each in answered})
    each = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    meaning = "all are right" if sign == "^" else "one or more is right"
    what = f"pass{sign}{k}: share of the sets of {k} of an item's {each} answers where {meaning}."
    return (
        nw.from_native(table).lazy(),
        Finding("repeats passed", "note", len(answered), what),
    )


def _not_right_or_wrong(reading: Reading, frame: Frame) -> Finding | None:
    """Report scores that do not say of an answer whether it is right."""
    value, hint = nw.col("value"), "pass^k and pass@k take scores of which 1 is right and 0 wrong;"
    other = frame.filter(~value.is_null() & (value != 0) & (value != 1))
    if n := n_rows(other):
        where = first_rows(other, (*reading.place, "value"))
        what = f"{count(n, 'score')} of answers {'is' if n == 1 else 'are'} neither 0 nor 1."
        more = f"{hint} measures={{...}} names those to read."
        return Finding("answers not 0 or 1", "error", n, what, where, more)
    if lower := [m.name for m in reading.measures if m.better == "lower"]:
        what = f"of {join(lower)} lower is better, so that 1 is no right answer."
        return Finding("answers not 0 or 1", "error", len(lower), what, (), f"{hint} read these.")
    return None


def parts_as_replications(reading: Reading) -> Finding | None:
    """Report parts of data sets, such as train and test, that are taken for replications."""
    columns = reading.roles.of.get("replication", ())
    labels = [label.split("/") for label in reading.rows.replications()] if columns else []
    for i, column in enumerate(columns):
        texts = sorted({parts[i] for parts in labels if len(parts) == len(columns)})
        if all(map(str.isalpha, texts)) and parts_of_data(texts):  # most labels count
            what = f"{column} holds {join(texts)}, which are parts of the data, no replications."
            where = literal(condition_of(column, evaluated_part(texts)))
            hint = f"where={where} takes the scores of one."
            return Finding("parts of the data", "error", len(texts), what, (), hint)
    return None


def kinds_as_replications(reading: Reading, declared: Collection[str]) -> list[Finding]:
    """Report ways to split data, such as random and chronological, in a column named as splits.

    Whose role is declared, holds what the user says.
    """
    columns = reading.roles.of.get("replication", ())
    if len(columns) != 1 or columns[0] in declared or common_name(columns[0]) != SPLIT:
        return []
    column, texts = columns[0], sorted({*reading.rows.replications()})
    if not kinds_of_splits(texts):
        return []
    what = f"{column} holds {join(texts)}, which are kinds of splits, no replications."
    hint = (
        f"where={literal(condition_of(column, texts[0]))} takes one;"
        f" columns={ {column: 'dataset'}!r} takes all, as do the roles factor and replication."
    )
    return [Finding("kinds of splits", "error", len(texts), what, (), hint)]


def direction_not_given(reading: Reading) -> Finding | None:
    """Report measures without a declared direction."""
    known = {measure.name for measure in reading.measures}
    names = [name for name in reading.summary.measures if name not in known]
    if not names or not reading.roles.has("value"):
        return None
    # No direction is proposed: one that is copied inverts every verdict.
    hint = f"{directions(tuple(names))}."
    what = f"it is not said whether higher or lower is better for: {', '.join(names)}."
    proposes = (("measures", tuple(names)),)
    return Finding("direction not given", "error", len(names), what, (), hint, proposes)


def out_of_bounds(reading: Reading) -> Finding | None:
    """Report scores outside the legal range of their measure."""
    conditions: list[nw.Expr] = []
    ranges: list[str] = []
    for m in reading.measures:
        if m.bounds is None or m.name not in reading.summary.measures:
            continue
        summary = reading.summary.of(m.name)
        low, high = m.bounds
        if np.nanmin(summary.minimum) < low or np.nanmax(summary.maximum) > high:
            outside = ~_VALUE.is_between(low, high)
            conditions.append((nw.col("measure") == m.name) & outside)
            ranges.append(f"{m.name} [{low:g}, {high:g}]")
    if not conditions:
        return None
    bad = reading.clean.filter(nw.any_horizontal(*conditions, ignore_nulls=True))
    n = n_rows(bad)
    return Finding(
        "out of bounds",
        "error",
        n,
        _are(n, "score is", "scores are") + f" outside the bounds: {', '.join(ranges)}.",
        first_rows(bad, (*reading.place, "value")),
        "per cent or a fraction? Correct the scores, or the bounds of the measure.",
    )


def several_domains(reading: Reading) -> Finding | None:
    """Report data sets of more than one domain."""
    if "domain" not in reading.columns:
        return None
    pairs = reading.domains
    names = [dataset for dataset, _ in pairs]
    rows = [pair for pair in pairs if names.count(pair[0]) > 1]
    if not rows:
        return None
    n = len({row[0] for row in rows})
    return Finding(
        "several domains",
        "error",
        n,
        _are(n, "data set is", "data sets are") + " of more than one domain.",
        (("dataset", "domain"), *rows[:5]),
        "a data set belongs to one domain.",
    )


def status_without_limit(reading: Reading, source: Source) -> list[Finding]:
    """Report a column of status in a table of measures without a limit.

    A column by name that has no role counts where its words are of time-outs and the longest time
    repeats, as a limit does.
    """
    if any(m.limit is not None for m in reading.measures):
        return []
    limits = _repeated_times(reading)
    if "status" in reading.columns:
        column, n = "/".join(reading.roles.of["status"]), 1
        what = f"the column {column} says which runs were stopped, and no measure has a limit."
        leave: list[str] = []
    else:
        column, n = _timed_out(reading, source) if limits else ("", 0)
        if not n:
            return []
        what = (
            f"the column {column} names {count(n, 'time-out')}, whose times are no times that runs"
            " took, and no measure has a limit."
        )
        leave = [f"columns={ {column: 'status'}!r} with a limit takes them as stopped runs."]
    limit = limits[0] if limits else "seconds:lower:limit=3600"
    hint = " ".join([f"declare it: measures={literal(limit)}.", *leave])
    return [Finding(NO_LIMIT, "error", n, what, (), hint)]


def _repeated_times(reading: Reading) -> list[str]:
    """Return declarations of measures, of which less is better, with the largest score as limit.

    Of those whose largest score repeats, as the time does at which runs are stopped.
    """
    limits: list[str] = []
    for measure in reading.measures:
        if measure.better != "lower" or measure.name not in reading.summary.measures:
            continue
        s = reading.summary.of(measure.name)
        if int(s.at_ends[..., 1].sum()) > 1 and (worst := float(np.nanmax(s.maximum))) > 0:
            limits.append(f"{measure.name}:lower:limit={worst:.15g}")
    return limits


def _timed_out(reading: Reading, source: Source) -> tuple[str, int]:
    """Return a column of status without a role and how many time-outs it names, 0 without one."""
    used = {name for names in reading.roles.of.values() for name in names}
    for name in source.names:
        if common_name(name) not in STATUS or name in used:
            continue
        frame, _ = source.load([name], [], [])
        words: list[object] = cast("Any", frame.collect().to_arrow()).column(name).to_pylist()
        plain = [re.sub(r"[_-]+", " ", str(word)).casefold().strip() for word in words]
        if n := sum(word in TIMED_OUT for word in plain):
            return name, n
    return "", 0


FAULTS: tuple[Fault, ...] = (
    no_scores,
    numbers_as_text,
    _rows_that_fail(
        "comma",
        "decimal commas",
        ("score is text with a decimal comma.", "scores are text with a decimal comma."),
        nw.col("text").str.contains(COMMA),
        "write them with a decimal point, or read them by pandas, which takes decimal commas.",
        "text",
    ),
    _rows_that_fail(
        "unreadable",
        "not numbers",
        ("score is not a number.", "scores are not numbers."),
        unreadable(),
        "correct them, or leave failed runs out as missing rows.",
        "text",
    ),
    missing_labels,
    failures,
    _rows_that_fail(
        "infinite",
        "infinite values",
        ("score is infinite.", "scores are infinite."),
        _INFINITE,
        "leave failed runs out as missing rows.",
    ),
    _rows_that_fail(
        "large",
        "large values",
        (f"score is {_BEYOND}", f"scores are {_BEYOND}"),
        _LARGE,
        "change the unit of the scores.",
    ),
    duplicate_rows,
    parts_as_replications,
    direction_not_given,
    out_of_bounds,
    several_domains,
)


# A covariate, the condition of rows that fail, the column that shows why, and the finding.
type _Test = tuple[str, nw.Expr, str, Finding]


def covariate_faults(reading: Reading) -> list[Finding]:
    """Report covariates that are not numbers, missing or not finite, in one query."""
    tests = [test for i in range(len(reading.roles.covariates)) for test in _tests(reading, i)]
    if not tests or not reading.counts["rows"]:
        return []
    counts = tally(reading.frame, {f"n{i}": test[1] for i, test in enumerate(tests)})
    failed = [(test, n) for test, n in zip(tests, counts.values(), strict=True) if n]
    wrong = {name for (name, _, _, fault), _ in failed if fault.rule == "covariate not a number"}
    faults: list[Finding] = []
    for (name, condition, shown, fault), n in failed:
        if fault.rule == "covariate as text" and name in wrong:
            continue  # where some are no numbers, it is no wonder that all are text
        bad, place = reading.frame.filter(condition), reading.place
        if shown:
            # Under the name by which numbers are shown as such.
            last = "value" if shown in slots(reading.roles.covariates) else "text"
            bad = bad.select(*place, nw.col(shown).alias(last))
            where = first_rows(bad, (*place, last), name)
        else:
            where = first_rows(bad, place)
        what = f"{n} {'score has' if n == 1 else 'scores have'} {fault.what}."
        faults.append(replace(fault, count=n, what=what, where=where))
    return faults


def _tests(reading: Reading, i: int) -> Iterator[_Test]:
    """Yield the tests of a covariate, with findings whose text continues "n scores have"."""
    name, slot = reading.roles.covariates[i], slots(reading.roles.covariates)[i]
    value, text = nw.col(slot), written(slot)
    absent = value.is_null() | value.is_nan()

    def test(rule: str, condition: nw.Expr, shown: str, what: str, hint: str) -> _Test:
        return name, condition, shown, Finding(f"covariate {rule}", "error", 0, what, (), hint)

    if text in reading.columns:
        bad = unreadable(text, commas=False)
        hint = "correct them, or leave it out of covariates=."
        yield test("not a number", bad, text, f"a covariate {name!r} that is not a number", hint)
        what = f"a covariate {name!r} that is a number written as text"
        hint = f"convert the column {name} to float first."
        yield test("as text", ~nw.col(text).is_null() & ~bad, text, what, hint)
        absent = nw.col(text).is_null()
    hint = (
        "each score needs one: complete the column, remove the rows, or leave it"
        " out of covariates=."
    )
    what = f"no value of the covariate {name!r}"
    yield test("missing", absent & usable(reading.frame), "", what, hint)
    far = ~(value.is_null() | value.is_nan()) & (value.abs() > MOST) & usable(reading.frame)
    hint = "correct them, change the unit, or leave it out of covariates=."
    what = f"a covariate {name!r} that is infinite or beyond {MOST:g}"
    yield test("not finite", far, slot, what, hint)
