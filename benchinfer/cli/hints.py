"""Hints with the options of the command line, and proposals at a terminal."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from benchinfer.cli.output.terminal import safe, safe_lines
from benchinfer.core.errors import ScoreTableError
from benchinfer.core.hints import (
    Call,
    Directions,
    Either,
    Field,
    Given,
    Option,
    Part,
    Phrase,
    Proposal,
    Subset,
)

if TYPE_CHECKING:
    from benchinfer.scores.coverage import Finding

_NAMES = {"columns": "column", "priors": "prior"}
# What stands for any value of an argument.
_ANY = {
    "columns": "--column NAME=ROLE",
    "contrasts": "--order LIST",
    "dataset": "--dataset NAME",
    "harmonise": "--harmonise NAME=MEASURE:FORMULA",
    "paired": "--paired or --unpaired",
    "priors": "--prior NAME=NUMBER",
    "resampling": "--resampling KIND",
}
_WAYS = ("higher", "lower")
BETTER = "BETTER"  # of a proposed command, until somebody says which
# The arguments of the program, as typed.
TYPED: ContextVar[Sequence[str]] = ContextVar("arguments as typed", default=())
_READERS = ("read_scores", "read_effects")


def as_options(text: str) -> str:
    """Write a phrase with options in place of arguments; other text stays as it is.

    Examples
    --------
    >>> as_options(Phrase(f"compare with {Option('missing', 'use')}."))
    'compare with --missing use.'
    """
    return text.written(_words) if isinstance(text, Phrase) else text


def _words(part: Part) -> str:
    match part:
        case Either():
            return part.command
        case Subset(names):
            return f"a table of some {names.replace('datasets', 'data sets')}"
        case Directions(names):
            words = (shlex.quote(f"{name}:{way}") for name in names or ("NAME",) for way in _WAYS)
            return ", ".join(f"-m {a} or {b}" for a, b in zip(words, words, strict=True))
        case Field(name, value) | Option("scale" as name, "identity" | "log" | "logit" as value):
            return _field(name, value)
        case Option(name, value) | Given(name, value):
            return _option(name, value)
        case Call() | Proposal():
            return _call(part)


def proposed(proposal: Proposal, directions: Mapping[str, str]) -> list[str]:
    """Return the words that a proposal adds to the command as typed."""
    options = (_option(name, value) for name, value in proposal.options.items())
    words = [word for option in options for word in shlex.split(option)]
    one = len(proposal.directions) == 1 and not {"-m", "--measure"} & {*TYPED.get()}
    for name in proposal.directions:
        words += ["-m" if one else "--measures", f"{name}:{directions[name]}"]
    return words


def of_proposals(error: Exception) -> list[Proposal]:
    """Return the proposals that an error ends with."""
    text = error.args[0] if error.args else ""
    return [p for p in getattr(text, "parts", ()) if isinstance(p, Proposal)]


def _call(call: Call | Proposal) -> str:
    """Return a command with its option; tables and measures are read by options of all commands."""
    if isinstance(call, Proposal):
        words = [*TYPED.get(), *proposed(call, dict.fromkeys(call.directions, BETTER))]
        return f"benchinfer {shlex.join(words)}"
    function, option = call.function, call.option
    command = function.replace("_", " ")
    match option:
        case None:
            return command
        case Option(name, value) if function == "Measure":
            return _field(name, value)
        case Option("covariates", ()):
            return f"{command} --covariate NAME"
        case _:
            return _words(option) if function in _READERS else f"{command} {_words(option)}"


def _field(name: str, value: object) -> str:
    """Return where a measure's declaration has a field."""
    match name:
        case "scale":
            return f"NAME:BETTER:TOLERANCE:{value} in --measures"
        case "bounds" if isinstance(value, tuple):
            return f"bounds = {[*value]} in a TOML file of --measures"
        case _:
            return f"--measures NAME:BETTER:{name.upper()}"


def _option(name: str, value: object) -> str:
    """Return an option with its value, quoted for a shell."""
    option = f"--{_NAMES.get(name, name).replace('_', '-')}"
    if value is None or value in ((), {}):
        return _ANY.get(name, option)
    match value:
        case "" | True:
            return option
        case False:
            return "--unpaired" if name == "paired" else f"no {option}"
        case tuple() | list():
            option = "--order" if name == "contrasts" else option
            return f"{option} {shlex.quote(','.join(map(str, value)))}"
        case Mapping():
            pairs = [shlex.quote(f"{key}={item or 'REFERENCE'}") for key, item in value.items()]
            return f"{option} " + (f" {option} " if name == "columns" else ",").join(pairs)
        case _:
            return f"{option} {shlex.quote(str(value))}"


_ANSWERS = {"h": "higher", "higher": "higher", "l": "lower", "lower": "lower"}


def accepted(error: ScoreTableError) -> list[str] | None:
    """Print an error, and return the arguments of the proposal that is chosen at a terminal.

    None where there is no proposal, nobody to ask, or another answer than a number and Enter.
    """
    proposals = of_proposals(error)
    faults = {fault.rule for fault in _faults(error)}
    if not proposals and faults == {"direction not given"} and (names := undirected(error)):
        proposals = [Proposal("", {}, names, "")]  # of directions, where nothing else is wrong
    if not proposals or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    sys.stderr.write(f"Error: {safe_lines(as_options(str(error)))}\n")
    proposal = _chosen(proposals) if of_proposals(error) else proposals[0]
    if proposal is None:
        return []
    directions: dict[str, str] = {}
    if proposal.directions:
        sys.stderr.write(f"Is {BETTER} higher or lower?\n")
    for name in proposal.directions:
        while (answer := _answer(f"  {safe(name)} [h/l]: ")) is not None:
            if (better := _ANSWERS.get(answer.casefold())) is not None:
                directions[name] = better
                break
        if answer is None:
            return []
    words = [*TYPED.get(), *proposed(proposal, directions)]
    sys.stderr.write(f"$ benchinfer {safe(shlex.join(words))}\n")
    return words


def undirected(error: ScoreTableError) -> tuple[str, ...]:
    """Return the measures for which an error asks whether higher or lower is better."""
    parts = [part for fault in _faults(error) for part in Phrase(fault.hint).parts]
    return next((part.names for part in parts if isinstance(part, Directions)), ())


def _faults(error: ScoreTableError) -> "list[Finding]":
    """Return the faults of a table, without what else an error may find."""
    from benchinfer.scores.coverage import Finding  # which help need not wait for

    findings = [f for f in error.findings if isinstance(f, Finding)]
    return [finding for finding in findings if finding.severity == "error"]


def _chosen(proposals: Sequence[Proposal]) -> Proposal | None:
    others = [str(i + 1) for i in range(1, len(proposals))]
    also = f", {' or '.join(others)} another one" if others else ""
    answer = _answer(f"Enter runs the first{also}, anything else ends: ")
    if answer == "":
        return proposals[0]
    numbers = {str(i + 1): proposal for i, proposal in enumerate(proposals)}
    return None if answer is None else numbers.get(answer)


def _answer(question: str) -> str | None:
    """Ask on standard error; None at the end of the input."""
    sys.stderr.write(question)
    sys.stderr.flush()
    line = sys.stdin.readline()
    return line.strip() if line else None


def run_again(context: Any, words: Sequence[str]) -> int:
    """Run the program with other arguments, and return its exit code."""
    root = context.find_root()
    code = root.command.main([*words], prog_name=root.info_name, standalone_mode=False)
    return code if isinstance(code, int) else 0
