"""Random seeds of calls."""

import secrets

from benchinfer.core.errors import DesignError, message


def seed_of(seed: int | None) -> int:
    """Return the seed, or draw one."""
    if seed is None:
        return secrets.randbits(32)
    if not (_whole(seed) and 0 <= seed < 2**64):
        raise DesignError(message(f"seed is {seed!r}.", hint="an integer from 0 to 2^64 - 1."))
    return int(seed)


def check_resamples(resamples: int, fewest: int, hint: str) -> None:
    """Refuse a number of resamples that is not whole or too small."""
    check_count("resamples", resamples, fewest, hint)


def check_count(name: str, number: int, fewest: int, hint: str, *, even: bool = False) -> None:
    """Refuse a number that is not whole, too small, or odd where it should be even."""
    if not (_whole(number) and number >= fewest) or (even and number % 2):
        raise DesignError(message(f"{name} is {number!r}.", hint=hint))


def _whole(number: object) -> bool:
    return hasattr(number, "__index__") and not isinstance(number, bool)
