import numpy as np

from benchinfer.analyses.bayes.numerics.contrasts import reduce_contrasts, standardised


def reduced(factor):
    rng = np.random.default_rng(2)
    dataset = np.repeat(np.arange(5), 3)
    count = np.ones((15, 3), int)
    count[1, 2] = count[4, 0] = 0
    mean = rng.standard_normal((15, 3)) * factor[dataset][:, None]
    return reduce_contrasts(dataset, count, mean, 0.1 * factor**2)


def test_units_of_data_sets_do_not_matter():
    factor = np.array([1.0, 100.0, 1e-3, 5.0, 1e6])
    one, other = standardised(reduced(np.ones(5))), standardised(reduced(factor))
    for name in ("z", "rss", "log_sd", "scale"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose((one.z**2).sum(axis=1) / one.rank, 1)


def test_what_was_standardised_stays():
    once = standardised(reduced(np.ones(5)))
    twice = standardised(once)
    np.testing.assert_allclose(once.z, twice.z, rtol=1e-12)
    np.testing.assert_allclose(once.rss, twice.rss, rtol=1e-12)
    np.testing.assert_allclose(once.log_sd, twice.log_sd, rtol=1e-12)
