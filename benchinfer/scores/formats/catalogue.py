"""Catalogue of the tools whose results are recognised, by columns, keys, files and folders.

A tool is a file beside this one, and a line here: what its results have, and the function that
reads these, by its place. The function is imported where a file has that. It returns None where the
contents are another tool's, and the next one is tried; the last is the reader of plain tables.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from benchinfer.scores.formats.documents import archive, arff, read_json, rows_of
from benchinfer.scores.formats.format import (
    Format,
    Names,
    Record,
    Results,
    first_line,
    lines_of,
)
from benchinfer.scores.formats.packed import COMPRESSED

TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
ARROW = {".parquet": "parquet", ".pq": "parquet", ".feather": "feather", ".arrow": "feather"}
JSON = (".jsonl", ".ndjson", ".json")
SCRIPT = ".js"  # of a document that a page loads
DUCKDB = (".duckdb", ".db", ".ddb")
_PAGES = (".md", ".markdown", ".tex", ".html", ".htm")
SQLITE = b"SQLite format 3\0"
SQL = (*DUCKDB, ".sqlite", ".sqlite3")
EXCEL = (".xlsx", ".xls")
ARRAYS = (".npz",)
ARFF = (".arff",)
# Of a plain table, how a cell that is no number tells its spread, its unit or a footnote,
# characters that are looked at, and sizes in bytes above which no table was printed to be read, or
# has such signs.
_SPREAD = re.compile(r"\d\s*(?:\u00b1|\+/?-)\s*[\d.]|\.\d+(?:\+\d*\.\d+|\s*\(\d*\.\d+\))")
_PERCENT = re.compile(r"(?:^|[,;\t|\"])\s*-?[\d.]+\s*%\"?\s*(?:[,;\t|]|$)")
_TIME = re.compile(
    r"(?:^|[,;\t|\"])\s*\d*\.\d+\s*(?:[nm\u00b5\u03bcu]?s|secs?|seconds?|min|h)\"?\s*(?:[,;\t|]|$)"
)
_MARK = re.compile(r"\d\.\d+[*\u2020\u2021]+\s*\"?\s*(?:[,;\t|]|$)")
_FEW = 1 << 20
_LOOK = 4096
_LARGE = 1 << 24

# Columns of a table, and the function of their names that returns its format.
TABLES: tuple[tuple[set[str], str], ...] = (
    ({"params"}, "sklearn.search"),
    ({"fit_time", "score_time"}, "sklearn.cross_validation"),
    (
        {"task", "framework", "fold", "result", "metric", "constraint"},
        "tables.automl_benchmark",
    ),
    ({"dataset", "fold", "metric", "metric_error"}, "tables.tab_arena"),
    ({"doc_id", "doc", "target", "filtered_resps"}, "evaluations.harness.samples_table"),
    ({"task_id", "learner_id", "resampling_id"}, "tables.mlr3"),
    ({".metric", ".estimator"}, "tables.tidymodels"),
    ({"run_id", "experiment_id", "status"}, "tables.mlflow"),
    ({"Name", "State", "Created", "Runtime"}, "tables.weights_and_biases"),
    ({"command", "mean", "stddev", "median", "user", "system"}, "timing.hyperfine.means"),
    ({"Model", "TT (Sec)"}, "tuning.tables.pycaret"),
    ({"model", "score_val", "stack_level", "fit_order"}, "tuning.tables.autogluon"),
    ({"number", "state", "datetime_start", "datetime_complete"}, "tuning.tables.optuna_trials"),
    ({"Run ID", "Name", "Source Type", "Source Name", "Status"}, "tuning.tables.mlflow_page"),
    ({"Experiment", "rev", "typ", "Created", "parent"}, "tuning.dvc.experiments"),
    (
        {"Benchmark", "Solver", "Solver Version", "Status", "Runtime (s)"},
        "tables.solver_benchmark",
    ),
    (
        {"solver_name", "dataset_name", "objective_name", "idx_rep", "stop_val"},
        "tables.benchopt",
    ),
    ({"folds:"}, "aeon.resamples_by_column"),
    ({"Folds:"}, "aeon.resamples_by_column"),
    ({"resamples:"}, "aeon.resamples_by_column"),
    ({"Resamples:"}, "aeon.resamples_by_column"),
    ({"Key_Dataset", "Key_Run", "Key_Scheme"}, "tables.experimenter"),
    ({"", "win_rate", "standard_error", "n_total"}, "evaluations.alpaca_eval.board"),
    ({"user_input", "retrieved_contexts", "response"}, "evaluations.ragas.ragas"),
    ({"question", "contexts", "answer"}, "evaluations.ragas.ragas"),
    (
        {"dataset", "model", "eval_metrics/MASE[0.5]", "domain", "num_variates"},
        "boards.gift_eval.gift_eval",
    ),
    (
        {"model_name", "dataset_path", "dataset_config", "eval_metric", "test_error"},
        "boards.fev.fev",
    ),
)

# Columns of a table of ARFF, and the function of its path and their names that returns its format.
ATTRIBUTES: tuple[tuple[set[str], str], ...] = (
    ({"instance_id", "repetition", "algorithm", "runstatus"}, "aslib.scenario"),
)

# Keys of a JSON object, and the function of it and its path that returns its results.
DOCUMENTS: tuple[tuple[set[str], str], ...] = (
    ({"results", "versions"}, "evaluations.harness.harness"),
    ({"scores", "task_name", "dataset_revision"}, "evaluations.mteb.mteb"),
    ({"results", "config_general"}, "evaluations.lighteval.lighteval"),
    ({"eval", "status", "version"}, "evaluations.inspect.inspect_log"),
    (
        {"evaluation_id", "model_info", "evaluation_results"},
        "evaluations.every_eval_ever.every_eval_ever",
    ),
    ({"log_history", "global_step", "max_steps"}, "curves.trainer.trainer_state"),
    ({"benchmarks", "machine_info"}, "timing.pytest_benchmark.pytest_benchmark"),
    ({"benchmarks", "context"}, "timing.google_benchmark.google_benchmark"),
    ({"evalId", "results"}, "evaluations.promptfoo.promptfoo"),
    ({"lastUpdate", "entries"}, "timing.github_action.github_action"),
    ({"eval", "hash", "date"}, "evaluations.evalplus.evalplus"),
    ({"testCases", "metricsScores"}, "evaluations.deepeval.deepeval"),
    ({"results"}, "timing.hyperfine.hyperfine"),
    (set(), "curves.marl_eval.marl_eval"),
    (set(), "sklearn.by_estimator"),
    (set(), "tuning.dvc.metrics_diff"),
)

# Keys of each object of a list, or of JSON lines, and the function of these and their name that
# returns their results.
RECORDS: tuple[tuple[set[str], str], ...] = (
    (
        {"evaluation_id", "model_id", "evaluation_name", "sample_id", "evaluation"},
        "evaluations.every_eval_ever.answers",
    ),
    ({"doc_id", "doc", "target", "filtered_resps"}, "evaluations.harness.samples"),
    ({"rev", "name", "data", "error", "experiments"}, "tuning.dvc.experiment_states"),
    ({"benchmark", "mode", "forks", "primaryMetric"}, "timing.jmh.jmh"),
    (
        {"instruction", "generator_1", "generator_2", "annotator", "preference"},
        "evaluations.alpaca_eval.annotations",
    ),
    ({"task_id", "reward", "info", "traj", "trial"}, "evaluations.tau_bench.tau_bench"),
)

# Names of arrays, and the function of these that returns their results.
ARCHIVES: tuple[tuple[set[str], str], ...] = (
    ({"timesteps", "results", "ep_lengths"}, "curves.reinforcement.evaluations"),
)

# Name of a file, the bytes it begins with, and the function of its path that returns its results.
FILES: tuple[tuple[str, bytes, str], ...] = (
    (r"(test|train)(Resample|Fold)\d+\.csv", b"", "aeon.predictions"),
    (r"summary_\d{8}_\d{6}\.csv", b"", "evaluations.opencompass.opencompass"),
    (
        r".+\.(csv|tsv|tab)",
        b"name,iterations,real_time,cpu_time,time_unit",
        "timing.google_benchmark.lines",
    ),
    (r".+\.eval", b"PK", "evaluations.inspect.inspect_archive"),
    (r".+\.(eval|txt|trec|md)", b"", "evaluations.printed.harness_markdown"),
    (r".+\.(eval|txt|trec)", b"", "evaluations.printed.trec_eval"),
    (r".+\.(duckdb|db|ddb|sqlite|sqlite3)", SQLITE, "tuning.optuna.optuna_storage"),
    (r"details_.+\.parquet", b"PAR1", "evaluations.lighteval.lighteval_details"),
    (r".+\.log", b"{", "tuning.flaml.flaml"),
    (r"(.+\.)?monitor\.csv", b"#{", "curves.monitor.monitor"),
    (r".+\.csv", b",NMI", "boards.scib.scib"),
    (r".+\.csv", b'"","NMI', "boards.scib.scib"),
    (r".+\.csv", b'"X","NMI', "boards.scib.scib"),
    (r".*mergedTable_.+\.csv", b"", "boards.tsb_ad.merged"),
    (r".+_summary\.csv", b",workload,trial,", "boards.algoperf.summary"),
)

# Name of a file of a folder, and the function of the folder and its files that returns results.
FOLDERS: tuple[tuple[str, str], ...] = (
    ("run_spec.json", "evaluations.helm.helm"),
    ("sample.json", "timing.criterion.criterion"),
    ("machine.json", "timing.asv.asv"),
    ("meta.yaml", "tuning.mlflow.mlflow_runs"),
    ("hparams.yaml", "curves.runs.lightning"),
    ("args.yaml", "curves.runs.ultralytics"),
    ("*.info", "curves.optimisers.coco"),
    ("IOHprofiler_*.json", "curves.optimisers.ioh"),
    ("*.jsonl", "evaluations.every_eval_ever.detailed"),
)
# The same of tools that fill a folder with the cases of one run: what names the case of each file.
RUNS: tuple[tuple[str, str], ...] = (
    ("sample.json", "timing.criterion.cases"),
    ("machine.json", "timing.asv.cases"),
)

# Endings of files of a folder that are read; files that describe others (MTEB); endings of what
# tools print, read where a folder has no tables; beginnings of the names of files that hold the
# scores of a folder, the others being beside (ours, ASlib).
READ = {*TEXT, *ARROW, *JSON, *SQL, *EXCEL, *ARRAYS, *ARFF, ".eval"}
DESCRIPTIONS = {"model_meta.json"}
PRINTED = {".txt", ".trec", ".log", SCRIPT}
OURS, SCENARIO = "scores.", "algorithm_runs.arff"


def _function(place: str) -> Any:
    """Return the function at a place beside this module."""
    module, _, name = place.rpartition(".")
    return getattr(import_module(f"benchinfer.scores.formats.{module}"), name)


def _fitting(
    lines: Sequence[tuple[set[str], str]], keys: Collection[str]
) -> Iterator[Callable[..., Any]]:
    """Yield the functions of the lines whose keys are among these."""
    names = set(keys)
    return (_function(place) for needed, place in lines if needed <= names)


def _first(results: Iterator[Results | None]) -> Results | None:
    return next((result for result in results if result is not None), None)


def recognised(names: Names) -> Format | None:
    """Return the format whose columns these are, with the columns that are there."""
    for describe in _fitting(TABLES, names):
        if (form := describe(names)) is not None:
            roles = {name: role for name, role in form.columns.items() if name in names}
            return replace(form, columns=roles)
    return None


def of_document(document: object, path: Path) -> Results | None:
    """Return the results of the tool that wrote a document, an object or a list of these."""
    if isinstance(document, Mapping):
        record = cast("Record", document)
        return _first(read(record, path) for read in _fitting(DOCUMENTS, record))
    if isinstance(document, list) and document and isinstance(document[0], Mapping):
        records = cast("list[Any]", document)
        return of_records(records[0], lambda: records, path.name)
    return None


def of_records(
    keys: Collection[str], load: Callable[[], Sequence[Any]], name: str
) -> Results | None:
    """Return the results of the tool whose records have these keys; they are loaded for it."""
    names = set(keys)
    for needed, place in RECORDS:
        records = load() if needed <= names else ()
        fit = all(isinstance(record, Mapping) and needed <= record.keys() for record in records)
        if records and fit and (results := _function(place)(records, name)) is not None:
            return results
    return None


def of_arrays(arrays: Mapping[str, Any]) -> Results | None:
    """Return the results of the tool that wrote an archive of arrays."""
    return _first(read(arrays) for read in _fitting(ARCHIVES, arrays))


def of_folder(folder: Path, files: Sequence[Path]) -> Results | None:
    """Return the results of a tool whose files are not tables by themselves."""
    names = {file.name for file in files}
    places = [place for pattern, place in FOLDERS if any(fnmatch(n, pattern) for n in names)]
    return _first(_function(place)(folder, files) for place in places)


def runs_below(folder: Path, files: Sequence[Path]) -> list[Path]:
    """Return the folders in a folder that hold runs of a tool, if it holds a case more than once.

    Of Criterion and asv one run fills a folder; the same case is in several runs.
    """
    names = {file.name for file in files}
    cases = [_function(place)(files) for name, place in RUNS if name in names]
    most = max((max(Counter(of.values()).values(), default=0) for of in cases), default=0)
    folders = {folder / file.relative_to(folder).parts[0] for of in cases for file in of}
    return sorted(folders) if most > 1 else []


def suffix_of(path: Path) -> str:
    """Return the ending of a name, without that of a compression."""
    suffixes = [suffix.casefold() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def ending_of(path: Path) -> str:
    """Return the ending of the name of a file, with that of a compression.

    Examples
    --------
    >>> ending_of(Path("bm25-0.1.txt")), ending_of(Path("runs.csv.gz"))
    ('.txt', '.csv.gz')
    """
    text = path.name
    while path.suffix.casefold() in COMPRESSED:
        path = path.with_suffix("")
    return text[len(path.with_suffix("").name) :]


def name_of(path: Path) -> str:
    """Return the name of a file without its ending; other points belong to the name.

    Examples
    --------
    >>> name_of(Path("runs/bm25-0.1.txt"))
    'bm25-0.1'
    """
    return path.name.removesuffix(ending_of(path)) or path.name


def is_page(path: Path) -> bool:
    """Return whether a file is a page, or a plain table with spreads, units or marks in cells."""
    suffix = path.suffix.casefold()
    if suffix not in TEXT:
        return suffix in _PAGES
    if (size := path.stat().st_size) > _LARGE:
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        header, *first = file.read(_LOOK).splitlines()[:4] or [""]
    signs = [_SPREAD, _PERCENT, _MARK] if size <= _FEW else [_SPREAD]
    if (
        size <= _FEW
        and recognised([name.strip(' "') for name in re.split(r"[,;\t|]", header)]) is None
    ):
        signs.append(_TIME)  # durations of runs of a tool are no scores
    return any(sign.search(line) for line in first for sign in signs)


def head(path: Path, size: int = len(SQLITE)) -> bytes:
    """Return the first bytes of a file."""
    with path.open("rb") as file:
        return file.read(size)


def of_ending(path: Path, typed: str, suffix: str) -> tuple[Format | None, object] | None:
    """Read a file that is no plain table, with the tool that wrote it."""
    if suffix in ARFF:
        frame = arff(path, typed)
        names = [str(name) for name in frame.columns]
        forms = (describe(path, names) for describe in _fitting(ATTRIBUTES, names))
        return next(forms, None), frame
    if suffix in ARRAYS:
        results = archive(path, typed, of_arrays)
    elif suffix in (".json", SCRIPT):
        document = read_json(path, typed)
        results = None if document is None else rows_of(document, path, of_document)
    elif suffix in JSON:
        results = of_records(first_line(path), lambda: lines_of(path), path.name)
    else:
        results = _of_file(path, typed)
    if results is None:
        return None
    import pandas as pd

    return results[0], pd.DataFrame(results[1])


def _of_file(path: Path, typed: str) -> Results | None:
    """Return the results of the tool that names its files so, or begins them so."""
    places = (
        place
        for name, begin, place in FILES
        if re.fullmatch(name, path.name, re.IGNORECASE | re.DOTALL)
        and (not begin or head(path, len(begin)) == begin)
    )
    return _first(_function(place)(path, typed) for place in places)
