"""Convergence diagnostics and verdicts of posterior draws."""

from dataclasses import dataclass

import numpy as np

from benchinfer.comparison.evidence import Level
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import subject
from benchinfer.core.saving import savable
from benchinfer.core.sections import Check
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.posterior import convergence
from benchinfer.numerics.posterior.outcome_probabilities import Outcomes, beyond, directional
from benchinfer.numerics.types import Array, Flags, States

R_HAT, ESS = 1.01, 400.0


@savable
@dataclass(frozen=True, slots=True)
class Convergence:
    """Worst convergence diagnostics over all parameters.

    Attributes
    ----------
    r_hat
        Largest rank-normalised split R-hat of average effects, scales and degrees of freedom.
    r_hat_effects
        Largest split R-hat of the data sets' effects.
    bulk, tail
        Smallest effective sample size of the middle and of the 5 % tails.
    divergences
        Number of divergent transitions of NUTS; None for a sampler without them.
    """

    r_hat: float
    r_hat_effects: float
    bulk: float
    tail: float
    divergences: int | None = None

    @property
    def passed(self) -> bool:
        """True if the chains have converged and effective sample sizes are sufficient."""
        return self.settled and min(self.bulk, self.tail) >= ESS

    @property
    def settled(self) -> bool:
        """True if the chains have converged; without convergence there are no verdicts.

        Too few effective draws make probabilities uncertain, which their error shows.
        """
        mixed = self.r_hat <= R_HAT and self.r_hat_effects <= R_HAT
        return mixed and not self.divergences

    def checks(self, draws: str) -> list[Check]:
        """Return the checks of R-hat, effective sample sizes and divergences."""
        checks = [
            Check.of(
                f"largest R-hat of {what}",
                value,
                R_HAT,
                concerns="computation",
                sentence=f"Chains of {draws} do not agree yet on {what} (R-hat {value:.4g}), and so"
                " decide no pair.",
                remedy="Take more draws (draws=...).",
            )
            for what, value in (
                ("average effects and scales", self.r_hat),
                ("the data sets' effects", self.r_hat_effects),
            )
        ]
        checks += [
            Check.of(
                f"smallest effective sample size, {where}",
                value,
                ESS,
                least=True,
                concerns="computation",
                sentence=f"Chains of {draws} are worth only {value:,.0f} independent draws in the"
                f" {where}.",
                remedy="Probabilities are rough: take more draws (draws=...).",
            )
            for where, value in (("middle", self.bulk), ("tails", self.tail))
        ]
        if self.divergences is not None:
            checks.append(
                Check.of(
                    "divergent transitions",
                    self.divergences,
                    concerns="computation",
                    sentence=f"{subject(self.divergences, 'transition', 'was')} divergent: some"
                    " part of the posterior was not reached, and no pair is decided.",
                    remedy="Other priors=... may help.",
                )
            )
        return checks


def settled(looked_at: list[Array], r_hat_effects: float, divergences: int | None) -> Convergence:
    """Return convergence diagnostics of (C, T) draws of parameters.

    References
    ----------
    Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. & Burkner, P.-C. (2021). Rank-normalization,
    folding, and localization: an improved R-hat for assessing convergence of MCMC. Bayesian
    Analysis 16, 667-718. https://doi.org/10.1214/20-BA1221
    """
    return Convergence(
        r_hat=max(convergence.r_hat(x) for x in looked_at),
        r_hat_effects=r_hat_effects,
        bulk=min(convergence.bulk_ess(x) for x in looked_at),
        tail=min(convergence.tail_ess(x) for x in looked_at),
        divergences=divergences,
    )


def segments_r_hat(mean: Array, square: Array, n_draws: int) -> float:
    """Return the largest split R-hat from the moments of (S, C, ...) segments of chains."""
    n = n_draws / len(mean)
    flat = mean.reshape(-1, *mean.shape[2:])
    within = square.sum(axis=(0, 1)) / (len(flat) * (n - 1))
    between = flat.var(axis=0, ddof=1)
    # What scores determine, as single ones do, has no spread but that of rounding.
    open_ = within > 1e-20 * (mean**2).max()
    ratio = np.divide(between, within, out=np.zeros_like(between), where=open_)
    return float(np.sqrt((n - 1) / n + ratio).max())


def level_of(levels: Array, level: float) -> Level:
    """Return means and credible bounds of (C, T, K) draws of levels.

    Differences of means are means of differences, which medians are not. A mean that a few draws
    far out carry beyond the equal-tailed bounds, as where an algorithm's scores are all the same
    and draws vary by rounding, widens them.
    """
    flat = levels.reshape(-1, levels.shape[2])
    low, high = np.quantile(flat, [(1 - level) / 2, (1 + level) / 2], axis=0)
    mean = flat.mean(axis=0)
    return Level(mean, np.minimum(low, mean), np.maximum(high, mean))


def probabilities(outcomes: Outcomes) -> dict[str, Array]:
    """Return the columns of the probabilities of the outcomes, with their Monte Carlo error."""
    return {
        "prob_first": outcomes.first,
        "prob_equivalent": outcomes.equivalent,
        "prob_second": outcomes.second,
        "prob_error": outcomes.error,
    }


def effects_of(outcomes: Outcomes, measure: Measure, quantity: str) -> dict[str, Array]:
    """Return estimate, interval and probabilities of a quantity of pairs, in the measure's unit."""
    low, high = measure.effect_interval(outcomes.low, outcomes.high)
    return {
        "estimate": measure.effect(outcomes.estimate),
        "conf_low": low,
        "conf_high": high,
        "quantity": np.full(len(outcomes.first), quantity, dtype=object),
        **probabilities(outcomes),
    }


def codes_of(
    outcomes: Outcomes, level: float, *, settled: bool | Flags = True, published: bool = False
) -> States:
    """Return (P,) `Verdict` codes from probabilities, consistent with intervals of the level.

    A direction needs more than (1 + level) / 2, so that the equal-tailed interval lies on its side
    of equality, or beyond the tolerance; equivalence needs the level. By the rule of the published
    tests of pairs each outcome needs the level, so that a pair can be decided while its interval
    spans equality. A probability p with Monte Carlo standard error e decides where p - 3 e is
    beyond its limit: closer to it, the draws of another seed or machine may say otherwise. Chains
    that have not settled decide nothing; (P,) where pairs have chains of their own.

    References
    ----------
    Benavoli, A., Corani, G., Demsar, J. & Zaffalon, M. (2017). Time for a change: a tutorial for
    comparing multiple classifiers through Bayesian analysis. Journal of Machine Learning Research
    18(77), 1-36.

    Flegal, J. M., Haran, M. & Jones, G. L. (2008). Markov chain Monte Carlo: can we trust the third
    significant figure? Statistical Science 23, 250-260. https://doi.org/10.1214/08-STS257
    """
    codes = np.full(len(outcomes.first), Verdict.UNDECIDED)
    direction = level if published else directional(level)
    for code, probability, limit in (
        (Verdict.FIRST, outcomes.first, direction),
        (Verdict.SECOND, outcomes.second, direction),
        (Verdict.EQUIVALENT, outcomes.equivalent, level),
    ):
        codes = np.where(beyond(probability, outcomes.error, limit) & settled, code, codes)
    return codes.astype(np.int8)
