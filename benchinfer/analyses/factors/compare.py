"""The function `compare_factors`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from benchinfer.analyses.factors.comparison import LevelComparison, in_units
from benchinfer.analyses.factors.effects import CellEffects, Interaction, interaction, tested
from benchinfer.analyses.factors.factors import Factors
from benchinfer.analyses.factors.numerics.grid import Grid, level_pairs
from benchinfer.analyses.factors.numerics.tests import ContrastEstimates
from benchinfer.analyses.factors.options import FactorsOptions, Family, LevelsOptions
from benchinfer.comparison.checks import tables
from benchinfer.comparison.evidence import Evidence, Level, Setting, decide
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.core.arguments import ArgumentError, checked, seed_of
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import count, join
from benchinfer.core.sections import Check
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array, Codes
from benchinfer.scores.numerics.domains import units_of
from benchinfer.scores.rows.factors import JOIN, full_cell, levels_of
from benchinfer.scores.rows.reductions import Cells
from benchinfer.scores.table import ScoreTable

_LEAST_SHARE = 0.5  # of the data sets that hold all cells of a contrast


@checked
def compare_factors(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    control: Mapping[str, str] | None = None,
    family: Family = "all",
    level: float = 0.95,
    seed: int | None = 1,
) -> Factors:
    """Compare the levels of factors, of which the algorithms are the cells.

    On each data set, the main effect of two levels is the difference of their means over all cells
    of the other factors, with equal weights; the interaction of two factors is a difference of such
    differences. Each is one number for each data set, and is tested by their own spread. Pairs of
    cells are not compared. On one data set replications take the place of data sets, and claims are
    about that data set.

    Parameters
    ----------
    scores
        The table, read with ``columns={"backbone": "factor", "aug": "factor"}``.
    measure
        Name of the measure; may be omitted where there is one.
    control
        Factor to its level that each other one is compared with. By default all pairs of levels.
    family
        Effects that are tested together. ``"all"``: main effects at half of the level, and the
        interactions of each pair of factors at an equal part of the other half. ``"main"``: main
        effects alone; no interaction is tested. ``"each"``: main effects, and the interactions of
        each pair of factors, at the whole level each.
    level
        Confidence level of the family.
    seed
        Seed of the flips where there are more than 13 data sets; None draws one.

    Returns
    -------
    Factors
        A mapping from factor to the comparison of its levels.

    Raises
    ------
    DesignError
        The table has no factors, or one data set without replications, or with replications that
        share training data; or no effect is estimable.

    Notes
    -----
    An effect takes the data sets that hold all of its cells. From seven data sets on, p-values are
    those of the largest t under flips of the signs of whole data sets, stepped down: exact where
    the effects that are 0 are jointly symmetric. With fewer, or where flips cannot reach the level,
    they are Holm's of t tests. Intervals agree with verdicts: half of the level of a family is left
    to them, as in `compare_mixed`. An interaction is decided where one of its differences of
    differences is.

    Where some effect has fewer complete data sets than five, or than half of them, all effects are
    those of a linear model of the means of cells: a fixed level of each data set, effects of each
    factor and of each pair of factors, and none of three. Errors are CR2 by data set, with
    Satterthwaite's degrees of freedom, and p-values Holm's.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import benchinfer as bi
    >>> rng = np.random.default_rng(1)
    >>> runs = pd.DataFrame([(f"d{d}", net, aug) for d in range(10) for net in ("cnn", "vit")
    ...                      for aug in ("mixup", "none")], columns=["dataset", "net", "aug"])
    >>> gain = 0.02 * (runs["net"] == "vit")
    >>> runs["accuracy"] = 0.7 + gain + rng.normal(scale=0.005, size=40)
    >>> scores = bi.read_scores(runs, measures="accuracy:higher",
    ...                         columns={"net": "factor", "aug": "factor"})
    >>> print(bi.compare_factors(scores))
    net  vit > cnn
    aug  mixup ? none
    """
    options = FactorsOptions(
        measure=measure, control=control or {}, family=family, level=level, seed=seed_of(seed)
    )
    _check_table(scores, options.control)
    datasets = scores.summary.datasets_of(scores.measure(measure).name)
    if units_of(scores.domains, datasets) == "domains":
        scores = scores.domain_means(measure)
    setting, scores = Setting.of(scores, measure)
    options = replace(options, measure=setting.measure.name)
    cells = scores.cells(setting.measure.name)
    alone = len(scores.datasets) < 2
    means = _replications(scores, setting) if alone else cells.mean
    names = tuple(scores.factors)
    ordered = levels_of(cells.algorithms, names)
    levels = {name: tuple(sorted(of)) for name, of in ordered.items()}
    grid = _grid(means, cells.algorithms, levels)
    pairs = {name: level_pairs(len(of), _place(of, options, name)) for name, of in levels.items()}
    weight, weight_of_pair = options.weights(len(grid.pairs))
    effects = CellEffects.of(grid, [pairs[name] for name in names])
    interactions = [
        interaction(effects, (f, g), [pairs[name] for name in names], weight_of_pair, options)
        for f, g in grid.pairs
    ]
    results, refused = _main_effects(effects, setting, cells, levels, pairs, weight, options)
    if not results and not any(one.n.any() for one in interactions):
        if full := full_cell(cells.algorithms):
            raise DesignError(
                f"each other cell differs from {full} in one factor: no interaction was run, and no"
                " main effect is estimable.",
                hint=f"compare compares each with it, as control={full!r} does.",
            )
        raise DesignError(
            f"no effect of {join(names)} is estimable: of {grid.n_cells} cells"
            f" {len(cells.algorithms)} were run.",
            hint="compare_mixed compares the cells that were run.",
        )
    return Factors(
        results=results,
        refused=refused,
        levels=ordered,
        pairs_of_factors=tuple(interactions),
        means=means,
        errors=np.full_like(means, np.nan) if alone else _errors(cells),
        modelled=effects.model is not None,
        setting=setting,
        checks=tuple(_checks(results, interactions, refused, setting, effects)),
        provenance=options.provenance(setting.digest, _ADJUSTED[family], options.seed),
    )


_ADJUSTED = {
    "all": "P-values are adjusted for all main effects, with half of the level, and for the"
    " interactions of all pairs of factors, with the other half",
    "main": "P-values are adjusted for all main effects; interactions were not tested",
    "each": "P-values are adjusted for all main effects, and within each pair of factors",
}


def _check_table(scores: ScoreTable, control: Mapping[str, str]) -> None:
    """Raise an error where there are no factors, or no such level."""
    factors = scores.factors
    if not factors:
        raise DesignError(
            "the table has no factors.",
            hint='columns={"NAME": "factor"} gives a column that role.',
        )
    for name, level in control.items():
        if name not in factors:
            raise ArgumentError(unknown("factor", name, [*factors]))
        if level not in factors[name]:
            raise ArgumentError(unknown(f"level of {name}", level, factors[name]))
    if single := [name for name, levels in factors.items() if len(levels) < 2]:
        raise DesignError(
            f"{join(single)} has one level.",
            hint="leave a factor with one level out of columns=.",
        )


def has_units(scores: ScoreTable, measure: str) -> bool:
    """Return whether there are data sets, or replications of one, between which effects spread."""
    if len(scores.summary.datasets_of(measure)) > 1:
        return True
    return not _overlap(scores) and int(scores.cells(measure).n.max()) > 1


def _overlap(scores: ScoreTable) -> bool:
    """Return whether replications are known to share training data."""
    return scores.resampling is not None and scores.resampling.overlap != 0


def _replications(scores: ScoreTable, setting: Setting) -> Array:
    """Return (R, K) scores of the cells in each replication of one data set, NaN without one.

    Where replications are not shared, the first one of each cell is beside the first ones of the
    others, and so on: in whatever order, as they are independent.
    """
    if _overlap(scores):
        raise DesignError(
            "one data set: replications that share training data are no units of effects.",
            hint="compare compares the cells on one data set.",
        )
    blocks = scores.blocks(setting.measure.name)
    present = blocks.count > 0
    values = np.where(present, blocks.mean, np.nan)
    if not blocks.paired:
        first = np.argsort(~present, axis=0, kind="stable")
        values = np.take_along_axis(values, first, axis=0)[: present.sum(axis=0).max()]
    if len(values) < 2:
        raise DesignError(
            "one data set with one score of each cell: effects of factors are tested by their"
            " spread between data sets, or between replications.",
        )
    return values


def _grid(means: Array, cells: tuple[str, ...], levels: Mapping[str, tuple[str, ...]]) -> Grid:
    """Return the means of the cells with the level of each factor."""
    parts = [name.split(JOIN) for name in cells]
    codes = [[of.index(part[f]) for f, of in enumerate(levels.values())] for part in parts]
    sizes = tuple(len(of) for of in levels.values())
    return Grid(means, np.array(codes, dtype=np.int64), sizes)


def _place(levels: tuple[str, ...], options: FactorsOptions, name: str) -> int | None:
    return levels.index(options.control[name]) if name in options.control else None


def _errors(cells: Cells) -> Array:
    """Return (D, C) variances of the means of cells, NaN where a cell has one score."""
    return cells.sd**2 / np.maximum(cells.n, 1)


def _main_effects(
    effects: CellEffects,
    setting: Setting,
    cells: Cells,
    levels: Mapping[str, tuple[str, ...]],
    pairs: Mapping[str, Codes],
    weight: float,
    options: FactorsOptions,
) -> tuple[dict[str, LevelComparison], dict[str, str]]:
    """Return the comparison of the levels of each factor, or why there is none."""
    parts = [effects.main(f, pairs[name]) for f, name in enumerate(levels)]
    estimates = ContrastEstimates.join([part for part, _ in parts])
    by_dataset = [values for _, values in parts if values is not None]
    values = np.concatenate(by_dataset, axis=1) if by_dataset else None
    evidence, by_flips = tested(estimates, values, weight, setting.measure.margin, options)
    ends = np.cumsum([0, *(len(pairs[name]) for name in levels)])
    results: dict[str, LevelComparison] = {}
    refused: dict[str, str] = {}
    for f, (name, of) in enumerate(levels.items()):
        part = _part(evidence, slice(ends[f], ends[f + 1]))
        missing = np.isnan(part.estimate)
        if missing.all():
            refused[name] = "cells of two of its levels are missing on all data sets"
            continue
        level = Level(effects.levels(f))
        codes = decide(
            np.nan_to_num(part.estimate), part.p_value, part.p_equivalence, options.alpha
        )
        codes = np.where(missing, Verdict.MISSING, codes).astype(np.int8)
        of_levels = _setting_of_levels(setting, cells, effects.grid.codes[:, f], of)
        results[name] = LevelComparison(
            setting=of_levels,
            pairs=ComparedPairs.between(pairs[name], of_levels, codes, level),
            level=options.level,
            target="domain" if len(cells.datasets) > 1 else "datasets",
            levels=level,
            stored_checks=(),
            provenance=LevelsOptions(
                measure=options.measure,
                contrasts="tukey",
                control=options.control.get(name),
                level=options.level,
                alternative="two-sided",
                adjust="step-down",
                interval="compatible",
                factor=name,
                effects=options.family,
                seed=options.seed,
            ).provenance(setting.digest, _ADJUSTED[options.family], options.seed),
            evidence=part,
            others=tuple(other for other in levels if other != name),
            by_flips=by_flips,
            modelled=effects.model is not None,
        )
    return results, refused


def _part(evidence: Evidence, rows: slice) -> Evidence:
    """Return the evidence of some contrasts."""
    values: dict[str, Any] = {
        name: value[rows]
        for name in Evidence.__dataclass_fields__
        if (value := getattr(evidence, name)) is not None
    }
    return replace(evidence, **values)


def _setting_of_levels(
    setting: Setting, cells: Cells, codes: Codes, levels: tuple[str, ...]
) -> Setting:
    """Return the setting in which the levels of one factor are the algorithms."""
    coverage = setting.coverage
    of_level = codes[:, None] == np.arange(len(levels))
    counts = cells.n @ of_level.astype(cells.n.dtype)
    quantiles = np.full((len(counts), len(levels), 5), np.nan)
    for at in range(len(levels)):
        part = setting.quantiles[:, of_level[:, at]]
        low = np.where(np.isnan(part[..., 0]), np.inf, part[..., 0]).min(axis=1)
        high = np.where(np.isnan(part[..., 4]), -np.inf, part[..., 4]).max(axis=1)
        quantiles[:, at, 0] = np.where(np.isfinite(low), low, np.nan)
        quantiles[:, at, 4] = np.where(np.isfinite(high), high, np.nan)
    expected = coverage.expected * int(of_level.sum(axis=0).max())
    covered = replace(coverage, algorithms=levels, counts=counts, expected=expected, gaps=None)
    return replace(
        setting, algorithms=levels, coverage=covered, quantiles=quantiles, absent=(), stopped=None
    )


def _checks(
    results: Mapping[str, LevelComparison],
    interactions: list[Interaction],
    refused: Mapping[str, str],
    setting: Setting,
    effects: CellEffects,
) -> list[Check]:
    """Return the checks of effects of factors."""
    grid = effects.grid
    d, say = len(grid.means), partial(in_units, setting)
    known = [
        np.where(np.isnan(r.evidence.estimate), 0, r.evidence.df + 1) for r in results.values()
    ]
    n = np.concatenate([*(one.n for one in interactions), *known])
    thin = 0 if effects.model else int(((n > 0) & (n < _LEAST_SHARE * d)).sum())
    lost = int((n == 0).sum()) + len(refused)
    absent = grid.n_cells - grid.means.shape[1]
    flat = sum(int(one.flat.sum()) for one in interactions)
    flat += sum(int((r.evidence.std_error == 0).sum()) for r in results.values())
    return [
        *tables.of_table(setting),
        *([tables.replications(setting)] if len(setting.coverage.datasets) == 1 else []),
        Check.of(
            "effects by a model",
            int(effects.model is not None),
            sentence=say(
                "too few data sets hold all cells: effects are those of a model without"
                " interactions of three factors."
            ),
            remedy=say("complete the cells of the data sets."),
        ),
        Check.of(
            "effects that no data set can show",
            lost,
            sentence=say(
                f"{count(lost, 'effect')} cannot be estimated: cells are missing on all data sets."
            ),
            remedy=f"run the cells that are missing ({absent} of {grid.n_cells} were never run).",
        ),
        Check.of(
            "effects on less than half of the data sets",
            thin,
            sentence=say(
                f"{count(thin, 'effect')} rest on less than half of the data sets, as the others"
                " lack a cell."
            ),
            remedy=say("complete the cells of these data sets, or claim it of the others alone."),
        ),
        Check.of(
            "effects that are the same on every data set",
            flat,
            sentence=say(
                f"{count(flat, 'effect')} does not vary between data sets and is not tested."
            ),
            remedy="look for scores that were copied.",
        ),
    ]
