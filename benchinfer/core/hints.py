"""Phrases of hints: text with arguments, which are options on the command line.

The text of a phrase is in Python's words. Its parts let the command line write its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

type Value = str | float | tuple[str, ...] | Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class Option:
    """An argument of a function, or option of a command.

    Attributes
    ----------
    name
        Name of the argument.
    value
        Its value; None where any will do, and an empty text where none is named.
    """

    name: str
    value: Value = None

    def __str__(self) -> str:
        """Write ``name=value``, with texts in double quotes."""
        return f"{self.name}={_literal(self.value)}"


@dataclass(frozen=True, slots=True)
class Given:
    """An argument with the value that a caller gave it.

    Attributes
    ----------
    name
        Name of the argument.
    value
        Any value: what is wrong is shown as well.
    """

    name: str
    value: object

    def __str__(self) -> str:
        """Write ``name=value``, the value as Python shows it."""
        return f"{self.name}={self.value!r}"


@dataclass(frozen=True, slots=True)
class Either:
    """Words that differ between Python and the command line.

    Attributes
    ----------
    python, command
        The words of each.
    """

    python: str
    command: str

    def __str__(self) -> str:
        """Write Python's words."""
        return self.python


@dataclass(frozen=True, slots=True)
class Call:
    """A function, or the command of its name.

    Attributes
    ----------
    function
        Name of the function.
    option
        The argument that matters; None where none does.
    """

    function: str
    option: Option | Given | Either | None = None

    def __str__(self) -> str:
        """Write the call, with three dots for its other arguments."""
        return self.function if self.option is None else f"{self.function}(..., {self.option})"


type Part = str | Option | Given | Either | Call


class Phrase(str):
    """Text that keeps its parts.

    Parameters
    ----------
    *parts
        Text, options, calls and other phrases, in their order.

    Examples
    --------
    >>> hint = Phrase("compare with ", Option("missing", "use"), ".")
    >>> print(hint)
    compare with missing="use".
    >>> hint.parts[1]
    Option(name='missing', value='use')
    """

    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Self:
        flat: list[Part] = []
        for part in parts:
            flat += part.parts if isinstance(part, Phrase) else (part,)
        phrase = super().__new__(cls, "".join(map(str, flat)))
        phrase.parts = tuple(flat)
        return phrase

    def __getnewargs__(self) -> tuple[Part, ...]:
        return self.parts

    def __str__(self) -> str:
        """Return the phrase itself, so that the text of an error keeps its parts."""
        return self

    def __add__(self, other: str) -> "Phrase":
        return Phrase(self, other)

    def __radd__(self, other: str) -> "Phrase":
        return Phrase(other, self)

    @staticmethod
    def join(between: str, phrases: Sequence[str]) -> "Phrase":
        """Join phrases with a text between them."""
        parts = [part for phrase in phrases for part in (between, phrase)]
        return Phrase(*parts[1:])


def _literal(value: Value) -> str:
    """Return a value as one writes it in Python."""
    match value:
        case None:
            return "..."
        case "":
            return ""
        case str():
            return f'"{value}"'
        case tuple():
            return f"({', '.join(map(_literal, value))})"
        case Mapping():
            pairs = (f"{_literal(key)}: {_literal(item)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
        case _:
            return str(value)
