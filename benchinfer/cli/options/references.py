"""Command-line options that name references: numbers, algorithms, or files of numbers."""

import tomllib
from pathlib import Path
from typing import Any

import typer

from benchinfer.cli.options.common import listed, number_or_name


def normalise(text: str) -> str | dict[str, Any]:
    """Read min-max, two references, or a file of them."""
    if text == "min-max":
        return text
    if text.endswith(".toml"):
        found = _toml(text)
    else:
        parts = [part.partition("=") for part in listed(text)]
        found = {name.strip(): number_or_name(value.strip()) for name, sign, value in parts if sign}
    if set(found) != {"low", "high"} or not all(map(_usable, found.values())):
        raise typer.BadParameter(
            f"{text!r} is none of min-max, low=REFERENCE,high=REFERENCE and a TOML file with"
            " numbers in low and high."
        )
    return found


def reference(text: str) -> Any:
    """Read a number, a name, or a file of numbers."""
    if not text.endswith(".toml"):
        return number_or_name(text)
    found = _toml(text)
    if not _usable(found):
        raise typer.BadParameter(f"{text!r} does not hold one number per data set.")
    return found


def _toml(path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise typer.BadParameter(f"{path!r}: {error.strerror}.") from None
    except ValueError as error:  # what is not TOML, or not UTF-8
        raise typer.BadParameter(f"{path!r} is not TOML: {error}.") from None
    except RecursionError:
        raise typer.BadParameter(f"{path!r} is nested too deep to be read.") from None


def _usable(value: object) -> bool:
    """Return whether it can be a reference: a number, a name, or a number for each data set."""
    if isinstance(value, dict):
        return all(type(number) in {int, float} for number in value.values())
    return type(value) in {int, float, str}
