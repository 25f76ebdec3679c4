"""A reader who follows hints: in Python, or on the command line."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, Self

# What a hint says, as a name and a value: an argument, "Measure.scale" or "compare_mixed".
type Pair = tuple[str, Any]
LEFT_OUT = ""  # value of an argument that is to be left out; None stands for any value
# What is to be refused: that is what these hints say.
REFUSING = {("failed", "error"), ("Measure.bounds", (0, 1)), ("missing", "error")}
# Facts that a reader knows; a table to which they apply may not answer any longer.
FACTS = {("paired", False), ("resampling", "seeds")}
# Tables without any variance, which only a fit shows; its error says what describes them.
DEGENERATE = ("the scores do not vary", "the fit did not converge")
STEPS = 6


class Attempt(Protocol):
    """A table, how it is read, and what is asked of it."""

    def run(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the faults, as sentences with their hints, and the remedies of what was done."""
        ...

    def read_hint(self, hint: str) -> Iterator[tuple[str, list[Pair]]]:
        """Yield what a hint names, each with the words before it."""
        ...

    def with_pair(self, name: str, value: Any) -> Self | None:
        """Return the attempt with what a hint says; None where a reader must choose."""
        ...

    def useless(self) -> bool:
        """Return whether a remedy cannot help here, as no table knows."""
        ...


def followed[A: Attempt](attempt: A, hint: str) -> list[tuple[A, list[Pair]]]:
    """Return the attempts that a hint proposes, with what it says of each."""
    ways: list[tuple[A | None, list[Pair]]] = []
    for words, pairs in attempt.read_hint(hint):
        # Options side by side are one proposal, but for two values of one, or two analyses.
        beside = ways and words in (", ", " with ", " and ") and not _same(pairs, ways[-1][1])
        before, known = ways.pop() if beside else (attempt, [])
        for name, value in pairs:
            before = before and before.with_pair(name, value)
        ways.append((before, [*known, *pairs]))
    return [(other, pairs) for other, pairs in ways if other is not None]


def _same(pairs: list[Pair], others: list[Pair]) -> bool:
    """Return whether an argument, or the analysis, is among others."""
    names, first = [name for name, _ in others], pairs[0][0]
    analyses = [name for name in names if name.startswith("compare")]
    return first in names or (first.startswith("compare") and bool(analyses))


def refusals(attempt: Attempt) -> Iterator[tuple[str, list[tuple[str, list[Pair]]]]]:
    """Yield the hints that are refused when they are followed, with the way there."""
    faults, remedies = attempt.run()
    for fault, hint in faults.items():
        for other, pairs in followed(attempt, hint):
            yield from beyond(other, [(fault, pairs)])
    met = set()
    for remedy, hint in remedies.items():
        for other, pairs in followed(attempt, hint):
            if any(pair in [*REFUSING, *FACTS] for pair in pairs) or other.useless():
                continue
            if (key := repr(other)) in met:
                continue
            met.add(key)
            worse, _ = other.run()
            if worse and not any(fault.startswith(DEGENERATE) for fault in worse):
                yield "refused remedy", [(remedy, pairs), (next(iter(worse)), [])]


def beyond(
    attempt: Attempt, way: list[tuple[str, list[Pair]]]
) -> Iterator[tuple[str, list[tuple[str, list[Pair]]]]]:
    """Yield the refusals and cycles after some steps."""
    faults, _ = attempt.run()
    met = [fault for fault, _ in way]
    for fault, hint in faults.items():
        if fault in met:
            yield ("refused" if fault == met[-1] else "cycle"), [*way, (fault, [])]
        elif fault.startswith("usage: ") and _names(fault, way):
            yield "usage", [*way, (fault, [])]
        elif len(way) == STEPS:
            yield "endless", [*way, (fault, [])]
        else:
            for other, pairs in followed(attempt, hint):
                yield from beyond(other, [*way, (fault, pairs)])


def _names(fault: str, way: Sequence[tuple[str, list[Pair]]]) -> bool:
    """Return whether an error of usage is about what a hint says."""
    pairs = [pair for _, pairs in way for pair in pairs]
    words = [word for name, _ in pairs for word in (name, name.replace("_", "-"))]
    words += [word for _, value in pairs for word in re.findall(r"\w{4,}", str(value))]
    first = fault.partition("\n")[0]
    return "unexpected" in first or any(word in first for word in words)


def shown(kind: str, way: Sequence[tuple[str, list[Pair]]], attempt: Attempt) -> str:
    """Write a way for a reader."""
    steps = "\n  -> ".join(
        f"{fault.splitlines()[0]} | {' + '.join(f'{a}={b!r}' for a, b in pairs)}"
        for fault, pairs in way
    )
    return f"{kind}: {attempt!r}\n     {steps}"
