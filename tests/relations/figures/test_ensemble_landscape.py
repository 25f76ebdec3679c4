import numpy as np
import pytest

import benchinfer as bi
from benchinfer.plots.style import dodge
from benchinfer.relations.figures import ensemble as figures_ensemble


def ensemble(*texts):
    return bi.Ensemble({f"d{n}": bi.Relation.from_text(t) for n, t in enumerate(texts, 1)})


def test_distances_on_the_map_are_those_of_the_points():
    found = ensemble("a > b > c > d", "d > c > b > a", "a > c > b > d", "b > a > d > c")
    laid = figures_ensemble.layout_landscape(found)
    points = found.map().points
    for i in range(4):
        for j in range(i):
            drawn = np.hypot(*np.subtract(laid.points[i], laid.points[j]))
            assert drawn == pytest.approx(laid.unit * np.hypot(*(points[i] - points[j])))
    assert all(0 <= x <= laid.extent[0] and 0 <= y <= laid.extent[1] for x, y in laid.points)


def test_relations_that_are_the_same_share_a_point():
    laid = figures_ensemble.layout_landscape(ensemble("a > b", "a > b", "b > a"))
    assert [text.text for text in laid.texts] == ["d1, d2", "d3"]
    assert len(laid.points) == 2


def test_one_relation():
    laid = figures_ensemble.layout_landscape(ensemble("a > b"))
    assert len(laid.points) == 1


def test_texts_dodge_each_other():
    points = np.array([[2.0, 1.0], [2.05, 1.0], [2.0, 1.1]])
    found = dodge(points, ["first name", "second name", "third name"], (4.0, 2.0))
    assert len({(text.x, text.y, text.ha, text.va) for text in found}) == 3
    assert found == dodge(points, ["first name", "second name", "third name"], (4.0, 2.0))
    assert dodge(points[:1], ["alone"], (4.0, 2.0))[0].led is False
