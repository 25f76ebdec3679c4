"""Archetypes of a score table: what is planted, what is said, what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.subgroups.archetypes.figures import layout_curve
from benchinfer.core.frames import GLOSSARY

# Three kinds of data sets: where a, b or c is best by far; the others lie between them.
CORNERS = np.array([[0.9, 0.5, 0.5], [0.5, 0.9, 0.4], [0.4, 0.5, 0.9]])


def table(better="higher", shift=0.0, seed=1, n=24):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet([0.6] * 3, size=n)
    shares[:3] = np.eye(3)
    values = shares @ CORNERS + shift * rng.normal(size=(n, 1))
    values = values if better == "higher" else 1 - values
    rows = [(f"d{d:02}", "abc"[a], values[d, a]) for d in range(n) for a in range(3)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    return bi.read_scores(frame, measures=[bi.Measure("score", better)]), shares


@pytest.fixture(scope="module")
def found():
    return bi.archetypes(table()[0], k=3, profiles="levels", seed=1)


def test_planted_archetypes_are_found_and_described(found):
    order = [int(np.abs(found.corners - corner).sum(axis=1).argmin()) for corner in CORNERS]
    np.testing.assert_allclose(found.corners[order], CORNERS, atol=1e-6)
    np.testing.assert_allclose(found.alphas[:, order], table()[1], atol=1e-5)
    for name, j in zip("abc", order, strict=True):
        assert found.describe(j).startswith(f"{name} best")
    assert [found.nearest(j)[0] for j in order] == ["d00", "d01", "d02"]
    assert found.explained == pytest.approx(1)


@pytest.mark.slow
def test_differences_do_not_see_how_hard_a_data_set_is():
    one = bi.archetypes(table()[0], k=3, seed=1)
    two = bi.archetypes(table(shift=5.0)[0], k=3, seed=1)
    np.testing.assert_allclose(one.corners, two.corners, atol=1e-6)
    np.testing.assert_allclose(one.alphas, two.alphas, atol=1e-5)


@pytest.mark.slow
def test_direction_changes_signs_alone():
    one, two = (bi.archetypes(table(way)[0], k=3, seed=1) for way in ("higher", "lower"))
    np.testing.assert_allclose(one.alphas, two.alphas, atol=1e-6)
    assert [one.describe(j) for j in range(3)] == [two.describe(j) for j in range(3)]
    left, right = one.profiles(), two.profiles()
    np.testing.assert_allclose(left["estimate"], -right["estimate"], atol=1e-6)
    np.testing.assert_array_equal(left["rank"], right["rank"])


def test_algorithms_that_rounding_tells_apart_share_a_rank(found):
    points = np.array([[0.3, 0.1 + 0.2, 0.5], [0.1 + 0.2, 0.3, 0.1], [0.3, 0.2, 0.1]])
    corners = replace(found, points=points, betas=np.eye(3))
    ranks = corners.profiles()["rank"].to_numpy().reshape(3, 3)
    np.testing.assert_array_equal(ranks, [[2.5, 2.5, 1], [1.5, 1.5, 3], [1, 2, 3]])
    assert corners.describe(1).startswith("a and b best")


@pytest.mark.slow
def test_elbow_is_at_the_planted_number():
    found = bi.archetypes(table()[0], seed=1)
    assert found.k == 3
    curve = found.curve()
    assert curve["explained"].is_monotonic_increasing
    assert curve["n_archetypes"].tolist() == [1, 2, 3, 4, 5, 6]
    assert "ring: the elbow" in layout_curve(found).notes[0]


def test_a_number_that_was_asked_for_is_no_elbow():
    found = bi.archetypes(table()[0], k=2, starts=1, seed=1)
    assert "ring: as requested" in layout_curve(found).notes[0]


def test_tables_fit_together(found):
    frames = [found.summary(), found.coordinates(), found.profiles(), found.parts()]
    frames += [found.curve(), found.diagnostics()]
    assert {name for one in frames for name in one.columns} <= set(GLOSSARY)
    shares = found.coordinates().groupby("dataset")["share"].sum()
    np.testing.assert_allclose(shares, 1)
    np.testing.assert_allclose(found.parts().groupby("archetype")["share"].sum(), 1)
    assert found.summary()["n_datasets"].sum() == 24
    assert found.summary()["weight"].sum() == pytest.approx(1)
    assert found.summary()["weight"].is_monotonic_decreasing


@pytest.mark.slow
def test_weights_and_gaps():
    scores, _ = table()
    none = {f"d{d:02}": float(d > 0) for d in range(24)}
    found = bi.archetypes(scores, k=3, weights=none, seed=1)
    assert "d00" not in set(found.parts()["dataset"])
    rows = scores.to_frame()
    found = bi.archetypes(bi.read_scores(rows[1:], measures="score:higher"), k=2, seed=1)
    assert len(found.datasets) == 23
    checks = found.diagnostics().set_index("check")
    assert checks.loc["data sets or algorithms left out", "value"] == 1


@pytest.mark.slow
def test_resamples_find_planted_archetypes_again(found):
    again = found.stability(10, seed=3)
    assert again.recurs.min() >= 0.5
    np.testing.assert_allclose(np.diag(again.together), 1)
    np.testing.assert_allclose(again.together, again.together.T)
    assert len(again.pairs()) == 24 * 23 // 2
    assert again.summary()["share"].tolist() == again.recurs.tolist()


def test_saved_and_loaded_again(found, tmp_path):
    back = bi.load(found.save(tmp_path / "a.json"))
    assert str(back) == str(found)
    pd.testing.assert_frame_equal(back.coordinates(), found.coordinates())
    one = found.stability(2, seed=1)
    pd.testing.assert_frame_equal(bi.load(one.save(tmp_path / "s.json")).pairs(), one.pairs())
    assert "Archetypal" in found.citations()


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("width", ["page", "column"])
def test_figures_are_drawn(k, width):
    found = bi.archetypes(table()[0], k=k, seed=1)
    for kind in (None, "profiles", "curve"):
        assert "archetype" in found.plot(kind, width=width).get_label()
    assert found._repr_html_()


def test_arguments_are_checked():
    scores, _ = table(n=3)
    with pytest.raises(bi.DesignError, match="3 different data sets"):
        bi.archetypes(scores, k=4)
    bad = {"d00": 1, "d01": -1, "x": 1}
    with pytest.raises(bi.DesignError, match=r"no weight: d02; not in the table: x; .* d01"):
        bi.archetypes(scores, k=2, weights=bad)
    with pytest.raises(bi.DesignError, match="profiles"):
        bi.archetypes(scores, k=2, profiles="ranks")
    with pytest.raises(bi.DesignError, match="1 different"):
        bi.archetypes(scores, k=2, weights={"d00": 1, "d01": 0, "d02": 0})
