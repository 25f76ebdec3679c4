"""The memory of a monitored experiment: one small JSON file that cannot be half written.

What a stage used is pinned by the names of its replications and a fingerprint of their scores. Sums
over the past, which e-processes go on from, hold for these fingerprints alone. A file beside the
state is locked while it is read, used and written: two processes take turns.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from benchinfer.errors import BenchinferError, ScoreTableError, message
from benchinfer.saving import check_target, decode, encode, followed, write_whole, writing
from benchinfer.sequential.feed import Broken, Pin

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known of the past.

    Attributes
    ----------
    design
        What is watched and how, as JSON holds it.
    pins
        What each stage used, per data set.
    sums
        Per pair what its e-process goes on from; empty where there is none.
    """

    design: Mapping[str, Any]
    pins: Sequence[Sequence[Pin]] = ()
    sums: Sequence[Mapping[str, Any]] = ()


class StateFile(AbstractContextManager["StateFile"]):
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

    def __init__(self, path: str | Path) -> None:
        check_target(path)
        with writing(path):
            self.path = followed(path)  # whoever names it by a link waits for the same lock
            if self.path.exists() and not self.path.is_file():
                raise BenchinferError(
                    message(f"{str(path)!r} is no file.", hint="a state is a file of its own.")
                )
        self._stack = ExitStack()
        self._depth = 0

    def __enter__(self) -> Self:
        if self._depth == 0:
            self._lock(self._stack.enter_context(self._open()))
        self._depth += 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._stack.close()

    def _open(self) -> IO[str]:
        lock = self.path.with_name(f"{self.path.name}.lock")
        with writing(lock):
            return lock.open("a", encoding="utf-8")

    def _lock(self, file: IO[str]) -> None:
        import fcntl  # not on Windows, where all else works

        fcntl.flock(file, fcntl.LOCK_EX)

    def read(self, design: Mapping[str, Any]) -> Memory:
        """Read the past of an experiment of this design; a new one has none.

        Raises
        ------
        BenchinferError
            The file is not a state, or is of another design: the message names what changed.
        """
        wanted = json.loads(json.dumps(design))
        check_target(self.path)  # the table is read by now
        try:
            document = json.loads(self.path.read_text(encoding="utf-8"))
            form, before = document["monitor"], document["design"]
            pins = [[_pin(pin) for pin in stage] for stage in document["stages"]]
            sums = decode(document["sums"]) if document.get("of") == _mark(document) else []
        except FileNotFoundError:
            return Memory(wanted)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BenchinferError(
                message(
                    f"{str(self.path)!r} is not the state of a monitored experiment.",
                    hint="name another file, or remove it to begin anew.",
                )
            ) from None
        if form != FORMAT:
            raise BenchinferError(f"{str(self.path)!r} has format {form}; this reads {FORMAT}.")
        self._check_design(before, wanted)
        return Memory(wanted, pins, sums)

    def write(self, memory: Memory) -> None:
        """Write the state, whole or not at all.

        Before the first stage there is nothing to remember, and the design may still change.
        """
        if not memory.pins and not self.path.exists():
            return
        document: dict[str, Any] = {
            "monitor": FORMAT,
            "design": memory.design,
            "stages": [[_plain(pin) for pin in stage] for stage in memory.pins],
        }
        if memory.sums:
            document |= {"sums": encode(list(memory.sums))}
            document |= {"of": _mark(document)}
        text = _text(document)
        if not self.path.exists() or self.path.read_text(encoding="utf-8") != text:
            write_whole(self.path, text)

    def refuse(self, broken: Sequence[Broken]) -> ScoreTableError:
        """Build the error for a past that has changed."""
        stages = "stage that was" if len(broken) == 1 else "stages that were"
        return ScoreTableError(
            message(
                f"{len(broken)} {stages} decided on before, as {str(self.path)!r} says, changed in"
                " the table.",
                where=[
                    ("dataset", "stage", "what"),
                    *((b.dataset, b.stage, b.what) for b in broken),
                ],
                hint="put the scores back as they were; an experiment that is repeated needs a"
                " state of its own.",
            ),
            broken,
        )

    def _check_design(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        names = [*now, *(name for name in before if name not in now)]
        changed = [
            (name, _short(before.get(name)), _short(now.get(name)))
            for name in names
            if before.get(name) != now.get(name)
        ]
        if changed:
            raise BenchinferError(
                message(
                    f"the experiment in {str(self.path)!r} was begun with another design.",
                    where=[("argument", "was", "is"), *changed],
                    hint="a design is fixed before the first stage: go on with the old one, or"
                    " begin anew with another state file.",
                    shown=len(changed),
                )
            )


def _mark(document: Mapping[str, Any]) -> str:
    """Fingerprint sums together with the stages that they are of."""
    text = json.dumps([document["stages"], document.get("sums")])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _text(document: Mapping[str, Any]) -> str:
    """Write one line per part; the stages are for people, too."""
    parts = [
        f" {json.dumps(name)}: {json.dumps(value, indent=1 if name != 'sums' else None)}"
        for name, value in document.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _plain(pin: Pin) -> dict[str, object]:
    return {
        "dataset": pin.dataset,
        "stage": pin.stage,
        "algorithms": pin.algorithms,
        "replications": _ranges(pin.labels),
        "digests": pin.digests,
    }


def _pin(plain: Mapping[str, Any]) -> Pin:
    labels: list[str] = []
    for item in plain["replications"]:
        labels += [item] if isinstance(item, str) else map(str, range(item[0], item[1] + 1))
    return Pin(
        str(plain["dataset"]),
        int(plain["stage"]),
        tuple(labels),
        tuple(plain["algorithms"]),
        tuple(plain["digests"]),
    )


def _ranges(labels: Sequence[str]) -> list[str | list[int]]:
    """Write consecutive numbers as their first and last.

    Examples
    --------
    >>> _ranges(["1", "2", "3", "07", "x"])
    [[1, 3], '07', 'x']
    """
    if labels and labels[0].isdecimal() and len(labels[0]) < 19:  # as a rule all are
        first = int(labels[0])
        if list(labels) == [str(first + i) for i in range(len(labels))]:
            return [[first, first + len(labels) - 1]]
    found: list[str | list[int]] = []
    for label in labels:
        number = int(label) if label.isdecimal() and len(label) < 19 else -1
        before = found[-1] if found else ""
        if number < 0 or str(number) != label:
            found.append(label)
        elif isinstance(before, list) and before[1] == number - 1:
            before[1] = number
        else:
            found.append([number, number])
    return found
