"""Reading published wins: from any source to checked `Wins`."""

from collections.abc import Mapping, Sequence

import numpy as np

from benchinfer.scores.coverage import Finding
from benchinfer.scores.effect_columns import holds, label, missing, numbers, roles
from benchinfer.scores.faults import refuse
from benchinfer.scores.sources import Source, engine_errors, open_source
from benchinfer.scores.wins import Array, Wins

_COMMON: dict[str, tuple[str, ...]] = {
    "first": ("first", "algorithm_1", "algorithm1", "player1"),
    "second": ("second", "algorithm_2", "algorithm2", "player2"),
    "wins": ("wins", "win", "win1", "wins1", "won"),
    "ties": ("ties", "tie", "draws", "tied"),
    "losses": ("losses", "loss", "win2", "wins2", "lost"),
}
_COUNTS = ("wins", "ties", "losses")
_SHOWN = 5
_WHAT = {
    "label missing": "{} rows lack a name.",
    "one algorithm": "{} rows are of an algorithm with itself.",
    "repeated": "{} rows are of a pair that is there already, in one order or the other.",
    "count missing": "{} rows lack a count.",
    "below 0": "{} rows have a count below 0.",
}


def read_wins(
    source: object, *, name: str = "score", columns: Mapping[str, str] | None = None
) -> Wins:
    """Read a published table of wins, ties and losses, and check it.

    Parameters
    ----------
    source
        A frame or a path, as `read_scores` takes. One row per pair: ``first``, ``second``, ``wins``
        of the first, ``losses`` (wins of the second), and ``ties`` if there are any.
    name
        What winning is about: the measure that was compared.
    columns
        Column to role where names are not common ones: ``{"A beats B": "wins"}``.

    Returns
    -------
    Wins
        For `compare_wins`.

    Raises
    ------
    ScoreTableError
        All faults at once.

    Examples
    --------
    >>> import pandas as pd
    >>> read_wins(pd.DataFrame({"first": ["a", "a", "b"], "second": ["b", "c", "c"],
    ...     "wins": [6, 7, 5], "ties": [1, 0, 0], "losses": [3, 3, 5]}))
    Wins(DataFrame: 3 pairs of 3 algorithms, 30 contests)
    """
    origin = open_source(source, None)
    of, found = roles(origin.names, columns or {}, _COMMON)
    if lacking := [role for role in _COMMON if role not in of and role != "ties"]:
        found.append(missing(lacking, origin.names))
    refuse(found, origin.name)
    text, number, notes = _read(origin, of)
    found += [*notes, *_faults(text, number)]
    refuse(found, origin.name)
    return Wins(
        name=name,
        first=tuple(text["first"]),
        second=tuple(text["second"]),
        wins=number["wins"],
        ties=number["ties"],
        losses=number["losses"],
        source=origin.name,
        notes=tuple(found),
    )


def holds_wins(names: Sequence[str], given: Mapping[str, str]) -> bool:
    """Whether columns are those of published wins, rather than of scores of algorithms.

    Parameters
    ----------
    names
        The columns.
    given
        Column to role where names are not common ones.

    Examples
    --------
    >>> holds_wins(["first", "second", "won", "lost"], {})
    True
    >>> holds_wins(["first", "second", "estimate"], {})
    False
    """
    return holds(names, given, _COMMON, ("first", "second", "wins", "losses"))


def _read(
    origin: Source, of: Mapping[str, str]
) -> tuple[dict[str, list[str]], dict[str, Array], list[Finding]]:
    """Return labels and counts, and what was found."""
    with engine_errors(origin.name):
        frame, found = origin.load(list(of.values()), [], [])
        table = frame.collect().to_arrow()
    values = {role: table.column(name).to_pylist() for role, name in of.items()}
    text = {role: [label(v) for v in values[role]] for role in ("first", "second")}
    number: dict[str, Array] = {}
    for role in _COUNTS:
        if role in of:
            number[role], bad = numbers(of[role], values[role])
            found += bad
    if "ties" not in number:
        number["ties"] = np.zeros(len(text["first"]))
        found.append(Finding("ties", "note", 1, "no column of ties: taken as none."))
    return text, number, found


def _faults(text: Mapping[str, Sequence[str]], number: Mapping[str, Array]) -> list[Finding]:
    """Check pairs and counts, all of them."""
    pairs = list(zip(text["first"], text["second"], strict=True))
    counts = np.column_stack([number[role] for role in _COUNTS])
    whole = np.isfinite(counts).all(axis=1)
    good = np.nan_to_num(counts)
    seen: dict[frozenset[str], int] = {}
    repeated = [r for r, pair in enumerate(pairs) if seen.setdefault(frozenset(pair), r) != r]
    rules = (
        ("label missing", [r for r, pair in enumerate(pairs) if not all(pair)], "name them."),
        ("one algorithm", [r for r, (a, b) in enumerate(pairs) if a == b != ""], "correct them."),
        ("repeated", repeated, "one row per pair, in one order: add up its counts."),
        ("count missing", np.flatnonzero(~whole).tolist(), "write 0 where there was none."),
        ("below 0", np.flatnonzero((good < 0).any(axis=1)).tolist(), "correct them."),
    )
    found = [
        Finding(rule, "error", len(rows), _WHAT[rule].format(len(rows)), _places(pairs, rows), hint)
        for rule, rows, hint in rules
        if rows
    ]
    if not pairs:
        found.append(Finding("empty", "error", 1, "there are no rows.", (), "one row per pair."))
    if (broken := (good != np.rint(good)).any(axis=1)).any():
        what = f"{int(broken.sum())} pairs have counts that are not whole: taken as they are."
        found.append(Finding("not whole", "note", int(broken.sum()), what))
    return found


def _places(pairs: Sequence[tuple[str, str]], rows: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    return (("row", "first", "second"), *((str(r + 1), *pairs[r]) for r in rows[:_SHOWN]))
