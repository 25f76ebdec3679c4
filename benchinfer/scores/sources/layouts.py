"""Detection of the layout of a table."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.hints import directions, literal
from benchinfer.core.numbers import count, number_of, several
from benchinfer.numerics.types import Array
from benchinfer.scores.columns.engines import NONE
from benchinfer.scores.columns.roles import (
    COMMON,
    GROUPS,
    IGNORE,
    ITEMS,
    REPEATED,
    Roles,
    assign,
    common_name,
    names_size,
    no_column,
)
from benchinfer.scores.coverage import Finding
from benchinfer.scores.roles.companions import aggregates
from benchinfer.scores.roles.crossing import MOST_LEVELS
from benchinfer.scores.roles.directions import HIGHER, LOWER, direction, plain
from benchinfer.scores.roles.labels import like_replications
from benchinfer.scores.roles.names import suggested_roles
from benchinfer.scores.roles.profile import profiles
from benchinfer.scores.sources.frames import Source
from benchinfer.scores.sources.patterns import pattern_of

if TYPE_CHECKING:
    import pandas as pd

_LOOK = 200  # rows that are looked at
_LARGER = 30  # times the range of the scores, from which another one is of something else
_COUNTED = re.compile(r"(.*?)\d+", re.DOTALL)


# Names of measures, in small letters and digits: columns of these are none of data sets.
MEASURES = frozenset(
    (
        *("accuracy", "acc", "balancedaccuracy", "auc", "rocauc", "auroc", "prauc", "auprc", "f1"),
        *("f1score", "precision", "prec", "recall", "sensitivity", "specificity", "kappa", "mcc"),
        *("loss", "logloss", "brier", "brierscore", "ece", "rmse", "mse", "mae", "mape", "rmsle"),
        *("r2", "error", "errorrate", "bleu", "rouge", "rougel", "perplexity", "ppl", "wer", "cer"),
        *("ndcg", "mrr", "winrate", "meanwinrate", "elo", "exactmatch", "iou", "miou", "dice"),
        *("psnr", "ssim", "fid", "ttsec", "time", "timesec", "traintime", "fittime", "runtime"),
        *("seconds", "latency", "memory", "average", "avg", "mean", "overall"),
        *("resolved", "solved", "success", "successrate", "passed", "passrate", "correct"),
    )
)


PUBLISHED = "published errors"
_NAMES = {
    "std_error": r"std_?err(or)?|stand(ard)?_err(or)?|sem|se",
    "conf_low": r"(ci|conf)(_?\d+)?_(low|lower|lo|lb|min)|lower_(ci|bound)|(low|lower)",
    "conf_high": r"(ci|conf)(_?\d+)?_(high|upper|hi|ub|max|up)|upper_(ci|bound)|(high|upper)",
    "margin": r"margin_of_error|moe|\xb1|\+/_?",
}
_COLUMN = {role: re.compile(rf"((?P<score>.+?)_)??({name})") for role, name in _NAMES.items()}
# Without a score before them these may be names of something else.
_SHORT = {"se", "sem", "low", "lower", "high", "upper"}


def roles_of(
    source: Source,
    columns: Mapping[str, str] | None,
    layout: str,
    measures: Sequence[str],
    covariates: Sequence[str] = (),
    features: Sequence[str] = (),
    bounds: tuple[float, float] | None = None,
) -> Roles:
    """Return the roles of the columns and, with ``"auto"``, the layout that they imply.

    A table is long if it can be. Other layouts are tried only where it lacks a column for that, and
    one is taken only if no second one fits. Tools that are known have their own. Columns of sizes
    hold no scores; bounds are those of the scores, where they are declared.
    """
    source, columns, faults = _without_ignored(source, columns)
    roles = _roles_as_laid_out(source, columns, layout, measures, covariates, features, bounds)
    roles = _without_errors(source, roles)
    return replace(roles, findings=(*faults, *roles.findings))


def _without_ignored(
    source: Source, columns: Mapping[str, str] | None
) -> tuple[Source, Mapping[str, str] | None, list[Finding]]:
    """Return the source and the roles without columns to ignore, and faults on unknown ones."""
    ignored = [name for name, role in (columns or {}).items() if role == IGNORE]
    if columns is None or not ignored:
        return source, columns, []
    faults = [
        no_column(f"there is no column {name!r} to ignore.", name, source.names, source.names)
        for name in ignored
        if name not in source.names
    ]
    names = tuple(name for name in source.names if name not in ignored)
    roles = {name: role for name, role in columns.items() if role != IGNORE}
    return replace(source, names=names), roles, faults


def _without_errors(source: Source, roles: Roles) -> Roles:
    """Return the roles without columns of the errors of other columns of scores."""
    errors = [name for name in error_columns(source.names) if name not in roles.of.get("value", ())]
    errors = [name for name in errors if name not in (*roles.labels, *roles.covariates)]
    if not errors or (roles.spread == ("measure",) and {*errors} & {*roles.wide}):
        return roles
    if any(finding.rule == PUBLISHED for finding in roles.findings):
        return roles
    wide = {name: says for name, says in roles.wide.items() if name not in errors}
    value = roles.of.get("value", ())
    usable = {"dataset", "algorithm"} <= set(roles.of) and any(
        errors_of_score(source.names, name) for name in value
    )
    note = not_scores(errors, usable=usable)
    return Roles(roles.of, wide, roles.layout, (*roles.findings, note), roles.covariates)


def _roles_as_laid_out(
    source: Source,
    columns: Mapping[str, str] | None,
    layout: str,
    measures: Sequence[str],
    covariates: Sequence[str],
    features: Sequence[str],
    bounds: tuple[float, float] | None,
) -> Roles:
    """Return the roles by the layout that is said, or that fits."""
    if layout == "auto" and (known := source.known) is not None:
        said = {*(columns or {}).values(), *(columns or {})}
        roles = {n: role for n, role in known.columns.items() if not said & {n, role}}
        columns, layout = roles | {**(columns or {})}, known.layout
        features = (*features, *known.unused)
        if layout == "wide-measures" and not measures:
            layout = "long"  # which asks for the measures
    if layout != "auto":
        roles = assign(source.names, columns, layout, measures, covariates, features)
        return _without_aggregates(source, _without_sizes(source, roles, bounds))
    long = assign(source.names, columns, "long", measures, covariates, features)
    lacks = any(finding.rule == "missing columns" for finding in long.findings)
    # A name that is not there is the user's to correct first.
    if not lacks or set(columns or {}) - set(source.names):
        return long
    named = _named_as_measures(source, long, measures)
    if named is not None:
        return _with(long, named)
    return _wide(source, columns, measures, covariates, features, long, bounds)


def _wide(
    source: Source,
    columns: Mapping[str, str] | None,
    measures: Sequence[str],
    covariates: Sequence[str],
    features: Sequence[str],
    long: Roles,
    bounds: tuple[float, float] | None,
) -> Roles:
    """Return the roles of the one wide layout that fits; report a fault where several do."""
    fitting: dict[str, Roles] = {}
    for other in _candidates(source, long, measures):
        roles = assign(source.names, columns, other, measures, covariates, features)
        if roles.wide and all(finding.severity != "error" for finding in roles.findings):
            fitting[other] = roles
    if len(fitting) == 1:
        ((fitting_layout, roles),) = fitting.items()
        roles = _without_errors(source, _without_sizes(source, roles, bounds))
        roles = _without_aggregates(source, roles)
        labels = list(dict.fromkeys("/".join(says.values()) for says in roles.wide.values()))
        what = f"{count(len(roles.wide), 'column')} of scores, one per"
        what += f" {' and '.join(roles.spread)}: {several(labels)}."
        hint = f"it was read with layout={literal(fitting_layout)}; name it to be sure."
        note = Finding("layout recognised", "note", len(roles.wide), what, (), hint)
        return _with(roles, note)
    ways = [f"layout={literal(other)}" for other in fitting]
    if (name := _unknown_labels(source, long)) is not None:
        for role, other in (("algorithm", "rows-are-algorithms"), ("dataset", "wide-algorithms")):
            ways.append(f"columns={ {name: role}!r}, layout={literal(other)}")
    if not ways:
        return long
    hint = "\nor ".join(ways) + "."
    what = f"the table can be read in {len(ways)} ways, which its columns do not tell apart."
    return _with(long, Finding("ambiguous layout", "error", 1, what, (), hint))


def _without_sizes(source: Source, roles: Roles, bounds: tuple[float, float] | None) -> Roles:
    """Return the roles without columns of sizes, of one column per algorithm or data set.

    A column is of a size if it holds whole numbers, is named as one, and lies beyond the scores of
    all other columns: each number, or with a range that is 30 times theirs. Whatever its name is,
    it is if all its numbers are beyond the bounds of the scores even as per cent.
    """
    if roles.spread not in (("algorithm",), ("dataset",)):
        return roles
    named = [name for name in roles.wide if names_size(name)]
    doubtful = list(roles.wide) if bounds is not None else named
    if not doubtful or len(named) == len(roles.wide):
        return roles
    columns = {name: np.array(v) for name, v in _first_numbers(source, list(roles.wide)).items()}
    scores = np.concatenate([columns[name] for name in columns if name not in named])
    if not scores.size:
        return roles
    low, high = float(scores.min()), float(scores.max())
    sizes = [
        name
        for name in doubtful
        if len(values := columns[name]) and (values % 1 == 0).all()
        if (name in named and _beyond(values, low, high))
        or (bounds is not None and np.isfinite(bounds).all() and _outside(values, *bounds))
    ]
    if not sizes:
        return roles
    wide = {name: says for name, says in roles.wide.items() if name not in sizes}
    hold = "column holds" if len(sizes) == 1 else "columns hold"
    what = f"{len(sizes)} {hold} whole numbers far beyond all scores: {several(sizes)}."
    hint = f"taken for sizes, not for scores; covariates={literal(tuple(sizes))} keeps them."
    finding = Finding("columns of sizes", "warning", len(sizes), what, (), hint)
    return Roles(roles.of, wide, roles.layout, (*roles.findings, finding), roles.covariates)


def _without_aggregates(source: Source, roles: Roles) -> Roles:
    """Return the roles without columns that are a mean, sum or rank of the other scores."""
    if roles.spread not in (("algorithm",), ("dataset",)) or len(roles.wide) < 3:
        return roles
    import pandas as pd

    head = pd.DataFrame(_first_values(source, list(roles.wide)))
    columns = [c for c in profiles(head, {}) if c.numeric]
    results = aggregates(columns)
    results |= {
        c.name: "rank by its name"
        for c in columns
        if c.name not in results and c.integral and "rank" in plain(c.name).split("_")
        if np.nanmin(c.values) >= 1 and np.nanmax(c.values) <= len(head)
    }
    if not results or len(results) > len(roles.wide) - 2:
        return roles
    wide = {name: says for name, says in roles.wide.items() if name not in results}
    reasons = [f"{name} ({why})" for name, why in results.items()]
    what = f"{count(len(results), 'column')} left out, no scores: {several(reasons)}."
    hint = f"columns={dict.fromkeys(results, IGNORE)!r} says so too; a name of its own keeps one."
    finding = Finding("aggregates left out", "warning", len(results), what, (), hint)
    return replace(roles, wide=wide, findings=(*roles.findings, finding))


def _beyond(values: Array, low: float, high: float) -> bool:
    """Return whether numbers lie beyond a range, or theirs is far larger."""
    size = float(values.max() - values.min())
    return bool(values.min() > high or values.max() < low or size >= _LARGER * (high - low) > 0)


def _outside(values: Array, low: float, high: float) -> bool:
    """Return whether all numbers are beyond bounds, also if these are of per cent."""
    return bool((values > 100 * abs(high)).all() or (values < -100 * abs(low)).all())


def _with(roles: Roles, finding: Finding) -> Roles:
    rest = [f for f in roles.findings if finding.severity == "note" or f.rule != "missing columns"]
    return Roles(roles.of, roles.wide, roles.layout, (*rest, finding), roles.covariates)


def _candidates(source: Source, long: Roles, measures: Sequence[str]) -> list[str]:
    """Return the layouts that a table may have, by its columns and some of its values."""
    if measures and "value" not in long.of and set(measures) <= set(source.names):
        return ["wide-measures"]
    left = _left(source, long)
    if "value" in long.of or len(left) < 2 or _numeric(source, left) != set(left):
        return []
    if "algorithm" not in long.of and (pattern := _with_measures(left, measures)):
        return [pattern]
    if len(measures) > 1:
        return []
    if "algorithm" in long.of:
        return _of_rows_of_algorithms(long, left)
    labelled = {"dataset", "replication"} & set(long.of)
    named = sum(map(is_measure, left))
    return ["wide-algorithms"] if labelled and 2 * named <= len(left) else []


def _with_measures(names: Sequence[str], measures: Sequence[str]) -> str | None:
    """Return the pattern of names of algorithms with measures, as in ``svm_acc`` and ``svm_f1``."""
    pattern = pattern_of(names)
    if len(pattern.labels) != 2 or len(set(zip(*pattern.labels, strict=True))) < len(names):
        return None
    roles = [
        "measure"
        if all(is_measure(label) or label in measures for label in labels)
        else "algorithm"
        for labels in pattern.labels
    ]
    return pattern.written(roles) if set(roles) == {"measure", "algorithm"} else None


def is_measure(label: str) -> bool:
    """Return whether a label is the name of a measure, also of one at a depth.

    Examples
    --------
    >>> [is_measure(label) for label in ("ROC AUC", "ndcg@10", "map_reduce", "iris")]
    [True, True, False, False]
    """
    bare = re.sub(r"@\d+$", "", label.casefold().strip())
    return re.sub(r"[^a-z0-9]", "", bare) in MEASURES or plain(bare) in HIGHER | LOWER


def _of_rows_of_algorithms(long: Roles, left: Sequence[str]) -> list[str]:
    """Return the layouts that columns of scores may have whose rows are algorithms."""
    stems = {match[1] if (match := _COUNTED.fullmatch(name)) else None for name in left}
    plain = {re.sub(r"[\s_.\-]+$", "", stem).casefold() for stem in stems if stem is not None}
    if len(stems) != 1 or not plain or plain <= {*COMMON["dataset"], "d"}:
        return [] if "dataset" in long.of else ["rows-are-algorithms"]
    counted = [f"{stem}{{replication}}" for stem in stems]
    if "dataset" in long.of or plain <= {*COMMON["replication"], "f", "r", "s"}:
        return counted
    return ["rows-are-algorithms", *counted]


def _named_as_measures(source: Source, long: Roles, measures: Sequence[str]) -> Finding | None:
    """Report columns of scores named as measures in a table of algorithms."""
    if (
        "algorithm" not in long.of
        or "value" in long.of
        or (measures and set(measures) <= set(source.names))
    ):
        return None
    left = _left(source, long)
    named = [name for name in left if is_measure(name)]
    if not named or len(left) < 2:
        return None
    for measure in (name for name in measures if name not in source.names):
        if difflib.get_close_matches(measure, named, 1):
            what = f"there is no column for the measure {measure!r}."
            return no_column(what, measure, source.names, named)
    kind = "is named as a measure" if len(named) == 1 else "are named as measures"
    what = f"{count(len(named), 'column')} {kind}, not as data sets: {several(named)}."
    ways = {name: direction(name) for name in named}
    known = {name: way for name, way in ways.items() if way}
    declared = f"measures={known!r}" if len(known) == len(ways) else directions(tuple(named))
    hint = f"{declared} reads one column per measure"
    if len(named) < len(left):
        hint += '; layout="rows-are-algorithms" takes all of them for data sets'
    proposes = (("measures", tuple(named)),)
    return Finding("measures in the header", "error", len(named), what, (), hint + ".", proposes)


def _left(source: Source, roles: Roles) -> list[str]:
    return [n for n in source.names if n not in roles.labels and n not in roles.covariates]


def _unknown_labels(source: Source, long: Roles) -> str | None:
    """Return the one column of texts of a table that is numbers otherwise."""
    if {"dataset", "algorithm", "value"} & set(long.of):
        return None
    left = _left(source, long)
    numeric = _numeric(source, left)
    others = [name for name in left if name not in numeric]
    return others[0] if len(others) == 1 and len(left) > 2 else None


def _numeric(source: Source, names: Sequence[str]) -> set[str]:
    """Return the columns whose first values are numbers, or none at all."""
    values = _first_values(source, names)
    return {name for name, column in values.items() if all(map(_is_number, column))}


def _first_values(source: Source, names: Sequence[str]) -> dict[str, list[object]]:
    """Return the first values of columns; none of a table that cannot be read."""
    try:
        frame, _ = source.load([], names, [])
        table: Any = frame.head(_LOOK).collect().to_arrow()
    except ScoreTableError:
        return {}
    return {name: table.column(name).to_pylist() for name in names}


def _first_numbers(source: Source, names: Sequence[str]) -> dict[str, list[float]]:
    """Return the finite ones among the first values of columns."""
    numbers = {
        name: [_number(value) for value in column]
        for name, column in _first_values(source, names).items()
    }
    return {
        name: [x for x in column if x is not None and math.isfinite(x)]
        for name, column in numbers.items()
    }


def _number(value: object) -> float | None:
    """Return a value as a number, NaN for a missing one; None for anything else."""
    if value is None:
        return math.nan
    if isinstance(value, int | float):
        return float(value)
    text = str(value).strip()
    if text in NONE:
        return math.nan
    return number_of(text)


def _is_number(value: object) -> bool:
    return _number(value) is not None


def telling_column(source: Source, roles: Roles) -> str | None:
    """Return the column without a role that distinguishes rows of the same labels, if there is one.

    Of several, the one with the fewest values: a time of writing tells all rows apart.
    """
    unused = [n for n in _left(source, roles) if n not in roles.scores and n not in source.kinds]
    if not unused:
        return None
    frame, _ = source.load([*roles.labels, *unused], [], [])
    table: pd.DataFrame = frame.collect().to_arrow().to_pandas()
    keys = [name for name in roles.labels if name not in roles.of.get("failure", ())]
    sizes = {
        name: table[name].nunique()
        for name in unused
        if _may_be_labels(table[name]) and not table.duplicated(subset=[*keys, name]).any()
    }
    return min(sizes, key=sizes.__getitem__) if sizes else None


def crossing_columns(source: Source, roles: Roles) -> tuple[str, ...]:
    """Return the columns without a role that cross the algorithms and data sets, as factors do.

    They hold two to twelve levels each, no names of replications and no numbers that may count
    these, and distinguish rows together. Empty if they do not.
    """
    unused = [n for n in _left(source, roles) if n not in roles.scores and n not in source.kinds]
    unused = [n for n in unused if not suggested_roles(n).keys() & {"replication", "dataset"}]
    if not unused or not {"algorithm", "dataset"} <= roles.of.keys():
        return ()
    frame, _ = source.load([*roles.labels, *unused], [], [])
    table: pd.DataFrame = frame.collect().to_arrow().to_pandas()
    factors = [name for name in unused if _crosses(table, name, roles)]
    keys = [name for name in roles.labels if name not in roles.of.get("failure", ())]
    unclear = not factors or table.duplicated(subset=[*keys, *factors]).any()
    return () if unclear else tuple(factors)


def _crosses(table: pd.DataFrame, name: str, roles: Roles) -> bool:
    """Return whether a column has a few levels that most algorithms and data sets share."""
    labels = [str(label) for label in table[name].dropna().unique()]
    if not 2 <= len(labels) <= MOST_LEVELS or len(table[name]) != table[name].count():
        return False
    counts = _may_count(labels) and "factor" not in suggested_roles(name)
    if counts or like_replications(labels) or any("/" in label for label in labels):
        return False
    for role in ("algorithm", "dataset"):
        places = table[list(roles.of[role])].drop_duplicates()
        pairs = table[[*roles.of[role], name]].drop_duplicates()
        if len(places) < 2 or 2 * len(pairs) <= len(places) * len(labels):
            return False
    return True


def _may_count(labels: Sequence[str]) -> bool:
    """Return whether labels are whole numbers almost without gaps, as replications have.

    Examples
    --------
    >>> _may_count(["1", "2", "3"]), _may_count(["1", "10", "100"]), _may_count(["0.1", "0.2"])
    (True, False, False)
    """
    known = [number_of(label) for label in labels]
    numbers = [number for number in known if number is not None]
    if len(numbers) < len(labels) or any(number % 1 for number in numbers):
        return False
    return max(numbers) - min(numbers) + 1 <= 1.2 * len(numbers) + 1


def nested_columns(source: Source, roles: Roles) -> tuple[str, ...]:
    """Return the columns named as levels of units, outermost first, that distinguish rows.

    Groups of items come first, those with the fewest names before the others, then items, then what
    repeats one. Empty if there are not two, or if rows of one place have the same names.
    """
    other = [n for n in _left(source, roles) if n not in roles.scores and n not in source.kinds]
    depth: dict[str, int] = {}
    for kind, names in enumerate((GROUPS, ITEMS, REPEATED)):
        for name in (*roles.of.get("replication", ()), *other):
            if common_name(name).rpartition(".")[2] in names:
                depth.setdefault(name, kind)
    if len(depth) < 2 or min(depth.values()) == 2:
        return ()
    rest = [n for n in roles.labels if n not in {*depth, *roles.of.get("failure", ())}]
    frame, _ = source.load([*rest, *depth], [], [])
    table: pd.DataFrame = frame.collect().to_arrow().to_pandas()
    sizes = {name: table[name].nunique() for name in depth}
    levels = [name for name in depth if sizes[name] > 1]
    levels.sort(key=lambda name: (depth[name], sizes[name]))
    unclear = table.duplicated(subset=[*rest, *levels]).any() or table[levels].isna().any(axis=None)
    return () if unclear or len(levels) < 2 else tuple(levels)


def grouping_column(source: Source, roles: Roles, role: str) -> tuple[str, int, int] | None:
    """Return the column without a role that groups replications or data sets, and its numbers.

    It is named as what holds several items, and each replication of a data set, or each data set,
    is in one of fewer groups; of several columns, the one with the fewest. The numbers are those
    of groups and of what they hold.
    """
    names = [n for n in _left(source, roles) if common_name(n).rpartition(".")[2] in GROUPS]
    names = [n for n in names if n not in roles.scores]
    if not names or role not in roles.of:
        return None
    import pandas as pd

    datasets = list(roles.of.get("dataset", ()))
    outer = datasets if role == "replication" else []
    place = [*outer, *roles.of[role]]
    frame, _ = source.load([*place, *names], [], [])
    table: pd.DataFrame = frame.collect().to_arrow().to_pandas()
    items, least = (len(table[n].drop_duplicates()) if n else 1 for n in (place, outer))
    groups: dict[str, int] = {}
    for name in names:
        if not all(map(pd.api.types.is_hashable, table[name])):  # records of a document
            continue
        n = len(table[[*outer, name]].drop_duplicates())
        nested = len(table[[*place, name]].drop_duplicates()) == items
        if nested and least < n < items and not table[name].isna().any():
            groups[name] = n
    return min(((n, groups[n], items) for n in groups), key=lambda row: row[1], default=None)


def _may_be_labels(values: pd.Series[Any]) -> bool:
    """Return whether values may be labels of replications, not measurements or row numbers."""
    import pandas as pd

    if values.isna().any() or (values.astype(str).str.strip() == "").any():
        return False
    numbers = pd.to_numeric(values.astype(str), errors="coerce")
    if numbers.isna().any():
        return True
    return bool((numbers % 1 == 0).all()) and 2 * values.nunique() <= len(values)


def error_column(name: str) -> tuple[str, str] | None:
    """Return the score and the role of a column that is named as an error; None for others.

    The score is empty where the name has none; roles are ``std_error``, ``conf_low``, ``conf_high``
    and ``margin``, which is not known to be a standard error.

    Examples
    --------
    >>> error_column("acc_stderr"), error_column("ci_low"), error_column("rmse")
    (('acc', 'std_error'), ('', 'conf_low'), None)
    """
    plain = re.sub(r"[\s.,\-]+", "_", name.strip().casefold())
    for role, column in _COLUMN.items():
        if (match := column.fullmatch(plain)) is not None:
            return match["score"] or "", role
    return None


def error_columns(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the columns of errors of other columns, each with its score and its role.

    Short names, such as "lower", need a score before them, or a column of the other end.
    """
    known = {name: of for name in names if (of := error_column(name)) is not None}
    plain = {re.sub(r"[\s.,\-]+", "_", name.strip().casefold()) for name in names}
    ends = {role for score, role in known.values() if not score}
    return {
        name: (score, role)
        for name, (score, role) in known.items()
        if score in plain
        or (
            not score
            and (name.strip().casefold() not in _SHORT or {"conf_low", "conf_high"} <= ends)
        )
    }


def errors_of_score(names: Iterable[str], score: str) -> dict[str, str]:
    """Return the role and column of the errors of a score; empty if they tell no standard error.

    Examples
    --------
    >>> errors_of_score(["task", "acc", "acc_stderr"], "acc")
    {'std_error': 'acc_stderr'}
    >>> errors_of_score(["task", "value", "ci_low"], "value")
    {}
    """
    named = error_columns([*names]).items()
    for stem in (score.strip().casefold(), ""):
        columns = {role: name for name, (of, role) in named if of == stem}
        if "std_error" in columns:
            return {"std_error": columns["std_error"]}
        if {"conf_low", "conf_high"} <= set(columns):
            return {role: columns[role] for role in ("conf_low", "conf_high")}
    return {}


def not_scores(columns: Sequence[str], *, usable: bool) -> Finding:
    """Report columns of errors that are not read as scores, and who uses them."""
    n = len(columns)
    hold = "holds" if n == 1 else "hold"
    what = f"{count(n, 'column')} {hold} published errors, no scores: {several(columns)}."
    hint = "compare_meta weighs by them." if usable else ""
    return Finding(PUBLISHED, "note", n, what, (), hint)


ROLES_OF_ERRORS = ("std_error", "conf_low", "conf_high")


def columns_of_errors(
    names: Sequence[str], columns: Mapping[str, str], measures: Sequence[str]
) -> dict[str, str]:
    """Return the role and column of the published errors of a table of scores, if it has any.

    `columns` are roles that are declared, those of errors among them.

    Examples
    --------
    >>> columns_of_errors(["task", "model", "acc", "acc_stderr"], {}, ["acc"])
    {'std_error': 'acc_stderr'}
    """
    of_errors = {role: name for name, role in columns.items() if role in ROLES_OF_ERRORS}
    aside = (*ROLES_OF_ERRORS, IGNORE)
    declared_roles = {n: role for n, role in columns.items() if role not in aside}
    names = [name for name in names if columns.get(name) != IGNORE]
    of = assign(names, declared_roles, "long", measures).of
    if not {"dataset", "algorithm", "value"} <= set(of) or len(of["value"]) != 1:
        return {}
    return of_errors or errors_of_score(names, of["value"][0])
