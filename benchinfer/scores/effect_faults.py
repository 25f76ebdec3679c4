"""What makes published effects unfit to be pooled, all reported together."""

from collections.abc import Mapping, Sequence

import numpy as np

from benchinfer.errors import FitError
from benchinfer.measure import Measure
from benchinfer.numerics.meta.published import blocks_of
from benchinfer.scores.coverage import Finding
from benchinfer.scores.effect_columns import Columns
from benchinfer.scores.effects import Effects

_SHOWN = 5


def check(
    raw: Columns, measures: Sequence[Measure], turned: Mapping[str, tuple[str, float]]
) -> tuple[list[Finding], list[str]]:
    """Check effects one by one.

    Parameters
    ----------
    raw
        The columns.
    measures
        The declared ones.
    turned
        Measures that are put into another.

    Returns
    -------
    findings, measures
        Errors and notes, and the measure of each row as the file has it.
    """
    found: list[Finding] = []
    n = len(raw.text["first"])
    known = [measure.name for measure in measures]
    told = raw.text.get("measure")
    if told is None:
        if len(known) != 1:
            what = f"no column of measures, and {len(known)} are declared."
            hint = (
                'measures={"NAME": ...}, with "higher" or "lower", declares the one; columns={...}'
                " names the column."
            )
            found.append(Finding("measures", "error", 1, what, (), hint))
        told = (known or [""])[:1] * n
    legal = {*known, *turned}
    strange = [r for r in range(n) if told[r] not in legal]
    names = ", ".join(sorted({told[r] for r in strange}))
    y, error, size = raw.number["estimate"], raw.number["std_error"], raw.number["n"]
    labels = ("study", "dataset", "first", "second")
    lacking = [r for r in range(n) if not all(raw.text[name][r] for name in labels)]
    same = [r for r in range(n) if raw.text["first"][r] == raw.text["second"][r] != ""]
    rules = (
        ("label missing", lacking, "effects lack a label", "complete them, or remove the rows."),
        (
            "unknown measure",
            strange,
            f"effects are of measures that are not declared: {names}",
            "declare them, or say how they are put into a declared one: harmonise={...}.",
        ),
        ("one algorithm", same, "effects compare an algorithm with itself", "correct the labels."),
        (
            "estimate",
            np.flatnonzero(~np.isfinite(y)).tolist(),
            "effects have no finite estimate",
            "complete them, or remove the rows.",
        ),
        (
            "standard error",
            np.flatnonzero(~(np.isfinite(error) & (error > 0))).tolist(),
            "effects have no standard error above 0",
            "complete them, or remove the rows: nothing says how exact these effects are.",
        ),
        ("size", np.flatnonzero(size < 0).tolist(), "sizes n are below 0", "correct them."),
        (
            "repeated",
            _repeats(raw, told),
            "effects repeat a pair of a data set in a study",
            "keep one of each, or give the replications one effect.",
        ),
    )
    for rule, rows, what, hint in rules:
        if rows:
            found.append(
                Finding(rule, "error", len(rows), f"{len(rows)} {what}.", _places(raw, rows), hint)
            )
    found += _harmonised(told, turned)
    return found, told


def _harmonised(told: Sequence[str], turned: Mapping[str, tuple[str, float]]) -> list[Finding]:
    found: list[Finding] = []
    for name, (target, factor) in turned.items():
        n = sum(one == name for one in told)
        what = f"{n} effects of {name!r} were put into {target!r}, multiplied with {factor:g}."
        found.append(Finding("harmonised", "note" if n else "warning", n, what))
    return found


def _repeats(raw: Columns, told: Sequence[str]) -> list[int]:
    seen: set[tuple[object, ...]] = set()
    found: list[int] = []
    rows = zip(
        *(raw.text[name] for name in ("study", "dataset", "first", "second")), told, strict=True
    )
    for r, (study, dataset, first, second, measure) in enumerate(rows):
        key = (study, dataset, frozenset((first, second)), measure)
        if key in seen:
            found.append(r)
        seen.add(key)
    return found


def _places(raw: Columns, rows: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    names = ("study", "dataset", "first", "second")
    where = [(str(r + 1), *(raw.text[name][r] for name in names)) for r in rows[:_SHOWN]]
    return (("row", *names), *where)


def within_studies(effects: Effects) -> list[Finding]:
    """Report data sets of a study whose effects have no known covariance."""
    names, wrong = effects.algorithms, list[tuple[str, str]]()
    code = {name: k for k, name in enumerate(names)}
    for measure in sorted(set(effects.measure_of)):
        for unit, rows in effects.by_unit(measure):
            try:
                blocks_of(
                    np.array([code[effects.first[r]] for r in rows]),
                    np.array([code[effects.second[r]] for r in rows]),
                    effects.estimate[rows],
                    effects.std_error[rows],
                    effects.correlation,
                )
            except FitError as error:
                wrong.append((unit, str(error).removesuffix(".")))
    if not wrong:
        return []
    what = f"{len(wrong)} data sets compare three algorithms or more with unknown covariance."
    hint = (
        "give all pairs of such a data set, or the differences from one of its algorithms with"
        " correlation=0.5\n(right where scores are independent and equally exact)."
    )
    where = (("data set", "why"), *wrong[:_SHOWN])
    return [Finding("covariance", "error", len(wrong), what, where, hint)]
