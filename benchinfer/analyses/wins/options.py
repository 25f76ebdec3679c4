"""Arguments of `compare_wins`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from benchinfer.analyses.wins.counts import By
from benchinfer.analyses.wins.numerics.posterior import WinPriors
from benchinfer.analyses.wins.numerics.tally import Ties
from benchinfer.comparison.adjustment import Adjust, Interval
from benchinfer.comparison.options import TestedOptions
from benchinfer.core.arguments import MOST, MOST_CHAINS, ArgumentError, check_count

type Inference = Literal["likelihood", "bayes"]
type Errors = Literal["auto", "robust", "independent"]
_FEWEST_CHAINS, _FEWEST_DRAWS = 4, 100
_OF_POSTERIOR = ("draws", "chains", "priors", "seed")


@dataclass(frozen=True, kw_only=True)
class WinsOptions(TestedOptions):
    """Arguments of `compare_wins`; see there.

    References
    ----------
    Bradley & Terry (1952), https://doi.org/10.1093/biomet/39.3-4.324; Davidson (1970),
    https://doi.org/10.1080/01621459.1970.10481082.
    """

    analysis: ClassVar[str] = "compare_wins"

    inference: Inference
    by: By
    ties: Ties
    tie_tolerance: float | None
    local_rope: float | None
    rope: float
    errors: Errors
    penalised: bool
    departures: bool
    adjust: Adjust
    interval: Interval
    missing: Literal["use", "error"]
    draws: int = 1000
    chains: int = 8
    priors: WinPriors | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (math.isfinite(self.rope) and 0 <= self.rope < 0.5):
            raise ArgumentError(
                f"rope is {self.rope!r}.",
                hint="from 0 to below 0.5: with 0.05 probabilities from 0.45 to 0.55 are"
                " equivalent.",
            )
        for name in ("tie_tolerance", "local_rope"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise ArgumentError(f"{name} is {value!r}.", hint="0 or more, as in 0.01.")
        if self.bayes:
            self._check_posterior()
        else:
            self._check_likelihood()

    @property
    def bayes(self) -> bool:
        """True if verdicts rest on posterior probabilities."""
        return self.inference == "bayes"

    def arguments(self) -> dict[str, object]:
        """Return the arguments by name; those of a posterior with one."""
        given = super().arguments()
        return {n: v for n, v in given.items() if self.bayes or n not in _OF_POSTERIOR}

    def _check_likelihood(self) -> None:
        """Raise an ArgumentError for options of a posterior, or a penalty with a tie parameter."""
        for name in ("departures", "priors"):
            if getattr(self, name):
                raise ArgumentError(
                    f"{name} is of a posterior.",
                    hint='inference="bayes" goes with it.',
                )
        if self.penalised and self.ties == "davidson":
            raise ArgumentError(
                "the penalty is for wins and losses alone.",
                hint='ties="half" or ties="drop" goes with penalised=True.',
            )

    def _check_posterior(self) -> None:
        """Raise an ArgumentError for options of tests, or for too few draws or chains."""
        given = {
            "errors": self.errors != "auto",
            "penalised": self.penalised,
            "alternative": self.directed,
            "adjust": self.adjust != "auto",
            "interval": self.interval != "compatible",
        }
        if wrong := [name for name, is_given in given.items() if is_given]:
            raise ArgumentError(
                f"{wrong[0]} is of tests, which a posterior has not.",
                hint='inference="likelihood" goes with it.',
            )
        enough = f"at least {_FEWEST_CHAINS}, to see whether chains agree."
        check_count("chains", self.chains, _FEWEST_CHAINS, enough, most=MOST_CHAINS)
        enough, most = f"an even number from {_FEWEST_DRAWS}.", MOST // self.chains
        check_count("draws", self.draws, _FEWEST_DRAWS, enough, even=True, most=most)
