"""Frames of permutation tests as tables for readers."""

from typing import TYPE_CHECKING

from benchinfer.reports.numbers import fixed, p_value, significant
from benchinfer.reports.records import Cell, Column, Table
from benchinfer.reports.tables import rows_of

if TYPE_CHECKING:
    import pandas as pd


def tests(frame: "pd.DataFrame") -> Table:
    """One row per test of all algorithms together.

    Parameters
    ----------
    frame
        From `PermutationComparison.tests`.
    """
    names = ("test", "p_value", "p_error", "null", "statistic", "df", "df_residual")
    return Table(
        caption="Tests of all algorithms together",
        columns=(
            Column("test", "test"),
            # Not adjusted, hence not what the glossary says of p_value.
            Column("", "p", numeric=True),
            Column("p_error", "error of p", numeric=True),
            Column("null", "null distribution"),
            Column("statistic", "statistic", numeric=True),
            Column("df", "df", numeric=True),
            Column("df_residual", "residual df", numeric=True),
        ),
        rows=tuple(
            (
                Cell(test),
                Cell(p_value(p)),
                error(wrong),
                Cell(null),
                Cell(fixed(statistic, 2)),
                Cell(fixed(df, 0)),
                Cell(fixed(rest, 0)),
            )
            for test, p, wrong, null, statistic, df, rest in rows_of(frame, *names)
        ),
        note="Each p-value is that of its test alone. Error of p: standard error by random"
        " arrangements, 0 where there is none.",
    )


def post_hoc(frame: "pd.DataFrame", *, decides: bool) -> Table:
    """One row per pair, one column of p-values per test.

    Parameters
    ----------
    frame
        From `PermutationComparison.post_hoc`.
    decides
        Whether verdicts rest on such tests.
    """
    tests = list(dict.fromkeys(frame["test"]))
    found: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
    for test, first, second, p, wrong in rows_of(
        frame, "test", "first", "second", "p_value", "p_error"
    ):
        found.setdefault((first, second), {})[test] = p, wrong
    rows = [
        (
            *(Cell(name, "name") for name in pair),
            *(Cell(p_value(own[test][0])) for test in tests),
            error(max(wrong for _, wrong in own.values())),
        )
        for pair, own in found.items()
    ]
    return Table(
        caption="P-values of pairs from scores that all algorithms share",
        columns=(
            Column("first", "first"),
            Column("second", "second"),
            *(Column("", f"p ({test})", numeric=True) for test in tests),
            Column("p_error", "error of p, at most", numeric=True),
        ),
        rows=tuple(rows),
        note="They control errors over pairs only if all algorithms are alike: a third one has"
        " a say in whether two differ." + ("" if decides else " No verdict rests on them."),
    )


def error(value: float) -> Cell:
    """Write the error of a p-value: two digits, 0 where there is none."""
    return Cell(significant(value, 2) if value else "0")
