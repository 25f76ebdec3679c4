"""Runs of tools that time programs: several files of a side, whose cases share a machine."""

from collections.abc import Mapping
from dataclasses import replace

from benchinfer.core.numbers import several
from benchinfer.scores.coverage import Finding
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.sources.frames import Source
from benchinfer.scores.sources.partitions import with_partitions

CONTEXTS = "contexts of runs"
_RUN = "benchinfer_run"  # the column of the names of runs
_RUNS = Resampling("runs", paired=False)
_NEAR, _UNITS = 0.05, 1.0  # share, and units, by which numbers of two machines may differ


def is_timed(source: Source) -> bool:
    """Return whether a source holds runs of a tool that times programs."""
    return source.known is not None and bool(source.known.runs)


def as_run(source: Source, label: str) -> Source:
    """Return a source whose replications are runs: this one, unless it holds several already.

    What the tool repeats within a run is averaged, as it shares the state of the machine.
    """
    if _RUN in source.names or source.known is None:
        return source
    inner = [n for n in source.names if n == "replication"]
    roles = {n: role for n, role in source.known.columns.items() if role != "replication"}
    known = replace(
        source.known,
        columns=roles | {_RUN: "replication"},
        unused=(*source.known.unused, *inner),
        resampling=_RUNS,
    )
    return replace(with_partitions(source, {_RUN: label}), known=known)


def contexts_that_differ(sides: Mapping[str, Source]) -> list[Finding]:
    """Report what the contexts of the runs of one side have in common and the others have not."""
    runs = {name: s.known.runs for name, s in sides.items() if s.known is not None}
    keys = list(dict.fromkeys(key for of in runs.values() for run in of for key in run))
    rows: list[tuple[str, ...]] = []
    for key in keys:
        values = {name: [run.get(key, "") for run in of] for name, of in runs.items()}
        if _apart(list(values.values())):
            said = (several(sorted({f"{value}" for value in of})) for of in values.values())
            rows.append((key, *said))
    if not rows:
        return []
    what = "; ".join(
        f"{key} is " + ", ".join(f"{value} in {name}" for name, value in zip(runs, of, strict=True))
        for key, *of in rows
    )
    hint = "runs of both in turn on one machine tell the code from it."
    where = (("", *runs), *rows)
    return [Finding(CONTEXTS, "warning", len(rows), f"runs differ: {what}.", where, hint)]


def _apart(values: list[list[float | str]]) -> bool:
    """Return whether what the runs of some sides say lies apart, and not by run.

    Examples
    --------
    >>> _apart([[3492.0], [2871.0]]), _apart([[3492.0], [3491.0]]), _apart([["h1"], ["h1"]])
    (True, False, False)
    >>> _apart([["h1", "h2"], ["h3", "h4"]]), _apart([["h1", "h1"], ["h2", "h2"]])
    (False, True)
    """
    for i, one in enumerate(values):
        for other in values[i + 1 :]:
            if set(one) & set(other):
                continue
            both = [*one, *other]
            if all(isinstance(value, float | int) for value in both):
                low, high = sorted((one, other), key=lambda of: float(max(of)))
                gap = float(min(high)) - float(max(low))
                if gap >= max(_UNITS, _NEAR * float(min(high))):
                    return True
            elif len(both) == 2 or len(set(both)) < len(both):
                return True
    return False
