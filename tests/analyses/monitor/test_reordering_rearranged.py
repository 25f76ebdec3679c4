"""Random orders: what they lead to, in numbers and words."""

import numpy as np
import pytest
from scipy import stats

import benchinfer as bi


def test_p_values_of_the_order_as_it_is(draw, table):
    rows = draw(40, {"a": 0.0, "b": 0.4})
    scores = table(rows)
    found = bi.monitor(scores, stage=20).consecutive(scores, permutations=30, seed=1)
    y = rows.pivot_table(index="replication", columns="algorithm", values="value")
    d = (y["a"] - y["b"]).to_numpy()
    (one,) = found.orders
    expected = [stats.ttest_1samp(d[:n], 0).pvalue for n in range(2, 41)]
    np.testing.assert_allclose(one.p[1:], expected, rtol=1e-9)
    assert one.band.shape == (3, 40)
    assert (np.diff(one.band, axis=0) >= 0).all()
    np.testing.assert_allclose(one.band[:, -1], expected[-1])  # all orders end alike
    assert np.isin(one.points[np.isfinite(one.points)], np.arange(1, 41)).all()


def test_the_seed_is_kept(draw, table):
    scores = table(draw(40, {"a": 0.0, "b": 0.4}))
    drawn = bi.monitor(scores, stage=20).consecutive(scores, permutations=5)
    again = bi.monitor(scores, stage=20).consecutive(scores, permutations=5, seed=drawn.seed)
    assert again.summary().equals(drawn.summary())


def test_words(draw, table):
    clear, unclear = ({"a": 0.0, "b": mean} for mean in (3.0, 0.1))
    texts = ("No decision owes much", "The order matters for a and b")
    for means, said in zip((clear, unclear), texts, strict=True):
        scores = table(draw(100, means))
        found = bi.monitor(scores, stage=20).consecutive(scores, permutations=100, seed=1)
        assert str(found).startswith(said), found.summary()


def test_saved_and_loaded_again(draw, table, tmp_path):
    scores = table(draw(40, {"a": 0.0, "b": 0.4}))
    found = bi.monitor(scores, stage=20).consecutive(scores, permutations=5, seed=1)
    back = bi.load(found.save(tmp_path / "orders.json"))
    assert back.summary().equals(found.summary())
    assert str(back) == str(found)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [({"permutations": 0}, "permutations is 0"), ({"permutations": 2.5}, "permutations is 2.5"),
     ({"seed": -1}, "seed is -1")],
)  # fmt: skip
def test_what_cannot_be_asked(draw, table, arguments, said):
    scores = table(draw(40, {"a": 0.0, "b": 0.4}))
    with pytest.raises(bi.DesignError, match=said):
        bi.monitor(scores).consecutive(scores, **arguments)


def test_no_replication_that_both_have(draw, table):
    rows = draw(4, {"a": 0.0, "b": 0.4, "c": 0.0})
    scores = table(rows[(rows["algorithm"] == "a") == (rows["replication"] <= 2)])
    with pytest.raises(bi.DesignError, match="shares no replication"):
        bi.monitor(scores).consecutive(scores)
