"""Leaving out relations one by one, against consensus of the rest."""

from pathlib import Path

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.relations.consensus.numerics.costs import of_votes, scaled, tally
from benchinfer.relations.consensus.stability import ConsensusInfluence, Order, consensus_influence
from tests.relations.consensus.numerics.test_resampled import enumerated, orders


def votes(seed: int, size: int = 7) -> bi.Ensemble:
    """Noisy scores of five algorithms, in whole numbers so that there are ties."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 6, (size, 5)) + np.arange(5)
    return bi.Ensemble(
        {
            f"d{b}": bi.Relation.from_scores(dict(zip("abcde", row, strict=True)), better="higher")
            for b, row in enumerate(scores.tolist())
        },
        weights=[1.0 + (b % 2) for b in range(size)],
    )


@pytest.mark.parametrize("family", ["linear", "weak"])
@pytest.mark.parametrize("seed", range(3))
def test_influence_is_half_the_change_of_shares(family: Order, seed: int) -> None:
    ensemble = votes(seed)
    found = consensus_influence(ensemble, family=family)
    states = orders(tied=family == "weak")

    def shares(keep: list[int]) -> tuple[int, np.ndarray]:
        votes = tally(ensemble.states[keep], scaled(ensemble.weights[keep])[0])
        costs, _ = of_votes(votes, "symdiff", missing_as_undecided=False)
        count, means = enumerated(costs, states)
        return count, means[1]

    count, whole = shares(list(range(7)))
    assert found.count == count
    table = found.summary().set_index("relation")
    for b, name in enumerate(ensemble):
        n, rest = shares([k for k in range(7) if k != b])
        change = np.abs(whole - rest)
        assert table.loc[name, "influence"] == pytest.approx(change.sum() / 2)
        assert table.loc[name, "n_optima"] == n
        changed = np.triu((change > 1e-9) | (change.T > 1e-9)).sum()
        assert table.loc[name, "n_changed"] == changed
        assert (found.pairs()["relation"] == name).sum() == changed
        assert table.loc[name, "weight"] == 1 + b % 2
    assert table["influence"].is_monotonic_decreasing
    assert table["influence"].max() > 0
    assert len(table) == 7


def test_pairs_have_the_shares_of_both() -> None:
    order = bi.Relation.from_text
    found = consensus_influence(
        bi.Ensemble({"d1": order("a > b"), "d2": order("a > b"), "d3": order("b > a")}),
        family="linear",
    )
    assert found.pairs().to_dict("records") == [
        {"relation": "d1", "first": "a", "second": "b", "observed": 1.0, "without": 0.5},
        {"relation": "d2", "first": "a", "second": "b", "observed": 1.0, "without": 0.5},
    ]
    assert "for 2 of them" in repr(found)


def test_no_influence_is_an_empty_table(tmp_path: Path) -> None:
    order = bi.Relation.from_text("a > b > c")
    found = consensus_influence(bi.Ensemble({"d1": order, "d2": order, "d3": order}))
    assert found.pairs().empty
    assert found.summary()["influence"].tolist() == [0.0] * 3
    again = bi.load(found.save(tmp_path / "influence.json"))
    assert isinstance(again, ConsensusInfluence)
    assert again.summary().equals(found.summary())
