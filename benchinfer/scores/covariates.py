"""Covariates on their way in: what makes a column of numbers unfit, all reported together.

Rows without a score or a label are left out of the count of values that are missing or not finite:
they are reported as such, or taken as missing, and need no covariate.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import narwhals as nw

from benchinfer.scores.canonical import unreadable, written
from benchinfer.scores.coverage import Finding
from benchinfer.scores.faults import MOST, Reading, headed, usable
from benchinfer.scores.roles import slots
from benchinfer.scores.rows import first_rows


@dataclass(frozen=True, slots=True)
class _Test:
    """One fault that a covariate can have.

    Attributes
    ----------
    rule
        Name of the rule.
    name
        The covariate.
    failed
        Which rows fail.
    shown
        The column that says what stands there; empty for nothing.
    said
        What follows "n scores have" in the message.
    hint
        What to do.
    """

    rule: str
    name: str
    failed: nw.Expr
    shown: str
    said: str
    hint: str


def covariate_faults(reading: Reading) -> list[Finding]:
    """Report covariates that are not numbers, missing or not finite, in one query.

    Parameters
    ----------
    reading
        The table on its way in.

    Returns
    -------
    list of Finding
        Errors, by column.
    """
    tests = [test for i in range(len(reading.roles.covariates)) for test in _tests(reading, i)]
    if not tests or not reading.counts["rows"]:
        return []
    counts = [
        nw.when(test.failed).then(nw.lit(1)).otherwise(nw.lit(0)).alias(f"n{i}")
        for i, test in enumerate(tests)
    ]
    table = reading.frame.select(*counts).select(nw.all().sum()).collect().to_arrow()
    sizes = [int(table.column(f"n{i}")[0].as_py()) for i in range(len(tests))]
    failed = [(test, n) for test, n in zip(tests, sizes, strict=True) if n]
    wrong = {test.name for test, _ in failed if test.rule == "covariate not a number"}
    return [
        _finding(reading, test, n)
        for test, n in failed
        # Where some are no numbers, it is no wonder that all are text.
        if test.rule != "covariate as text" or test.name not in wrong
    ]


def _tests(reading: Reading, i: int) -> Iterator[_Test]:
    name, slot = reading.roles.covariates[i], slots(reading.roles.covariates)[i]
    value, text = nw.col(slot), written(slot)
    absent = value.is_null() | value.is_nan()
    if text in reading.columns:
        bad = unreadable(text, commas=False)
        yield _Test(
            "covariate not a number",
            name,
            bad,
            text,
            f"a covariate {name!r} that is not a number",
            "correct them, or leave it out of covariates=.",
        )
        yield _Test(
            "covariate as text",
            name,
            ~nw.col(text).is_null() & ~bad,
            text,
            f"a covariate {name!r} that is a number written as text",
            f"convert the column {name} to float first.",
        )
        absent = nw.col(text).is_null()
    yield _Test(
        "covariate missing",
        name,
        absent & usable(reading.frame),
        "",
        f"no value of the covariate {name!r}",
        "each score needs one: complete the column, remove the rows, or leave it out of"
        " covariates=.",
    )
    yield _Test(
        "covariate not finite",
        name,
        ~(value.is_null() | value.is_nan()) & (value.abs() > MOST) & usable(reading.frame),
        slot,
        f"a covariate {name!r} that is infinite or beyond {MOST:g}",
        "correct them, change the unit, or leave it out of covariates=.",
    )


def _finding(reading: Reading, test: _Test, n: int) -> Finding:
    bad, place = reading.frame.filter(test.failed), reading.place
    if test.shown:
        # Under the name by which numbers are shown as such.
        last = "value" if test.shown in slots(reading.roles.covariates) else "text"
        bad = bad.select(*place, nw.col(test.shown).alias(last))
        where = headed(first_rows(bad, (*place, last)), test.name)
    else:
        where = tuple(first_rows(bad, place))
    what = f"{n} {'score has' if n == 1 else 'scores have'} {test.said}."
    return Finding(test.rule, "error", n, what, where, test.hint)
