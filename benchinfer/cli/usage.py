"""Errors of wrong usage, in the words of this package."""

from typing import Any

import typer
from typer.core import TyperGroup

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
    """Commands whose errors of usage are plain sentences."""

    def invoke(self, ctx: Any) -> object:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = plain(error.message)
            raise
