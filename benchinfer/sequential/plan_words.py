"""Sentences about planned experiments."""

import math
from typing import TYPE_CHECKING

from benchinfer.compare.phrases import count
from benchinfer.sequential.words import percent

if TYPE_CHECKING:
    from benchinfer.sequential.aims import Question
    from benchinfer.sequential.planned import Plan


def sentences(plan: "Plan") -> list[str]:
    """Return the plan in plain words, a sentence or two per line."""
    q = plan.question
    each = f"{count(plan.n_datasets, 'data set')} with {count(plan.n_replications, 'replication')}"
    each += "" if plan.n_datasets == 1 else " each"
    found = [f"{each}: a power of {percent(plan.power)} to show {shown(q)}."]
    found += _uncertain(plan)
    if plan.floor is not None:
        found.append(
            f"No number of replications does with fewer than {count(plan.floor, 'data set')}, as"
            " the differences of algorithms vary between data sets."
        )
    what = "difference" if q.aim == "difference" else "margin"
    found.append(
        f"The least {what} that this design shows with a power of {percent(q.power)} is"
        f" {plan.detectable:.3g}{_times(q)}."
    )
    if plan.cost is not None:
        found.append(f"It costs {plan.cost:g}.")
    return [*found, about(q), family(q)]


def _times(q: "Question") -> str:
    """Say of which scale a size is, where it is no plain difference."""
    measure = q.components.measure
    scale = "identity" if measure is None else measure.scale
    return {"identity": "", "log": " (relative)", "logit": " (log-odds)"}[scale]


def shown(q: "Question") -> str:
    """Say what is to be shown, and in which direction."""
    measure, size = q.components.measure, f"{q.difference:g}{_times(q)}"
    name = "" if measure is None else f" in {measure.name} ({measure.better} is better)"
    if q.aim == "difference":
        return f"which of two algorithms is better, where they differ by {size}{name}"
    if q.aim == "equivalence":
        return f"that two algorithms differ by less than {size}{name}, where they are alike"
    return f"that an algorithm is not worse by {size}{name}, where it is as good as the other"


def _uncertain(plan: "Plan") -> list[str]:
    """Say what the pilot leaves open."""
    q = plan.question
    if q.bounds is None:
        return ["The variances are taken as known."]
    power = f"a power between {percent(plan.power_low)} and {percent(plan.power_high)}"
    if plan.needed_low is None or plan.needed_high is None:
        return [f"The pilot's variances are uncertain: {power} (95 %)."]
    noun = "data sets" if plan.asked == "datasets" else "replications"
    need = f"between {plan.needed_low:.0f} and {plan.needed_high:.0f} {noun} may be needed"
    if math.isinf(plan.needed_high):
        need = f"at least {plan.needed_low:g} {noun} are needed, and perhaps no number is enough"
    elif plan.needed_low == plan.needed_high:
        need = "the number needed is the same all the same"
    return [
        f"The pilot's variances are uncertain: {need}, and this design has {power} (95 %).",
    ]


def about(q: "Question") -> str:
    """Say what claims are about."""
    if q.target == "domain":
        return (
            "The claim is about the domain that the data sets are a sample of; they have to be"
            " drawn anew, not picked for the result."
        )
    return "The claim is about these data sets and no others."


def family(q: "Question") -> str:
    """Say how many comparisons are made, and how they are adjusted."""
    if q.n_contrasts == 1:
        return f"One pair is compared, at a level of {percent(1 - q.level)}."
    which = "all" if q.contrasts == "tukey" else "comparisons with a control, altogether"
    how = {
        "holm": "the first of Holm's steps, the strictest",
        "single-step": "the largest of all statistics (single-step)",
        "none": "no adjustment",
    }[q.adjust]
    return (
        f"Power is that of each pair by itself among {which} {count(q.n_contrasts, 'pair')} of"
        f" {q.k} algorithms, at {percent(1 - q.level)} for all of them by {how}."
    )
