"""Traces of optimisers: folders of COCO and of IOHprofiler."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from os.path import normpath
from pathlib import Path
from typing import Any

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Better, Measure
from benchinfer.scores.formats.format import (
    Format,
    Results,
    Rows,
    document,
    holds_record,
    records,
)

_PAIR = re.compile(r"(\w+)\s*=\s*('[^']*'|[^,]+)")
_RUN = re.compile(r"(\d+)(?::(\d+)\|(\S+))?$")
_QUOTED = re.compile(r'"([^"]*)"')
_LISTED = re.compile(r"IOHprofiler_.*\.json")
_BEST = ("best-so-far f(x)", "raw_y_best", "raw_y")  # of IOHprofiler, the most telling first
_COST, _VALUE = "evaluations", "best"
_COLUMNS = {
    "function": "dataset",
    "algorithm": "algorithm",
    "instance": "replication",
    "run": "replication",
}
_NOTE = "its rows are points of traces, which targets turn into the cost of reaching these"

type _Block = list[tuple[float, float]]  # evaluations, and the best value after these


def coco(folder: Path, files: Sequence[Path]) -> Results | None:
    """Return the traces that ``.info`` files list; each has its runs in a ``.dat`` file.

    The format is that of COCO's loggers of problems with one objective, which IOHanalyzer documents
    (``dataformat.md``). ``.tdat`` beside ``.dat`` has further points of the same runs. How long a
    run took is in the ``.info`` file.
    """
    listed: dict[Path, tuple[Mapping[str, str], list[str]]] = {}
    there = set(files)
    for info in sorted(file for file in files if file.suffix == ".info"):
        for settings, name, runs in _entries(info):
            # Entries of one file continue each other.
            data = _named(info, name, folder, there)
            listed.setdefault(data, (settings, []))[1].extend(runs)
    if not listed:
        return None
    rows: Rows = []
    better: set[Better | None] = set()
    for data, (settings, runs) in listed.items():
        problem = f"f{settings['funcId']}, {settings['DIM']}D"
        labels = {"function": problem, "algorithm": settings["algId"]}
        blocks, of_errors = _blocks(data, folder)
        better.add("lower" if of_errors else _direction(settings))
        more = data.with_suffix(".tdat")
        further = _blocks(more, folder)[0] if more in there else [[] for _ in blocks]
        if not len(blocks) == len(runs) == len(further):
            raise _damaged(data, folder, f"{len(blocks)} runs, and its .info lists {len(runs)}")
        both = [sorted({*a, *b}) for a, b in zip(blocks, further, strict=True)]
        rows += _traces(labels, runs, both)
    return _results("COCO or IOHprofiler, .info and .dat", rows, better)


def ioh(folder: Path, files: Sequence[Path]) -> Results | None:
    """Return the traces that ``IOHprofiler_*.json`` list; each has its runs in a ``.dat`` file."""
    tool = "IOHprofiler"
    rows: Rows = []
    better: set[Better | None] = set()
    there = set(files)
    listed = sorted(file for file in files if _LISTED.fullmatch(file.name))
    if not any(holds_record(file, "function_id", "algorithm", "scenarios") for file in listed):
        return None
    for file in listed:
        about = document(file, tool)
        better.add("higher" if about.get("maximization") else "lower")
        of = about.get("algorithm")
        name = str(of.get("name", "")) if isinstance(of, Mapping) else str(of)
        for scenario in records(about, "scenarios", tool):
            runs: list[str] = []
            for run in records(scenario, "runs", tool):  # as an ``.info`` file writes them
                best = run.get("best")
                y = best.get("y") if isinstance(best, Mapping) else "nan"
                runs.append(f"{run.get('instance')}:{run.get('evals')}|{y}")
            problem = f"f{about.get('function_id')}, {scenario.get('dimension')}D"
            data = _named(file, str(scenario.get("path")), folder, there)
            blocks, _ = _blocks(data, folder)
            if len(blocks) != len(runs):
                raise _damaged(data, folder, f"{len(blocks)} runs, and its .json lists {len(runs)}")
            rows += _traces({"function": problem, "algorithm": name}, runs, blocks)
    return _results("IOHprofiler, .json and .dat", rows, better)


def _results(tool: str, rows: Rows, better: set[Better | None]) -> Results | None:
    """Return rows with the measure, whose direction must be the same everywhere.

    None where no run has a point.
    """
    if all(row[_VALUE] is None for row in rows):
        return None
    way = better.pop() if len(better) == 1 else None
    if all(row["run"] == "1" for row in rows):
        rows = [{name: v for name, v in row.items() if name != "run"} for row in rows]
    measures = (Measure(_VALUE, way),) if way else ()
    columns = {name: role for name, role in _COLUMNS.items() if name in rows[0]}
    return Format(tool, columns, "wide-measures", measures, note=_NOTE, steps=_COST), rows


def _entries(info: Path) -> Iterator[tuple[Mapping[str, str], str, list[str]]]:
    """Yield settings, data file and runs of each entry, if they are of one objective."""
    settings: dict[str, str] = {}
    needed, followed = {"funcId", "DIM", "algId"}, True
    for line in info.read_text("utf-8", "replace").splitlines():
        if re.match(r"\s*(%|$)", line):
            continue
        first, *runs = (part.strip() for part in line.split(","))
        if first.endswith(".dat"):
            if needed <= settings.keys():
                yield settings, first.replace("\\", "/"), [run for run in runs if run]
                followed = True
            elif lacks := needed & settings.keys() and sorted(needed - settings.keys()):
                raise _unlisted(info, f"an entry of {first!r} without {', '.join(lacks)}")
        else:
            if not followed:
                raise _unlisted(info, f"an entry of f{settings['funcId']} without a file of traces")
            settings = {key: value.strip().strip("'") for key, value in _PAIR.findall(line)}
            followed = not needed <= settings.keys()
    if not followed:
        raise _unlisted(info, f"an entry of f{settings['funcId']} without a file of traces")


def _direction(settings: Mapping[str, str]) -> Better | None:
    """Return which values of IOHprofiler are better, None where it is not said."""
    if "maximization" in settings:
        return "higher" if settings["maximization"].upper() in ("T", "TRUE", "1") else "lower"
    known: dict[str, Better] = {"PBO": "higher", "BBOB": "lower"}
    return known.get(settings.get("suite", "").upper())


def _named(by: Path, name: str, folder: Path, files: Collection[Path]) -> Path:
    """Return the file that another one names; raise where it is not among those of the folder."""
    place = by.relative_to(folder)
    data = folder / normpath(place.parent / name)
    if data not in files:
        raise ScoreTableError(
            f"traces of an optimiser: {place.as_posix()!r} names {name!r}, which is no"
            " file of the folder.",
            hint="read the folder with the data files, as it was written.",
        )
    return data


def _blocks(data: Path, folder: Path) -> tuple[list[_Block], bool]:
    """Return the runs of a file, and whether values are errors of the known optimum."""
    try:
        lines = data.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise _damaged(data, folder, "no text that can be read") from None
    blocks: list[_Block] = []
    cost, value, of_errors = 0, 2, False
    for line in lines:
        if line[:1] in ("%", '"') or line.startswith(_COST):
            blocks.append([])
            of_errors = line.startswith("%")
            if not of_errors:
                names = _QUOTED.findall(line) or line.split()
                best = [names.index(name) for name in _BEST if name in names]
                value = best[0] if best else len(names)
            continue
        try:
            parts = line.split()
            if parts:
                blocks[-1].append((float(parts[cost]), float(parts[value])))
        except (IndexError, ValueError):
            raise _damaged(data, folder, f"a line {line[:40]!r}") from None
    return blocks, of_errors


def _traces(labels: dict[str, Any], runs: Sequence[str], blocks: Sequence[_Block]) -> Rows:
    """Return the rows of runs; the last one says how long the run took."""
    rows: Rows = []
    seen: dict[str, int] = {}
    for text, block in zip(runs, blocks, strict=True):
        run = _RUN.match(text)
        instance, evaluations = (run[1], run[2]) if run else (text, None)
        seen[instance] = seen.get(instance, 0) + 1
        place = {**labels, "instance": instance, "run": str(seen[instance])}
        points = dict(reversed(block))  # of equal evaluations the first one, the better error
        if evaluations is not None and block and float(evaluations) > block[-1][0]:
            points[float(evaluations)] = block[-1][1]
        rows += [{**place, _COST: e, _VALUE: y} for e, y in sorted(points.items())]
        if not block:  # it ended before its first point
            spent = evaluations if evaluations is not None else 0
            rows.append({**place, _COST: float(spent), _VALUE: None})
    return rows


def _unlisted(info: Path, what: str) -> ScoreTableError:
    return ScoreTableError(
        f"traces of an optimiser: {info.name!r} lists {what}.",
        hint="the file is damaged: its scores would be lost.",
    )


def _damaged(data: Path, folder: Path, what: str) -> ScoreTableError:
    name = data.relative_to(folder).as_posix() if data.is_relative_to(folder) else data.name
    return ScoreTableError(
        f"traces of an optimiser: {name!r} holds {what}.",
        hint="the file is damaged, or a run was not finished.",
    )
