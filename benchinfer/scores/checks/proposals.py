"""Proposals of options with which a table can be read: readings of it, each tried on all rows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from benchinfer.core.errors import BenchinferError, MissingExtra, ScoreTableError
from benchinfer.core.numbers import count, join, number_of
from benchinfer.scores.checks.faults import NO_LIMIT
from benchinfer.scores.columns.roles import COMMON, GROUPS, ITEMS, common_name, placeholders
from benchinfer.scores.coverage import Finding, refusal
from benchinfer.scores.declaration import Declaration
from benchinfer.scores.roles.crossing import MOST_LEVELS
from benchinfer.scores.roles.directions import direction, measure_in, plain
from benchinfer.scores.roles.labels import PARTS, condition_of, evaluated_part, parts_of_data
from benchinfer.scores.roles.names import OWN, VALUES, suggested_roles
from benchinfer.scores.roles.profile import ROWS
from benchinfer.scores.roles.reading import TableReading
from benchinfer.scores.roles.readings import STRUCTURE, labels_apart, only_algorithm, readings
from benchinfer.scores.rows.factors import FACTOR, JOIN, MOST
from benchinfer.scores.sources.curves import STEPS, TARGETS, TRACES
from benchinfer.scores.sources.files import open_source
from benchinfer.scores.sources.frames import Source
from benchinfer.scores.sources.layouts import PUBLISHED, is_measure
from benchinfer.scores.sources.patterns import Pattern, pattern_of, pattern_of_files
from benchinfer.scores.sources.query import filtered

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.core.measure import Measure
    from benchinfer.scores.rows.summary import Summary
    from benchinfer.scores.sources.targets import Goals

type Options = Mapping[str, Any]
type Read[T] = Callable[[object, Declaration, Goals | None], T]


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
    @property
    def factors(self) -> Mapping[str, tuple[str, ...]]: ...  # noqa: D102
    def failures(self) -> pd.DataFrame: ...  # noqa: D102


# What spoils a table in such a way that other options may read it.
_UNCLEAR = {"missing columns", "ambiguous columns", "measures in the header"}
_MENDABLE = {*_UNCLEAR, "ambiguous layout", "direction not given"}
# Role of a reading to that of a column of scores.
_LABELS = {
    "algorithm": "algorithm",
    "dataset": "dataset",
    "replication": "replication",
    "factor": "algorithm",
    "measure": "measure",
}
_DECLARED = {"value": "score", **dict.fromkeys(("failure", "imputed", "status"), "status")}
_SHOWN, _MOST_TRIALS, _MOST_COLUMNS = 3, 24, 2_000
_LIKELY = 8.0  # weight by which a reading that is proposed may be behind the first
_APART, _MANY = "columns of labels", 3  # from how many on they are listed
_PROVISIONAL = "higher"  # direction of a trial, where none is known
_NOUNS = ("seed", "run", "fold", "split", "repeat", "trial", "item", "question", "resample")


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
        Measure to its direction by its name; empty where that is to be declared.
    gives
        What is then read.
    """

    source: str
    options: Mapping[str, Any]
    directions: Mapping[str, str]
    gives: str

    def __str__(self) -> str:
        """Return the call as text."""
        better = ", ".join(
            f"{name!r}: {repr(way) if way else 'BETTER'}" for name, way in self.directions.items()
        )
        words = [f"{name}={value!r}" for name, value in self.options.items()]
        words += [f"measures={{{better}}}"] if better else []
        function = "read_traces" if "targets" in self.options else "read_scores"
        return f"{function}({', '.join([self.source, *words])})"

    @property
    def undirected(self) -> tuple[str, ...]:
        """The measures whose directions are to be declared."""
        return tuple(name for name, way in self.directions.items() if not way)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Options for a trial, and the reading that they stand for; None where it stands for none."""

    options: Options
    reading: TableReading | None = None

    def having(self, **more: Any) -> Candidate:
        """Return the candidate with further options."""
        return replace(self, options={**self.options, **more})


def resolved[T: TrialTable](
    error: ScoreTableError, read: Read[T], source: object, declaration: Declaration
) -> tuple[T, Finding]:
    """Return the table where its columns leave no doubt, with a note on what was taken for what.

    Raises
    ------
    ScoreTableError
        The error, which ends with calls that read the table if there are any.
    """
    faults = [f for f in cast("Sequence[Finding]", error.findings) if f.severity == "error"]
    near = any(fault.near for fault in faults)
    if near or not any(fault.rule in _MENDABLE or _ways(fault) for fault in faults):
        raise error
    ways = [Candidate({name: value}) for fault in faults for name, value in _ways(fault)]
    made, accepted, against = _tried(read, source, declaration, ways)
    if accepted is not None:
        return accepted
    only_direction = {fault.rule for fault in faults} == {"direction not given"}
    if only_direction and (not made or not {**made[0].options}):
        raise _with_directions(error, faults[0], against) from None
    rules = {fault.rule for fault in faults}
    if not made and "ambiguous columns" not in rules and not {f.rule for f in against} <= rules:
        text_of_fault = (
            refusal(against, _name(source))
            if against[0].severity == "error"
            else "\n".join([str(error), *(f.what for f in against if f.rule == _APART)])
        )
        raise ScoreTableError(text_of_fault, (*against, *error.findings)) from None
    if not made:
        raise error
    raise _with_proposals(error, made, source, against)


def _with_directions(
    error: ScoreTableError, fault: Finding, against: Sequence[Finding]
) -> ScoreTableError:
    """Return an error on directions that are not given, with those that the names have."""
    names = dict(fault.proposes)["measures"]
    known = {name: direction(name) for name in names}
    against = [finding for finding in against if finding.severity != "error"]
    if not against or not any(known.values()):
        return error
    return ScoreTableError(
        "\n".join([str(error), *(f.what for f in against)]), (*error.findings, *against)
    )


def _with_proposals(
    error: ScoreTableError, made: Sequence[Proposal], source: object, against: Sequence[Finding]
) -> ScoreTableError:
    """Return an error that ends with the calls that read the table."""
    findings = list(cast("Sequence[Finding]", error.findings))
    # Calls that are complete take the place of hints on single options.
    mended = {*_UNCLEAR, "direction not given"}
    findings = [replace(f, hint="") if f.rule in mended or _ways(f) else f for f in findings]
    text = [refusal(findings, _name(source)), *(f.what for f in against), "It can be read by"]
    for proposal in made:
        text += [f"  {proposal}", f"      {proposal.gives}"]
    names = list(dict.fromkeys(name for p in made for name in p.undirected))
    if names:
        text.append(f'where BETTER is "higher" or "lower", for {join(names)}.')
    text += [finding.what for finding in findings if finding.rule == PUBLISHED]
    return ScoreTableError("\n".join(text), (*error.findings, *against), made)


def _name(source: object) -> str:
    return Path(source).name if isinstance(source, str | Path) else type(source).__name__


def _ways(fault: Finding) -> list[tuple[str, tuple[str, ...] | str]]:
    """Return the values of ``units`` and ``take`` that a fault proposes."""
    of = dict(fault.proposes)
    nested = (
        [("units", of["units"])] if "units" in of and common_name(of["units"][0]) in GROUPS else []
    )
    return [*nested, *(("take", value) for name, value in fault.proposes if name == "take")]


def _tried[T: TrialTable](
    read: Read[T], source: object, declaration: Declaration, ways_of_faults: list[Candidate]
) -> tuple[list[Proposal], tuple[T, Finding] | None, list[Finding]]:
    """Return up to three proposals, the table and a note if it is sure, and contradictions."""
    try:
        origin = open_source(source, declaration.query, declaration.name)
        queue = _queue(source, origin, declaration, ways_of_faults)
        if not queue:
            return [], None, _unread(origin, declaration, [])
    except BenchinferError:
        return [], None, []
    first = queue[len(ways_of_faults)] if len(queue) > len(ways_of_faults) else queue[0]
    made: dict[bytes, tuple[bool, Proposal]] = {}
    tried: list[Options] = []
    of_first: list[Finding] = []
    while queue and len(tried) < _MOST_TRIALS and len(made) < _SHOWN:
        candidate = queue.pop(0)
        if candidate.options in tried:
            continue
        tried.append(candidate.options)
        table, ways, faults = _trial(read, source, declaration, candidate)
        if table is None:
            mended = list(_mended(candidate, faults, origin, declaration))
            of_first = faults if candidate is first else of_first
            others = mended or any("name" in c.options for c in queue)
            if candidate is first and not others and _is_sure(candidate, {}, declaration):
                return [], None, faults  # of the scores, where the roles leave no doubt
            queue[:0] = [c for c in mended if c.options not in tried]
            continue
        if len(table.failures()) and (curve := _of_curves(candidate, origin, declaration)):
            queue[:0] = curve  # what is not logged at each step is no failure
            continue
        if len(table.algorithms) < 2:
            continue
        if candidate is first and _is_sure(candidate, ways, declaration):
            return [], (table, _note(candidate, ways, table.measures)), []
        added = {n: v for n, v in candidate.options.items() if n != "measures"}
        proposal = Proposal(_written(source), added, ways, _gives(table, candidate))
        # Another way to the same scores is no other proposal.
        sparse = bool((table.summary.n > 0).mean() < 0.5)
        made.setdefault(table.summary.mean.tobytes(), (sparse, proposal))
    ranked = [proposal for _, proposal in sorted(made.values(), key=lambda pair: pair[0])]
    against = _against(first)
    limit = _limit_lacking(first, of_first)
    return ranked, None, against if made else limit or _unread(origin, declaration, against)


def _limit_lacking(candidate: Candidate, faults: Sequence[Finding]) -> list[Finding]:
    """Return a limit that lacks, as all that lacks, with the likely roles; else nothing."""
    columns = candidate.options.get("columns", {})
    if {fault.rule for fault in faults} != {NO_LIMIT} or not columns:
        return []
    roles = join([f"{name} as {role}" for name, role in columns.items()])
    what = f"{roles}, which columns={dict(columns)!r} says."
    return [*faults, Finding("likely roles", "warning", len(columns), what)]


def _queue(
    source: object, origin: Source, declaration: Declaration, ways: Sequence[Candidate]
) -> list[Candidate]:
    """Return the options to be tried, the likeliest first: those that faults name, then others.

    Levels of units that a fault names are the way to read it. Of very wide tables there are no
    others, as a trial lays out every column.
    """
    if len(origin.names) > _MOST_COLUMNS or any("units" in way.options for way in ways):
        return [*ways]
    others = itertools.islice(_candidates(source, origin, declaration), 4 * _MOST_TRIALS)
    return [*ways, *others]


def _unread(origin: Source, declaration: Declaration, against: Sequence[Finding]) -> list[Finding]:
    """Report one algorithm, or the columns of labels, of a table that no reading reads."""
    if one := _one_algorithm(origin, declaration):
        return one
    if len(origin.names) > _MOST_COLUMNS:
        return [*against]
    sizes = labels_apart(_frame(origin, declaration), declaration.columns or {})
    if len(sizes) < _MANY:
        return [*against]
    names = join([f"{name} ({n} labels)" for name, n in sizes.items()])
    what = f"Rows are told apart by {names}: columns={{...}} says what they are,"
    what += " where=... takes some rows."
    return [*against, Finding(_APART, "note", len(sizes), what)]


def _one_algorithm(origin: Source, declaration: Declaration) -> list[Finding]:
    """Report a table of one algorithm, with which nothing can be compared."""
    if len(origin.names) > _MOST_COLUMNS:
        return []
    one = only_algorithm(_frame(origin, declaration), {})
    if one is None:
        return []
    what = f"all rows are of one {one[0]}, {one[1]!r}: there is nothing to compare with it."
    return [Finding("one algorithm", "error", 1, what, (), "give more files.")]


def _is_sure(candidate: Candidate, ways: Mapping[str, str], declaration: Declaration) -> bool:
    """Return whether a candidate may be read without asking."""
    reading = candidate.reading
    if reading is None or not reading.sure or declaration.layout != "auto":
        return False
    joined = len(reading.of("algorithm")) > 1 or len(reading.of("dataset")) > 1
    counted = all(re.fullmatch(r"\D*\d+", name) for name in reading.of("score"))
    joined = joined or (reading.layout != "long" and counted)  # which may be replications
    if (
        joined
        or {"name", "where"} & candidate.options.keys()
        or reading.of("factor")
        or reading.of("unit")
    ):
        return False
    return not ways or any(ways.values())


def _note(candidate: Candidate, ways: Mapping[str, str], measures: Sequence[Measure]) -> Finding:
    """Return a note on what was taken for what, how that is changed, and the options for it."""
    reading = candidate.reading
    of = (lambda _: ()) if reading is None else reading.of
    parts = [
        f"{'/'.join(names)} as {role}"
        for role in ("algorithm", "dataset", "replication", "measure")
        if (names := of(role))
    ]
    if reading is not None and reading.layout != "long":
        parts.append(f"{count(len(reading.of('score')), 'column')} of scores")
    accepted = [f"{name}: {way} is better, by its name" for name, way in ways.items() if way]
    what = f"taken by names and structure: {'; '.join([', '.join(parts), *accepted])}."
    hint = "columns={...} and measures={...} change that."
    lower = any(m.better == "lower" and m.limit is None for m in measures)
    if (states := of("status")) and lower:
        hint += f" columns={ {states[0]: 'status'}!r} takes it as states of runs with a limit."
    columns = candidate.options.get("columns", {})
    proposes: tuple[tuple[str, tuple[str, ...] | str], ...] = (
        ("columns", tuple(f"{name}={role}" for name, role in columns.items())),
        ("measures", tuple(f"{name}:{way}" for name, way in ways.items() if way)),
        ("layout", candidate.options.get("layout", "auto")),
    )
    return Finding(STRUCTURE, "note", 1, what, (), hint, proposes)


def _against(candidate: Candidate | None) -> list[Finding]:
    """Report columns whose names and numbers contradict each other in the likeliest reading."""
    if candidate is None or candidate.reading is None:
        return []
    results = candidate.reading.contradictions
    return [
        Finding("name and numbers differ", "warning", 1, f"{name!r}: {what}.")
        for name, what in results
    ]


def _trial[T: TrialTable](
    read: Read[T], source: object, declaration: Declaration, candidate: Candidate
) -> tuple[T | None, dict[str, str], list[Finding]]:
    """Read the table, measures without a direction with a provisional one."""
    fields = {name: value for name, value in candidate.options.items() if name != "targets"}
    trial, targets = replace(declaration, **fields), candidate.options.get("targets")
    if declaration.columns:
        trial = replace(trial, columns={**fields.get("columns", {}), **declaration.columns})
    ways: dict[str, str] = {name: direction(name) for name in fields.get("measures", ())}
    for _ in range(2):
        if ways:
            known = {name: way or _PROVISIONAL for name, way in ways.items()}
            trial = replace(trial, measures=known)
        try:
            return read(source, trial, targets), ways, []
        except ScoreTableError as error:
            faults = [f for f in cast("Sequence[Finding]", error.findings) if f.severity == "error"]
            rules = {fault.rule for fault in faults}
            if rules != {"direction not given"} or declaration.measures is not None:
                return None, {}, faults
            ways |= {name: direction(name) for name in dict(faults[0].proposes)["measures"]}
        except (BenchinferError, MissingExtra):
            break
    return None, {}, []


def _candidates(source: object, origin: Source, declaration: Declaration) -> Iterator[Candidate]:
    """Yield options for a trial, the likeliest first."""
    measures = [
        m.name for m in Declaration(declaration.measures).with_file(origin.toml)[0].list_measures()
    ]
    tool = origin.known
    measures = measures or ([] if tool is None else [m.name for m in tool.measures])
    names = [*_names_of_files(origin, declaration)]
    if len(names) > 1 and _named(origin, declaration, measures):
        names = [names[-1], *names[:-1]]  # of files where columns repeat
    for name in names:
        if name:
            yield Candidate({"name": name})
        try:
            opened = open_source(source, declaration.query, name) if name else origin
            frame, part = _one_part(_frame(opened, declaration), declaration)
        except ScoreTableError:
            if name == declaration.name:
                raise
            continue  # columns of the files contradict these names of them
        parts = placeholders(name)
        settings = [n for n in parts if n not in _LABELS and declaration.name is None]
        of_names = {n: n for n in parts if n in _LABELS} | dict.fromkeys(settings, FACTOR)
        declared = of_names | _declared(opened, declaration, measures, frame)
        results = readings(frame, declared)
        likely = [r for r in results if r.weight > results[0].weight - _LIKELY]
        known = {*declared} - {*settings}
        for reading in _with_exchange(likely):
            for options in _options(reading, frame, measures, known, declaration):
                yield Candidate(({"name": name} if name else {}) | part | options, reading)
        if not results or results[0].layout != "long":
            yield from _by_pattern(frame, declared, declaration, name)


def _named(origin: Source, declaration: Declaration, measures: Sequence[str]) -> bool:
    """Return whether names of columns settle which are of algorithms and which of data sets."""
    frame, _ = _one_part(_frame(origin, declaration), declaration)
    results = readings(frame, _declared(origin, declaration, measures, frame), most=1)
    pair = bool(results) and {"algorithm", "dataset"} <= {*results[0].roles.values()}
    return pair and results[0].named


def _with_exchange(results: Sequence[TableReading]) -> list[TableReading]:
    """Return readings with the exchange of algorithm and data set next, if names settle nothing."""
    if not results or results[0].named:
        return list(results)
    first, *rest = results
    pair = {first.of("algorithm"), first.of("dataset")}
    wide = {first.layout, "long"} == {"long"}
    swapped = [
        r
        for r in rest
        if wide and {r.of("algorithm"), r.of("dataset")} == pair and r.layout == first.layout
    ]
    return [first, *swapped[:1], *(r for r in rest if r not in swapped[:1])]


def _frame(origin: Source, declaration: Declaration) -> pd.DataFrame:
    """Return the rows that are read, in the columns in which roles are searched: not of steps."""
    if declaration.where is not None:
        origin = filtered(origin, declaration.where)
    covariates = {*Declaration(covariates=declaration.covariates).covariate_names()}
    hidden = {*origin.kinds, *covariates, *_steps(origin, declaration)}
    names = [name for name in origin.names if name not in hidden]
    frame = origin.load(names, [], [])[0].head(80 * ROWS).collect().to_arrow()
    return frame.to_pandas()


def _one_part(frame: pd.DataFrame, declaration: Declaration) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the rows of the part on which algorithms are tested, and the condition that takes it.

    They are all rows where no column holds parts of the data, or the user has a condition.
    """
    for name in map(str, frame.columns):
        declared = name in (declaration.columns or {}) or declaration.where is not None
        if declared or not isinstance(frame[name].dropna().iloc[:1].squeeze(), str):
            continue
        labels = [str(label) for label in frame[name].dropna().unique()[: len(PARTS) + 1]]
        if parts_of_data(labels):
            label = evaluated_part(labels)
            return frame[frame[name] == label], {"where": condition_of(name, label)}
    return frame, {}


def _steps(origin: Source, declaration: Declaration) -> list[str]:
    """Return the columns of steps of curves, the finest first."""
    if declaration.take is not None or any(common_name(n) in ITEMS for n in origin.names):
        return []  # an epoch is one more answer to each item
    steps = [n for n in origin.names if _plain(n) in STEPS and n not in (declaration.columns or {})]
    return sorted(steps, key=lambda name: STEPS.index(_plain(name)))


def _plain(name: str) -> str:
    return name.strip().casefold()


def _declared(
    origin: Source, declaration: Declaration, measures: Sequence[str], frame: pd.DataFrame
) -> dict[str, str]:
    """Return column to role as the user, or the tool that wrote the table, has it."""
    known = {} if origin.known is None else origin.known.columns
    trial = {**known, **(declaration.columns or {})}
    roles = {name: _DECLARED.get(role, role) for name, role in trial.items()}
    roles |= dict.fromkeys(declaration.levels(), "replication")
    return roles | {name: "score" for name in measures if name in frame.columns}


def _options(
    reading: TableReading,
    frame: pd.DataFrame,
    measures: Sequence[str],
    declared: set[str],
    declaration: Declaration,
) -> Iterator[dict[str, Any]]:
    """Yield the options by which a reading is read."""
    scores, names = reading.of("score"), [str(name) for name in frame.columns]
    settled = ("measure", "ignored: constant")  # what a column of names of measures may be
    if any(common_name(n) in COMMON["measure"] and reading.roles[n] not in settled for n in names):
        return  # scores of several measures are not one
    wide = reading.layout != "long"
    if (wide and declaration.layout not in ("auto", reading.layout)) or (
        not wide and declaration.layout not in ("auto", "long", "wide-measures")
    ):
        return
    labels = {name: _LABELS[role] for name, role in reading.roles.items() if role in _LABELS}
    labels |= dict.fromkeys(_factors(reading, frame), FACTOR)
    labels |= {
        n: "domain"
        for n, r in reading.roles.items()
        if common_name(n) == "domain" and r == "attribute of " + "".join(reading.of("dataset")[:1])
    }
    options: dict[str, Any] = {}
    if units := reading.of("unit"):
        if not reading.of("replication"):
            return
        options["units"] = (*reading.of("replication"), *units)
        labels = {n: r for n, r in labels.items() if r != "replication"}
    if wide:
        options["layout"] = _wide_layout(reading, scores)
        if not measures and (measure := measure_in(options["layout"])):
            options["measures"] = {measure: _PROVISIONAL}
        aside = [n for n in names if n not in labels and n not in scores]
        labels |= dict.fromkeys(aside, "ignore")
    else:
        values, of_scores = _scores(scores, measures, named=bool(reading.of("measure")))
        if not values and not of_scores and measures and not {*scores} & {*measures}:
            return  # a measure that is named is its own column
        labels, options = labels | values, options | of_scores
    columns = _needed(labels, reading, names)
    columns = {n: r for n, r in columns.items() if n not in declared}
    yield ({"columns": columns} if columns else {}) | options


def _factors(reading: TableReading, frame: pd.DataFrame) -> list[str]:
    """Return the columns of a reading that are factors: of few levels that cross the algorithms.

    Others are joined to the algorithm, as all are where a name contains what stands between those
    of a cell.
    """
    algorithm, *more = reading.of("algorithm") or ("",)
    parts = [*reading.of("factor"), *more]
    names = [algorithm, *parts]
    if reading.layout != "long" or not algorithm or not parts or len(names) > MOST:
        return []
    labels = {n: frame[n].dropna().astype(str).unique() for n in names}
    if any(JOIN in text for of in labels.values() for text in of):
        return []
    cells, grid = len(frame[names].drop_duplicates()), prod(len(of) for of in labels.values())
    few = all(2 <= len(labels[n]) <= MOST_LEVELS for n in parts)
    return parts if few and 2 * cells > grid else []


def _scores(
    scores: Sequence[str], measures: Sequence[str], *, named: bool
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the column of scores that is to be declared, and options for the scores.

    `named` tells whether a column names the measures. Both are empty where measures are declared
    that none of the columns holds.
    """
    if measures:
        chosen = [name for name in scores if name in measures]
        neutral = len(scores) == 1 and (named or plain(scores[0]) in VALUES)
        values = {scores[0]: "value"} if not chosen and neutral else {}
        return values, {"layout": "wide-measures"} if len(chosen) > 1 else {}
    if named and len(scores) == 1:
        return {scores[0]: "value"}, {}
    options: dict[str, Any] = {"layout": "wide-measures"} if len(scores) > 1 else {}
    return {}, options | {"measures": dict.fromkeys(scores, _PROVISIONAL)}


def _wide_layout(reading: TableReading, scores: Sequence[str]) -> str:
    """Return the layout of columns of scores, or the pattern that their names share."""
    role = {"wide-algorithms": "algorithm", "rows-are-algorithms": "dataset"}.get(
        reading.layout, "replication"
    )
    pattern = pattern_of(scores)
    common = len(pattern.labels) == 1 and any(len(text.strip()) > 2 for text in pattern.texts)
    if role == "replication" or common:
        return pattern.written([role]) if len(pattern.labels) == 1 else f"{{{role}}}"
    return reading.layout


def _needed(
    labels: Mapping[str, str], reading: TableReading, names: Sequence[str]
) -> dict[str, str]:
    """Return the roles that must be declared: those that the names of columns do not determine.

    A column that is named as a role which another one has is to be ignored.
    """
    common = {n: next((r for r in COMMON if common_name(n) in COMMON[r]), "") for n in names}
    several = [role for role in {*labels.values()} if [*labels.values()].count(role) > 1]
    needed = {
        n: role
        for n, role in labels.items()
        if common[n] != role or role in several or [*common.values()].count(role) > 1
    }
    scores = reading.of("score")
    for name in names:
        role = common[name]
        constant = reading.roles[name] == "ignored: constant" and role in ("replication", "dataset")
        if not role or name in labels or role == "domain" or constant:
            continue
        measured = name in scores and role in ("value", "measure")
        accepted = role in ("failure", "imputed") and reading.roles[name] == "status"
        if not measured and not accepted:
            needed[name] = "ignore"
    return needed


def _names_of_files(origin: Source, declaration: Declaration) -> Iterator[str]:
    """Yield patterns of the names of files that give roles."""
    if declaration.name is None and len(origin.files) > 1:
        pattern = pattern_of_files([name.rpartition(".")[0] or name for name in origin.files])
        for roles in _roles_of_parts(pattern, {*(declaration.columns or {}).values()}):
            yield pattern.written(roles)
    yield declaration.name or ""


def _roles_of_parts(pattern: Pattern, fixed: set[str]) -> Iterator[list[str]]:
    """Yield roles of the variable parts of a pattern: replications for numbers, names for words."""
    choices: list[list[str]] = []
    words = [len(set(labels)) for labels in pattern.labels if not _counts(labels)]
    for i, labels in enumerate(pattern.labels):
        before = re.findall(r"[a-z]+", pattern.texts[i].casefold())[-1:]
        suggested = suggested_roles(before[0]) if before else {}
        named = [role for role in _LABELS if role != FACTOR and suggested.get(role, 0) > 2]
        measures = sum(map(is_measure, set(labels)))
        if named and (_counts(labels) or named[0] != "replication"):
            choices.append(named[:1])
        elif _counts(labels):
            choices.append(["replication", "dataset", "algorithm"])
        elif 2 * measures > len(set(labels)):
            choices.append(["measure"])
        elif all(number_of(label) is not None for label in labels):  # with fractions
            free = before and not {*suggested} & ({*_LABELS} - {FACTOR})
            choices.append([before[0] if free else "setting", "algorithm"])
        else:
            # There are more data sets than algorithms, as a rule.
            most = len(words) > 1 and len(set(labels)) == max(words) > min(words)
            choices.append(["dataset", "algorithm"] if most else ["algorithm", "dataset"])
    for roles in itertools.product(*choices):
        if len(set(roles)) == len(roles) and not fixed & set(roles):
            yield list(roles)


def _counts(labels: Sequence[str]) -> bool:
    return all(label.isdigit() for label in labels)


def _by_pattern(
    frame: pd.DataFrame, declared: Mapping[str, str], declaration: Declaration, name: str
) -> Iterator[Candidate]:
    """Yield layouts by the names of columns that have two variable parts, as in svm_acc, svm_f1."""
    if declaration.layout != "auto":
        return
    scores = [
        str(column)
        for column in frame.columns
        if frame[column].dtype.kind in "fi"
        and str(column) not in declared
        and not {"algorithm", "dataset", "replication"} & {*suggested_roles(str(column))}
        and not re.search(r"__(MIN|MAX)$", str(column))
    ]
    if len(scores) < 2 or len((pattern := pattern_of(scores)).labels) < 2:
        return
    texts = [str(c) for c in frame.columns if str(c) not in scores]
    labels = {
        n: role
        for n in texts
        for role in ("algorithm", "dataset", "replication")
        if suggested_roles(n).get(role, 0) > 2 and n not in declared
    }
    fixed = {*labels.values(), *declared.values()}
    for parts in _roles_of_parts(pattern, fixed):
        if "algorithm" not in {*parts, *fixed} or not {*parts} <= _LABELS.keys():
            continue
        needed = {n: r for n, r in labels.items() if common_name(n) not in COMMON[r]}
        options = {"name": name} if name else {}
        options |= {"columns": needed} if needed else {}
        yield Candidate({**options, "layout": pattern.written(parts)})


def _mended(
    candidate: Candidate, faults: Sequence[Finding], origin: Source, declaration: Declaration
) -> Iterator[Candidate]:
    """Yield a candidate with the options that its faults propose."""
    yield from _without_infinite(candidate, faults)
    if not any(fault.rule == "duplicate rows" for fault in faults):
        return
    for name, value in (way for fault in faults for way in _ways(fault)):
        if name == "units" and not declaration.units:
            yield candidate.having(units=value)
            return
    yield from (curves := _of_curves(candidate, origin, declaration))
    of_trace = [str(c.options["take"]).rpartition(":")[2] in TRACES for c in curves]
    joined = [*candidate.options.get("columns", {}).values()].count("algorithm") > 1
    if any(of_trace) and not joined:  # functions are no settings
        yield candidate.having(targets=TARGETS)
    steps = _steps(origin, declaration)
    few = any(("repeats", "keep") in f.proposes for f in faults if candidate.reading is not None)
    repeated = few or _only_scores(candidate) or _by_dates(candidate, origin, declaration)
    if (
        not steps
        and repeated
        and "repeats" not in candidate.options
        and declaration.repeats == "error"
    ):
        yield candidate.having(repeats="keep")


def _only_scores(candidate: Candidate) -> bool:
    """Return whether the rows of each file hold scores, and nothing that tells them apart."""
    if candidate.reading is None:
        return False
    names = placeholders(candidate.options.get("name", ""))
    others = [r for n, r in candidate.reading.roles.items() if n not in names]
    return bool(names) and all(r in ("score", "companion") or ": date" in r for r in others)


def _by_dates(candidate: Candidate, origin: Source, declaration: Declaration) -> bool:
    """Return whether dates alone are left to tell rows apart, where names settle the roles."""
    reading = candidate.reading
    if reading is None or not reading.named or "name" in candidate.options:
        return False
    dates = any(": date" in role for role in reading.roles.values())
    if not dates or reading.of("factor") or reading.of("ignored: no role"):
        return False
    frame = _frame(origin, declaration)
    keys = [name for role in _LABELS for name in reading.of(role)]
    further = [n for n in reading.of("status") if suggested_roles(n).get("status", 0) < OWN]
    further += [n for n, role in reading.roles.items() if role.startswith("attribute")]
    return bool(frame.duplicated(keys).sum() == frame.duplicated([*keys, *further]).sum())


def _without_infinite(candidate: Candidate, faults: Sequence[Finding]) -> Iterator[Candidate]:
    """Yield a candidate without the measures whose scores are infinite, if others are left."""
    measures: Mapping[str, Any] = candidate.options.get("measures", {})
    places = [f.where for f in faults if f.rule == "infinite values"]
    infinite = {
        row[where[0].index("measure")]
        for where in places
        if where and "measure" in where[0]
        for row in where[1:]
    }
    rest = {name: way for name, way in measures.items() if name not in infinite}
    if infinite & measures.keys() and rest:
        yield candidate.having(measures=rest)


def _of_curves(candidate: Candidate, origin: Source, declaration: Declaration) -> list[Candidate]:
    """Return a candidate with the last score of each curve, where a column is named as steps."""
    if "take" in candidate.options:
        return []
    return [candidate.having(take=f"last:{name}") for name in _steps(origin, declaration)[:1]]


def _gives(table: TrialTable, candidate: Candidate) -> str:
    """Return the size of a table as text: ``3 algorithms x 12 data sets x 5 seeds, accuracy``."""
    parts = [count(len(table.algorithms), "algorithm"), count(len(table.datasets), "data set")]
    replications = table.summary.replications
    least, most = int(replications[replications > 0].min()), int(replications.max())
    if most > 1:
        noun = count(most, _noun(candidate))
        parts.append(noun if least == most else f"{least} to {noun}")
    names = [m.name for m in table.measures]
    measures = f", measures {', '.join(names)}" if len(names) > 1 else f", {names[0]}"
    reading = candidate.reading
    columns = candidate.options.get("columns", {})
    parts_of = () if reading is None else reading.of("factor")
    joined = [name for name in parts_of if columns.get(name) != FACTOR]
    factors = [*table.factors]
    part = f"; {join(joined)} as part of the algorithm" if joined else ""
    part += f"; {join(factors)} as factors" * bool(factors)
    rows = f"; rows with {candidate.options['where']}" if "where" in candidate.options else ""
    long = None if reading is None or reading.layout != "long" else reading
    scores = () if long is None or "measures" not in candidate.options else long.of("score")
    aside = [name for name in scores if name not in names] if {*names} < {*scores} else []
    left = f"; {join(aside)} left out: infinite scores" if aside else ""
    return f"{' x '.join(parts)}{measures}{part}{rows}{left}"


def _noun(candidate: Candidate) -> str:
    """Return what a replication is called: a seed, a fold."""
    names = () if candidate.reading is None else candidate.reading.of("replication")
    known = common_name(names[0]) if len(names) == 1 else ""
    return known if known in _NOUNS else "replication"


def _written(source: object) -> str:
    if isinstance(source, list | tuple):
        return repr([str(path) for path in cast("Sequence[object]", source)])
    return repr(str(source)) if isinstance(source, str | Path) else "scores"
