"""Errors of wrong usage, in the words of this package."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from benchinfer.cli import INTERRUPTED

# What values are checked by puts it so; the rest of the sentence is fit to print.
_WORDS = {
    "Value error, ": "",
    "Input should be greater than or equal to ": "at least ",
    "Input should be less than or equal to ": "at most ",
    "Input should be a valid integer, unable to parse string as an integer": "not a whole number",
    "Input should be a valid number, unable to parse string as a number": "not a number",
}


def plain(text: str) -> str:
    """Return the message without the words of the library that checks values.

    Examples
    --------
    >>> plain("Value error, 'foo' is not one of 'average', 'next'.")
    "'foo' is not one of 'average', 'next'."
    """
    for words, ours in _WORDS.items():
        text = text.replace(words, ours)
    return text


class PlainGroup(TyperGroup):
    """Commands whose errors of usage, and whose interruption, are plain sentences."""

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Read the arguments."""
        with _interruptible():
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> object:
        """Run the command that was asked for."""
        try:
            with _interruptible():
                return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = plain(error.message)
            raise


@contextmanager
def _interruptible() -> Generator[None]:
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        raise typer.Exit(INTERRUPTED) from None
