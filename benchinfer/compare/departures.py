"""How each data set departs from the average one, and algorithms on it from their average."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from benchinfer.compare.averaged import AveragedFit
from benchinfer.compare.evidence import Array, Setting
from benchinfer.compare.fitted import Fitted
from benchinfer.compare.fixed import domain_codes
from benchinfer.compare.whole import plain
from benchinfer.errors import DesignError, message
from benchinfer.frames import frame
from benchinfer.measure import Measure
from benchinfer.numerics.predicted import dataset_effects, interaction_effects
from benchinfer.numerics.structured.optimum import StructuredFit

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
        One row per data set (``algorithm`` is empty) and one per cell; for domains their names
        stand in the place of data sets. The interval is that of the prediction error, the
        uncertainty of the fixed effects included (Henderson 1975); with a structured covariance the
        fixed effects are taken as known.

    Raises
    ------
    DesignError
        The model has no data set effects.
    """
    found = _effects(setting, fitted)
    columns = [_columns(setting.measure, *effects, level) for effects in found]
    return frame({name: np.concatenate([c[name] for c in columns]) for name in columns[0]})


type Source = tuple[str, list[tuple[str, str]], Array, Array]


def _effects(setting: Setting, fitted: Fitted) -> list[Source]:
    """Return of each source its name, its cells (unit, algorithm), predictions and their errors."""
    model, stats, x = fitted.model, plain(fitted), fitted.fixed.x
    datasets, algorithms = setting.coverage.datasets, setting.algorithms
    cells = [(d, k) for d in datasets for k in algorithms]
    if isinstance(model, StructuredFit):
        found = [("dataset:algorithm", cells, model.blup_profile, model.blup_profile_variance)]
        if model.domain is not None:
            pairs = [(g, k) for g in domain_codes(setting)[0] for k in algorithms]
            domains = ("domain:algorithm", pairs, model.blup_domain, model.blup_domain_variance)
            found.insert(0, domains)
        return [(name, units, mean, np.sqrt(v)) for name, units, mean, v in found]
    if stats is None or isinstance(model, AveragedFit) or fitted.design.one_dataset:
        raise DesignError(
            message(
                "data sets have no random effects in this model.",
                hint='compare_mixed with target="domain" on several data sets has them.',
            )
        )
    found: list[Source] = []
    if "dataset" in model.terms:
        effects = dataset_effects(stats, model, x)
        found.append(("dataset", [(d, "") for d in datasets], effects.mean, effects.prediction_sd))
    if "dataset:algorithm" in model.terms:
        effects = interaction_effects(stats, model, x)
        found.append(("dataset:algorithm", cells, effects.mean, effects.prediction_sd))
    return found


def _columns(
    measure: Measure,
    source: str,
    cells: list[tuple[str, str]],
    mean: Array,
    sd: Array,
    level: float,
) -> dict[str, Array]:
    mean, sd = mean.ravel(), sd.ravel()
    reach = -ndtri((1 - level) / 2) * sd
    low, high = measure.effect_interval(mean - reach, mean + reach)
    named = np.array(cells, dtype=object)
    return {
        "source": np.full(len(cells), source, dtype=object),
        "dataset": named[:, 0],
        "algorithm": named[:, 1],
        "estimate": measure.effect(mean),
        "conf_low": low,
        "conf_high": high,
        "std_error": sd,
    }
