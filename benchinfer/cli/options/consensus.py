"""Command-line options of `consensus`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchinfer.cli.options.arguments import Level, MeasureTexts, Seed, listed, named, used, wrong
from benchinfer.core.errors import DesignError

if TYPE_CHECKING:
    from benchinfer.cli.options.source import SourceArguments
    from benchinfer.comparison.per_dataset import Comparisons
    from benchinfer.scores.table import ScoreTable


Weights = Annotated[
    str | None,
    typer.Option(
        metavar="LIST", help="Weight of each --measure, in their order, separated by commas."
    ),
]
By = Annotated[
    Literal["mixed", "points", "permutation"] | None,
    typer.Option(
        help="The comparison on each data set that gives its relation: mixed, or points where no"
        " algorithm has more than one score on a data set, unless said otherwise.",
        show_default=False,
    ),
]
Rule = Annotated[
    Literal["evidence", "not-significant"],
    typer.Option(
        help="Relations as the evidence stands, or the legacy rule that what is not significant is"
        " equal."
    ),
]
Method = Annotated[
    Literal[
        "symdiff",
        "cks",
        "emond-mason",
        "jmb",
        "discrete",
        "borda",
        "copeland",
        "condorcet",
        "cook-seiford",
    ],
    typer.Option(
        metavar="NAME",
        help="Distance that is least: symdiff, cks, emond-mason, jmb, discrete or, of ranks,"
        " cook-seiford; or points: borda, copeland, condorcet.",
    ),
]
Family = Annotated[
    Literal["linear", "weak", "partial", "preorder", "equivalence", "semiorder", "interval"],
    typer.Option(metavar="NAME", help="linear, weak, partial, semiorder, interval, preorder or"
        " equivalence: among which relations to choose."),
]  # fmt: skip
MissingPairs = Annotated[
    Literal["ignore", "undecided"],
    typer.Option(help="Pairs that were not compared: cost nothing, or count as undecided."),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="After which the best order found is printed, with its bound; it may depend on the"
        " machine. By default the work is counted, about 5 seconds; inf for no limit.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class ConsensusQuestion:
    """Options of `consensus`, as typed."""

    measure: MeasureTexts = None
    weights: Weights = None
    method: Method = "symdiff"
    family: Family = "weak"
    missing_pairs: MissingPairs = "ignore"
    by: By = None
    rule: Rule = "evidence"
    level: Level = 0.95
    seed: Seed = 1
    time_limit: TimeLimit = None

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `consensus`; raise a usage error for incompatible options."""
        from benchinfer.relations.consensus.consensus import check_family

        if self.by == "points" and self.rule != "evidence":
            raise wrong("--rule", "not-significant needs --by mixed or permutation.")
        if self.time_limit is not None and not self.time_limit > 0:
            raise wrong("--time-limit", "above 0.")
        with used("--family"):
            check_family(self.method, self.family)
        return {
            "method": self.method,
            "family": self.family,
            "missing_pairs": self.missing_pairs,
            "time_limit": self.time_limit,
        }

    def weighted(self, source: SourceArguments, scores: ScoreTable) -> dict[str, float]:
        """Return the weight of each measure."""
        names = named(source, scores, self.measure)
        if self.weights is None:
            return dict.fromkeys(names, 1.0)
        weights = [_number(text) for text in listed(self.weights)]
        if len(weights) != len(names):
            raise wrong("--weights", f"{len(weights)} weights for {len(names)} measures.")
        if not any(weights):
            raise wrong("--weights", "one of them at least is above 0.")
        return dict(zip(names, weights, strict=True))

    def compared(self, scores: ScoreTable, measure: str) -> Comparisons:
        """Compare the algorithms on each data set."""
        from benchinfer.comparison.per_dataset import per_dataset

        single = int(scores.coverage(measure).counts.max()) == 1
        by = self.by or ("points" if single and self.rule == "evidence" else "mixed")
        if by == "points":
            from benchinfer.analyses.points import compare_points

            return per_dataset(compare_points, scores, measure)
        if by == "mixed" and single:
            raise DesignError(
                f"no algorithm has more than one score of {measure} on a data set, which leaves"
                " nothing to estimate noise from.",
                hint="--by points, without --rule, takes such scores as they are.",
            )
        if by == "mixed":
            from benchinfer.analyses.mixed.compare import compare_mixed

            return per_dataset(compare_mixed, scores, measure, level=self.level)
        from benchinfer.analyses.permutation.compare import compare_permutation

        return per_dataset(
            compare_permutation, scores, measure, level=self.level, seed=self.seed, progress=True
        )


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise wrong("--weights", f"{text!r} is no number that is not negative.")
    return value
