"""Sentences about monitored experiments."""

from collections import Counter
from typing import TYPE_CHECKING

from benchinfer.compare.phrases import count, join, ordinal
from benchinfer.compare.wording import margin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchinfer.compare.evidence import Setting
    from benchinfer.measure import Measure
    from benchinfer.sequential.design import MonitorDesign

_TESTS = {"t": "t tests", "signed-rank": "signed-rank tests", "sign-flip": "sign-flip tests"}
_SPENDING = {"obrien-fleming": "O'Brien and Fleming's shape", "pocock": "Pocock's shape"}
_ALONE = {
    "go on": "is not decided yet",
    "futile": "stopped for futility",
    "not rejected": "ended without a verdict",
    "broken down": "broke down",
}


def percent(value: float) -> str:
    """Write a level as a percentage."""
    return f"{100 * value:.4g} %"


def rule(design: "MonitorDesign", measure: "Measure") -> str:
    """Say what decides a pair."""
    alpha, many = percent(design.alpha), design.n_pairs > 1
    if design.method == "recursive":
        shared = shared_by(design, "directions" if len(design.sides) > 1 else "")
        over = f" ({alpha} over all {shared})" if design.alpha_one < design.alpha else ""
        return (
            f"A pair is decided when one of its recursions rejects at {percent(design.alpha_one)}"
            f"{over}. One that stops for futility is undecided: no evidence of equality. No pair"
            " can be called equivalent."
        )
    if design.method == "group-sequential":
        over = f" per pair ({alpha} over all {shared_by(design)})" if many else ""
        return (
            f"A pair is decided when its statistic crosses the boundary of a look, and undecided"
            f" otherwise; the boundaries spend {percent(design.alpha_pair)}{over}. No pair can be"
            " called equivalent."
        )
    text = f"A pair is decided when its adjusted anytime p-value is at most {alpha}"
    if measure.tolerance > 0:
        return (
            f"A pair is equivalent when its confidence sequence lies within {margin(measure)}"
            f" either way; otherwise {text[0].lower()}{text[1:]}; otherwise it is undecided."
        )
    return f"{text}, and undecided otherwise. No pair can be called equivalent."


def method(design: "MonitorDesign", setting: "Setting", adjustment: str) -> str:
    """Say what was done."""
    d = len(setting.coverage.datasets)
    together = "" if d == 1 else f" on each of {d} data sets"
    stage = f"stages of {count(design.stage, 'replication')}{together}"
    test = _TESTS[design.test]
    name = setting.measure.name
    merged = ""
    if d > 1:
        merged = (
            " E-values of data sets were multiplied."
            if design.method == "anytime"
            else " P-values of data sets were combined in each stage by their normal quantiles."
        )
    if design.method == "recursive":
        last = (
            "" if design.last_stage is None else f", the {ordinal(design.last_stage)} declared last"
        )
        how = (
            f"The {name} of pairs of algorithms was compared in {stage}{last}, by one-sided {test}"
            f" of the differences and recursive combination tests (rule {design.rule!r})."
        )
    elif design.method == "group-sequential":
        how = (
            f"The {name} of pairs of algorithms was compared after each of"
            f" {count(design.last_stage or 1, 'planned look')} in {stage}, by {test} of all"
            f" differences so far; the level was spent by {_SPENDING[design.spending]}."
        )
    else:
        null = "are symmetric about 0" if design.null == "symmetry" else "have a mean of 0"
        how = (
            f"The {name} of pairs of algorithms was watched by e-processes that bet against the"
            f" hypothesis that differences {null}."
        )
    return f"{how}{merged} {adjustment}."


def formula(design: "MonitorDesign") -> str:
    """Say the statistic in one line."""
    return {
        "recursive": f"one-sided {_TESTS[design.test]} per stage, combined by Fisher's product",
        "group-sequential": f"{_TESTS[design.test]} of all differences so far, at planned looks",
        "anytime": "capital of bets on the differences of a pair",
    }[design.method]


def adjustment(design: "MonitorDesign") -> str:
    """Say how errors over pairs are controlled."""
    if design.n_pairs == 1:
        return "One pair: no adjustment for many"
    if design.method == "anytime":
        return f"Anytime p-values are adjusted for {pairs(design)} by Holm's steps"
    return f"Each of {pairs(design)} is tested at an equal share of the level from the start"


def pairs(design: "MonitorDesign") -> str:
    """Count the pairs, those of each measure where there are several."""
    own = count(design.n_pairs // design.n_measures, "pair")
    return own if design.n_measures == 1 else f"{own} on each of {design.n_measures} measures"


def shared_by(design: "MonitorDesign", also: str = "") -> str:
    """Say over what the level is shared."""
    parts = ["measures"] if design.n_measures > 1 else []
    parts += ["pairs"] if design.n_pairs > design.n_measures or not also else []
    return join([*parts, also] if also else parts)


def standing(ends: "Sequence[str]", decision: str, *, whole: bool = True) -> str:
    """Say how many pairs are decided, and whether to go on.

    `whole` is whether these are all pairs: not those of one measure out of several.
    """
    close = {
        "decided": "The experiment can stop",
        "go on": "Go on",
        "undecidable": "The experiment ends, as more replications in this design decide nothing",
    }[decision]
    if not whole and decision != "go on":
        close = "By this measure no pair goes on"
    if len(ends) == 1:
        return f"{close}: the pair {_ALONE.get(ends[0], 'is decided')}."
    found, n = Counter(ends), len(ends)
    parts = [
        f"{found[key]} {text}"
        for key, text in (
            ("go on", "going on"),
            ("futile", "stopped for futility"),
            ("not rejected", "ended without a verdict"),
            ("broken down", "broken down"),
        )
        if found[key]
    ]
    decided = found["first"] + found["second"] + found["equivalent"]
    said = join([f"{decided} of {count(n, 'pair')} decided", *parts])
    return f"{close}: {said}."
