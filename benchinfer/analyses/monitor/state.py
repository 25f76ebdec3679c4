"""State file of a monitored experiment.

The scores that a stage used are pinned by the names of their replications and a fingerprint;
results are computed from the scores each time, but for the bets of a long history, which go on from
what they have come to. A checksum detects damage and edits. A file next to
the state is locked while it is read, used and written: two processes take turns.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from benchinfer.analyses.monitor.anytime import Bets
from benchinfer.analyses.monitor.feed import Broken, Pin
from benchinfer.core.errors import BenchinferError, ScoreTableError
from benchinfer.core.saving import (
    LockedFile,
    check_target,
    decode,
    encode,
    exists,
    read_sealed,
    sealed,
    write_atomically,
)

type _Fault = tuple[int, str, str]
FORMAT = 3
_MOST = 10**8  # replications of a data set in one stage: more are no history
_HINT = (
    "go on with an untouched copy of the file, by the version that wrote it; without one, begin"
    " anew with another state file."
)


@dataclass(frozen=True, slots=True)
class Memory:
    """Record of past stages."""

    design: Mapping[str, Any]  # what is watched and how, as JSON holds it
    pins: Sequence[Sequence[Pin]] = ()  # what each stage used, per data set
    bets: Bets | None = None  # what the bets on these have come to; None where there are none


class StateFile(LockedFile):
    """A state file, held by one process at a time.

    Parameters
    ----------
    path
        The file; it need not exist. The lock is a file of the same name with ``.lock`` added.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, StateFile(f"{folder}/s.json") as state:
    ...     state.read({"stage": 50}).pins
    ()
    """

    def read(self, design: Mapping[str, Any]) -> Memory:
        """Read the past of an experiment of this design; a new one has none."""
        wanted = json.loads(json.dumps(design))
        check_target(self.path)  # the table is read by now
        if not exists(self.path):
            return Memory(wanted)
        what = "the state of a monitored experiment"
        document = read_sealed(self.path, "monitor", FORMAT, what=what, hint=_HINT)
        before, stages = document.get("design"), document.get("stages")
        if not isinstance(before, dict) or not isinstance(stages, list):
            raise self.forged([])
        names = [*wanted, *(name for name in before if name not in wanted)]
        changed = [
            (name, _short(before.get(name)), _short(wanted.get(name)))
            for name in names
            if before.get(name) != wanted.get(name)
        ]
        if changed:
            raise BenchinferError(
                f"the experiment in {str(self.path)!r} was begun with another design.",
                where=[("argument", "was", "is"), *changed],
                hint="a design is fixed before the first stage: go on with the old one, or"
                " begin anew with another state file.",
                shown=len(changed),
            )
        try:
            shared: dict[str, tuple[str, ...]] = {}  # names of replications
            pins = [[_pin(plain, shared) for plain in stage] for stage in stages]
            bets = decode(document.get("bets"))
        except (TypeError, ValueError, LookupError):
            raise self.forged([]) from None
        if faults := _faults(pins, wanted):
            raise self.forged(faults)
        if not isinstance(bets, Bets | None):
            raise self.forged([])
        return Memory(wanted, pins, bets)

    def write(self, memory: Memory) -> None:
        """Write the state atomically.

        Before the first stage there is nothing to remember, and the design may still change.
        """
        if not memory.pins and not exists(self.path):
            return
        document: dict[str, Any] = {
            "monitor": FORMAT,
            "design": memory.design,
            "stages": [_plain(stage) for stage in memory.pins],
        }
        if memory.bets is not None and memory.bets.worth:
            document["bets"] = encode(memory.bets)
        # One line per part; the stages are for people, too.
        parts = [
            f" {json.dumps(name)}: {json.dumps(value, indent=None if name == 'bets' else 1)}"
            for name, value in sealed(document).items()
        ]
        text = "{\n" + ",\n".join(parts) + "\n}\n"
        if not exists(self.path) or self.path.read_text(encoding="utf-8") != text:
            write_atomically(self.path, text)

    def refuse(self, broken: Sequence[Broken]) -> ScoreTableError:
        """Build the error for a past that has changed."""
        stages = "stage that was" if len(broken) == 1 else "stages that were"
        return ScoreTableError(
            f"{len(broken)} {stages} decided on before, as {str(self.path)!r} says, changed in"
            " the table.",
            broken,
            where=[("dataset", "stage", "what"), *((b.dataset, b.stage, b.what) for b in broken)],
            hint="put the scores back as they were; an experiment that is repeated needs a"
            " state of its own.",
        )

    def forged(self, faults: Sequence[_Fault]) -> BenchinferError:
        """Build the error for a past that no experiment of this design has."""
        return BenchinferError(
            f"{str(self.path)!r} is not as monitor leaves it.",
            where=[("stage", "dataset", "what"), *faults] if faults else (),
            hint=_HINT,
        )


def _faults(stages: Sequence[Sequence[Pin]], design: Mapping[str, Any]) -> list[_Fault]:
    """Find what no experiment of this design leaves behind."""
    faults: list[_Fault] = []
    used: dict[str, set[str]] = {name: set() for name in design["datasets"]}
    for number, stage in enumerate(stages, 1):
        if [pin.dataset for pin in stage] != design["datasets"]:
            faults.append((number, "", "its data sets are not those of the design"))
            continue
        n = len(stage[0].labels) if design["method"] == "anytime" else design["stage"]
        names = {labels: set(labels) for labels in {pin.labels for pin in stage}}
        for pin in stage:
            mine = names[pin.labels]
            size = len(pin.labels)
            signs = {
                f"is numbered {pin.stage}": pin.stage != number,
                f"{size} replications in place of {max(n, 1)}": size != max(n, 1),
                "replications that are used twice": len(mine) < size
                or not mine.isdisjoint(used[pin.dataset]),
            }
            faults += [(number, pin.dataset, what) for what, there in signs.items() if there]
            if number < len(stages):
                used[pin.dataset] |= mine
    return faults


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _plain(stage: Sequence[Pin]) -> list[dict[str, object]]:
    """Write the pins of a stage, whose data sets share their replications as a rule."""
    ranges = {labels: _ranges(labels) for labels in {pin.labels for pin in stage}}
    return [
        {
            "dataset": pin.dataset,
            "stage": pin.stage,
            "algorithms": pin.algorithms,
            "replications": ranges[pin.labels],
            "digest": pin.digest,
        }
        for pin in stage
    ]


def _pin(plain: object, shared: dict[str, tuple[str, ...]]) -> Pin:
    match plain:
        case {
            "dataset": str(dataset),
            "stage": int(stage),
            "algorithms": list(algorithms),
            "replications": list(ranges),
            "digest": str(digest),
        } if all(isinstance(item, str) for item in algorithms):
            key = str(ranges)
        case _:
            raise TypeError
    if key not in shared:
        parts = [_labels(item) for item in ranges]
        if sum(map(len, parts)) > _MOST:  # before they are written out
            raise ValueError
        shared[key] = tuple(map(str, chain.from_iterable(parts)))
    return Pin(dataset, stage, shared[key], tuple(algorithms), digest)


def _labels(item: object) -> Sequence[object]:
    match item:
        case str():
            return [item]
        case [int(first), int(last)] if first <= last:
            return range(first, last + 1)
        case _:
            raise TypeError


def _ranges(labels: Sequence[str]) -> list[str | list[int]]:
    """Write consecutive numbers as their first and last.

    Examples
    --------
    >>> _ranges(["1", "2", "3", "07", "x"])
    [[1, 3], '07', 'x']
    """
    if labels and labels[0].isdecimal() and len(labels[0]) < 19:  # as a rule all are
        first = int(labels[0])
        if labels[-1] == str(first + len(labels) - 1) and list(labels) == [
            *map(str, range(first, first + len(labels)))
        ]:
            return [[first, first + len(labels) - 1]]
    ranges: list[str | list[int]] = []
    for label in labels:
        number = int(label) if label.isdecimal() and len(label) < 19 else -1
        before = ranges[-1] if ranges else ""
        if number < 0 or str(number) != label:
            ranges.append(label)
        elif isinstance(before, list) and before[1] == number - 1:
            before[1] = number
        else:
            ranges.append([number, number])
    return ranges
