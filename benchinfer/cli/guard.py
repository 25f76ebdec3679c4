"""Exit codes, and errors without tracebacks."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import (
    BenchinferError,
    DesignError,
    FitError,
    MissingExtra,
    ScoreTableError,
)

if TYPE_CHECKING:
    from benchinfer.analyses.factors.factors import Factors
    from benchinfer.comparison.comparison import Comparison


class Exit(IntEnum):
    """Exit codes of the commands."""

    DECIDED = 0
    FAULTY = 1
    USAGE = 2
    UNDECIDED = 3
    UNDECIDABLE = 4


FAULTS = "4 the table has faults or cannot answer."
CODES = f"0 done; 2 wrong usage; {FAULTS}"
_INTERRUPTED = 128 + signal.SIGINT  # as a shell reports what it ended
_PIPE_CLOSED = 141  # as a shell reports what SIGPIPE ended


@contextmanager
def guarded(*, debug: bool = False) -> Generator[None]:
    """Turn errors into a message on stderr and an exit code; bugs keep their traceback.

    Faults of tables and files, bugs, and what a table cannot answer have one code in all commands,
    which is none of those of answers. With `debug` errors show their traceback before the message.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()  # here and not when Python ends, where nobody can catch it
    except BrokenPipeError:
        # The reader has seen enough, as `head` has: end quietly, with nothing left to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(_PIPE_CLOSED) from None
    except (BenchinferError, MissingExtra, OSError) as error:
        from benchinfer.cli.hints import as_options, said
        from benchinfer.core.numbers import safe_lines

        if debug:
            traceback.print_exc()
        text = said(error)
        if isinstance(error, OSError) and error.strerror:  # without its number
            where = "" if error.filename is None else f"{str(error.filename)!r}: "
            text = as_options(f"{where}{error.strerror}.")
        sys.stderr.write(f"Error: {safe_lines(text)}\n")
        of_table = isinstance(error, ScoreTableError | DesignError | FitError)
        of_table = of_table and not isinstance(error, ArgumentError)
        usage = isinstance(error, BenchinferError) and not of_table
        raise typer.Exit(Exit.USAGE if usage else Exit.UNDECIDABLE) from None
    except (typer.Exit, typer.Abort, typer.BadParameter, KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 (as panics of engines written in Rust are)
        traceback.print_exc()
        raise typer.Exit(Exit.UNDECIDABLE) from None


def decides(result: Comparison | Factors) -> bool:
    """Return whether an algorithm is shown to be one that no other surpasses.

    What only describes scores shows nothing. Of factors, whether a main effect is decided.
    """
    if isinstance(result, Mapping):
        return any(one.pairs.decided.any() for one in result.values())
    return result._tested and result.relation().settled


# What values are checked by puts it so; the rest of the sentence is fit to print.
_WORDS = {
    "Value error, ": "",
    "Input should be greater than or equal to ": "at least ",
    "Input should be less than or equal to ": "at most ",
    "Input should be a valid integer, unable to parse string as an integer": "not a whole number",
    "Input should be a valid number, unable to parse string as a number": "not a number",
}


def plain(text: str) -> str:
    """Return an error message without the phrases of the validation library.

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

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Return the context of the arguments, and store them for proposals of other arguments."""
        from benchinfer.cli.hints import TYPED

        TYPED.set(tuple(args))
        with _interruptible():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Any) -> object:
        """Run the command that was requested."""
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
        raise typer.Exit(_INTERRUPTED) from None
