"""Distribution of the largest normal statistic by sampled directions.

J normal statistics T = R A u have a radius R, R^2 ~ chi-square(r), and an independent direction u,
uniform on the unit sphere of R^r. The chance that the largest exceeds w is the sum over j of
P(T_j > w, T_j is the largest). With u = cos(a) e_j + sin(a) v, e_j the direction of row j of A, the
j-th is the largest as long as the angle a is below a limit that depends on v only: directions v are
sampled, radius and angle are integrated. The sampling error falls with the probability itself,
however small it is.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, chdtr, chdtrc, gammaln, ndtr

from benchinfer.numerics.directions.differences import PointDifferences
from benchinfer.numerics.max_t_exact import ChebyshevSeries
from benchinfer.numerics.types import Array

REPLICATES = 16
_SEED = 20120314
# Limits of angles are shared between so many nodes, whose values come from so many panels.
_NODES = 4096
_PANELS = 256
# Rows that share their directions: two, of many rows more.
_SHARING, _MANY = 2, 1000
# Of all families together: elements of (directions, J) tables, and limits of the number of
# directions, which low dimensions do with less of: half as many for each dimension below five.
_ELEMENTS, _FEWEST, _MOST, _FULL = 3.6e8, 2**13, 2**19, 5
# Directions of all rows together, in each replicate, at least.
_ALL = 20_000
# Directions handled at a time at least, and numbers, so that components stay in the cache.
_CACHED, _NUMBERS = 128, 65_536
# Beyond this dimension low-discrepancy points do no better than random ones.
_SMOOTH = 20


def _spheres(d: int, n: int, replicates: int) -> Iterator[Array]:
    """Yield sets (replicates n, d) of points of unit length; fixed seeds, so reproducible.

    Their opposites belong to the sets. In the plane equally spaced, randomly rotated points are far
    better than any others.
    """
    rng = np.random.default_rng([_SEED, d])
    base = np.zeros(0)
    if 2 < d <= _SMOOTH:
        from scipy.stats import qmc

        base = qmc.Sobol(d - 1, rng=rng).random_base2(int(np.log2(n - 1)) + 1)[:n]
    while True:
        if d == 1:
            yield np.ones((replicates * n, 1))
        elif d == 2:
            angle = (np.pi * (np.arange(n) + rng.random((replicates, 1))) / n).ravel()
            yield np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        elif d > _SMOOTH:
            z = rng.standard_normal((replicates * n, d))
            yield z / np.sqrt(np.einsum("nd,nd->n", z, z))[:, None]
        else:
            # The same points of the unit cube, shifted in each replicate.
            yield _wrapped(((base + rng.random((replicates, 1, d - 1))) % 1.0).reshape(-1, d - 1))


def _wrapped(u: Array) -> Array:
    """Turn uniform points (n, d - 1) of the unit cube to uniform ones of the sphere in R^d.

    The squares of two coordinates, of the rest's length, have beta distributions, and their angle
    is uniform; the first coordinate of an odd number is alone.
    """
    n, d = len(u), u.shape[1] + 1
    points, rest = np.empty((n, d)), np.ones(n)
    if d % 2:
        square = betaincinv(0.5, (d - 1) / 2, np.abs(2 * u[:, 0] - 1))
        points[:, 0] = np.copysign(np.sqrt(square), u[:, 0] - 0.5)
        rest -= square
    for i in range(d % 2, d, 2):
        pairs = (d - i) // 2
        left = rest * u[:, i + 1] ** (1 / (pairs - 1)) if pairs > 1 else 0.0
        radius, angle = np.sqrt(rest - left), 2 * np.pi * u[:, i]
        points[:, i], points[:, i + 1] = radius * np.cos(angle), radius * np.sin(angle)
        rest = left
    return points


def largest(
    families: list[PointDifferences], ends: tuple[float, float], degree: int, sides: int
) -> list[Array]:
    """Return estimates (replicates, degree + 1) of the chance that the largest exceeds w.

    The same directions serve each family. Rows may have any length, as long as each is the largest
    along itself; they are distinct, for ``sides=2`` (absolute values) also from each other's
    opposites. The w are `ChebyshevSeries.points` between the ends.
    """
    lengths = [np.linalg.norm(family.rows(), axis=1) for family in families]
    stretch = max(1.0, *(1 / float(length.min()) for length in lengths))
    grid = (ends[0] * stretch, ends[1] * stretch)
    x, w = ChebyshevSeries.points(degree, grid), ChebyshevSeries.points(degree, ends)
    limits = _limits(families, sides)
    means = _means(limits, x, families[0].rank, sides)
    return [sides * _sums(*each, w, grid) for each in zip(means, lengths, strict=True)]


def _sums(means: Array, length: Array, w: Array, ends: tuple[float, float]) -> Array:
    """Return the sums over rows of P(T_j > w) times the mean chance that it is the largest.

    That chance is a polynomial in w per length of the row; `means` (n, J, replicates) are its
    values at Chebyshev points between the ends.
    """
    x = w[:, None] / length
    alone = ndtr(-x)
    scaled = (2 * x - ends[0] - ends[1]) / (ends[1] - ends[0])
    total = np.zeros((len(w), means.shape[2]))
    before, term = scaled, np.ones_like(scaled)
    for coefficients in ChebyshevSeries.through(means, ends).coefficients:
        total += (alone * term) @ coefficients
        before, term = term, 2 * scaled * term - before
    return total.T


def _means(limits: list[Array], x: Array, r: int, sides: int) -> list[Array]:
    """Return (n, J, replicates) mean chances `_below` limits (replicates, n', J) of angles."""
    replicates, n, j = limits[0].shape
    orders = [limit.transpose(2, 0, 1).ravel() for limit in limits]
    if r == 2:
        tables = [_below(x, order, r, sides) for order in orders]
        return [table.reshape(j, n, -1).mean(axis=1).T[:, :, None] for table in tables]
    from scipy.sparse import csr_array

    # Each limit is shared between two nodes.
    table = _below(x, np.linspace(0.0, np.pi / sides, _NODES + 1), r, sides)
    ends, means = np.arange(0, 2 * orders[0].size + 1, 2 * n), []
    for order in orders:
        place = order * (_NODES * sides / np.pi)
        left = np.minimum(place.astype(np.int32), _NODES - 1)
        part = (place - left) / n
        share = np.stack([1 / n - part, part], axis=1).ravel()
        nodes = np.stack([left, left + 1], axis=1).ravel()
        mean = csr_array((share, nodes, ends), shape=(len(ends) - 1, _NODES + 1)) @ table
        means.append(mean.reshape(j, replicates, -1).transpose(2, 0, 1))
    return means


def _limits(families: list[PointDifferences], sides: int) -> list[Array]:
    """Return limits (replicates, n, J) of the angles below which a statistic is the largest."""
    j, r = len(families[0]), families[0].rank
    most = _MOST // 2 ** max(_FULL - r, 0)
    n = int(np.clip(_ELEMENTS / j, _FEWEST, most)) // (REPLICATES * j * len(families))
    least = -(-_ALL // (j * len(families)))
    n = max(n, least) if r > _SMOOTH else 2 ** int(np.log2(max(n, 8)))
    # Half of the directions are opposites of the others. In the plane there are just two.
    n, replicates = (1, 1) if r == 2 else (-(-n // 2), REPLICATES)
    slopes = (_drawn if r <= _SMOOTH else _shared)(families, n, replicates, sides)
    return [
        np.arctan2(1.0, slope)
        .reshape(2, replicates, n, j)
        .transpose(1, 0, 2, 3)
        .reshape(replicates, 2 * n, j)
        for slope in slopes
    ]


def _drawn(families: list[PointDifferences], n: int, replicates: int, sides: int) -> list[Array]:
    """Return the slopes (2, replicates n, J) at which another becomes the largest.

    The directions and their opposites are orthogonal to each row: slopes are largest components of
    another statistic per unit of the row's length less its component along the row.
    """
    roots = [family.rows() for family in families]
    kind = _precision(families[0].rank)
    prepared = []
    for root in roots:
        length = np.linalg.norm(root, axis=1)
        units = root / length[:, None]
        prepared.append((root.astype(kind), length, units, root @ units.T))
    slopes = [np.empty((2, replicates * n, len(root))) for root in roots]
    spheres = _spheres(families[0].rank - 1, n, replicates)
    for k, points in zip(range(len(roots[0])), spheres, strict=False):
        # All families mirror at the same side, so that similar ones have similar directions.
        side = np.copysign(1.0, roots[0][k, -1])
        for slope, (rows, length, units, inner) in zip(slopes, prepared, strict=True):
            turned = _orthogonal(points.astype(kind), units[k].astype(kind), kind(side))
            gaps = [length[k] - inner[:, k], -length[k] - inner[:, k]][:sides]
            slope[:, :, k] = _slopes(rows @ turned.T, gaps, k)
    return slopes


def _shared(families: list[PointDifferences], n: int, replicates: int, sides: int) -> list[Array]:
    """Return slopes as `_drawn` along directions that a few rows far apart share.

    Of each the components along the rows are left out.
    """
    from benchinfer.numerics.directions.maxima import raise_slopes  # numba: half a second

    j, r = len(families[0]), families[0].rank
    slopes = [np.empty((2, replicates * n, j)) for _ in families]
    groups = -(-j // max(_SHARING, j // _MANY))
    for start, u in zip(range(groups), _spheres(r, n, replicates), strict=False):
        rows, single = np.arange(start, j, groups), u.T.astype(np.float32)
        for family, slope in zip(families, slopes, strict=True):
            root = family.subset(rows).rows()
            length = np.linalg.norm(root, axis=1)
            units = root / length[:, None]
            along, inner = family.points.astype(np.float32) @ single, family.points @ units.T
            rise = np.full((2, len(rows), replicates * n), -np.inf, np.float32)
            reach = 1 / family.error
            raise_slopes(
                along, inner, family.first, family.second, reach, rows, length, sides, rise
            )
            component = u @ units.T
            rest = np.sqrt(1 - component**2)
            slope[0][:, rows] = (rise[0].T + component) / rest
            slope[1][:, rows] = (rise[1].T - component) / rest
    return slopes


def _slopes(y: NDArray[np.floating], gaps: list[Array], row: int) -> Array:
    """Return the largest ratios (2, n) of components (J, n), and of their opposites, to gaps.

    One row is left out.
    """
    slopes = np.full((2, y.shape[1]), -np.inf)
    step = max(_CACHED, _NUMBERS // len(y))
    y[row] = y[row - 1]
    for gap in gaps:
        reach = 1 / np.where(gap >= 0, np.maximum(gap, 1e-14), np.minimum(gap, -1e-14))
        reach[row] = reach[row - 1]
        reach = reach.astype(y.dtype)[:, None]
        for start in range(0, y.shape[1], step):
            part = slice(start, start + step)
            ratio = y[:, part] * reach
            np.maximum(slopes[0, part], ratio.max(axis=0), out=slopes[0, part])
            np.maximum(slopes[1, part], -ratio.min(axis=0), out=slopes[1, part])
    return slopes


def _orthogonal[F: np.floating](points: NDArray[F], unit: NDArray[F], side: F) -> NDArray[F]:
    """Turn points of R^(r-1) into the plane orthogonal to a unit vector of R^r (Householder)."""
    mirror = unit.copy()
    mirror[-1] += side
    mirror *= np.sqrt(2, dtype=unit.dtype) / np.linalg.norm(mirror)
    turned = np.outer(points @ mirror[:-1], -mirror)
    turned[:, :-1] += points
    return turned


def _precision(r: int) -> type:
    """Single precision is enough where the sampling error is larger."""
    return np.float64 if r <= 3 else np.float32


def _below(x: Array, angles: Array, r: int, sides: int) -> Array:
    """Return ``P(a < angle | R cos(a) > x)``, a the angle between a direction and a statistic.

    Gauss-Legendre panels, summed up, and cubic polynomials between their ends: (angles, n) chances
    for thresholds (n,), all angles at most a right one where `sides` is 2.
    """
    # Narrow panels near the right angle, where a threshold near zero makes a step.
    place = np.linspace(-1.0, 2.0 / sides - 1, _PANELS * 2 // sides + 1)
    edges = (1 + np.copysign(np.abs(place) ** 1.5, place)) * np.pi / 2
    width = np.diff(edges)[:, None]
    points, weight = np.polynomial.legendre.leggauss(3)
    middle = edges[:-1, None] + width * (points + 1) / 2
    density = _angle_density(x, np.r_[edges, middle.ravel()], r)
    inside = weight @ density[len(edges) :].reshape(-1, 3, len(x)) * (width / 2)
    total = np.vstack([np.zeros(len(x)), np.cumsum(inside, axis=0)])
    from scipy.interpolate import CubicHermiteSpline

    return CubicHermiteSpline(edges, total, density[: len(edges)])(angles)


def _angle_density(x: Array, angle: Array, r: int) -> Array:
    log_norm = gammaln(r / 2) - gammaln((r - 1) / 2) - 0.5 * np.log(np.pi)
    along, part = np.cos(angle)[:, None], np.exp(log_norm) * np.sin(angle)[:, None] ** (r - 2)
    square = (x / along) ** 2
    beyond = np.where(x > 0, np.where(along > 0, chdtrc(r, square), 0.0), 1.0)
    back = (x < 0) & (along < 0)
    beyond[back] = chdtr(r, square[back])
    return part * beyond / ndtr(-x)
