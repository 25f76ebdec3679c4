"""New names of algorithms and data sets."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import narwhals as nw

from benchinfer.core.arguments import is_text
from benchinfer.core.errors import ScoreTableError
from benchinfer.core.hints import literal
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, several
from benchinfer.scores.columns.engines import Frame, encoded
from benchinfer.scores.coverage import Finding
from benchinfer.scores.numerics.places import Places
from benchinfer.scores.rows.summary import labels_of

type Names = Mapping[str, str]
# Role to what its labels are called; measures have a label beside their name.
_NOUNS = {"algorithm": "algorithm", "dataset": "data set", "measure": "measure"}


def check_names(names: object) -> dict[str, str]:
    """Return new names by old ones; raise a ScoreTableError unless they are a mapping of texts."""
    pairs = cast("Mapping[object, object]", names) if isinstance(names, Mapping) else None
    if pairs is None or not all(isinstance(new, str) for new in pairs.values()):
        raise ScoreTableError(
            f"{names=} is no mapping of names to new names.",
            hint='names={"NAME": "NEW"}.',
        )
    texts = {str(name): str(new) for name, new in pairs.items()}
    if bad := [name for name, new in texts.items() if not (new.strip() and is_text(new))]:
        raise ScoreTableError(
            f"{count(len(bad), 'new name')} without text in UTF-8, of: {several(bad)}.",
            hint=f"names={literal({bad[0]: 'NEW'})}.",
        )
    return texts


def renamed[Table: (Frame, Places)](
    table: Table, names: Names, measures: Sequence[Measure], findings: list[Finding]
) -> Table:
    """Return canonical columns or places under new names; report them, and those that do not fit.

    A name is replaced wherever it is that of an algorithm or a data set.
    """
    if isinstance(table, Places):
        labels = {role: set(getattr(table, f"{role}s")) for role in _NOUNS}
    else:
        columns = table.collect_schema().names()
        labels = {role: labels_of(table, role) if role in columns else set() for role in _NOUNS}
    labels["measure"] |= {m.name for m in measures}
    if faults := [*_unknown(labels, names), *_merged(labels, names)]:
        findings += faults
        return table
    replaced = [f"{name} by {new}" for name, new in names.items()]
    what = f"{count(len(names), 'name')} replaced: {', '.join(replaced)}."
    findings.append(Finding("names replaced", "note", len(names), what))
    if isinstance(table, Places):
        return _renamed_places(table, names)
    columns = [nw.col(role).cast(nw.String) for role in ("dataset", "algorithm") if labels[role]]
    old, new = list(names), list(names.values())
    parts = (c.replace_strict(old, new, default=c, return_dtype=nw.String) for c in columns)
    return encoded(table.with_columns(*parts))


def _renamed_places(places: Places, names: Names) -> Places:
    """Return the places with data sets and algorithms in the order of their new names."""
    datasets, algorithms = (
        [names.get(name, name) for name in role] for role in (places.datasets, places.algorithms)
    )
    d = sorted(range(len(datasets)), key=datasets.__getitem__)
    k = sorted(range(len(algorithms)), key=algorithms.__getitem__)
    return replace(
        places,
        datasets=tuple(sorted(datasets)),
        algorithms=tuple(sorted(algorithms)),
        row=places.row.take(d, axis=1),
        value=places.value.take(k, axis=1),
    )


def _unknown(labels: Mapping[str, set[str]], names: Names) -> list[Finding]:
    """Report names that the table does not have, with those that are near."""
    known = sorted(set[str]().union(*labels.values()))
    strange = [name for name in names if name not in known]
    if not strange:
        return []
    near = {name: difflib.get_close_matches(name, known, 3) for name in strange}
    pairs = [f"{name} (did you mean {' or '.join(close)}?)" if close else name
             for name, close in near.items()]  # fmt: skip
    verb = "is none" if len(strange) == 1 else "are none"
    what = f"{count(len(strange), 'name')} to replace {verb} of the table: {', '.join(pairs)}."
    there = "; ".join(
        f"{_NOUNS[role]}s: {several(sorted(of), shown=10)}" for role, of in labels.items() if of
    )
    return [Finding("unknown names", "error", len(strange), what, (), f"the table has {there}.")]


def _merged(labels: Mapping[str, set[str]], names: Names) -> list[Finding]:
    """Report algorithms or data sets that would have the same name."""
    findings: list[Finding] = []
    for role in ("algorithm", "dataset"):
        sources: dict[str, list[str]] = {}
        for name in sorted(labels[role]):
            sources.setdefault(names.get(name, name), []).append(name)
        shared = {new: olds for new, olds in sources.items() if len(olds) > 1}
        if not shared:
            continue
        said = "; ".join(f"{' and '.join(olds)} would be {new}" for new, olds in shared.items())
        what = f"{count(len(shared), 'new name')} of several {_NOUNS[role]}s: {said}."
        hint = (
            f"give each its own name; where they are one {_NOUNS[role]}, write the same name into"
            " the table."
        )
        findings.append(Finding("names that become one", "error", len(shared), what, (), hint))
    return findings
