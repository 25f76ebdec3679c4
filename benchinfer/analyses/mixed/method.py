"""Method of a comparison by a mixed model: its sentences and its sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.mixed.diagnostics import overlap_words
from benchinfer.analyses.mixed.evidence import CLOSED
from benchinfer.analyses.mixed.options import MixedOptions
from benchinfer.comparison import adjustment, wording
from benchinfer.core.numbers import sentence
from benchinfer.numerics import rotations

if TYPE_CHECKING:
    from benchinfer.analyses.mixed.comparison import MixedComparison

_DF = {
    "kenward-roger": "Kenward-Roger small-sample covariance and degrees of freedom",
    "satterthwaite": "Satterthwaite degrees of freedom",
    "asymptotic": "normal theory (infinite degrees of freedom)",
}
_PAIRWISE = (
    "a standard error for each pair from the spread of the data sets' own differences"
    " (cluster-robust, CR2) with "
)


def sentences(result: MixedComparison) -> str:
    """Return the sentences for a methods section."""
    if result.design.by_replications:
        return _by_replications(result)
    how = _on_shared(result) if result.design.shared else _of_model(result)
    return (
        f"{wording.units(result.setting)}{how}{overlap_words(result.setting, result.design)}"
        f" {sentence(result.provenance.adjustment)}.{_drawn(result)}"
        f"{wording.proviso(result.proviso)}"
    )


def _scale(result: MixedComparison) -> str:
    scale = result.measure.scale
    return "" if scale == "identity" else f"{scale} "


def _normal(result: MixedComparison) -> str:
    return ", with infinite degrees of freedom" if result.options.df == "asymptotic" else ""


def _of_model(result: MixedComparison) -> str:
    """Return what is said of the model, where all pairs rest on its fit."""
    df, design = result.options.df, result.design
    small = _DF[df]
    if result.structure == "pairwise":
        small = _PAIRWISE + _DF["asymptotic" if df == "asymptotic" else "satterthwaite"]
    noise = {"constant": "", "algorithm": " and a residual variance for each algorithm"}
    small += noise.get(design.residual, " and a residual variance for each data set")
    each = " (each data set by itself)" if design.each else ""
    return (
        f"The {_scale(result)}scores of {result.measure.noun} were modelled as {design.model} by"
        f" restricted maximum likelihood{each}, with {small}. {design.reason}"
    )


def _by_replications(result: MixedComparison) -> str:
    """Return the sentences of tests of each pair by its own replications."""
    design, where = result.design, " on each data set" if result.design.each else ""
    return (
        f"The {_scale(result)}scores of {result.measure.noun} were compared{where} by {design.test}"
        f" of each pair on its own replications, each with an error of its own{_normal(result)}."
        f" Variance components are those of"
        f" {design.model} by restricted maximum likelihood. {design.reason}"
        f"{overlap_words(result.setting, design)} {sentence(result.provenance.adjustment)}."
    )


def _on_shared(result: MixedComparison) -> str:
    """Return what is said of tests of each pair on the data sets that it shares."""
    return (
        f"The {_scale(result)}scores of {result.measure.noun} were compared by"
        f" {result.design.test} of each pair on the means of the data sets that hold both, each"
        f" data set of equal weight{_normal(result)}.{_several_pairs(result)} Variances are those"
        f" of {result.design.model} by restricted maximum likelihood. {result.design.reason}"
    )


def _several_pairs(result: MixedComparison) -> str:
    """Return what a closed test of several pairs takes of a table with gaps, behind a sentence."""
    means = result.fitted.datasets
    gaps = means is not None and bool(np.isnan(means.mean).any())
    if not gaps or result._family()[1].method != "rotation":
        return ""
    if result.options.reference == "flips":
        return " Tests of several pairs together flip the differences that each pair has."
    if means and means.nearly_complete:
        return " Tests of several pairs together take gaps as filled by the additive fit."
    return (
        " Tests of several pairs together take the data sets that hold all their algorithms, or"
        " where these are too few Bonferroni's inequality."
    )


def _drawn(result: MixedComparison) -> str:
    """Return a sentence on the number and the seed of random rotations or flips, if there are."""
    if result.evidence.p_error is None:
        return ""
    what = {"rotation": "rotations", "flips": "flips"}[result.options.reference]
    few, many = rotations.DIRECTIONS, rotations.MORE_DIRECTIONS
    return (
        f" {few:,} random {what} were drawn, and {many:,} for p-values near the level; seed"
        f" {result.provenance.seed}."
    )


def sources(result: MixedComparison) -> list[object]:
    """Return the functions used whose docstrings name their sources."""
    from benchinfer.analyses.mixed.numerics import degrees, replications
    from benchinfer.analyses.mixed.numerics.likelihood import CommonModel
    from benchinfer.analyses.mixed.numerics.shared import SharedMeans
    from benchinfer.analyses.mixed.numerics.structured_likelihood import StructuredModel
    from benchinfer.comparison.checks.validation import overlap_share
    from benchinfer.numerics import multiplicity
    from benchinfer.numerics.covariance import cluster_robust
    from benchinfer.numerics.max_t import max_t

    design, adjusted = result.design, result._family()[1].method
    engine = CommonModel if result.fitted.plain is not None else StructuredModel
    pairwise = result.structure == "pairwise"
    errors = cluster_robust if pairwise else degrees.METHODS[result.options.df]
    if design.by_replications:
        shared = "dataset:replication" in design.components
        errors = replications.paired_means if shared else replications.independent_means
    if design.shared:
        errors = SharedMeans.estimates
    used: list[object] = [MixedOptions, engine.evaluate, errors]
    if source := adjustment.ADJUSTMENTS[adjusted].source:
        used.append(source)
    if adjusted in {"holm", "shaffer", *CLOSED}:
        used += [multiplicity.holm, adjustment.sidak]
    if adjusted in multiplicity.FALSE_DISCOVERY:
        used.append(adjustment.sidak)
    if adjusted in adjustment.JOINT:
        used.append(max_t)
    if result.target == "datasets" and overlap_words(result.setting, design):
        used.append(overlap_share)
    return used
