"""Simulated tables without any difference between algorithms, and what is claimed of them."""

from dataclasses import dataclass

import numpy as np

from benchinfer.analyses.mixed.design import Design, Fixed
from benchinfer.analyses.mixed.fit import fit_statistics
from benchinfer.analyses.mixed.numerics.likelihood import COMPONENTS
from benchinfer.comparison.contrasts import family_of
from benchinfer.comparison.normal import evidence_of
from benchinfer.core.errors import BenchinferError
from benchinfer.numerics import max_t

ALPHA = 0.05
# Correlation of the interactions of two near-duplicates.
NEAR = 0.98
# Levels of two groups so far apart that all pairs across are decided: the least favourable of all
# such differences for step-down tests, which then have the fewest pairs left to adjust for.
FAR = 1e6


@dataclass(frozen=True, slots=True)
class Case:
    """D data sets, B replications and K algorithms under some conditions."""

    d: int
    b: int
    k: int
    unequal: bool = False
    heavy: bool = False
    missing: float = 0.0

    def __str__(self):
        words = [f"D={self.d} B={self.b} K={self.k}", "unequal" if self.unequal else "equal"]
        words += ["t5"] * self.heavy + [f"{self.missing:.0%} missing"] * (self.missing > 0)
        return " ".join(words)

    @property
    def terms(self):
        return COMPONENTS[:3] if self.b > 1 else COMPONENTS[:1]

    @property
    def family(self):
        return family_of(tuple(f"a{i}" for i in range(self.k)), "tukey", None, np.zeros(self.k))

    @property
    def group(self):
        return np.arange(self.k) >= (self.k + 1) // 2


def noise(rng, case, *shape):
    if case.heavy:
        return rng.standard_t(5, shape) / np.sqrt(5 / 3)
    return rng.normal(size=shape)


def interactions(rng, case, n):
    """Return (n, D, K) effects of unit spread, or of log-normal spread with two near-duplicates."""
    effect = noise(rng, case, n, case.d, case.k)
    if not case.unequal:
        return effect
    spread = np.exp(0.5 * rng.normal(size=(n, 1, case.k)))
    spread[:, :, 1] = spread[:, :, 0]
    effect[:, :, 1] = NEAR * effect[:, :, 0] + np.sqrt(1 - NEAR**2) * effect[:, :, 1]
    return effect * spread


def scores(rng, case, n):
    """Return (n, D, B, K) scores."""
    d, b, k = case.d, case.b, case.k
    shared = 2 * noise(rng, case, n, d, 1, 1) + 0.3 * noise(rng, case, n, d, b, 1)
    return shared + interactions(rng, case, n)[:, :, None] + noise(rng, case, n, d, b, k)


def ragged(rng, case, value):
    """Return the scores (D, B, K) as blocks, with a share of them missing."""
    while True:
        held = rng.random(value.shape) >= case.missing
        if usable(held.any(axis=1)):
            break
    dataset = np.repeat(np.arange(case.d), case.b)
    count = held.reshape(-1, case.k)
    kept = count.any(axis=1)
    _, dataset = np.unique(dataset[kept], return_inverse=True)
    return dataset, count[kept].astype(np.int64), value.reshape(-1, case.k)[kept]


def usable(found):
    """Return whether `compare_mixed` takes a table with these (D, K) cells."""
    chain = np.linalg.matrix_power((found.T @ found.astype(float)) > 0, found.shape[1])
    return (found.sum(axis=0) >= 2).all() and chain.all()


def outcome(case, levels, errors, adjust="holm"):
    """Return three words on a table.

    Whether some pair is claimed to differ, whether some equal pair is where two groups of
    algorithms are far apart, and whether some simultaneous interval misses.
    """
    family, group = case.family, case.group
    equal = (group[family.pairs[:, 0]] == group[family.pairs[:, 1]]) if case.k > 2 else slice(0)
    null = evidence_of(family, levels, errors, adjust, ALPHA, 0.0)[0]
    apart = evidence_of(family, levels + FAR * group, errors, adjust, ALPHA, 0.0)[0]
    return (
        null.p_value.min() <= ALPHA,
        apart.p_value[equal].min(initial=1.0) <= ALPHA,
        ((null.low > 0) | (null.high < 0)).any(),
    )


def single_step(case, levels, errors):
    """Return what `outcome` does, for single-step tests: an interval misses where a test errs."""
    family, group = case.family, case.group
    size = np.abs(family.matrix @ levels) / np.sqrt(
        np.einsum("jp,pq,jq->j", family.matrix, errors.cov, family.matrix)
    )
    equal = (group[family.pairs[:, 0]] == group[family.pairs[:, 1]]) & (case.k > 2)
    joint = max_t.max_t(family.matrix, errors.cov, float(errors.df.min()))
    largest = np.array([size.max(), size[equal].max(initial=0.0)])
    null, apart = max_t.survival(joint, largest)[0] <= ALPHA
    return null, apart, null


def fitted(statistics, terms, rows, *, x=None, domain=None, structure="common"):
    """Return the fit and errors from the spread between data sets, None for a refused table."""
    design = Design(
        "score", terms, one_dataset=False, reason="", target="domain", structure=structure
    )
    try:
        fit = fit_statistics(statistics, design, Fixed(x, rows), domain)
        return fit, fit.spread(rows)
    except BenchinferError:
        return None


def limit(n):
    """Return the nominal level plus four standard errors of a share of n tables."""
    return ALPHA + 4 * np.sqrt(ALPHA * (1 - ALPHA) / n)


def report(words, found, record):
    """Print and record shares of tables; `found` maps names to rows of outcomes."""
    shares = {name: np.mean(rows, axis=0) for name, rows in found.items()}
    for name, share in shares.items():
        n = len(found[name])
        print(f"| {words} | {name} | {n} | " + " | ".join(f"{s:.3f}" for s in share) + " |")  # noqa: T201 (for the docs)
        record(f"{words}: {name}", [n, *share.tolist()])
    return shares
