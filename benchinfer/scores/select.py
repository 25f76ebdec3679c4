"""Keeping part of a table, by the names of what to keep."""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from benchinfer.errors import DesignError, message, unknown
from benchinfer.measure import Measure

type Frame = "nw.LazyFrame[Any]"

NOTHING = message("nothing is left of the table.", hint="ask for less.")


def selected(
    frame: Frame, asked: Mapping[str, tuple[str | Sequence[str] | None, Sequence[str]]]
) -> Frame:
    """Keep the rows that are asked for.

    Parameters
    ----------
    frame
        Canonical columns of the table.
    asked
        Column to the names to keep, None for all, and the names that there are.

    Raises
    ------
    DesignError
        A name is unknown, or none is asked for.
    """
    for role, (names, there) in asked.items():
        if names is not None:
            frame = frame.filter(nw.col(role).is_in(_names(role, names, there)))
    return frame


def _names(role: str, asked: str | Sequence[str], there: Sequence[str]) -> list[str]:
    names = [str(name) for name in ([asked] if isinstance(asked, str | int) else asked)]
    if not names:
        raise DesignError(NOTHING)
    if strange := set(names).difference(there):
        raise DesignError(unknown(role, min(strange), there[:50]))
    return names


def one_measure(measures: Sequence[Measure], name: str | None) -> Measure:
    """Give a measure by its name, or the only one.

    Raises
    ------
    DesignError
        There is no such measure, or it is not clear which is meant.
    """
    names = [m.name for m in measures]
    if name is None:
        if len(names) == 1:
            return measures[0]
        raise DesignError(
            message(
                f"the table has {len(names)} measures.",
                hint="say which: " + ", ".join(map(repr, names)) + ".",
            )
        )
    if name not in names:
        raise DesignError(unknown("measure", name, names))
    return measures[names.index(name)]


def not_saved(path: object) -> DesignError:
    """Say that a table is data, not a result."""
    return DesignError(
        message(
            f"a score table is not saved as a result (to {str(path)!r}).",
            hint='scores.to_frame().to_csv("scores.csv", index=False) writes the scores.',
        )
    )


def none_whole(measure: str) -> DesignError:
    """Say that no data set is whole."""
    return DesignError(
        message(
            f"no data set is whole for measure {measure!r}.",
            hint='by="replication" keeps complete replications,'
            " subset(algorithms=...) the algorithms that matter.",
        )
    )
