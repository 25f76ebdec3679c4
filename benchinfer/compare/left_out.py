"""Ask a comparison what it would say without each data set, or each algorithm."""

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from benchinfer.compare import adjust, cautions, influence
from benchinfer.compare.contrasts import Family, family_of
from benchinfer.compare.evidence import Array, Setting
from benchinfer.compare.problem import Reduction
from benchinfer.compare.whole import plain
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
    stats, model = plain(mixed.fitted), mixed.model
    if stats is None or not isinstance(model, ScoreModelFit) or mixed.fitted.fixed.x is not None:
        raise DesignError(
            message(
                "influence is worked out for one variance per source and one level per algorithm.",
                hint='structure="auto" or "common", residual="constant" and no covariates or'
                " domains make such a model; for others compare scores.subset(datasets=[...]).",
            )
        )
    asked = _asked(mixed, model)
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


def _asked(mixed: "MixedComparison", model: ScoreModelFit) -> influence.Asked:
    """Return what the comparison was asked."""
    arguments = mixed.provenance.arguments
    family = family_of(mixed.algorithms, arguments["contrasts"], arguments["control"], model.beta)
    if family.shown >= 0:
        raise DesignError(
            message(
                "without a data set another algorithm may be the best.",
                hint='contrasts="tukey" holds all pairs; its influence() says what changes.',
            )
        )
    share = cautions.overlap_share(mixed.setting) if mixed.design.one_dataset else 0.0
    return influence.Asked(
        matrix=family.matrix,
        sides=mixed.named_sides(),
        codes=mixed.codes,
        std_error=mixed.evidence.std_error,
        terms=mixed.design.fitted,
        df=str(arguments["df"]),
        own=mixed.structure == "pairwise",
        alpha=mixed.alpha,
        judge=_judge(mixed, model, family),
        overlap=lambda fit: share * float(fit.variances[3]),
    )


def _judge(mixed: "MixedComparison", model: ScoreModelFit, family: Family) -> influence.Judge:
    """Return the adjustment of the comparison, for other tables."""
    arguments, margin, alpha = mixed.provenance.arguments, mixed.measure.margin, mixed.alpha
    alternative = arguments["alternative"]
    common = mixed.structure == "common"
    method = adjust.resolve(arguments["adjust"], arguments["contrasts"], alternative, common=common)
    if method == "single-step" and alternative == "two-sided":
        errors = mixed.fitted.problem.errors(model, family.matrix, str(arguments["df"]))
        df = float(errors.df.min())
        joint = tukey.max_t(family.matrix, errors.cov, df)
        sizes = [
            influence.independent_tests(tukey.quantile(joint, a), df, a) for a in (alpha, 2 * alpha)
        ]
        return influence.single_step(sizes[0], sizes[1], margin)

    def judge(levels: Array, errors: Adjusted, matrix: Array) -> tuple[Array, Array]:
        part = replace(family, matrix=matrix)
        found, _ = adjust.evidence_of(part, levels, errors, method, alpha, margin, alternative)
        return found.p_value, found.p_equivalence

    return judge
