"""Columns that tell apart rows of the same place."""

from __future__ import annotations

from dataclasses import replace

from benchinfer.core.hints import literal
from benchinfer.core.numbers import join
from benchinfer.scores.checks.faults import Reading
from benchinfer.scores.columns.roles import COMMON, GROUPS, ITEMS, Roles, common_name
from benchinfer.scores.coverage import Finding
from benchinfer.scores.rows.factors import FACTOR
from benchinfer.scores.rows.nesting import plural
from benchinfer.scores.sources.curves import STEPS, TARGETS, TRACES
from benchinfer.scores.sources.frames import Source
from benchinfer.scores.sources.layouts import crossing_columns, nested_columns, telling_column


def distinguished(finding: Finding, origin: Source, reading: Reading) -> Finding:
    """Return the finding on duplicate rows with a hint on the column that distinguishes them."""
    roles = reading.roles
    of_tool = origin.known.steps if origin.known is not None else ""
    name, replication = of_tool or telling_column(origin, roles), roles.of.get("replication", ())
    nested = nested_columns(origin, roles)
    if nested and nested != (*replication, name) and not of_tool:
        hint = (
            f"{join(nested)} tell them apart: units={literal(nested)} counts {plural(nested[0])},"
            " and averages over what each holds."
        )
        return replace(finding, hint=hint, proposes=(("units", nested),))
    factors = crossing_columns(origin, roles)
    if name is None:
        return _of_factors(finding, factors, roles) if factors else finding
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
    if factors:
        return _of_factors(finding, factors, roles)
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


def _of_factors(finding: Finding, factors: tuple[str, ...], roles: Roles) -> Finding:
    """Return the finding with a hint that columns which cross everything are factors.

    A column of algorithms that is one by the format of a tool has to be named beside them.
    """
    algorithms = roles.of.get("algorithm", ())
    unknown = [name for name in algorithms if common_name(name) not in COMMON["algorithm"]]
    cross = f"the column {factors[0]} crosses" if len(factors) == 1 else f"{join(factors)} cross"
    columns = literal(dict.fromkeys(unknown, "algorithm") | dict.fromkeys(factors, FACTOR))
    hint = (
        f"{cross} algorithms and data sets, as parts of an algorithm do: columns={columns} compares"
        " their levels."
    )
    return replace(finding, hint=hint)
