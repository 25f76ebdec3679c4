"""State file of a board: the entries that were judged, with their verdicts.

Verdicts are computed from the scores each time; the file holds the entries to their place and to
the scores that they had. A checksum detects damage and edits, and a lock lets one process at a time
judge.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchinfer.core.errors import BenchinferError, ScoreTableError
from benchinfer.core.saving import (
    LockedFile,
    check_target,
    exists,
    read_sealed,
    sealed,
    write_atomically,
)

if TYPE_CHECKING:
    from benchinfer.analyses.board.result import Board
    from benchinfer.scores.table import ScoreTable

FORMAT = 1
_HINT = (
    "go on with an untouched copy of the file, by the version that wrote it; without one, begin"
    " anew with another state file."
)


@dataclass(frozen=True, slots=True)
class JudgedEntry:
    """An entry that was judged."""

    algorithm: str
    digest: str  # of its scores
    record: bool


class BoardFile(LockedFile):
    """State file of a board, held by one process at a time."""

    def read(self, design: Mapping[str, Any]) -> list[JudgedEntry]:
        """Read the entries that were judged, by rules that must not have changed."""
        check_target(self.path)
        if not exists(self.path):
            return []
        document = read_sealed(self.path, "board", FORMAT, what="the state of a board", hint=_HINT)
        before, entries = document.get("design"), document.get("entries")
        if not isinstance(before, dict) or not isinstance(entries, list):
            raise self.forged()
        wanted = json.loads(json.dumps(design))
        names = [*wanted, *(name for name in before if name not in wanted)]
        changed = [
            (name, json.dumps(before.get(name)), json.dumps(wanted.get(name)))
            for name in names
            if before.get(name) != wanted.get(name)
        ]
        if changed:
            raise BenchinferError(
                f"the board in {str(self.path)!r} was begun with other rules.",
                where=[("argument", "was", "is"), *changed],
                hint="rules are fixed before the first entry: go on with the old ones, or begin"
                " anew with another state file.",
                shown=len(changed),
            )
        return [self._entry(each) for each in entries]

    def _entry(self, plain: object) -> JudgedEntry:
        match plain:
            case {"algorithm": str(name), "digest": str(digest), "record": bool(record)}:
                return JudgedEntry(name, digest, record)
            case _:
                raise self.forged()

    def check(
        self, past: Sequence[JudgedEntry], order: Sequence[str], digests: Sequence[str]
    ) -> None:
        """Raise a ScoreTableError unless the judged entries come first and are as they were."""
        faults: list[tuple[int, str, str]] = []
        for place, entry in enumerate(past, 1):
            if entry.algorithm not in order:
                faults.append((place, entry.algorithm, "gone"))
            elif order[place - 1 : place] != (entry.algorithm,):
                now = order.index(entry.algorithm) + 1
                faults.append((place, entry.algorithm, f"now entry {now}"))
            elif digests[place - 1] != entry.digest:
                faults.append((place, entry.algorithm, "scores changed"))
        if faults:
            entries = "entry that was" if len(faults) == 1 else "entries that were"
            raise ScoreTableError(
                f"{len(faults)} {entries} judged before, as {str(self.path)!r} says, changed.",
                where=[("entry", "algorithm", "what"), *faults],
                hint="entries come in the order of the sequence, once, and keep their scores: put"
                " them back, and give what is new a later date or a name of its own.",
            )

    def write(
        self,
        design: Mapping[str, Any],
        past: Sequence[JudgedEntry],
        result: Board,
        digests: Sequence[str],
    ) -> None:
        """Write the entries with their verdicts, atomically."""
        if [entry.record for entry in past] != result.record[: len(past)].tolist():
            raise self.forged()
        rows = result.summary().to_dict("records")
        keys = ("algorithm", "n", "holder", "estimate", "p_record", "level_spent", "record")
        entries = [
            {**{key: _plain(row[key]) for key in keys}, "digest": digest}
            for row, digest in zip(rows, digests, strict=True)
        ]
        document = {"board": FORMAT, "design": design, "entries": entries}
        parts = [
            f" {json.dumps(name)}: {json.dumps(value, indent=1)}"
            for name, value in sealed(document).items()
        ]
        text = "{\n" + ",\n".join(parts) + "\n}\n"
        if not exists(self.path) or self.path.read_text(encoding="utf-8") != text:
            write_atomically(self.path, text)

    def forged(self) -> BenchinferError:
        """Build the error for a past that no board of these rules has."""
        return BenchinferError(f"{str(self.path)!r} is not as board leaves it.", hint=_HINT)


def _plain(value: Any) -> object:
    value = getattr(value, "item", lambda: value)()
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124 (NaN)


def digests_of(scores: ScoreTable, measure: str, order: Sequence[str]) -> list[str]:
    """Return a fingerprint of the scores of each entry."""
    columns = ("dataset", "replication", "value")
    rows: dict[str, list[Any]] = {name: [] for name in order}
    table = scores.to_frame(measure)
    for name, *row in zip(table["algorithm"], *(table[c] for c in columns), strict=True):
        if name in rows:
            rows[name].append([str(row[0]), str(row[1]), float(row[2])])
    return [
        hashlib.sha256(json.dumps(sorted(each)).encode()).hexdigest()[:32] for each in rows.values()
    ]
