"""Roles of the columns of a table of scores, by what is said of them and by their names."""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchinfer.core.errors import ScoreTableError, unknown
from benchinfer.core.hints import directions, literal
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import first_of
from benchinfer.scores.coverage import Finding
from benchinfer.scores.resampling import FOLDS, REPEATS

LABELS = ("domain", "dataset", "replication", "algorithm", "measure")
# Beside the labels: why there is no score, whether the score is no result but filled in, and
# whether the run was solved, stopped at its limit or crashed.
REMARKS = ("failure", "imputed", "status")
ROLES = (*LABELS, "value", *REMARKS)
IGNORE = "ignore"  # in place of a role, of a column that is left out
# Roles of the levels within a replication: items of a passage, answers to an item.
JOINT = "\0"  # between labels of nested units, and before any character in their order
INNER = tuple(f"level_{i}" for i in range(2, 9))
SIZE = "size"  # the column of the number of items of a unit, in tables that were reduced to units
# Layout to the pattern of the columns of scores.
LAYOUTS = {
    "long": "",
    "wide-algorithms": "{algorithm}",
    "wide-measures": "{measure}",
    "rows-are-algorithms": "{dataset}",
}
# The first name of a role is its own and wins over the others. Compared without case, spaces,
# dashes and dots, and without "_name" or "_id" at the end.
COMMON: dict[str, tuple[str, ...]] = {
    "domain": ("domain",),
    "dataset": ("dataset", "data_set", "data", "task", "problem", "instance"),
    "replication": (
        *("replication", "replicate", "rep", "repeat", "repetition", "fold", "seed", "run"),
        *("iteration", "iter", "resample", "split", "trial", "item", "random_state", "cv_fold"),
    ),
    "algorithm": ("algorithm", "model", "method", "learner", "classifier", "estimator", "system"),
    "measure": ("measure", "metric"),
    "value": ("value", "score", "result", "performance"),
    "failure": ("failure", "info", "exception", "error_message"),
    "imputed": ("imputed",),
    "status": (),  # recognised by `status_role` where a measure has a limit
}

STATUS = ("status", "runstatus", "run_status")  # where a measure has a limit
# Names of what is asked several times: its answers depend on each other.
ITEMS = {"item", "question", "prompt", "doc", "document", "problem", "passage", "query"}
# Names of what holds several items, which depend on each other.
GROUPS = (
    *("passage", "paragraph", "context", "document", "doc", "article", "story", "repository"),
    *("repo", "conversation", "dialogue", "dialog", "thread", "group", "cluster", "topic"),
)
# Names of what is repeated for one item: such a level holds answers, not items.
REPEATED = (
    *("answer", "epoch", "attempt", "sample", "trial", "repeat", "repetition", "replication"),
    *("replicate", "rep", "seed", "run", "generation", "completion", "response", "draw"),
)
# Names of what is no role by itself, with the role that it may be.
_MEANING = {
    "domain": ("category", "area", "family", "field", "task_type", "collection"),
    "failure": ("status", "state", "outcome", "exit_status", "error", "reason"),
}
_SIZES = re.compile(
    r"(#|n|no|nr|num|number|count)(_of)?_?(rows|columns|features|classes|samples|instances|train"
    r"|test|observations|examples|items|points|sequences|variants|tokens|params|parameters)"
    r"|rows|samples|instances|observations|sequences|params|parameters"
    r"|(\w+_)?(size|length|count)|dim|dimension|flops|class_ratio|imbalance"
)
# Columns that say out of how many a score is counted.
_TRIALS = re.compile(r"n|(n|num|number)?[ _-]?(of[ _-])?(trials|items|questions|examples|attempts)")


def slots(covariates: Sequence[str]) -> list[str]:
    """Return the column names of covariates in a loaded frame, which avoid users' own names.

    Examples
    --------
    >>> slots(["n_rows", "size"])
    ['benchinfer_covariate_0', 'benchinfer_covariate_1']
    """
    return [f"benchinfer_covariate_{i}" for i in range(len(covariates))]


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns of a table by role.

    Attributes
    ----------
    of
        Role to the columns that play it: one, or several whose labels are joined.
    wide
        In a wide layout, the columns that hold scores, each with what its name says: role to label.
    layout
        The layout of the table, or the pattern of its columns of scores.
    findings
        What was recognised, is absent or is ambiguous.
    covariates
        Numeric columns that are kept; they may hold labels too, but not scores.
    """

    of: Mapping[str, tuple[str, ...]]
    wide: Mapping[str, Mapping[str, str]]
    layout: str
    findings: tuple[Finding, ...]
    covariates: tuple[str, ...] = ()

    @property
    def labels(self) -> list[str]:
        """The columns that hold labels and remarks."""
        return [name for role in (*LABELS, *INNER, *REMARKS) for name in self.of.get(role, ())]

    @property
    def units(self) -> tuple[str, ...]:
        """The columns of nested units, outermost first; none where units are not nested."""
        inner = [name for role in INNER for name in self.of.get(role, ())]
        return (*self.of.get("replication", ()), *inner) if inner else ()

    @property
    def scores(self) -> list[str]:
        """The columns that hold scores."""
        return [*self.of.get("value", ()), *self.wide]

    @property
    def spread(self) -> tuple[str, ...]:
        """The roles that the names of wide columns play; none in a long table."""
        return tuple(next(iter(self.wide.values()), ()))

    def has(self, role: str) -> bool:
        """Return whether the table has the role, as a column or in the names of wide columns."""
        return role in self.of or (bool(self.wide) and role in {"value", *self.spread})


@dataclass(frozen=True, slots=True)
class _Search:
    names: Sequence[str]
    covariates: Sequence[str] = ()
    of: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    findings: list[Finding] = field(default_factory=list[Finding])
    # Roles of columns that `columns` names and the table does not have.
    without: set[str] = field(default_factory=set[str])

    @property
    def left(self) -> list[str]:
        used = {name for names in self.of.values() for name in names}.union(self.covariates)
        return [name for name in self.names if name not in used]


def assign(
    names: Sequence[str],
    columns: Mapping[str, str] | None,
    layout: str,
    measures: Sequence[str],
    covariates: Sequence[str] = (),
    features: Sequence[str] = (),
) -> Roles:
    """Return the role of each column of a table of scores, with findings on unclear ones."""
    pattern = LAYOUTS.get(layout, layout)
    if layout not in LAYOUTS and not placeholders(layout):
        raise ScoreTableError(unknown("layout", layout, ("auto", *LAYOUTS, "fold_{replication}")))
    says = placeholders(pattern)
    _refuse_roles(says, layout)
    scores = [name for name, role in (columns or {}).items() if role == "value"]
    scores += measures if layout == "wide-measures" else ()
    numeric, faults = _covariates(names, covariates, scores)
    search = _Search(names, numeric, findings=faults)
    _given(search, columns or {})
    by_name = not pattern and _have_columns(search, measures)
    if by_name and len(measures) == 1:
        search.of["value"] = (measures[0],)
    # A wide table has no column for what its column names say, nor for the scores.
    absent = {*says, "value"} if pattern or by_name else set[str]()
    _recognised(search, [r for r in ROLES if r not in search.of and r not in absent])
    wide: dict[str, dict[str, str]] = {}
    if pattern:
        form = expression(pattern, {"measure": measures})
        matches = {name: form.fullmatch(name) for name in search.left}
        wide = {name: match.groupdict() for name, match in matches.items() if match is not None}
        if layout not in LAYOUTS and wide:
            search.findings.append(_by_pattern(layout, wide))
        if "measure" in says and measures:
            _without_column(search, measures, wide)
    elif "value" not in search.of and len(measures) == 1 and measures[0] in search.left:
        search.of["value"] = (measures[0],)
    _missing(search, layout, wide, measures)
    unused = [name for name in search.left if name not in wide and name not in features]
    if unused and (wide or "value" in search.of):
        what = f"{len(unused)} {_plural('column', len(unused))} not used: {', '.join(unused)}."
        hint = "columns={...} gives a column a role."
        hint += _by_name(unused, search.of) + _out_of(unused)
        search.findings.append(Finding("unused columns", "note", len(unused), what, (), hint))
    return Roles(search.of, wide, layout, tuple(search.findings), tuple(numeric))


def _have_columns(search: _Search, measures: Sequence[str]) -> bool:
    """Return whether the declared measures are columns, of a table without one of their names."""
    names = [name for name in search.left if common_name(name) in COMMON["measure"]]
    open_roles = not names and not {"value", "measure"} & {*search.of}
    return open_roles and bool(measures) and {*measures} <= {*search.left}


def names_size(name: str) -> bool:
    """Return whether a column is named as a size of data sets or algorithms.

    Examples
    --------
    >>> [names_size(name) for name in ("n rows", "#samples", "train_size", "n", "knn")]
    [True, True, True, True, False]
    """
    plain = common_name(name)
    return plain == "n" or _SIZES.fullmatch(plain) is not None


def _by_name(unused: Sequence[str], of: Mapping[str, Sequence[str]]) -> str:
    """Return a hint on unused columns whose names suggest a role; empty without one."""
    plain = {name: common_name(name) for name in unused}
    ways: list[str] = []
    for role, names in _MEANING.items():
        there = [name for name in unused if plain[name] in names and role not in of][:1]
        ways += [f"columns={ {name: role}!r}" for name in there]
    numbers = tuple(name for name in unused if _SIZES.fullmatch(plain[name]))
    ways += [f"covariates={literal(numbers)}"] if numbers else []
    if not ways:
        return ""
    return f" By their names: {'; '.join(ways)}."


def _out_of(unused: Sequence[str]) -> str:
    """Return a hint on a column that seems to hold numbers of trials; nothing without one."""
    name = next((name for name in unused if _TRIALS.fullmatch(name.lower())), None)
    if name is None:
        return ""
    return (
        f" If a score is counted out of {name}, divide counts by it and keep it"
        f" (covariates={literal(name)}):"
        f' compare_bayes(..., likelihood="binomial") with trials={literal(name)} knows how'
        " precise each score is."
    )


def level_columns(
    units: Sequence[str], columns: Mapping[str, str] | None, names: Sequence[str]
) -> dict[str, str] | None:
    """Return column to role with those of the levels: the outermost is the replication."""
    given = dict(columns or {})
    if odd := [name for name, role in given.items() if role in INNER]:
        raise ScoreTableError(
            f"columns={ {odd[0]: given[odd[0]]}!r}: there is no role {given[odd[0]]!r}.",
            hint='units=("item", "answer") names the levels.',
        )
    if not units:
        return None if columns is None else given
    by_role = [name for name, role in given.items() if role == "replication"]
    levels = [_column(name, by_role, names, units) for name in units]
    if other := [name for name in by_role if name not in levels]:
        raise ScoreTableError(
            f"columns={ {other[0]: 'replication'}!r}: the column is no level of"
            f" {', '.join(units)}.",
            hint=f"name it among units={literal((*units, other[0]))}, where it belongs.",
        )
    if both := [name for name in levels if given.get(name, "replication") != "replication"]:
        raise ScoreTableError(
            f"the column {both[0]!r} is said to be the {given[both[0]]}, and a level of units.",
            hint="give a column one of both.",
        )
    roles = ("replication", *INNER)
    return given | dict(zip(levels, roles, strict=False))


def _column(level: str, by_role: Sequence[str], names: Sequence[str], units: Sequence[str]) -> str:
    """Return the column of a level; ``replication`` may be a column of another common name."""
    if level in names or level != "replication":
        return level
    usual = [n for n in names if common_name(n) in COMMON["replication"] and n not in units]
    return [*by_role, *usual, level][0]


def status_role(
    columns: Mapping[str, str] | None, names: Sequence[str], measures: Sequence[Measure]
) -> Mapping[str, str] | None:
    """Return the roles of columns with that of a column of status, where a measure has a limit."""
    if all(m.limit is None for m in measures) or "status" in (columns or {}).values():
        return columns
    there = [name for name in names if common_name(name) in STATUS and name not in (columns or {})]
    return {**(columns or {}), there[0]: "status"} if len(there) == 1 else columns


def placeholders(pattern: str) -> list[str]:
    """Return the names in braces of a pattern.

    Examples
    --------
    >>> placeholders("split{replication}_test_{measure}")
    ['replication', 'measure']
    """
    return re.findall(r"\{(\w+)\}", pattern)


def expression(pattern: str, alternatives: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    """Return the regular expression of a pattern: ``*`` is any text, each name in braces a group.

    A name that occurs twice is the same text at both places. A pattern is as in
    ``"split{replication}_test_{measure}"``; `alternatives` are the only texts that a name may stand
    for.

    Examples
    --------
    >>> expression("split{replication}_test", {}).fullmatch("split3_test")["replication"]
    '3'
    """
    parts = re.split(r"(\{\w+\}|\*)", pattern)
    texts: list[str] = []
    for i, part in enumerate(parts):
        if part == "*":
            texts.append(".*")
        elif part.startswith("{") and part in parts[:i]:
            texts.append(f"(?P={part[1:-1]})")
        elif part.startswith("{"):
            known = sorted(alternatives.get(part[1:-1], ()), key=len, reverse=True)
            texts.append(f"(?P<{part[1:-1]}>{'|'.join(map(re.escape, known)) or '.+?'})")
        else:
            texts.append(re.escape(part))
    return re.compile("".join(texts), re.DOTALL)


def _refuse_roles(says: Sequence[str], layout: str) -> None:
    """Raise a ScoreTableError where a name in braces is not a role of labels, or occurs twice."""
    odd = [name for name in says if name not in LABELS] or [
        name for name in says if says.count(name) > 1
    ]
    if odd:
        raise ScoreTableError(
            f"{layout=}: {{{odd[0]}}} is no role, or is there twice.",
            hint=f"in braces, each once: {', '.join(LABELS)}.",
        )


def _plural(noun: str, n: int) -> str:
    return noun if n == 1 else noun + "s"


def _covariates(
    names: Sequence[str], requested: Sequence[str], scores: Sequence[str]
) -> tuple[list[str], list[Finding]]:
    """Return the covariates that can be read, and a fault for each that cannot."""
    covariates: list[str] = []
    faults: list[Finding] = []
    for name in dict.fromkeys(requested):
        if name not in names:
            what = f"there is no column {name!r} to be a covariate."
            faults.append(no_column(what, name, names, names))
        elif name in scores:
            what = f"the column {name!r} is said to hold scores, and to be a covariate."
            hint = "leave it out of covariates=, or keep a copy of it under another name."
            faults.append(Finding("covariate of scores", "error", 1, what, (), hint))
        elif name in ROLES:
            what = f"a covariate cannot be called {name!r}, which is the name of a role."
            hint = "give the column another name, or keep a copy of it under another name."
            faults.append(Finding("covariate named as a role", "error", 1, what, (), hint))
        else:
            covariates.append(name)
    return covariates, faults


def no_column(what: str, name: str, names: Sequence[str], known: Sequence[str]) -> Finding:
    """Report that a column is not there, with the nearest of those known."""
    near = next(iter(difflib.get_close_matches(name, known, 1)), "")
    hint = f"did you mean {near!r}? " if near else ""
    hint += f"The table has: {', '.join(names)}."
    return Finding("missing columns", "error", 1, what, (), hint, near=near)


def _given(search: _Search, columns: Mapping[str, str]) -> None:
    """Assign the roles of `columns`, column to role."""
    for name, role in columns.items():
        if pairs := _several_pairs(name, role, search.names):
            what = f"there is no column {name!r}: each column is said by itself."
            raise ScoreTableError(what, hint=f"columns={pairs!r}.")
        if role not in (*ROLES, *INNER):
            hint = unknown("role", role, (*ROLES, IGNORE)).hint[0]
            if name in ROLES and role in search.names:
                hint = f"the other way round: columns={ {role: name}!r}."
            what = f"columns={ {name: role}!r}: there is no role {role!r}."
            raise ScoreTableError(what, hint=hint)
        if name not in search.names:
            what = f"there is no column {name!r} to be the {role}."
            search.findings.append(no_column(what, name, search.names, search.names))
            search.without.add(role)
        else:
            search.of[role] = (*search.of.get(role, ()), name)
    for role, names in search.of.items():
        if len(names) < 2:
            continue
        if role == "value":
            search.findings.append(_several(role, list(names)))
        else:
            what = f"the {role} is joined from {len(names)} columns: {'/'.join(names)}."
            search.findings.append(Finding("joined columns", "note", len(names), what))


def _several_pairs(name: str, role: str, names: Sequence[str]) -> dict[str, str]:
    """Return the columns and roles in a text given as one name, such as ``a=dataset,b``."""
    pairs = [text.rpartition("=") for text in f"{name}={role}".split(",")]
    roles = {column.strip(): of.strip() for column, _, of in pairs}
    fits = len(roles) > 1 and set(roles) <= set(names) and set(roles.values()) <= set(ROLES)
    return roles if fits and name not in names else {}


def _recognised(search: _Search, roles: Sequence[str]) -> None:
    """Recognise the common names of the roles that are still open."""
    rows: list[tuple[str, str]] = []
    for role in roles:
        hits = {
            name: common_name(name) for name in search.left if common_name(name) in COMMON[role]
        }
        exact = [name for name, plain in hits.items() if plain == role]
        chosen = exact or list(hits)
        if len(hits) == 2 and {*hits.values()} & {*FOLDS} and {*hits.values()} & {*REPEATS}:
            both = sorted(hits, key=lambda name: hits[name] in FOLDS)  # inside its repeat
            search.of[role] = tuple(both)
            rows.append((" and ".join(both), role))
            continue
        if len(chosen) > 1:
            search.findings.append(_several(role, chosen))
        if chosen:
            search.of[role] = (chosen[0],)
            if chosen[0] != role:
                rows.append((chosen[0], role))
    if rows:
        what = "columns recognised by name: " + ", ".join(f"{a} as {b}" for a, b in rows) + "."
        hint = "columns={...} changes that."
        search.findings.append(Finding("recognised columns", "note", len(rows), what, (), hint))


def common_name(name: str) -> str:
    """Return a name of a column in small letters, without "_name" or "_id" at its end."""
    plain = re.sub(r"[\s.\-]+", "_", name.strip().casefold())
    return re.sub(r"_(name|id)$", "", plain)


def _several(role: str, names: list[str]) -> Finding:
    hint = f"columns={ {names[0]: role}!r} chooses one"
    if role != "value":
        hint += f"; columns={dict.fromkeys(names, role)!r} joins them"
    what = f"{len(names)} columns could be the {role}: {', '.join(names)}."
    return Finding("ambiguous columns", "error", len(names), what, (), hint + ".")


def _missing(
    search: _Search, layout: str, wide: Mapping[str, object], measures: Sequence[str]
) -> None:
    """Report the roles without which nothing can be compared."""
    needed = ["algorithm", "value"] if layout == "long" else ["algorithm"]
    says = placeholders(LAYOUTS.get(layout, layout))
    absent = [role for role in needed if role not in search.of and role not in says]
    for role in absent:
        if role in search.without:
            continue  # reported already, by the user's own name for it
        scores = layout == "long" and role == "value"
        hint = f"columns={ {'NAME': role}!r} says which it is; the table has: "
        if scores and not measures:
            declared = f"{directions(tuple(search.left) if len(search.left) == 1 else ())}"
            hint = f"name it: {declared}; the table has: "
        hint += f"{', '.join(first_of(search.names))}."
        close = (n for m in measures for n in difflib.get_close_matches(m, search.left, 1))
        near = next(close, "") if scores and not {*measures} & {*search.left} else ""
        if scores and (hits := [m for m in measures if m in search.left]):
            hint = f'layout="wide-measures" reads {", ".join(hits)} as columns of scores.'
        elif near:
            hint = f"did you mean the measure {near!r}? " + hint
        elif layout == "long" and role == "algorithm" and "value" not in search.of:
            hint += '\nlayout="wide-algorithms" reads one column per algorithm.'
        what = f"which column holds the {'score' if role == 'value' else role}?"
        search.findings.append(Finding("missing columns", "error", 1, what, (), hint, near=near))
    if layout != "long" and not wide and not ("measure" in says and measures):
        what = f"there is no column of scores to read with {layout=}."
        hint = f"the table has: {', '.join(search.names)}."
        search.findings.append(Finding("missing columns", "error", 1, what, (), hint))


def _by_pattern(layout: str, wide: Mapping[str, Mapping[str, str]]) -> Finding:
    """Report how the names of columns were read."""
    first = next(iter(wide))
    labels = ", ".join(f"{role} {label}" for role, label in wide[first].items())
    what = (
        f"{len(wide)} {_plural('column', len(wide))} of scores by {layout=}: {first} is {labels}."
    )
    return Finding("columns by pattern", "note", len(wide), what)


def _without_column(
    search: _Search, measures: Sequence[str], wide: Mapping[str, Mapping[str, str]]
) -> None:
    """Report declared measures that no column of a wide table is named after."""
    there = {labels["measure"] for labels in wide.values()}
    left = [name for name in search.left if name not in wide]
    for measure in measures:
        if measure in there:
            continue
        what = f"there is no column of scores for the measure {measure!r}."
        fault = no_column(what, measure, search.names, left)
        if used := [role for role, names in search.of.items() if measure in names]:
            hint = f"it is read as the {used[0]}; columns={{...}} changes that. "
            hint += f"The table has: {', '.join(search.names)}."
            fault = replace(fault, hint=hint, near="")
        search.findings.append(fault)


def unnamed_index(roles: Roles, labels: Sequence[str]) -> list[Finding]:
    """Report labels in an index without a name, which would be lost."""
    if not labels:
        return []
    shown = ", ".join(labels)
    open_roles = [r for r in ("dataset", "algorithm", "replication") if not roles.has(r)]
    if roles.layout == "long" and not {"dataset", "algorithm"} & set(open_roles):
        what = f"the index has no name and is not used: {shown}."
        hint = 'df.rename_axis("replication") names it.'
        return [Finding("unnamed index", "warning", 1, what, (), hint)]
    what = f"the index has labels, but no name: {shown}."
    hint = f'name it: df.rename_axis("{[*open_roles, "dataset"][0]}"), several levels by a list;\n'
    hint += "df.reset_index(drop=True) leaves it out."
    return [Finding("unnamed index", "error", 1, what, (), hint)]


# Kind to what is said of it and what to give instead; those below may not be labels either.
_KINDS = {
    "complex": (
        "complex numbers, which have no order",
        "a real number, such as the absolute value",
    ),
    "duration": ("durations", "numbers of seconds"),
    "date": ("dates or times", "a number, such as the seconds since the start"),
    "nested": ("lists or records", "one number or text in each place"),
    "bytes": ("bytes", "text or numbers: decode them first"),
    "object": ("Python objects", "text or numbers: cast the column first"),
}
_NO_LABELS = ("duration", "nested", "bytes", "object")


def odd_kinds(roles: Roles, kinds: Mapping[str, str]) -> list[Finding]:
    """Report columns of labels, scores or covariates that hold neither text nor numbers."""
    findings: list[Finding] = []
    for kind, (what, hint) in _KINDS.items():
        for whose, columns in (
            ("labels", roles.labels if kind in _NO_LABELS else ()),
            ("scores", roles.scores),
            ("covariates", roles.covariates),
        ):
            names = [name for name in columns if kinds.get(name) == kind]
            if names:
                said = (
                    f"{_plural('column', len(names))} {', '.join(names)}: the {whose} are {what}."
                )
                findings.append(
                    Finding(f"{kind} values", "error", len(names), said, (), f"{hint}.")
                )
    return findings
