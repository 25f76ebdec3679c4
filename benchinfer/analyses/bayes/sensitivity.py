"""Sensitivity of a comparison to its model and priors.

The tails of the interactions and the scale of the scores are choices that can turn an answer, and
no scores tell which is right: under t interactions unusual data sets count less, under normal ones
every data set counts fully. Variants of the model, each of which differs in one thing, are sampled
anew; `compare_models` holds them against data sets that they have not seen.

Densities of contrasts are comparable between scales once they are in one unit: let g bring scores
to a scale, ``m_k`` be the mean of algorithm k there, brought back, and ``m`` the mean of all,
brought back. Given the data set's level, which has the same flat prior in the measure's own unit on
every scale, the density of the means' contrasts in that unit is the one on the scale times

    prod_k g'(m_k) / g'(m)

References
----------
Yao, Y., Vehtari, A., Simpson, D. & Gelman, A. (2018). Using stacking to average Bayesian predictive
distributions. Bayesian Analysis 13, 917-1007. https://doi.org/10.1214/17-BA1091

Kallioinen, N., Paananen, T., Burkner, P.-C. & Vehtari, A. (2024). Detecting and diagnosing prior
and likelihood sensitivity with power-scaling. Statistics and Computing 34, 57.
https://doi.org/10.1007/s11222-023-10366-5
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.analyses.bayes.fit import (
    PARAMETERS,
    BayesFit,
    converged,
    domain_level,
    fit,
    reduced,
)
from benchinfer.analyses.bayes.leave_one_out import LeaveOneOut, leave_out, standard_error
from benchinfer.analyses.bayes.numerics import gibbs
from benchinfer.analyses.bayes.numerics.contrasts import standardised
from benchinfer.analyses.bayes.numerics.predictive import (
    Thinned,
    compared_cells,
    log_marginals,
    log_priors,
)
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.posterior import codes_of
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import frame
from benchinfer.core.numbers import count, subject
from benchinfer.core.saving import savable, shaped
from benchinfer.core.sections import Check
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.posterior.outcome_probabilities import ERRORS, directional
from benchinfer.numerics.types import Array, Flags

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.bayes.comparison import BayesComparison
    from benchinfer.analyses.bayes.numerics.contrasts import ContrastData
    from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel, Interactions, Structure
    from benchinfer.analyses.bayes.options import BayesOptions
    from benchinfer.analyses.bayes.subgroups import Along
    from benchinfer.comparison.comparison import Target
    from benchinfer.core.measure import Measure
    from benchinfer.core.progress import Progress
    from benchinfer.scores.table import ScoreTable


_STANDARDISED = "standardised on each data set"
# Scales of the interactions' and effects' priors, which make these twice as wide.
_WIDER = "priors twice as wide"
_WIDTHS = ("effect_scale", "effect_sd", "interaction_scale", "residual_spread", "slope_sd")
# Chains cost little where data sets are few, sweeps do: 1,600 draws in a tenth of the sweeps.
_CHAINS, _WARM_UP, _DRAWS = 16, 60, 100
TAILS = {
    "t": "robust: unusual data sets count less",
    "normal": "every data set counts fully",
}


# The comparison of a fit, as whoever asks for others makes it; see `comparison.compare_fit`.
type CompareFit = Callable[
    [Setting, BayesFit, Target, BayesOptions, np.random.Generator, Along | None], BayesComparison
]


@dataclass(frozen=True, slots=True)
class Variant:
    """A model that differs from that of a comparison in one assumption."""

    name: str  # in what it differs
    model: GibbsModel
    # measure, scores: the measure and the table on another scale; None on that of the comparison
    measure: Measure | None = None
    scores: ScoreTable | None = None

    @property
    def label(self) -> str:
        """Label of the variant: its name, with the meaning of its interactions."""
        if not self.name.startswith("interactions"):
            return self.name
        return f"{self.name} ({TAILS[self.model.interactions]})"


def variants(
    result: BayesComparison, scores: ScoreTable | None, *, quick: bool = False
) -> Iterator[Variant]:
    """Yield the variants of a model; those on other scales need the table.

    Quick ones are those that most often answer otherwise: other interactions, standardised data
    sets, and the logit or else the log scale.
    """
    model = result.sampled
    other: Interactions = "normal" if model.interactions == "t" else "t"
    yield Variant(f'interactions="{other}"', replace(model, interactions=other))
    if not quick and len(result.algorithms) > 2:
        turned: Structure = "common" if model.structure == "unstructured" else "unstructured"
        yield Variant(f'structure="{turned}"', replace(model, structure=turned))
    if not quick:
        widths = {name: 2 * width for name in _WIDTHS if (width := getattr(model.priors, name))}
        yield Variant(_WIDER, replace(model, priors=replace(model.priors, **widths)))
    if result.along is None:  # straight slopes bend where each data set has a unit of its own
        yield Variant(_STANDARDISED, replace(model, data=standardised(model.data)))
    if scores is not None:
        scaled = {variant.name: variant for variant in on_scales(result, scores)}
        if quick and 'scale="logit"' in scaled:
            scaled.pop('scale="log"', None)
        yield from scaled.values()


def on_scales(result: BayesComparison, scores: ScoreTable) -> Iterator[Variant]:
    """Yield the model on each other scale that the scores permit."""
    compared = result.measure
    setting, _ = Setting.of(scores, compared.name)
    if setting.digest != result.setting.digest:
        raise DesignError(
            "the table is not the one that was compared.",
            hint="give the table that compare_bayes was given.",
        )
    for scale in ("identity", "log", "logit"):
        if scale == compared.scale:
            continue
        measure = replace(compared, scale=scale, tolerance=0.0)
        others = tuple(measure if m.name == compared.name else m for m in scores.measures)
        try:
            there, table = Setting.of(replace(scores, measures=others), compared.name)
            data = reduced(table, there)
        except DesignError:
            continue  # scores of 0 have no log, those of 1 no logit
        domain = None if result.domain is None else domain_level(result.setting, data)
        model = replace(result.sampled, data=data, domain=domain)
        yield Variant(f'scale="{scale}"', model, measure, table)


def sensitivity(
    result: BayesComparison,
    scores: ScoreTable | None,
    draws: int,
    progress: Progress | None,
    compare: CompareFit,
) -> pd.DataFrame:
    """Compare once more by variants of the model; see `BayesComparison.sensitivity`."""
    if result.about:
        raise DesignError(
            f"the comparison is {result.about}.",
            hint="sensitivity() of the comparison over all domains.",
        )
    names, compared = ["as compared"], [result]
    for variant in variants(result, scores):
        rng = np.random.default_rng(result.provenance.seed)
        fitted = fit(variant.model, (len(result.draws.effects), draws), rng, progress)
        names.append(variant.name)
        compared.append(_compare_by(result, variant, fitted, rng, compare))
    best, following = _chances(compared)
    return frame(_columns(result.measure, names, result.algorithms, best, following))


def with_other_models(
    result: BayesComparison, scores: ScoreTable, progress: Progress | None, compare: CompareFit
) -> BayesComparison:
    """Return the comparison with the results of variants of the model, by few draws."""
    candidates = list(variants(result, scores, quick=True))
    names: list[str] = []
    others: list[BayesComparison] = []
    for i, variant in enumerate(candidates):
        rng = np.random.default_rng([result.provenance.seed or 0, i])
        # Where scores repeat exactly a posterior may have a spike that cannot be sampled.
        with suppress(np.linalg.LinAlgError):
            state = gibbs.sweep(
                variant.model, gibbs.start(variant.model, _CHAINS, rng), rng, _WARM_UP
            )
            draws = gibbs.sample(variant.model, state, _DRAWS, rng)[0]
            fitted = BayesFit(variant.model, draws, converged(draws), extended=False)
            others.append(_compare_by(result, variant, fitted, rng, compare))
            names.append(variant.label)
        if progress is not None:
            progress("other models", _WARM_UP + _DRAWS, len(candidates) * (_WARM_UP + _DRAWS))
    if not others:
        return result
    best, following = _chances(others)
    errors = [max(r.error.max() for r in (o.ranks, o.ranks_following) if r) for o in others]
    answers = OtherModels(
        variants=tuple(names),
        best=best,
        following=following,
        error=np.array(errors),
        otherwise=tuple(_disagreement(result, other) for other in others),
    )
    return replace(result, other_models=answers).of()


def _compare_by(
    result: BayesComparison,
    variant: Variant,
    fitted: BayesFit,
    rng: np.random.Generator,
    compare: CompareFit,
) -> BayesComparison:
    """Return the comparison by a variant of the model, at the same covariates."""
    setting, along = result.setting, result.along
    options = replace(result.options, quantity=result.quantity)
    if not variant.name.startswith("interactions"):
        # The tolerance has no meaning there: only who is better has.
        setting = replace(setting, measure=replace(setting.measure, tolerance=0.0))
    at_means = None if along is None else replace(along, at={})
    other = compare(setting, fitted, result.target, options, rng, at_means)
    return other.at(**along.at) if along is not None and along.at else other


def _chances(compared: list[BayesComparison]) -> tuple[Array, Array | None]:
    """Return (V, K) probabilities to be best on average, and on the next data set if there is."""
    best = np.stack([result.ranks.best for result in compared])
    following = [result.ranks_following for result in compared]
    if following[0] is None:
        return best, None
    return best, np.stack([ranks.best for ranks in following if ranks is not None])


def _columns(
    measure: Measure,
    variants: Sequence[str],
    algorithms: tuple[str, ...],
    best: Array,
    following: Array | None,
) -> dict[str, object]:
    """Return the columns of a row for each of V variants and K algorithms."""
    v, k = best.shape
    columns: dict[str, object] = {
        "measure": [measure.name] * (k * v),
        "variant": np.repeat(variants, k),
        "algorithm": list(algorithms) * v,
        "prob_best": best.ravel(),
    }
    return columns if following is None else {**columns, "prob_best_next": following.ravel()}


@savable
@shaped(variants="V", best="V K [0,1]", following="V K [0,1]", error="V [0,inf)", otherwise="V")
@dataclass(frozen=True, slots=True)
class OtherModels:
    """Results of V other models."""

    variants: tuple[str, ...]  # how each differs from the comparison
    # best, following: (V, K) probabilities to be best on average and on the next data set; None for
    # the latter where claims are about these data sets
    best: Array
    following: Array | None
    error: Array  # (V,) largest Monte Carlo error of them
    otherwise: tuple[str, ...]  # the answers of each that differ, in words; empty where none does
    draws: int = _CHAINS * _DRAWS  # draws of each

    @property
    def disagree(self) -> int:
        """Number of models with another best algorithm or other verdicts."""
        return sum(map(bool, self.otherwise))

    def table(self, measure: Measure, algorithms: tuple[str, ...]) -> pd.DataFrame:
        """Return one row per variant and algorithm."""
        columns = _columns(measure, self.variants, algorithms, self.best, self.following)
        return frame({**columns, "prob_error": np.repeat(self.error, len(algorithms))})

    def check(self) -> Check:
        """Return the row of the diagnostics."""
        named = zip(self.variants, self.otherwise, strict=True)
        answers = "; ".join(f"{name}: {words}" for name, words in named if words)
        return Check.of(
            f"other models, of {len(self.variants)}, that answer otherwise",
            self.disagree,
            concerns="verdict",
            sentence=f"{subject(self.disagree, 'other model', 'answers', of=len(self.variants))}"
            f" otherwise ({answers}).",
            remedy="The scores do not tell which model is right: say which is meant, and both"
            " answers.",
        )


def likeliest(best: Array, algorithms: tuple[str, ...]) -> str:
    """Return the algorithm with the highest probability, and this probability, as text."""
    top = int(best.argmax())
    return f"{algorithms[top]} ({best[top]:.2f})"


def leaders(result: BayesComparison) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the algorithm most probably best by the comparison and by other models."""
    heads = ("model", f"best {result.average_words}")
    row = [f"as compared ({TAILS[result.interactions]})"]
    row.append(likeliest(result.ranks.best, result.algorithms))
    if result.ranks_following is not None:
        heads = (*heads, "best on the next data set")
        row.append(likeliest(result.ranks_following.best, result.algorithms))
    if (others := result.other_models) is None:
        return heads, []
    parts = [others.best] if others.following is None else [others.best, others.following]
    rows = [
        (name, *(likeliest(part[v], result.algorithms) for part in parts))
        for v, name in enumerate(others.variants)
    ]
    return heads, [tuple(row), *rows]


def _disagreement(result: BayesComparison, other: BayesComparison) -> str:
    """Return the differences of another model as text: the best algorithm, and changed verdicts."""
    parts: list[str] = []
    ranks, others = (
        r.ranks_following if r.quantity == "next" and r.ranks_following else r.ranks
        for r in (result, other)
    )
    a, b = int(ranks.best.argmax()), int(others.best.argmax())
    gap, error = others.best[b] - others.best[a], np.hypot(others.error[a], others.error[b])
    if gap > 2 * error:
        names = result.algorithms
        parts.append(
            f"{names[b]} is likeliest best with probability {others.best[b]:.2f} rather than"
            f" {names[a]} with {others.best[a]:.2f} (as compared: {ranks.best[b]:.2f},"
            f" {ranks.best[a]:.2f})"
        )
    if n := int(changed_pairs(result, other).sum()):
        parts.append(f"{count(n, 'pair')} decided otherwise")
    return ", and ".join(parts)


def changed_pairs(result: BayesComparison, other: BayesComparison) -> Flags:
    """Return the pairs with another verdict by another model, beyond Monte Carlo error."""
    # Few draws are rough, and no verdict rests on them: whether their chains settled matters not.
    codes, others = (codes_of(r.outcomes, r.level) for r in (result, other))
    changed = codes != others
    if result.measure.tolerance != other.measure.tolerance:
        strict = Verdict.FIRST, Verdict.SECOND
        return changed & np.isin(codes, strict) & np.isin(others, strict)
    outcomes = other.outcomes
    probabilities = np.stack([outcomes.first, outcomes.second, outcomes.equivalent])
    verdict = np.where(codes == Verdict.UNDECIDED, others, codes)
    rows = np.select([verdict == Verdict.FIRST, verdict == Verdict.SECOND], [0, 1], 2)
    share = np.take_along_axis(probabilities, rows[None], axis=0)[0]
    needed = np.where(rows == 2, result.level, directional(result.level))
    return changed & (np.abs(share - needed) > ERRORS * outcomes.error)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A model with its leave-one-out predictions of the data sets."""

    name: str  # how it differs from the comparison
    left: LeaveOneOut  # data sets left out
    # (M,) log densities in the measure's own unit; None where these are not comparable
    elpd: Array | None
    winner: Array  # (M,) log probabilities of the best algorithms


def compare_models(
    result: BayesComparison,
    scores: ScoreTable | None,
    draws: int,
    progress: Progress | None,
) -> pd.DataFrame:
    """Compare models; see `BayesComparison.compare_models`."""
    candidates = list(_candidates(result, scores, draws, progress))
    comparable = [one.elpd for one in candidates if one.elpd is not None]
    top = max(comparable, key=lambda elpd: float(elpd.sum()))
    weights = iter(_stacking(np.array(comparable)))
    rows: list[dict[str, Any]] = []
    for one in candidates:
        score = {"elpd": np.nan, "elpd_difference": np.nan, "difference_error": np.nan}
        weight = np.nan
        if one.elpd is not None:
            weight = next(weights)
            score = {
                "elpd": float(one.elpd.sum()),
                "elpd_difference": float((one.elpd - top).sum()),
                "difference_error": standard_error(one.elpd - top),
            }
        apart, m = one.winner - candidates[0].winner, len(one.winner)
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
    result: BayesComparison,
    scores: ScoreTable | None,
    draws: int,
    progress: Progress | None,
) -> Iterator[_Candidate]:
    """Yield the model of the comparison and its variants, with leave-one-out predictions."""
    from benchinfer.analyses.bayes.predictive_checks import winners

    wider = np.zeros(len(result.data.z))
    if scores is not None:
        wider = _log_widening(result.measure, scores, result.data)
    name, size = result.measure.name, (len(result.draws.effects), draws)
    compared = Variant("as compared", result.sampled)
    for variant in chain([compared], variants(result, scores)):
        if variant.name == _WIDER:
            continue
        more: Array | None = wider
        if variant.measure is not None and variant.scores is not None:
            more = _log_widening(variant.measure, variant.scores, variant.model.data)
        elif variant.name == _STANDARDISED:
            more = None  # densities are not comparable
        thinned, data = result.draws.thinned, variant.model.data
        if variant is not compared:
            rng = np.random.default_rng(result.provenance.seed)
            thinned = Thinned.of(fit(variant.model, size, rng, progress).draws)
        rng = np.random.default_rng(result.provenance.seed)
        datasets = tuple(result.setting.coverage.datasets[m] for m in data.dataset)
        left = leave_out(variant.model, thinned, draws, name, datasets, rng, progress)
        elpd = None
        if more is not None:
            elpd = left.contrasts - data.rank * np.log(data.scale) + more
        yield _Candidate(variant.name, left, elpd, np.log(winners(data, left.draws, rng)))


def _log_widening(measure: Measure, scores: ScoreTable, data: ContrastData) -> Array:
    """Return (M,) logs of how much wider contrasts are on the scale than in the measure's unit."""
    if measure.scale == "identity":
        return np.zeros(len(data.z))
    means, there = scores.cells(measure.name).mean[data.dataset], compared_cells(data)
    known = np.where(there, means, 0.0)
    centre = known.sum(axis=1) / there.sum(axis=1)
    each = np.where(there, _log_slope(measure, np.where(there, means, centre[:, None])), 0.0)
    open_ = there.sum(axis=1) - data.rank
    return each.sum(axis=1) - open_ * _log_slope(measure, centre)


def _log_slope(measure: Measure, level: Array) -> Array:
    """Return logs of the derivative of the scale at levels on it."""
    score = measure.level_of(level)
    return -np.log(score) - (np.log1p(-score) if measure.scale == "logit" else 0.0)


def _stacking(pointwise: Array) -> Array:
    """Return (V,) weights of models by (V, M) log densities."""
    from scipy.optimize import Bounds, LinearConstraint, minimize

    density = np.exp(pointwise - pointwise.max(axis=0)).T
    v = len(pointwise)

    def loss(weights: Array) -> tuple[float, Array]:
        """Return the loss and its gradient."""
        mixed = np.maximum(density @ weights, 1e-300)
        return -float(np.log(mixed).sum()), -(density / mixed[:, None]).sum(axis=0)

    sum_to_one = LinearConstraint(np.ones(v), 1.0, 1.0)
    optimum: Any = minimize(
        loss, np.full(v, 1 / v), jac=True, bounds=Bounds(0.0, 1.0), constraints=sum_to_one
    )
    return np.clip(optimum.x, 0.0, 1.0)


_MUCH = 0.05  # sensitivity of which Kallioinen et al. say that it is worth a look
_STEPS = (0.99, 1.01)
# Whether the prior moves a posterior much, and whether the scores do.
_DIAGNOSES = {
    (True, True): "priors and scores may disagree",
    (True, False): "the prior decides: scores say little",
    (False, True): "the scores decide",
    (False, False): "neither moves it much",
}


def prior_sensitivity(result: BayesComparison) -> pd.DataFrame:
    """Scale priors and likelihood by powers; see `BayesComparison.prior_sensitivity`."""
    from arviz_stats.psense import psense
    from xarray import Dataset, DataTree

    draw, thinned = ("chain", "draw"), result.draws.thinned
    effects = result.draws.effects[:, :: thinned.step]
    names = [f"effect of {name}" for name in result.algorithms]
    values = dict(zip(names, np.moveaxis(effects, 2, 0), strict=True))
    values |= {name: x[:, :: thinned.step] for name, x in result.draws.parameters.items()}
    for along, x in result.draws.slopes.items():
        each = np.moveaxis(x[:, :: thinned.step], 2, 0)
        named = [f"slope of {name} along {along}" for name in result.algorithms]
        values |= dict(zip(named, each, strict=True))
    rng, model = np.random.default_rng(result.provenance.seed), result.sampled
    shared = thinned.shared(result.domain, rng, model.covariates)
    likelihood = log_marginals(result.data, shared)[0].sum(axis=1).reshape(thinned.scale.shape)
    prior = {PARAMETERS[k]: (draw, x) for k, x in log_priors(model, thinned).items()}
    tree = DataTree.from_dict(
        {
            "posterior": Dataset({name: (draw, x) for name, x in values.items()}),
            "log_prior": Dataset(prior),
            "log_likelihood": Dataset({"scores": (draw, likelihood)}),
        }
    )
    sensitivities: list[Array] = []
    for group in ("prior", "likelihood"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one: Any = psense(tree, group=group, alphas=_STEPS)
        sensitivities.append(np.array([float(one[name]) for name in values]))
    of_prior, of_scores = sensitivities
    return frame(
        {
            "measure": [result.measure.name] * len(values),
            "parameter": list(values),
            "prior_sensitivity": of_prior,
            "likelihood_sensitivity": of_scores,
            "diagnosis": [
                _DIAGNOSES[bool(a >= _MUCH), bool(b >= _MUCH)]
                for a, b in zip(of_prior, of_scores, strict=True)
            ],
        }
    )
