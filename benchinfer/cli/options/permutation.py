"""Command-line options of `compare permutation`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.options.tests import ComparisonArguments, Seed, Target, checked, listed, wrong

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable


On = Annotated[
    Literal["aligned-ranks", "ranks", "values", "normal-scores", "dispersion"],
    typer.Option(
        help="What is permuted: the scores (values), ranks of them within blocks or without their"
        " block's mean, normal scores of these, or how far scores lie from a median (dispersion)."
    ),
]
Null = Annotated[
    Literal["auto", "exact", "monte-carlo", "asymptotic"],
    typer.Option(
        help="All arrangements, random ones, or the normal limit; auto: exact where that takes"
        " seconds, else Monte Carlo."
    ),
]
Resamples = Annotated[
    int, typer.Option(metavar="INTEGER", min=1, help="Random arrangements of Monte Carlo.")
]
Pairs = Annotated[
    Literal["pairwise", "pooled"],
    typer.Option(
        help="Each pair on its own scores, or on scores that all algorithms share, which controls"
        " errors over pairs only if all are alike."
    ),
]
Adjust = Annotated[
    Literal[
        "auto",
        "single-step",
        "step-down",
        "closed",
        "shaffer",
        "bergmann-hommel",
        "bonferroni",
        "holm",
        "hochberg",
        "hommel",
        "rom",
        "finner",
        "li",
        "none",
    ],
    typer.Option(
        metavar="NAME",
        help="Adjustment for many contrasts: closed, step-down, holm, bonferroni, hochberg, hommel,"
        " rom, finner, li or none; of pooled tests also single-step, shaffer or bergmann-hommel;"
        " auto: the first of closed, step-down and holm that goes, pooled single-step.",
    ),
]
Scale = Annotated[
    Literal["none", "dataset"],
    typer.Option(
        help="With --target datasets: test scores as they are, or in units of their data set."
    ),
]
Stop = Annotated[
    bool,
    typer.Option("--stop", help="Resample all algorithms only until all decisions are certain."),
]
Trend = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Page's test that scores fall in this order, fixed before they were seen: all"
        " algorithms, best first, separated by commas.",
    ),
]


@dataclass(frozen=True)
class PermutationQuestion(ComparisonArguments):
    """Options of `compare permutation`, as typed."""

    adjust: Adjust = "auto"
    target: Target = "auto"
    on: On = "aligned-ranks"
    null: Null = "auto"
    resamples: Resamples = 100_000
    pairs: Pairs = "pairwise"
    scale: Scale = "none"
    stop: Stop = False
    seed: Seed = None
    trend: Trend = None

    @property
    def places(self) -> tuple[str, ...] | None:
        """The order of Page's test, best first."""
        return None if self.trend is None else listed(self.trend)

    def arguments(self, *, each: bool = False) -> dict[str, Any]:
        """Return the arguments of `compare_permutation`; options may exclude each other."""
        from benchinfer.analyses.permutation.adjustment import resolve_adjustment

        if each:
            for option, asked in (
                ("--target domain", self.target == "domain"),
                ("--trend", self.trend is not None),
            ):
                if asked:
                    raise wrong("--per-dataset", f"goes without {option}.")
        shared = self.shared()
        given = (self.adjust, self.pairs, shared["contrasts"], self.alternative, self.null)
        checked("--adjust", resolve_adjustment, *given)
        if shared["contrasts"] == "mean" and self.pairs == "pairwise":
            raise wrong("--contrasts", "mean needs --pairs pooled.")
        return {
            "on": self.on,
            "null": self.null,
            "resamples": self.resamples,
            "adjust": self.adjust,
            "pairs": self.pairs,
            "target": self.target,
            "scale": self.scale,
            "seed": self.seed,
            "progress": True,
            "stop": self.stop,
            **shared,
        }

    def check_names(self, scores: "ScoreTable") -> None:
        """Find the algorithms that are named; a wrong name is wrong usage."""
        super().check_names(scores)
        if self.places is not None:
            from benchinfer.analyses.permutation.overall import check_order

            checked("--trend", check_order, scores.algorithms, self.places)
