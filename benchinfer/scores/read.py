"""The function `read_scores`."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast

import narwhals as nw

from benchinfer.core.errors import BenchinferError, ScoreTableError, unknown
from benchinfer.core.hints import Directions, Either, Given, Option, Phrase
from benchinfer.core.measure import Measure, as_measures, is_text
from benchinfer.core.saving import note_input
from benchinfer.scores.checks.facts import Facts
from benchinfer.scores.checks.faults import (
    FAULTS,
    Failed,
    Reading,
    averaged,
    covariate_faults,
    duplicate_rows,
    refuse,
    tally,
    without_faults,
)
from benchinfer.scores.checks.findings import check, pairing, swapped_roles
from benchinfer.scores.checks.limits import scores_at_a_limit
from benchinfer.scores.columns import (
    LABELS,
    Roles,
    canonical,
    encoded,
    odd_kinds,
    unnamed_index,
)
from benchinfer.scores.coverage import Finding
from benchinfer.scores.failures import (
    checked,
    failures_of,
    filled,
    imputed_scores,
    scores_of_failures,
)
from benchinfer.scores.features import read_features
from benchinfer.scores.formats.format import Format
from benchinfer.scores.layouts import roles_of, telling_column
from benchinfer.scores.numerics.places import Places
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.sources.batches import held, placed
from benchinfer.scores.sources.filters import filtered
from benchinfer.scores.sources.open import open_source
from benchinfer.scores.sources.source import Source, engine_errors
from benchinfer.scores.summary import labels_of, summarise
from benchinfer.scores.table import ScoreTable

type Measures = Measure | str | Path | Mapping[str, str] | Sequence[Measure | str]
_TOP = ("covariates", "resampling", "measures")
_MEASURE = ("better", "tolerance", "scale", "bounds", "unit", "label")
_RESAMPLING = ("kind", "folds", "test_fraction", "paired")


def declared(
    measures: object, resampling: object, covariates: object, beside: Path | None
) -> tuple[tuple[Measure, ...], Resampling | None, tuple[str, ...], list[Finding]]:
    """Bring together what the arguments and the TOML declare; arguments win."""
    path = beside
    if isinstance(measures, Path) or (isinstance(measures, str) and measures.endswith(".toml")):
        path, measures = Path(measures), None
    found: tuple[Measure, ...] = ()
    said: Resampling | None = None
    kept: tuple[str, ...] = ()
    notes: list[Finding] = []
    # Where all arguments are given, a file that happens to lie there is not even opened.
    if path is not None and None in (measures, resampling, covariates):
        found, said, kept = read_toml(path)
        parts = [
            name
            for name, given, says in (
                ("measures", measures, True),
                ("resampling", resampling, said is not None),
                ("covariates", covariates, bool(kept)),
            )
            if given is None and says
        ]
        if path is beside and parts:
            what = f"{_joined(parts)} as {path.name} beside the table says."
            notes.append(Finding("declared beside", "note", len(parts), what))
    if measures is not None:
        try:
            found = as_measures(measures)
        except (TypeError, AttributeError):
            raise ScoreTableError(
                f"{Given('measures', measures)} cannot be read.",
                hint=f"{Directions()}{Either(', or Measure(...)', '')}.",
            ) from None
    if isinstance(resampling, str):
        said = Resampling.of(resampling)
    elif isinstance(resampling, Resampling):
        said = resampling
    elif resampling is not None:
        kinds = ("independent", "bootstrap", "holdout", "cv", "seeds", "items")
        raise ScoreTableError(unknown("resampling", resampling, kinds))
    return found, said, kept if covariates is None else _covariates(covariates), notes


def _joined(words: Sequence[str]) -> str:
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), words[-1]])


def _covariates(given: object) -> tuple[str, ...]:
    """Read the names of covariates; one alone need not be in a list."""
    if (names := _texts([given] if isinstance(given, str) else given)) is not None:
        return names
    raise ScoreTableError(
        f"{Given('covariates', given)} cannot be read.",
        hint=f"names of columns, as in {Option('covariates', ('n_rows', 'size'))}.",
    )


def _texts(given: object) -> tuple[str, ...] | None:
    """Give the items of a sequence of texts, None for anything else."""
    if not isinstance(given, Sequence):
        return None
    names = cast("Sequence[object]", given)
    texts = tuple(name for name in names if isinstance(name, str))
    return texts if len(texts) == len(names) else None


def read_toml(path: Path) -> tuple[tuple[Measure, ...], Resampling | None, tuple[str, ...]]:
    r"""Read a ``measures.toml``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "measures.toml")
    ...     _ = path.write_text('[measures.error]\nbetter = "lower"\ntolerance = 0.01')
    ...     read_toml(path)[0][0].tolerance
    0.01
    """
    note_input(path)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ScoreTableError(f"there is no file {str(path)!r}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ScoreTableError(f"{path.name!r} is not a TOML file: {error}.") from None
    except RecursionError:
        raise ScoreTableError(f"{path.name!r} is nested too deep to be read.") from None
    faults = _strange(document, _TOP, "")
    tables = document.get("measures", {})
    measures: list[Measure] = []
    resampling: Resampling | None = None
    if not isinstance(tables, Mapping):
        faults.append("measures: not a table; write [measures.error] and its keys below.")
        tables = {}
    for name, entry in cast("Mapping[str, object]", tables).items():
        if isinstance(item := _measure(name, entry), Measure):
            measures.append(item)
        else:
            faults += item
    if "resampling" in document:
        item = _resampling(document["resampling"])
        resampling = item if isinstance(item, Resampling) else None
        faults += item if isinstance(item, list) else []
    covariates = cast("object", document.get("covariates", []))
    if isinstance(covariates, str) or (kept := _texts(covariates)) is None:
        kept = ()
        faults.append('covariates: not a list of names; write covariates = ["n_rows", "size"].')
    if faults:
        raise ScoreTableError(
            f"{len(faults)} {'fault' if len(faults) == 1 else 'faults'} in {path.name!r}:\n"
            + "\n".join(f"    {fault}" for fault in faults),
            hint=[
                f"keys of a measure: {', '.join(_MEASURE)};",
                f"of [resampling]: {', '.join(_RESAMPLING)};",
                "above the tables: covariates.",
            ],
        )
    return tuple(measures), resampling, kept


def _strange(table: Mapping[str, object], known: tuple[str, ...], prefix: str) -> list[str]:
    return [f"{prefix}{key}: there is no such key." for key in table if key not in known]


def _measure(name: str, entry: object) -> Measure | list[str]:
    """Read one measure, or say what is wrong with it."""
    prefix = f"measures.{name}."
    if not isinstance(entry, Mapping):
        return [f"measures.{name}: not a table; write [measures.{name}] and its keys below."]
    table = cast("Mapping[str, Any]", entry)
    faults = _strange(table, _MEASURE, prefix)
    if "better" not in table:
        faults.append(f'{prefix}better: missing; "higher" or "lower".')
    faults += [
        f"{prefix}{key}: {table[key]!r} is not text."
        for key in ("better", "scale", "unit", "label")
        if not isinstance(table.get(key, ""), str)
    ]
    if not _number(table.get("tolerance", 0)):
        faults.append(f"{prefix}tolerance: {table['tolerance']!r} is not a number.")
    bounds = table.get("bounds")
    if bounds is not None and not (
        isinstance(bounds, list) and len(bounds) == 2 and all(map(_number, bounds))
    ):
        faults.append(f"{prefix}bounds: {bounds!r} is not [lowest, highest].")
    if faults:
        return faults
    keys = {key: value for key, value in table.items() if key != "bounds"}
    if bounds is not None:
        keys["bounds"] = (float(bounds[0]), float(bounds[1]))
    try:
        return Measure(name, **keys)
    except BenchinferError as error:
        return [f"measures.{name}: {str(error).splitlines()[0]}"]


def _resampling(entry: object) -> Resampling | list[str]:
    """Read the resampling, or say what is wrong with it."""
    if not isinstance(entry, Mapping):
        return ["resampling: not a table; write [resampling] and its keys below."]
    table = cast("Mapping[str, Any]", entry)
    faults = _strange(table, _RESAMPLING, "resampling.")
    if "kind" not in table:
        faults.append("resampling.kind: missing.")
    if not isinstance(table.get("paired", True), bool):
        faults.append(f"resampling.paired: {table['paired']!r} is not true or false.")
    faults += [
        f"resampling.{key}: {table[key]!r} is not a number."
        for key in ("folds", "test_fraction")
        if key in table and not _number(table[key])
    ]
    if faults:
        return faults
    try:
        return Resampling(**table)
    except BenchinferError as error:
        return [f"resampling: {str(error).splitlines()[0]}"]


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def read_scores(
    source: object,
    *,
    measures: Measures | None = None,
    columns: Mapping[str, str] | None = None,
    layout: str = "auto",
    where: str | Callable[[Any], Any] | None = None,
    name: str | None = None,
    dataset: str | None = None,
    resampling: Resampling | str | None = None,
    paired: bool | None = None,
    repeats: Literal["error", "keep", "mean"] = "error",
    query: str | None = None,
    failed: Failed = "missing",
    covariates: str | Sequence[str] | None = None,
    features: object = None,
) -> ScoreTable:
    """Read a table of scores and check it.

    Parameters
    ----------
    source
        A frame (pandas, polars eager or lazy, pyarrow, a DuckDB relation, or what else narwhals
        reads), or a path: CSV, TSV (also ``.gz``, ``.bz2``, ``.zst``), Parquet, Feather or JSON
        lines (a file, a folder, a glob), a DuckDB file; or a folder with ``scores.csv`` and
        ``measures.toml``. The files of a folder are read together; its folders may name columns,
        as in ``dataset=d1``.
    measures
        Measures, ``{"accuracy": "higher"}``, ``"error:lower:0.01"``, or the path of a
        ``measures.toml``; by default the ``measures.toml`` beside the table.
    columns
        Column to role where names are not common ones: ``{"task": "dataset"}``. Columns that
        are given the same role are joined by ``/``.
    layout
        ``"auto"`` finds out, and says what it took for what. ``"long"``, or where there is one
        column of scores for each of several: algorithms
        ``"wide-algorithms"``, measures ``"wide-measures"``, data sets ``"rows-are-algorithms"``; or
        the pattern of the names of these columns, as in ``"fold_{replication}"`` or
        ``"split{replication}_test_{measure}"``.
    where
        Rows to read: an expression over the columns in DuckDB's grammar, as in
        ``"status == 'done' and not imputed"``, or a function of a pandas frame of the columns that
        returns one truth value per row.
    name
        Pattern of the paths of the files, without their ending, that gives columns: as in
        ``"{algorithm}_TESTFOLDS"`` or ``"{dataset}/{algorithm}"``; ``*`` is any text.
    dataset
        Name of the data set, where no column holds it.
    resampling
        Origin of the replications: a `Resampling`, the name of its kind, or a text such as
        ``"cv:10"`` (folds) or ``"holdout:0.2"`` (test fraction).
    paired
        True if algorithms share replications; by default as the resampling says, or else as the
        labels tell, whatever their column is called.
    repeats
        Several scores of one (data set, replication, algorithm, measure) are a fault
        (``"error"``), allowed (``"keep"``), or averaged (``"mean"``), as answers to one question
        that was asked several times: these are no replications.
    query
        One SELECT, for a DuckDB file or connection. A file is opened for reading, without access
        to other files.
    failed
        Rows without a score (NaN, null, empty, or a word such as ``timeout``) are failures, which
        `ScoreTable.failures` lists: ``"missing"`` to the analyses, a fault (``"error"``), or worth
        the ``"worst"`` score of any algorithm on their data set, or a number.
    covariates
        Columns of numbers to keep: features of the data set or of the run. They are not part of
        what a score is identified by. By default as the ``measures.toml`` says.
    features
        Features of the data sets, numbers or categories: a frame or the path of a table with one
        row per data set, or names of columns that have one value for each.

        Tables may describe data sets without scores, too. Text and ordered categories of a frame
        are categories.

    Returns
    -------
    ScoreTable
        Without missing labels, with finite scores and covariates only.

    Raises
    ------
    ScoreTableError
        All faults of the table at once.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"task": ["iris"] * 4, "fold": [1, 1, 2, 2],
    ...                       "model": ["svm", "knn"] * 2, "score": [0.9, 0.8, 0.95, 0.85]})
    >>> read_scores(frame, measures={"accuracy": "higher"})
    ScoreTable(DataFrame: 1 data set x 2 algorithms, 2 paired replications, 4 scores, none missing;
    accuracy (higher is better))
    """
    _check_arguments(repeats, failed, dataset)
    origin = open_source(source, query, name)
    if where is not None:
        origin = filtered(origin, where)
    declares, resamples, kept, found = declared(measures, resampling, covariates, origin.toml)
    known = origin.known if layout == "auto" else None
    if known is not None:
        found.append(_of_tool(known))
        resamples = resamples or known.resampling
    said = declares
    declares = said or (known.measures if known else ())
    features = _named(features, origin)
    names = features if isinstance(features, tuple) else ()
    roles = roles_of(origin, columns, layout, [m.name for m in declares], kept, names)
    first = [*unnamed_index(roles, origin.index), *odd_kinds(roles, origin.kinds)]
    found += [*roles.findings, *first]
    absent = _absent(roles, origin, declares, dataset, found)
    # The rows tell nothing more until these are put right.
    if not roles.scores or any(finding.severity == "error" for finding in first):
        refuse(found, origin.name)
    with engine_errors(origin.name, query, planned=origin.planned):
        reading = _rows_read(origin, roles, absent, found, (declares, repeats, failed))
        reading, lost = _settled(reading, found, by_tool=not said)
        declares = reading.measures
        found += [fault for rule in FAULTS if (fault := rule(reading)) is not None]
        found = [_distinguished(finding, origin, reading) for finding in found]
        found += covariate_faults(reading)
    pairs, by = _said(paired, resamples)
    is_paired, note = pairing(reading.summary, said=pairs, by=by)
    found += [note, *_reading_notes(reading, resamples), *scores_at_a_limit(reading, origin)]
    if any(finding.severity == "error" for finding in found):
        _refuse_faulty(found, Facts(reading.summary, is_paired, declares, resamples), origin, roles)
    table = ScoreTable(
        measures=tuple(m for m in declares if m.name in reading.summary.measures),
        resampling=resamples,
        paired=is_paired,
        domains=_domains(reading),
        source=origin.name,
        notes=tuple(found),
        covariates=roles.covariates,
        _held=reading.held,
        summary=reading.summary,
        _failures=lost,
    )
    return table if features is None else _described(table, features, origin, roles)


def _check_arguments(repeats: str, failed: Failed, dataset: str | None) -> None:
    """Refuse arguments that no table goes with."""
    if repeats not in (known := ("error", "keep", "mean")):
        raise ScoreTableError(unknown("repeats", repeats, known))
    checked(failed)
    if dataset is not None and not is_text(dataset):
        raise ScoreTableError(f"{Given('dataset', dataset)} is not text in UTF-8.")


def _refuse_faulty(found: list[Finding], facts: Facts, origin: Source, roles: Roles) -> None:
    """Refuse a table with all findings, those of the design too, as no table is there to ask."""
    design = check(facts) if roles.has("algorithm") else ()
    refuse([*found, *design], origin.name)


def _rows_read(
    origin: Source,
    roles: Roles,
    absent: dict[str, str],
    found: list[Finding],
    given: tuple[tuple[Measure, ...], Literal["error", "keep", "mean"], Failed],
) -> Reading:
    """Read the rows in one pass where the source streams, else whole, adding its findings."""
    if (places := _streamed(origin, roles, absent)) is not None:
        return _placed(places, roles, *given)
    rows, loading = origin.load(roles.labels, roles.scores, roles.covariates)
    found += loading
    return _reading(canonical(rows, roles, absent), roles, *given)


def _named(features: object, origin: Source) -> object:
    """Return names of columns as a tuple, other sources of features as they are."""
    if isinstance(features, str):
        return (features,) if features in origin.names else features
    return tuple(map(str, features)) if isinstance(features, Sequence) else features


def _described(table: ScoreTable, features: object, origin: Source, roles: Roles) -> ScoreTable:
    """Join features to the data sets of a table."""
    columns = roles.of.get("dataset", ())
    return replace(table, features=read_features(features, table.datasets, origin, columns))


def _of_tool(known: Format) -> Finding:
    """Report whose results a table was taken for."""
    parts = [f"taken for results of {known.tool}"]
    if known.note:
        parts.append(known.note)
    hint = Phrase(f"{Option('layout', 'long')} reads the columns as they are.")
    return Finding("tool recognised", "note", 1, "; ".join(parts) + ".", (), hint)


def _there(reading: Reading) -> tuple[Measure, ...]:
    """Return the measures that the table has, or all if it has none of them."""
    held = tuple(m for m in reading.measures if m.name in reading.summary.measures)
    return held or reading.measures


def _absent(
    roles: Roles,
    origin: Source,
    measures: tuple[Measure, ...],
    dataset: str | None,
    found: list[Finding],
) -> dict[str, str]:
    """Give one label to each role that has no column, and report it."""
    absent: dict[str, str] = {}
    if not roles.has("dataset"):
        absent["dataset"] = dataset or origin.stem
        what = f"no column of data sets: all scores are of one, {absent['dataset']!r}."
        found.append(
            Finding(
                "no dataset column",
                "note",
                1,
                what,
                (),
                Phrase(f"{Either('dataset="..."', '--dataset NAME')} names it."),
            )
        )
    elif dataset is not None:
        where = "names of columns hold"
        if "dataset" in roles.of:
            where = f"column {', '.join(roles.of['dataset'])} holds"
        what = Phrase(f"{Given('dataset', dataset)} was given, but the {where} data sets.")
        selects = Either(f"scores.subset(datasets={dataset!r})", "a table of some data sets")
        hint = Phrase(f"leave it out; {selects} selects.")
        found.append(Finding("dataset given twice", "error", 1, what, (), hint))
    if not roles.has("replication"):
        absent["replication"] = "1"
        what = "no column of replications: one replication per data set."
        hint = Phrase(f"{Option('columns', {'NAME': 'replication'})} says which column it is.")
        found.append(Finding("no replication column", "note", 1, what, (), hint))
    if not roles.has("algorithm"):
        absent["algorithm"] = "?"  # reported as a missing column
    if not roles.has("measure"):
        if len(measures) > 1 and roles.scores:
            names = ", ".join(m.name for m in measures)
            what = f"no column of measures, but several are declared: {names}."
            hint = Phrase(f"{Option('columns', {'NAME': 'measure'})} says which column it is;\n")
            hint += Phrase(f"{Option('layout', 'wide-measures')} reads one column per measure.")
            found.append(Finding("missing columns", "error", 1, what, (), hint))
        elif measures:
            what = f"no column of measures: all scores are of {measures[0].name!r}."
            found.append(Finding("no measure column", "note", 1, what))
        score = roles.of.get("value", ("value",))[0]
        absent["measure"] = measures[0].name if measures else score
    return absent


def _settled(reading: Reading, found: list[Finding], *, by_tool: bool) -> tuple[Reading, Any]:
    """Leave out measures without direction, find failures, and put scores in place of these.

    Returns the failures as well; what was done is reported.
    """
    if undeclared := _undeclared(reading):
        found.append(undeclared)
        reading = _declared_only(reading)
    if by_tool:  # which defines more measures than a table of it has
        reading = replace(reading, measures=_there(reading))
    lost = failures_of(reading)
    if lost is not None and reading.failed not in ("missing", "error"):
        frame, notes = filled(reading, reading.failed)
        reading = _again(reading, frame)
        found += notes
    found += [
        f for rule in (imputed_scores, scores_of_failures) if (f := rule(reading)) is not None
    ]
    faulty = any(n for rule, n in reading.counts.items() if rule not in ("rows", "absent"))
    if reading.repeats == "mean" and reading.canonical is not None and not faulty:
        repeated = duplicate_rows(reading)
        if repeated is not None:
            found.append(repeated)
            reading = _again(reading, averaged(reading))
    return reading, lost


def _again(reading: Reading, frame: nw.LazyFrame[Any]) -> Reading:
    return _reading(frame, reading.roles, reading.measures, reading.repeats, reading.failed)


def _streamed(origin: Source, roles: Roles, absent: Mapping[str, str]) -> Places | None:
    """Read rows in one pass; None where they ask for more than labels and one number each."""
    columns = {role: names[0] for role, names in roles.of.items() if len(names) == 1}
    plain = set(columns) | set(absent) == {*LABELS[1:], "value"} and not roles.covariates
    if origin.stream is None or not plain or len(columns) < len(roles.of):
        return None
    return placed(*origin.stream(roles.labels, roles.scores), columns, absent)


def _placed(
    places: Places, roles: Roles, measures: tuple[Measure, ...], repeats: str, failed: Failed
) -> Reading:
    summary = summarise(places)
    counts = {"rows": int(summary.n.sum()), "labels": 0, "absent": 0, "infinite": 0, "large": 0}
    return Reading(None, None, places, summary, roles, measures, repeats, failed, counts)


def _reading(
    frame: nw.LazyFrame[Any],
    roles: Roles,
    measures: tuple[Measure, ...],
    repeats: str,
    failed: Failed,
) -> Reading:
    if isinstance(places := held(frame), Places):
        return replace(
            _placed(places, roles, measures, repeats, failed), canonical=frame, usable=frame
        )
    counts = tally(frame)
    clean = without_faults(frame, counts, roles.covariates)
    if counts["labels"]:
        clean = encoded(clean)
    rows = held(clean) if sum(counts.values()) > counts["rows"] else clean
    return Reading(frame, clean, rows, summarise(rows), roles, measures, repeats, failed, counts)


def _declared_only(reading: Reading) -> Reading:
    """Leave the measures out that were not requested."""
    names = [m.name for m in reading.measures]
    if reading.canonical is None and isinstance(reading.held, Places):
        kept = [name for name in reading.summary.measures if name in names]
        places = reading.held.of_measures(kept)
        return _placed(places, reading.roles, reading.measures, reading.repeats, reading.failed)
    named = nw.col("measure").is_in(names) | nw.col("measure").is_null()
    return _again(reading, reading.frame.filter(named))


def _distinguished(finding: Finding, origin: Source, reading: Reading) -> Finding:
    """Name the column that distinguishes duplicates, where there is one."""
    roles = reading.roles
    if finding.rule != "duplicate rows" or (name := telling_column(origin, roles)) is None:
        return finding
    labels = dict.fromkeys((*roles.of.get("replication", ()), name), "replication")
    hint = Phrase(f"the column {name} tells them apart: {Given('columns', labels)}.")
    replication = roles.of.get("replication", ())
    repeats = max(int(row[-1]) for row in finding.where[1:])
    if replication and 1 < repeats <= reading.summary.replications.max():
        inside = " and ".join(replication)
        hint = Phrase(
            f"the column {name} repeats within {inside}: {Option('repeats', 'mean')} averages over"
            f" it.\nOnly where each {name} was drawn independently is it a label of replications,"
            f" too: {Given('columns', labels)}."
        )
    return replace(finding, hint=hint)


# Names of what is asked several times: its answers depend on each other.
_ITEMS = {"item", "question", "prompt", "doc", "doc_id", "document", "problem", "passage", "query"}


def _answers_as_replications(roles: Roles) -> Finding | None:
    """Warn where the answers to one item are replications of their own."""
    names = roles.of.get("replication", ())
    items = [
        n for n in names if n.casefold().removesuffix("_id") in _ITEMS or n.casefold() in _ITEMS
    ]
    inner = [name for name in names if name not in items]
    if not items or not inner:
        return None
    what = (
        f"replications are named by {' and '.join(names)}: the answers to one {items[0]} count as"
        " independent ones, which they are not."
    )
    by_item = Given("columns", dict.fromkeys(items, "replication"))
    hint = Phrase(
        f"{by_item} with {Option('repeats', 'mean')} averages over {' and '.join(inner)}; tests of"
        f" joined answers claim too much."
    )
    return Finding("joined replications", "warning", len(names), what, (), hint)


LEFT_OUT = "measures left out"


def _undeclared(reading: Reading) -> Finding | None:
    """Report the measures that were not requested, where others were: these are left out."""
    known = {measure.name for measure in reading.measures}
    names = [name for name in reading.summary.measures if name not in known]
    if not names or len(names) == len(reading.summary.measures):
        return None
    what = f"measures left out, for which no direction is given: {', '.join(names)}."
    hint = "to read them too, say of each whether higher or lower is better."
    return Finding(LEFT_OUT, "note", len(names), what, (), hint)


def _said(paired: bool | None, resampling: Resampling | None) -> tuple[bool | None, str]:  # noqa: FBT001
    if paired is not None:
        return paired, Phrase(Option("paired", paired))
    return (resampling.pairs, f"resampling {resampling.kind!r}") if resampling else (None, "")


def _reading_notes(reading: Reading, resampling: Resampling | None) -> list[Finding]:
    """Report what can be seen only while all rows and declarations are at hand."""
    found: list[Finding] = []
    summary = reading.summary
    if reading.roles.has("measure") or not summary.measures:
        unused = [m.name for m in reading.measures if m.name not in summary.measures]
        if unused and summary.measures:
            what = f"declared, but without scores: {', '.join(unused)}."
            hint = f"the table has scores of: {', '.join(summary.measures)}."
            found.append(Finding("measure without scores", "warning", len(unused), what, (), hint))
    if (repeated := _answers_as_replications(reading.roles)) is not None:
        found.append(repeated)
    items = resampling is not None and resampling.kind == "items"
    if reading.roles.has("replication") and summary.datasets and not items:
        names = (
            reading.held.replications
            if isinstance(reading.held, Places)
            else sorted(labels_of(reading.clean, "replication"))
        )
        if swapped := swapped_roles(summary.datasets, names):
            found.append(swapped)
    return found


def _domains(reading: Reading) -> dict[str, str] | None:
    if "domain" not in reading.columns:
        return None
    pairs = reading.clean.select("dataset", "domain").unique().collect().to_arrow().to_pylist()
    return {pair["dataset"]: pair["domain"] for pair in sorted(pairs, key=lambda p: p["dataset"])}


def load_example(name: str) -> ScoreTable:
    """Read a bundled table with its measures.

    Parameters
    ----------
    name
        Folder below ``datasets``, as in ``"simulated/balanced"``.

    Raises
    ------
    ScoreTableError
        There is no such table; the message lists those there are.
    """
    there = examples()
    if name not in there:
        raise ScoreTableError(unknown("example", name, list(there)))
    return read_scores(there[name])


def examples() -> dict[str, Path]:
    """List the bundled tables."""
    package = Path(__file__).parent.parent
    # In the wheel they are inside the package; in a checkout or an editable install beside it.
    roots = (package / "_datasets", package.parent / "datasets")
    root = next((root for root in roots if root.is_dir()), None)
    if root is None:
        return {}
    folders = sorted({path.parent for path in root.rglob("scores.*")})
    return {folder.relative_to(root).as_posix(): folder for folder in folders if folder != root}
