"""Proposals of options with which a table can be read: each is tried on the table."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from benchinfer.core.errors import BenchinferError, ScoreTableError
from benchinfer.core.numbers import count, join, number_of
from benchinfer.scores.columns import COMMON, GROUPS, ITEMS, common_name
from benchinfer.scores.coverage import Finding, refusal
from benchinfer.scores.declaration import Declaration
from benchinfer.scores.sources.curves import STEPS, TARGETS, TRACES
from benchinfer.scores.sources.files import open_source
from benchinfer.scores.sources.frames import Source
from benchinfer.scores.sources.layouts import MEASURES, PUBLISHED, error_columns, is_measure
from benchinfer.scores.sources.patterns import Pattern, pattern_of

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.core.measure import Measure
    from benchinfer.scores.rows.summary import Summary
    from benchinfer.scores.sources.targets import Goals

type Options = Mapping[str, Any]
type Read = Callable[[object, Declaration, Goals | None], TrialTable]


class TrialTable(Protocol):
    """Table that a trial gives, as far as its size and its gaps tell whether it is right."""

    @property
    def datasets(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def algorithms(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def measures(self) -> tuple[Measure, ...]: ...  # noqa: D102
    @property
    def summary(self) -> Summary: ...  # noqa: D102
    def failures(self) -> pd.DataFrame: ...  # noqa: D102


# Further names of roles, the likeliest first; compared as those of `COMMON`.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "dataset": (
        *COMMON["dataset"],
        *("env", "environment", "game", "benchmark", "corpus", "scenario", "subject", "suite"),
    ),
    "algorithm": (
        *COMMON["algorithm"],
        *("alg", "algo", "agent", "solver", "variant", "framework", "approach", "policy"),
        *("optimizer", "optimiser", "tool", "pipeline", "architecture", "arch", "strategy"),
        *("exp", "experiment", "config", "configuration", "wflow", "name"),
    ),
    "replication": (*COMMON["replication"], "rng_seed", "cv_fold", "sample", "replica", "attempt"),
    "measure": COMMON["measure"],
    "value": (*COMMON["value"], "metric_value", "measure_value"),
}
# Names that are measures only where they are the name of the column.
_RETURNS = {"return", "ret", "reward", "returns", "rewards", "fitness", "regret", "cost"}
_NO_SCORES = {"timestamp", "walltime", "date", "created", "index", "unnamed", "lr", "learningrate"}
_NO_LABELS = {
    *("state", "status", "outcome", "exit", "exit_status", "termination"),
    *("user", "notes", "tags", "host", "hostname", "commit", "mode"),
}
_PREFIX = re.compile(r"^(params?|config|tags|hparams|hyperparameters|user_attrs|task)[./_]")
_PHASES = ("test", "val", "valid", "validation", "eval", "", "train")
# What spoils a table in such a way that other options may read it.
_UNCLEAR = {"missing columns", "ambiguous columns", "measures in the header"}
_MENDABLE = {*_UNCLEAR, "ambiguous layout"}
_ABSENT = (None, "", "nan", "NaN", "NA", "None", "null")
_SHOWN, _MOST_TRIALS, _ROWS, _MOST_COLUMNS = 3, 40, 4_000_000, 2_000
_NOUNS = ("seed", "run", "fold", "split", "repeat", "trial", "item", "question", "resample")


@dataclass(frozen=True, slots=True)
class ColumnKind:
    """Properties of a column's values that indicate its role.

    Attributes
    ----------
    name
        As in the table.
    numeric, integral
        Whether all values that are there are numbers, and whole ones.
    labels
        Number of different values.
    complete
        Whether each row has a value.
    """

    name: str
    numeric: bool
    integral: bool
    labels: int
    complete: bool

    @property
    def plain(self) -> str:
        """The name in the form in which it is compared with known names."""
        return common_name(_PREFIX.sub("", self.name.strip().casefold())).strip("_")

    @property
    def words(self) -> list[str]:
        """The words of the name, in small letters."""
        return re.findall(r"[a-z]+[0-9]*", self.name.casefold())

    def is_measure(self) -> bool:
        """Return whether the column is named as a measure."""
        joined_name = "".join(self.words)
        last = "".join(self.words[-2:])
        return self.numeric and (
            joined_name in MEASURES | _RETURNS
            or bool({*self.words} & (MEASURES | _RETURNS))
            or last in MEASURES
        )

    def phase(self) -> str:
        """Return on which part of the data a measure was taken."""
        return next((p for p in _PHASES if p and p in self.words), "")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A call that reads a table.

    Attributes
    ----------
    source
        The table as Python writes it.
    options
        Arguments besides those that the caller gave.
    directions
        Measures whose directions are to be declared.
    gives
        What is then read.
    """

    source: str
    options: Mapping[str, Any]
    directions: tuple[str, ...]
    gives: str

    def __str__(self) -> str:
        """Return the call as text."""
        better = ", ".join(f"{name!r}: BETTER" for name in self.directions)
        words = [f"{name}={value!r}" for name, value in self.options.items()]
        words += [f"measures={{{better}}}"] if better else []
        function = "read_traces" if "targets" in self.options else "read_scores"
        return f"{function}({', '.join([self.source, *words])})"


def with_proposals(
    error: ScoreTableError, read: Read, source: object, declaration: Declaration
) -> ScoreTableError:
    """Return an error that ends with calls that read the table, if there are any."""
    faults = [f for f in cast("Sequence[Finding]", error.findings) if f.severity == "error"]
    near = any(fault.near for fault in faults)
    if near or not any(fault.rule in _MENDABLE or _ways(fault) for fault in faults):
        return error
    findings = list(cast("Sequence[Finding]", error.findings))
    made = proposals(read, source, declaration)
    if not made:
        return error
    # Calls that are complete take the place of hints on single options.
    findings = [replace(f, hint="") if f.rule in _UNCLEAR or _ways(f) else f for f in findings]
    text = [
        refusal(
            findings, Path(source).name if isinstance(source, str | Path) else type(source).__name__
        ),
        "It can be read by",
    ]
    for proposal in made:
        text += [f"  {proposal}", f"      {proposal.gives}"]
    names = list(dict.fromkeys(name for p in made for name in p.directions))
    if names:
        text.append(f'where BETTER is "higher" or "lower", for {join(names)}.')
    text += [finding.what for finding in findings if finding.rule == PUBLISHED]
    return ScoreTableError("\n".join(text), error.findings, made)


def _ways(fault: Finding) -> list[tuple[str, tuple[str, ...] | str]]:
    """Return the values of ``units`` and ``take`` that a fault proposes."""
    of = dict(fault.proposes)
    nested = (
        [("units", of["units"])] if "units" in of and common_name(of["units"][0]) in GROUPS else []
    )
    return [*nested, *(("take", value) for name, value in fault.proposes if name == "take")]


def proposals(read: Read, source: object, declaration: Declaration) -> list[Proposal]:
    """Return up to three sets of options with which a table can be read, the likeliest first."""
    try:
        origin = open_source(source, declaration.query, declaration.name)
        # Of the columns that have no role yet the values tell.
        names = [name for name in origin.names if name not in origin.kinds]
        if len(names) > _MOST_COLUMNS:
            return []  # a trial lays out every column
        loaded = origin.load(names, [], [])[0].collect().to_arrow()
        columns, rows = [_column(loaded.column(name), name) for name in names], loaded.num_rows
        queue = list(itertools.islice(_candidates(origin, columns, declaration), 4 * _MOST_TRIALS))
    except BenchinferError:
        return []
    most = min(_MOST_TRIALS, max(4, _ROWS // max(rows, 1)))
    made: dict[bytes, tuple[bool, Proposal]] = {}
    tried: list[Options] = []
    while queue and len(tried) < most and len(made) < _SHOWN:
        candidate = queue.pop(0)
        if candidate in tried:
            continue
        tried.append(candidate)
        table, directions, faults = _trial(read, source, declaration, candidate)
        if table is None:
            queue[:0] = [
                c for c in _mended(candidate, faults, columns, declaration) if c not in tried
            ]
        elif len(table.failures()) and (curve := _of_curves(candidate, columns, declaration)):
            queue[:0] = curve  # what is not logged at each step is no failure
        elif len(table.algorithms) > 1:
            added = {name: value for name, value in candidate.items() if name != "measures"}
            proposal = Proposal(_written(source), added, directions, _gives(table))
            # Another way to the same scores is no other proposal.
            made.setdefault(
                table.summary.mean.tobytes(), (bool((table.summary.n > 0).mean() < 0.5), proposal)
            )
    return [proposal for _, proposal in sorted(made.values(), key=lambda pair: pair[0])]


def _column(values: Any, name: str) -> ColumnKind:
    """Return the kind of an Arrow column; only its distinct values are looked at."""
    labels = [None if v is None else str(v).strip() for v in values.unique().to_pylist()]
    there = {label for label in labels if label not in _ABSENT}
    numbers = [number_of(label) for label in there]
    numeric = bool(numbers) and None not in numbers
    integral = numeric and all(number is not None and number % 1 == 0 for number in numbers)
    return ColumnKind(name, numeric, integral, len(there), there == {*labels})


def _trial(
    read: Read, source: object, declaration: Declaration, candidate: Options
) -> tuple[TrialTable | None, tuple[str, ...], list[Finding]]:
    """Read the table, with a provisional direction where none is declared."""
    fields = {name: value for name, value in candidate.items() if name != "targets"}
    given, targets = replace(declaration, **fields), candidate.get("targets")
    if declaration.columns:
        given = replace(given, columns={**candidate.get("columns", {}), **declaration.columns})
    directions = tuple(candidate.get("measures", ()))
    for _ in range(2):
        try:
            return read(source, given, targets), directions, []
        except ScoreTableError as error:
            faults = [f for f in cast("Sequence[Finding]", error.findings) if f.severity == "error"]
            if not faults or {fault.rule for fault in faults} != {"direction not given"}:
                return None, (), faults
            directions = (*directions, *dict(faults[0].proposes)["measures"])
            given = replace(given, measures=dict.fromkeys(directions, "higher"))
        except BenchinferError:
            break
    return None, (), []


def _candidates(
    origin: Source, columns: Sequence[ColumnKind], declaration: Declaration
) -> Iterator[dict[str, Any]]:
    """Yield options for a trial, the likeliest first."""
    given = declaration.columns or {}
    declared_measures = Declaration(declaration.measures).with_file(origin.toml)[0].list_measures()
    tool = origin.known
    measures = [m.name for m in declared_measures or (() if tool is None else tool.measures)]
    # What a tool has other uses for, such as the state of a run, names nothing.
    by_tool = {} if tool is None else tool.columns
    free = [c for c in columns if c.name not in {*given, *by_tool}]
    # Of a tool's own columns of text none is a label but by its name.
    free = [c for c in free if tool is None or c.numeric or _role(c)]
    for name, of_files in _names_of_files(origin, declaration):
        fixed = {*given.values(), *by_tool.values(), *of_files}
        for labels in _labels(free, fixed):
            left = [c for c in free if c.name not in labels]
            for scores in _scores(left, {*labels.values(), *fixed}, measures):
                if "layout" in scores and declaration.layout != "auto":
                    continue
                roles = _needed({**labels, **scores.pop("columns", {})}, columns)
                added = ({"name": name} if name else {}) | ({"columns": roles} if roles else {})
                yield added | scores


def _needed(roles: Mapping[str, str], columns: Sequence[ColumnKind]) -> dict[str, str]:
    """Return the roles that must be declared: those that the names of columns do not determine."""
    return {
        name: role
        for name, role in roles.items()
        if [c.name for c in columns if common_name(c.name) in COMMON[role]] != [name]
        or any(other != name for other, r in roles.items() if r == role)
    }


def _names_of_files(origin: Source, declaration: Declaration) -> Iterator[tuple[str, set[str]]]:
    """Yield patterns of the names of files, each with the roles that it gives."""
    if declaration.name is None and len(origin.files) > 1:
        pattern = pattern_of([name.rpartition(".")[0] or name for name in origin.files])
        for roles in _roles_of_parts(pattern, set()):
            yield pattern.written(roles), set(roles)
    yield "", set()


def _roles_of_parts(pattern: Pattern, fixed: set[str]) -> Iterator[list[str]]:
    """Yield roles of the variable parts of a pattern: replications for numbers, names for words."""
    choices: list[list[str]] = []
    words = [len(set(labels)) for labels in pattern.labels if not _counts(labels)]
    for i, labels in enumerate(pattern.labels):
        before = re.findall(r"[a-z]+", pattern.texts[i].casefold())[-1:]
        named = [role for role in SYNONYMS if before and before[0] in SYNONYMS[role]]
        measures = sum(map(is_measure, set(labels)))
        if named and (_counts(labels) or named[0] not in ("replication", "value")):
            choices.append(named[:1])
        elif _counts(labels):
            choices.append(["replication", "dataset", "algorithm"])
        elif 2 * measures > len(set(labels)):
            choices.append(["measure"])
        else:
            # There are more data sets than algorithms, as a rule.
            most = len(words) > 1 and len(set(labels)) == max(words) > min(words)
            choices.append(["dataset", "algorithm"] if most else ["algorithm", "dataset"])
    for roles in itertools.product(*choices):
        if len(set(roles)) == len(roles) and not fixed & set(roles):
            yield list(roles)


def _counts(labels: Sequence[str]) -> bool:
    return all(label.isdigit() for label in labels)


def _labels(columns: Sequence[ColumnKind], fixed: set[str]) -> Iterator[dict[str, str]]:
    """Yield columns of labels with their roles: algorithm, data set, replication and measure."""
    algorithms = _by_name(columns, "algorithm", fixed)
    texts = [c for c in columns if not c.numeric and c.labels > 1 and c.complete]
    others = (*_NO_LABELS, *COMMON["failure"], *GROUPS, *ITEMS)
    texts = [c for c in texts if c.plain not in others]
    algorithms += [c for c in texts if c not in algorithms and _role(c) is None]
    datasets = _by_name(columns, "dataset", fixed)
    datasets += [c for c in texts if c not in datasets and _role(c) is None]
    replications = _by_name(columns, "replication", fixed)
    measures = _by_name(columns, "measure", fixed)[:1]
    no: list[ColumnKind | None] = [None]
    first = no if "algorithm" in fixed else [*algorithms[:4], None]
    second = no if "dataset" in fixed else [*datasets[:4], None]
    for algorithm, dataset in itertools.product(first, second):
        if algorithm is not None and algorithm == dataset:
            continue
        labels = {c.name: "measure" for c in measures}
        if dataset is not None:
            labels[dataset.name] = "dataset"
        if algorithm is not None:
            labels[algorithm.name] = "algorithm"
        for several in ([r] for r in replications) if replications else ([],):
            yield labels | {r.name: "replication" for r in several if r.name not in labels}


def _by_name(columns: Sequence[ColumnKind], role: str, fixed: set[str]) -> list[ColumnKind]:
    """Return the columns that are named as a role, the likeliest first."""
    if role in fixed:
        return []
    known = SYNONYMS[role]
    named = [c for c in columns if c.plain in known and c.labels]
    return sorted(named, key=lambda c: known.index(c.plain))


def _role(column: ColumnKind) -> str | None:
    return next((role for role, names in SYNONYMS.items() if column.plain in names), None)


def _numeric(columns: Sequence[ColumnKind]) -> list[ColumnKind]:
    """Return the columns of numbers that may be scores: no times of writing, no errors."""
    errors = error_columns([c.name for c in columns])
    numeric = [c for c in columns if c.numeric and "".join(c.words) not in _NO_SCORES]
    return [c for c in numeric if not c.name.startswith("_") and c.name not in errors]


def _values(
    scores: Sequence[ColumnKind], roles: set[str]
) -> tuple[list[str], Sequence[ColumnKind]]:
    """Return the columns named as values, and those that may be scores beside them.

    Where a column names the measures, columns of other measures are no scores.
    """
    value = [c.name for c in scores if c.plain in SYNONYMS["value"]]
    if "measure" in roles and value:
        return value, [c for c in scores if c.name in value]
    return value, scores


def _scores(
    columns: Sequence[ColumnKind], roles: set[str], measures: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield options for the scores: one column, one for each measure, or a pattern of names."""
    numeric = _numeric(columns)
    scores = [c for c in numeric if c.plain not in (*STEPS, *SYNONYMS["replication"])]
    value, scores = _values(scores, roles)
    named = [c for c in scores if c.is_measure() and c.name not in value]
    single = [*value, *(c.name for c in named)]
    if "algorithm" in roles:
        if {*measures} & {c.name for c in scores}:
            yield {}
        elif "measure" in roles or len(single) == 1 or len(scores) == 1:
            for name in [*single, *(c.name for c in scores)]:
                if measures or "measure" in roles:
                    yield {"columns": {name: "value"}}
                else:
                    yield {"measures": {name: "higher"}}
        elif not measures:
            yield from _without_measures(value, named)
    wide = [c.name for c in numeric if c.plain not in STEPS]
    wide = [name for name in wide if not re.search(r"__(MIN|MAX)$", name)]
    if len(wide) > 1:
        yield from _by_pattern(wide, roles)
        if "algorithm" not in roles and not named and len(wide) == len(numeric):
            yield {"layout": "wide-algorithms"}
        elif "dataset" not in roles and not named:
            yield {"layout": "rows-are-algorithms"}


def _without_measures(
    value: Sequence[str], named: Sequence[ColumnKind]
) -> Iterator[dict[str, Any]]:
    """Yield columns of scores of measures whose names are those of the columns."""
    for name in value[:1]:
        yield {"columns": {name: "value"}}
    for phase in _PHASES:
        group = [c.name for c in named if c.phase() == phase and c.name not in value]
        if group:
            layout = {"layout": "wide-measures"} if len(group) > 1 else {}
            yield {**layout, "measures": dict.fromkeys(group, "higher")}


def _by_pattern(names: Sequence[str], roles: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the patterns of the names of columns of scores, if they have one."""
    pattern = pattern_of(names)
    if not any(pattern.texts) and len(pattern.labels) == 1:
        return
    for parts in _roles_of_parts(pattern, roles):
        yield {"layout": pattern.written(parts)}


def _mended(
    candidate: Mapping[str, Any],
    faults: Sequence[Finding],
    columns: Sequence[ColumnKind],
    declaration: Declaration,
) -> Iterator[dict[str, Any]]:
    """Yield a candidate with the options that its faults propose."""
    if not any(fault.rule == "duplicate rows" for fault in faults):
        return
    given, added = declaration.columns or {}, candidate.get("columns", {})
    left = [c for c in columns if c.name not in {*given, *added, *candidate.get("measures", ())}]
    for name, value in (way for fault in faults for way in _ways(fault)):
        if name == "units" and not declaration.units:
            yield {**candidate, "units": value}
            return
    yield from (curves := _of_curves(candidate, left, declaration))
    a_trace = any(str(curve["take"]).rpartition(":")[2] in TRACES for curve in curves)
    if a_trace and [*added.values()].count("algorithm") < 2:  # functions are no settings
        yield {**candidate, "targets": TARGETS}
    left = [c for c in left if c.complete and c.labels > 1]
    for column in left:
        if _role(column) == "replication":
            yield {**candidate, "columns": {**added, column.name: "replication"}}
    for column in left:
        a_setting = _role(column) in (None, "algorithm") and column.plain not in GROUPS
        if a_setting and not column.numeric:
            yield {**candidate, "columns": {**added, column.name: "algorithm"}}


def _of_curves(
    candidate: Mapping[str, Any], columns: Sequence[ColumnKind], declaration: Declaration
) -> list[dict[str, Any]]:
    """Return a candidate with the last score of each curve, where a column is named as steps."""
    if "take" in candidate or declaration.take is not None:
        return []
    steps = [c for c in columns if c.plain in STEPS and c.numeric and c.complete and c.labels > 1]
    if any(c.plain in ITEMS for c in columns):
        return []  # an epoch is one more answer to each
    finest = sorted(steps, key=lambda c: STEPS.index(c.plain))[:1]
    return [{**candidate, "take": f"last:{column.name}"} for column in finest]


def _gives(table: TrialTable) -> str:
    """Return the size of a table as text: ``3 algorithms x 12 data sets x 5 replications``."""
    parts = [count(len(table.algorithms), "algorithm"), count(len(table.datasets), "data set")]
    replications = table.summary.replications
    least, most = int(replications[replications > 0].min()), int(replications.max())
    if most > 1:
        noun = count(most, "replication")
        parts.append(noun if least == most else f"{least} to {noun}")
    names = [m.name for m in table.measures]
    measures = f", measures {', '.join(names)}" if len(names) > 1 else f", {names[0]}"
    return f"{' x '.join(parts)}{measures}"


def _written(source: object) -> str:
    if isinstance(source, list | tuple):
        return repr([str(path) for path in cast("Sequence[object]", source)])
    return repr(str(source)) if isinstance(source, str | Path) else "scores"
