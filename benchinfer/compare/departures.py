"""How each data set departs from the average one, and algorithms on it from their average."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from benchinfer.compare.averaged import AveragedFit
from benchinfer.compare.evidence import Setting
from benchinfer.compare.fitted import Fitted
from benchinfer.compare.whole import plain
from benchinfer.errors import DesignError, message
from benchinfer.frames import frame
from benchinfer.numerics.predicted import Effects, dataset_effects, interaction_effects

if TYPE_CHECKING:
    import pandas as pd


def departures(setting: Setting, fitted: Fitted, level: float) -> "pd.DataFrame":
    """Return the predicted random effects: ``source dataset algorithm estimate std_error ...``.

    Parameters
    ----------
    setting
        What was compared.
    fitted
        The model.
    level
        Level of the intervals, each by itself.

    Returns
    -------
    pandas.DataFrame
        One row per data set (``algorithm`` is empty) and one per cell. The interval is that of the
        prediction error, the uncertainty of the fixed effects included (Henderson 1975).

    Raises
    ------
    DesignError
        The model has no data set effects.
    """
    stats, model = plain(fitted), fitted.model
    if stats is None or isinstance(model, AveragedFit) or fitted.design.one_dataset:
        raise DesignError(
            message(
                "data sets have no random effects of one variance in this model.",
                hint='structure="common" or "pairwise" with several data sets has them.',
            )
        )
    names, algorithms = setting.coverage.datasets, setting.algorithms
    columns: dict[str, list[object]] = {
        key: []
        for key in ("source", "dataset", "algorithm", "estimate", "conf_low", "conf_high")
        + ("std_error",)
    }

    def add(source: str, cells: list[tuple[str, str]], effects: Effects) -> None:
        reach = -ndtri((1 - level) / 2) * effects.prediction_sd.ravel()
        mean = effects.mean.ravel()
        low, high = setting.measure.effect_interval(mean - reach, mean + reach)
        columns["source"] += [source] * len(cells)
        columns["dataset"] += [cell[0] for cell in cells]
        columns["algorithm"] += [cell[1] for cell in cells]
        columns["estimate"] += list(setting.measure.effect(mean))
        columns["conf_low"] += list(low)
        columns["conf_high"] += list(high)
        columns["std_error"] += list(effects.prediction_sd.ravel())

    if "dataset" in model.terms:
        add("dataset", [(d, "") for d in names], dataset_effects(stats, model, fitted.fixed.x))
    if "dataset:algorithm" in model.terms:
        cells = [(d, k) for d in names for k in algorithms]
        add("dataset:algorithm", cells, interaction_effects(stats, model, fitted.fixed.x))
    return frame({name: np.array(values) for name, values in columns.items()})
