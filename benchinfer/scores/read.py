"""The function `read_scores`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import narwhals as nw

from benchinfer.core.arguments import checked
from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.scores.checks.facts import Facts
from benchinfer.scores.checks.failures import (
    failures_of,
    filled,
    imputed_scores,
    scores_of_failures,
)
from benchinfer.scores.checks.faults import (
    FAULTS,
    Reading,
    averaged,
    covariate_faults,
    duplicate_rows,
    kinds_as_replications,
    passed,
    status_without_limit,
    tally,
    tests,
    usable,
    without_answers,
)
from benchinfer.scores.checks.findings import (
    COUNTED_RUNS,
    check,
    only_count,
    pairing,
    reading_notes,
    refuse_battles,
    resampling_of,
    tool_findings,
)
from benchinfer.scores.checks.limits import RunStates, limited
from benchinfer.scores.checks.replications import distinguished
from benchinfer.scores.columns.engines import Frame, canonical, encoded, engine_errors
from benchinfer.scores.columns.roles import (
    INNER,
    LABELS,
    Roles,
    common_name,
    level_columns,
    odd_kinds,
    slots,
    status_role,
    unnamed_index,
)
from benchinfer.scores.coverage import Finding, refuse
from benchinfer.scores.declaration import (
    FAILED_WORDS,
    PASS,
    Crashed,
    Declaration,
    Failed,
    Measures,
    Repeats,
    Where,
    stand_in,
)
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.roles.directions import direction
from benchinfer.scores.rows.changes import rows_of
from benchinfer.scores.rows.engine import EngineRows
from benchinfer.scores.rows.factors import (
    FACTOR,
    as_algorithm,
    factor_columns,
    factor_findings,
    levels_of,
)
from benchinfer.scores.rows.features import read_features
from benchinfer.scores.rows.names import check_names, renamed
from benchinfer.scores.rows.nesting import (
    NestedUnits,
    Weights,
    findings_of,
    reduce_units,
)
from benchinfer.scores.rows.places import PlacedRows, placed, placed_frame
from benchinfer.scores.sources.curves import Take, points, without_column
from benchinfer.scores.sources.files import as_files, open_source
from benchinfer.scores.sources.frames import Source
from benchinfer.scores.sources.layouts import (
    roles_of,
)
from benchinfer.scores.sources.query import filtered
from benchinfer.scores.sources.targets import Goals, target_times
from benchinfer.scores.table import ScoreTable

LEFT_OUT = "measures left out"


@checked
def read_scores(
    source: object,
    *,
    measures: Measures | Declaration | None = None,
    columns: Mapping[str, str] | None = None,
    layout: str = "auto",
    where: Where | None = None,
    name: str | None = None,
    dataset: str | None = None,
    resampling: Resampling | str | None = None,
    paired: bool | None = None,
    repeats: Repeats = "error",
    failed: Failed = "missing",
    covariates: str | Sequence[str] | None = None,
    features: object = None,
    names: Mapping[str, str] | None = None,
    units: str | Sequence[str] | None = None,
    take: str | None = None,
) -> ScoreTable:
    """Read a table of scores and check it.

    Parameters
    ----------
    source
        A frame (pandas, polars eager or lazy, pyarrow, a DuckDB relation, or what else narwhals
        reads), or a path or a list of paths: CSV, TSV (also ``.gz``, ``.bz2``, ``.zst``), Parquet,
        Feather or JSON lines (a file, a folder, a glob), a DuckDB file; or a folder with
        ``scores.csv`` and ``measures.toml``. The files of a folder are read together; its folders
        may name columns, as in ``dataset=d1``. Listed paths that all hold the same algorithms, or
        none, are of one algorithm each, with the name of the file, as in
        ``["old.json", "new.json"]``.
    measures
        Measures, ``{"accuracy": "higher"}``, ``"error:lower:0.01"``, or the path of a
        ``measures.toml``; by default the ``measures.toml`` beside the table. ``"accuracy"`` alone
        has the direction of its name, if that has one meaning. A `Declaration` has them with all
        else that is said of the table, also what no argument says: a query, weights of nested
        units, and crashed runs.
    columns
        Column to role where names are not common ones: ``{"task": "dataset"}``. Columns that
        are given the same role are joined by ``/``. Two to six columns of the role ``"factor"``
        are parts of the algorithm, which `compare_factors` compares; the algorithm is their cell,
        as in ``vit/mixup``. A column of algorithms beside them is a factor, too.
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

        Of answers that are right (1) or wrong (0), ``"pass^3"`` is the probability that three are
        all right and ``"pass@3"`` that one of three is, each without bias from the three or more
        there are. With units whose last level is one of answers, it is that of their items.
    failed
        Rows without a score (NaN, null, empty, or a word such as ``timeout``) are failures, which
        `ScoreTable.failures` lists: ``"missing"`` to the analyses, a fault (``"error"``), or worth
        the ``"worst"`` score, a number, or the score of an algorithm on the same data set, of the
        same replication where it has one, ``"constantpredictor"``.

        The worst score is that of any algorithm on the data set of the failure, where two others
        or more have scores there; else that of the measure in the table. A run that has a limit
        counts as one that was stopped.
    covariates
        Columns of numbers to keep: features of the data set or of the run. They are not part of
        what a score is identified by. By default as the ``measures.toml`` says.
    features
        Features of the data sets, numbers or categories: a frame or the path of a table with one
        row per data set, or names of columns that have one value for each.

        Tables may describe data sets without scores, too. Text and ordered categories of a frame
        are categories.
    names
        New names of algorithms and data sets, ``{"ours_v3_final": "Ours"}``, which everything
        after reading has in place of those of the table. That of a measure becomes its label.

        `where`, `columns` and `features` have the names of the table.
    units
        Columns of nested units, the outermost first, where a score stands for less than what was
        drawn independently: ``("passage", "item", "answer")``. By default as the ``measures.toml``
        says.

        Units of the first level are the replications: inference counts these. An item has the mean
        of its answers, and a data set the mean of its items, unless `Declaration.unit_weights` says
        otherwise. The last level is one of answers if its name suggests repeats, such as answer,
        epoch, attempt, sample, trial, repeat, seed or run, else one of items; it may be the column
        of replications. A label means one unit within the unit of the level above it.
    take
        The score of each curve, where a run has one per epoch or step: that of the last step,
        ``"last:epoch"``; at the best step by another column, ``"best:val_acc"``
        (``"best:val_x:lower"`` where the name does not tell); at one step, ``"at:step=10000"``; or
        the mean of the last ones, ``"mean-last:5"``. By default as the ``measures.toml`` says.

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
    >>> print(read_scores(frame, measures={"accuracy": "higher"}))
    ScoreTable(DataFrame: 1 data set x 2 algorithms, 2 paired replications, 4 scores, none missing;
    accuracy (higher is better))
    """
    declaration = Declaration(
        None if isinstance(measures, Declaration) else _directed(measures),
        columns,
        layout,
        where,
        name,
        dataset,
        resampling,
        paired,
        repeats,
        failed,
        covariates,
        features,
        names,
        units,
        take,
    )
    return read(source, declaration.over(Declaration.of(measures)))


def _directed(measures: Measures | None) -> Measures | None:
    """Return measures, with the directions that the names of those given by name alone have."""
    if isinstance(measures, str):
        named = ":" in measures or measures.endswith(".toml")
        return measures if named else f"{measures}:{direction(measures)}"
    if isinstance(measures, Sequence):
        return [cast("str", _directed(m)) if isinstance(m, str) else m for m in measures]
    return measures


def read(source: object, declaration: Declaration) -> ScoreTable:
    """Read a table by what is said of it, or by its structure where that leaves no doubt.

    Any other error on its columns ends with calls that read the table.
    """
    source = as_files(source)
    try:
        return _read(source, declaration)
    except ScoreTableError as error:
        if not error.findings:
            raise
        from benchinfer.scores.checks.proposals import resolved

        table, note = resolved(error, _tried, source, declaration)
        return replace(table, notes=(note, *table.notes))


@checked
def read_traces(
    source: object,
    targets: Goals,
    *,
    measures: Measures | Declaration | None = None,
    columns: Mapping[str, str] | None = None,
    layout: str = "auto",
    where: Where | None = None,
    name: str | None = None,
    dataset: str | None = None,
    resampling: Resampling | str | None = None,
    paired: bool | None = None,
    repeats: Repeats = "error",
    features: object = None,
    names: Mapping[str, str] | None = None,
) -> ScoreTable:
    """Read traces of optimisers, and the times until their runs reach targets as scores.

    The rows of a trace are values after so many evaluations, or another cost: a score is the
    evaluations until a run reaches a target.

    Parameters
    ----------
    source, columns, layout, where, name, dataset, resampling, paired, repeats, features, names
        As in `read_scores`.
    targets
        ``[0.1, 0.01]`` makes each target a measure with a limit. Targets of a grid are averaged
        over for each run: ``51`` for each data set between the worst first and the best last value,
        ``"1e2:1e-8:51"`` the same ones for all, both equally spaced in logarithms; then there is
        also the share of targets that were reached. The limit is the time up to which all runs were
        observed, or that of the cost, ``"evaluations:lower:limit=10000"``.
    measures
        The values first, ``"loss:lower"``, then the cost if its column is not named as one,
        ``"calls:lower"``; or a `Declaration`.

    Returns
    -------
    ScoreTable
        With the times of all runs and targets in `ScoreTable.targets`.

    Raises
    ------
    ScoreTableError
        All faults of the table at once.

    Examples
    --------
    >>> import pandas as pd
    >>> trace = pd.DataFrame({"problem": "sphere", "solver": ["x"] * 3 + ["y"] * 3,
    ...                       "evaluations": [1, 10, 50] * 2, "loss": [1, 0.2, 0.01, 1, 0.5, 0.2]})
    >>> scores = read_traces(trace, [0.5, 0.1], measures="loss:lower",
    ...                      columns={"solver": "algorithm"})
    >>> scores.runs("evaluations to 0.5").running_times()["running_time"].tolist()
    [10.0, 10.0]
    """
    declaration = Declaration(
        None if isinstance(measures, Declaration) else _directed(measures),
        columns,
        layout,
        where,
        name,
        dataset,
        resampling,
        paired,
        repeats,
        features=features,
        names=names,
    )
    return read_to_targets(as_files(source), targets, declaration.over(Declaration.of(measures)))


def read_to_targets(source: object, targets: Goals, declaration: Declaration) -> ScoreTable:
    """Read traces by what is said of them."""
    origin = open_source(source, declaration.query, declaration.name)
    origin = origin if declaration.where is None else filtered(origin, declaration.where)
    of_file, findings = declaration.with_file(origin.toml)
    measures, scheme = of_file.list_measures(), of_file.scheme()
    covariates, levels = of_file.covariate_names(), of_file.levels()
    tool = origin.known if declaration.layout == "auto" else None
    refused = {"take": of_file.take, "units": levels, "covariates": covariates}
    if names := [name for name, value in refused.items() if value]:
        raise ScoreTableError(
            f"targets go without {' and '.join(names)}: scores are the times at which runs reach"
            " them.",
            hint="leave out one of both.",
        )
    if tool is not None:
        findings += tool_findings(tool)
        measures, scheme = measures or tool.measures, scheme or tool.resampling
    stem = declaration.dataset or origin.stem
    frame, new, times, notes = target_times(
        origin, targets, measures, declaration.columns, declaration.layout, stem
    )
    of_times = Declaration(
        new,
        layout="long",
        dataset=None if "dataset" in frame else stem,
        resampling=scheme,
        paired=declaration.paired,
        repeats=declaration.repeats,
        failed=declaration.failed,
        features=declaration.features,
        names=declaration.names,
        crashed=declaration.crashed,
        unit_weights=declaration.unit_weights,
        selected=declaration.selected,
    )
    table = _read(frame, of_times)
    return replace(
        table,
        source=origin.name,
        notes=(*findings, *notes, *table.notes),
        targets=times.renamed({} if declaration.names is None else check_names(declaration.names)),
    )


def _tried(source: object, declaration: Declaration, targets: Goals | None) -> ScoreTable:
    """Read scores, or times to targets of traces, as a proposal has it."""
    return (
        _read(source, declaration)
        if targets is None
        else read_to_targets(source, targets, declaration)
    )


def _read(source: object, declaration: Declaration) -> ScoreTable:
    """Read a table of scores and check it.

    1. Open the source; a file beside it and the tool that wrote it complete the declaration.
    2. Find the roles of columns, and one point of each curve.
    3. Read the rows, settle failures and repeats, and reduce nested units.
    """
    declaration.check()
    names, repeats, layout = declaration.names, declaration.repeats, declaration.layout
    new_names = {} if names is None else check_names(names)
    failed = declaration.failed
    failed = new_names.get(failed, failed) if isinstance(failed, str) else failed
    origin = open_source(source, declaration.query, declaration.name)
    refuse_battles(origin)
    origin = origin if declaration.where is None else filtered(origin, declaration.where)
    of_file, findings = declaration.with_file(origin.toml)
    declared_measures, scheme = of_file.list_measures(), of_file.scheme()
    covariate_names, levels = of_file.covariate_names(), of_file.levels()
    tool = origin.known if layout == "auto" else None
    if tool is not None:
        tool = tool if declared_measures else limited(tool, origin)
        findings += tool_findings(tool)
        scheme, levels = scheme or tool.resampling, levels or tool.units
        if scheme is not None and scheme.kind == "runs" and repeats == "error":
            repeats = "mean"  # what a run repeats shares its machine
    by_tool = not declared_measures
    declared_measures = tuple(
        replace(m, label=new_names.get(m.name, m.label))
        for m in (declared_measures or (tool.measures if tool else ()))
    )
    features = declaration.features
    if isinstance(features, str) and features in origin.names:
        features = (features,)
    elif isinstance(features, Sequence) and not isinstance(features, str):
        features = tuple(map(str, features))
    point = None if of_file.take is None else Take.of(of_file.take, origin.names)
    origin = origin if point is None else without_column(origin, point.steps)
    columns, factors = _with_cells(declaration.columns, origin.names)
    roles = roles_of(
        origin,
        status_role(
            level_columns(levels, columns, origin.names),
            origin.names,
            declared_measures,
        ),
        layout,
        [m.name for m in declared_measures],
        covariate_names,
        features if isinstance(features, tuple) else (),
        declared_measures[0].bounds if len(declared_measures) == 1 else None,
    )
    if point is not None:
        origin = points(origin, point, roles, declared_measures, selected=declaration.selected)
    unreadable = [*unnamed_index(roles, origin.index), *odd_kinds(roles, origin.kinds)]
    findings += [*roles.findings, *unreadable]
    constant = _constant_labels(roles, origin, declared_measures, declaration.dataset, findings)
    # The rows tell nothing more until these are put right.
    if not roles.scores or any(finding.severity == "error" for finding in unreadable):
        refuse(findings, origin.name)
    crashed = declaration.crashed
    with engine_errors(origin.name, declaration.query, planned=origin.planned):
        options = declared_measures, repeats, failed
        reading = _rows_read(origin, roles, constant, findings, options, new_names)
        reading, failures = _settled(reading, origin, findings, crashed, by_tool=by_tool)
        findings += kinds_as_replications(reading, _declared(origin, declaration))
        findings = _with_faults(findings, origin, reading)
        reading, nested = _of_units(reading, declaration.unit_weights, findings)
    table = _table(origin, reading, findings, scheme, failures, nested, paired=declaration.paired)
    if features is not None:
        keys = roles.of.get("dataset", ())
        known = read_features(features, table.datasets, origin, keys, new_names)
        table = replace(table, features=known)
    return table if not factors else _of_factors(table, factors)


def _declared(origin: Source, declaration: Declaration) -> set[str]:
    """Return the columns that the user, or the tool that wrote the table, gives a role."""
    return {*({} if origin.known is None else origin.known.columns), *(declaration.columns or {})}


def _with_cells(
    columns: Mapping[str, str] | None, names: Sequence[str]
) -> tuple[Mapping[str, str] | None, tuple[str, ...]]:
    """Return the roles of columns, with factors joined to the algorithm, and the factors."""
    if FACTOR not in (columns or {}).values():
        return columns, ()
    factors = factor_columns(columns, names)
    return as_algorithm(columns, factors), factors


def _of_factors(table: ScoreTable, factors: tuple[str, ...]) -> ScoreTable:
    """Return the table with the levels of its factors."""
    findings = factor_findings(table.algorithms, factors)
    refuse(findings, table.source)
    levels = levels_of(table.algorithms, factors)
    return replace(table, notes=(*table.notes, *findings), factors=levels)


def _table(
    origin: Source,
    reading: Reading,
    findings: list[Finding],
    scheme: Resampling | None,
    failures: Any,
    nested: NestedUnits | None,
    *,
    paired: bool | None,
) -> ScoreTable:
    """Return the table of a reading; raise a ScoreTableError where scores cannot be compared."""
    scheme, notes = resampling_of(reading, scheme)
    is_paired, note = pairing(reading, scheme, paired=paired)
    names = [common_name(name) for name in reading.roles.of.get("replication", ())]
    undeclared = is_paired and scheme is None and paired is None
    if undeclared and names in (["run"], ["seed"]) and only_count(reading.rows.replications()):
        notes.append(Finding(COUNTED_RUNS, "note", 1, "replications are paired by their number."))
    findings += [*notes, note, *reading_notes(reading, scheme, origin)]
    if any(finding.severity == "error" for finding in findings):
        # Those of the design too, as no table is there to ask.
        facts = Facts(reading.summary, is_paired, reading.measures, scheme)
        refuse([*findings, *(check(facts) if reading.roles.has("algorithm") else ())], origin.name)
    return ScoreTable(
        measures=tuple(m for m in reading.measures if m.name in reading.summary.measures),
        resampling=scheme,
        paired=is_paired,
        domains=dict(reading.domains) if "domain" in reading.columns else None,
        source=origin.name,
        notes=tuple(findings),
        covariates=reading.roles.covariates,
        rows=reading.rows,
        summary=reading.summary,
        _failures=failures,
        failed=reading.failed,
        units=nested,
    )


def _constant_labels(
    roles: Roles,
    origin: Source,
    measures: tuple[Measure, ...],
    dataset: str | None,
    findings: list[Finding],
) -> dict[str, str]:
    """Return one label for each role that has no column, and report it."""
    labels: dict[str, str] = {}
    if not roles.has("dataset"):
        labels["dataset"] = dataset or origin.stem
        what = f"no column of data sets: all scores are of one, {labels['dataset']!r}."
        hint = 'dataset="NAME" names it.'
        findings.append(Finding("no dataset column", "note", 1, what, (), hint))
    elif dataset is not None:
        where = "names of columns hold"
        if "dataset" in roles.of:
            where = f"column {', '.join(roles.of['dataset'])} holds"
        what = f"{dataset=} was given, but the {where} data sets."
        selects = f"scores.subset(datasets={dataset!r})"
        hint = f"leave it out; {selects} selects."
        findings.append(Finding("dataset given twice", "error", 1, what, (), hint))
    if not roles.has("replication"):
        labels["replication"] = "1"
        what = "no column of replications: one replication per data set."
        hint = 'columns={"NAME": "replication"} says which column it is.'
        findings.append(Finding("no replication column", "note", 1, what, (), hint))
    if not roles.has("algorithm"):
        labels["algorithm"] = "?"  # reported as a missing column
    if not roles.has("measure"):
        if len(measures) > 1 and roles.scores:
            names = ", ".join(m.name for m in measures)
            what = f"no column of measures, but several are declared: {names}."
            hint = 'columns={"NAME": "measure"} says which column it is;\n'
            hint += 'layout="wide-measures" reads one column per measure.'
            findings.append(Finding("missing columns", "error", 1, what, (), hint))
        elif measures:
            what = f"no column of measures: all scores are of {measures[0].name!r}."
            findings.append(Finding("no measure column", "note", 1, what))
        score = roles.of.get("value", ("value",))[0]
        labels["measure"] = measures[0].name if measures else score
    return labels


type _Options = tuple[tuple[Measure, ...], str, Failed]  # measures, repeats, failed


def _rows_read(
    origin: Source,
    roles: Roles,
    constant: dict[str, str],
    findings: list[Finding],
    options: _Options,
    names: Mapping[str, str],
) -> Reading:
    """Read the rows in one pass where the source streams, else whole, adding its findings."""
    if (rows := _streamed(origin, roles, constant)) is not None:
        if names:
            rows = replace(rows, places=renamed(rows.places, names, options[0], findings))
        return _of_dense(rows, roles, options)
    frame, of_loading = origin.load(roles.labels, roles.scores, roles.covariates)
    findings += of_loading
    frame = canonical(frame, roles, constant)
    frame = renamed(frame, names, options[0], findings) if names else frame
    return _of_frame(frame, roles, options)


def _streamed(origin: Source, roles: Roles, constant: Mapping[str, str]) -> PlacedRows | None:
    """Read rows in one pass; None where rows have more than labels and one number each."""
    columns = {role: names[0] for role, names in roles.of.items() if len(names) == 1}
    inner = [role for role in INNER if role in columns]
    plain = {*columns, *constant} == {*LABELS[1:], *inner, "value"} and not roles.covariates
    if origin.stream is None or not plain or len(columns) < len(roles.of):
        return None
    return placed(*origin.stream(roles.labels, roles.scores), columns, constant)


def _of_dense(rows: PlacedRows, roles: Roles, options: _Options) -> Reading:
    summary = rows.summary()
    counts = {"rows": int(summary.n.sum()), "labels": 0, "absent": 0, "infinite": 0, "large": 0}
    return Reading(None, None, rows, summary, roles, *options, counts)


def _of_frame(frame: Frame, roles: Roles, options: _Options) -> Reading:
    if (dense := placed_frame(frame)) is not None:
        return replace(_of_dense(dense, roles, options), canonical=frame, usable=frame)
    counts = tally(frame, tests(frame))
    faulty = sum(counts.values()) > counts["rows"]
    columns = frame.collect_schema().names()
    names = (*LABELS, *INNER, "value", *slots(roles.covariates))
    clean = frame.filter(usable(frame)) if faulty else frame
    clean = clean.select(*(name for name in names if name in columns))
    if counts["labels"]:
        clean = encoded(clean)
    rows = rows_of(clean) if faulty else EngineRows(clean)
    return Reading(frame, clean, rows, rows.summary(), roles, *options, counts)


def _with_faults(findings: list[Finding], origin: Source, reading: Reading) -> list[Finding]:
    """Add the faults of the rows."""
    faults = [fault for rule in FAULTS if (fault := rule(reading)) is not None]
    findings = [
        distinguished(f, origin, reading) if f.rule == "duplicate rows" else f
        for f in (*findings, *faults)
    ]
    findings += covariate_faults(reading)
    if not reading.roles.units:
        return findings
    # Levels of units are named as the table names them.
    names = dict(zip(("replication", *INNER), reading.roles.units, strict=False))
    named: list[Finding] = []
    for finding in findings:
        head, *rows = finding.where or ((),)
        where = (tuple(names.get(name, name) for name in head), *rows)
        named.append(replace(finding, where=where if finding.where else ()))
    return named


def _of_units(
    reading: Reading, weights: Weights, findings: list[Finding]
) -> tuple[Reading, NestedUnits | None]:
    """Reduce the rows of a table without faults to outermost units, if any, adding findings."""
    if not reading.roles.units or any(finding.severity == "error" for finding in findings):
        return reading, None
    source = reading.rows.places if isinstance(reading.rows, PlacedRows) else reading.clean
    frame, nested = reduce_units(source, reading.roles, weights)
    findings += findings_of(nested, frame)
    domains = dict(reading.domains) if "domain" in reading.columns else None
    rows = EngineRows(EngineRows(frame, of_units=True).frame(domains), of_units=True)
    return replace(reading, rows=rows, summary=rows.summary()), nested


def _again(reading: Reading, frame: Frame) -> Reading:
    """Return the reading with other rows."""
    return _of_frame(frame, reading.roles, (reading.measures, reading.repeats, reading.failed))


def _settled(
    reading: Reading,
    origin: Source,
    findings: list[Finding],
    crashed: Crashed,
    *,
    by_tool: bool,
) -> tuple[Reading, Any]:
    """Return the reading of declared measures, with failures scored as requested, and the failures.

    Measures without a direction are left out, and repeated scores are averaged if requested; each
    change is added to the findings.
    """
    declared_names = {measure.name for measure in reading.measures}
    names = [name for name in reading.summary.measures if name not in declared_names]
    if names and len(names) < len(reading.summary.measures):
        what = f"measures left out, for which no direction is given: {', '.join(names)}."
        hint = "to read them too, say of each whether higher or lower is better."
        findings.append(Finding(LEFT_OUT, "note", len(names), what, (), hint))
        reading = _declared_only(reading)
    if by_tool:  # which defines more measures than a table of it has
        present = tuple(m for m in reading.measures if m.name in reading.summary.measures)
        reading = replace(reading, measures=present or reading.measures)
    findings += status_without_limit(reading, origin)
    if any(m.limit is not None for m in reading.measures):
        reading, failures = _limited(reading, findings, crashed)
    else:
        failures = failures_of(reading) if reading.counts["absent"] else None
    if reading.roles.has("algorithm"):
        failed = stand_in(reading.failed, reading.summary.algorithms, words=FAILED_WORDS)
        reading = replace(reading, failed=failed)
    for role, rule in (("imputed", imputed_scores), ("failure", scores_of_failures)):
        if role in reading.roles.of and (finding := rule(reading)) is not None:
            findings.append(finding)
    if reading.counts["absent"] and reading.failed not in ("missing", "error"):
        frame, notes = filled(reading)
        reading = _again(reading, frame)
        findings += notes
    faulty = any(n for rule, n in reading.counts.items() if rule not in ("rows", "absent"))
    return (reading if faulty else _reduced(reading, findings)), failures


def _reduced(reading: Reading, findings: list[Finding]) -> Reading:
    """Return the reading with one score for repeated ones if requested, adding a finding."""
    if reading.repeats == "mean" and reading.canonical is not None:
        repeated = duplicate_rows(reading)
        if repeated is not None:
            findings.append(repeated)
            reading = _again(reading, averaged(reading))
    if not PASS.fullmatch(reading.repeats):
        return reading
    frame, finding = passed(reading)
    findings.append(finding)
    if frame is None:
        return reading
    labels = [f"{m.display_name} ({reading.repeats})" for m in reading.measures]
    measures = tuple(replace(m, label=n) for m, n in zip(reading.measures, labels, strict=True))
    options = measures, reading.repeats, reading.failed
    return _of_frame(frame, without_answers(reading.roles), options)


def _limited(reading: Reading, findings: list[Finding], crashed: Crashed) -> tuple[Reading, Any]:
    """Return the reading with stopped runs scored, and the runs that have no time."""
    runs = RunStates(reading)
    if reading.repeats not in ("error", "keep") or set(INNER) & set(reading.roles.of):
        raise ScoreTableError(
            "runs with a limit are not averaged before they are compared: means of stopped and"
            " solved runs are neither.",
            hint='repeats="keep" takes them as runs on the same problem.',
        )
    faults, failures = runs.faults(), runs.failures(crashed)
    reading = _again(reading, runs.scored(crashed))
    notes = [] if faults else runs.notes(failures, reading.summary)
    findings[:0] = [*faults, *notes]
    return reading, failures if len(failures) else None


def _declared_only(reading: Reading) -> Reading:
    """Return the reading of the declared measures only."""
    names = [m.name for m in reading.measures]
    if reading.canonical is None and isinstance(reading.rows, PlacedRows):
        with_scores = [name for name in reading.summary.measures if name in names]
        rows = replace(reading.rows, places=reading.rows.places.of_measures(with_scores))
        options = reading.measures, reading.repeats, reading.failed
        return _of_dense(rows, reading.roles, options)
    named = nw.col("measure").is_in(names) | nw.col("measure").is_null()
    return _again(reading, reading.frame.filter(named))
