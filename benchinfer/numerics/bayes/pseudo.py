"""The prior of the Bayesian sign and signed-rank tests: one pseudo-observation."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from benchinfer.errors import DesignError, message, unknown
from benchinfer.saving import savable

type Place = Literal["first", "equivalent", "second"]


@savable
@dataclass(frozen=True, slots=True)
class PseudoObservation:
    """A data set that was never seen, with a weight: the prior of tests with a Dirichlet process.

    Parameters
    ----------
    strength
        Its weight, where each data set has weight 1. By default 1 for the sign test and 0.5 for the
        signed-rank test.
    place
        Where it stands: ``"equivalent"`` (no difference), or without bound where the ``"first"`` or
        ``"second"`` algorithm is better. A verdict that depends on it rests on the prior.

    Raises
    ------
    DesignError
        The strength is not positive and finite, or the place is not known.

    Examples
    --------
    >>> PseudoObservation(place="second").place
    'second'
    """

    strength: float | None = None
    place: Place = "equivalent"

    def __post_init__(self) -> None:
        if self.strength is not None and not (math.isfinite(self.strength) and self.strength > 0):
            raise DesignError(
                message(f"strength is {self.strength!r}.", hint="a finite number above 0.")
            )
        if self.place not in (known := get_args(Place.__value__)):
            raise DesignError(unknown("place", self.place, known))
