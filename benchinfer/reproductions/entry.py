"""Entries: a published table, its source, and the numbers that were published about it."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from benchinfer.core.errors import ScoreTableError

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.permutation.blocks import On
    from benchinfer.relations.relation import Relation
    from benchinfer.scores import ScoreTable


@dataclass(frozen=True, slots=True)
class Published:
    """A number as it was published."""

    name: str
    value: float
    place: str  # its table, figure or page
    decimals: int  # as printed
    tolerance: float  # half a unit of the last digit printed, where no reason is given
    reason: str = ""  # of a larger tolerance


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file or a folder that an entry reads."""

    name: str
    place: str  # repository or package, path and commit
    digest: str = ""  # SHA-256 of the file, unpacked; empty where a recipe writes the file
    # Of a folder, the files that are read. Its digest is that of what `sha256sum` prints of them,
    # in the order of their names: `sha256sum *.csv | sha256sum`.
    pattern: str = ""

    def missing(self, path: Path | None) -> bool:
        """Return whether a path is not what is needed: nothing, or a file and not a folder."""
        return path is None or not (path.is_dir() if self.pattern else path.is_file())

    def digest_of(self, path: Path) -> str:
        """Return the SHA-256 of a file, of a packed one that of what is in it, or of a folder."""
        if self.pattern:
            names = sorted(file.relative_to(path).as_posix() for file in path.glob(self.pattern))
            lines = [f"{hashlib.sha256((path / n).read_bytes()).hexdigest()}  {n}\n" for n in names]
            return hashlib.sha256("".join(lines).encode()).hexdigest()
        data = path.read_bytes()
        return hashlib.sha256(gzip.decompress(data) if path.suffix == ".gz" else data).hexdigest()


@dataclass(frozen=True, slots=True)
class Claims:
    """What a study's order is computed from, from the files in their order."""

    units: str  # what the scores are a sample of: "data sets", "tasks", ...
    scores: Callable[..., ScoreTable]
    order: Callable[..., Iterable[str]]  # of its own figure, the best first
    on: On = "values"  # what is tested: values where the figure is a mean, else ranks


@dataclass(frozen=True, slots=True)
class Entry:
    """A published study and how its numbers are computed here."""

    name: str
    study: str  # key of the reference
    title: str
    files: tuple[SourceFile, ...]  # none where the table comes with benchinfer
    licence: str  # of the files
    published: tuple[Published, ...]
    # From the files, in their order, the numbers by name.
    compute: Callable[..., Mapping[str, float]]
    claims: Claims | None = None  # where the study orders algorithms by scores

    def reproduce(self, *files: str | Path) -> pd.DataFrame:
        """Compute the numbers and compare them with the published ones.

        Parameters
        ----------
        *files
            The files of the entry, in any order, or a folder that holds them; packed by gzip or
            not.

        Returns
        -------
        pandas.DataFrame
            One row per number: ``name place published here tolerance agrees reason``.

        Raises
        ------
        ScoreTableError
            Files are missing, or are not the ones that the study published.
        """
        import pandas as pd

        here = self.compute(*self.located(files))
        rows = self.published
        values = [float(here[row.name]) for row in rows]
        # Half a unit of the last digit is met exactly by a number that ends in 5.
        slack = [row.tolerance * (1 + 1e-9) + 1e-12 for row in rows]
        return pd.DataFrame(
            {
                "name": [row.name for row in rows],
                "place": [row.place for row in rows],
                "published": [row.value for row in rows],
                "here": values,
                "tolerance": [row.tolerance for row in rows],
                "agrees": [
                    abs(v - row.value) <= s for v, row, s in zip(values, rows, slack, strict=True)
                ],
                "reason": [row.reason for row in rows],
            }
        )

    def located(self, files: Sequence[str | Path]) -> list[Path]:
        """Return the path of each file of the entry; all faults in one error."""
        given = [path for name in files for path in self._members(Path(name))]
        by_name = {path.name.removesuffix(".gz"): path for path in given}
        faults: list[str] = []
        places: list[Path] = []
        for source in self.files:
            path = by_name.get(source.name)
            if path is None and len(self.files) == len(given) == 1:
                path = given[0]  # a single file may have been renamed
            if path is None or source.missing(path):
                faults.append(f"{source.name} is missing: it is in {source.place}.")
                continue
            places.append(path)
            if source.digest and (digest := source.digest_of(path)) != source.digest:
                faults.append(
                    f"{path} is another file or version than {source.place}: its SHA-256 is"
                    f" {digest[:12]}..., not {source.digest[:12]}..."
                )
        if faults:
            raise ScoreTableError(
                f"{self.name}: " + " ".join(faults),
                hint=f"`benchinfer reproduce {self.name}` says where the files are.",
            )
        return places

    def _members(self, path: Path) -> list[Path]:
        """Return a path, or where it is a folder that holds the files of the entry, all in it."""
        folders = {source.name for source in self.files if source.pattern}
        if not path.is_dir() or path.name in folders:
            return [path]
        members = sorted(path.iterdir())
        alone = len(self.files) == len(folders) == 1  # such a folder may have been renamed
        return [path] if alone and folders.isdisjoint(p.name for p in members) else members


def numbers(
    place: str, values: Mapping[str, float], tolerance: float, reason: str = ""
) -> tuple[Published, ...]:
    """Return the numbers of one table, with one tolerance."""
    decimals = max(len(f"{value:.10g}".partition(".")[2]) for value in values.values())
    return tuple(
        Published(name, value, place, decimals, tolerance, reason) for name, value in values.items()
    )


def relations_of(path: Path, convention: Literal["better", "relations"]) -> dict[str, Relation]:
    """Read relations from a table with the columns ``dataset a b incidence``."""
    import pandas as pd

    from benchinfer.relations.relation import Relation

    relations: dict[str, Relation] = {}
    for name, rows in pd.read_csv(path).groupby("dataset"):
        matrix = rows.pivot_table("incidence", "a", "b")
        entries = matrix.to_numpy().astype(int)
        relations[str(name)] = Relation.from_incidence(
            entries, list(matrix.index), convention=convention
        )
    return relations
