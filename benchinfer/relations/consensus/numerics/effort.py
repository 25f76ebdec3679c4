"""Limit of the work on a consensus.

Work is counted, not timed: what is found is then the same on every machine and at every load.
"""

import time
from math import inf

# About five seconds of a processor of 2024.
_USUAL = 3e8
# Seconds of one program, where work is counted: nothing else stops the solver within a node.
_LONGEST = 60.0


class Effort:
    """Work that may still be done, or the time until which it may be.

    Attributes
    ----------
    left : float
        Operations; one takes about 15 ns.
    deadline : float
        A reading of ``time.monotonic``.
    """

    def __init__(self, left: float = inf, deadline: float = inf) -> None:
        self.left, self.deadline = left, deadline

    @classmethod
    def of(cls, seconds: float | None) -> "Effort":
        """Return the usual limit of operations, or instead of it one of seconds."""
        if seconds is None:
            return cls(left=_USUAL)
        return cls(deadline=time.monotonic() + seconds)

    def spend(self, operations: float) -> None:
        """Count work that was done."""
        self.left -= operations

    def times(self, operations: float) -> int | None:
        """Return how often so many operations fit in, None without a limit of them."""
        return None if self.left == inf else max(int(self.left / operations), 0)

    @property
    def seconds(self) -> float | None:
        """Seconds that a program may take, None where neither they nor work are limited."""
        if self.deadline < inf:
            return max(self.deadline - time.monotonic(), 0.0)
        return None if self.left == inf else _LONGEST

    @property
    def over(self) -> bool:
        """Whether there is nothing left."""
        return self.left <= 0 or self.seconds == 0
