"""Published effects of two algorithms each, checked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.analyses.meta.numerics.effects import blocks_of, contradiction
from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError, FitError, unknown
from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure, one_measure
from benchinfer.core.numbers import count
from benchinfer.core.result import Readable
from benchinfer.numerics.types import Array, Codes
from benchinfer.scores.columns.engines import engine_errors
from benchinfer.scores.columns.tables import column_roles, holds, label, missing_columns, numbers
from benchinfer.scores.coverage import Coverage, Finding, listed
from benchinfer.scores.sources.frames import Source

if TYPE_CHECKING:
    import pandas as pd


type EffectKind = Literal["difference", "standardised", "log-ratio"]


# The first name of a role is its own and wins over the others.
COMMON: dict[str, tuple[str, ...]] = {
    "study": ("study", "paper", "publication", "reference"),
    "dataset": ("dataset", "data_set", "data", "task", "problem"),
    "domain": ("domain",),
    "measure": ("measure", "metric"),
    "first": ("first", "algorithm_1", "algorithm1", "treatment"),
    "second": ("second", "algorithm_2", "algorithm2", "baseline", "control"),
    "estimate": ("estimate", "effect", "difference", "yi"),
    "std_error": ("std_error", "se", "sei", "stderr", "standard_error"),
    "variance": ("variance", "var", "vi"),
    "conf_low": ("conf_low", "ci_low", "lower"),
    "conf_high": ("conf_high", "ci_high", "upper"),
    "n": ("n", "size", "sample_size"),
}
_LABELS = ("study", "dataset", "domain", "measure", "first", "second")
_NUMBERS = ("estimate", "std_error", "variance", "conf_low", "conf_high", "n")
NORMAL = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Columns:
    """A table of effects as it came."""

    # Role to labels; study and dataset stand for each other where one has no column
    text: Mapping[str, list[str]]
    number: Mapping[str, Array]  # role to numbers, NaN where there is none; ``n`` is 0 there
    findings: tuple[Finding, ...]  # what was found


def read_columns(origin: Source, given: Mapping[str, str], covariates: Sequence[str]) -> Columns:
    """Read the columns of a table of effects; without the ones needed there are findings only."""
    of, findings = column_roles(origin.names, given, COMMON, covariates)
    lacking = [role for role in ("first", "second", "estimate") if role not in of]
    if not {"study", "dataset"} & set(of):
        lacking.insert(0, "study (or dataset)")
    if not {"std_error", "variance"} & set(of) and not {"conf_low", "conf_high"} <= set(of):
        lacking.append("std_error (or variance, or conf_low and conf_high)")
    if lacking:
        findings.append(missing_columns(lacking, origin.names))
    if any(finding.severity == "error" for finding in findings):
        return Columns({}, {}, tuple(findings))
    wanted = list(dict.fromkeys([*of.values(), *covariates]))
    with engine_errors(origin.name):
        frame, notes = origin.load(wanted, [], [])
        table = frame.collect().to_arrow()
    values = {name: table.column(name).to_pylist() for name in wanted}
    findings += notes
    text = {role: [label(v) for v in values[of[role]]] for role in _LABELS if role in of}
    study = text.get("study") or text["dataset"]
    text |= {"study": study, "dataset": text.get("dataset") or study}
    number: dict[str, Array] = {}
    named = {role: of[role] for role in _NUMBERS if role in of}
    for role, name in [*named.items(), *((f"covariate {c}", c) for c in covariates)]:
        number[role], bad = numbers(name, values[name])
        findings += bad
    number["std_error"], error_notes = standard_errors(number)
    findings += error_notes
    size = number.get("n", np.zeros(len(study)))
    number["n"] = np.where(np.isfinite(size), size, 0.0)
    return Columns(text, number, tuple(findings))


def holds_effects(names: Sequence[str], given: Mapping[str, str]) -> bool:
    """Return whether columns are those of published effects, not of scores of algorithms.

    Examples
    --------
    >>> holds_effects(["paper", "first", "second", "estimate", "se"], {})
    True
    >>> holds_effects(["dataset", "algorithm", "value"], {})
    False
    """
    return holds(names, given, COMMON, ("first", "second", "estimate"))


def standard_errors(number: Mapping[str, Array]) -> tuple[Array, list[Finding]]:
    """Return standard errors, from variances or intervals where there are no others."""
    errors = np.full(len(next(iter(number.values()))), np.nan)
    notes: list[Finding] = []
    if "std_error" in number:
        errors = number["std_error"].copy()
    with np.errstate(invalid="ignore"):
        others = {
            "variances": np.sqrt(number["variance"]) if "variance" in number else None,
            "95 % intervals, taken as normal": (number["conf_high"] - number["conf_low"])
            / (2 * NORMAL)
            if {"conf_low", "conf_high"} <= set(number)
            else None,
        }
    for name, other in others.items():
        if other is None:
            continue
        filled = ~np.isfinite(errors) & np.isfinite(other)
        if n := int(filled.sum()):
            errors = np.where(filled, other, errors)
            what = f"{n} standard errors are from {name}."
            notes.append(Finding("standard errors", "note", n, what))
    return errors, notes


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Effects(Readable):
    """Effects of N comparisons of two algorithms, first minus second.

    Made by `read_effects`.

    Attributes
    ----------
    measures
        The measures, after harmonising.
    kind
        What estimates are: ``"difference"``, ``"standardised"`` or ``"log-ratio"``.
    study, dataset, first, second, measure_of
        (N,) labels.
    estimate, std_error
        (N,) in the unit of the measure; of log ratios the log.
    n
        (N,) size of the study, 0 where it is not known.
    domain
        (N,) domain of the data set, empty where there is no such column.
    covariates
        Covariate to (N,) numbers.
    correlation
        Of two effects of a data set that share a baseline, where the file does not tell.
    source
        Name of the file or kind of frame.
    notes
        What was found on reading, harmonising included.
    """

    measures: tuple[Measure, ...]
    kind: EffectKind
    study: tuple[str, ...]
    dataset: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    measure_of: tuple[str, ...]
    estimate: Array
    std_error: Array
    n: Array
    domain: tuple[str, ...]
    covariates: Mapping[str, Array]
    correlation: float | None
    source: str
    notes: tuple[Finding, ...]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms, sorted."""
        return tuple(sorted({*self.first, *self.second}))

    @cached_property
    def units(self) -> tuple[str, ...]:
        """(N,) names of the data sets with their study."""
        pairs = zip(self.study, self.dataset, strict=True)
        return tuple(s if s == d else f"{s}: {d}" for s, d in pairs)

    def measure(self, name: str | None = None) -> Measure:
        """Return a measure by its name, which may be omitted where there is one.

        Raises
        ------
        DesignError
            There is no such measure, or it is not clear which is meant.
        """
        return one_measure(self.measures, name)

    def findings(self) -> pd.DataFrame:
        """Show what was found on reading: ``rule severity count where hint``."""
        return listed(self.notes)

    def of(self, name: str) -> Codes:
        """Return the rows of a measure.

        Raises
        ------
        DesignError
            There is no effect of it.
        """
        rows = np.flatnonzero(np.array(self.measure_of) == name)
        if not len(rows):
            known = list(dict.fromkeys(self.measure_of))
            raise DesignError(unknown("measure", name, known))
        return rows

    def coverage(self, name: str) -> Coverage:
        """Count the comparisons of each algorithm in each data set of a study."""
        rows = self.of(name)
        units, unit = np.unique(np.array(self.units)[rows], return_inverse=True)
        sides = [np.array(side)[rows] for side in (self.first, self.second)]
        names, code = np.unique(np.concatenate(sides), return_inverse=True)
        counts = np.zeros((len(units), len(names)), np.int64)
        np.add.at(counts, (np.r_[unit, unit], code), 1)
        labels = tuple(map(str, units)), tuple(map(str, names))
        return Coverage(name, *labels, counts, counts.max(axis=1), self.notes)

    def by_unit(self, name: str) -> list[tuple[str, Codes]]:
        """Return the rows of a measure for each data set of a study, in the order of the names."""
        rows = self.of(name)
        units, unit = np.unique(np.array(self.units)[rows], return_inverse=True)
        order = np.argsort(unit, kind="stable")
        parts = np.split(rows[order], np.cumsum(np.bincount(unit))[:-1])
        return list(zip(map(str, units), parts, strict=True))

    def to_frame(self) -> pd.DataFrame:
        """One row per effect: ``study dataset first second measure estimate std_error n``."""
        return frame(
            {
                "study": self.study,
                "dataset": self.dataset,
                "measure": self.measure_of,
                "first": self.first,
                "second": self.second,
                "estimate": self.estimate,
                "std_error": self.std_error,
                "n": self.n,
            }
        )

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that change with any effect or label, not with their order."""
        labels = zip(
            *(self.study, self.dataset, self.measure_of, self.first, self.second), strict=True
        )
        numbers = np.column_stack([self.estimate, self.std_error, self.n]).tolist()
        lines = sorted(f"{label}{number}" for label, number in zip(labels, numbers, strict=True))
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

    def description(self) -> str:
        """Return the source with the numbers of effects, studies, data sets and algorithms."""
        said = ", ".join(f"{m.name} ({m.better} is better)" for m in self.measures)
        return (
            f"Effects({self.source}: {len(self.estimate)} effects of {len(set(self.study))}"
            f" studies on {len(set(self.units))} data sets, {len(self.algorithms)} algorithms;"
            f" {said})"
        )


_SHOWN = 5


def check(
    raw: Columns, measures: Sequence[Measure], turned: Mapping[str, tuple[str, float]]
) -> tuple[list[Finding], list[str]]:
    """Check effects one by one."""
    findings: list[Finding] = []
    n = len(raw.text["first"])
    known = [measure.name for measure in measures]
    names = raw.text.get("measure")
    if names is None:
        if len(known) != 1:
            what = f"no column of measures, and {len(known)} are declared."
            hint = (
                "columns={...} names the column, or declare the one:"
                ' measures={"NAME": ...}, with "higher" or "lower".'
            )
            findings.append(Finding("measures", "error", 1, what, (), hint))
        names = (known or [""])[:1] * n
    head = ("study", "dataset", "first", "second")
    for rule, rows, what, hint in _faulty(raw, names, {*known, *turned}):
        if rows:
            first = [(str(r + 1), *(raw.text[name][r] for name in head)) for r in rows[:_SHOWN]]
            where = (("row", *head), *first)
            findings.append(Finding(rule, "error", len(rows), f"{len(rows)} {what}.", where, hint))
    for name, (target, factor) in turned.items():
        n = sum(one == name for one in names)
        what = f"{n} effects of {name!r} were put into {target!r}, multiplied with {factor:g}."
        findings.append(Finding("harmonised", "note" if n else "warning", n, what))
    return findings, names


def _faulty(
    raw: Columns, measures: Sequence[str], legal: set[str]
) -> tuple[tuple[str, list[int], str, str], ...]:
    """Return rules with the rows that break them, words and hints."""
    n = len(measures)
    strange = [r for r in range(n) if measures[r] not in legal]
    names = ", ".join(sorted({measures[r] for r in strange}))
    y, error, size = raw.number["estimate"], raw.number["std_error"], raw.number["n"]
    labels = ("study", "dataset", "first", "second")
    lacking = [r for r in range(n) if not all(raw.text[name][r] for name in labels)]
    same = [r for r in range(n) if raw.text["first"][r] == raw.text["second"][r] != ""]
    return (
        ("label missing", lacking, "effects lack a label", "complete them, or remove the rows."),
        (
            "unknown measure",
            strange,
            f"effects are of measures that are not declared: {names}",
            ("declare them, or say how they are put into a declared one: harmonise={...}."),
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
            _repeats(raw, measures),
            "effects repeat a pair of a data set in a study",
            "keep one of each, or give the replications one effect.",
        ),
    )


def _repeats(raw: Columns, measures: Sequence[str]) -> list[int]:
    seen: set[tuple[object, ...]] = set()
    repeated: list[int] = []
    rows = zip(
        *(raw.text[name] for name in ("study", "dataset", "first", "second")), measures, strict=True
    )
    for r, (study, dataset, first, second, measure) in enumerate(rows):
        key = (study, dataset, frozenset((first, second)), measure)
        if key in seen:
            repeated.append(r)
        seen.add(key)
    return repeated


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
        "give all pairs of such a data set, or the differences from one of its"
        " algorithms with correlation=0.5\n(right where scores are"
        " independent and equally exact)."
    )
    where = (("data set", "why"), *wrong[:_SHOWN])
    return [Finding("covariance", "error", len(wrong), what, where, hint)]


def contradicting(effects: Effects) -> list[Finding]:
    """Report data sets whose differences contradict each other by more than they were rounded by.

    Three algorithms have two differences: A - B and B - C leave no choice of A - C.
    """
    code = {name: k for k, name in enumerate(effects.algorithms)}
    wrong: list[tuple[str, str]] = []
    for measure in sorted(set(effects.measure_of)):
        for unit, rows in effects.by_unit(measure):
            first = np.array([code[effects.first[r]] for r in rows])
            second = np.array([code[effects.second[r]] for r in rows])
            y = effects.estimate[rows]
            if contradiction(first, second, y) > _last_digit(y):
                said = [
                    f"{effects.first[r]} - {effects.second[r]} {y:g}"
                    for r, y in zip(rows, y, strict=True)
                ]
                wrong.append((unit, ", ".join(said[:_SHOWN])))
    if not wrong:
        return []
    what = f"differences of {count(len(wrong), 'data set')} contradict each other."
    hint = (
        "A - B and B - C leave no choice of A - C: correct them, or are they of different items or"
        " runs? They are pooled as if they were not."
    )
    where = (("data set", "differences"), *wrong[:_SHOWN])
    return [Finding("contradiction", "warning", len(wrong), what, where, hint)]


def _last_digit(y: Array) -> float:
    """Return a unit of the last decimal that numbers are written with, at most ten decimals."""
    decimals = next((d for d in range(10) if (np.round(y, d) == y).all()), 10)
    return max(10.0**-decimals, 1e-9 * float(np.abs(y).max(initial=0.0)))
