"""What `compare meta` can be asked: its options, and what they mean as arguments."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from benchinfer.cli.question import ADJUST, Question, listed

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
    Literal["auto", "own", "common"],
    typer.Option(help="Sampling covariance: of each data set, or one variance of differences."),
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
    Literal["auto", "none", "domain"],
    typer.Option(help="Whether data sets lie within domains, as a third level."),
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
Adjust = Annotated[
    Literal["auto", "single-step", "westfall", "shaffer", "holm", "none"],
    ADJUST,
]


@dataclass(frozen=True, slots=True)
class MetaQuestion(Question):
    """What is asked of a meta-analysis, as typed; the fields are options of the command."""

    effect: Effect = "difference"
    pooling: Pooling = "network"
    covariance: Covariance = "auto"
    method: Method = "reml"
    interval: Interval = "auto"
    nested: Nested = "auto"
    along: Along = None
    adjust: Adjust = "auto"
    tolerance: Margin = None

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
