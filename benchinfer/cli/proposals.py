"""Proposals at a terminal: asked, and run at once."""

import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchinfer.cli.hints import BETTER, TYPED, as_options, of_proposals, proposed
from benchinfer.cli.output.terminal import safe, safe_lines
from benchinfer.core.errors import ScoreTableError
from benchinfer.core.hints import Directions, Phrase, Proposal

if TYPE_CHECKING:
    from benchinfer.scores.coverage import Finding

_ANSWERS = {"h": "higher", "higher": "higher", "l": "lower", "lower": "lower"}


def accepted(error: ScoreTableError) -> list[str] | None:
    """Print an error, and return the arguments of the proposal that is chosen at a terminal.

    None where there is no proposal, nobody to ask, or another answer than a number and Enter.
    """
    proposals = of_proposals(error) or of_directions(error)
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


def of_directions(error: ScoreTableError) -> list[Proposal]:
    """Return a proposal of directions, where nothing else is wrong."""
    faults = {fault.rule for fault in _faults(error)}
    names = undirected(error) if faults == {"direction not given"} else ()
    return [Proposal("", {}, names, "")] if names else []


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
