import numpy as np

from benchinfer.relations.ensemble import Map, clusters


def test_clusters_have_names():
    at = np.array([0.0, 5.0, 0.1])
    found = clusters(("x", "y", "z"), np.abs(at[:, None] - at), "complete")
    assert found.cut(1) == [["x", "y", "z"]]
    assert found.cut(2) == [["x", "z"], ["y"]]
    assert found.cut(3) == [["x"], ["y"], ["z"]]


def test_a_map_is_a_table():
    table = Map(("x", "y"), np.array([[1.0, 0.0], [-1.0, 0.5]]), 1.0).to_frame()
    assert table.to_dict("list") == {"relation": ["x", "y"], "x": [1.0, -1.0], "y": [0.0, 0.5]}
