"""Size of the family of all pairs, by simulation under the null: `make calibrate`, minutes.

Every algorithm has the same level on average over data sets; any decided pair is a false claim.
"""

import numpy as np
import pytest
from scipy.stats import beta

from benchinfer.compare.adjust import evidence_of
from benchinfer.compare.contrasts import family_of
from benchinfer.numerics import degrees, tukey
from benchinfer.numerics.reml import COMPONENTS, evaluate
from benchinfer.numerics.robust import cluster_robust
from benchinfer.numerics.score_model import fit
from benchinfer.numerics.sufficient import from_blocks

TABLES = 2000
ALPHA = 0.05


def draw(rng, d, b, k, *, unequal, heavy, missing):
    """Blocks with interactions of equal or log-normal spread, two of them near-duplicates."""
    spread = np.exp(0.5 * rng.normal(size=k)) if unequal else np.ones(k)
    noise = (
        (lambda *s: rng.standard_t(5, s) / np.sqrt(5 / 3))
        if heavy
        else (lambda *s: rng.normal(size=s))
    )
    interaction = noise(d, k) * spread
    if unequal:
        interaction[:, 1] = interaction[:, 0] + 0.1 * noise(d)
    mean = noise(d, 1, 1) * 2 + interaction[:, None] + 0.3 * noise(d, b, 1) + noise(d, b, k)
    count = np.ones((d * b, k), dtype=np.int64)
    if missing:
        count = (rng.random(count.shape) >= missing).astype(np.int64)
    held = count.sum(axis=1) > 0
    dataset = np.repeat(np.arange(d), b)[held]
    return dataset, count[held], mean.reshape(-1, k)[held]


def usable(dataset, count, d):
    cells = np.zeros((d, count.shape[1]))
    np.add.at(cells, dataset, count)
    return (cells.sum(axis=1) > 0).all() and ((cells > 0).sum(axis=0) >= 2).all()


def decides(dataset, count, mean, d, b):
    """Whether each structure decides a pair: (pairwise Holm, common single-step)."""
    k = count.shape[1]
    stats = from_blocks(dataset, count, mean, np.zeros(d))
    model = fit(stats, COMPONENTS[:3] if b > 1 else COMPONENTS[:1])
    work = evaluate(stats, model.variances / stats.scale**2, reml=True)
    family = family_of(tuple(f"a{i}" for i in range(k)), "tukey", None, np.zeros(k))
    own = cluster_robust(work.q_matrix, model.derivatives.z, work.phi, family.matrix)
    own = degrees.Adjusted(own.cov * stats.scale**2, own.df)
    common = degrees.kenward_roger(model, family.matrix)
    holm = evidence_of(family, model.beta, own, "holm", ALPHA, 0.0)[0].p_value
    error = np.sqrt(np.einsum("jp,pq,jq->j", family.matrix, common.cov, family.matrix))
    joint = tukey.max_t(family.matrix, common.cov, float(common.df.min()))
    largest = np.abs(family.matrix @ model.beta / error).max()
    single = tukey.survival(joint, np.array([largest]))[0][0] if joint.n_means else np.nan
    return holm.min() <= ALPHA, np.nan if np.isnan(single) else single <= ALPHA


CASES = [
    (d, b, k, unequal, heavy, missing)
    for d, b, k in [(5, 5, 5), (10, 1, 5), (10, 5, 2), (10, 5, 10), (20, 5, 5), (50, 5, 5)]
    for unequal in (False, True)
    for heavy in (False, True)
    for missing in (0.0, 0.2)
]


@pytest.mark.calibration
@pytest.mark.parametrize("case", CASES, ids=str)
def test_default_holds_its_level(case, record_property):
    d, b, k, unequal, heavy, missing = case
    rng = np.random.default_rng(CASES.index(case))
    seen = []
    while len(seen) < TABLES:
        blocks = draw(rng, d, b, k, unequal=unequal, heavy=heavy, missing=missing)
        if usable(blocks[0], blocks[1], d):
            seen.append(decides(*blocks, d, b))
    size, common = np.array(seen).mean(axis=0)
    print(f"| {d} | {b} | {k} | {unequal} | {heavy} | {missing} | {size:.3f} | {common:.3f} |")  # noqa: T201 (for the docs)
    record_property("size", size)
    # The 99.9 % upper limit of a binomial share of 5 %.
    assert size <= beta.ppf(0.999, ALPHA * TABLES + 1, (1 - ALPHA) * TABLES)
