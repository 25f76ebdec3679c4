"""Logs of Inspect: a document, or an archive of documents."""

import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import (
    Format,
    Record,
    Results,
    has_record,
    is_score,
    part,
    records,
)
from benchinfer.scores.formats.packed import MOST_BYTES, refuse_large
from benchinfer.scores.resampling import Resampling

_TOOL = "Inspect"
_LETTERS = {
    "C": 1.0,
    "P": 0.5,
    "I": 0.0,
    "N": 0.0,
    "yes": 1.0,
    "true": 1.0,
    "no": 0.0,
    "false": 0.0,
}
_PLACES = Format(_TOOL, {"item": "replication"}, unused=("epoch",))
_ZSTANDARD = 93


def inspect_log(document: Record, path: Path) -> Results | None:
    """Return the score of each sample and epoch by each scorer; else the metrics."""
    if not has_record([document.get("eval")], "task", "model"):
        return None
    return _log(document, path)


def _log(document: Record, path: Path) -> Results:
    evaluation = part(document, "eval", dict, _TOOL)
    labels = {
        "dataset": part(evaluation, "task", str, _TOOL),
        "algorithm": part(evaluation, "model", str, _TOOL),
    }
    status = document.get("status")
    note = "" if status == "success" else f"{path.name} ended with status {status!r}"
    if not document.get("samples"):
        return _metrics(document, labels, note)
    rows: list[dict[str, Any]] = []
    letters: dict[str, set[bool]] = {}
    samples = records(document, "samples", _TOOL)
    scored = [part({"scores": s.get("scores") or {}}, "scores", dict, _TOOL) for s in samples]
    names = dict.fromkeys(str(name) for scores in scored for name in scores)
    for sample, scores in zip(samples, scored, strict=True):
        for name in names:
            score = scores.get(name)
            said = score.get("value") if isinstance(score, Mapping) else score
            letters.setdefault(name, set()).add(not is_score(said))
            places = {"item": str(sample.get("id")), "epoch": str(sample.get("epoch", 1))}
            rows.append(labels | places | {"measure": name, "value": _value(said)})
    # A letter and a truth value say what is better, a number does not.
    measures = tuple(
        Measure(name, "higher", bounds=(0.0, 1.0))
        for name, kinds in letters.items()
        if kinds == {True}
    )
    several = len({row["epoch"] for row in rows}) > 1
    known = replace(_PLACES, measures=measures, resampling=Resampling("items"), note=note)
    return replace(known, units=("item", "epoch") if several else ()), rows


def _metrics(document: Record, labels: Record, note: str) -> Results:
    """Return the metrics of a log without samples."""
    scores = records(part(document, "results", dict, _TOOL), "scores", _TOOL)
    rows: list[dict[str, Any]] = [
        {
            **labels,
            "item": "1",
            "epoch": "1",
            "measure": f"{score.get('name')}/{metric}",
            "value": of.get("value") if isinstance(of, Mapping) else None,
        }
        for score in scores
        for metric, of in part(score, "metrics", dict, _TOOL).items()
        if metric not in ("stderr", "std", "var")
    ]
    names = {row["measure"] for row in rows}
    measures = (
        Measure(name, "higher", bounds=(0.0, 1.0))
        for name in sorted(names)
        if name.endswith("/accuracy")
    )
    return replace(_PLACES, measures=tuple(measures), note=note), rows


def _value(said: object) -> float | None:
    if isinstance(said, bool):
        return float(said)
    if is_score(said):
        return float(cast("float", said))
    return _LETTERS.get(said, _LETTERS.get(said.casefold())) if isinstance(said, str) else None


def inspect_archive(path: Path, typed: str) -> Results | None:
    """Return the scores of an archive, ``.eval``, from its header and the summaries of samples.

    An archive without a header is of another tool.
    """
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as raw:
            held = {info.filename: info for info in archive.infolist()}
            header = held.get("header.json") or held.get("_journal/start.json")
            if header is None:
                return None
            parts = [n for n in held if n == "summaries.json" or n.startswith("samples/")]
            chosen = ["summaries.json"] if "summaries.json" in parts else parts
            refuse_large(typed, [held[name].file_size for name in chosen], path)
            document = json.loads(_read(archive, raw, header))
            samples = [json.loads(_read(archive, raw, held[name])) for name in chosen]
    except ScoreTableError:
        raise
    except Exception as error:  # noqa: BLE001 - zip, its compressions and JSON each raise their own
        text = str(error).partition("\n")[0]
        raise ScoreTableError(
            f"{typed!r} cannot be read as a log of Inspect: {text}",
            hint="inspect log convert --to json writes it as a document.",
        ) from None
    if not has_record([document], "eval"):
        raise ScoreTableError(f"{typed!r} cannot be read as a log of Inspect: its header is none.")
    flat = samples[0] if chosen == ["summaries.json"] else samples
    return _log({**cast("Record", document), "samples": flat}, path)


def _read(archive: zipfile.ZipFile, raw: Any, info: zipfile.ZipInfo) -> bytes:
    """Return a part; Python before 3.14 does not unpack Zstandard."""
    if info.compress_type != _ZSTANDARD:
        return archive.read(info)
    import pyarrow as pa

    raw.seek(info.header_offset)
    head = raw.read(30)  # of the part; lengths of name and extra field end it
    raw.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
    data = raw.read(info.compress_size)
    with pa.CompressedInputStream(pa.py_buffer(data), "zstd") as stream:
        return stream.read(MOST_BYTES)
