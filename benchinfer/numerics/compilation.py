"""Compilation of functions."""

from collections.abc import Callable
from typing import Any

from numba import njit
from numba.extending import register_jitable

# Taking arguments from C, from Python too, is a sixth of the time to compile; so is each array that
# is made or sliced.
_OPTIONS: Any = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
BARE: Any = {**_OPTIONS, "no_cpython_wrapper": True}  # of what compiled code alone calls
# What Python calls: kept, with its parts, in a cache that is as old as the function's own file.
entry = njit(cache=True, **_OPTIONS)
# A part with one caller that mostly calls others, each of which every level above compiles again.
inlined = njit(nogil=True, error_model="numpy", inline="always")


def part[F: Callable[..., Any]](function: F) -> F:
    """Register a function so that compiled code can call it; Python calls remain uncompiled.

    The compiled function is stored in the caches of its callers.
    """
    return register_jitable(**BARE)(function)
