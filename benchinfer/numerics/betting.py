"""E-processes: bets against the null hypothesis, whose capital may be looked at at any time.

Under the null hypothesis the capital E_t is a nonnegative martingale from 1, so it exceeds
``1 / alpha`` at any time with probability at most alpha (Ville 1939): stop, go on and look as often
as you like.

References
----------
Ramdas, A., Ruf, J., Larsson, M. & Koolen, W. (2022). Admissible anytime-valid sequential inference
must rely on nonnegative martingales. https://doi.org/10.48550/arXiv.2009.03167
Waudby-Smith, I. & Ramdas, A. (2024). Estimating means of bounded random variables by betting.
Journal of the Royal Statistical Society B 86, 1-27. https://doi.org/10.1093/jrsssb/qkad009
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

type Array = NDArray[np.float64]

GRID = np.array([0.05, 0.1, 0.2, 0.4, 0.8, 1.6])
MOST = 0.75  # of the capital that a bet on a bounded difference may lose


@dataclass(frozen=True, slots=True)
class Paths:
    """Log capital after each new difference, for three alternatives.

    Attributes
    ----------
    up, down
        (n,) against differences that are not larger, or not smaller, than 0.
    both
        (n,) the mean of the two capitals.
    """

    up: Array
    down: Array
    both: Array


@dataclass(frozen=True, slots=True)
class SymmetryBet:
    """Bets on the signs of differences, after n of them; the null is symmetry about 0.

    With ``s_i`` the root mean square of the first i differences and ``u_i = d_i / s_i``, the
    capital is the mean over g of ``prod(1 + tanh(g u_i))``: given its size, a difference that is
    normal with mean m has a likelihood ratio of ``1 + tanh(m d / s^2)``.

    Attributes
    ----------
    n
        Number of differences so far.
    squares, signs
        Sums of d^2 and u.
    gains
        (6,) sums of ``log(1 + tanh(g u))`` for g in `GRID`.
    """

    n: int = 0
    squares: float = 0.0
    signs: float = 0.0
    gains: Array = field(default_factory=lambda: np.zeros(len(GRID)))

    def after(self, differences: Array) -> "tuple[SymmetryBet, Paths]":
        """Return the bet after more differences, and the capital on the way.

        The cost is that of the new differences alone.
        """
        count = self.n + np.arange(1, len(differences) + 1)
        squares = self.squares + np.cumsum(differences**2)
        scale = np.sqrt(squares / count)
        u = np.divide(differences, scale, out=np.zeros_like(scale), where=scale > 0)
        up = self.gains[:, None] + np.cumsum(_steps(u), axis=1)
        signs = self.signs + np.cumsum(u)
        # 1 + tanh(-x) = (1 + tanh x) exp(-2 x)
        down = up - 2 * GRID[:, None] * signs
        paths = _mixed(up, down)
        if not len(differences):
            return self, paths
        last = SymmetryBet(int(count[-1]), float(squares[-1]), float(signs[-1]), up[:, -1].copy())
        return last, paths


def _steps(u: Array) -> Array:
    """Return (6, n) ``log(1 + tanh(g u))``; the grid doubles, so one exponential serves all."""
    found = -2 * GRID[:, None] * np.maximum(-u, 0)
    power = np.exp(-2 * GRID[0] * np.abs(u))
    for k in range(len(GRID)):
        found[k] += np.log(2) - np.log1p(power)
        power *= power
    return found


@dataclass(frozen=True, slots=True)
class MeanBet:
    """Bets on differences within [-bound, bound]; the null is a mean of 0.

    The capital is ``prod(1 + l_i d_i)``, with l_i from the mean and variance of the differences
    before i, at most ``.75 / bound``. Where differences are far smaller than the bound it grows
    slowly.

    Attributes
    ----------
    bound
        Largest size of a difference.
    n, total, spread
        Number of differences so far, their sum, and the sum of their squared distances to the
        running mean.
    up, down
        Log capitals.
    """

    bound: float
    n: int = 0
    total: float = 0.0
    spread: float = 0.0
    up: float = 0.0
    down: float = 0.0

    def after(self, differences: Array) -> "tuple[MeanBet, Paths]":
        """Return the bet after more differences, and the capital on the way."""
        count = self.n + np.arange(1, len(differences) + 1)
        totals = self.total + np.cumsum(differences)
        means = totals / (count + 1)
        spreads = self.spread + np.cumsum((differences - means) ** 2)
        stakes = np.append(self._stake, _stakes(means, spreads, count, self.bound))
        up, down = (
            start + np.cumsum(np.log1p(np.clip(side * stakes[:-1], 0, None) * side * differences))
            for side, start in ((1, self.up), (-1, self.down))
        )
        paths = Paths(up, down, np.logaddexp(up, down) - np.log(2))
        if not len(differences):
            return self, paths
        return (
            replace(
                self,
                n=int(count[-1]),
                total=float(totals[-1]),
                spread=float(spreads[-1]),
                up=float(up[-1]),
                down=float(down[-1]),
            ),
            paths,
        )

    @property
    def _stake(self) -> float:
        if self.n == 0:
            return 0.0
        mean, count = np.array([self.total / (self.n + 1)]), np.array([self.n])
        return float(_stakes(mean, np.array([self.spread]), count, self.bound)[0])


def _stakes(means: Array, spreads: Array, count: NDArray[np.int64], bound: float) -> Array:
    """Return the next stakes: of the growth-optimal order mean / (variance + mean^2)."""
    variances = (bound**2 / 4 + spreads) / (count + 1)
    return np.clip(means / (variances + means**2), -MOST / bound, MOST / bound)


def _mixed(up: Array, down: Array) -> Paths:
    """Average the capitals (6, n) of the grid."""
    if not up.shape[1]:
        return Paths(*(np.zeros(0) for _ in range(3)))
    one, other = (_log_mean(side) for side in (up, down))
    return Paths(one, other, np.logaddexp(one, other) - np.log(2))


def _log_mean(logs: Array) -> Array:
    top = logs.max(axis=0)
    return top + np.log(np.exp(logs - top).mean(axis=0))
