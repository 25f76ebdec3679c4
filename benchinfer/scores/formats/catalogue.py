"""Catalogue of the tools whose results are recognised, by columns, keys, files and folders.

A tool is a file beside this one, and a line here.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

from benchinfer.scores.formats.aslib import scenario
from benchinfer.scores.formats.curves.optimisers import coco, ioh
from benchinfer.scores.formats.curves.runs import lightning, ultralytics
from benchinfer.scores.formats.curves.trainer import trainer_state
from benchinfer.scores.formats.documents import (
    PREDICTIONS,
    archive,
    arff,
    embeddings,
    harness,
    predictions,
    read_json,
    rows_of,
)
from benchinfer.scores.formats.evaluations.every_eval_ever import every_answer, every_eval_ever
from benchinfer.scores.formats.evaluations.harness import SAMPLE, harness_records
from benchinfer.scores.formats.evaluations.helm import helm
from benchinfer.scores.formats.evaluations.inspect import inspect_log
from benchinfer.scores.formats.evaluations.lighteval import lighteval, lighteval_details
from benchinfer.scores.formats.evaluations.opencompass import SUMMARY, opencompass
from benchinfer.scores.formats.format import (
    Format,
    Names,
    Recogniser,
    Record,
    Results,
    Rows,
    lines_with,
)
from benchinfer.scores.formats.tables import (
    AUTOML_BENCHMARK,
    RUNTIME,
    TIMES,
    benchopt,
    cross_validation,
    experimenter,
    harness_samples,
    mlflow,
    mlr3,
    resamples_by_column,
    search,
    solver_benchmark,
    tab_arena,
    tidymodels,
    weights_and_biases,
)
from benchinfer.scores.formats.timing.asv import asv
from benchinfer.scores.formats.timing.criterion import criterion
from benchinfer.scores.formats.timing.google_benchmark import (
    HEAD,
    google_benchmark,
    google_benchmark_lines,
)
from benchinfer.scores.formats.timing.hyperfine import HYPERFINE_MEANS, hyperfine
from benchinfer.scores.formats.timing.pytest_benchmark import pytest_benchmark
from benchinfer.scores.formats.tuning.dvc import experiment_states, experiments, metrics_diff
from benchinfer.scores.formats.tuning.flaml import flaml
from benchinfer.scores.formats.tuning.mlflow import mlflow_runs
from benchinfer.scores.formats.tuning.optuna import optuna_storage
from benchinfer.scores.formats.tuning.tables import autogluon, mlflow_page, optuna_trials, pycaret

TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
ARROW = {".parquet": "parquet", ".pq": "parquet", ".feather": "feather", ".arrow": "feather"}
JSON = (".jsonl", ".ndjson", ".json")
DUCKDB = (".duckdb", ".db", ".ddb")
_PAGES = (".md", ".markdown", ".tex", ".html", ".htm")
SQLITE = b"SQLite format 3\0"
PRINTED = (".eval", ".txt", ".trec")
SQL = (*DUCKDB, ".sqlite", ".sqlite3")
EXCEL = (".xlsx", ".xls")
ARRAYS = (".npz",)
ARFF = (".arff",)
COMPRESSED = (".gz", ".bz2", ".zst")
# Of a plain table, how a cell that is no number tells its spread, characters that are looked at,
# and the size in bytes above which no table was printed to be read.
_SPREAD, _LOOK = re.compile(r"\d\s*(?:\u00b1|\+/-)\s*[\d.]"), 4096
_LARGE = 1 << 24

# Columns that a tool's table has, and its format, or a function of their names that returns it;
# the first that fits counts.
TABLES: tuple[tuple[set[str], Format | Recogniser], ...] = (
    ({"params"}, search),
    ({*TIMES}, cross_validation),
    ({"task", "framework", "fold", "result", "metric", "constraint"}, AUTOML_BENCHMARK),
    ({"dataset", "fold", "metric", "metric_error"}, tab_arena),
    (SAMPLE, harness_samples),
    ({"task_id", "learner_id", "resampling_id"}, mlr3),
    ({".metric"}, tidymodels),
    ({"run_id", "experiment_id", "status"}, mlflow),
    ({"Name", "State", "Created", "Runtime"}, weights_and_biases),
    ({"command", "mean", "stddev", "median", "user", "system"}, HYPERFINE_MEANS),
    ({"Model", "TT (Sec)"}, pycaret),
    ({"model", "score_val", "stack_level", "fit_order"}, autogluon),
    ({"number", "state", "datetime_start", "datetime_complete"}, optuna_trials),
    ({"Run ID", "Name", "Source Type", "Source Name", "Status"}, mlflow_page),
    ({"Experiment", "rev", "typ", "Created", "parent"}, experiments),
    ({"Benchmark", "Solver", "Solver Version", "Status", RUNTIME}, solver_benchmark),
    ({"solver_name", "dataset_name", "objective_name", "idx_rep", "stop_val"}, benchopt),
    (set(), resamples_by_column),
    ({"Key_Dataset", "Key_Run", "Key_Scheme"}, experimenter),
)


DOCUMENTS: tuple[tuple[set[str], Callable[[Record, Path], Results | None]], ...] = (
    ({"results"}, harness),
    ({"scores", "task_name", "dataset_revision"}, embeddings),
    ({"results", "config_general"}, lighteval),
    ({"eval", "status", "version"}, inspect_log),
    ({"evaluation_id", "model_info", "evaluation_results"}, every_eval_ever),
    ({"log_history", "global_step"}, trainer_state),
    ({"benchmarks", "machine_info"}, pytest_benchmark),
    ({"benchmarks", "context"}, google_benchmark),
    ({"results"}, hyperfine),
    (set(), metrics_diff),
)

# Pattern of the names of files that a tool writes, and the reader of its folder.
FOLDERS: dict[str, Callable[[Path, Sequence[Path]], Results | None]] = {
    "run_spec.json": helm,
    "sample.json": criterion,
    "machine.json": asv,
    "meta.yaml": mlflow_runs,
    "hparams.yaml": lightning,
    "args.yaml": ultralytics,
    "*.info": coco,
    "IOHprofiler_*.json": ioh,
}


def recognised(names: Names) -> Format | None:
    """Return the format whose columns these are, with the columns that are there."""
    there = set(names)
    for columns, known in TABLES:
        if not there or not columns <= there:
            continue
        form = known if isinstance(known, Format) else known(names)
        if form is not None:
            roles = {name: role for name, role in form.columns.items() if name in there}
            return replace(form, columns=roles)
    return None


def of_document(document: Record, path: Path) -> Results | None:
    """Return the results of the tool that wrote a document."""
    for keys, read in DOCUMENTS:
        if document.keys() >= keys and (results := read(document, path)) is not None:
            return results
    return None


def of_folder(folder: Path, files: Sequence[Path]) -> Results | None:
    """Return the results of a tool whose files are not tables by themselves."""
    names = {file.name for file in files}
    held = (read for name, read in FOLDERS.items() if any(fnmatch(n, name) for n in names))
    results = (read(folder, files) for read in held)
    return next((result for result in results if result is not None), None)


def suffix_of(path: Path) -> str:
    """Return the ending of a name, without that of a compression."""
    suffixes = [suffix.casefold() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def is_page(path: Path) -> bool:
    """Return whether a file is a page, or a plain table whose cells hold a mean and its spread."""
    suffix = path.suffix.casefold()
    if suffix not in TEXT:
        return suffix in _PAGES
    if path.stat().st_size > _LARGE:
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        first = file.read(_LOOK).splitlines()[1:4]
    return any(_SPREAD.search(line) for line in first)


def head(path: Path, size: int = len(SQLITE)) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def of_ending(path: Path, typed: str, suffix: str) -> "tuple[Format | None, object] | None":
    """Read a file that is no plain table, with the tool that wrote it."""
    if suffix in ARFF:
        frame = arff(path, typed)
        return scenario(path, [str(name) for name in frame.columns]), frame
    results = FILES[suffix](path, typed) if suffix in FILES else None
    if results is None:
        return None
    import pandas as pd

    return results[0], pd.DataFrame(results[1])


def _of_json(path: Path, typed: str) -> "tuple[Format | None, Rows] | None":
    document = read_json(path, typed)
    if document is None:
        return None
    return experiment_states(document) or rows_of(document, path, of_document)


def _of_print(path: Path, typed: str) -> "Results | None":
    """Read what tools print, or an archive of Inspect, which has the ending of one of them."""
    from benchinfer.scores.formats.evaluations.inspect import inspect_archive
    from benchinfer.scores.formats.evaluations.printed import harness_markdown, trec_eval
    from benchinfer.scores.formats.pages import read_page

    markdown = suffix_of(path) == ".md"
    if not markdown and head(path).startswith(b"PK"):
        return inspect_archive(path, typed)
    text = read_page(path, typed)
    results = harness_markdown(text, path)
    return results if results or markdown else trec_eval(text, path, typed)


def _of_text(path: Path, typed: str) -> "Results | None":
    """Read the texts of tools that are recognised by the name of the file or its first line."""
    if PREDICTIONS.fullmatch(path.name):
        return predictions(path, typed)
    if SUMMARY.fullmatch(path.name):
        return opencompass(path)
    return google_benchmark_lines(path) if head(path, len(HEAD)) == HEAD else None


def _of_lines(path: Path, _: str) -> "Results | None":
    """Read the lines of Every Eval Ever, or of samples of the harness."""
    if (results := every_answer(path)) is not None:
        return results
    lines = lines_with(SAMPLE, path)
    return None if lines is None else harness_records(lines, path.name)


# Ending to the reader of what is no plain table; None where a file is one.
FILES: "dict[str, Callable[[Path, str], tuple[Format | None, Rows] | None]]" = {
    **dict.fromkeys(TEXT, _of_text),
    **dict.fromkeys(PRINTED, _of_print),
    **dict.fromkeys(SQL, optuna_storage),
    **dict.fromkeys(ARRAYS, archive),
    ".json": _of_json,
    ".jsonl": _of_lines,
    ".parquet": lighteval_details,
    ".log": flaml,
    ".md": _of_print,
}
