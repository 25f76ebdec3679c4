"""What choosing an algorithm is expected to cost, from draws of the algorithms' effects.

The regret of a choice is how much better the best alternative is. On the next data set its
expectation need not exist: with t interactions of fewer than two degrees of freedom differences
have no variance, and a few draws would decide the mean. It is cut off at a cap, which no real
regret exceeds.

References
----------
Berger, J. O. (1985). Statistical Decision Theory and Bayesian Analysis, 2nd ed. Springer.
https://doi.org/10.1007/978-1-4757-4286-2
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.bayes.outcomes import monte_carlo_error
from benchinfer.saving import savable

type Array = NDArray[np.float64]

# Of many pairs some draws are enough; errors say how far.
_ENOUGH = 4_000_000


@savable
@dataclass(frozen=True, slots=True)
class Regrets:
    """Expected regrets of K algorithms and of both sides of P contrasts.

    Attributes
    ----------
    cap
        What regrets are cut off at.
    expected, error
        (K,) expected regret of choosing an algorithm among all, and its Monte Carlo error.
    first, second
        (P,) expected regret of choosing the first, or the second, where they are the only choice.
    pair_error
        (P,) the larger Monte Carlo error of the two.
    """

    cap: float
    expected: Array
    error: Array
    first: Array
    second: Array
    pair_error: Array


def regrets(effects: Array, matrix: Array, cap: float) -> Regrets:
    """Return expected regrets.

    Parameters
    ----------
    effects
        (C, T, K) draws of the effects, larger is better.
    matrix
        (P, K) contrasts.
    cap
        What a regret is cut off at, above 0.

    Examples
    --------
    >>> effects = np.tile([[0.0, 1.0, 5.0], [0.0, 2.0, -1.0]], (1, 20, 1))
    >>> found = regrets(effects, np.array([[1.0, -1.0, 0.0]]), cap=3.0)
    >>> found.expected  # 3 for 5 - 0, and 2; 3 for 5 - 1, and 0; 0, and 3 for 2 + 1
    array([2.5, 1.5, 1.5])
    >>> found.first, found.second
    (array([1.5]), array([0.]))
    """
    lost = np.minimum(effects.max(axis=2, keepdims=True) - effects, cap)
    step = max(effects.shape[0] * effects.shape[1] * len(matrix) // _ENOUGH, 1)
    d = effects[:, ::step] @ matrix.T
    sides = [np.clip(-d, 0.0, cap), np.clip(d, 0.0, cap)]
    return Regrets(
        cap=cap,
        expected=lost.mean(axis=(0, 1)),
        error=monte_carlo_error(lost),
        first=sides[0].mean(axis=(0, 1)),
        second=sides[1].mean(axis=(0, 1)),
        pair_error=np.max([monte_carlo_error(side) for side in sides], axis=0),
    )
