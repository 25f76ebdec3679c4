import numpy as np
import pytest

from benchinfer.relations.numerics.distances import cut, flat_map, linkage


def apart(points):
    return np.sqrt(((points[:, None] - points) ** 2).sum(axis=-1))


def test_points_of_a_plane_are_found_again():
    points = np.random.default_rng(1).normal(size=(8, 2))
    found, share = flat_map(apart(points))
    np.testing.assert_allclose(apart(found), apart(points), atol=1e-8)
    assert share == pytest.approx(1)
    # The longer direction comes first, and the sign does not depend on the machine.
    assert np.ptp(found[:, 0]) > np.ptp(found[:, 1]) * 0.5
    assert all(column[np.abs(column).argmax()] > 0 for column in found.T)


def test_more_directions_than_two_are_said_to_be_lost():
    found, share = flat_map(1.0 - np.eye(5))
    assert share == pytest.approx(0.5)
    assert found.shape == (5, 2)


def test_one_or_equal_things_are_one_point():
    for size in (1, 3):
        points, share = flat_map(np.zeros((size, size)))
        assert not points.any()
        assert share == 1.0


def test_clusters_are_cut_in_the_order_of_their_members():
    at = np.array([5.0, 0.0, 5.1, 0.2, 9.0])
    merges = linkage(np.abs(at[:, None] - at), "average")
    assert cut(merges, 1).tolist() == [0] * 5
    assert cut(merges, 2).tolist() == [0, 1, 0, 1, 0]
    assert cut(merges, 3).tolist() == [0, 1, 0, 1, 2]
    assert cut(merges, 5).tolist() == [0, 1, 2, 3, 4]
    assert cut(linkage(np.zeros((1, 1)), "single"), 1).tolist() == [0]
