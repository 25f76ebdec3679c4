"""The function `archetypes`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal

import numpy as np

from benchinfer.analyses.subgroups.archetypes.result import Archetypes, ArchetypesOptions, Profiles
from benchinfer.analyses.subgroups.numerics.alternating import elbow, fit_archetypes
from benchinfer.comparison.checks.complete import complete_part
from benchinfer.comparison.evidence import Setting
from benchinfer.core.arguments import check_jobs, checked, seed_of
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count, several
from benchinfer.core.parallel import in_order, workers
from benchinfer.numerics.ties import joined_levels
from benchinfer.numerics.types import Array
from benchinfer.scores.table import ScoreTable

_MOST = 6  # archetypes that are tried to find their number


@checked
def archetypes(
    scores: ScoreTable,
    measure: str | None = None,
    k: int | None = None,
    *,
    profiles: Profiles = "differences",
    standardise: bool = False,
    weights: Mapping[str, float] | None = None,
    robust: bool = False,
    starts: int = 20,
    missing: Literal["use", "error"] = "use",
    seed: int | None = 1,
    n_jobs: int | None = None,
) -> Archetypes:
    """Describe data sets as mixtures of a few extreme ones, by archetypal analysis.

    Each data set is a point: the mean scores of the algorithms on it. Archetypes are extreme
    points, mixtures of data sets themselves, such that all data sets are nearly mixtures of them.
    They describe; they are no test of whether data sets differ.

    Parameters
    ----------
    scores
        The table.
    measure
        May be left out where the table has one.
    k
        Number of archetypes; by default that at the elbow of the distances left by 1 to 6 of them.
    profiles
        Points of data sets: ``"differences"`` of the algorithms from their mean on the data set, so
        that archetypes tell who is better where; or ``"levels"``, the means themselves, as in R's
        archetypes, of which the first archetypes are as a rule the easy and the hard data sets.
    standardise
        Whether each algorithm's values are divided by their standard deviation, as in R.
    weights
        Weight of each data set by name; 2 counts it twice, 0 has it only as a mixture of others.
    robust
        Whether data sets that are far from all mixtures count less (Tukey's bisquare), and not at
        all from six times the median distance on. The archetypes are then not those of outliers.
    starts
        From how many starts the least distance is sought.
    missing
        ``"use"``: the part of the table that has no gaps; ``"error"``: no gap is accepted.
    seed
        Seed of the starts; None draws one.
    n_jobs
        As in `per_dataset`.

    Returns
    -------
    Archetypes
        With `Archetypes.summary`, `Archetypes.coordinates` of the data sets, `Archetypes.profiles`,
        `Archetypes.curve`, `Archetypes.stability` over resamples, and figures.

    Raises
    ------
    DesignError
        There are fewer different data sets than archetypes, algorithms that do not differ, or
        weights that do not fit the data sets.

    Notes
    -----
    With points x, the shares a (of archetypes in data sets) and b (of data sets in archetypes), not
    negative and with sum 1, minimise ``sum_i w_i |x_i - sum_j a_ij z_j|^2``, ``z_j = sum_i b_ji
    x_i``. There are local minima; the least of several starts is kept.

    References
    ----------
    Cutler, A. & Breiman, L. (1994). Archetypal analysis. Technometrics 36, 338-347.
    https://doi.org/10.1080/00401706.1994.10485840

    Eugster, M. J. A. & Leisch, F. (2009). From Spider-man to Hero: archetypal analysis in R.
    Journal of Statistical Software 30(8). https://doi.org/10.18637/jss.v030.i08

    Eugster, M. J. A. & Leisch, F. (2011). Weighted and robust archetypal analysis. Computational
    Statistics & Data Analysis 55, 1215-1225. https://doi.org/10.1016/j.csda.2010.10.017

    Examples
    --------
    >>> import benchinfer as bi
    >>> print(bi.archetypes(bi.load_example("sklearn_bootstrap"), "error", k=2, seed=1))
    2 archetypes of 12 data sets give back ...
    """
    check_jobs(n_jobs)
    setting, table = complete_part(*Setting.of(scores, measure), missing)
    options = ArchetypesOptions(
        measure=setting.measure.name,
        k=k,
        profiles=profiles,
        standardise=standardise,
        weights=dict(weights or {}),
        robust=robust,
        starts=starts,
        missing=missing,
        seed=seed_of(seed),
    )
    means = table.cells(setting.measure.name).mean
    points = means - means.mean(axis=1, keepdims=True) if profiles == "differences" else means
    datasets = setting.coverage.datasets
    weight = _weights(weights, datasets)
    unit = points.std(axis=0, ddof=1) if standardise and len(points) > 1 else np.ones(len(points.T))
    unit = np.where(unit > 0, unit, 1.0)
    _check_number(points[weight > 0], k)
    scaled = points / unit
    work = partial(
        fit_archetypes, scaled, weights=weight, robust=robust, starts=starts, seed=options.seed
    )
    most = min(_MOST, len(np.unique(scaled[weight > 0], axis=0)))
    numbers = sorted({1, k}) if k else range(1, most + 1)
    fits = list(in_order(work, numbers, workers(n_jobs), processes=True))
    objectives = np.array([one.objective for one in fits])
    best = fits[-1 if k else elbow(objectives) - 1]
    order = np.argsort(-joined_levels(best.alphas.sum(axis=0)), kind="stable")
    return Archetypes(
        setting=setting,
        points=points,
        unit=unit,
        alphas=best.alphas[:, order],
        betas=best.betas[order],
        given=weight,
        weights=best.weights,
        objectives=objectives,
        same=np.array([one.share for one in fits]),
        converged=best.converged,
        provenance=options.provenance(setting.digest, "none", options.seed),
    )


def _weights(weights: Mapping[str, float] | None, datasets: tuple[str, ...]) -> Array:
    """Return the weights in the order of the data sets, all 1 if not given."""
    if weights is None:
        return np.ones(len(datasets))
    faults = [
        f"{what}: {several(names)}"
        for what, names in (
            ("no weight", [name for name in datasets if name not in weights]),
            ("not in the table", [name for name in weights if name not in datasets]),
            ("not finite, or below 0", [n for n, w in weights.items() if not 0 <= w < np.inf]),
        )
        if names
    ]
    if faults:
        hint = "one number from 0 on for each data set, by its name."
        raise DesignError(f"weights do not fit: {'; '.join(faults)}.", hint=hint)
    return np.array([float(weights[name]) for name in datasets])


def _check_number(points: Array, k: int | None) -> None:
    """Raise a DesignError where fewer data sets are distinct than archetypes, or than two."""
    different = len(np.unique(points, axis=0))
    if different < max(k or 1, 2):
        raise DesignError(
            f"{different} different data sets with a weight have no"
            f" {'archetypes' if k is None else f'{k} archetypes'}.",
            hint=f"ask for {count(max(different, 1), 'archetype')} at most.",
        )
