"""From a table of scores between 0 and 1 to the comparison by a row-level model."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare import cautions
from benchinfer.compare.bayes_fit import domain_level, modelled, reduced
from benchinfer.compare.contrasts import family_of
from benchinfer.compare.evidence import Check
from benchinfer.compare.kept import Kept
from benchinfer.compare.posterior import provenance
from benchinfer.compare.posterior_verdicts import codes_of, level_of
from benchinfer.compare.response_comparison import ResponseComparison
from benchinfer.compare.response_fit import MeanResponses, Sampled, mean_responses, sample_responses
from benchinfer.compare.response_guesses import guessed
from benchinfer.compare.responses import Answers, read_responses
from benchinfer.errors import DesignError, message
from benchinfer.numerics.bayes.outcomes import average_outcomes, ranks
from benchinfer.numerics.bayes.reduction import helmert
from benchinfer.numerics.bayes.regret import regrets
from benchinfer.numerics.bayes.thinned import Thinned
from benchinfer.progress import reporting

if TYPE_CHECKING:
    from benchinfer.compare.comparison import Target
    from benchinfer.compare.evidence import Setting
    from benchinfer.compare.responses import Responses
    from benchinfer.numerics.bayes.gibbs import Model
    from benchinfer.numerics.bayes.reduction import ContrastData
    from benchinfer.progress import Progress
    from benchinfer.scores import ScoreTable

_RANGE = 1.0  # of scores between 0 and 1: no regret is larger


def compare_responses(
    scores: "ScoreTable",
    setting: "Setting",
    target: "Target",
    arguments: dict[str, Any],
    progress: "Progress | bool | None",
) -> ResponseComparison:
    """Compare by a row-level model; see `compare_bayes`.

    Parameters
    ----------
    scores, setting
        The table, and what is compared.
    target
        What averages are about.
    arguments
        Of `compare_bayes`.
    progress
        As in `compare_bayes`.
    """
    likelihood = arguments["likelihood"]
    _refuse_others(arguments, likelihood)
    rng = np.random.default_rng(arguments["seed"])
    data = reduced(scores, setting)
    code = domain_level(setting, data) if arguments["domains"] == "random" else None
    responses = read_responses(scores, setting, data.dataset, likelihood, arguments["trials"])
    model = row_model(data, arguments, code)
    size = arguments["chains"], arguments["draws"]
    with reporting(progress=progress, doing="Sampling:") as told:
        found = sample_responses(model, responses, likelihood, size, rng, told)
    log_sd = guessed(responses, likelihood).log_sd
    return compared_responses(setting, target, arguments, (model, responses, log_sd), found, rng)


def _refuse_others(arguments: Mapping[str, Any], likelihood: str) -> None:
    """Refuse what row-level models have not."""
    refused = [name for name in ("covariates",) if arguments[name]]
    refused += ["sampler"] if arguments["sampler"] == "gibbs" else []
    refused += ["rule"] if arguments["rule"] == "vote" else []
    refused += ["sensitivity"] if arguments["sensitivity"] != "none" else []
    for name in refused:
        raise DesignError(
            message(
                f"{name}={arguments[name]!r} does not go with likelihood={likelihood!r}.",
                hint='likelihood="normal" has it.',
            )
        )


def row_model(
    data: "ContrastData", arguments: Mapping[str, Any], domain: NDArray[np.int64] | None
) -> "Model":
    """Return interactions, structure, priors and domains of the model.

    Parameters
    ----------
    data, arguments, domain
        What the scores are on average, the arguments of `compare_bayes`, and the (M,) domains.
    """
    priors = arguments["priors"]
    return modelled(data, arguments["interactions"], arguments["structure"], priors, domain)


def compared_responses(
    setting: "Setting",
    target: "Target",
    arguments: dict[str, Any],
    seen: "tuple[Model, Responses, float]",
    found: Sampled,
    rng: np.random.Generator,
) -> ResponseComparison:
    """Turn draws into verdicts.

    Parameters
    ----------
    setting, target, arguments
        What was compared, and how.
    seen
        Model, scores, and what residual scales are relative to.
    found
        Draws.
    rng
        Random numbers, for next data sets.
    """
    model, responses, log_sd = seen
    means = mean_responses(model, found, log_sd, arguments["likelihood"], rng)
    kept = _kept(setting.measure.sign, model, found, means)
    effects = kept.effects if target == "domain" else kept.these
    level, margin = arguments["level"], setting.measure.margin
    levels = level_of(effects, 0.0, level)
    family = family_of(
        setting.algorithms, arguments["contrasts"], arguments["control"], levels.estimate
    )
    matrix = family.matrix[family.wanted]
    average = average_outcomes(effects, matrix, margin, level)
    regret = regrets(effects, matrix, _RANGE)
    following = ranks_following = after = None
    if target == "domain":
        new = setting.measure.sign * means.following
        following = replace(average_outcomes(new, matrix, margin, level), estimate=average.estimate)
        ranks_following = ranks(new, margin)
        after = regrets(new, matrix, _RANGE)
    ranked = ranks(effects, margin)
    parts = [x for x in (average, following, ranked, ranks_following) if x is not None]
    base = found.values["level"][..., None]
    result = ResponseComparison(
        setting=setting,
        pairs=family.pairs[family.wanted],
        codes=codes_of(average, level),
        level=level,
        target=target,
        levels=levels,
        checks=tuple(
            _checks(setting, target, found, max(float(x.error.max()) for x in parts), responses)
        ),
        provenance=provenance(setting, family, arguments),
        sides=family.sides[family.wanted],
        names=family.names[family.wanted],
        quantity="average",
        structure=model.structure,
        average=average,
        following=following,
        ranks=ranked,
        ranks_following=ranks_following,
        regret=regret,
        regret_following=after,
        data=model.data,
        convergence=found.convergence,
        extended=found.extended,
        draws=kept,
        domain=model.domain,
        responses=responses,
        logits=base + found.draws.average @ helmert(model.data.n_algorithms),
    )
    return result.of(arguments["quantity"], rule=arguments["rule"])


def _kept(sign: int, model: "Model", found: Sampled, means: MeanResponses) -> Kept:
    """Return the draws that results hold: mean scores, turned so that larger is better."""
    values, draws = found.values, found.draws
    c, t = values["level"].shape
    contrasts = sign * means.datasets @ helmert(model.data.n_algorithms).T
    names = ("level", "dataset_scale", "item_scale", "residual_centre", "residual_spread")
    parameters = {name: values[name] for name in names if name in values}
    others = {
        "interaction_scale": draws.effective_scale,
        "degrees_of_freedom": draws.df,
        "shrinkage": draws.shrinkage,
        "domain_scale": draws.domain_scale,
    }
    following = means.following.reshape(c, t, -1, model.data.n_algorithms)
    return Kept(
        effects=sign * means.average,
        these=sign * means.datasets.mean(axis=2),
        following=sign * following[:, :, 0],
        parameters=parameters | {name: x for name, x in others.items() if x is not None},
        dataset_mean=contrasts.mean(axis=(0, 1)),
        dataset_sd=contrasts.std(axis=(0, 1)),
        thinned=Thinned.of(draws),
        domains=None if means.domains is None else sign * means.domains,
        new_domain=None if means.new_domain is None else sign * means.new_domain,
        statistics=draws.statistics,
    )


def _checks(
    setting: "Setting", target: "Target", found: Sampled, error: float, responses: "Responses"
) -> list[Check]:
    """Return the rows of the diagnostics."""
    chains, draws = found.values["level"].shape
    words = f"{chains} x {draws} draws" + (" in a second run" if found.extended else "")
    rows = [
        *found.convergence.checks(words),
        cautions.monte_carlo_error(error),
        *cautions.left_out(setting),
        cautions.number_of_datasets(setting)
        if target == "domain"
        else cautions.replications(setting),
        cautions.beyond(target),
        *cautions.learnt_from(setting, len(setting.coverage.datasets)),
        cautions.tolerance(setting.measure),
    ]
    if isinstance(responses, Answers) and responses.items is None:
        rows.append(
            Check.of(
                "items shared by the algorithms",
                0.0,
                1.0,
                least=True,
                ok=False,
                remedy="answers count as independent of each other: where algorithms answered the"
                " same items, rows of 0 and 1 with the item as replication say more",
            )
        )
    return rows
