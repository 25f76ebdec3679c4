"""Command-line options of `compare pair`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.options.tests import Alternative, Level, Missing, Seed, listed, wrong

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable


Test = Annotated[
    Literal[
        "auto",
        "t",
        "welch",
        "corrected-t",
        "5x2cv-t",
        "5x2cv-f",
        "wilcoxon",
        "sign",
        "sign-flip",
        "bayes-t",
        "mcnemar",
        "mcnemar-midp",
        "mcnemar-chi2",
        "mcnemar-score",
        "paired-rates",
        "independent-rates",
        "parts-t",
    ],
    typer.Option(
        metavar="NAME",
        help="The test: t, welch, corrected-t, 5x2cv-t, 5x2cv-f, wilcoxon, sign, sign-flip,"
        " bayes-t, mcnemar, mcnemar-midp, mcnemar-chi2, mcnemar-score, paired-rates,"
        " independent-rates or parts-t; auto: by the resampling. One that does not fit it is"
        " refused.",
    ),
]
Pair = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="The two algorithms, separated by a comma; else all pairs.",
        show_default=False,
    ),
]
Control = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Compare each other algorithm with this one; best: the best one."
    ),
]
Margin = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="Difference that does not matter, for equivalence and non-inferiority, if not the"
        " measure's tolerance.",
    ),
]
Adjust = Annotated[
    Literal["holm", "bonferroni", "hochberg", "hommel", "rom", "finner", "li", "none"],
    typer.Option(help="Adjustment for several pairs."),
]
Clusters = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Covariate (see --covariates) that says which items belong together; errors are then"
        " robust to that.",
    ),
]
Parts = Annotated[
    int | None,
    typer.Option(
        metavar="INTEGER",
        min=2,
        help="Of parts-t: number of parts; else they grow until differences look normal.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class PairArguments:
    """Options of `compare pair`, as typed."""

    test: Test = "auto"
    pair: Pair = None
    control: Control = None
    margin: Margin = None
    alternative: Alternative = "two-sided"
    adjust: Adjust = "holm"
    level: Level = 0.95
    clusters: Clusters = None
    parts: Parts = None
    missing: Missing = "use"
    seed: Seed = None

    def arguments(self, *, each: bool = False) -> dict[str, Any]:
        """Return the arguments of `compare_pair`; what does not go together is wrong usage."""
        del each  # all options go with it
        names = None if self.pair is None else listed(self.pair)
        if names is not None and (len(names) != 2 or names[0] == names[1]):
            raise wrong("--pair", "names two algorithms, separated by a comma.")
        if names is not None and self.control is not None:
            raise wrong("--pair", "goes without --control.")
        if self.parts is not None and self.test != "parts-t":
            raise wrong("--parts", "goes with --test parts-t.")
        if self.margin is not None and self.margin < 0:
            raise wrong("--margin", "zero or larger.")
        return {
            "test": self.test,
            "pair": names,
            "control": self.control,
            "margin": self.margin,
            "alternative": self.alternative,
            "adjust": self.adjust,
            "level": self.level,
            "clusters": self.clusters,
            "parts": self.parts,
            "missing": self.missing,
            "seed": self.seed,
        }

    def check_names(self, scores: "ScoreTable") -> None:
        """Find the algorithms that are named; a wrong name is wrong usage."""
        from benchinfer.core.errors import unknown

        names = scores.algorithms
        for name in () if self.pair is None else listed(self.pair):
            if name not in names:
                raise wrong("--pair", unknown("algorithm", name, names))
        if self.control is not None and self.control not in (*names, "best"):
            raise wrong("--control", unknown("algorithm", self.control, (*names, "best")))
