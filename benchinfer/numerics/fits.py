"""What inference needs of a fitted mixed model, whichever engine fitted it."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.reml import Derivatives

type Array = NDArray[np.float64]


class Fit(Protocol):
    """What degrees of freedom need of a fitted mixed model with p fixed effects."""

    @property
    def phi(self) -> Array:
        """(p, p) covariance of the fixed effects on the scale of the centred scores."""
        ...

    @property
    def cov(self) -> Array:
        """(p, p) the same on the scores' own scale."""
        ...

    @property
    def scale(self) -> float:
        """What the scale of the centred scores was divided by."""
        ...

    @property
    def derivatives(self) -> Derivatives:
        """Derivatives over the variances on the scale of the centred scores."""
        ...

    @property
    def members(self) -> NDArray[np.int64]:
        """Positions of the variances in the model."""
        ...

    @property
    def interior(self) -> NDArray[np.int64]:
        """Positions of the variances in the model that are not estimated to be zero."""
        ...


@runtime_checkable
class Sampled(Protocol):
    """A fit that knows the covariance of its c estimated variances.

    Where a covariance matrix lacks rank, the boundary is not a matter of single variances.
    """

    @property
    def sampling(self) -> Array:
        """(c, c) covariance, zero in directions in which the fit lies on the boundary."""
        ...


class TestedFit(Fit, Protocol):
    """What F tests need of a fitted mixed model besides what degrees of freedom need."""

    @property
    def beta(self) -> Array:
        """(p,) fixed effects on the scores' scale."""
        ...

    @property
    def reml(self) -> bool:
        """Whether the likelihood is restricted."""
        ...
