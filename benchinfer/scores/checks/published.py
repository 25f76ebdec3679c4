"""Columns of published errors and intervals beside scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from benchinfer.core.numbers import count, several
from benchinfer.scores.coverage import Finding

RULE = "published errors"
_NAMES = {
    "std_error": r"std_?err(or)?|stand(ard)?_err(or)?|sem|se",
    "conf_low": r"(ci|conf)(_?\d+)?_(low|lower|lo|lb|min)|lower_(ci|bound)|(low|lower)",
    "conf_high": r"(ci|conf)(_?\d+)?_(high|upper|hi|ub|max|up)|upper_(ci|bound)|(high|upper)",
    "margin": r"margin_of_error|moe|\xb1|\+/_?",
}
_COLUMN = {role: re.compile(rf"((?P<score>.+?)_)??({name})") for role, name in _NAMES.items()}
# Without a score before them these may be names of something else.
_SHORT = {"se", "sem", "low", "lower", "high", "upper"}


def error_column(name: str) -> tuple[str, str] | None:
    """Return the score and the role of a column that is named as an error; None for others.

    The score is empty where the name has none; roles are ``std_error``, ``conf_low``, ``conf_high``
    and ``margin``, which is not known to be a standard error.

    Examples
    --------
    >>> error_column("acc_stderr"), error_column("ci_low"), error_column("rmse")
    (('acc', 'std_error'), ('', 'conf_low'), None)
    """
    plain = re.sub(r"[\s.,\-]+", "_", name.strip().casefold())
    for role, column in _COLUMN.items():
        if (match := column.fullmatch(plain)) is not None:
            return match["score"] or "", role
    return None


def error_columns(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the columns of errors of other columns, each with its score and its role.

    Short names, such as "lower", need a score before them, or a column of the other end.
    """
    known = {name: of for name in names if (of := error_column(name)) is not None}
    plain = {re.sub(r"[\s.,\-]+", "_", name.strip().casefold()) for name in names}
    ends = {role for score, role in known.values() if not score}
    return {
        name: (score, role)
        for name, (score, role) in known.items()
        if score in plain
        or (
            not score
            and (name.strip().casefold() not in _SHORT or {"conf_low", "conf_high"} <= ends)
        )
    }


def errors_of_score(names: Iterable[str], score: str) -> dict[str, str]:
    """Return the role and column of the errors of a score; empty if they tell no standard error.

    Examples
    --------
    >>> errors_of_score(["task", "acc", "acc_stderr"], "acc")
    {'std_error': 'acc_stderr'}
    >>> errors_of_score(["task", "value", "ci_low"], "value")
    {}
    """
    named = error_columns([*names]).items()
    own, alone = (
        {role: name for name, (of, role) in named if of == wanted}
        for wanted in (score.strip().casefold(), "")
    )
    for columns in (own, alone):
        if "std_error" in columns:
            return {"std_error": columns["std_error"]}
        if {"conf_low", "conf_high"} <= set(columns):
            return {role: columns[role] for role in ("conf_low", "conf_high")}
    return {}


def not_scores(columns: Sequence[str], *, usable: bool) -> Finding:
    """Report columns of errors that are not read as scores, and who uses them."""
    n = len(columns)
    hold = "holds" if n == 1 else "hold"
    what = f"{count(n, 'column')} {hold} published errors, no scores: {several(columns)}."
    hint = "compare_meta weighs by them." if usable else ""
    return Finding(RULE, "note", n, what, (), hint)
