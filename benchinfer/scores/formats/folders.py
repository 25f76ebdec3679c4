"""Folders of tools that are read as one table, recognised by the name of a file in them."""

from collections.abc import Callable, Sequence
from pathlib import Path

from benchinfer.scores.formats.curves.runs import lightning, ultralytics
from benchinfer.scores.formats.evaluations.helm import helm
from benchinfer.scores.formats.format import Results
from benchinfer.scores.formats.timing.asv import asv
from benchinfer.scores.formats.timing.criterion import criterion
from benchinfer.scores.formats.tuning.mlflow import mlflow_runs

# Name of a file that a tool writes, and the reader of its folder.
_FOLDERS: dict[str, Callable[[Path, Sequence[Path]], Results | None]] = {
    "run_spec.json": helm,
    "sample.json": criterion,
    "machine.json": asv,
    "meta.yaml": mlflow_runs,
    "hparams.yaml": lightning,
    "args.yaml": ultralytics,
}


def of_folder(folder: Path, files: Sequence[Path]) -> Results | None:
    """Return the results of a tool whose files are not tables by themselves."""
    names = {file.name for file in files}
    results = (read(folder, files) for name, read in _FOLDERS.items() if name in names)
    return next((result for result in results if result is not None), None)
