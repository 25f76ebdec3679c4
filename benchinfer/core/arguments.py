"""Checks of arguments that many functions share: choices, levels, counts, seeds."""

import secrets
from collections.abc import Sequence
from numbers import Real
from types import NoneType, UnionType
from typing import Any, Literal, TypeAliasType, Union, get_args, get_origin

from benchinfer.core.errors import DesignError, unknown


class ArgumentError(DesignError):
    """An argument that is not known, out of range, or does not go with another one."""


def members(kind: Any) -> list[Any]:
    """Return the member types of a union.

    Examples
    --------
    >>> members(Literal["auto"] | int | None)
    [typing.Literal['auto'], <class 'int'>, <class 'NoneType'>]
    """
    if isinstance(kind, TypeAliasType):
        return members(kind.__value__)
    if get_origin(kind) in (Union, UnionType):
        return [inner for part in get_args(kind) for inner in members(part)]
    return [kind]


def choices(kind: Any) -> tuple[Any, ...]:
    """Return the values of all literals in a type.

    Examples
    --------
    >>> choices(Literal["auto"] | Literal["a", "b"] | None)
    ('auto', 'a', 'b')
    """
    named = [part for part in members(kind) if get_origin(part) is Literal]
    return tuple(dict.fromkeys(value for part in named for value in get_args(part)))


def check_choice(name: str, value: object, kind: Any) -> None:
    """Raise an ArgumentError unless a value is among the literals of a type."""
    free = {get_origin(part) or part for part in members(kind)} - {Literal, NoneType}
    known = choices(kind)
    if free or not known or (value is None and NoneType in members(kind)):
        return
    if not isinstance(value, str) or value not in known:
        raise ArgumentError(unknown(name, value, known))


def check_level(level: float) -> None:
    """Raise an ArgumentError unless a level is between 0 and 1."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise ArgumentError(f"level is {level!r}.", hint="between 0 and 1, as in 0.95.")


def seed_of(seed: int | None) -> int:
    """Return a checked seed, or draw one for None."""
    if seed is None:
        return secrets.randbits(32)
    if not (_is_integer(seed) and 0 <= seed < 2**64):
        raise ArgumentError(f"seed is {seed!r}.", hint="an integer from 0 to 2^64 - 1.")
    return int(seed)


def names_of(names: str | Sequence[str]) -> tuple[str, ...]:
    """Return one name or a sequence of names as a tuple."""
    return (names,) if isinstance(names, str) else tuple(names)


def check_count(name: str, number: int, fewest: int, hint: str, *, even: bool = False) -> None:
    """Raise an ArgumentError unless a number is an integer, large enough and, if required, even."""
    if not (_is_integer(number) and number >= fewest) or (even and number % 2):
        raise ArgumentError(f"{name} is {number!r}.", hint=hint)


def check_jobs(n_jobs: int | None) -> None:
    """Raise an ArgumentError unless a number of workers is None, -1 or at least 1."""
    if n_jobs is not None and not (_is_integer(n_jobs) and (n_jobs >= 1 or n_jobs == -1)):
        hint = "a number from 1 on, or -1 for all cores."
        raise ArgumentError(f"n_jobs is {n_jobs!r}.", hint=hint)


def _is_integer(number: object) -> bool:
    return hasattr(number, "__index__") and not isinstance(number, bool)
