"""Sensitivity analysis: refit with other tails, covariances and scales.

The tails of the interactions and the scale of the scores are choices that can turn an answer, and
no scores tell which is right: under t interactions unusual data sets count less, under normal ones
every data set counts fully.

Models are compared by what they say of data sets that they have not seen. Densities of contrasts
are comparable between scales once they are in one unit: let g bring scores to a scale, ``m_k`` be
the mean of algorithm k there, brought back, and ``m`` the mean of all, brought back. Given the data
set's level, which has the same flat prior in the measure's own unit on every scale, the density of
the means' contrasts in that unit is the one on the scale times

    prod_k g'(m_k) / g'(m)

References
----------
Yao, Y., Vehtari, A., Simpson, D. & Gelman, A. (2018). Using stacking to average Bayesian predictive
distributions. Bayesian Analysis 13, 917-1007. https://doi.org/10.1214/17-BA1091
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.analyses.bayes.fit import BayesFit, converged, domain_level, fit, reduced
from benchinfer.analyses.bayes.model_checks import LeaveOneOut, leave_out, standard_error, winners
from benchinfer.analyses.bayes.numerics import gibbs, next_dataset
from benchinfer.analyses.bayes.numerics.contrasts import helmert, standardised
from benchinfer.analyses.bayes.numerics.predictive import Thinned, present
from benchinfer.comparison import checks as comparison_checks
from benchinfer.comparison.evidence import Array, Setting
from benchinfer.comparison.posterior import codes_of, directional
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import frame
from benchinfer.core.hints import Call
from benchinfer.core.numbers import count
from benchinfer.core.saving import savable
from benchinfer.core.sections import Check
from benchinfer.core.verdict import Verdict
from benchinfer.numerics import outcome_probabilities

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.bayes.comparison import BayesComparison
    from benchinfer.analyses.bayes.fit import Structure
    from benchinfer.analyses.bayes.numerics.contrasts import ContrastData
    from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel, Interactions
    from benchinfer.core.measure import Measure
    from benchinfer.core.progress import Progress
    from benchinfer.scores.table import ScoreTable


_STANDARDISED = "standardised on each data set"
# Scales of the interactions' and effects' priors, which make these twice as wide.
_WIDER = "priors twice as wide"
_WIDTHS = ("effect_scale", "effect_sd", "interaction_scale", "residual_spread", "slope_sd")


@dataclass(frozen=True, slots=True)
class Variant:
    """A model that differs from that of a comparison in one thing.

    Attributes
    ----------
    name
        In what it differs.
    model
        The model.
    measure, scores
        The measure and the table on another scale; None on that of the comparison.
    """

    name: str
    model: "GibbsModel"
    measure: "Measure | None" = None
    scores: "ScoreTable | None" = None


def variants(result: "BayesComparison", scores: "ScoreTable | None") -> Iterator[Variant]:
    """Yield the variants of a model; those on other scales need the table."""
    own = result.sampled
    other: Interactions = "normal" if own.interactions == "t" else "t"
    yield Variant(f'interactions="{other}"', replace(own, interactions=other))
    if len(result.algorithms) > 2:
        turned: Structure = "common" if own.structure == "unstructured" else "unstructured"
        yield Variant(f'structure="{turned}"', replace(own, structure=turned))
    widths = {name: 2 * width for name in _WIDTHS if (width := getattr(own.priors, name))}
    yield Variant(_WIDER, replace(own, priors=replace(own.priors, **widths)))
    if result.along is None:  # straight slopes bend where each data set has a unit of its own
        yield Variant(_STANDARDISED, replace(own, data=standardised(own.data)))
    if scores is not None:
        yield from on_scales(result, scores)


def on_scales(result: "BayesComparison", scores: "ScoreTable") -> Iterator[Variant]:
    """Yield the model on each other scale that the scores have room on."""
    own = result.measure
    setting, _ = Setting.of(scores, own.name)
    if setting.digest != result.setting.digest:
        raise DesignError(
            "the table is not the one that was compared.",
            hint=f"give the table that {Call('compare_bayes')} was given.",
        )
    for scale in ("identity", "log", "logit"):
        if scale == own.scale:
            continue
        measure = replace(own, scale=scale, tolerance=0.0)
        others = tuple(measure if m.name == own.name else m for m in scores.measures)
        try:
            there, table = Setting.of(replace(scores, measures=others), own.name)
            data = reduced(table, there)
        except DesignError:
            continue  # scores of 0 have no log, those of 1 no logit
        domain = None if result.domain is None else domain_level(result.setting, data)
        model = replace(result.sampled, data=data, domain=domain)
        yield Variant(f'scale="{scale}"', model, measure, table)


def _quick_variants(result: "BayesComparison", scores: "ScoreTable") -> list[Variant]:
    """Return other interactions, standardised data sets, and the logit or else the log scale."""
    found = {variant.name: variant for variant in variants(result, scores)}
    left_out = {_WIDER} | {name for name in found if name.startswith("structure")}
    if 'scale="logit"' in found:
        left_out.add('scale="log"')
    return [variant for name, variant in found.items() if name not in left_out]


def sensitivity(
    result: "BayesComparison",
    scores: "ScoreTable | None",
    draws: int,
    progress: "Progress | None",
) -> "pd.DataFrame":
    """Compare once more by other models; see `BayesComparison.sensitivity`."""
    if result.about:
        raise DesignError(
            f"the comparison is {result.about}.",
            hint="sensitivity() of the comparison over all domains.",
        )
    following = result.ranks_following
    rows = [("as compared", result.ranks.best, None if following is None else following.best)]
    rows += [
        (variant.name, *_best(result, variant.model, draws, progress))
        for variant in variants(result, scores)
    ]
    k, names = len(result.algorithms), [row[0] for row in rows]
    columns: dict[str, object] = {
        "measure": [result.measure.name] * (k * len(rows)),
        "variant": np.repeat(names, k),
        "algorithm": list(result.algorithms) * len(rows),
        "prob_best": np.concatenate([row[1] for row in rows]),
    }
    if following is not None:
        columns["prob_best_next"] = np.concatenate([row[2] for row in rows if row[2] is not None])
    return frame(columns)


def _best(
    result: "BayesComparison",
    model: "GibbsModel",
    draws: int,
    progress: "Progress | None",
) -> tuple["Array", "Array | None"]:
    """Return the probabilities to be best, on average and on the next data set."""
    rng = np.random.default_rng(result.provenance.seed)
    chains = len(result.draws.effects)
    found = fit(model, (chains, draws), rng, progress).draws
    h = helmert(model.data.n_algorithms)
    if result.ranks_following is None:
        return outcome_probabilities.ranks(found.these @ h, 0.0).best, None
    further = np.zeros(())
    if result.along is not None and found.slopes is not None:
        further = np.einsum("q,ctqj->ctj", result.along.offset, found.slopes) @ h
    average = outcome_probabilities.ranks(found.average @ h + further, 0.0).best
    return average, outcome_probabilities.ranks(
        next_dataset.next_effects(found, rng) + further, 0.0
    ).best


# Chains cost little where data sets are few, sweeps do: 1,600 draws in a tenth of the sweeps.
_CHAINS, _WARM_UP, _DRAWS = 16, 60, 100
TAILS = {
    "t": "robust: unusual data sets count less",
    "normal": "every data set counts fully",
}


@savable
@dataclass(frozen=True, slots=True)
class OtherModels:
    """Answers of V other models.

    Attributes
    ----------
    variants
        How each differs from the comparison.
    best, following
        (V, K) probabilities to be best on average and on the next data set; None for the latter
        where claims are about these data sets.
    error
        (V,) largest Monte Carlo error of them.
    otherwise
        The answers of each that differ, in words; empty where none does.
    draws
        Draws of each.
    """

    variants: tuple[str, ...]
    best: Array
    following: Array | None
    error: Array
    otherwise: tuple[str, ...]
    draws: int = _CHAINS * _DRAWS

    @property
    def disagree(self) -> int:
        """Number of models that say otherwise."""
        return sum(map(bool, self.otherwise))

    def table(self, measure: "Measure", algorithms: tuple[str, ...]) -> "pd.DataFrame":
        """Return one row per variant and algorithm."""
        k, v = len(algorithms), len(self.variants)
        columns: dict[str, object] = {
            "measure": [measure.name] * (k * v),
            "variant": np.repeat(self.variants, k),
            "algorithm": list(algorithms) * v,
            "prob_best": self.best.ravel(),
        }
        if self.following is not None:
            columns["prob_best_next"] = self.following.ravel()
        return frame({**columns, "prob_error": np.repeat(self.error, k)})

    def leaders(self, algorithms: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Return who is likeliest best by each variant, in words: on average and next."""
        parts = [self.best] if self.following is None else [self.best, self.following]
        return [
            (name, *(likeliest(part[v], algorithms) for part in parts))
            for v, name in enumerate(self.variants)
        ]

    def check(self) -> Check:
        """Return the row of the diagnostics."""
        named = zip(self.variants, self.otherwise, strict=True)
        said = "; ".join(f"{name}: {words}" for name, words in named if words)
        return Check.of(
            f"other models, of {len(self.variants)}, that answer otherwise",
            self.disagree,
            remedy=f"{said}. The scores do not tell which model is right: say which is meant, and"
            " both answers",
        )


def likeliest(best: Array, algorithms: tuple[str, ...]) -> str:
    """Name the algorithm of the highest probability, with that."""
    top = int(best.argmax())
    return f"{algorithms[top]} ({best[top]:.2f})"


def leaders(result: "BayesComparison") -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return who is likeliest best by the comparison and by other models."""
    heads = ("model", f"best {result.average_words}")
    own = [f"as compared ({TAILS[result.interactions]})"]
    own.append(likeliest(result.ranks.best, result.algorithms))
    if result.ranks_following is not None:
        heads = (*heads, "best on the next data set")
        own.append(likeliest(result.ranks_following.best, result.algorithms))
    if result.other_models is None:
        return heads, []
    return heads, [tuple(own), *result.other_models.leaders(result.algorithms)]


def with_other_models(
    result: "BayesComparison", scores: "ScoreTable", progress: "Progress | None"
) -> "BayesComparison":
    """Return the comparison with the answers of other models."""
    candidates = _quick_variants(result, scores)
    names: list[str] = []
    others: list[BayesComparison] = []
    for i, variant in enumerate(candidates):
        rng = np.random.default_rng([result.provenance.seed or 0, i])
        # Where scores repeat exactly a posterior may have a spike that cannot be sampled.
        with suppress(np.linalg.LinAlgError):
            others.append(_compared(result, variant, rng))
            names.append(_label(variant))
        if progress is not None:
            progress("other models", _WARM_UP + _DRAWS, len(candidates) * (_WARM_UP + _DRAWS))
    if not others:
        return result
    after = [other.ranks_following for other in others]
    errors = [max(r.error.max() for r in (o.ranks, o.ranks_following) if r) for o in others]
    answers = OtherModels(
        variants=tuple(names),
        best=np.stack([other.ranks.best for other in others]),
        following=None
        if result.ranks_following is None
        else np.stack([ranks.best for ranks in after if ranks is not None]),
        error=np.array(errors),
        otherwise=tuple(_otherwise(result, other) for other in others),
    )
    return replace(result, other_models=answers, stored_checks=(*result.checks, answers.check()))


def _label(variant: Variant) -> str:
    """Name a variant; that of the interactions by its meaning."""
    name, interactions = variant.name, variant.model.interactions
    return f"{name} ({TAILS[interactions]})" if name.startswith("interactions") else name


def _compared(
    result: "BayesComparison", variant: Variant, rng: np.random.Generator
) -> "BayesComparison":
    """Compare by another model, by few draws."""
    from benchinfer.analyses.bayes.posterior import compared

    model = variant.model
    state = gibbs.sweep(model, gibbs.start(model, _CHAINS, rng), rng, _WARM_UP)
    draws = gibbs.sample(model, state, _DRAWS, rng)[0]
    fitted = BayesFit(model, draws, converged(draws), extended=False)
    setting, options = result.setting, replace(result.options, quantity=result.quantity)
    if not variant.name.startswith("interactions"):
        # The tolerance has no meaning there: only who is better has.
        setting = replace(setting, measure=replace(setting.measure, tolerance=0.0))
    return compared(setting, fitted, result.target, options, rng, result.along)


def without_other_models(result: "BayesComparison") -> "BayesComparison":
    """Return the comparison without rows on other models and plain means, of another question."""
    names = {comparison_checks.OTHER_SIGN}
    if result.other_models is not None:
        names.add(result.other_models.check().check)
    checks = tuple(row for row in result.checks if row.check not in names)
    return replace(result, other_models=None, stored_checks=checks)


def _otherwise(own: "BayesComparison", other: "BayesComparison") -> str:
    """Name the algorithm that another model calls best, and count pairs decided otherwise."""
    parts: list[str] = []
    mine, theirs = (
        r.ranks_following if r.quantity == "next" and r.ranks_following else r.ranks
        for r in (own, other)
    )
    a, b = int(mine.best.argmax()), int(theirs.best.argmax())
    gap, error = theirs.best[b] - theirs.best[a], np.hypot(theirs.error[a], theirs.error[b])
    if gap > 2 * error:
        names = own.algorithms
        parts.append(
            f"{names[b]} is likeliest best with probability {theirs.best[b]:.2f} rather than"
            f" {names[a]} with {theirs.best[a]:.2f} (as compared: {mine.best[b]:.2f},"
            f" {mine.best[a]:.2f})"
        )
    if n := int(_changed(own, other).sum()):
        parts.append(f"{count(n, 'pair')} decided otherwise")
    return ", and ".join(parts)


def _changed(own: "BayesComparison", other: "BayesComparison") -> np.ndarray:
    """Return which pairs another model decides otherwise, by more than Monte Carlo error."""
    # Few draws are rough, and no verdict rests on them: whether their chains settled matters not.
    mine, theirs = (codes_of(r.outcomes, r.level) for r in (own, other))
    if own.measure.tolerance != other.measure.tolerance:
        return (mine != theirs) & _strict(mine) & _strict(theirs)
    found = other.outcomes
    by_code = np.stack([found.first, found.second, found.equivalent])
    asked = np.where(mine == Verdict.UNDECIDED, theirs, mine)
    rows = np.select([asked == Verdict.FIRST, asked == Verdict.SECOND], [0, 1], 2)
    share = np.take_along_axis(by_code, rows[None], axis=0)[0]
    needed = np.where(rows == 2, own.level, directional(own.level))
    return (mine != theirs) & (np.abs(share - needed) > 2 * found.error)


def _strict(codes: np.ndarray) -> np.ndarray:
    return (codes == Verdict.FIRST) | (codes == Verdict.SECOND)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A model with its predictions of data sets that it has not seen.

    Attributes
    ----------
    name
        How it differs from the comparison.
    left
        Data sets left out.
    elpd
        (M,) log densities in the measure's own unit; None where these are not comparable.
    winner
        (M,) log probabilities of the best algorithms.
    """

    name: str
    left: LeaveOneOut
    elpd: "Array | None"
    winner: "Array"


def compare_models(
    result: "BayesComparison",
    scores: "ScoreTable | None",
    draws: int,
    progress: "Progress | None",
) -> "pd.DataFrame":
    """Compare models; see `BayesComparison.compare_models`."""
    found = list(_candidates(result, scores, draws, progress))
    comparable = [one.elpd for one in found if one.elpd is not None]
    top = max(comparable, key=lambda elpd: float(elpd.sum()))
    weights = iter(_stacking(np.array(comparable)))
    rows: list[dict[str, Any]] = []
    for one in found:
        score = {"elpd": np.nan, "elpd_difference": np.nan, "difference_error": np.nan}
        weight = np.nan
        if one.elpd is not None:
            weight = next(weights)
            score = {
                "elpd": float(one.elpd.sum()),
                "elpd_difference": float((one.elpd - top).sum()),
                "difference_error": standard_error(one.elpd - top),
            }
        apart, m = one.winner - found[0].winner, len(one.winner)
        rows.append(
            {
                "measure": result.measure.name,
                "variant": one.name,
                **score,
                "stacking_weight": weight,
                "winner_score": float(one.winner.mean()),
                "winner_difference": float(apart.mean()),
                "winner_error": standard_error(apart) / m,
                "largest_k": float(one.left.pareto_k.max()),
                "n_refitted": int(one.left.refitted.sum()),
            }
        )
    return frame({name: [row[name] for row in rows] for name in rows[0]})


def _candidates(
    result: "BayesComparison",
    scores: "ScoreTable | None",
    draws: int,
    progress: "Progress | None",
) -> Iterator[_Candidate]:
    wide = np.zeros(len(result.data.z))
    if scores is not None:
        wide = _slopes(result.measure, scores, result.data)
    further = draws, progress
    yield _judged(result, "as compared", result.sampled, result.draws.thinned, wide, *further)
    for variant in variants(result, scores):
        slopes: Array | None = wide
        if variant.measure is not None and variant.scores is not None:
            slopes = _slopes(variant.measure, variant.scores, variant.model.data)
        elif variant.name == _STANDARDISED:
            slopes = None
        if variant.name != _WIDER:
            yield _sampled(result, variant.name, variant.model, slopes, *further)


def _sampled(
    result: "BayesComparison",
    name: str,
    model: "GibbsModel",
    wide: "Array | None",
    draws: int,
    progress: "Progress | None",
) -> _Candidate:
    rng = np.random.default_rng(result.provenance.seed)
    size = len(result.draws.effects), draws
    thinned = Thinned.of(fit(model, size, rng, progress).draws)
    return _judged(result, name, model, thinned, wide, draws, progress)


def _judged(
    result: "BayesComparison",
    name: str,
    model: "GibbsModel",
    thinned: Thinned,
    wide: "Array | None",
    draws: int,
    progress: "Progress | None",
) -> _Candidate:
    """Leave each data set out of a model; without `wide` its densities are not comparable."""
    rng = np.random.default_rng(result.provenance.seed)
    data = model.data
    names = tuple(result.setting.coverage.datasets[m] for m in data.dataset)
    left = leave_out(model, thinned, draws, result.measure.name, names, rng, progress)
    elpd = None
    if wide is not None:
        elpd = left.contrasts - data.rank * np.log(data.scale) + wide
    return _Candidate(name, left, elpd, np.log(winners(data, left.draws, rng)))


def _slopes(measure: "Measure", scores: "ScoreTable", data: "ContrastData") -> "Array":
    """Return (M,) logs of how much wider contrasts are on the scale than in the own unit."""
    if measure.scale == "identity":
        return np.zeros(len(data.z))
    means = scores.cells(measure.name).mean[data.dataset]
    there = np.array([present(data, m) for m in range(len(data.z))])
    known = np.where(there, means, 0.0)
    centre = known.sum(axis=1) / there.sum(axis=1)
    each = np.where(there, _log_slope(measure, np.where(there, means, centre[:, None])), 0.0)
    open_ = there.sum(axis=1) - data.rank
    return each.sum(axis=1) - open_ * _log_slope(measure, centre)


def _log_slope(measure: "Measure", level: "Array") -> "Array":
    """Return logs of the derivative of the scale at levels on it."""
    own = measure.level_of(level)
    return -np.log(own) - (np.log1p(-own) if measure.scale == "logit" else 0.0)


def _stacking(pointwise: "Array") -> "Array":
    """Return (V,) weights of models by (V, M) log densities."""
    from scipy.optimize import Bounds, LinearConstraint, minimize

    density = np.exp(pointwise - pointwise.max(axis=0)).T
    v = len(pointwise)

    def loss(weights: "Array") -> float:
        return -float(np.log(np.maximum(density @ weights, 1e-300)).sum())

    def slope(weights: "Array") -> "Array":
        return -(density / np.maximum(density @ weights, 1e-300)[:, None]).sum(axis=0)

    whole = LinearConstraint(np.ones(v), 1.0, 1.0)
    found: Any = minimize(
        loss, np.full(v, 1 / v), jac=slope, bounds=Bounds(0.0, 1.0), constraints=whole
    )
    return np.clip(found.x, 0.0, 1.0)
