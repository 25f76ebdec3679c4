"""Every hint of odd tables leads on when it is followed."""

import inspect
import re
import warnings
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.arguments import ArgumentError, choices
from benchinfer.core.errors import BenchinferError, DesignError, FitError
from benchinfer.scores.columns.roles import ROLES
from tests.properties.faulty_tables import READING, odd_frame
from tests.properties.following import LEFT_OUT, Pair, refusals, shown

FUNCTIONS = {
    "compare_points": {},
    "compare_mixed": {},
    "compare_permutation": {"resamples": 200},
    "compare_bootstrap": {"resamples": 100, "seed": 1},
    "compare_pair": {},
    "compare_wins": {},
    "compare_meta": {},
    "monitor": {},
    "plan": {"difference": 0.5},
    "gate": {},
    "describe": {},
}
VALUE = (
    r"""(?:"[^"]*"|'[^']*'|\.\.\.|\([^()]*\)|\[[^\]]*\]|\{[^}]*\}|True|False|-?\d+(?:\.\d+)?|)"""
)
TYPED = re.compile(
    rf"""per_dataset\((?P<each>\w+),[ ]scores\)
    |(?P<function>\b(?:(?:compare|read)_[a-z]+|plan))\(\.\.\.,[ ](?P<inner>\w+)=(?P<of>{VALUE})\)
    |\bMeasure\((?P<field>\w+)=(?P<its>{VALUE})\)
    |\bmeasures=(?P<directions>\{{[^}}]*\}}),[ ]with[ ]"higher"[ ]or[ ]"lower"
    |(?<![\w.:(])(?P<name>[a-z_]+)=(?P<value>{VALUE})(?=[\s.,;:)]|$)
    |\b(?P<alone>compare_[a-z]+)""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Call:
    """Calls of Python, with hints that are pasted."""

    frame: pd.DataFrame = field(repr=False)
    function: str
    measure: dict[str, dict[str, Any]] = field(default_factory=dict)
    reading: dict[str, Any] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)
    alone: bool = False

    def run(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the faults with their hints, and the remedies of what was done."""
        scores = None
        try:
            scores = self.read()
            result = self.call(scores)
        except BenchinferError as error:
            findings = getattr(error, "findings", ())
            if faults := {f.what: f.hint for f in findings if f.severity == "error"}:
                return faults, {}
            fair = isinstance(error, DesignError | FitError) and not isinstance(
                error, ArgumentError
            )
            usage = "" if fair else "usage: "
            return {f"{usage}{error}": "\n".join(error.hint)}, {}
        except TypeError as error:
            if "unexpected keyword" not in str(error):
                raise
            return {f"usage: {error}": ""}, {}
        remedies = {f.what: f.hint for f in scores.finding_records}
        remedies |= {c.check: c.remedy for c in getattr(result, "_checks", ()) if not c.ok}
        return {}, remedies

    def read(self) -> bi.ScoreTable:
        """Read the table."""
        measures = [
            bi.Measure(name, "higher", **self.measure.get("", {})) for name in self.measure if name
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reading = {name: value for name, value in self.reading.items() if name != "normalise"}
            scores = bi.read_scores(self.frame, measures=measures or None, **reading)
            scale = self.reading.get("normalise")
            return scores if scale is None else scores.normalise(scale)

    def call(self, scores: bi.ScoreTable) -> Any:
        """Answer."""
        if self.function == "describe":
            return scores.describe(**self.arguments)
        ask = getattr(bi, self.function)
        fixed = FUNCTIONS[self.function]
        if self.function == "gate":
            fixed = {"baseline": scores.algorithms[0], "candidate": scores.algorithms[-1]}
        measure = {"measure": scores.measures[0].name} if len(scores.measures) > 1 else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self.alone:
                ask = partial(bi.per_dataset, ask)
            return ask(scores, **measure, **(fixed | self.arguments))

    def read_hint(self, hint: str) -> Iterator[tuple[str, list[Pair]]]:
        """Yield what a hint names, each with the words before it."""
        end = 0
        for match in TYPED.finditer(hint):
            part = match.groupdict()
            if part["each"]:
                pairs: list[Pair] = [(part["each"], None), ("per_dataset", True)]
            elif part["function"]:
                pairs = [(part["function"], None), (part["inner"], _value(part["of"]))]
            elif part["field"]:
                pairs = [(f"Measure.{part['field']}", _value(part["its"]))]
            elif part["directions"]:
                pairs = [("directions", tuple(literal_eval(part["directions"])))]
            elif part["name"]:
                pairs = [(part["name"], _value(part["value"]))]
            else:
                pairs = [(part["alone"], None)]
            yield hint[end : match.start()], pairs
            end = match.end()

    def with_pair(self, name: str, value: Any) -> "Call | None":  # noqa: PLR0911
        """Return the call with what a hint says; None where a reader must choose."""
        if name == "directions":
            known = {measure: {} for measure in value if measure != "NAME"}
            return replace(self, measure={**self.measure, **known}) if known else None
        if name.startswith(("compare_", "read_")) or name == "plan":
            if name in FUNCTIONS:
                return replace(self, function=name, arguments={}, alone=False)
            return self if name == "read_scores" else None
        if name == "per_dataset":
            return replace(self, alone=True)
        if value is None or name == "measures":
            return None
        if name.startswith("Measure.") or (name == "scale" and value in ("identity", "log")):
            own = {**self.measure.get("", {}), name.removeprefix("Measure."): value}
            return replace(self, measure={**self.measure, "": own})
        return self._with_argument(name, value)

    def _with_argument(self, name: str, value: Any) -> "Call | None":
        """Return the call with an argument of reading or of the function."""
        if name == "dataset" and "dataset" in self.frame.columns:
            return None
        where = "arguments"
        if name in {*inspect.signature(bi.read_scores).parameters, "normalise"}:
            where = "reading"
        old = getattr(self, where)
        if value == LEFT_OUT:
            return replace(self, **{where: {k: v for k, v in old.items() if k != name}})
        if name == "columns":
            roles = {c: role for c, role in old.get("columns", {}).items() if c in self.frame}
            value = {c: role for c, role in roles.items() if role in ROLES} | value
        return replace(self, **{where: {**old, name: value}})

    def useless(self) -> bool:
        """Return whether a monitor has scores that depend on others: diagnostics propose ranks."""
        return self.function == "monitor" and self.reading.get("normalise") == "min-max"


def _value(text: str) -> Any:
    """Return what is pasted; None for what stands for any value."""
    if not text:
        return LEFT_OUT
    value = literal_eval(text)
    if value is ... or value in ([...], {...}) or re.search(r"\b[A-Z]{3,}\b", text):
        return None
    return value


def drawn(seed: int) -> Call:
    """Return an odd table and something to ask of it."""
    rng = np.random.default_rng(seed)
    frame = odd_frame(rng)
    function = str(rng.choice([*FUNCTIONS][:-1]))
    names = [n for n in ("score", "acc", "loss") if n in frame.columns] or ["score"]
    if rng.random() < 0.1:
        names = []
    if "measure" in frame.columns:
        names = ["acc"]
    reading = {}
    for name in rng.choice(list(READING), rng.choice([0, 0, 0, 1, 1, 2]), replace=False):
        reading[str(name)] = READING[name][rng.integers(len(READING[name]))]
    arguments = {}
    parameters = inspect.signature(getattr(bi, function)).parameters.values()
    options = {p.name: choices(p.annotation) for p in parameters if choices(p.annotation)}
    options.pop("inference", None)
    for name in rng.permutation([*options])[: rng.choice([0, 0, 1, 1, 2])]:
        arguments[str(name)] = options[name][rng.integers(len(options[name]))]
    measure = {name: {} for name in names[: rng.integers(1, 3)]}
    if rng.random() < 0.15:
        measure[""] = {"scale": str(rng.choice(["log", "logit"]))}
    return Call(frame, function, measure, reading, arguments)


@pytest.mark.slow
@pytest.mark.parametrize(
    "start",
    [
        *range(0, 80, 20),
        *(pytest.param(n, marks=pytest.mark.calibration) for n in range(80, 300, 20)),
    ],
)
def test_no_hint_is_refused_when_followed(start: int) -> None:
    said = []
    for seed in range(start, start + 20):
        attempt = drawn(seed)
        said += [shown(kind, way, attempt) for kind, way in refusals(attempt)]
    assert not said, "\n".join(said)


def test_hints_are_read_as_one_pastes_them() -> None:
    attempt = Call(pd.DataFrame({"fold": [1]}), "compare_pair", {"score": {}})
    hint = (
        'compare_mixed(..., structure="common") or per_dataset(compare_pair, scores); leave out'
        " rope=, n_jobs=2. Measure(tolerance=...), columns={'fold': 'replication'}, paired=True."
    )
    assert [pairs for _, pairs in attempt.read_hint(hint)] == [
        [("compare_mixed", None), ("structure", "common")],
        [("compare_pair", None), ("per_dataset", True)],
        [("rope", "")],
        [("n_jobs", 2)],
        [("Measure.tolerance", None)],
        [("columns", {"fold": "replication"})],
        [("paired", True)],
    ]
