"""Every hint of odd tables leads on when it is followed."""

import inspect
import re
import warnings
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.arguments import ArgumentError, choices
from benchinfer.core.errors import BenchinferError, ScoreTableError
from benchinfer.core.hints import Call, Directions, Either, Field, Given, Option, Phrase, joined
from benchinfer.scores.columns import ROLES
from tests.properties.faulty_tables import READING, odd_frame

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
# What is to be refused: that is what these hints say.
REFUSING = {("failed", "error"), ("bounds", (0, 1)), ("missing", "error")}
# Tables without any variance, which only a fit shows; its error says what describes them.
DEGENERATE = ("the scores do not vary", "the fit did not converge")
# Facts that a reader knows; a table to which they apply may not answer any longer.
FACTS = {("paired", False), ("resampling", "seeds")}
STEPS = 6


@dataclass(frozen=True)
class Attempt:
    """A table, how it is read, and what is asked of it."""

    frame: pd.DataFrame
    function: str
    measure: dict = field(default_factory=dict)
    reading: dict = field(default_factory=dict)
    arguments: dict = field(default_factory=dict)
    alone: bool = False

    def run(self):
        """Return the faults, as sentences with their hints, and the remedies of what was done."""
        scores = None
        try:
            scores = self.read()
            result = self.call(scores)
        except ScoreTableError as error:
            faults = [f for f in error.findings if f.severity == "error"]
            if faults:
                return {f.what: f.hint for f in faults}, {}
            return {str(error): joined("\n", error.hint)}, {}
        except ArgumentError as error:
            return {f"usage: {error}": joined("\n", error.hint)}, {}
        except BenchinferError as error:
            return {str(error): joined("\n", error.hint)}, {}
        except TypeError as error:
            if "unexpected keyword" not in str(error):
                raise
            return {f"usage: {error}": ""}, {}
        remedies = {f.what: f.hint for f in scores._findings(None)}
        remedies |= {c.check: c.remedy for c in getattr(result, "checks", ()) if not c.ok}
        return {}, remedies

    def read(self):
        """Read the table."""
        measures = {
            name: name and bi.Measure(name, "higher", **self.measure.get("", {}))
            for name in self.measure
            if name
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bi.read_scores(self.frame, measures=[*measures.values()] or None, **self.reading)

    def call(self, scores):
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

    def with_option(self, name, value):
        """Return the attempt with an argument of reading, of a measure or of the function."""
        if name == "scale" and value in ("identity", "log", "logit"):
            return self.with_field(name, value)
        read = name in inspect.signature(bi.read_scores).parameters
        if name == "dataset" and "dataset" in self.frame.columns:
            return None
        where = "reading" if read and name != "measures" else "arguments"
        old = getattr(self, where)
        if value == "":
            return replace(self, **{where: {k: v for k, v in old.items() if k != name}})
        if name == "columns":
            roles = {c: role for c, role in old.get("columns", {}).items() if c in self.frame}
            value = {c: role for c, role in roles.items() if role in ROLES} | value
        return replace(self, **{where: {**old, name: value}})

    def with_field(self, name, value):
        """Return the attempt with a field of its measures."""
        own = {**self.measure.get("", {}), name: value}
        return replace(self, measure={**self.measure, "": own})

    def with_part(self, part):  # noqa: PLR0911
        """Return the attempt with what a part of a hint says; None where a reader must choose."""
        match part:
            case Directions(names):
                known = {name: {} for name in names if name != "NAME"}
                return replace(self, measure={**self.measure, **known}) if known else None
            case Field(_, None) | Option(_, None) | Option(_, ()):
                return None
            case Field(name, value):
                return self.with_field(name, value)
            case Option(name, value) | Given(name, value):
                if isinstance(value, dict) and ("NAME" in value or not value):
                    return None
                return self.with_option(name, value)
            case Call("Measure", Option(name, value)):
                return self.with_field(name, value)
            case Call("read_scores", option):
                return self.with_part(option)
            case Call(function, option):
                return self.with_call(function, option)
            case Either(_, command):
                return self.with_words(command)
        return None

    def with_call(self, function, option):
        """Return the attempt with another function, without the arguments of this one."""
        if function not in FUNCTIONS:
            return None
        other = replace(self, function=function, arguments={}, alone=False)
        return other if option is None else other.with_part(option)

    def with_words(self, command):
        """Return the attempt with an option in the words of the command line."""
        if command.startswith("--per-dataset"):
            return replace(self, alone=True)
        match = re.fullmatch(r"--([a-z-]+) (\S+)", command)
        if match is None or "NAME" in command or "LIST" in command or "," in match[2]:
            return None
        return self.with_option(match[1].replace("-", "_"), match[2])


def followed(attempt, hint):
    """Return the attempts that a hint proposes, with the options of each."""
    if not isinstance(hint, Phrase):
        return []
    ways, words = [], ""
    for part in hint.parts:
        if isinstance(part, str):
            words = part
            continue
        # Options side by side are one proposal.
        beside = words in (", ", " with ", " and ") and ways and not _same(part, ways[-1][1])
        before, parts = ways.pop() if beside else (attempt, [])
        ways.append((before and before.with_part(part), [*parts, part]))
        words = ""
    return [way for way in ways if way[0] is not None]


def _same(part, parts):
    """Return whether a part says something else of an option than others do."""
    return any(getattr(p, "name", p) == getattr(part, "name", part) for p in parts)


def refusals(attempt):
    """Yield the hints that are refused when they are followed, with the way there."""
    faults, remedies = attempt.run()
    for fault, hint in faults.items():
        for other, parts in followed(attempt, hint):
            yield from beyond(other, [(fault, parts)])
    met = set()
    for remedy, hint in remedies.items():
        for other, parts in followed(attempt, hint):
            if any((p.name, p.value) in [*REFUSING, *FACTS] for p in parts if hasattr(p, "name")):
                continue
            # No table knows that it will be monitored; diagnostics of a monitor propose ranks.
            if attempt.function == "monitor" and other.reading.get("normalise") == "min-max":
                continue
            if (key := repr(replace(other, frame=None))) in met:
                continue
            met.add(key)
            worse, _ = other.run()
            if worse and not any(fault.startswith(DEGENERATE) for fault in worse):
                yield "refused remedy", [(remedy, parts), (next(iter(worse)), [])]


def beyond(attempt, way):
    """Yield the refusals and cycles after some steps."""
    faults, _ = attempt.run()
    met = [fault for fault, _ in way]
    for fault, hint in faults.items():
        if fault in met:
            yield ("refused" if fault == met[-1] else "cycle"), [*way, (fault, [])]
        elif fault.startswith("usage: ") and _names(fault, way):
            yield "usage", [*way, (fault, [])]
        elif len(way) == STEPS:
            yield "endless", [*way, (fault, [])]
        else:
            for other, parts in followed(attempt, hint):
                yield from beyond(other, [*way, (fault, parts)])


def _names(fault, way):
    """Return whether an error of usage is about what a hint says."""
    parts = [p for _, parts in way for p in parts]
    words = [str(option) for p in parts for option in (getattr(p, "option", None) or p,)]
    return "unexpected" in fault or any(word in fault for word in words)


def drawn(seed):
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
    return Attempt(frame, function, measure, reading, arguments)


def shown(kind, way, attempt):
    """Write a way for a reader."""
    steps = "\n  -> ".join(
        f"{fault.splitlines()[0]} | {' + '.join(map(str, parts))}" for fault, parts in way
    )
    asked = f"{attempt.function} {attempt.reading} {attempt.arguments} {attempt.measure}"
    return f"{kind}: {asked}\n     {steps}"


@pytest.mark.parametrize(
    "start",
    [
        *range(0, 80, 20),
        *(pytest.param(n, marks=pytest.mark.calibration) for n in range(80, 300, 20)),
    ],
)
def test_no_hint_is_refused_when_followed(start):
    said = []
    for seed in range(start, start + 20):
        attempt = drawn(seed)
        said += [shown(kind, way, attempt) for kind, way in refusals(attempt)]
    assert not said, "\n".join(said)
