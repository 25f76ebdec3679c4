"""Levels, contrasts and tests of a meta-analysis."""

import numpy as np

from benchinfer.analyses.meta.options import MetaOptions
from benchinfer.analyses.meta.pooling import NetworkFit, PairFits, errors_of
from benchinfer.analyses.meta.studies import Studies
from benchinfer.comparison import adjustment, normal
from benchinfer.comparison.contrasts import ContrastFamily
from benchinfer.comparison.evidence import Evidence, Setting
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.numerics.covariance import Adjusted
from benchinfer.numerics.types import Array


def family_of(
    algorithms: tuple[str, ...],
    options: MetaOptions,
    levels: Array,
    fit: NetworkFit | None,
) -> tuple[ContrastFamily, str]:
    """Return the contrasts that arguments ask for, and their adjustment."""
    family = options.family(algorithms, levels)
    joint = fit is not None
    robust = fit is not None and fit.own_errors and len(family.pairs) > 1
    if robust and options.adjust in adjustment.JOINT:
        raise ArgumentError(
            f"adjust={options.adjust!r} needs one variance common to all pairs.",
            hint='adjust="holm" goes with robust errors;'
            ' interval="hartung-knapp" takes all pairs as varying alike.',
        )
    method = adjustment.resolve(
        options.adjust, options.contrasts, options.alternative, common=joint and not robust
    )
    if not joint and method == "shaffer":
        raise ArgumentError(
            "adjust='shaffer' needs estimates of all pairs from one model.",
            hint='adjust="holm" goes with pooling="pairwise".',
        )
    if not joint and family.sides:
        raise ArgumentError(
            "averages of algorithms are no pairs.",
            hint='pooling="network" estimates them.',
        )
    return family, method


def third_level(studies: Studies, nested: str, *, published: bool) -> str:
    """Return what data sets lie within: ``"study"``, ``"domain"`` or nothing."""
    groups, kind = studies.groups, "study" if published else "domain"
    several = 1 < len(set(groups)) < len(groups)
    if nested == "none" or (nested == "auto" and not (published and several)):
        return ""
    if (nested in ("study", "domain") and nested != kind) or not several:
        raise DesignError(
            f"{nested=}, but the data sets do not lie within several {nested} groups of which some"
            " hold several.",
            hint='nested="none" takes data sets as independent.',
        )
    return kind


def placed(studies: Studies, fit: NetworkFit | None, k: int) -> Array:
    """Return (K,) levels on the data sets' average, or around 0 where effects have no level."""
    known = np.isfinite(studies.levels)
    if fit is None:
        if not known.any():
            # Unweighted least squares of published effects.
            a = np.vstack([block.matrix(k) for block in studies.blocks])
            y = np.concatenate([block.y for block in studies.blocks])
            return np.asarray(np.linalg.lstsq(a, y, rcond=None)[0], np.float64)
        n = known.sum(axis=0)
        return np.where(known, studies.levels, 0.0).sum(axis=0) / np.maximum(n, 1)
    levels = fit.levels(k)[0]
    if not known.any():
        return levels - levels.mean()
    off = np.where(known, studies.levels - levels, 0.0).sum(axis=1) / known.sum(axis=1)
    return levels + off.mean()


def with_evidence(family: ContrastFamily, alone: PairFits) -> tuple[ContrastFamily, PairFits]:
    """Return the pairs that two data sets or more hold, with their fits."""
    held = alone.n_datasets > 1
    if not held.any():
        raise DesignError(
            "no pair of algorithms is on two data sets.",
            hint='pooling="network" brings all data sets together.',
        )
    if held.all():
        return family, alone
    shown = int(held[family.wanted].sum())
    smaller = ContrastFamily(
        family.pairs[held],
        family.matrix[held],
        f"the {count(int(held.sum()), 'pair')} on two data sets or more",
        names=tuple(n for n, one in zip(family.names, held, strict=False) if one),
        shown=shown if family.shown >= 0 else -1,
    )
    return smaller, alone.of(held)


def evidence_of(
    setting: Setting,
    studies: Studies,
    family: ContrastFamily,
    fit: NetworkFit | None,
    alone: PairFits,
    method: str,
    options: MetaOptions,
) -> tuple[Evidence, float]:
    """Return the evidence of each contrast, and the largest error of the adjusted p-values."""
    alpha, margin = options.alpha, setting.measure.margin
    n = len(family.pairs)
    if fit is not None:
        levels, errors = errors_of(studies, fit, family.matrix)
        return normal.evidence_of(
            family, levels, errors, method, alpha, margin, options.alternative,
            interval=options.statement,
        )  # fmt: skip
    # Each pair is its own coefficient, without a joint distribution.
    each = ContrastFamily(
        family.pairs, np.eye(n), family.words, names=family.names, shown=family.shown
    )
    errors = Adjusted(np.diag(alone.std_error**2), alone.df)
    return normal.evidence_of(
        each, alone.estimate, errors, method, alpha, margin, options.alternative,
        interval=options.statement,
    )  # fmt: skip
