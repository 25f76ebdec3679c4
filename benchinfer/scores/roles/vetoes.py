"""Roles that a column has, or cannot have, before any other column is looked at."""

from benchinfer.scores.roles.directions import plain
from benchinfer.scores.roles.names import ITEMS, OWN
from benchinfer.scores.roles.profile import ColumnProfile

LABEL, NUMBER = "label", "number"  # what a column may still be
DECLARED = 9.0  # weight of what the user says
_NO_LABELS = ("list", "free text", "url", "date", "empty")


def first_role(column: ColumnProfile, rows: int) -> str:
    """Return `LABEL` or `NUMBER`, or the role of a column that can only have one.

    Roles that begin with "ignored" have a reason behind it.
    """
    if column.named("algorithm", "dataset", "replication", "measure") >= DECLARED and column.n > 1:
        return LABEL
    if column.named("score") >= DECLARED and column.numeric:
        return NUMBER
    if column.kind in _NO_LABELS:
        return f"ignored: {column.kind}"
    gaps = column.missing > 0 and column.kind in ("real", "whole")
    if column.n <= 1 and not gaps:
        return _of_constant(column)
    return _by_name(column) or (LABEL if column.kind == "text" else _of_number(column, rows))


def _of_constant(column: ColumnProfile) -> str:
    """Return the role of a column of one value, which only a plain name gives."""
    leading = column.leading()
    label = column.kind == "text" and column.named(leading) >= OWN and column.missing == 0
    keeps = leading in ("dataset", "algorithm", "measure") and label
    return leading if keeps else "ignored: constant"


def _by_name(column: ColumnProfile) -> str:
    """Return the role that a plain name alone decides; empty if there is none."""
    leading = column.leading()
    fits = {
        "companion": column.numeric,
        "status": column.kind in ("text", "boolean"),
        "attribute": column.kind in ("whole", "real"),
    }
    if column.named(leading) >= OWN and fits.get(leading, False):
        return leading
    scores = column.kind != "text" and (leading == "score" or column.spread)
    return NUMBER if scores else ""


def _of_number(column: ColumnProfile, rows: int) -> str:
    """Return what a column of numbers may be that is not named as a score."""
    if column.kind == "whole" and column.unique:
        counts = column.counts() and not column.suggested and rows > 3
        if counts or column.named("replication", "attribute") >= OWN:
            return "ignored: number of the row"
    known = column.named("algorithm", "dataset", "replication") >= OWN
    if (
        column.kind == "whole"
        and column.missing == 0
        and (
            (column.counts() and column.n < rows)
            or column.balanced
            or (column.n <= rows / 2 and known)
        )
    ):
        return LABEL
    few = column.balanced and column.n <= 12 and column.n * 3 <= rows and column.missing == 0
    return LABEL if column.kind in ("boolean", "real") and few else NUMBER


def may_be_algorithm(column: ColumnProfile) -> bool:
    """Return whether a label column may hold algorithms: items and columns with gaps do not."""
    if column.named("algorithm") >= DECLARED:
        return True
    if column.of_measures:
        return False
    other = column.named(
        *("dataset", "replication", "measure", "status", "attribute", "factor", "score"),
        "companion",
    )
    if not column.named("algorithm") and other >= OWN:
        return False
    return plain(column.name) not in ITEMS and column.kind in ("text", "whole")


def may_be_dataset(column: ColumnProfile) -> bool:
    """Return whether a label column may hold data sets."""
    if column.of_measures and column.named("dataset") < DECLARED:
        return False
    return column.named("dataset") > 0 or column.named("algorithm") < OWN
