"""Sections of a plan."""

import math

from benchinfer.analyses.plan import allocation, result
from benchinfer.analyses.plan.allocation import Allocation
from benchinfer.analyses.plan.numerics.allocation import limits
from benchinfer.analyses.plan.numerics.power import Bound, Uncertain
from benchinfer.analyses.plan.result import Plan
from benchinfer.core.citations import bibtex
from benchinfer.core.numbers import brief, percent, significant
from benchinfer.core.sections import Column, Figure, Section, Table, number
from benchinfer.scores.rows.nesting import plural

_AIMS = {
    "difference": "a difference",
    "equivalence": "equivalence",
    "non-inferiority": "non-inferiority",
}


def plan_sections(plan: Plan) -> tuple[Section, ...]:
    """Return the sections about a plan."""
    first, *rest = result.sentences(plan)
    tables = () if plan.floor is None else (designs(plan),)
    domain = plan.question.target == "domain"
    variance = "2 (v + e / R) / D" if domain else "2 e / (D R)"
    meaning = "v the variance between data sets and " if domain else ""
    assumptions = (
        "The difference of two algorithms on D data sets with R replications each has the variance"
        f" {variance}, with {meaning}e the noise of a score. Variances are those of the average"
        " pair, scores near normal and the design complete."
        + (" Data sets are a random sample of the domain." if domain else "")
    )
    return (
        Section(
            title=f"A plan to show {_AIMS[plan.question.aim]}",
            lead=first,
            text=tuple(rest),
            figures=(Figure(plan, "power", "Power of this design and of those around it."),),
            tables=tables,
        ),
        Section(
            title="What the plan rests on",
            text=(assumptions,),
            facts=_facts(plan),
        ),
    )


def allocation_sections(plan: Allocation) -> tuple[Section, ...]:
    """Return the sections about an allocation to nested units."""
    first, *rest = allocation.sentences(plan)
    frame = plan.summary().assign(unit=[plural(name) for name in plan.levels])
    columns = [
        Column("unit", "level", role="name"),
        number("n_pilot", "number", lambda n: f"{n:,.10g}" if n == round(n) else f"{n:,.1f}"),
        number("share", "share of the variance", percent),
        number("std_error_doubled", "error with twice as many", significant),
        number("std_error_least", "error however many", significant),
    ]
    if "n_needed" in frame:
        columns.append(
            number(
                "n_needed", f"for {plan.wanted:g}", lambda n: _whole(n) if n < math.inf else "none"
            )
        )
    if "n_planned" in frame:
        columns.append(number("n_planned", "cheapest design", _whole))
    note = "Numbers: of the first level on each data set, of others in one of the level above."
    table = Table("levels", "What more of each level would do", frame, tuple(columns), note=note)
    terms = " + ".join(f"s{i} / N{i}" for i in range(1, len(plan.levels) + 1))
    assumptions = (
        f"The variance of the difference is ({terms}) / D, with D data sets, N units of each level"
        " on a data set and s the variance of differences between these, by the analysis of"
        " variance of the nested design. Units of unequal size stay as unequal as they are."
    )
    return (
        Section("More items or more answers", lead=first, text=tuple(rest), tables=(table,)),
        Section("What the plan rests on", text=(assumptions,)),
    )


def plan_citations(plan: Plan | Allocation) -> str:
    """Return the BibTeX entries of what a plan rests on."""
    return bibtex([Bound, Uncertain] if isinstance(plan, Plan) else [limits])


def designs(plan: Plan) -> Table:
    """One row per number of replications, with the data sets that go with it."""
    frame = plan.designs()
    columns = [
        number("n_replications", "replications", _whole),
        number("n_datasets", "data sets", _whole),
    ]
    if "needed_low" in frame:
        columns.append(
            number(
                "needed_low",
                "95 % interval",
                lambda low, high: f"{_whole(low)} to {_whole(high)}",
                also=("needed_high",),
            )
        )
    if "cost" in frame:
        columns.append(number("cost", "cost", _whole))
    note = "Interval: of the data sets needed, by the uncertainty of the pilot."
    return Table(
        name="designs",
        caption="Data sets that other numbers of replications need",
        frame=frame,
        columns=tuple(columns),
        note=note if "needed_low" in frame else "",
    )


def _whole(value: float) -> str:
    return brief(value) if math.isinf(value) else f"{value:,.10g}"


def _facts(plan: Plan) -> tuple[tuple[str, str], ...]:
    q, c = plan.question, plan.question.components
    pilot = "variances that are taken as known"
    if c.pilot is not None:
        pilot = (
            f"{c.n_datasets} data sets, {c.n_algorithms} algorithms and"
            f" {brief(float(c.n_replications or 0))} replications each"
        )
    between = c.dataset_algorithm
    facts = [
        ("Pilot", pilot),
        ("Noise of a score", _variance(c.residual)),
        (
            "Between data sets",
            "not known" if between is None else _variance(between)
            + ("" if q.target == "domain" else ", which does not count for given data sets"),
        ),
        ("To be shown", result.shown(q)),
        ("Level and power", f"{100 * q.level:g} % and {100 * q.power:g} %"),
    ]  # fmt: skip
    if plan.costs is not None:
        costs = plan.costs
        budget = "" if costs.budget is None else f"; a budget of {costs.budget:g}"
        replication = f"{costs.per_replication:g} per replication on it"
        facts.append(("Costs", f"{costs.per_dataset:g} per data set, {replication}{budget}"))
    return tuple(facts)


def _variance(value: float) -> str:
    return f"variance {significant(value)}, standard deviation {significant(math.sqrt(value))}"


# By class: what is said of a result when a reader requests it.
SECTIONS = {
    Plan: lambda plan, _: plan_sections(plan),
    Allocation: lambda plan, _: allocation_sections(plan),
}
