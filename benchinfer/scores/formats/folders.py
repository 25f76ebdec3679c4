"""Folders of tools that are read as one table, recognised by the name of a file in them."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import Path

from benchinfer.scores.formats.curves.optimisers import coco, ioh
from benchinfer.scores.formats.curves.runs import lightning, ultralytics
from benchinfer.scores.formats.evaluations.helm import helm
from benchinfer.scores.formats.format import Results
from benchinfer.scores.formats.timing.asv import asv
from benchinfer.scores.formats.timing.criterion import criterion
from benchinfer.scores.formats.tuning.mlflow import mlflow_runs

# Pattern of the names of files that a tool writes, and the reader of its folder.
_FOLDERS: dict[str, Callable[[Path, Sequence[Path]], Results | None]] = {
    "run_spec.json": helm,
    "sample.json": criterion,
    "machine.json": asv,
    "meta.yaml": mlflow_runs,
    "hparams.yaml": lightning,
    "args.yaml": ultralytics,
    "*.info": coco,
    "IOHprofiler_*.json": ioh,
}


def of_folder(folder: Path, files: Sequence[Path]) -> Results | None:
    """Return the results of a tool whose files are not tables by themselves."""
    names = {file.name for file in files}
    held = (read for name, read in _FOLDERS.items() if any(fnmatch(n, name) for n in names))
    results = (read(folder, files) for read in held)
    return next((result for result in results if result is not None), None)
