"""How much effects differ between data sets: Q, tau^2 with its interval, I^2 and H^2.

References
----------
Viechtbauer, W. (2007). Confidence intervals for the amount of heterogeneity in meta-analysis.
Statistics in Medicine 26, 37-52. https://doi.org/10.1002/sim.2514

Higgins, J. P. T. & Thompson, S. G. (2002). Quantifying heterogeneity in a meta-analysis. Statistics
in Medicine 21, 1539-1558. https://doi.org/10.1002/sim.1186
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from benchinfer.numerics.meta.pooling import Part, at, crossing, unit


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """Heterogeneity of effects.

    Attributes
    ----------
    q, df, p_value
        Cochran's Q with fixed effects, its degrees of freedom, and its chi-squared p-value.
    tau2, tau2_low, tau2_high
        Variance between data sets, and its Q-profile interval.
    typical
        Typical sampling variance.
    """

    q: float
    df: int
    p_value: float
    tau2: float
    tau2_low: float
    tau2_high: float
    typical: float

    def i2(self, tau2: float) -> float:
        """Return the share, in percent, of the effects' variance that is between data sets."""
        return 100 * tau2 / (tau2 + self.typical)

    def h2(self, tau2: float) -> float:
        """Return the ratio of the effects' variance to the sampling variance."""
        return tau2 / self.typical + 1


def heterogeneity(parts: Sequence[Part], tau2: float, level: float = 0.95) -> Heterogeneity:
    """Describe the heterogeneity of effects.

    Parameters
    ----------
    parts
        The effects, with at least one residual degree of freedom.
    tau2
        The estimate.
    level
        Confidence of the interval, which inverts Q at the tails of chi-squared.

    Returns
    -------
    Heterogeneity
        The interval's ends are 0 or more; both are 0 where Q is improbably small.
    """
    free, fixed = sum(part.free for part in parts), at(parts, 0.0)
    tails = [float(chi2.isf(tail, free)) for tail in ((1 - level) / 2, (1 + level) / 2)]
    low, high = (crossing(lambda t, c=c: at(parts, t).q - c, unit(parts)) for c in tails)
    return Heterogeneity(
        q=fixed.q,
        df=free,
        p_value=float(chi2.sf(fixed.q, free)),
        tau2=tau2,
        tau2_low=low,
        tau2_high=high,
        typical=free / fixed.trace if fixed.trace > 0 else np.inf,
    )
