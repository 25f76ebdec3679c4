"""Command-line options of all comparisons by tests."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.hints import as_options
from benchinfer.core.errors import DesignError

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable


def open_unit(value: float) -> float:
    """Let through what is between 0 and 1."""
    if not 0 < value < 1:
        raise typer.BadParameter("between 0 and 1, as in 0.95.")
    return value


Level = Annotated[
    float,
    typer.Option(
        metavar="NUMBER", callback=open_unit, help="Confidence level of the family of contrasts."
    ),
]
Target = Annotated[
    Literal["auto", "domain", "datasets"],
    typer.Option(help="Claims about the domain of the data sets, or these data sets alone."),
]
Contrasts = Annotated[
    Literal["tukey", "dunnett", "sequential", "mean"] | None,
    typer.Option(
        help="All pairs (tukey, the default), each against --control (dunnett), each against the"
        " one before it by name (sequential), or against the mean of all (mean).",
        show_default=False,
    ),
]
Control = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Compare each other algorithm with this one; best: the one with the best estimate.",
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Compare each of these algorithms with the one before it; names separated by commas.",
    ),
]
Alternative = Annotated[
    Literal["two-sided", "better", "worse"],
    typer.Option(help="What tests are to show of the first algorithm of a contrast."),
]
Missing = Annotated[
    Literal["use", "error"], typer.Option(help="Cells that lack scores: use the rest, or refuse.")
]
Whole = Annotated[
    Literal["complete", "error"],
    typer.Option(
        "--missing",
        help="Cells that lack scores: leave out data sets and algorithms, so that all algorithms"
        " are averaged over the same data sets, or refuse.",
    ),
]
# The choices differ between analyses, what they are for does not.
ADJUST = typer.Option(help="Adjustment for many contrasts.")
Seed = Annotated[
    int | None,
    typer.Option(
        metavar="INTEGER",
        min=0,
        max=2**64 - 1,
        help="Of the random numbers; one is drawn and printed if none is given.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Contrasted:
    """Options of any comparison, as typed."""

    contrasts: Contrasts = None
    control: Control = None
    order: Order = None
    level: Level = 0.95
    missing: Missing = "use"

    @property
    def directed(self) -> bool:
        """True if claims are about the first algorithm of a contrast only."""
        return False

    def shared(self) -> dict[str, Any]:
        """Return the arguments that these options are."""
        return {
            "contrasts": self.family(),
            "control": self.control,
            "level": self.level,
            "missing": self.missing,
        }

    def check_names(self, scores: "ScoreTable") -> None:
        """Find the algorithms that are named; a wrong name is wrong usage."""
        if self.control is None and self.order is None:
            return
        import numpy as np

        from benchinfer.comparison.contrasts import family_of

        names = scores.algorithms
        checked(
            "--order" if self.control is None else "--control",
            family_of,
            names,
            self.family(),
            self.control,
            np.zeros(len(names)),
            directed=self.directed,
        )

    def family(self) -> str | tuple[str, ...]:
        """Return the family that the three options ask for together."""
        if self.order is not None:
            if self.control is not None or self.contrasts is not None:
                other = "--contrasts" if self.control is None else "--control"
                raise wrong("--order", f"goes without {other}.")
            return listed(self.order)
        if self.control is not None and self.contrasts not in {None, "dunnett"}:
            raise wrong("--control", "goes with --contrasts dunnett.")
        if self.control is None and self.contrasts == "dunnett":
            raise wrong("--contrasts", "dunnett needs --control NAME.")
        return self.contrasts or ("tukey" if self.control is None else "dunnett")


@dataclass(frozen=True)
class ComparisonArguments(Contrasted):
    """Options of a comparison by tests, as typed."""

    alternative: Alternative = "two-sided"

    @property
    def directed(self) -> bool:
        """True if tests are one-sided."""
        return self.alternative != "two-sided"

    def shared(self) -> dict[str, Any]:
        """Return the arguments that these options are."""
        return {**super().shared(), "alternative": self.alternative}


def wrong(option: str, why: str) -> typer.BadParameter:
    """Return the error that an option is used wrongly."""
    return typer.BadParameter(why, param_hint=f"'{option}'")


def checked[T](option: str, check: Callable[..., T], *given: object, **named: object) -> T:
    """Let the library check; what it refuses is wrong usage of an option."""
    try:
        return check(*given, **named)
    except DesignError as error:
        raise wrong(option, as_options(str(error))) from None


def listed(text: str) -> tuple[str, ...]:
    """Read names separated by commas."""
    return tuple(name.strip() for name in text.split(","))
