"""How far two sets of draws of one posterior are apart, in Monte Carlo errors."""

import numpy as np
from arviz_stats.base.array import array_stats


def numbers(draws):
    """Return (C, T) numbers by name, on scales on which they have means."""
    found = {f"average[{i}]": draws.average[..., i] for i in range(draws.average.shape[2])}
    found |= {f"these[{i}]": draws.these[..., i] for i in range(draws.these.shape[2])}
    found["scale"] = np.log(draws.effective_scale)
    found["log_likelihood"] = draws.log_likelihood.sum(axis=2)
    for name in ("effect_scale", "df", "shrinkage", "residual_spread", "domain_scale"):
        if getattr(draws, name) is not None:
            found[name] = np.log(getattr(draws, name))
    if draws.residual_centre is not None:
        found["residual_centre"] = draws.residual_centre
    if draws.covariance is not None:
        variance = np.diagonal(draws.covariance, axis1=2, axis2=3)
        found |= {f"variance[{i}]": np.log(x) for i, x in enumerate(np.moveaxis(variance, 2, 0))}
    if draws.domain is not None:
        found |= {f"domain[{g}]": draws.domain[:, :, g, 0] for g in range(draws.domain.shape[2])}
    if draws.slopes is not None:
        found |= {f"slope[{i}]": draws.slopes[:, :, 0, i] for i in range(draws.slopes.shape[3])}
    return found


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
