"""Other models beside a Bayesian comparison, by few draws, and what they say otherwise.

The tails of the interactions and the scale of the scores are choices that can turn an answer, and
no scores tell which is right: under t interactions unusual data sets count less, under normal ones
every data set counts fully.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.compare import cautions
from benchinfer.compare.bayes_fit import Fitted, domain_level, modelled
from benchinfer.compare.bayes_rules import verdict_codes
from benchinfer.compare.bayes_sensitivity import other_interactions, other_scales
from benchinfer.compare.convergence import converged
from benchinfer.compare.evidence import Array, Check
from benchinfer.compare.phrases import count
from benchinfer.frames import frame
from benchinfer.numerics.bayes import gibbs
from benchinfer.order.verdicts import Verdict
from benchinfer.saving import savable

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.bayes_comparison import BayesComparison
    from benchinfer.compare.bayes_sensitivity import Variant
    from benchinfer.measure import Measure
    from benchinfer.progress import Progress
    from benchinfer.scores import ScoreTable

type Sensitivity = Literal["none", "quick"]

# Chains cost little where data sets are few, sweeps do: 1,600 draws in a tenth of the sweeps.
_CHAINS, _WARM_UP, _DRAWS = 16, 60, 100
TAILS = {
    "t": "robust: unusual data sets count less",
    "normal": "every data set counts fully",
}


@savable
@dataclass(frozen=True, slots=True)
class Beside:
    """What V other models say.

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
        What each says otherwise, in words; empty where it does not.
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
            0.0,
            ok=not self.disagree,
            remedy=f"{said}. The scores do not tell which model is right: say which is meant, and"
            " both answers",
        )


def likeliest(best: Array, algorithms: tuple[str, ...]) -> str:
    """Name the algorithm of the highest probability, with that."""
    top = int(best.argmax())
    return f"{algorithms[top]} ({best[top]:.2f})"


def leaders(result: "BayesComparison") -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return who is likeliest best by the comparison and by the other models beside it.

    Parameters
    ----------
    result
        The comparison.

    Returns
    -------
    tuple
        Heads, and rows of words; no rows where no other model was asked.
    """
    heads = ("model", f"best {result.average_words}")
    own = [f"as compared ({TAILS[result.interactions]})"]
    own.append(likeliest(result.ranks.best, result.algorithms))
    if result.ranks_following is not None:
        heads = (*heads, "best on the next data set")
        own.append(likeliest(result.ranks_following.best, result.algorithms))
    if result.beside is None:
        return heads, []
    return heads, [tuple(own), *result.beside.leaders(result.algorithms)]


def beside(
    result: "BayesComparison", scores: "ScoreTable", progress: "Progress | None"
) -> "BayesComparison":
    """Return the comparison with what other models say beside it.

    Parameters
    ----------
    result
        The comparison.
    scores
        The table that it is of.
    progress
        Told of the sweeps.
    """
    asked = [other_interactions(result), *other_scales(result, scores, brief=True)]
    means = scores.cells(result.measure.name).mean
    variants: list[Variant] = []
    others: list[BayesComparison] = []
    for i, variant in enumerate(asked):
        rng = np.random.default_rng([result.provenance.seed or 0, i])
        # Where scores repeat exactly a posterior may have a spike that cannot be sampled.
        with suppress(np.linalg.LinAlgError):
            others.append(_compared(result, variant, means, rng))
            variants.append(variant)
        if progress is not None:
            progress("other models", _WARM_UP + _DRAWS, len(asked) * (_WARM_UP + _DRAWS))
    if not others:
        return result
    after = [other.ranks_following for other in others]
    errors = [max(r.error.max() for r in (o.ranks, o.ranks_following) if r) for o in others]
    found = Beside(
        variants=tuple(_label(variant) for variant in variants),
        best=np.stack([other.ranks.best for other in others]),
        following=None
        if result.ranks_following is None
        else np.stack([ranks.best for ranks in after if ranks is not None]),
        error=np.array(errors),
        otherwise=tuple(_otherwise(result, other) for other in others),
    )
    return replace(result, beside=found, checks=(*result.checks, found.check()))


def _label(variant: "Variant") -> str:
    """Name a variant; that of the interactions by what it means."""
    name, _, interactions, *_ = variant
    return f"{name} ({TAILS[interactions]})" if name.startswith("interactions") else name


def _compared(
    result: "BayesComparison", variant: "Variant", means: Array, rng: np.random.Generator
) -> "BayesComparison":
    """Compare by another model, by few draws."""
    from benchinfer.compare.posterior import compared

    name, data, interactions, structure, priors = variant
    domain = None if result.domain is None else domain_level(result.setting, data)
    scaled = None if result.along is None else result.along.scaled
    model = modelled(data, interactions, structure, priors, domain, scaled)
    state = gibbs.sample(model, gibbs.start(model, _CHAINS, rng), _WARM_UP, rng)[1]
    draws = gibbs.sample(model, state, _DRAWS, rng)[0]
    fitted = Fitted(model, draws, converged(draws), extended=False)
    setting, arguments = result.setting, dict(result.provenance.arguments)
    arguments["rule"], arguments["quantity"] = result.decision, result.quantity
    if not name.startswith("interactions"):
        # The tolerance has no meaning there: only who is better has.
        setting = replace(setting, measure=replace(setting.measure, tolerance=0.0))
        arguments["rule"] = "threshold"
    return compared(setting, fitted, means, result.target, arguments, rng, result.along)


def alone(result: "BayesComparison") -> "BayesComparison":
    """Return the comparison without what other models and plain means say of another question.

    Parameters
    ----------
    result
        The comparison, about to be turned to another place.
    """
    names = {cautions.OTHER_SIGN}
    if result.beside is not None:
        names.add(result.beside.check().check)
    checks = tuple(row for row in result.checks if row.check not in names)
    return replace(result, beside=None, checks=checks)


def _otherwise(own: "BayesComparison", other: "BayesComparison") -> str:
    """Say which algorithm another model calls best, and how many pairs it decides otherwise."""
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
    mine, theirs = (
        verdict_codes(r.decision, r.outcomes, r.costs, r.measure.margin, r.level, settled=True)
        for r in (own, other)
    )
    if own.measure.tolerance != other.measure.tolerance or own.decision != other.decision:
        return (mine != theirs) & _strict(mine) & _strict(theirs)
    differ = mine != theirs
    if own.decision != "threshold":
        return differ
    found = other.outcomes
    by_code = np.stack([found.first, found.second, found.equivalent])
    asked = np.where(mine == Verdict.UNDECIDED, theirs, mine)
    rows = np.select([asked == Verdict.FIRST, asked == Verdict.SECOND], [0, 1], 2)
    share = np.take_along_axis(by_code, rows[None], axis=0)[0]
    return differ & (np.abs(share - own.level) > 2 * found.error)


def _strict(codes: np.ndarray) -> np.ndarray:
    return (codes == Verdict.FIRST) | (codes == Verdict.SECOND)
