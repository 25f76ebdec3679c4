"""Command-line options of `compare wins`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.options.bayes import Chains, Draws
from benchinfer.cli.options.tests import ADJUST, ComparisonArguments, Seed, wrong

if TYPE_CHECKING:
    from benchinfer.analyses.wins.counts import Wins
    from benchinfer.cli.options.source import SourceArguments


Inference = Annotated[
    Literal["likelihood", "bayes"],
    typer.Option(help="Maximum likelihood with tests, or posterior probabilities."),
]
By = Annotated[
    Literal["datasets", "replications"],
    typer.Option(help="What is won: data sets, by means, or replications that algorithms share."),
]
Ties = Annotated[
    Literal["davidson", "half", "drop"],
    typer.Option(help="Ties: a parameter of their own, half a win for each side, or left out."),
]
TieTolerance = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        min=0,
        help="Differences of at most this are ties; by default the measure's tolerance.",
        show_default=False,
    ),
]
LocalRope = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        min=0,
        help="Differences of at most so many standard deviations on the data set are ties, too.",
        show_default=False,
    ),
]
Rope = Annotated[
    float,
    typer.Option(
        metavar="NUMBER",
        min=0,
        max=0.49,
        help="Chances to win within this of 1/2 are equivalent; 0 for none.",
    ),
]
Errors = Annotated[
    Literal["auto", "robust", "independent"],
    typer.Option(help="Errors from the spread of data sets, or as if contests were independent."),
]
Penalised = Annotated[
    bool,
    typer.Option(
        "--penalised",
        help="Firth's penalty, also where no algorithm always wins; goes with --ties half or drop.",
    ),
]
Departures = Annotated[
    bool,
    typer.Option(
        "--departures",
        help="Of a posterior: worths of its own for each data set (--ties half or drop).",
    ),
]
Adjust = Annotated[
    Literal["auto", "single-step", "westfall", "shaffer", "holm", "none"],
    ADJUST,
]


@dataclass(frozen=True)
class WinsQuestion(ComparisonArguments):
    """Options of `compare wins`, as typed."""

    inference: Inference = "likelihood"
    by: By = "datasets"
    ties: Ties = "davidson"
    tie_tolerance: TieTolerance = None
    local_rope: LocalRope = None
    rope: Rope = 0.05
    errors: Errors = "auto"
    penalised: Penalised = False
    departures: Departures = False
    adjust: Adjust = "auto"
    draws: Draws = 1000
    chains: Chains = 8
    seed: Seed = None

    def published(self, source: "SourceArguments", measure: str | None) -> "Wins":
        """Read a published win table, in which wins are counted already."""
        for option, given in (
            ("--by", self.by != "datasets"),
            ("--tie-tolerance", self.tie_tolerance is not None),
            ("--local-rope", self.local_rope is not None),
            ("--departures", self.departures),
        ):
            if given:
                raise wrong(option, "goes with scores, and the table holds published wins.")
        found = source.wins(measure)
        for note in found.notes:
            typer.echo(f"note  {note.rule}: {note.what}", err=True)
        return found

    def arguments(self, *, each: bool = False) -> dict[str, Any]:
        """Return the arguments of `compare_wins`; a data set by itself is no option."""
        del each
        if self.penalised and self.ties == "davidson":
            raise wrong("--penalised", "goes with --ties half or --ties drop.")
        if self.departures and self.inference == "likelihood":
            raise wrong("--departures", "goes with --inference bayes.")
        return {
            "inference": self.inference,
            "by": self.by,
            "ties": self.ties,
            "tie_tolerance": self.tie_tolerance,
            "local_rope": self.local_rope,
            "rope": self.rope,
            "errors": self.errors,
            "penalised": self.penalised,
            "departures": self.departures,
            "adjust": self.adjust,
            "draws": self.draws,
            "chains": self.chains,
            "seed": self.seed,
            "progress": True,
            **super().shared(),
        }
