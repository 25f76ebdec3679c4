"""Products and eigenvectors of matrices by BLAS and LAPACK, in compiled code and in Python.

Compiled code calls the routines that SciPy brings by their addresses: what Numba has for
``np.dot`` and ``np.linalg`` takes ten times as long to compile.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from llvmlite.binding import add_symbol
from numba import types
from numba.core import cgutils
from numba.extending import get_cython_function_address, intrinsic, overload

from benchinfer.numerics.compilation import BARE, part
from benchinfer.numerics.types import Array


def _routine(module: str, name: str) -> Any:
    """Return a routine for compiled code, which passes everything by reference.

    It is called with a tuple of arrays, of integers, which become those of 32 bits, and of floats,
    and returns the last integer as the routine leaves it: letters are their code.
    """
    symbol = f"benchinfer_{name}"
    add_symbol(symbol, get_cython_function_address(f"scipy.linalg.{module}", name))

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointers, last, byte = [], None, ir.IntType(8).as_pointer()
        for i, kind in enumerate(signature.args[0]):
            value = builder.extract_value(arguments[0], i)
            if isinstance(kind, types.Array):
                place = context.make_array(kind)(context, builder, value).data
            elif isinstance(kind, types.Float):
                place = cgutils.alloca_once_value(builder, value)
            else:
                short = builder.trunc(value, ir.IntType(32))
                place = last = cgutils.alloca_once_value(builder, short)
            pointers.append(builder.bitcast(place, byte))
        call = ir.FunctionType(ir.VoidType(), [byte] * len(pointers))
        builder.call(cgutils.get_or_insert_function(builder.module, call, symbol), pointers)
        return builder.sext(builder.load(last), ir.IntType(64))

    @intrinsic
    def call(_: Any, arguments: Any) -> Any:
        return types.int64(arguments), lower

    return call


_multiply = _routine("cython_blas", "dgemm")
_decompose = _routine("cython_lapack", "dsyevd")
_ONLY, _VECTORS, _LOWER = (ord(x) for x in "NVL")


@part
def _decomposed(matrix: Array, job: int) -> Array:
    """Return (n,) eigenvalues of a matrix, in whose place are rows of eigenvectors if wanted."""
    n = len(matrix)
    values, work = np.empty(n), np.empty(1 + 6 * n + 2 * n * n)
    integers = np.empty(3 + 5 * n, dtype=np.int32)
    sizes = len(work), len(integers)
    if _decompose((job, _LOWER, n, matrix, n, values, work, sizes[0], integers, sizes[1], 0)):
        raise np.linalg.LinAlgError("Eigenvalues did not converge.")
    return values


def product(left: Array, right: Array) -> Array:
    """Return (n, p) ``left @ right`` of (n, k) and (k, p)."""
    return left @ right


def eigen(matrix: Array) -> tuple[Array, Array]:
    """Return (n,) eigenvalues, increasing, and (n, n) eigenvectors of a symmetric matrix.

    Eigenvectors are columns. Raises a ``LinAlgError`` where they do not converge.
    """
    values, vectors = np.linalg.eigh(matrix)
    return values, np.ascontiguousarray(vectors)


def eigenvalues(matrix: Array) -> Array:
    """Return (n,) eigenvalues, increasing, of a symmetric matrix."""
    return np.linalg.eigvalsh(matrix)


@overload(product, jit_options=BARE)
def _product(left: Any, right: Any) -> Any:  # noqa: ARG001
    def call(left: Any, right: Any) -> Any:
        # Columns of Fortran are rows here: the transpose of the product is computed.
        (n, k), p = left.shape, right.shape[1]
        result = np.empty((n, p))
        _multiply((_ONLY, _ONLY, p, n, k, 1.0, right, p, left, k, 0.0, result, p))
        return result

    return call


@overload(eigen, jit_options=BARE)
def _eigen(matrix: Any) -> Any:  # noqa: ARG001
    def call(matrix: Any) -> Any:
        rows, n = matrix.copy(), len(matrix)
        values = _decomposed(rows, _VECTORS)
        for i in range(n):
            for k in range(i):
                rows[i, k], rows[k, i] = rows[k, i], rows[i, k]
        return values, rows

    return call


@overload(eigenvalues, jit_options=BARE)
def _eigenvalues(matrix: Any) -> Any:  # noqa: ARG001
    def call(matrix: Any) -> Any:
        return _decomposed(matrix.copy(), _ONLY)

    return call
