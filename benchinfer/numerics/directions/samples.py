"""Distribution of the largest t statistic by sampled directions.

J statistics T = R A u have a radius R, R^2 / r ~ F(r, df), and an independent direction u, uniform
on the unit sphere of R^r; A has unit rows. Two estimates integrate the radius exactly. `lengths`
averages over u: P(max T > t) = E P(R g(u) > t), g(u) the largest component of A u. `cones` adds up
the statistics: P(max T > t) is the sum over j of P(T_j > t, T_j is the largest); with
u = cos(a) A_j + sin(a) w, the j-th is the largest as long as the angle a is below a limit that
depends on w only.

Both depend on directions only: one sample serves every threshold and every df. The sampling error
of `cones` falls with the probability itself, however small it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtr, chdtrc, fdtr, fdtrc, gammaln, ndtri

from benchinfer.numerics.directions.differences import PointDifferences
from benchinfer.numerics.types import Array, Codes

REPLICATES = 16
_SEED = 20120314
_NODES = 4096
_PANELS = 256
# Rows that share their directions: two, of many rows more.
_SHARING, _MANY = 2, 1000
# Elements of (directions, J) tables, and limits of the number of directions, which low dimensions
# do with less of: half as many for each dimension below five.
_LENGTHS, _CONES = 1e8, 1.8e8
_FEWEST, _MOST_LENGTHS, _MOST_CONES, _FULL = 2**12, 2**16, 2**18, 5
# Directions of all rows together, in each replicate, at least.
_ALL_CONES = 10_000
# Directions handled at a time at least, and numbers, so that components stay in the cache.
_CACHED, _NUMBERS = 128, 65_536
# Beyond this dimension low-discrepancy points do no better than random ones.
_SMOOTH = 20


@dataclass(frozen=True, slots=True)
class SpreadDistribution:
    """A distribution of lengths or angles in each replicate."""

    nodes: Array  # (n,) values
    share: Array  # (replicates, n) their shares; a value between two nodes is shared between them


def beyond(t: float, g: Array, r: int, df: float) -> Array:
    """Return ``P(R g > t)`` for lengths g."""
    if t == 0:
        return (np.sign(g) + 1) / 2
    square = np.minimum((t / np.where(g == 0, 1e-150, g)) ** 2, 1e300)
    if t > 0:
        upper = chdtrc(r, square) if np.isinf(df) else fdtrc(r, df, square / r)
        return np.where(g > 0, upper, 0.0)
    lower = chdtr(r, square) if np.isinf(df) else fdtr(r, df, square / r)
    return np.where(g < 0, lower, 1.0)


def _spheres(d: int, n: int, replicates: int) -> Iterator[Array]:
    """Yield sets (replicates, n, d) of points of unit length; fixed seeds, so reproducible.

    In the plane equally spaced, randomly rotated points are far better than any others.
    """
    rng = np.random.default_rng([_SEED, d])
    base = np.zeros(0)
    if 2 < d <= _SMOOTH:
        from scipy.stats import qmc

        base = qmc.Sobol(d, rng=rng).random_base2(int(np.log2(n - 1)) + 1)[:n]
    while True:
        if d == 1:
            yield np.broadcast_to(np.resize([[1.0], [-1.0]], (n, 1)), (replicates, n, 1))
        elif d == 2:
            angle = 2 * np.pi * (np.arange(n) + rng.random((replicates, 1))) / n
            yield np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        else:
            if d > _SMOOTH:
                z = rng.standard_normal((replicates, n, d))
            else:
                # The same points of the unit cube, shifted in each replicate.
                u = (base + rng.random((replicates, 1, d))) % 1.0
                z = ndtri(np.clip(u, 1e-15, 1 - 1e-15))
            z /= np.sqrt(np.einsum("rnd,rnd->rn", z, z))[..., None]
            yield z


def lengths(families: list[PointDifferences], sides: int) -> list[SpreadDistribution]:
    """Return the spread of the largest component, over the same directions for each family.

    Rows of the families may have any length; `sides` is 2 for absolute components.
    """
    j, r = len(families[0]), families[0].rank
    n = 2 ** int(np.log2(_points(_LENGTHS, _MOST_LENGTHS, j, r)))
    u = next(_spheres(r, n, REPLICATES)).astype(_precision(r))
    largest = _largest_of_rows if r <= _SMOOTH else _largest_of_points
    spreads: list[SpreadDistribution] = []
    for family in families:
        g = largest(family, u.reshape(-1, r), sides).reshape(REPLICATES, n)
        high = float(np.linalg.norm(family.rows(), axis=1).max()) * (1 + 1e-6)
        spreads.append(_spread(g, 0.0 if sides == 2 else -high, high))
    return spreads


def _largest_of_rows(family: PointDifferences, u: NDArray[np.floating], sides: int) -> Array:
    rows = family.rows().astype(u.dtype)
    g, step = np.empty(len(u)), _step(len(rows))
    for start in range(0, len(u), step):
        y = rows @ u[start : start + step].T
        g[start : start + step] = (np.abs(y, out=y) if sides == 2 else y).max(axis=0)
    return g


def _step(j: int) -> int:
    """Return the number of directions, of J components each, that are handled at a time."""
    return max(_CACHED, _NUMBERS // j)


def _largest_of_points(family: PointDifferences, u: NDArray[np.floating], sides: int) -> Array:
    from benchinfer.numerics.directions.maxima import raise_largest  # numba: half a second

    points = family.points.astype(np.float32)
    reach, g = 1 / family.error, np.full(len(u), -np.inf, np.float32)
    for start in range(0, len(u), _CACHED):
        part = slice(start, start + _CACHED)
        along = (points @ u[part].T).astype(np.float32, copy=False)
        raise_largest(along, family.first, family.second, reach, sides, g[part])
    return g.astype(np.float64)


def cones(family: PointDifferences, sides: int) -> SpreadDistribution:
    """Return the spread of the angle below which a statistic is the largest.

    Rows of the family are distinct, of unit length and r >= 2 dimensions, for ``sides=2`` (absolute
    components) also distinct from each other's opposites.
    """
    j, r = len(family), family.rank
    n = 2 if r == 2 else _points(_CONES, _MOST_CONES, j, r) // j
    n = max(n, -(-_ALL_CONES // j)) if r > _SMOOTH else 2 ** int(np.log2(max(n, 8)))
    replicates = 1 if r == 2 else REPLICATES
    limit = np.empty((replicates * n, j))
    for one in (_drawn if r <= _SMOOTH else _shared)(family, n, replicates, sides):
        limit[:, one.rows] = np.arctan2(one.length, one.rise)
    if r == 2:
        return SpreadDistribution(limit.ravel(), np.full((1, limit.size), 1 / limit.size))
    return _spread(limit.reshape(replicates, -1), 0.0, np.pi / sides)


@dataclass(frozen=True, slots=True)
class _Beside:
    """Directions orthogonal to some statistics, with the slope at which another becomes largest."""

    rows: int | Codes  # () or (g,) numbers of the statistics
    # (replicates n, g) largest component of another statistic per unit of its correlation short of
    # 1 or -1; without g for one number
    rise: Array
    length: Array  # of the directions: () or as `rise`


def _drawn(family: PointDifferences, n: int, replicates: int, sides: int) -> Iterator[_Beside]:
    """Yield directions orthogonal to each row."""
    root = family.rows()
    kind, correlation = _precision(family.rank), np.clip(root @ root.T, -1.0, 1.0)
    rows = root.astype(kind)
    spheres = _spheres(family.rank - 1, n, replicates)
    for (k, row), points in zip(enumerate(root), spheres, strict=False):
        y = rows @ _orthogonal(points, row).astype(kind).reshape(-1, family.rank).T
        rise = _rise(y, 1 - correlation[k], k)
        if sides == 2:
            rise = np.maximum(rise, _rise(y, -1 - correlation[k], k))
        yield _Beside(k, rise, np.array(1.0))


def _shared(family: PointDifferences, n: int, replicates: int, sides: int) -> Iterator[_Beside]:
    """Yield directions that a few rows far apart share, less their components along each."""
    from benchinfer.numerics.directions.maxima import raise_rises  # numba: half a second

    points, reach, single = family.points, 1 / family.error, family.points.astype(np.float32)
    groups = -(-len(family) // max(_SHARING, len(family) // _MANY))
    drawn = _spheres(family.rank, n, replicates)
    for start, u in zip(range(groups), drawn, strict=False):
        rows = np.arange(start, len(family), groups)
        shared = family.subset(rows).rows()
        along = single @ u.reshape(-1, family.rank).T.astype(np.float32)
        rise = np.full((len(rows), replicates * n), -np.inf, np.float32)
        inner = points @ shared.T
        raise_rises(along, inner, family.first, family.second, reach, rows, sides, rise)
        component = u.reshape(-1, family.rank) @ shared.T
        yield _Beside(rows, component + rise.T, np.sqrt(1 - component**2))


def _rise(y: NDArray[np.floating], gap: Array, row: int) -> Array:
    """Return the largest ratio of (J, n) components to gaps, without that of one row."""
    reach = 1 / np.where(gap >= 0, np.maximum(gap, 1e-14), np.minimum(gap, -1e-14))
    reach = reach.astype(y.dtype)[:, None]
    step, rise = _step(len(gap)), np.empty(y.shape[1])
    for start in range(0, y.shape[1], step):
        ratio = y[:, start : start + step] * reach
        ratio[row] = -np.inf
        rise[start : start + step] = ratio.max(axis=0)
    return rise


def _orthogonal(points: Array, unit: Array) -> Array:
    """Turn points of R^(r-1) into the plane orthogonal to a unit vector of R^r (Householder)."""
    mirror = unit.copy()
    mirror[-1] += np.copysign(1.0, unit[-1])
    mirror *= np.sqrt(2) / np.linalg.norm(mirror)
    along = points @ mirror[:-1]
    turned = -along[..., None] * mirror
    turned[..., :-1] += points
    return turned


def _points(elements: float, most: int, j: int, r: int) -> int:
    """Return the number of directions in each replicate."""
    most //= 2 ** max(_FULL - r, 0)
    return int(np.clip(elements / j, _FEWEST, most)) // REPLICATES


def _precision(r: int) -> type:
    """Single precision is enough where the sampling error is larger."""
    return np.float64 if r <= 3 else np.float32


def _spread(values: Array, low: float, high: float) -> SpreadDistribution:
    """Return the distribution of values on a grid, each split between its neighbouring nodes."""
    nodes = np.linspace(low, high, _NODES + 1)
    place = (values - low) * (_NODES / (high - low))
    left = np.clip(place.astype(np.int64), 0, _NODES - 1)
    part = place - left
    counts = [
        np.bincount(i, 1 - p, _NODES + 1) + np.bincount(i + 1, p, _NODES + 1)
        for i, p in zip(left, part, strict=True)
    ]
    share = np.array(counts) / values.shape[1]
    used = share.any(axis=0)
    return SpreadDistribution(nodes[used], share[:, used])


def cone_values(t: float, angles: Array, r: int, df: float, sides: int) -> Array:
    """Return ``P(R cos(a) > t, a < angle)``, a the angle between a direction and a statistic.

    Gauss-Legendre panels, summed up, and cubic polynomials between their ends.

    `angles` (n,) are limits of the angle, all below a right angle where `sides` is 2; `r` is the
    dimension.
    """
    edges = np.linspace(0.0, np.pi / sides, _PANELS * 2 // sides + 1)
    width = edges[1] - edges[0]
    x, weight = np.polynomial.legendre.leggauss(3)
    middle = edges[:-1, None] + width * (x + 1) / 2
    total = np.r_[0.0, np.cumsum(_angle_density(t, middle, r, df) @ weight * width / 2)]
    from scipy.interpolate import CubicHermiteSpline

    return CubicHermiteSpline(edges, total, _angle_density(t, edges, r, df))(angles)


def _angle_density(t: float, angle: Array, r: int, df: float) -> Array:
    log_norm = gammaln(r / 2) - gammaln((r - 1) / 2) - 0.5 * np.log(np.pi)
    return np.exp(log_norm) * np.sin(angle) ** (r - 2) * beyond(t, np.cos(angle), r, df)
