"""Compiled log densities as functions that C calls, so that a sampler asks nothing of Python.

Such a function has the parameters and the gradient as pointers, and the arrays of the density as
the address of a table: four integers for each, its address and its shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numba import cfunc, types
from numba.extending import intrinsic
from numba.np.numpy_support import carray

from benchinfer.numerics.compilation import part
from benchinfer.numerics.types import Array, Codes

_FLOATS, _INTEGERS = types.CPointer(types.float64), types.CPointer(types.int64)
# Number of parameters, parameters, gradient, value, and table of the arrays.
_SIGNATURE = types.int64(types.uint64, _FLOATS, _FLOATS, _FLOATS, _INTEGERS)
# Number of parameters, of results, parameters, results, and table of the arrays.
_COPYING = types.int64(types.uint64, types.uint64, _FLOATS, _FLOATS, _INTEGERS)
_FIELDS = 4


def _converted(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))


def _pointer(kind: Any) -> Any:
    """Return the function that makes a pointer of an address."""

    @intrinsic
    def of(_: Any, address: Any) -> Any:
        return kind(address), _converted

    return of


_as_floats, _as_integers = _pointer(_FLOATS), _pointer(_INTEGERS)


@part
def vector(table: Any, i: int) -> Any:
    """Return array i of a table, of one dimension."""
    at = _FIELDS * i
    return carray(_as_floats(table[at]), (table[at + 1],))


@part
def matrix(table: Any, i: int) -> Any:
    """Return array i of a table, of two dimensions."""
    at = _FIELDS * i
    return carray(_as_floats(table[at]), (table[at + 1], table[at + 2]))


@part
def cube(table: Any, i: int) -> Any:
    """Return array i of a table, of three dimensions."""
    at = _FIELDS * i
    return carray(_as_floats(table[at]), (table[at + 1], table[at + 2], table[at + 3]))


@part
def codes(table: Any, i: int) -> Any:
    """Return array i of a table, of integers in one dimension."""
    at = _FIELDS * i
    return carray(_as_integers(table[at]), (table[at + 1],))


@part
def code_matrix(table: Any, i: int) -> Any:
    """Return array i of a table, of integers in two dimensions."""
    at = _FIELDS * i
    return carray(_as_integers(table[at]), (table[at + 1], table[at + 2]))


@cache
def compiled(function: Callable[..., int]) -> Any:
    """Compile a log density for calls from C, or read it from the cache of its file."""
    return cfunc(_SIGNATURE, cache=True)(function)


@cache
def compiled_copy() -> Any:
    """Compile the function that stores parameters as they are."""
    return cfunc(_COPYING, cache=True)(_copy)


def _copy(size: int, _: int, x: Any, stored: Any, __: Any) -> int:
    for i in range(size):
        stored[i] = x[i]
    return 0


def table_of(arrays: Sequence[Array | Codes]) -> Codes:
    """Return the table of arrays, which have to live as long as it does."""
    table = np.zeros((len(arrays), _FIELDS), dtype=np.int64)
    for row, array in zip(table, arrays, strict=True):
        if not array.flags.c_contiguous or array.dtype.str[1:] not in ("f8", "i8"):
            raise TypeError("arrays of a density are contiguous, of float64 or int64")
        row[0], row[1 : 1 + array.ndim] = array.ctypes.data, array.shape
    return table.ravel()
