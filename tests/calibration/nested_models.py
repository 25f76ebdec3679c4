"""Two nested linear models under six ways to sample: the simulation behind a published table.

Hothorn, Leisch, Zeileis & Hornik (2005), Table 1: ``y = 2 x + beta2 x^2 + N(0, 1)``, x uniform on
0 to 5, samples of 150. The first algorithm regresses y on x, the second on x and its square; both
without an intercept, which reproduces the table, or with one. In each of 250 learning samples both
are fitted and their mean squared errors taken on test observations; a one-sided paired t-test asks
whether those of the first are larger. Learning samples are fresh ones, with one test sample of
2,000 or 150 for all of a run (simulation); or bootstrap samples of one sample, with another one
to test on (competition), with what was not drawn (OOB; OOB-2n: of learning and test sample
together), or with five folds inside each.
"""

import numpy as np

from benchinfer.analyses.pair.numerics import t_tests

N, LEARNING, ALPHA = 150, 250, 0.05
SCHEMES = ("simulation 2000", "simulation 150", "competition", "OOB", "OOB-2n", "CV")


def power(scheme, beta2, runs, *, intercept, seed=0):
    """Return the share of runs in which the t-test rejects."""
    rejected = 0
    for run in range(runs):
        rng = np.random.default_rng([seed, SCHEMES.index(scheme), round(100 * beta2), run])
        d = _differences(scheme, beta2, rng, intercept=intercept)
        rejected += t_tests.t_test(t_tests.paired_t(d), 1, 0.0, ALPHA).p <= ALPHA
    return rejected / runs


def _sample(rng, size, beta2):
    x = rng.uniform(0, 5, size)
    return x, 2 * x + beta2 * x**2 + rng.normal(size=size)


def _differences(scheme, beta2, rng, *, intercept):
    if scheme.startswith("simulation"):
        return _simulated(rng, int(scheme.split()[1]), beta2, intercept=intercept)
    x, y = _sample(rng, N, beta2)
    if scheme == "OOB-2n":
        more_x, more_y = _sample(rng, N, beta2)
        x, y = np.r_[x, more_x], np.r_[y, more_y]
    weights = rng.multinomial(len(x), np.full(len(x), 1 / len(x)), LEARNING).astype(float)
    if scheme == "CV":
        return _folds(rng, x, y, intercept=intercept)
    if scheme == "competition":
        test = _moments(np.ones((1, N)), *_sample(rng, N, beta2))
    else:
        test = _moments((weights == 0).astype(float), x, y)
    one, two = _errors(_moments(weights, x, y), test, intercept)
    return one - two


def _simulated(rng, m, beta2, *, intercept):
    x, y = _sample(rng, (LEARNING, N), beta2)
    learnt = _powers(x, y).sum(axis=1)
    test = _sample(rng, m, beta2)  # one for all learning samples of a run
    one, two = _errors(learnt, _moments(np.ones((1, m)), *test), intercept)
    return one - two


def _moments(weights, x, y):
    """Return sums of 1, x, ..., x^4, y, xy, x^2 y, y^2 by learning sample."""
    return weights @ _powers(x, y)


def _powers(x, y):
    return np.stack([x**k for k in range(5)] + [y * x**k for k in range(3)] + [y**2], axis=-1)


def _fit(moments, degree, intercept):
    """Return (B, 3) coefficients by least squares."""
    used = list(range(0 if intercept else 1, degree + 1))
    gram = np.stack([moments[:, [i + j for j in used]] for i in used], axis=1)
    right = moments[:, [5 + i for i in used]]
    coefficients = np.zeros((len(moments), 3))
    coefficients[:, used] = np.linalg.solve(gram, right[..., None])[..., 0]
    return coefficients


def _errors(learnt, test, intercept):
    """Return the mean squared errors of both models from moments of test observations."""
    result = []
    for degree in (1, 2):
        b = _fit(learnt, degree, intercept)
        gram = np.stack([test[:, i : i + 3] for i in range(3)], axis=1)
        squares = np.einsum("bi,bij,bj->b", b, gram, b)
        result.append((test[:, 8] - 2 * (b * test[:, 5:8]).sum(axis=1) + squares) / test[:, 0])
    return result


def _folds(rng, x, y, *, intercept):
    """Cross-validate within each bootstrap sample, without what is in its training folds, too."""
    drawn = rng.integers(0, N, (LEARNING, N))
    fold = rng.permuted(np.tile(np.arange(N) % 5, (LEARNING, 1)), axis=1)
    flat = (np.arange(LEARNING)[:, None] * 5 + fold) * N + drawn
    counts = np.bincount(flat.ravel(), minlength=LEARNING * 5 * N).reshape(LEARNING, 5, N)
    training = counts.sum(axis=1, keepdims=True) - counts
    left = np.where(training == 0, counts, 0).reshape(-1, N).astype(float)
    learnt = _moments(training.reshape(-1, N).astype(float), x, y)
    one, two = _errors(learnt, _moments(left, x, y), intercept)
    return (one - two).reshape(LEARNING, 5).mean(axis=1)
