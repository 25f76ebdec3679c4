import numpy as np

from benchinfer.analyses.bayes.numerics.covariance import (
    Covariance,
    common,
)


def test_squares_are_in_the_metric_of_the_matrix():
    rng = np.random.default_rng(1)
    values, vectors = np.linalg.eigh(np.array([[[2.0, 0.5], [0.5, 1.0]]]))
    sigma = Covariance(vectors, values, np.ones(1), np.ones(1))
    w = rng.standard_normal((1, 4, 2))
    expected = np.einsum("mi,ij,mj->m", w[0], np.linalg.inv(sigma.matrix[0]), w[0])
    np.testing.assert_allclose(sigma.squares(w)[0], expected)
    np.testing.assert_allclose(common(np.array([3.0]), 2).matrix, 9 * np.eye(2)[None])
