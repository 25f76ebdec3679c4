import numpy as np

from benchinfer.analyses.bayes.numerics.responses import count_items, nodes


def test_items_collapse_by_who_tried_them():
    dataset = np.array([0, 0, 0, 1, 1])
    trials = np.array([[1, 1], [1, 0], [1, 1], [1, 1], [2, 1]])
    right = np.array([[1, 0], [1, 0], [1, 1], [0, 0], [1, 1]])
    found = count_items(dataset, trials, right)
    groups = [tuple(row) for row in np.column_stack([found.dataset, found.trials]).tolist()]
    assert groups == [(0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 2, 1)]
    assert found.items.tolist() == [1, 2, 1, 1]
    assert found.right.tolist() == [[1, 0], [2, 1], [0, 0], [1, 1]]
    rows = np.column_stack([found.group, found.total, found.count]).tolist()
    assert rows == [[0, 1, 1], [1, 1, 1], [1, 2, 1], [2, 0, 1], [3, 2, 1]]
    assert found.answers.tolist() == [[1, 0], [2, 2], [1, 1], [2, 1]]


def test_many_items_are_few_numbers():
    rng = np.random.default_rng(1)
    right = (rng.random((10_000, 8)) < 0.7).astype(int)
    found = count_items(np.zeros(10_000, int), np.ones_like(right), right)
    assert len(found.dataset) == 1
    assert len(found.total) <= 9
    assert found.count.sum() == 10_000


def test_nodes_integrate_over_a_normal_variable():
    for answers in (2, 40):
        z, log_weights = nodes(answers)
        weights = np.exp(log_weights)
        np.testing.assert_allclose([weights.sum(), weights @ z**2, weights @ z**4], [1, 1, 3], 1e-5)
