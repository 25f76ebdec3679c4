"""Exceptions, and messages with hints.

A message says what is wrong, where, how many times, and closes with ``Hint:``.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, TypedDict, Unpack


class MessageParts(TypedDict, total=False):
    """Optional parts of an error message: places, hint and number shown; see `message`."""

    where: Sequence[Sequence[object]]
    hint: str | Sequence[str]
    shown: int


class BenchinferError(ValueError):
    """Base class of all errors of the package, with a text composed by `message`."""

    def __init__(self, what: str, **parts: Unpack[MessageParts]) -> None:
        # An error from another process is made again of its whole message.
        complete = isinstance(what, Message) and not parts
        super().__init__(what if complete else message(what, **parts))

    @property
    def hint(self) -> tuple[str, ...]:
        """Lines of the hint; empty where the error has none."""
        return getattr(self.args[0], "hint", ())


class ScoreTableError(BenchinferError):
    """The input table is wrong.

    Attributes
    ----------
    findings
        What the checks found, one record each; empty where the source could not be opened.
    proposals
        Calls by which the table can be read, the likeliest first; its message lists them.
    """

    def __init__(
        self,
        what: str,
        findings: Sequence[object] = (),
        proposals: Sequence[object] = (),
        **parts: Unpack[MessageParts],
    ) -> None:
        super().__init__(what, **parts)
        self.findings = tuple(findings)
        self.proposals = tuple(proposals)


class DesignError(BenchinferError):
    """The table is right but cannot answer that question."""


class NotAWeakOrder(DesignError):
    """The relation has no single ranking.

    Attributes
    ----------
    kind
        What the relation is instead.
    violations
        The tuples of algorithms that show it.
    """

    def __init__(
        self,
        what: str,
        kind: str = "",
        violations: Sequence[tuple[str, ...]] = (),
        **parts: Unpack[MessageParts],
    ) -> None:
        super().__init__(what, **parts)
        self.kind = kind
        self.violations = tuple(violations)


class FitError(BenchinferError):
    """The numerics failed."""


class MissingExtra(ImportError):
    """An optional dependency is absent; the message names the extra to install."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"{package} is not installed.\nHint: pip install 'benchinfer[{extra}]' brings it."
        )


def optional(package: str, extra: str) -> Any:
    """Import an optional package; where it is absent, name the extra that brings it."""
    try:
        return import_module(package)
    except ImportError:
        raise MissingExtra(package, extra) from None


class Message(str):
    """Text of an error, of which the hint is a part.

    Attributes
    ----------
    hint
        Its lines.
    """

    __slots__ = ("hint",)
    hint: tuple[str, ...]


def message(
    what: str,
    *,
    where: Sequence[Sequence[object]] = (),
    hint: str | Sequence[str] = (),
    shown: int = 5,
) -> Message:
    r"""Build a message: a sentence, an aligned table of offenders, and a hint.

    Examples
    --------
    >>> print(message("1 of 6 cells has no score.", where=[("dataset", "found"), ("d07", 0)],
    ...               hint='compare with missing="use".'))
    1 of 6 cells has no score.
        dataset  found
        d07          0
    Hint: compare with missing="use".
    """
    lines = [what]
    if where:
        rows = [[str(value) for value in row] for row in where[: shown + 1]]
        right = [
            all(isinstance(row[i], int | float) for row in where[1:]) for i in range(len(where[0]))
        ]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines += [_row(row, widths, right) for row in rows]
        if len(where) - 1 > shown:
            lines.append(f"    ... and {len(where) - 1 - shown} more")
    hints = (hint,) if isinstance(hint, str) else tuple(hint)
    lines += [f"{'      ' if i else 'Hint: '}{text}" for i, text in enumerate(hints)]
    text = Message("\n".join(lines))
    text.hint = hints
    return text


def _row(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    """Align the cells of a row."""
    line = "    " + "  ".join(
        cell.rjust(width) if flush else cell.ljust(width)
        for cell, width, flush in zip(cells, widths, right, strict=True)
    )
    return line.rstrip()


def unknown(what: str, name: object, known: Sequence[object]) -> Message:
    """Build the message for a name that is not among the known ones, with the nearest of these.

    Examples
    --------
    >>> print(unknown("measure", "eror", ["error", "seconds"]))
    unknown measure 'eror'.
    Hint: did you mean 'error'? One of 'error', 'seconds'.
    """
    names = [item for item in known if isinstance(item, str)]
    near = get_close_matches(name, names, 1) if isinstance(name, str) else []
    one_of = ", ".join(repr(item) for item in known)
    hint = f"did you mean {near[0]!r}? One of {one_of}." if near else f"one of {one_of}."
    return message(f"unknown {what} {name!r}.", hint=hint)
