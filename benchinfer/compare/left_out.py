"""Ask a comparison what it would say without each data set, or each algorithm."""

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from benchinfer.compare import adjust, influence, resamples
from benchinfer.compare.contrasts import Family
from benchinfer.compare.evidence import Array, Setting
from benchinfer.compare.reduction import Reduction
from benchinfer.errors import DesignError, message, unknown
from benchinfer.frames import frame
from benchinfer.numerics import tukey
from benchinfer.numerics.degrees import Adjusted
from benchinfer.numerics.score_model import ScoreModelFit

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.mixed_comparison import MixedComparison
    from benchinfer.scores import ScoreTable

type Leave = Literal["dataset", "algorithm"]


def left_out(mixed: "MixedComparison", leave: Leave, scores: "ScoreTable | None") -> "pd.DataFrame":
    """Return one row per data set (or replication of the one data set) or algorithm left out.

    Parameters
    ----------
    mixed
        The comparison of the whole table.
    leave
        What is left out.
    scores
        The table, which leaving out algorithms reads again.

    Raises
    ------
    DesignError
        The model is not one that can be fitted again from its moments, or the table is missing.
    """
    if leave not in ("dataset", "algorithm"):
        raise DesignError(unknown("leave", leave, ["dataset", "algorithm"]))
    plain = mixed.fitted.plain
    if plain is None or mixed.fitted.fixed.x is not None:
        raise DesignError(
            message(
                f"influence is not worked out where {mixed.fitted.peculiarity}.",
                hint="compare scores.subset(datasets=[...]) for each data set instead.",
            )
        )
    stats, model = plain
    if mixed.design.one_dataset and not mixed.design.components:
        raise DesignError(
            message(
                "replications are not shared by the algorithms, so that leaving one out means"
                " nothing.",
                hint="influence is of data sets, or of shared replications.",
            )
        )
    asked = _asked(mixed)
    if leave == "algorithm":
        found = _algorithms(mixed, model, asked, scores)
    else:
        one = mixed.design.one_dataset
        names = mixed.setting.coverage.datasets
        units = tuple(str(i + 1) for i in range(len(stats.n))) if one else names
        unit = "replication" if one else "dataset"
        found = influence.datasets_left_out(stats, model, asked, units, unit=unit)
    return frame(dict(found.columns()))


def _algorithms(
    mixed: "MixedComparison",
    model: ScoreModelFit,
    asked: influence.Asked,
    scores: "ScoreTable | None",
) -> influence.Influence:
    if scores is None or mixed.design.one_dataset:
        raise DesignError(
            message(
                "leaving out algorithms reads the table of several data sets again.",
                hint='influence("algorithm", scores=...) takes it.',
            )
        )
    setting, part = Setting.of(scores, mixed.measure.name)
    if setting.digest != mixed.setting.digest:
        raise DesignError(
            message("the table is not the one that was compared.", hint="pass the table as it was.")
        )
    reduction = Reduction.of(part, mixed.measure.name, mixed.design)
    return influence.algorithms_left_out(reduction.without, model, asked, mixed.algorithms)


def _asked(mixed: "MixedComparison") -> influence.Asked:
    """Return what the comparison was asked."""
    family, method = mixed.asked()
    if family.shown >= 0:
        raise DesignError(
            message(
                "without a data set another algorithm may be the best.",
                hint='contrasts="tukey" holds all pairs; its influence() says what changes.',
            )
        )
    share = resamples.overlap_share(mixed.setting) if mixed.design.one_dataset else 0.0
    return influence.Asked(
        matrix=family.matrix,
        sides=mixed.named_sides(),
        codes=mixed.codes,
        std_error=mixed.evidence.std_error,
        terms=mixed.design.fitted,
        df=str(mixed.provenance.arguments["df"]),
        own=mixed.structure == "pairwise",
        alpha=mixed.alpha,
        judge=_judge(mixed, family, method),
        overlap=lambda fit: share * float(fit.variances[3]),
    )


def _judge(mixed: "MixedComparison", family: Family, method: str) -> influence.Judge:
    """Return the adjustment of the comparison, for other tables."""
    margin, alpha = mixed.measure.margin, mixed.alpha
    if method == "single-step" and mixed.alternative == "two-sided":
        df_method = str(mixed.provenance.arguments["df"])
        errors = mixed.fitted.estimate.errors(family.matrix, df_method)
        df = float(errors.df.min())
        joint = tukey.max_t(family.matrix, errors.cov, df)
        sizes = [
            influence.independent_tests(tukey.quantile(joint, a), df, a) for a in (alpha, 2 * alpha)
        ]
        return influence.single_step(sizes[0], sizes[1], margin)

    def judge(levels: Array, errors: Adjusted, matrix: Array) -> tuple[Array, Array]:
        part = replace(family, matrix=matrix)
        found, _ = adjust.evidence_of(
            part, levels, errors, method, alpha, margin, mixed.alternative
        )
        return found.p_value, found.p_equivalence

    return judge
