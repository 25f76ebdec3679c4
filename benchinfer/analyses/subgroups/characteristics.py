"""Characteristics of a data set, from its features and its target."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError
from benchinfer.numerics.types import Array, Flags

if TYPE_CHECKING:
    import pandas as pd

type Task = Literal["auto", "classification", "regression"]

_FOLDS = 5
_PENALTY = 1.0  # of squared slopes of standardised columns
_MOST_CLASSES = 20  # different whole numbers that a target of classes has at most


@checked
def dataset_features(x: Any, y: Any = None, *, task: Task = "auto") -> dict[str, float]:
    """Describe a data set by simple characteristics, to compare algorithms along them.

    Parameters
    ----------
    x
        (n, p) features: a pandas data frame, whose columns of text, categories or truth values are
        categorical, or an array of numbers. Missing values are NaN or None.
    y
        (n,) target, if there is one.
    task
        ``"classification"``, ``"regression"``, or ``"auto"``: classes are text, categories, truth
        values, or at most 20 different whole numbers.

    Returns
    -------
    dict
        ``n_rows``, ``n_columns``; ``share_missing`` of all cells, ``share_categorical`` of the
        columns; of numeric columns ``mean_correlation``, the mean absolute one of two of them,
        ``mean_skewness``, the mean absolute one, and ``mean_kurtosis``, 3 for normal ones. With
        classes ``n_classes``, ``balance``, the entropy of their shares divided by its largest, and
        ``share_largest``, the share of the most frequent one. ``signal``: the share of
        the error of a constant prediction that a linear model takes away in 5-fold
        cross-validation, R^2 for numbers. What cannot be computed is NaN.

    Raises
    ------
    DesignError
        Features are no table of numbers or categories, or the target has another length or lacks
        values.

    Notes
    -----
    Most are those of StatLog (Michie, Spiegelhalter and Taylor 1994, chapter 7), there called N, p,
    q (classes), corr.abs, skew, kurtosis and H(C) (entropy of classes, here divided by log q).
    Skewness and kurtosis are those of columns, not within classes.

    The signal is that of a ridge regression (penalty 1, standardised columns, categories as
    indicators, missing numbers at the median), of classes of their indicators, with the class of
    the largest prediction. On held-out rows it is ``1 - SS / SS0`` of numbers and ``1 - e / e0`` of
    classes, the errors e0 being those of the mean or the most frequent class of the other rows; at
    least 0. Folds are drawn with a fixed seed.

    References
    ----------
    Michie, D., Spiegelhalter, D. J. & Taylor, C. C. (1994). Machine Learning, Neural and
    Statistical Classification. Ellis Horwood.

    Examples
    --------
    >>> found = dataset_features([[0.0, 1.0], [1.0, 3.0], [2.0, 5.0], [3.0, None]])
    >>> found["n_rows"], found["share_missing"], round(found["mean_correlation"], 9)
    (4.0, 0.125, 1.0)
    """
    import pandas as pd

    table = x.copy() if isinstance(x, pd.DataFrame) else pd.DataFrame(np.asarray(x, dtype=object))
    table = table.infer_objects()
    if 0 in table.shape:
        raise DesignError(
            f"features of shape {table.shape} are no data set.",
            hint="rows and columns, one row for each observation.",
        )
    table = table.set_axis(range(table.shape[1]), axis=1)
    numeric = [i for i in range(table.shape[1]) if _is_numeric(table[i])]
    numbers = table[numeric].to_numpy(dtype=np.float64, na_value=np.nan)
    n, p = table.shape
    features = {
        "n_rows": float(n),
        "n_columns": float(p),
        "share_missing": float(table.isna().to_numpy().mean()),
        "share_categorical": 1 - len(numeric) / p,
        "mean_correlation": _mean_correlation(numbers),
        "mean_skewness": _mean(abs(_moment(column, 3)) for column in numbers.T),
        "mean_kurtosis": _mean(_moment(column, 4) for column in numbers.T),
    }
    return features if y is None else features | _of_target(table, numeric, y, task)


def _is_numeric(column: pd.Series) -> bool:
    from pandas.api import types

    return types.is_numeric_dtype(column) and not types.is_bool_dtype(column)


def _mean(values: Iterable[float]) -> float:
    """Return the mean of the values that are numbers, NaN without any."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else np.nan


def _moment(column: Array, power: int) -> float:
    """Return a standardised moment of a column, NaN where it does not vary."""
    known = column[~np.isnan(column)]
    spread = known.std() if len(known) else 0.0
    return float((((known - known.mean()) / spread) ** power).mean()) if spread > 0 else np.nan


def _mean_correlation(numbers: Array) -> float:
    """Return the mean absolute correlation of two columns, of the rows that have both."""
    correlations: list[float] = []
    for i in range(numbers.shape[1]):
        for j in range(i):
            pair = np.column_stack([numbers[:, i], numbers[:, j]])
            pair = pair[~np.isnan(pair.sum(axis=1))]
            if len(pair) > 1 and (pair.std(axis=0) > 0).all():
                a, b = ((pair - pair.mean(axis=0)) / pair.std(axis=0)).T
                correlations.append(abs(float((a * b).mean())))
    return _mean(correlations)


def _of_target(table: pd.DataFrame, numeric: list[int], y: Any, task: str) -> dict[str, float]:
    """Describe the target, and what a linear model knows of it."""
    import pandas as pd

    target = pd.Series(np.asarray(y, dtype=object).ravel()).infer_objects()
    if len(target) != len(table) or target.isna().any():
        raise DesignError(
            f"the target has {len(target)} values, {int(target.isna().sum())} of them missing,"
            f" of {len(table)} rows.",
            hint="one value for each row.",
        )
    if task == "regression" or (task == "auto" and not _has_classes(target)):
        values = np.array(target.tolist(), dtype=np.float64)[:, None]
        return {"signal": _signal(table, numeric, values, classes=False)}
    codes, names = pd.factorize(target)
    indicators = (codes[:, None] == np.arange(len(names))).astype(np.float64)
    shares = np.bincount(codes) / len(codes)
    entropy = -float(shares @ np.log(shares))
    return {
        "n_classes": float(len(names)),
        "balance": entropy / float(np.log(len(names))) if len(names) > 1 else np.nan,
        "share_largest": float(shares.max()),
        "signal": _signal(table, numeric, indicators, classes=True),
    }


def _has_classes(target: pd.Series) -> bool:
    """Return whether a target is one of classes."""
    if not _is_numeric(target):
        return True
    values = target.to_numpy(dtype=np.float64)
    return len(np.unique(values)) <= _MOST_CLASSES and bool((values == np.round(values)).all())


def _signal(table: pd.DataFrame, numeric: list[int], y: Array, *, classes: bool) -> float:
    """Return the share of the error of a constant prediction that a linear model takes away."""
    if len(y) < 2 * _FOLDS:
        return np.nan
    import pandas as pd

    numbers = table[numeric].to_numpy(dtype=np.float64, na_value=np.nan)
    categories, indicators = table.drop(columns=numeric).astype("object"), np.zeros((len(table), 0))
    if categories.shape[1]:
        # A missing value is a category.
        indicators = pd.get_dummies(categories, dummy_na=True).to_numpy(dtype=np.float64)
    fold = np.random.default_rng(0).permutation(len(y)) % _FOLDS
    error, constant = 0.0, 0.0
    for held in range(_FOLDS):
        test = fold == held
        predicted = _predicted(numbers, indicators, y, test)
        mean = np.broadcast_to(y[~test].mean(axis=0), predicted.shape)
        for guess, worst in ((predicted, False), (mean, True)):
            miss = guess.argmax(axis=1) != y[test].argmax(axis=1)
            loss = float(miss.sum() if classes else ((guess - y[test]) ** 2).sum())
            error, constant = (error, constant + loss) if worst else (error + loss, constant)
    return max(0.0, 1 - error / constant) if constant > 0 else np.nan


def _predicted(numbers: Array, indicators: Array, y: Array, test: Flags) -> Array:
    """Return predictions on the rows of a test by a ridge regression on the others."""
    train = numbers[~test]
    known = ~np.isnan(train).all(axis=0)
    middle = np.nanmedian(train[:, known], axis=0)
    filled = np.where(np.isnan(numbers[:, known]), middle, numbers[:, known])
    x = np.column_stack([filled, indicators])
    centre, spread = x[~test].mean(axis=0), x[~test].std(axis=0)
    x = (x - centre) / np.where(spread > 0, spread, 1.0)
    inside, mean = x[~test], y[~test].mean(axis=0)
    gram = inside.T @ inside + _PENALTY * np.eye(x.shape[1])
    return mean + x[test] @ np.linalg.solve(gram, inside.T @ (y[~test] - mean))
