"""What would change the answer of a hierarchical model: tails, covariances, priors, scales."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.bayes_fit import domain_level, fit, modelled, reduced
from benchinfer.compare.evidence import Setting
from benchinfer.errors import DesignError, message
from benchinfer.frames import frame
from benchinfer.numerics.bayes import outcomes
from benchinfer.numerics.bayes.reduction import helmert
from benchinfer.numerics.bayes.standardised import standardised

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.bayes_comparison import BayesComparison
    from benchinfer.compare.bayes_fit import Structure
    from benchinfer.compare.evidence import Array
    from benchinfer.measure import Measure
    from benchinfer.numerics.bayes.gibbs import Interactions
    from benchinfer.numerics.bayes.priors import Priors
    from benchinfer.numerics.bayes.reduction import ContrastData
    from benchinfer.progress import Progress
    from benchinfer.scores import ScoreTable

type Variant = tuple[str, ContrastData, Interactions, Structure, Priors]

_STANDARDISED = "standardised on each data set"

# Scales of the interactions' and effects' priors, which make these twice as wide.
WIDER = "priors twice as wide"
_WIDTHS = ("effect_sd", "interaction_scale", "residual_spread", "slope_sd")


def sensitivity(
    result: "BayesComparison",
    scores: "ScoreTable | None",
    draws: int,
    progress: "Progress | None",
) -> "pd.DataFrame":
    """Compare once more by other models; see `BayesComparison.sensitivity`.

    Parameters
    ----------
    result
        The comparison.
    scores
        The table that it is of, for other scales.
    draws
        Draws of each chain.
    progress
        Told of the sweeps.
    """
    if result.about:
        raise DesignError(
            message(
                f"the comparison is {result.about}.",
                hint="sensitivity() of the comparison over all domains.",
            )
        )
    following = result.ranks_following
    rows = [("as compared", result.ranks.best, None if following is None else following.best)]
    rows += [
        (variant[0], *_best(result, variant, draws, progress)) for variant in _asked(result, scores)
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


def _asked(result: "BayesComparison", scores: "ScoreTable | None") -> Iterator["Variant"]:
    """Yield models that differ from that of the comparison in one thing each."""
    yield from variants(result)
    yield from other_scales(result, scores)


def variants(result: "BayesComparison") -> Iterator["Variant"]:
    """Yield models of the same contrasts that differ in one thing each."""
    data, priors, structure = result.data, result.priors, result.structure
    tails = _tails(result)
    yield other_interactions(result)
    if len(result.algorithms) > 2:
        turned: Structure = "common" if structure == "unstructured" else "unstructured"
        yield f'structure="{turned}"', data, tails, turned, priors
    wide = replace(priors, **{name: 2 * getattr(priors, name) for name in _WIDTHS})
    yield WIDER, data, tails, structure, wide


def _tails(result: "BayesComparison") -> "Interactions":
    return "t" if result.interactions == "t" else "normal"


def other_interactions(result: "BayesComparison") -> "Variant":
    """Return the model with the other interactions.

    Parameters
    ----------
    result
        The comparison.
    """
    other: Interactions = "normal" if result.interactions == "t" else "t"
    return f'interactions="{other}"', result.data, other, result.structure, result.priors


def other_scales(
    result: "BayesComparison", scores: "ScoreTable | None", *, brief: bool = False
) -> Iterator["Variant"]:
    """Yield the models on other scales, which differ in what the interactions exchange.

    Parameters
    ----------
    result
        The comparison.
    scores
        The table that it is of; None for data sets in units of their own spread alone.
    brief
        Leave out the log scale where scores have room on the logit scale.
    """
    like = _tails(result), result.structure, result.priors
    if result.along is None:  # straight slopes bend where each data set has a unit of its own
        yield _STANDARDISED, standardised(result.data), *like
    found = {} if scores is None else {m.scale: data for m, data, _ in on_scales(result, scores)}
    for scale, on_scale in found.items():
        if not (brief and scale == "log" and "logit" in found):
            yield f'scale="{scale}"', on_scale, *like


def on_scales(
    result: "BayesComparison", scores: "ScoreTable"
) -> Iterator[tuple["Measure", "ContrastData", "ScoreTable"]]:
    """Yield contrasts and table on each other scale that the scores have room on."""
    own = result.measure
    setting, _ = Setting.of(scores, own.name)
    if setting.digest != result.setting.digest:
        raise DesignError(
            message(
                "the table is not the one that was compared.",
                hint="give the table that compare_bayes was given.",
            )
        )
    for scale in ("identity", "log", "logit"):
        if scale == own.scale:
            continue
        measure = replace(own, scale=scale, tolerance=0.0)
        others = tuple(measure if m.name == own.name else m for m in scores.measures)
        try:
            there, table = Setting.of(replace(scores, measures=others), own.name)
            yield measure, reduced(table, there), table
        except DesignError:
            continue  # scores of 0 have no log, those of 1 no logit


def _best(
    result: "BayesComparison",
    variant: "Variant",
    draws: int,
    progress: "Progress | None",
) -> tuple["Array", "Array | None"]:
    """Return the probabilities to be best, on average and on the next data set."""
    _, data, interactions, structure, priors = variant
    rng = np.random.default_rng(result.provenance.seed)
    chains = len(result.draws.effects)
    domain = None if result.domain is None else domain_level(result.setting, data)
    scaled = None if result.along is None else result.along.scaled
    model = modelled(data, interactions, structure, priors, domain, scaled)
    found = fit(model, (chains, draws), rng, progress).draws
    h = helmert(data.n_algorithms)
    if result.ranks_following is None:
        return outcomes.ranks(found.these @ h, 0.0).best, None
    further = np.zeros(())
    if result.along is not None and found.slopes is not None:
        further = np.einsum("q,ctqj->ctj", result.along.offset, found.slopes) @ h
    average = outcomes.ranks(found.average @ h + further, 0.0).best
    return average, outcomes.ranks(outcomes.next_effects(found, rng) + further, 0.0).best
