"""Command-line options of `compare bootstrap`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.options.source import Tolerance
from benchinfer.cli.options.tests import (
    ADJUST,
    ComparisonArguments,
    Seed,
    Whole,
    checked,
    listed,
    wrong,
)

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable


Statistic = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="iqm (interquartile mean), mean, median, worst, optimality-gap (mean shortfall from"
        " --goal), or a number between 0 and 1 for that quantile, counted from the worst.",
    ),
]
Resample = Annotated[
    Literal["replications", "datasets", "both"],
    typer.Option(
        help="What is drawn: replications, for claims about these data sets; data sets, or both,"
        " for claims about their domain."
    ),
]
Interval = Annotated[
    Literal["percentile", "expanded", "bca"],
    typer.Option(
        help="Percentiles of the resamples, widened for the number of units drawn from (expanded),"
        " as they are, or corrected for bias and acceleration (bca)."
    ),
]
Normalise = Annotated[
    str | None,
    typer.Option(
        metavar="HOW",
        help="min-max; low=REFERENCE,high=REFERENCE for what becomes 0 and 1, each a number or an"
        " algorithm; or a TOML file with tables low and high of one number per data set.",
    ),
]
Goal = Annotated[
    str | None,
    typer.Option(
        metavar="REFERENCE",
        help="What counts as reached, for optimality-gap: a number, an algorithm, or a TOML file"
        " with one number per data set. 1 on normalised scores.",
    ),
]
Resamples = Annotated[
    str,
    typer.Option(
        metavar="INTEGER", help="Their number, or auto: as many as the contrasts need, in seconds."
    ),
]
Adjust = Annotated[Literal["holm", "none"], ADJUST]


@dataclass(frozen=True)
class BootstrapQuestion(ComparisonArguments):
    """Options of `compare bootstrap`, as typed."""

    adjust: Adjust = "holm"
    statistic: Statistic = "iqm"
    resample: Resample = "replications"
    interval: Interval = "expanded"
    normalise: Normalise = None
    goal: Goal = None
    tolerance: Tolerance = None
    missing: Whole = "complete"  # pyright: ignore[reportIncompatibleVariableOverride]
    resamples: Resamples = "auto"
    seed: Seed = None

    def arguments(self, *, each: bool = False) -> dict[str, Any]:
        """Return the arguments of `compare_bootstrap`; what does not go together is wrong usage."""
        if each and self.resample != "replications":
            why = f"takes each data set by itself, and --resample {self.resample} does not."
            raise wrong("--per-dataset", why)
        self._check_goal()
        return {
            "statistic": self._statistic(),
            "resample": self.resample,
            "interval": self.interval,
            "normalise": self._normalise(),
            "goal": self._goal(),
            "adjust": self.adjust,
            "tolerance": self.tolerance,
            "resamples": self._resamples(),
            "seed": self.seed,
            "progress": True,
            **self.shared(),
        }

    def check_names(self, scores: "ScoreTable") -> None:
        """Find the algorithms that are named; a wrong name is wrong usage."""
        from benchinfer.core.errors import unknown

        super().check_names(scores)
        given = self._normalise()
        named = [("--goal", self._goal())]
        named += [("--normalise", x) for x in (given.values() if isinstance(given, dict) else ())]
        for option, name in named:
            if isinstance(name, str) and name not in scores.algorithms:
                raise wrong(option, unknown("algorithm", name, scores.algorithms))

    def _normalise(self) -> str | dict[str, Any] | None:
        return None if self.normalise is None else _references(self.normalise)

    def _goal(self) -> Any:
        return None if self.goal is None else _reference(self.goal)

    def _statistic(self) -> str | float:
        from benchinfer.analyses.bootstrap.compare import statistic_of

        given = _number(self.statistic)
        checked("--statistic", statistic_of, given)
        return given

    def _resamples(self) -> int | str:
        from benchinfer.analyses.bootstrap.compare import FEWEST

        if self.resamples == "auto":
            return "auto"
        if not self.resamples.isdecimal() or int(self.resamples) < FEWEST:
            raise wrong("--resamples", f"is auto or an integer of at least {FEWEST}.")
        return int(self.resamples)

    def _check_goal(self) -> None:
        gap = self.statistic == "optimality-gap"
        if self.goal is not None and not gap:
            raise wrong("--goal", "goes with --statistic optimality-gap.")
        if gap and self.goal is None and self.normalise is None:
            raise wrong(
                "--statistic", "optimality-gap needs --goal, or --normalise, where it is 1."
            )
        if gap and self.normalise is not None and isinstance(_number(self.goal or "1"), str):
            raise wrong("--goal", "on normalised scores it is a number.")


def _references(text: str) -> str | dict[str, Any]:
    """Read min-max, two references, or a file of them."""
    if text == "min-max":
        return text
    if text.endswith(".toml"):
        found = _toml("--normalise", text)
    else:
        parts = [part.partition("=") for part in listed(text)]
        found = {name.strip(): _number(value.strip()) for name, sign, value in parts if sign}
    if set(found) != {"low", "high"} or not all(map(_usable, found.values())):
        raise wrong(
            "--normalise",
            f"{text!r} is none of min-max, low=REFERENCE,high=REFERENCE and a TOML file with"
            " numbers in low and high.",
        )
    return found


def _reference(text: str) -> Any:
    """Read a number, a name, or a file of numbers."""
    if not text.endswith(".toml"):
        return _number(text)
    found = _toml("--goal", text)
    if not _usable(found):
        raise wrong("--goal", f"{text!r} does not hold one number per data set.")
    return found


def _toml(option: str, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:  # what is not TOML, or not UTF-8
        raise wrong(option, f"{path!r} is not TOML: {error}.") from None


def _usable(value: object) -> bool:
    """Return whether it can be a reference: a number, a name, or a number for each data set."""
    if isinstance(value, dict):
        return all(type(number) in {int, float} for number in value.values())
    return type(value) in {int, float, str}


def _number(text: str) -> float | str:
    """Read a number; what is none is a name."""
    try:
        return float(text)
    except ValueError:
        return text
