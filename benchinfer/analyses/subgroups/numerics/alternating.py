"""Archetypal analysis by alternating least squares on the simplex."""

from dataclasses import dataclass, replace

import numpy as np
import scipy
from scipy.optimize import lsq_linear, nnls

from benchinfer.numerics.types import Array, Codes

_MOST_SWEEPS = 2000
# Decline of the objective in a sweep, relative to it, below which a fit has converged: of each
# start, and of the best one.
_ROUGH, _SETTLED = 1e-5, 1e-10
_NIL = 1e-14  # objective of points that are met exactly
_CLIPPED = 20  # sweeps before a bounded loss
_MET = 1e-9  # distance of points that are met exactly
_CUT = 6.0  # median distances from which on a point has no weight
_SAME = 1e-3  # relative difference of objectives that are the same optimum
# Non-negative least squares of SciPy 1.15 are at times not the least, without a word.
_EXACT = not scipy.__version__.startswith("1.15.")


@dataclass(frozen=True, slots=True)
class ArchetypeFit:
    """Archetypes of n points in m dimensions.

    Attributes
    ----------
    alphas
        (n, k) shares of the archetypes in each point; rows are not negative and sum to 1.
    betas
        (k, n) shares of the points in each archetype; rows are not negative and sum to 1.
    archetypes
        (k, m) betas times points.
    weights
        (n,) weights of the points in the last sweep: those given, times the robust ones.
    objective
        What was minimised: the weighted sum of squared distances of points to their mixtures, or
        the weighted sum of their bisquare losses.
    converged
        Whether the objective had settled.
    share
        Share of the starts that end in the same objective.
    """

    alphas: Array
    betas: Array
    archetypes: Array
    weights: Array
    objective: float
    converged: bool
    share: float = np.nan


def mixture(points: Array, target: Array) -> Array:
    """Return the shares of points whose mixture is nearest to a target.

    Parameters
    ----------
    points
        (k, m) points.
    target
        (m,) target.

    Returns
    -------
    numpy.ndarray
        (k,) shares, not negative, with sum 1.

    Notes
    -----
    The nearest mixture is the shortest vector in the convex hull of the differences d to the
    target. It minimises ``|sum u d|^2 + (sum u - 1)^2`` over u >= 0, up to the sum of u: for a
    given sum the first part is least at the shortest vector, whatever the sum.

    References
    ----------
    Wolfe, P. (1976). Finding the nearest point in a polytope. Mathematical Programming 11, 128-149.
    https://doi.org/10.1007/BF01580381
    """
    return _shortest(np.vstack([(points - target).T, np.ones(len(points))]))


def _shortest(rows: Array) -> Array:
    """Return the shares of columns whose mixture is shortest, below them a row of ones."""
    goal = np.zeros(len(rows))
    goal[-1] = 1.0
    if _EXACT:
        solution, _ = nnls(rows, goal)
    else:
        most = 10 * rows.shape[1]
        exact = lsq_linear(rows, goal, (0.0, np.inf), method="bvls", max_iter=most)
        solution = np.maximum(exact.x, 0.0)
    return solution / solution.sum()


def mixtures(points: Array, targets: Array) -> Array:
    """Return (n, k) shares of k points in the mixtures nearest to n targets; see `mixture`."""
    rows = np.ones((len(targets), points.shape[1] + 1, len(points)))
    rows[:, :-1, :] = points.T - targets[:, :, None]
    return np.array([_shortest(one) for one in rows])


def furthest_sum(points: Array, k: int, first: int) -> Codes:
    """Return k points that are far from each other.

    One after the other the point with the largest sum of distances to those chosen is added; then
    each is chosen anew, so that the first one, given, is forgotten.

    References
    ----------
    Morup, M. & Hansen, L. K. (2012). Archetypal analysis for machine learning and data mining.
    Neurocomputing 80, 54-63. https://doi.org/10.1016/j.neucom.2011.06.033
    """
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    chosen = [first]
    for step in range(2 * k - 1):
        if step >= k - 1:
            chosen.pop(0)
        sums = apart[chosen].sum(axis=0)
        sums[chosen] = -1.0
        chosen.append(int(sums.argmax()))
    return np.array(chosen, dtype=np.int64)


def _starts(points: Array, k: int, starts: int, seed: int, *, robust: bool) -> list[Codes]:
    """Return k points for each start: by turns far from each other, and at random."""
    rng = np.random.default_rng(seed)
    inner = np.arange(len(points))
    if robust:  # an archetype that begins at an outlier meets it exactly, and stays there
        far = np.linalg.norm(points - np.median(points, axis=0), axis=1)
        near = far <= max(3 * np.median(far), np.sort(far)[k - 1])
        inner = inner[near]
    firsts = rng.permutation(len(inner))
    return [
        inner[
            rng.choice(len(inner), k, replace=False)
            if s % 2
            else furthest_sum(points[inner], k, int(firsts[s % len(inner)]))
        ]
        for s in range(starts)
    ]


def fit_archetypes(
    points: Array,
    k: int,
    *,
    weights: Array | None = None,
    robust: bool = False,
    starts: int = 20,
    seed: int = 0,
) -> ArchetypeFit:
    """Return the best fit from several starts.

    Parameters
    ----------
    points
        (n, m) points, at least k of them with a weight above 0.
    k
        Number of archetypes.
    weights
        (n,) weights of the squared distances, all 1 if not given; a point of weight 0 is no part of
        an archetype.
    robust
        Whether distances count by Tukey's bisquare loss, which is constant from six times their
        median on, in place of their squares.
    starts, seed
        Number of starts, and the seed that draws them.

    Notes
    -----
    With points x, shares a and b, the objective is ``sum_i w_i |x_i - sum_j a_ij z_j|^2`` with
    ``z_j = sum_i b_ji x_i``. Each sweep solves for the shares a of each point, then for the
    archetypes one by one, each exactly given the rest, so that the objective never rises (Cutler
    and Breiman 1994). The robust loss is minimised by reweighted least squares (Eugster and Leisch
    2011) after 20 sweeps with Huber's; its scale is the median distance of points that are not met
    exactly, the smallest of all starts.

    References
    ----------
    Cutler, A. & Breiman, L. (1994). Archetypal analysis. Technometrics 36, 338-347.
    https://doi.org/10.1080/00401706.1994.10485840

    Eugster, M. J. A. & Leisch, F. (2011). Weighted and robust archetypal analysis. Computational
    Statistics & Data Analysis 55, 1215-1225. https://doi.org/10.1016/j.csda.2010.10.017
    """
    given = np.ones(len(points)) if weights is None else weights
    retained = np.flatnonzero(given > 0)
    centre = given @ points / given.sum()
    unit = float(np.sqrt(given @ ((points - centre) ** 2).sum(axis=1) / given.sum())) or 1.0
    scaled = (points - centre) / unit
    begun = [
        np.eye(len(points))[retained[s]]
        for s in _starts(scaled[retained], k, starts, seed, robust=robust)
    ]
    cut = np.inf
    if robust:
        tried = [_clipped(scaled, betas, given) for betas in begun]
        begun, cut = [betas for betas, _ in tried], _CUT * min(scale for _, scale in tried)
    rough = [_descend(scaled, betas, given, cut, _ROUGH) for betas in begun]
    objectives = np.array([fit.objective for fit in rough])
    best = int(objectives.argmin())
    fit = _descend(scaled, rough[best].betas, given, cut, _SETTLED)
    near = objectives <= objectives[best] * (1 + _SAME) + 1e-12
    return replace(
        fit,
        archetypes=fit.betas @ points,
        objective=fit.objective * unit**2,
        share=float(near.mean()),
    )


def _descend(points: Array, betas: Array, given: Array, cut: float, settled: float) -> ArchetypeFit:
    """Return the fit from one start; points at a distance of `cut` or more have no weight."""
    last, sweep = np.inf, 0
    while True:
        archetypes = betas @ points
        alphas = mixtures(archetypes, points)
        far = np.linalg.norm(points - alphas @ archetypes, axis=1)
        weights = given * np.clip(1 - (far / cut) ** 2, 0.0, 1.0) ** 2
        objective = float(given @ _loss(far, cut))
        converged = last - objective <= settled * objective + _NIL
        if converged or sweep == _MOST_SWEEPS:
            return ArchetypeFit(alphas, betas, archetypes, weights, objective, converged)
        betas = _moved(points, alphas, betas, weights)
        last, sweep = objective, sweep + 1


def _clipped(points: Array, betas: Array, given: Array) -> tuple[Array, float]:
    """Return betas from which to begin with a bounded loss, and the scale of distances.

    Distances beyond their median count as such, not squared: a bounded loss from a poor start would
    give up true extremes for good.
    """
    scale = 1.0
    for _ in range(_CLIPPED):
        alphas = mixtures(betas @ points, points)
        far = np.linalg.norm(points - alphas @ (betas @ points), axis=1)
        missed = far[(far > _MET) & (given > 0)]
        scale = float(np.median(missed)) if len(missed) else 1.0
        betas = _moved(points, alphas, betas, given * scale / np.maximum(far, scale))
    return betas, scale


def _loss(far: Array, cut: float) -> Array:
    """Return Tukey's loss of distances, near 0 their squares; squares if nothing is cut."""
    if np.isinf(cut):
        return far**2
    return cut**2 / 3 * (1 - np.clip(1 - (far / cut) ** 2, 0.0, 1.0) ** 3)


def _moved(points: Array, alphas: Array, betas: Array, weights: Array) -> Array:
    """Return the shares of the points in each archetype, solved for one after the other."""
    allowed = np.flatnonzero(weights > 0)
    candidates, betas = points[allowed], betas.copy()
    archetypes = betas @ points
    residuals = points - alphas @ archetypes
    for j, share in enumerate(alphas.T):
        size = float(weights @ share**2)
        betas[j] = 0.0
        if size > 1e-12:
            target = archetypes[j] + (weights * share) @ residuals / size
            betas[j, allowed] = mixture(candidates, target)
        else:  # no point is a mixture with it: it begins anew at the one that is missed most
            betas[j, int((weights * (residuals**2).sum(axis=1)).argmax())] = 1.0
        moved = betas[j] @ points
        residuals -= np.outer(share, moved - archetypes[j])
        archetypes[j] = moved
    return betas


def elbow(objectives: Array) -> int:
    """Return the number of archetypes at the elbow of the objectives of 1, 2, ... of them.

    The elbow is where the curve lies deepest below the line from its first to its last point.

    References
    ----------
    Satopaa, V., Albrecht, J., Irwin, D. & Raghavan, B. (2011). Finding a "kneedle" in a haystack.
    Proceedings of ICDCS Workshops, 166-171. https://doi.org/10.1109/ICDCSW.2011.20

    Examples
    --------
    >>> elbow(np.array([10.0, 4.0, 1.0, 0.8, 0.7]))
    3
    """
    line = np.linspace(objectives[0], objectives[-1], len(objectives))
    return 1 + int(np.argmax(line - objectives))
