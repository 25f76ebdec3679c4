"""Hints with the options of the command line, and proposals at a terminal."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.hints import named_arguments
from benchinfer.core.numbers import safe, safe_lines

if TYPE_CHECKING:
    from benchinfer.scores.checks.proposals import Proposal
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
# What Python has methods for, and functions without a command of their name.
WORDS = {
    "compare_bayes_pairs": "compare bayes-pairs",
    "direct": "a table of the two",
    "influence": "--details",
    "monitor_measures": "monitor",
    "predicted": "--details",
    "read_effects": "compare meta",
    "read_scores": "check",
    "read_wins": "compare wins",
    "scores.complete": "a smaller table",
    "scores.failures": "benchinfer check",
    "scores.findings": "benchinfer check",
    "scores.solved": "a measure of 0 and 1",
}


def as_options(text: str) -> str:
    """Return a text with options in place of arguments.

    Examples
    --------
    >>> as_options('compare with missing="use".')
    'compare with --missing use.'
    """
    return named_arguments(text, _option, _call)


def _call(function: str, name: str, value: object) -> str:
    """Return the command of a function with an option, or for readers the option alone."""
    if function == "scores.subset":
        return f"a table of some {name.replace('datasets', 'data sets')} (--where)"
    command = WORDS.get(function, function.replace("_", " "))
    if not name:
        return command
    if name == "covariates" and value == ():
        return f"{command} --covariate NAME"
    option = _option(name, value)
    return option if function.startswith("read_") else f"{command} {option}"


def proposed(proposal: Proposal, directions: Mapping[str, str]) -> list[str]:
    """Return the arguments that a proposal adds to the typed command."""
    options = (_option(name, value) for name, value in proposal.options.items())
    words = [word for option in options for word in shlex.split(option)]
    for name, better in proposal.directions.items():
        words += [_declaring(len(proposal.directions)), f"{name}:{better or directions[name]}"]
    return words


def _declaring(n: int) -> str:
    """Return the option that declares measures: ``-m`` takes one, and goes with no other one."""
    typed = {word.partition("=")[0] for word in TYPED.get()}
    return "-m" if n == 1 and not typed & {"-m", "--measure", "--measures"} else "--measures"


def of_proposals(error: Exception) -> Sequence[Proposal]:
    """Return the proposals that an error ends with."""
    return getattr(error, "proposals", ())


def _joined(words: Sequence[str]) -> str:
    """Return the words of a command as one types them: conditions in double quotes.

    Examples
    --------
    >>> print(_joined(["a b.csv", "--where", "split = 'test'"]))
    'a b.csv' --where "split = 'test'"
    """
    plain = re.compile(r"[^\"$`\\!]*'[^\"$`\\!]*")
    return " ".join(f'"{word}"' if plain.fullmatch(word) else shlex.quote(word) for word in words)


def said(error: Exception) -> str:
    """Return the text of an error, its calls as commands."""
    commands = {
        str(proposal): f"benchinfer {_joined([*TYPED.get(), *words])}"
        for proposal in of_proposals(error)
        for words in [proposed(proposal, dict.fromkeys(proposal.undirected, BETTER))]
    }
    if not commands:
        return as_options(str(error))
    pieces = re.split(f"({'|'.join(map(re.escape, commands))})", str(error))
    return "".join(commands.get(piece) or as_options(piece) for piece in pieces)


def _field(name: str, value: object) -> str:
    """Return where a measure's declaration has a field."""
    match name:
        case "scale":
            return f"NAME:BETTER:TOLERANCE:{value or 'SCALE'} in --measures"
        case "limit":
            return f"--measures NAME:BETTER:limit={value}"
        case "bounds" if isinstance(value, tuple):
            return f"bounds = {[*value]} in a TOML file of --measures"
        case _:
            return f"--measures NAME:BETTER:{name.upper()}"


def _option(name: str, value: object) -> str:
    """Return an option with its value, quoted for a shell."""
    if name.startswith("Measure.") or (name == "scale" and value in ("identity", "log", "logit")):
        return _field(name.removeprefix("Measure."), value)
    if name == "measures" and isinstance(value, dict) and ... in value.values():
        words = (shlex.quote(f"{measure}:{way}") for measure in value for way in _WAYS)
        option = _declaring(len(value))
        return ", ".join(f"{option} {a} or {b}" for a, b in zip(words, words, strict=True))
    if name == "measures" and isinstance(value, dict) and value:
        option = _declaring(len(value))
        return " ".join(f"{option} {shlex.quote(f'{m}:{way}')}" for m, way in value.items())
    option = f"--{_NAMES.get(name, name).replace('_', '-')}"
    if value is None or value in ((), {}):
        return _ANY.get(name, option)
    return _with_value(option, name, value)


def _with_value(option: str, name: str, value: object) -> str:
    match value:
        case "" | True:
            return option
        case False:
            return "--unpaired" if name == "paired" else f"no {option}"
        case tuple() | list():
            option = "--order" if name == "contrasts" else option
            return f"{option} {shlex.quote(','.join(map(str, value)))}"
        case dict():
            parts = {k: ":".join(v) if isinstance(v, tuple) else v for k, v in value.items()}
            pairs = [shlex.quote(f"{key}={part}") for key, part in parts.items()]
            return f"{option} " + ("," if name == "normalise" else f" {option} ").join(pairs)
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
        from benchinfer.scores.checks.proposals import Proposal

        proposals = [
            Proposal("", {}, _by_names(names), "")
        ]  # of directions, where nothing else is wrong
    if not proposals or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    sys.stderr.write(f"Error: {safe_lines(said(error))}\n")
    proposal = _chosen(proposals) if of_proposals(error) else proposals[0]
    if proposal is None:
        return []
    directions: dict[str, str] = {}
    if proposal.undirected:
        sys.stderr.write(f"Is {BETTER} higher or lower?\n")
    for name in proposal.undirected:
        while (answer := _answer(f"  {safe(name)} [h/l]: ")) is not None:
            if (better := _ANSWERS.get(answer.casefold())) is not None:
                directions[name] = better
                break
        if answer is None:
            return []
    words = [*TYPED.get(), *proposed(proposal, directions)]
    sys.stderr.write(f"$ benchinfer {safe(_joined(words))}\n")
    return words


def _by_names(measures: Sequence[str]) -> dict[str, str]:
    from benchinfer.scores.roles.directions import direction

    return {name: direction(name) for name in measures}


def undirected(error: ScoreTableError) -> tuple[str, ...]:
    """Return the measures for which an error asks whether higher or lower is better."""
    arguments = [dict(fault.proposes) for fault in _faults(error)]
    return next((tuple(one["measures"]) for one in arguments if "measures" in one), ())


def _faults(error: ScoreTableError) -> list[Finding]:
    """Return the findings of an error that are faults of the table."""
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
