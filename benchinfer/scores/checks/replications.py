"""Findings on replications: which column tells rows apart, and which are in groups."""

from __future__ import annotations

from dataclasses import replace

from benchinfer.core.hints import literal
from benchinfer.core.numbers import count, join
from benchinfer.scores.checks.faults import Reading
from benchinfer.scores.checks.findings import scores_at_a_limit, swapped_roles
from benchinfer.scores.columns import GROUPS, ITEMS, Roles, common_name
from benchinfer.scores.coverage import Finding
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.rows.nesting import counted, noun, plural
from benchinfer.scores.sources.curves import STEPS, TARGETS, TRACES
from benchinfer.scores.sources.frames import Source
from benchinfer.scores.sources.layouts import grouping_column, nested_columns, telling_column


def distinguished(finding: Finding, origin: Source, reading: Reading) -> Finding:
    """Return the finding on duplicate rows with a hint on the column that distinguishes them."""
    roles = reading.roles
    if finding.rule != "duplicate rows":
        return finding
    of_tool = origin.known.steps if origin.known is not None else ""
    name, replication = of_tool or telling_column(origin, roles), roles.of.get("replication", ())
    nested = nested_columns(origin, roles)
    if nested and nested != (*replication, name) and not of_tool:
        hint = (
            f"{join(nested)} tell them apart: units={literal(nested)} counts {plural(nested[0])},"
            " and averages over what each holds."
        )
        return replace(finding, hint=hint, proposes=(("units", nested),))
    if name is None:
        return finding
    items = {common_name(n) for n in replication} & ITEMS
    if common_name(name) in STEPS and not items:
        what = f"rows of one place differ in their {name}, as the points of a curve do:"
        hint = f"{what} take={literal(f'last:{name}')} compares their last ones."
        if name in TRACES:
            hint += (
                f"\nread_traces(targets={literal(TARGETS)}) compares what runs spend until they"
                " reach values."
            )
        return replace(finding, hint=hint, proposes=(("take", f"last:{name}"),))
    if common_name(name) in GROUPS and replication:
        inner = " and ".join(replication)
        hint = (
            f"{inner} repeats in each {name}: units={literal((name, *replication))} averages over"
            f" {inner} and counts {name}."
        )
        return replace(finding, hint=hint, proposes=(("units", (name, *replication)),))
    labels = dict.fromkeys((*replication, name), "replication")
    hint = f"the column {name} tells them apart: columns={labels!r}."
    repeats, proposes = max(int(row[-1]) for row in finding.where[1:]), finding.proposes
    if replication and 1 < repeats <= reading.summary.replications.max():
        inside = " and ".join(replication)
        hint = (
            f"the column {name} repeats within {inside}: units={literal((*replication, name))}"
            f" averages over it and counts {inside}.\nOnly where each {name} was drawn by itself"
            f" is it a label of replications, too: columns={labels!r}."
        )
        proposes = (("units", (*replication, name)),)
    return replace(finding, hint=hint, proposes=proposes)


def _answers_as_replications(roles: Roles) -> Finding | None:
    """Warn where the answers to one item count as independent replications."""
    names = roles.of.get("replication", ())
    items = [n for n in names if common_name(n) in ITEMS]
    inner = [name for name in names if name not in items]
    if not items or not inner:
        return None
    what = (
        f"replications are named by {' and '.join(names)}: the answers to one {items[0]} count as"
        " independent ones, which they are not."
    )
    hint = (
        f"units={literal((*items, *inner))} averages over {' and '.join(inner)} and counts"
        f" {items[0]}; tests of joined answers claim too much."
    )
    return Finding("joined replications", "warning", len(names), what, (), hint)


def _in_groups(origin: Source, roles: Roles, role: str) -> list[Finding]:
    """Warn where items or data sets that count as independent are in groups, by their column."""
    if (group := grouping_column(origin, roles, role)) is None:
        return []
    name, groups, n = group
    if role == "replication":
        rule, members = "items in groups", counted(n, roles.of[role][0])
        hint = (
            f"units={literal((name, *roles.of[role]))} counts {plural(name)}, and says how"
            " much the others depend on each other."
        )
    else:
        rule, members = "data sets in groups", count(n, "data set")
        hint = (
            f"columns={ {name: 'domain'}!r} names the groups; compare_mixed with"
            f' domains="random" takes the {plural(name)} as the sample.'
        )
    what = (
        f"the column {name} puts {members} in {counted(groups, name)}: those of one {noun(name)}"
        " may depend on each other, and count as independent."
    )
    return [Finding(rule, "warning", groups, what, (), hint)]


def reading_notes(reading: Reading, scheme: Resampling | None, origin: Source) -> list[Finding]:
    """Report findings that need the rows, their source and the declarations together."""
    findings: list[Finding] = []
    summary = reading.summary
    unused = [m.name for m in reading.measures if m.name not in summary.measures]
    if unused and summary.measures and reading.roles.has("measure"):
        what = f"declared, but without scores: {', '.join(unused)}."
        hint = f"the table has scores of: {', '.join(summary.measures)}."
        findings.append(Finding("measure without scores", "warning", len(unused), what, (), hint))
    if (joined := _answers_as_replications(reading.roles)) is not None:
        findings.append(joined)
    items = scheme is not None and scheme.kind == "items"
    names = map(common_name, reading.roles.of.get("replication", ()))
    of_items = (items or not ITEMS.isdisjoint(names)) and not reading.roles.units
    grouped = _in_groups(origin, reading.roles, "replication") if of_items else []
    if not grouped and "domain" not in reading.roles.of:
        grouped = _in_groups(origin, reading.roles, "dataset")
    findings += grouped
    if reading.roles.has("replication") and summary.datasets and not items:
        swapped = swapped_roles(summary.datasets, reading.rows.replications())
        findings += [swapped] if swapped else []
    return [*findings, *scores_at_a_limit(reading, origin)]
