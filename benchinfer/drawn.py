"""Numbers that random draws start from: how many, and from which seed."""

import secrets

from benchinfer.errors import DesignError, message


def seed_of(seed: int | None) -> int:
    """Return the seed, or draw one.

    Raises
    ------
    DesignError
        It is no integer from 0 to 2^64 - 1.
    """
    if seed is None:
        return secrets.randbits(32)
    if not (_whole(seed) and 0 <= seed < 2**64):
        raise DesignError(message(f"seed is {seed!r}.", hint="an integer from 0 to 2^64 - 1."))
    return int(seed)


def check_resamples(resamples: int, fewest: int, hint: str) -> None:
    """Refuse a number of resamples that is not whole or too small.

    Raises
    ------
    DesignError
        With the hint.
    """
    if not (_whole(resamples) and resamples >= fewest):
        raise DesignError(message(f"resamples is {resamples!r}.", hint=hint))


def _whole(number: object) -> bool:
    return hasattr(number, "__index__") and not isinstance(number, bool)
