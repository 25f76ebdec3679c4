"""Effects of factors: comparisons of their levels, and interactions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from benchinfer.analyses.factors import sentences
from benchinfer.analyses.factors.comparison import (
    FLIPPED,
    HOLM,
    MODELLED,
    LevelComparison,
    in_units,
)
from benchinfer.analyses.factors.effects import CellEffects, Interaction, tested
from benchinfer.analyses.factors.numerics.grid import Grid, level_pairs
from benchinfer.analyses.factors.numerics.model import GridModel
from benchinfer.analyses.factors.numerics.shares import Shares, shares_of
from benchinfer.analyses.factors.options import FactorsOptions
from benchinfer.comparison.evidence import Evidence, Setting
from benchinfer.comparison.per_dataset import ComparisonGroups
from benchinfer.core.arguments import checked
from benchinfer.core.citations import bibtex
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.frames import checks_frame, frame
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, level_percent
from benchinfer.core.provenance import Provenance, StoredOptions
from benchinfer.core.result import Tabular
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.core.sections import Check
from benchinfer.numerics.types import Array, Codes
from benchinfer.scores.rows.factors import JOIN

if TYPE_CHECKING:
    import pandas as pd


@checked
@savable
@shaped(setting=SAME, means="D K", errors="D K")
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Factors(ComparisonGroups[LevelComparison], Tabular):
    """Effects of factors: a mapping from factor to the comparison of its levels.

    Attributes
    ----------
    results
        Factor to the comparison of its levels, on average over the cells of the others.
    refused
        Factor to why its levels could not be compared.
    levels
        Factor to its levels, in their order.
    pairs_of_factors
        Interactions of each pair of factors.
    means
        (D, K) means of the cells on the modelling scale, larger is better; of one data set the
        scores of its replications.
    errors
        (D, K) variances of these means over replications, NaN where there is one.
    modelled
        Whether effects are those of a model, as too few data sets hold all cells.
    setting
        The table, whose algorithms are the cells.
    checks
        Diagnostics.
    provenance
        Arguments and version.
    """

    _home: ClassVar[str] = "benchinfer.analyses.factors"
    group: ClassVar[str] = "factor"

    results: Mapping[str, LevelComparison]
    refused: Mapping[str, str]
    levels: Mapping[str, tuple[str, ...]]
    pairs_of_factors: tuple[Interaction, ...]
    means: Array
    errors: Array
    modelled: bool
    setting: Setting
    checks: tuple[Check, ...]
    provenance: Provenance

    options: ClassVar[StoredOptions[FactorsOptions]] = StoredOptions(FactorsOptions)

    def description(self) -> str:
        """Return the number of factors, cells and data sets."""
        cells = count(len(self.setting.algorithms), "cell")
        datasets = count(len(self.setting.coverage.datasets), "data set")
        return f"<Factors: {', '.join(self.levels)}; {cells} on {datasets}>"

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.setting.measure

    @property
    def _heading(self) -> str:
        return "Effects of factors"

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the cells, sorted."""
        return self.setting.algorithms

    @property
    def _checks(self) -> tuple[Check, ...]:
        return self.checks

    @property
    def level(self) -> float:
        """Confidence level of the family."""
        return self.options.level

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        alpha = f"{100 * self.options.alpha:.3g} %"
        return (
            f"An effect is decided if its adjusted p-value is at most {alpha}, of the family of"
            " all main effects and interactions of two factors, each with a half of the level."
            if self.options.family == "all"
            else f"An effect is decided if its adjusted p-value is at most {alpha}."
        )

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        flips = any(r.by_flips for r in self.values()) or any(
            one.by_flips for one in self.pairs_of_factors
        )
        say = partial(in_units, self.setting)
        if self.modelled:
            return f"{say(MODELLED)} P-values are by {HOLM}. {self.provenance.adjustment}."
        effects = say(
            "On each data set, main effects of levels are differences of means over all cells of"
            " the other factors, with equal weights, and interactions are differences of such"
            " differences. Each is one number for each data set, with the standard error of their"
            " own spread (t intervals)"
        )
        by = say(FLIPPED) if flips else HOLM
        return f"{effects}; p-values are by {by}. {self.provenance.adjustment}."

    def headline(self) -> str:
        """Return main effects and interactions in sentences."""
        return sentences.headline(self)

    def sentence(self) -> str:
        """Return sentences for a results section, with estimates and intervals."""
        return sentences.sentence(self)

    def citations(self) -> str:
        """Return BibTeX entries of the methods used."""
        return bibtex([source for result in self.values() for source in result._sources()])

    def diagnostics(self) -> pd.DataFrame:
        """One row per check: ``check value direction limit ok remedy``."""
        return checks_frame(self.checks)

    def interactions(self) -> pd.DataFrame:
        """Return one row per difference of differences of two factors.

        Returns
        -------
        pandas.DataFrame
            ``factor other_factor first second other_first other_second estimate conf_low conf_high
            std_error df statistic p_value p_raw n_datasets decided``: the difference of first and
            second at the one level of the other factor, less that at its other level.
        """
        names, effect = [*self.levels], self.measure.effect
        rows: list[dict[str, object]] = []
        for one in self.pairs_of_factors:
            f, g = (names[place] for place in one.factors)
            of_f, of_g = sorted(self.levels[f]), sorted(self.levels[g])
            low, high = self.measure.effect_interval(one.low, one.high)
            estimate = effect(one.estimate)
            for p, ((a, b), (c, d)) in enumerate(
                zip(one.pairs.tolist(), one.others.tolist(), strict=True)
            ):
                rows.append(
                    {
                        "factor": g,
                        "other_factor": f,
                        "first": of_g[c],
                        "second": of_g[d],
                        "other_first": of_f[a],
                        "other_second": of_f[b],
                        "estimate": estimate[p],
                        "conf_low": low[p],
                        "conf_high": high[p],
                        "std_error": one.std_error[p],
                        "df": one.df[p],
                        "statistic": one.statistic[p],
                        "p_value": one.p_value[p] if one.tested else np.nan,
                        "p_raw": one.p_raw[p],
                        "n_datasets": one.n[p],
                        "decided": bool(one.tested and one.p_value[p] <= self.options.alpha),
                    }
                )
        return frame({name: [row[name] for row in rows] for name in rows[0]})

    def simple(self, factor: str, at: str) -> pd.DataFrame:
        """Compare the levels of a factor at each level of another one.

        These are further hypotheses, adjusted among themselves at the whole level: a statement of
        its own beside that of `headline`.

        Parameters
        ----------
        factor
            Factor whose levels are compared.
        at
            Factor at whose levels they are compared.

        Returns
        -------
        pandas.DataFrame
            ``at_level first second estimate conf_low conf_high std_error p_value p_raw decided``.

        Raises
        ------
        DesignError
            There is no such factor, or both are the same.
        """
        names = [*self.levels]
        for name in (factor, at):
            if name not in names:
                raise DesignError(unknown("factor", name, names))
        if factor == at:
            raise DesignError(f"{factor} has no effects at its own levels.")
        levels, of_at = sorted(self.levels[factor]), sorted(self.levels[at])
        pairs, evidence = self._simple(self._effects(), factor, at)
        low, high = self.measure.effect_interval(evidence.low, evidence.high)
        sides = pairs.tolist() * len(of_at)
        return frame(
            {
                "at_level": np.repeat(of_at, len(pairs)),
                "first": [levels[a] for a, _ in sides],
                "second": [levels[b] for _, b in sides],
                "estimate": self.measure.effect(evidence.estimate),
                "conf_low": low,
                "conf_high": high,
                "std_error": evidence.std_error,
                "p_value": evidence.p_value,
                "p_raw": evidence.p_raw,
                "decided": evidence.p_value <= self.options.alpha,
            }
        )

    def _effects(self) -> CellEffects:
        """Return the effects of factors on the cells."""
        grid = self._grid()
        return CellEffects(grid, GridModel.of(grid) if self.modelled else None)

    def _simple(self, effects: CellEffects, factor: str, at: str) -> tuple[Codes, Evidence]:
        """Return pairs of levels, and the evidence on them at each level of another factor."""
        names, levels = [*self.levels], sorted(self.levels[factor])
        control = self.options.control.get(factor)
        pairs = level_pairs(len(levels), None if control is None else levels.index(control))
        parts = effects.simple(names.index(factor), pairs, names.index(at))
        return pairs, tested(*parts, 1.0, 0.0, self.options)[0]

    def cells(self) -> pd.DataFrame:
        """Return one row per cell: ``algorithm estimate n_datasets``, in the measure's own unit.

        The estimate is the mean over the data sets that hold the cell.
        """
        n = np.isfinite(self.means).sum(axis=0)
        return frame(
            {
                "algorithm": self.setting.algorithms,
                "estimate": self.measure.level_of(self._cell_means()),
                "n_datasets": n if len(self.setting.coverage.datasets) > 1 else np.minimum(n, 1),
            }
        )

    def _cell_means(self) -> Array:
        """Return (K,) means of the cells over the data sets that hold them."""
        present = np.isfinite(self.means)
        total = np.where(present, self.means, 0.0).sum(axis=0)
        return total / np.maximum(present.sum(axis=0), 1)

    def shares(self) -> pd.DataFrame:
        """Return the shares of the variation of cells within data sets: what matters most.

        Returns
        -------
        pandas.DataFrame
            ``source share std_error``: of factors, of interactions of two, and of factors by data
            sets, which is how much their effects differ between data sets. Shares that would be
            negative are 0; errors are by the jackknife over data sets, from five on.

        Raises
        ------
        DesignError
            Fewer than two data sets hold all cells.

        Notes
        -----
        Where the variance of cells of some data set is more than five times the median one, each
        data set is divided by its own spread first. Noise of replications is left out; with one
        replication it is part of the rest.
        """
        shares, names = self._shares(), [*self.levels]
        unit = in_units(self.setting, "data set")
        words = [
            " x ".join([names[f] for f in factors] + [unit] * by) if factors else "rest"
            for factors, by in shares.terms
        ]
        return frame({"source": words, "share": shares.share, "std_error": shares.std_error})

    def _grid(self) -> Grid:
        """Return the cells with the level of each factor."""
        levels = [sorted(of) for of in self.levels.values()]
        parts = [name.split(JOIN) for name in self.setting.algorithms]
        codes: Codes = np.array(
            [[of.index(level) for of, level in zip(levels, part, strict=True)] for part in parts]
        )
        return Grid(self.means, codes, tuple(len(of) for of in levels))

    def _shares(self) -> Shares:
        grid = self._grid()
        full = grid.marginal(*range(len(grid.sizes)))
        complete = np.isfinite(full).reshape(len(full), -1).all(axis=1)
        if complete.sum() < 2:
            unit = in_units(self.setting, "data set")
            raise DesignError(
                f"{count(int(complete.sum()), unit)} hold all {grid.n_cells} cells: shares"
                " of the variation need two.",
            )
        errors = self.errors[complete]
        error = None if np.isnan(errors).any() else errors.mean(axis=1)
        return shares_of(full[complete], error)

    @property
    def _interval_words(self) -> str:
        return f"{level_percent(self.level)} simultaneous intervals"
