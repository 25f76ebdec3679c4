"""Clusters of relations over resamples."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.relations.numerics.stability import bootstrapped, jaccard, together

ONE, TWO = bi.Relation.from_text("a > b > c > d"), bi.Relation.from_text("d > c > b > a")
NEAR = bi.Relation.from_text("a > c > b > d")


def planted(n=8):
    names = [f"d{i}" for i in range(2 * n)]
    kinds = [ONE if i % 3 else NEAR for i in range(n)] + [TWO] * n
    return bi.Ensemble(dict(zip(names, kinds, strict=True)))


def test_planted_clusters_are_stable():
    found = planted().cluster_stability(2, resamples=40, seed=1)
    np.testing.assert_allclose(found.likeness, 1)
    assert found.groups.tolist() == [0] * 8 + [1] * 8
    np.testing.assert_allclose(found.together, np.kron(np.eye(2), np.ones((8, 8))))
    assert found.moved.max() < 0.5


def test_clusters_of_nothing_are_not_stable():
    rng = np.random.default_rng(2)
    names = list("abcdef")
    orders = {f"d{i}": bi.Relation.from_text(" > ".join(rng.permutation(names))) for i in range(20)}
    found = bi.Ensemble(orders).cluster_stability(4, resamples=40, seed=1)
    assert found.likeness.mean() < 0.75


def test_jaccard_and_together_by_brute_force():
    rng = np.random.default_rng(3)
    reference = np.array([0, 0, 1, 1, 1, 2])
    labels = rng.integers(-1, 3, (30, 6))
    labels[labels.max(axis=1) < 0] = 0
    found = jaccard(reference, labels)
    for r, row in enumerate(labels):
        for c in range(3):
            own = {i for i in range(6) if row[i] >= 0 and reference[i] == c}
            others = [{i for i in range(6) if row[i] == g} for g in range(3)]
            best = max(len(own & o) / len(own | o) for o in others if o) if own else np.nan
            assert found[r, c] == pytest.approx(best, nan_ok=True)
    share = together(labels)
    both = [(row[0] == row[4]) for row in labels if row[0] >= 0 and row[4] >= 0]
    assert share[0, 4] == pytest.approx(np.mean(both))


def test_samples_are_drawn_with_replacement():
    # 3 different ones or fewer of 5 draws from 5, exactly.
    exact = (5 * 1 + 10 * 30 + 10 * 150) / 5**5
    many = bootstrapped(lambda at: len(set(at.tolist())) <= 3, 5, 4000, seed=2)
    assert np.mean(many) == pytest.approx(exact, abs=0.025)


def test_saved_drawn_and_refused(tmp_path):
    found = planted(3).cluster_stability(2, resamples=5, seed=1)
    back = bi.load(found.save(tmp_path / "c.json"))
    pd.testing.assert_frame_equal(back.summary(), found.summary())
    pd.testing.assert_frame_equal(back.pairs(), found.pairs())
    assert found.to_frame()["group"].tolist() == [1, 1, 1, 2, 2, 2]
    assert "d0" in found.plot().get_label()
    assert found._repr_html_()
    with pytest.raises(bi.DesignError, match="1 to 6 clusters"):
        planted(3).cluster_stability(7, seed=1)
    with pytest.raises(bi.DesignError, match="resamples"):
        planted(3).cluster_stability(2, resamples=0)
