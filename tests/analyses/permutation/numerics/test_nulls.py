"""Null distributions: enumeration, random arrangements and the normal limit."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchinfer.analyses.permutation.numerics import arrangements as numerics_arrangements
from benchinfer.analyses.permutation.numerics import blocks, nulls
from benchinfer.analyses.permutation.numerics.arrangements import arrangements, exact, monte_carlo
from benchinfer.analyses.permutation.numerics.blocks import lay_out
from benchinfer.analyses.permutation.numerics.nulls import asymptotic
from benchinfer.core.errors import FitError
from benchinfer.numerics import max_t, shuffle, ties
from tests.analyses.permutation.numerics.test_blocks import CASES, complete
from tests.analyses.permutation.numerics.test_friedman import (
    contrasts_of,
    every_sum,
    ragged,
    scored,
)
from tests.numerics.test_max_t_exact_studentized import survival

PAIRS = max_t.all_pairs(3)[1]
CONTROL = np.array([[1.0, -1, 0], [1, 0, -1]])
FAMILIES = {"pairs": PAIRS, "control": CONTROL, "means": np.eye(3)}


def brute_force(scores, layout, contrasts, *, two_sided):
    """Overall, raw, single-step and step-down p-values from a list of all column sums."""
    m = nulls.moments(scores, layout)
    deviations = every_sum(scores, layout) - (m.total - m.deviation)
    half = nulls.root(m.cov)
    x2 = ((deviations @ half.T) ** 2).sum(axis=1)
    overall = (x2 >= ((half @ m.deviation) ** 2).sum() - 1e-9).mean()
    rows = nulls.scaled_contrasts(m.cov, contrasts)
    z, own = deviations @ rows.T, rows @ m.deviation
    if two_sided:
        z, own = abs(z), abs(own)
    raw = (z >= own - 1e-9).mean(axis=0)
    single = (z.max(axis=1)[:, None] >= own - 1e-9).mean(axis=0)
    down, p = np.empty(len(own)), 0.0
    order = np.argsort(-own, kind="stable")
    for i, j in enumerate(order):
        p = max(p, (z[:, order[i:]].max(axis=1) >= own[j] - 1e-9).mean())
        down[j] = p
    return overall, raw, single, down


def tables():
    rng = np.random.default_rng(9)
    values, layout = complete(rng.normal(size=(4, 3)))
    return {
        "values": (values, layout),
        "ties": (blocks.score(values, layout, "ranks").values, layout),
        "constant": complete(np.array([[1.0, 1, 1], [1, 2, 3], [2, 2, 3], [1, 5, 7]])),
        "ragged": ragged(),
    }


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("table", ["values", "ties", "constant", "ragged"])
def test_exact_is_brute_force(table, family, two_sided):
    scores, layout = tables()[table]
    contrasts = FAMILIES[family]
    found = exact(nulls.PermutationProblem.of(scores, layout, contrasts, two_sided=two_sided))
    expected = brute_force(scores, layout, contrasts, two_sided=two_sided)
    ours = [found.overall, found.raw, found.single_step, found.step_down]
    for p, q in zip(ours, expected, strict=True):
        np.testing.assert_allclose(p.value, q, rtol=1e-13)
        assert (p.error == 0).all()


def test_one_block_may_be_fixed_for_pairs_only():
    scores, layout = tables()["ties"]
    question = nulls.PermutationProblem.of(scores, layout, PAIRS)
    full, less = exact(question), exact(question, fixed=True)
    assert (full.n, less.n) == (6**4, 6**3)
    assert arrangements(scores, layout) == (1296, 216)
    assert less.overall.value == full.overall.value
    np.testing.assert_array_equal(less.single_step.value, full.single_step.value)
    assert less.raw is None
    assert less.step_down is None
    assert (
        exact(nulls.PermutationProblem.of(scores, layout, np.zeros((0, 3))), fixed=True).overall
        == less.overall
    )
    wrong = [
        nulls.PermutationProblem.of(scores, layout, CONTROL),
        nulls.PermutationProblem.of(scores, layout, PAIRS[:2]),
        nulls.PermutationProblem.of(scores, layout, PAIRS, two_sided=False),
        nulls.PermutationProblem.of(*ragged(), PAIRS),
    ]
    for other in wrong:
        assert not other.symmetric
        with pytest.raises(FitError, match="one block may be held fixed"):
            exact(other, fixed=True)


def test_arrangements_are_counted_before_they_are_made():
    scores, layout = complete(np.array([[1.0, 1, 1], [1, 2, 3], [2, 2, 3], [1, 5, 7]]))
    assert arrangements(scores, layout)[0] == 6 * 3 * 6
    assert exact(nulls.PermutationProblem.of(scores, layout, PAIRS)).n == 108
    many = complete(np.random.default_rng(0).normal(size=(500, 3)))
    assert arrangements(*many)[0] == np.inf
    with pytest.raises(FitError, match="more than 1000000 arrangements"):
        exact(nulls.PermutationProblem.of(*many, PAIRS))


def test_two_samples_in_one_block_are_the_permutation_t_test():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=6), rng.normal(size=5) + 1
    layout = lay_out(np.zeros(11, int), np.repeat([0, 1], [6, 5]), 2)
    question = nulls.PermutationProblem.of(np.concatenate([x, y]), layout, max_t.all_pairs(2)[1])
    found = exact(question)
    theirs = stats.permutation_test(
        (x, y), lambda a, b: abs(a.mean() - b.mean()), alternative="greater"
    )
    assert found.n == 462
    assert found.raw.value[0] == pytest.approx(theirs.pvalue, rel=1e-12)
    swapped = stats.mannwhitneyu(x, y, method="exact").pvalue
    ranks = ties.midranks(np.concatenate([x, y]), 0.0).values
    ours = exact(nulls.PermutationProblem.of(ranks, layout, max_t.all_pairs(2)[1])).raw.value[0]
    assert ours == pytest.approx(swapped, rel=1e-12)


def test_sign_flips():
    d = np.random.default_rng(8).normal(size=10) + 0.4
    question = nulls.PermutationProblem.of(
        *complete(np.column_stack([d, 0 * d])), max_t.all_pairs(2)[1]
    )
    theirs = stats.permutation_test((d,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert exact(question).raw.value[0] == pytest.approx(theirs.pvalue, rel=1e-12)
    assert exact(question, fixed=True).single_step.value[0] == pytest.approx(theirs.pvalue)


def test_page_exact_is_that_of_scipy():
    table = np.random.default_rng(12).normal(size=(4, 3)) + np.array([0, 0.4, 0.8])
    values, layout = complete(table)
    ranks = blocks.score(values, layout, "ranks").values
    found = exact(
        nulls.PermutationProblem.of(ranks, layout, np.array([[1.0, 2, 3]]), two_sided=False)
    )
    theirs = stats.page_trend_test(table, method="exact")
    assert found.raw.value[0] == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.parametrize("table", ["values", "ties", "constant", "ragged"])
def test_monte_carlo_is_within_four_errors_of_exact(table):
    question = nulls.PermutationProblem.of(*tables()[table], PAIRS)
    found, truth = monte_carlo(question, 200_000, seed=17), exact(question)
    assert found.n == 200_000
    for name in ("overall", "raw", "single_step", "step_down"):
        p, q = getattr(found, name), getattr(truth, name)
        assert (np.abs(p.value - q.value) <= 4 * p.error + 1e-5).all()


@pytest.mark.parametrize("name", ["values", "aligned_ranks"])
@pytest.mark.parametrize("case", CASES)
def test_monte_carlo_agrees_with_coin(case, name):
    d, layout, scores = scored(case, name)
    expected = d["resampled"][name]
    contrasts = contrasts_of(d, d["tests"][name]["contrasts"])
    found = monte_carlo(nulls.PermutationProblem.of(scores, layout, contrasts), 50_000, seed=2)

    def error(p):
        return np.sqrt(np.maximum(p * (1 - p), 1 / 50_000) * 2 / 50_000)

    for ours, theirs in [
        (found.overall.value, expected["p_quadratic"]),
        (found.single_step.value, expected["p_single_step"]),
        (found.step_down.value, expected["p_step_down"]),
    ]:
        assert (np.abs(ours - np.array(theirs)) < 4 * error(ours)).all()


def test_chunks_and_threads_do_not_matter(monkeypatch):
    question = nulls.PermutationProblem.of(
        *complete(np.random.default_rng(1).normal(size=(30, 4))), np.eye(4)
    )
    reference = monte_carlo(question, 5000, seed=5)
    monkeypatch.setattr("benchinfer.analyses.permutation.numerics.arrangements._VISITS", 120 * 37)
    seen = []
    other = monte_carlo(question, 5000, seed=5, n_jobs=3, progress=seen.append)
    assert len(seen) > 100
    assert sum(seen) == 5000
    assert other.overall == reference.overall
    np.testing.assert_array_equal(other.step_down.value, reference.step_down.value)
    assert monte_carlo(question, 5000, seed=6).overall != reference.overall
    monkeypatch.setattr("benchinfer.core.parallel._SECOND", 1)
    shared = monte_carlo(question, 5000, seed=5)
    np.testing.assert_array_equal(shared.single_step.value, reference.single_step.value)
    small = nulls.PermutationProblem.of(*tables()["values"], PAIRS)
    monkeypatch.setattr("benchinfer.analyses.permutation.numerics.arrangements._VISITS", 13 * 100)
    assert exact(small, n_jobs=2).overall == exact(small).overall


@pytest.mark.parametrize("complete", [True, False])
def test_random_arrangements_are_uniform(complete):
    """Every arrangement of a block of four and of two blocks of three, equally often."""
    scores = np.array([1.0, 10, 100, 1000])
    rows = shuffle.ShuffleRows.of(scores, np.arange(4), np.array([0, 4]), complete=complete)
    counts = np.zeros(24)
    # Contrasts that count one arrangement each: p = 1 where the weights fit the sums exactly.
    targets = np.array(np.meshgrid(*[[1, 10, 100, 1000]] * 4)).reshape(4, -1).T
    targets = targets[[len(set(t)) == 4 for t in targets]].astype(float)
    family = shuffle.ShuffleStatistics(
        np.zeros((0, 4)),
        np.arange(0, 97, 4),
        np.tile(np.arange(4), 24),
        targets.ravel(),
        False,  # noqa: FBT003
        0.0,
        np.full(24, float(targets[0] @ targets[0]) - 0.5),
        1.0,
    )
    n = 240_000
    counts = shuffle.count_random(rows, family, np.uint64(3), 0, n)[1:25]
    assert counts.sum() == n
    assert stats.chisquare(counts).pvalue > 1e-4


def test_histogram_of_the_global_statistic():
    question = nulls.PermutationProblem.of(
        *complete(np.random.default_rng(3).normal(size=(4, 3))), PAIRS
    )
    m = question.moments
    sums = every_sum(question.centred, question.layout)
    every = (((sums - m.total + m.deviation) @ nulls.root(m.cov).T) ** 2).sum(axis=1)
    found = exact(question).histogram
    expected = np.bincount(np.minimum((every / found.width).astype(int), 60), minlength=61)
    assert found.counts.sum() == 6**4
    # Sums in another order can put a statistic on the other side of a border.
    assert np.abs(found.counts - expected).sum() <= 4
    fixed = exact(question, fixed=True).histogram
    assert np.abs(6 * fixed.counts - found.counts).sum() <= 24
    drawn = monte_carlo(question, 50_000, seed=1).histogram
    assert np.abs(drawn.counts / 50_000 - found.counts / 6**4).max() < 0.01


def test_histogram_is_the_same_for_any_chunks(monkeypatch):
    question = nulls.PermutationProblem.of(
        *complete(np.random.default_rng(3).normal(size=(9, 3))), PAIRS
    )
    whole = monte_carlo(question, 5_000, seed=1).histogram
    monkeypatch.setattr(numerics_arrangements, "_VISITS", 1)
    assert (monte_carlo(question, 5_000, seed=1, n_jobs=2).histogram.counts == whole.counts).all()


def test_early_stopping_keeps_the_decision():
    clear = nulls.PermutationProblem.of(
        *complete(np.random.default_rng(1).normal(size=(20, 3))), PAIRS
    )
    found = monte_carlo(clear, 10**6, seed=1, alpha=0.05)
    full = monte_carlo(clear, 100_000, seed=1)
    assert found.stopped
    assert found.n <= 64_000
    for name in ("overall", "single_step", "step_down"):
        p, q = getattr(found, name).value, getattr(full, name).value
        assert ((p <= 0.05) == (q <= 0.05)).all()
    assert not full.stopped
    # At the very level nothing is certain.
    level = float(exact(nulls.PermutationProblem.of(*tables()["values"], PAIRS)).overall.value)
    near = monte_carlo(
        nulls.PermutationProblem.of(*tables()["values"], np.zeros((0, 3))), 20_000, 1, alpha=level
    )
    assert not near.stopped


@pytest.mark.parametrize("k", [2, 4, 7])
def test_limits_in_complete_blocks_are_closed_forms(k):
    values, layout = complete(np.random.default_rng(k).normal(size=(15, k)))
    question = nulls.PermutationProblem.of(values, layout, max_t.all_pairs(k)[1])
    found = asymptotic(question)
    z = np.abs(question.observed)
    expected = survival(np.sqrt(2) * z, k, np.inf)
    np.testing.assert_allclose(found.single_step.value, expected, rtol=1e-9)
    assert (found.single_step.error == 0).all()
    np.testing.assert_allclose(found.raw.value, 2 * stats.norm.sf(z), rtol=1e-12)
    assert found.overall.value == nulls.quadratic(question.moments).p_value


def test_limit_against_a_control_is_dunnett():
    values, layout = complete(np.random.default_rng(3).normal(size=(15, 4)))
    control = np.column_stack([np.ones(3), -np.eye(3)])
    for two_sided in (True, False):
        question = nulls.PermutationProblem.of(values, layout, control, two_sided=two_sided)
        found = asymptotic(question).single_step.value
        correlation = np.full((3, 3), 0.5) + 0.5 * np.eye(3)
        for p, z in zip(found, question.observed, strict=True):
            c = abs(z) if two_sided else z
            low = np.full(3, -c if two_sided else -np.inf)
            box = {"lower_limit": low, "maxpts": 10**6, "abseps": 1e-7}
            inside = stats.multivariate_normal.cdf(np.full(3, c), cov=correlation, **box)
            assert p == pytest.approx(1 - inside, abs=2e-5)


def test_limit_of_each_mean_against_all_is_right_although_the_covariance_is_singular():
    values, layout = complete(np.random.default_rng(2).normal(size=(15, 4)))
    z = np.random.default_rng(1).normal(size=(400_000, 4))
    z = (z - z.mean(axis=1, keepdims=True)) / np.sqrt(0.75)
    for two_sided in (True, False):
        question = nulls.PermutationProblem.of(values, layout, np.eye(4), two_sided=two_sided)
        found = asymptotic(question).single_step
        size = np.abs if two_sided else np.asarray
        largest = size(z).max(axis=1)[:, None]
        seen = (largest >= size(question.observed)).mean(axis=0)
        allowed = 4 * np.sqrt(seen * (1 - seen) / 400_000) + 1e-4
        assert (np.abs(found.value - seen) < allowed).all()


def test_incomplete_blocks_have_a_limit():
    d, layout, scores = scored("incomplete", "values")
    contrasts = contrasts_of(d, d["tests"]["values"]["contrasts"])
    question = nulls.PermutationProblem.of(scores, layout, contrasts)
    found, drawn = asymptotic(question), monte_carlo(question, 50_000, seed=4)
    np.testing.assert_allclose(found.raw.value, d["tests"]["values"]["p_raw"], rtol=1e-8)
    assert (np.abs(found.single_step.value - drawn.single_step.value) < 0.02).all()


def test_nothing_varies():
    values, layout = complete(np.ones((3, 3)))
    question = nulls.PermutationProblem.of(values, layout, PAIRS)
    for found in (exact(question), monte_carlo(question, 99, seed=1), asymptotic(question)):
        assert found.overall.value == 1
        assert found.single_step.value.tolist() == [1, 1, 1]


def test_no_blocks_at_all():
    layout = lay_out(np.arange(3), np.arange(3), 3)
    assert layout.dropped == 3
    question = nulls.PermutationProblem.of(np.zeros(0), layout, PAIRS)
    assert monte_carlo(question, 99, seed=1).overall.value == 1
    assert exact(question).overall.value == 1


def test_compiled_code_is_kept():
    cached = shuffle._count_random.stats.cache_path
    assert Path(cached).exists()
