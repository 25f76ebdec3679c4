"""Phrases of hints: text with arguments, which are options on the command line.

A phrase reads as Python's users know it. Its parts let the command line write its own words.
"""

import os
import re
from ast import literal_eval
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

type Value = str | float | tuple[str | float, ...] | Mapping[str, str | None] | None

# Around a part in an f-string, until Python 3.14 has template strings (PEP 750). It is drawn in
# each process, so that no name of a table holds it.
_MARK = f"\x1f{os.urandom(8).hex()}\x1f"


class _Part:
    """What Python and the command line write in different ways."""

    __slots__ = ()

    def __format__(self, _: str) -> str:
        """Return the part as an f-string of a phrase carries it."""
        return f"{_MARK}{self.plain()!r}{_MARK}"

    def plain(self) -> tuple[object, ...]:
        """Return the name of the class and the fields as Python's literals."""
        values = (getattr(self, field.name) for field in fields(self))  # pyright: ignore[reportArgumentType]
        return type(self).__name__, *(v.plain() if isinstance(v, _Part) else v for v in values)


@dataclass(frozen=True, slots=True)
class Option(_Part):
    """An argument of a function, or the option of its command."""

    name: str  # name of the argument
    # Its value. None stands for any value, as do an empty tuple and an empty mapping for their
    # kinds; an empty text for none
    value: Value = None

    def __str__(self) -> str:
        """Write ``name=value``, with texts in double quotes."""
        return f"{self.name}={_literal(self.value)}"


@dataclass(frozen=True, slots=True)
class Given(_Part):
    """An argument with the value that a caller gave it."""

    name: str  # name of the argument
    value: object  # a value that Python can write as a literal

    def __format__(self, spec: str) -> str:
        """Return the part as a phrase carries it, or the text of what is no literal."""
        try:
            literal_eval(repr(self.value))
        except (ValueError, SyntaxError):
            return str(self)
        return _Part.__format__(self, spec)  # slots and super() do not go together

    def __str__(self) -> str:
        """Write ``name=value``, the value as Python shows it."""
        return f"{self.name}={self.value!r}"


@dataclass(frozen=True, slots=True)
class Field(_Part):
    """A field of a measure."""

    name: str  # name of the field
    value: Value = None  # its value; None where any will do

    def __str__(self) -> str:
        """Write the declaration of a measure with this field alone."""
        return f"Measure({self.name}={_literal(self.value)})"


@dataclass(frozen=True, slots=True)
class Directions(_Part):
    """Directions of measures, which are to be declared."""

    names: tuple[str, ...] = ()  # names of the measures; none stand for any

    def __str__(self) -> str:
        """Write the mapping of measures, and what it may hold."""
        pairs = ", ".join(f"{name!r}: ..." for name in self.names) or '"NAME": ...'
        return f'measures={{{pairs}}}, with "higher" or "lower"'


@dataclass(frozen=True, slots=True)
class Subset(_Part):
    """A smaller table."""

    names: str  # what some are taken of, such as ``"algorithms"``

    def __str__(self) -> str:
        """Write the method that selects them."""
        return f"scores.subset({self.names}=[...])"


@dataclass(frozen=True, slots=True)
class Either(_Part):
    """Words that have nothing in common."""

    # python, command: those of Python, and those of the command line
    python: str
    command: str

    def __str__(self) -> str:
        """Write Python's words."""
        return self.python


@dataclass(frozen=True, slots=True)
class Call(_Part):
    """A function, or the command of its name."""

    function: str  # name of the function
    option: Option | Given | Either | None = None  # the argument that matters; None where none does

    def __str__(self) -> str:
        """Write the call, with three dots for its other arguments."""
        return self.function if self.option is None else f"{self.function}(..., {self.option!s})"


@dataclass(frozen=True, slots=True)
class Proposal(_Part):
    """A call that reads a table, or the command.

    Attributes
    ----------
    source
        The table as Python writes it.
    options
        Arguments besides those that the caller gave.
    directions
        Measures whose directions are to be declared.
    gives
        What is then read.
    """

    source: str
    options: Mapping[str, Any]
    directions: tuple[str, ...]
    gives: str

    def __str__(self) -> str:
        """Write the call of Python."""
        better = ", ".join(f"{name!r}: BETTER" for name in self.directions)
        words = [f"{name}={value!r}" for name, value in self.options.items()]
        words += [f"measures={{{better}}}"] if better else []
        return f"read_scores({', '.join([self.source, *words])})"


type Part = Option | Given | Field | Directions | Subset | Either | Call | Proposal
PARTS: dict[str, type[Any]] = {
    part.__name__: part
    for part in (Option, Given, Field, Directions, Subset, Either, Call, Proposal)
}
_MARKED = re.compile(f"{_MARK}(.*?){_MARK}")


class Phrase(str):
    """Text that keeps its parts.

    Parameters
    ----------
    *pieces
        Texts, whose f-strings may hold parts, and parts and other phrases.

    Attributes
    ----------
    parts
        Text and parts in their order.

    Examples
    --------
    >>> hint = Phrase(f"compare with {Option('missing', 'use')}.")
    >>> print(hint)
    compare with missing="use".
    >>> hint.parts
    ('compare with ', Option(name='missing', value='use'), '.')
    """

    __slots__ = ("parts",)
    parts: tuple[str | Part, ...]

    def __new__(cls, *pieces: str | Part) -> Self:
        """Make one phrase of all pieces."""
        parts = tuple(part for piece in pieces for part in _parts(piece))
        phrase = super().__new__(cls, "".join(map(str, parts)))
        phrase.parts = parts
        return phrase

    @property
    def marked(self) -> str:
        """The text with its parts as an f-string carries them, of which it can be made again."""
        return "".join(map(format, self.parts))

    def __getnewargs__(self) -> tuple[str | Part, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.parts

    def __str__(self) -> str:
        """Return the phrase itself, so that the text of an error keeps its parts."""
        return self

    def __add__(self, other: str) -> "Phrase":
        return Phrase(self, other)

    def __radd__(self, other: str) -> "Phrase":
        return Phrase(other, self)

    def written(self, write: Callable[[Part], str]) -> str:
        """Return the text with its parts in other words."""
        return "".join(part if isinstance(part, str) else write(part) for part in self.parts)

    def lines(self) -> list["Phrase"]:
        """Return the lines of the text, each with its parts."""
        return [Phrase(line) for line in self.marked.splitlines()]


def joined(between: str, pieces: Sequence[str]) -> Phrase:
    """Join texts and phrases by a text between them."""
    return Phrase(*[part for piece in pieces for part in (between, piece)][1:])


def _parts(piece: str | Part) -> Sequence[str | Part]:
    """Split a text at the parts that it carries."""
    if isinstance(piece, Phrase):
        return piece.parts
    if not isinstance(piece, str):
        return (piece,)
    parts = [
        _made(literal_eval(text)) if i % 2 else text for i, text in enumerate(_MARKED.split(piece))
    ]
    return [part for part in parts if part]


def _made(plain: tuple[str, *tuple[object, ...]]) -> Part:
    """Make a part of the name of its class and its fields."""
    name, *fields = plain
    return PARTS[name](
        *(_made(f) if name == "Call" and isinstance(f, tuple) else f for f in fields)
    )


def _literal(value: Value) -> str:
    """Return a value as one writes it in Python."""
    if value is None:
        return "..."
    if isinstance(value, str):
        return f'"{value}"' if value else ""
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))})" if value else "[...]"
    if isinstance(value, Mapping):
        pairs = [f"{_literal(key)}: {_literal(item)}" for key, item in value.items()]
        return f"{{{', '.join(pairs) or '...'}}}"
    return str(value)
