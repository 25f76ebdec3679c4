"""Checks of arguments that many functions share: types, choices, levels, counts, seeds."""

import builtins
import inspect
import os
import re
import secrets
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from pathlib import Path
from reprlib import Repr
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    ForwardRef,
    Literal,
    TypeAliasType,
    Union,
    cast,
    get_args,
    get_origin,
)

from benchinfer.core.errors import DesignError, unknown

# Of a type: whether a value is one, and what one and several are called.
_TESTS: dict[object, Callable[[object], bool]] = {
    Any: lambda _: True,
    NoneType: lambda value: value is None,
    bool: lambda value: type(value).__name__ in ("bool", "bool_"),  # of NumPy, too
    int: lambda value: isinstance(value, Integral) and not _is_bool(value),
    str: lambda value: isinstance(value, str) and is_text(value),
    float: lambda value: isinstance(value, Real) and not _is_bool(value) and _is_float(value),
    Path: lambda value: isinstance(value, os.PathLike),
}
_WORDS: dict[object, tuple[str, str]] = {
    NoneType: ("None", "None"),
    int: ("an integer", "integers"),
    float: ("a number", "numbers"),
    str: ("text", "texts"),
    Path: ("a path", "paths"),
    Callable: ("a function", "functions"),
}
_NAMES = {"NDArray": "array", "ndarray": "array"}
# What a user has in place of a value, and how it becomes one.
_FIRST = {"ScoreTable": "read a table first: bi.read_scores(table, measures=...)"}
MOST = 10**7  # of what is repeated: more take days, or more room than a machine has
MOST_CHAINS = MOST_JOBS = 1000
_SHORT = Repr(maxstring=60, maxother=60, maxlong=40)


class ArgumentError(DesignError):
    """An argument that is not known, out of range, or does not go with another one."""


def members(kind: Any) -> list[Any]:
    """Return the member types of a union.

    Examples
    --------
    >>> members(list[str] | None)
    [list[str], <class 'NoneType'>]
    """
    if isinstance(kind, TypeAliasType):
        try:
            return members(kind.__value__)
        except NameError:  # of names that are imported for annotations alone
            return [Any]
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


def checked[T: Callable[..., Any]](thing: T) -> T:
    """Check the types of arguments at each call of a function, or of the public methods of a class.

    Of a class the methods that it defines itself, those without arguments apart.
    """
    if not isinstance(thing, type):
        return cast("T", _checked(thing))
    for name, method in [*vars(thing).items()]:
        function = getattr(method, "__func__", method)  # of static and class methods
        public = inspect.isfunction(function) and not name.startswith("_")
        if public and inspect.get_annotations(function).keys() - {"return"}:
            wrapped = _checked(function)
            setattr(thing, name, wrapped if function is method else type(method)(wrapped))
    return cast("T", thing)


def _checked[**P, T](function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that checks the types of its arguments."""
    names = tuple(inspect.signature(function).parameters)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        usual = _usual(function)
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            if name not in usual:
                continue
            types, words = usual[name]
            kind, simple = type(value), not isinstance(value, str) or value.isascii()
            if not ((kind in types and simple) or (kind is str and value in words)):
                check_argument(name, value, kinds_of(function)[name])
        return function(*args, **kwargs)

    return call


@cache
def _usual(function: Callable[..., Any]) -> Mapping[str, tuple[frozenset[type], Sequence[str]]]:
    """Return types and choices of each argument whose values need no further look."""
    kinds = {name: (members(kind), choices(kind)) for name, kind in kinds_of(function).items()}
    return {
        name: (frozenset(part for part in parts if isinstance(part, type)), words)
        for name, (parts, words) in kinds.items()
        if Any not in parts and object not in parts
    }


def check_fields(record: object) -> None:
    """Raise an ArgumentError where a field of a record, which is an argument, has another type."""
    for name, kind in kinds_of(type(record)).items():
        check_argument(name, getattr(record, name), kind)


@cache
def kinds_of(thing: Any) -> Mapping[str, Any]:
    """Return the types of the arguments of a function, or of the fields of a class and its bases.

    Classes that are imported for annotations alone are references by name.
    """
    kinds: dict[str, Any] = {}
    for part in reversed(thing.__mro__) if isinstance(thing, type) else (thing,):
        names = _Names(vars(sys.modules[part.__module__]))
        names.update((kind.__name__, kind) for kind in part.__type_params__)
        annotations = inspect.get_annotations(part)
        annotations.pop("return", None)
        for name, kind in annotations.items():
            kinds[name] = eval(kind, {}, names) if isinstance(kind, str) else kind  # noqa: S307 (annotations of this package)
    return {name: kind for name, kind in kinds.items() if get_origin(kind) is not ClassVar}


class _Names(dict[str, Any]):
    """Names of a module, with a reference in place of what it imports for annotations alone."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, None) or ForwardRef(name)


def check_argument(name: str, value: object, kind: Any) -> None:
    """Raise an ArgumentError where a value is not of a type, or not one of its choices."""
    if fits(value, kind):
        return
    if isinstance(value, str) and not is_text(value):
        raise ArgumentError(
            f"{name} is {value!r}, which is not text in UTF-8.",
            hint="it holds half a character (a lone surrogate).",
        )
    plain = type(value).__module__ == "builtins" and type(value) is not object
    if plain and {get_origin(part) or part for part in members(kind)} <= {Literal, NoneType}:
        raise ArgumentError(unknown(name, value, choices(kind)))
    shown = _SHORT.repr(value) if plain else _with_article(type(value).__name__)
    first = [_FIRST[part] for part in map(_name, members(kind)) if part in _FIRST]
    raise ArgumentError(f"{name} is {shown}.", hint=f"{'; '.join([in_words(kind), *first])}.")


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def fits(value: object, kind: Any) -> bool:  # noqa: PLR0911 (one return for each kind of type)
    """Return whether a value may be used where a type is expected.

    Numbers are those of any library; collections are sequences, but for mappings.

    Examples
    --------
    >>> fits(3, int | float), fits(True, int), fits({"a"}, Sequence[str]), fits([3], Sequence[str])
    (True, False, True, False)
    """
    if len(several := members(kind)) > 1:
        return any(fits(value, part) for part in several)
    origin, parts = get_origin(several[0]) or several[0], get_args(several[0])
    if isinstance(origin, TypeAliasType):  # NDArray is one
        return fits(value, origin.__value__[parts])
    if origin is Literal:
        simple = isinstance(value, str | Integral) and not _is_bool(value)
        return any(value is part or (simple and value == part) for part in parts)
    if isinstance(origin, ForwardRef):
        return origin.__forward_arg__ in [base.__name__ for base in type(value).__mro__]
    if origin in _TESTS or not isinstance(origin, type):
        return _TESTS.get(origin, _TESTS[Any])(value)
    if origin is Mapping:
        items = cast("Any", value).items() if hasattr(value, "keys") else [(None, value)]
        return all(all(map(fits, item, parts)) for item in items)
    if origin in (Sequence, Iterable, tuple):
        return _fits_items(value, origin, parts)
    if origin.__name__ == "ndarray":
        return hasattr(value, "__array__") or isinstance(value, Sequence)
    return isinstance(value, origin)


def _fits_items(value: object, origin: type, parts: tuple[Any, ...]) -> bool:
    """Return whether a value is a collection, of which all items fit."""
    if isinstance(value, str):  # letters are names
        return fits(value, parts[0]) and origin is not tuple
    if isinstance(value, bytes | Mapping):
        return False
    if not isinstance(value, Collection):
        return origin is Iterable and isinstance(value, Iterable)
    if origin is tuple and ... not in parts:
        return len(value) == len(parts) and all(map(fits, value, parts))
    return all(fits(item, parts[0]) for item in value)


def in_words(kind: Any, *, several: bool = False) -> str:
    """Return a type in words.

    Examples
    --------
    >>> in_words(Literal["auto"] | int | None), in_words(Sequence[str]), in_words(tuple[str, str])
    ("'auto', an integer or None", 'a list of texts', 'a pair of texts')
    """
    words = [repr(choice) for choice in choices(kind)]
    for part in members(kind):
        origin, parts = get_origin(part) or part, get_args(part)
        if origin is bool:
            words += ["True", "False"]
        elif origin in _WORDS:
            words.append(_WORDS[origin][several])
        elif origin is Mapping:
            key, item = (in_words(inner, several=True) for inner in parts)
            words.append(f"{'mappings' if several else 'a mapping'} of {key} to {item}")
        elif origin is tuple and parts[:1] * 2 == parts:
            words.append(
                f"{'pairs' if several else 'a pair'} of {in_words(parts[0], several=True)}"
            )
        elif origin in (Sequence, Iterable, tuple):
            words.append(
                f"{'lists' if several else 'a list'} of {in_words(parts[0], several=True)}"
            )
        elif origin is not Literal and not getattr(origin, "_is_protocol", False):
            name = _NAMES.get(_name(origin), _name(origin))
            words.append(f"{name}s" if several else _with_article(name))
    words = sorted(dict.fromkeys(words), key=lambda word: word == "None")
    return " or ".join(text for text in (", ".join(words[:-1]), *words[-1:]) if text)


def _name(kind: Any) -> str:
    """Return the name of a class, which may be a reference; empty for other types."""
    return kind.__forward_arg__ if isinstance(kind, ForwardRef) else getattr(kind, "__name__", "")


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOaeio' else 'a'} {name}"


def is_text(name: str) -> bool:
    r"""Return whether UTF-8 can encode a name; it cannot encode half a character.

    Examples
    --------
    >>> is_text("\N{GREEK SMALL LETTER ALPHA}"), is_text("\ud800")
    (True, False)
    """
    return not re.search("[\ud800-\udfff]", name)


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


def check_count(
    name: str, number: int, fewest: int, hint: str, *, even: bool = False, most: int = MOST
) -> None:
    """Raise an ArgumentError unless a number is an integer in a range and, if required, even."""
    if not (_is_integer(number) and number >= fewest) or (even and number % 2):
        raise ArgumentError(f"{name} is {_SHORT.repr(number)}.", hint=hint)
    if number > most:
        raise ArgumentError(f"{name} is {_SHORT.repr(number)}.", hint=f"at most {most:,}.")


def check_index(name: str, index: int, n: int) -> None:
    """Raise an ArgumentError unless a number is an index into n things, counted from 0."""
    if not 0 <= index < n:
        hint = "0, of the only one." if n == 1 else f"from 0 to {n - 1}."
        raise ArgumentError(f"{name} is {_SHORT.repr(index)}.", hint=hint)


def check_jobs(n_jobs: int | None) -> None:
    """Raise an ArgumentError unless a number of workers is None, -1 or at least 1."""
    if n_jobs is not None and n_jobs != -1:
        hint = "a number from 1 on, or -1 for all cores."
        check_count("n_jobs", n_jobs, 1, hint, most=MOST_JOBS)


def _is_float(number: Real) -> bool:
    """Return whether a number is not too large for a float."""
    try:
        float(number)
    except OverflowError:
        return False
    return True


def _is_integer(number: object) -> bool:
    return hasattr(number, "__index__") and not isinstance(number, bool)
