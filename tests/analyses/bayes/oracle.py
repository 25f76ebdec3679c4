"""NUTS on models of PyMC as an oracle of the Gibbs sampler."""

from types import SimpleNamespace

import numpy as np
import nutpie
from arviz_stats.base.array import array_stats

from benchinfer.analyses.bayes.pymc_model import pymc_model
from benchinfer.numerics.posterior import nuts


def by_nuts(model, chains, n, callback=None):
    """Return draws of a model under the names of the Gibbs sampler's, and the sampler's numbers."""
    compiled = nutpie.compile_pymc_model(pymc_model(model))
    rng = np.random.default_rng(1)
    values, statistics = nuts.sample(compiled, chains, n, rng, callback)
    domain = None
    if model.domain is not None:
        domain = values["domain_scale"][..., None, None] * values["domain_unit"]
    covariance, scale = values.get("covariance"), values["scale"]
    effective = scale
    if covariance is not None:
        effective = np.sqrt(np.trace(covariance, axis1=2, axis2=3) / covariance.shape[2])
    draws = SimpleNamespace(
        average=values["contrasts"],
        covariance=covariance,
        effective_scale=effective,
        effect_scale=values.get("effect_scale"),
        df=1 + values["tail"] if "tail" in values else None,
        shrinkage=values.get("shrinkage"),
        residual_centre=values.get("residual_centre"),
        residual_spread=values.get("residual_spread"),
        domain=domain,
        domain_scale=values.get("domain_scale"),
        slopes=values.get("slopes"),
    )
    return draws, statistics


def numbers(draws):
    """Return (C, T) numbers by name, on scales on which they have means."""
    named = {f"average[{i}]": draws.average[..., i] for i in range(draws.average.shape[2])}
    named["scale"] = np.log(draws.effective_scale)
    for name in ("effect_scale", "df", "shrinkage", "residual_spread", "domain_scale"):
        if getattr(draws, name) is not None:
            named[name] = np.log(getattr(draws, name))
    if draws.residual_centre is not None:
        named["residual_centre"] = draws.residual_centre
    if draws.covariance is not None:
        variance = np.diagonal(draws.covariance, axis1=2, axis2=3)
        named |= {f"variance[{i}]": np.log(x) for i, x in enumerate(np.moveaxis(variance, 2, 0))}
    if draws.domain is not None:
        named |= {f"domain[{g}]": draws.domain[:, :, g, 0] for g in range(draws.domain.shape[2])}
    if draws.slopes is not None:
        named |= {f"slope[{i}]": draws.slopes[:, :, 0, i] for i in range(draws.slopes.shape[3])}
    return named


def largest_gap(one, two):
    """Return the name of the number whose means are farthest apart, and how many errors."""
    first, second = numbers(one), numbers(two)
    assert set(first) == set(second)

    def error(x):
        size = array_stats.ess(x, chain_axis=0, draw_axis=1, method="mean")
        return x.std() / np.sqrt(size)

    gaps = {
        name: abs(x.mean() - second[name].mean()) / np.hypot(error(x), error(second[name]))
        for name, x in first.items()
    }
    worst = max(gaps, key=gaps.get)
    return worst, gaps[worst]
