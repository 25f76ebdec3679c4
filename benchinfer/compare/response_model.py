"""Row-level models of scores between 0 and 1 in PyMC, on the logit scale.

On data set m algorithm k has the logit ``theta_mk = d_m + (H' w_m)_k``, with

    d_m ~ N(level, dataset_scale^2),  w_m ~ N(beta + g_d(m), lam_m Sigma),

beta, g, lam and Sigma as in the model of `pymc_model`. Scores see theta by what is asked for:

- binomial: successes with that log odds, or, for items that algorithms share, that log odds and an
  effect of the item, ``N(0, item_scale^2)``, which is integrated out;
- beta: mean ``expit(theta + replication)``, precision ``exp(-2 log_sigma_m)``;
- logit-normal: ``logit y ~ N(theta + replication, sigma_m^2)``, replications integrated out.

References
----------
Ferrari, S. & Cribari-Neto, F. (2004). Beta regression for modelling rates and proportions. Journal
of Applied Statistics 31, 799-815. https://doi.org/10.1080/0266476042000214501
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import pymc
from pymc import Model as PyMCModel
from pytensor import tensor
from scipy.special import logit

from benchinfer.compare.pymc_model import Departures, covariance, domain_departures, mixing_scales
from benchinfer.compare.response_guesses import guessed
from benchinfer.compare.responses import Answers, Shares
from benchinfer.numerics.bayes.item_counts import nodes
from benchinfer.numerics.bayes.reduction import helmert

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from benchinfer.compare.evidence import Array
    from benchinfer.compare.response_guesses import Guess
    from benchinfer.compare.responses import Responses
    from benchinfer.numerics.bayes.gibbs import Model
    from benchinfer.numerics.bayes.item_counts import ItemCounts

# PyMC and PyTensor are typed in part.
type Variable = Any
pm: Any = pymc
pt: Any = tensor


def response_model(
    model: "Model",
    responses: "Responses",
    likelihood: str,
    names: "Mapping[str, Sequence[str]] | None" = None,
) -> PyMCModel:
    """Return the model of the posterior.

    Parameters
    ----------
    model
        Interactions, structure, priors and domains; the scores it has are not used.
    responses, likelihood
        The scores, and how they come about.
    names
        Names of ``"dataset"``, ``"algorithm"`` and ``"domain"``, numbers by default.

    Returns
    -------
    pymc.Model
        With the variables ``contrasts``, ``scale``, ``shrinkage``, ``tail``, ``mixing``,
        ``domain_scale`` and ``domain_unit`` as in `pymc_model`, on the logit scale; ``level`` and
        ``dataset_scale``; ``dataset_level`` and ``dataset_contrasts`` on each data set, and
        ``logit`` of both together; ``item_scale`` of items or replications; ``residual_centre``,
        ``residual_spread`` and ``log_sigma``, as the model has them.
    """
    priors, (m, j) = model.priors, model.data.z.shape
    guess = guessed(responses, likelihood)
    known = (j + 1) / (1 / guess.weight).mean(axis=1)
    coords: dict[str, Any] = {
        "dataset": range(m),
        "algorithm": range(j + 1),
        "contrast": range(j),
        **({} if model.domain is None else {"domain": range(int(model.domain.max()) + 1)}),
        **(names or {}),
    }
    with pm.Model(coords=coords) as built:
        level = pm.Normal("level", 0.0, priors.level_sd)
        spread = pm.HalfStudentT("dataset_scale", nu=3, sigma=priors.level_scale)
        at = pm.Normal(
            "dataset_level",
            level,
            spread,
            dims="dataset",
            transform=_Informed(guess.logit.mean(axis=1), known),
        )
        beta = pm.Normal("contrasts", 0.0, priors.effect_sd, dims="contrast")
        contrasts = _contrasts(model, beta, guess)
        theta = pm.Deterministic(
            "logit", at[:, None] + contrasts @ helmert(j + 1), dims=("dataset", "algorithm")
        )
        if isinstance(responses, Answers):
            _see_answers(responses, theta, priors.item_scale)
        else:
            _see_shares(responses, likelihood, theta, (model, guess.log_sd))
    return built


def _contrasts(model: "Model", beta: Variable, guess: "Guess") -> Variable:
    """Return (M, J) contrasts of the effects on the data sets."""
    m, j = model.data.z.shape
    h = helmert(j + 1)
    centre = pt.broadcast_to(beta[None, :] + domain_departures(model), (m, j))
    mixing = mixing_scales(model)
    scale = pm.HalfStudentT("scale", nu=3, sigma=model.priors.interaction_scale)
    known = 1 / np.einsum("jk,mk->mj", h**2, 1 / guess.weight)
    transform = _Informed(guess.logit @ h.T, known)
    name, dims = "dataset_contrasts", ("dataset", "contrast")
    if model.structure == "common":
        sd = pt.sqrt(mixing) * scale
        return pm.Normal(name, centre, sd[:, None], dims=dims, transform=transform)
    cov = mixing[:, None, None] * covariance(model, scale)[None]
    return pm.MvNormal(name, mu=centre, cov=cov, dims=dims, transform=transform)


class _Informed(Departures):
    """Effects by their departure from what their prior and the scores together make likely.

    Neither effects nor their departures from the centre will do: where scores say little the former
    are tied to their scale, where they say much the latter are.
    """

    name = "informed"

    def _likely(self, inputs: tuple[Variable, ...]) -> tuple[Variable, Variable]:
        """Return mean and standard deviation given centre and scale, or covariances."""
        *_, centre, scale = inputs
        variance = pt.diagonal(scale, axis1=-2, axis2=-1) if scale.ndim == 3 else scale**2
        precision = self._precision + 1 / variance
        return (self._precision * self._guess + centre / variance) / precision, precision**-0.5

    def log_jac_det(self, value: Variable, *inputs: Variable) -> Variable:
        each = super().log_jac_det(value, *inputs)
        # The density of vectors is that of all their elements together.
        vectors = inputs[-1].ndim == 3
        return each.sum(axis=-1) if vectors else each


def _see_answers(found: Answers, theta: Variable, scale: float) -> None:
    """Observe right answers."""
    if found.items is None:
        held = np.nonzero(found.trials)
        n, right = found.trials[held], found.successes[held]
        pm.Binomial("successes", n=n, logit_p=theta[held], observed=right)
        return
    spread = pm.HalfStudentT("item_scale", nu=3, sigma=scale)
    # Items that are alike have no rows of their own that a distribution could be of.
    pm.Potential("items", item_density(found.items, theta, spread))


def item_density(items: "ItemCounts", theta: Variable, spread: Variable) -> Variable:
    """Return the log density of all answers, the effects of items integrated out.

    Parameters
    ----------
    items
        What is known of the answers.
    theta
        (M, K) logits.
    spread
        Standard deviation of the items' effects.
    """
    z, log_weights = nodes(int(items.trials.sum(axis=1).max()))
    u = spread * z
    at = theta[items.dataset]
    refused = (items.trials[:, :, None] * pt.softplus(at[:, :, None] + u)).sum(axis=1)
    inner = items.total[:, None] * u - refused[items.group] + log_weights
    return (items.right * at).sum() + (items.count * pt.logsumexp(inner, axis=1)).sum()


def _see_shares(
    found: Shares, likelihood: str, theta: Variable, about: tuple["Model", float]
) -> None:
    """Observe scores between 0 and 1."""
    model, log_sd = about
    priors, m = model.priors, len(model.data.z)
    centre = pm.Normal("residual_centre", 0.0, priors.residual_sd)
    spread = pm.HalfStudentT("residual_spread", nu=3, sigma=priors.residual_spread)
    known = 2.0 * np.bincount(found.dataset, np.isfinite(found.value).sum(axis=1), minlength=m)
    transform = _Informed(np.zeros(m), known)
    log = pm.Normal("log_sigma", centre, spread, dims="dataset", transform=transform)
    log_sigma = log + log_sd
    tau = pm.HalfStudentT("item_scale", nu=3, sigma=priors.item_scale) if found.shared else None
    if likelihood == "beta":
        _see_beta(found, theta, log_sigma, tau)
    else:
        y = logit(found.value)
        # One normal vector per replication, with what its scores share integrated out.
        pm.Potential("scores", block_density(found.dataset, y, theta, pt.exp(log_sigma), tau))


def _see_beta(found: Shares, theta: Variable, log_sigma: Variable, tau: Variable) -> None:
    row, algorithm = np.nonzero(np.isfinite(found.value))
    dataset = found.dataset[row]
    eta = theta[dataset, algorithm]
    if tau is not None:
        unit = pm.Normal("replication_unit", 0.0, 1.0, shape=len(found.value))
        eta = eta + (tau * unit)[row]
    mean, precision = pm.math.invlogit(eta), pt.exp(-2 * log_sigma)[dataset]
    pm.Beta(
        "scores",
        alpha=mean * precision,
        beta=(1 - mean) * precision,
        observed=found.value[row, algorithm],
    )


def block_density(
    dataset: "NDArray[np.int64]", y: "Array", theta: Variable, sigma: Variable, tau: Variable
) -> Variable:
    """Return the log density of (B, K) normal scores, rows of which share an effect.

    Parameters
    ----------
    dataset, y
        (B,) data sets, and scores, NaN where there is none.
    theta
        (M, K) means.
    sigma, tau
        (M,) residual standard deviations, and that of what rows share; None for nothing.
    """
    held = np.isfinite(y)
    n = held.sum(axis=1)
    left = (np.where(held, y, 0.0) - theta[dataset]) * held
    variance = (sigma**2)[dataset]
    common = 0.0 if tau is None else tau**2
    total = variance + n * common
    square = (left**2).sum(axis=1) - common / total * left.sum(axis=1) ** 2
    size = (n - 1) * pt.log(variance) + pt.log(total) + n * np.log(2 * np.pi)
    return -((square / variance) + size).sum() / 2
