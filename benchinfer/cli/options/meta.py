"""Command-line options of `compare meta`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.options.tests import ADJUST, ComparisonArguments, listed, wrong

if TYPE_CHECKING:
    from benchinfer.analyses.meta.effects import Effects
    from benchinfer.cli.options.source import SourceArguments
    from benchinfer.scores.table import ScoreTable


Effect = Annotated[
    Literal["difference", "standardised", "log-ratio"],
    typer.Option(help="Differences of means, in standard deviations, or logs of ratios."),
]
Pooling = Annotated[
    Literal["network", "pairwise"],
    typer.Option(
        help="All algorithms jointly with one heterogeneity, or each pair from the data sets that"
        " hold both."
    ),
]
Covariance = Annotated[
    Literal["auto", "own", "common", "moderated"],
    typer.Option(
        help="Sampling covariance: of each data set, or one variance of differences, which may be"
        " shrunk towards those of the others."
    ),
]
Method = Annotated[
    Literal["reml", "paule-mandel", "dersimonian-laird"],
    typer.Option(help="How the variance between data sets is estimated."),
]
Interval = Annotated[
    Literal["auto", "robust", "hartung-knapp", "wald"],
    typer.Option(
        help="Errors of each contrast from the spread of data sets (robust), one for all pairs of a"
        " network, or normal ones."
    ),
]
Nested = Annotated[
    Literal["auto", "none", "study", "domain"],
    typer.Option(
        help="What data sets lie within, as a third level: the studies of published effects, or"
        " domains of a table."
    ),
]
Along = Annotated[
    str | None,
    typer.Option(
        "--along",
        metavar="LIST",
        help="Covariates of the data sets along which algorithms have slopes, separated by commas.",
        show_default=False,
    ),
]
Margin = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        min=0,
        help="Difference that does not matter, in the unit of the effect.",
        show_default=False,
    ),
]
Harmonise = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=MEASURE:FORMULA",
        help="Published effects: how a measure of the file is put into another, as in"
        " 'accuracy=error:1 - x' or 'error %=error:x / 100'; once per measure.",
        show_default=False,
    ),
]
Correlation = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="Published effects: of two that share a baseline, where a study of three algorithms or"
        " more reports differences from a baseline only.",
        show_default=False,
    ),
]
Adjust = Annotated[
    Literal["auto", "single-step", "westfall", "shaffer", "holm", "none"],
    ADJUST,
]


@dataclass(frozen=True)
class MetaQuestion(ComparisonArguments):
    """Options of `compare meta`, as typed."""

    effect: Effect = "difference"
    pooling: Pooling = "network"
    covariance: Covariance = "auto"
    method: Method = "reml"
    interval: Interval = "auto"
    nested: Nested = "auto"
    along: Along = None
    adjust: Adjust = "auto"
    tolerance: Margin = None
    harmonise: Harmonise = None
    correlation: Correlation = None

    def read(self, source: "SourceArguments") -> "ScoreTable | Effects":
        """Read a score table, or published effects where the columns are those of effects."""
        if source.holds_effects():
            found = source.effects(
                effect=self.effect,
                harmonise=_formulas(self.harmonise or []),
                correlation=self.correlation,
            )
            for note in found.notes:
                typer.echo(f"note  {note.rule}: {note.what}", err=True)
            return found
        for option, value in (
            ("--harmonise", self.harmonise),
            ("--correlation", self.correlation),
        ):
            if value is not None:
                raise wrong(option, "goes with a table of published effects.")
        return source.read()

    def arguments(self, *, each: bool = False) -> dict[str, Any]:
        """Return the arguments of `compare_meta`; a data set by itself has nothing to pool."""
        del each
        return {
            "effect": self.effect,
            "pooling": self.pooling,
            "covariance": self.covariance,
            "method": self.method,
            "interval": self.interval,
            "nested": self.nested,
            "covariates": () if self.along is None else listed(self.along),
            "adjust": self.adjust,
            "tolerance": self.tolerance,
            **self.shared(),
        }


def _formulas(texts: list[str]) -> dict[str, tuple[str, str]]:
    """Read NAME=MEASURE:FORMULA; a name may hold ``=`` itself."""
    found: dict[str, tuple[str, str]] = {}
    for text in texts:
        told, colon, formula = text.partition(":")
        name, equals, target = told.rpartition("=")
        if not (colon and equals):
            raise wrong("--harmonise", f"{text!r} is not NAME=MEASURE:FORMULA.")
        found[name.strip()] = target.strip(), formula.strip()
    return found
