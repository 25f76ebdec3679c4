"""Rows of the diagnostics that say whether the scores look like the model: each with a remedy."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Check
from benchinfer.compare.phrases import join
from benchinfer.measure import Measure
from benchinfer.numerics.effects import Effects, Shape
from benchinfer.numerics.residuals import Residuals, Spread

# A row fails where the effect is large and the p-value small: neither alone is worth one.
_SURE = 0.001
# Few enough false rows in healthy tables, each of which has many checks.
_RARE = 0.005


def checks(
    found: Residuals,
    datasets: Sequence[str],
    algorithms: Sequence[str],
    measure: Measure,
    *,
    own: bool = False,
) -> list[Check]:
    """Turn the diagnostics of a fit into rows.

    Parameters
    ----------
    found
        Of `residuals.of_blocks` or `residuals.of_cells`.
    datasets, algorithms
        The D and K names.
    measure
        For its scale and direction.
    own
        Whether pairs have errors of their own, which do not assume equal spreads.

    Returns
    -------
    list of Check
        One row per check that the design allows.
    """
    return [
        *_residual(found.shape),
        *_spreads(found.spread, datasets, algorithms, measure, own=own),
        *_normal(found.effects),
        *_outlying(found.effects, datasets, algorithms),
    ]


def _residual(shape: Shape) -> list[Check]:
    """Check skewness and tails of the residuals."""
    if not shape.n:
        return []
    error = np.sqrt(6 / shape.n)
    # Of few residuals both numbers are large by chance.
    skewed, peaked = max(1.0, 4 * error), max(3.0, 8 * error)
    means = "means over many replications stand this; with few, p-values near the level do not"
    return [
        Check.of(
            "residuals: skewness",
            shape.skewness,
            np.copysign(skewed, shape.skewness),
            least=shape.skewness < 0,
            ok=abs(shape.skewness) <= skewed,
            remedy='scores with a border on one side are skewed: Measure(scale="log") for times and'
            f' counts, "logit" for shares; {means}',
        ),
        Check.of(
            "residuals: excess kurtosis",
            shape.kurtosis,
            peaked,
            ok=shape.kurtosis <= peaked,
            remedy=f"some scores lie far from what the model expects: look at them; {means}",
        ),
    ]


def _ratio(sd: NDArray[np.float64]) -> tuple[float, int, int]:
    """Return largest over smallest standard deviation, and where they are."""
    low, high = int(np.argmin(sd)), int(np.argmax(sd))
    return float(sd[high] / max(float(sd[low]), 1e-3 * float(sd[high]))), low, high


def _growth(spread: Spread, measure: Measure) -> str:
    """Advise on the scale where the spread goes with the level."""
    if measure.scale != "identity" or not measure.sign * spread.trend > 0.5:
        return ""
    return ', or Measure(scale="log"), as the spread grows with the score'


def _spreads(
    spread: Spread,
    datasets: Sequence[str],
    algorithms: Sequence[str],
    measure: Measure,
    *,
    own: bool,
) -> list[Check]:
    """Check that residual variances are alike."""
    pairwise = (
        "the pairs' own errors do not assume equal spreads"
        if own
        else 'structure="pairwise" does not assume equal spreads'
    )
    rows: list[Check] = []
    growth = _growth(spread, measure)
    if np.isfinite(spread.p_algorithm):
        ratio, low, high = _ratio(spread.algorithm)
        rows.append(
            Check.of(
                "residuals: largest / smallest SD of an algorithm",
                ratio,
                2.0,
                ok=ratio <= 2 or spread.p_algorithm > _SURE,
                remedy=f"the residual SD of {algorithms[high]} is {ratio:.2g} times that of"
                f' {algorithms[low]}: residual="algorithm" models this{growth}; {pairwise}',
            )
        )
    if np.isfinite(spread.p_dataset):
        known = np.flatnonzero(np.isfinite(spread.dataset))
        high = known[int(np.argmax(spread.dataset[known]))]
        rows.append(
            Check.of(
                "residuals: upper / lower decile of the data sets' SD",
                spread.deciles,
                3.0,
                ok=spread.deciles <= 3 or spread.p_dataset > _SURE,
                remedy=f"replications vary more on some data sets, most on {datasets[high]}:"
                f' residual="dataset" models this{growth}',
            )
        )
    return rows


_normal_words = {
    "data set effects": (
        "data sets are not spread normally in difficulty, as where they come in groups:"
        " differences between algorithms do not rest on it, intervals of levels do"
    ),
    "data set x algorithm effects": (
        "how algorithms differ does not vary normally between data sets: with few data sets"
        " intervals and predictions lean on normality: look at outlying data sets, and add more;"
        " compare_permutation does not assume it"
    ),
}


def _normal(effects: Effects) -> list[Check]:
    """Check that predicted effects look normal."""
    shapes = (effects.dataset_shape, effects.profile_shape)
    return [
        Check.of(
            f"{name}: Shapiro-Wilk p-value",
            shape.p_normal,
            _RARE,
            # In large tables any departure is significant: only one that shows counts.
            least=True,
            ok=shape.p_normal >= _RARE or (abs(shape.skewness) < 0.5 and abs(shape.kurtosis) < 1),
            remedy=remedy,
        )
        for (name, remedy), shape in zip(_normal_words.items(), shapes, strict=True)
        if shape.n >= 8
    ]


def _outlying(effects: Effects, datasets: Sequence[str], algorithms: Sequence[str]) -> list[Check]:
    """Name data sets and cells that lie far out."""
    far = np.flatnonzero(effects.p_distance < _RARE)
    far = far[np.argsort(-effects.distance[far])]
    cells = np.argwhere(effects.p_profile < _RARE)
    cells = cells[np.argsort(-np.abs(effects.profile[tuple(cells.T)]))]
    where = [
        f"{algorithms[k]} on {datasets[m]} ({'better' if effects.profile[m, k] > 0 else 'worse'}"
        " than elsewhere)"
        for m, k in cells[:3]
    ]
    more = (" ..." if len(far) > 3 else "", " ..." if len(cells) > 3 else "")
    return [
        Check.of(
            "outlying data sets",
            len(far),
            0.0,
            ok=not len(far),
            remedy=f"on {join([str(datasets[m]) for m in far[:3]])}{more[0]} the algorithms differ"
            " unlike elsewhere: look for errors in these scores; influence() says which verdicts"
            " change without them",
        ),
        Check.of(
            "outlying cells",
            len(cells),
            0.0,
            ok=not len(cells),
            remedy=f"{join(where)}{more[1]}: look for errors in these scores, such as failed runs",
        ),
    ]
