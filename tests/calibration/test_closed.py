"""Level and wrong directions of the tests of all pairs that are taken by default.

`make calibrate ARGS="tests/calibration/test_closed.py"`, about six minutes of one core. The tables
are those of `benchmarks/procedures.py`, which sets these procedures beside others: without any
difference, with two groups of algorithms far apart, and with levels on a ladder.
"""

import numpy as np
import pytest

from benchinfer.numerics import multiplicity, rotations, signs
from benchmarks import procedures
from benchmarks.procedures import Cell
from tests.calibration.tables import limit

TABLES, DIRECTIONS = 300, 399
# Fewer tables of six algorithms, which take ten times as long as four.
TABLES_SIX = 60
# More algorithms than rotations take: Bergmann and Hommel's steps.
MANY = [
    Cell(d, 12, unequal, noise)
    for d in (12, 30)
    for unequal in (False, True)
    for noise in procedures.NOISES
]
# No test of means, nor of signs, holds its level where differences are skew.
SKEW = 0.2


@pytest.fixture
def few_directions(monkeypatch):
    """So few directions err by a hundredth at the level: each table has directions of its own."""
    monkeypatch.setattr(rotations, "_CLOSE", 0.0)
    monkeypatch.setattr(procedures, "DIRECTIONS", DIRECTIONS)


@pytest.mark.calibration
@pytest.mark.usefixtures("few_directions")
@pytest.mark.parametrize("cell", procedures.CELLS, ids=str)
def test_defaults_hold_their_level(cell, record_property):
    n = TABLES_SIX if cell.k == 6 else TABLES
    rng = np.random.default_rng(procedures.CELLS.index(cell))
    x = procedures.simulated(rng, cell, n)
    first, second = cell.pairs
    wrong = (x["ladder"][..., first] - x["ladder"][..., second]).mean(axis=1) < 0
    false = {"none": np.ones_like(wrong), "groups": np.broadcast_to(cell.within, wrong.shape)}
    found = {}
    for truth, against in {**false, "ladder": wrong}.items():
        asked = cell.within if truth == "groups" else np.ones_like(cell.within)
        decided = procedures.ours(x[truth], cell, asked, rng.integers(2**32, size=n))
        for name, rows in decided.items():
            found.setdefault(name, []).append((rows & against).any(axis=1).mean())
    for name, shares in found.items():
        print(f"| {cell} | {name} | " + " | ".join(f"{s:.3f}" for s in shares) + " |")  # noqa: T201 (for the docs)
        record_property(f"{cell}: {name}", shares)
        assert max(shares[:2]) <= (limit(n) if cell.fair else SKEW), name
        # Signed ranks have a direction of their own.
        assert name == "compare_permutation" or shares[2] <= 0.02


@pytest.mark.calibration
@pytest.mark.parametrize("cell", MANY, ids=str)
def test_many_algorithms_hold_their_level(cell, record_property):
    rng = np.random.default_rng([MANY.index(cell), cell.k])
    x = procedures.simulated(rng, cell, TABLES)
    none = procedures.by_mixed(x["none"], cell, np.ones_like(cell.within))
    groups = procedures.by_mixed(x["groups"], cell, cell.within) & cell.within
    shares = [rows.any(axis=1).mean() for rows in (none, groups)]
    print(f"| {cell} | " + " | ".join(f"{s:.3f}" for s in shares) + " |")  # noqa: T201 (for the docs)
    record_property(str(cell), shares)
    assert max(shares) <= (limit(TABLES) if cell.fair else SKEW)


FLIPPED = [
    (d, k, on, kind)
    for d, k, ons in (
        (8, 4, ("values", "ranks")),
        (12, 4, ("values", "ranks")),
        (12, 6, ("ranks",)),
    )
    for on in ons
    for kind in ("normal", "skewed", "one sd 5", "one skewed")
]


def blocks(rng, d, k, kind):
    """Return (D, K) scores of equal means."""
    x = rng.exponential(size=(d, k)) - 1 if kind == "skewed" else rng.standard_normal((d, k))
    if kind == "one sd 5":
        x[:, -1] *= 5
    if kind == "one skewed":
        x[:, -1] = rng.exponential(size=d) - 1
    return x


def flipped(x, on, seed):
    """Return (P,) decisions of tests of single pairs, by how they are adjusted."""
    k = x.shape[1]
    first, second = np.triu_indices(k, 1)
    terms = x[:, first] - x[:, second]
    if on == "ranks":
        terms = signs.signed_ranks(terms, 1e-12)
    own = signs.sign_tests(terms, two_sided=np.ones(len(first), np.bool_), null="exact").p_value
    closed = rotations.closed_flips(
        terms,
        own,
        k,
        procedures.ALPHA,
        silent=np.zeros(len(first), np.bool_),
        directions=DIRECTIONS,
        seed=seed,
    )
    down, _ = rotations.step_down_flips(
        terms, two_sided=True, alpha=procedures.ALPHA, directions=DIRECTIONS, seed=seed
    )
    return {
        "closed": closed.p_value <= procedures.ALPHA,
        "step-down": np.maximum(down, own) <= procedures.ALPHA,
        "holm": multiplicity.holm(own) <= procedures.ALPHA,
    }


@pytest.mark.calibration
@pytest.mark.usefixtures("few_directions")
@pytest.mark.parametrize(("d", "k", "on", "kind"), FLIPPED)
def test_flips_of_blocks_hold_their_level(d, k, on, kind, record_property):
    rng = np.random.default_rng(FLIPPED.index((d, k, on, kind)))
    first, second = np.triu_indices(k, 1)
    group = np.arange(k) >= (k + 1) // 2
    within = group[first] == group[second]
    ladder = np.linspace(6 * np.sqrt(2 / d), 0, k)
    found = {}
    for _ in range(TABLES):
        x = blocks(rng, d, k, kind)
        seed = int(rng.integers(2**32))
        none, groups, steps = (flipped(x + at, on, seed) for at in (0, 1e3 * group, ladder))
        for name in none:
            row = (none[name].any(), (groups[name] & within).any(), steps[name].mean())
            found.setdefault(name, []).append(row)
    for name, rows in found.items():
        shares = np.mean(rows, axis=0)
        cell = f"{d} x {k}, {on}, {kind}"
        print(f"| {cell} | {name} | " + " | ".join(f"{s:.3f}" for s in shares) + " |")  # noqa: T201 (for the docs)
        record_property(f"{cell}: {name}", shares.tolist())
        assert (shares[:2] <= limit(TABLES)).all()
