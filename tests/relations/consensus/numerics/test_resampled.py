"""Averages over resamples against the enumeration of all orders of five objects."""

from itertools import permutations, product
from math import factorial

import numpy as np
import pytest
from numpy.typing import NDArray

from benchinfer.relations.consensus.numerics import resampled
from benchinfer.relations.consensus.numerics.costs import FAMILIES, of_votes, tally
from benchinfer.relations.consensus.numerics.resampled import (
    averaged,
    drawn,
    reweighted,
    without_each,
)

N = 5
PAIRS = np.triu_indices(N, 1)
States = NDArray[np.int64]


def orders(*, tied: bool) -> States:
    """Return the states (m, n, n) of all linear, or all weak, orders: 120 or 541."""
    if tied:
        ranks = np.array(list(product(range(N), repeat=N)))
        # Each weak order once: with ranks 0, 1, ... all of which are taken.
        ranks = np.array([r for r in ranks if set(r) == set(range(max(r) + 1))])
    else:
        ranks = np.array(list(permutations(range(N))))
    sign = np.sign(ranks[:, None, :] - ranks[:, :, None])
    return np.where(sign > 0, 0, np.where(sign < 0, 1, 2))


def tensors(seed: int, size: int) -> NDArray[np.int64]:
    """Return the costs (size, 4, n, n) of relations with ties, open and missing pairs."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(size, N)) + 0.5 * rng.normal(size=N)
    gap = x[:, :, None] - x[:, None, :]
    verdicts = np.where(gap > 0.4, 3, np.where(gap < -0.4, 4, rng.integers(0, 3, (size, 1, 1))))
    verdicts[:, np.arange(N), np.arange(N)] = 2
    votes = [tally(v[None], np.ones(1, int)) for v in verdicts.astype(np.int8)]
    return np.array([of_votes(v, "symdiff", missing_as_undecided=True)[0] for v in votes])


def enumerated(costs: NDArray[np.int64], states: States) -> tuple[int, NDArray[np.float64]]:
    """Return the number of cheapest orders, and the means (3, n, n) of place, above, tied."""
    i, j = PAIRS
    cost = costs[states[:, i, j], i, j].sum(axis=1)
    best = states[cost == cost.min()]
    off = ~np.eye(N, dtype=bool)
    place = ((best == 1) & off).sum(axis=2)[:, :, None] == np.arange(N)
    means = [place, (best == 0) & off, (best == 2) & off]
    return len(best), np.array([part.mean(axis=0) for part in means])


@pytest.mark.parametrize("family", ["linear", "weak"])
def test_each_resample_is_the_average_over_all_optima(family: str) -> None:
    parts, states = tensors(3, 6), orders(tied=family == "weak")
    assert len(states) == (541 if family == "weak" else factorial(N))
    weights = drawn(6, 60, seed=5)
    found = list(reweighted(parts, weights, FAMILIES[family]))
    counts = [enumerated(np.tensordot(w, parts, axes=1), states) for w in weights]
    assert max(count for count, _ in counts) > 4
    for one, (count, means) in zip(found, counts, strict=True):
        assert (one.count, one.complete) == (count, True)
        assert (one.states is None) == (count > 1)
        np.testing.assert_allclose([one.position, one.above, one.tied], means, atol=1e-12)
    total = averaged(found)
    values = np.array([means for _, means in counts])
    np.testing.assert_allclose(
        [total.position, total.above, total.tied], values.mean(axis=0), atol=1e-12
    )
    error = values.std(axis=0, ddof=1) / np.sqrt(60)
    np.testing.assert_allclose(
        [total.position_error, total.above_error, total.tied_error], error, atol=1e-9
    )
    assert (total.n, total.complete) == (60, 60)
    assert total.unique == sum(count == 1 for count, _ in counts)
    assert sum(k for _, k in total.orders) == total.unique
    assert [k for _, k in total.orders] == sorted((k for _, k in total.orders), reverse=True)


@pytest.mark.slow
def test_shares_approach_those_of_all_resamples() -> None:
    parts, states = tensors(11, 4), orders(tied=False)
    exact = np.zeros((3, N, N))
    for draw in product(range(4), repeat=4):
        weights = np.bincount(draw, minlength=4)
        exact += enumerated(np.tensordot(weights, parts, axes=1), states)[1] / 4**4
    found = averaged(reweighted(parts, drawn(4, 600, seed=1), FAMILIES["linear"]))
    for k, (share, error) in enumerate(
        [(found.position, found.position_error), (found.above, found.above_error)]
    ):
        assert (np.abs(share - exact[k]) <= 4 * error + 1e-12).all()
        assert error.max() < 0.021


def test_draws_do_not_depend_on_their_number() -> None:
    few, many = drawn(7, 10, seed=3), drawn(7, 50, seed=3)
    np.testing.assert_array_equal(few, many[:10])
    np.testing.assert_array_equal(many.sum(axis=1), 7)
    assert (drawn(7, 10, seed=4) != few).any()


def test_each_is_left_out_once() -> None:
    np.testing.assert_array_equal(without_each(3), [[0, 1, 1], [1, 0, 1], [1, 1, 0]])


def test_progress_is_told() -> None:
    told: list[int] = []
    averaged(reweighted(tensors(1, 3), drawn(3, 5, seed=1), FAMILIES["linear"], told.append))
    assert told == [1] * 5


def test_optima_that_are_too_many_to_list_are_owned_up_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    costs = np.zeros((4, N, N), dtype=np.int64)
    assert resampled.summarise(costs, FAMILIES["weak"]).count == 541
    assert resampled.summarise(costs, FAMILIES["weak"]).complete
    monkeypatch.setattr(resampled, "_LISTED", 10)
    assert not resampled.summarise(costs, FAMILIES["weak"]).complete
