"""Which covariance structure a table supports: all of them fitted, held against each other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.stats import chi2

from benchinfer.compare import designs, structures
from benchinfer.compare.evidence import Setting
from benchinfer.compare.fitted import fit_design
from benchinfer.errors import DesignError, message
from benchinfer.frames import frame

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.scores import ScoreTable

_BETWEEN: tuple[designs.Structure, ...] = ("common", "diagonal", "unstructured")
_RESIDUAL: tuple[designs.Residual, ...] = ("constant", "algorithm", "dataset")


def mixed_structures(
    scores: "ScoreTable",
    measure: str | None = None,
    *,
    terms: Literal["auto"] | Sequence[str] = "auto",
) -> "pd.DataFrame":
    """Fit every covariance structure that a table supports, and compare the fits.

    Parameters
    ----------
    scores
        The table.
    measure
        Name of the measure; may be omitted where there is one.
    terms
        As for `compare_mixed`.

    Returns
    -------
    pandas.DataFrame
        One row per ``structure`` and ``residual``, least ``aic`` first: ``n_parameters
        log_likelihood aic bic`` of the restricted likelihood, which may be compared as the fixed
        effects are the same, and ``statistic df p_value`` of the likelihood-ratio test against the
        common structure with constant residual variance, which lies within all others. The
        chi-squared reference errs on the safe side where a variance may be zero.

    Raises
    ------
    DesignError
        The table supports one structure only.

    References
    ----------
    Pinheiro, J. C. & Bates, D. M. (1996). Unconstrained parametrizations for variance-covariance
    matrices. Statistics and Computing 6, 289-296. https://doi.org/10.1007/BF00140873

    Examples
    --------
    >>> import benchinfer as bi
    >>> table = mixed_structures(bi.load_example("sklearn_bootstrap"), "error")
    >>> table[["structure", "residual", "n_parameters"]].head(2)
          structure   residual  n_parameters
    0  unstructured    dataset            40
    1      diagonal    dataset            26
    """
    setting, scores = Setting.of(scores, measure)
    base = designs.choose(setting, terms, "auto")
    rows: list[dict[str, object]] = []
    refused: list[str] = []
    for structure in _BETWEEN:
        for residual in _RESIDUAL:
            try:
                design = structures.resolve(structure, residual, base, setting)
                model = fit_design(scores, setting, design).model
            except DesignError as error:
                refused.append(str(error).partition("\n")[0])
                continue
            rows.append(
                {
                    "structure": structure,
                    "residual": residual,
                    "n_parameters": model.n_parameters,
                    "log_likelihood": model.log_likelihood,
                    "aic": model.aic,
                    "bic": model.bic,
                }
            )
    if len(rows) < 2:
        reasons = list(dict.fromkeys(refused))
        raise DesignError(message("the table supports one structure only.", hint=reasons))
    table = frame({name: [row[name] for row in rows] for name in rows[0]})
    statistic = np.maximum(2 * (table["log_likelihood"] - table["log_likelihood"][0]), 0.0)
    df = table["n_parameters"] - table["n_parameters"][0]
    table["statistic"], table["df"] = statistic, df
    table["p_value"] = np.where(df > 0, chi2.sf(statistic, np.maximum(df, 1)), np.nan)
    return table.sort_values("aic", ignore_index=True)
