"""Size and power of trees of data sets: `make calibrate`.

Five algorithms, scores a level plus normal noise, as in the golden trees: beyond a size of 2,000
the order is reversed, on 40 % of the data sets. Characteristics: the size, a number of classes with
nine values, a kind with three categories; at most 1 in 20 stable tables may be divided.
"""

from dataclasses import replace

import numpy as np
import pytest

from benchinfer.analyses.subgroups.models import MeansModel, WinsModel
from benchinfer.analyses.subgroups.tree import Growth, Tests, Tree, grow
from benchinfer.analyses.wins.numerics.tally import count
from benchinfer.scores.rows.features import Feature, of_categories

pytestmark = pytest.mark.calibration

TABLES, POWER = 1000, 300
WORTH = np.array([1.2, 0.6, 0.2, -0.6, -1.4])


def grown(
    rng: np.random.Generator,
    datasets: int,
    kind: str,
    effect: float,
    *,
    tails: bool = False,
    worth: np.ndarray = WORTH,
    tests: Tests = "asymptotic",
    lost: float = 0.0,
) -> Tree:
    """Grow a tree on a simulated table; an effect of 1 reverses the order, of 1/2 levels it.

    A part of the sizes and kinds is lost.
    """
    size = np.round(np.exp(rng.uniform(4, 10, datasets)))
    features = {
        "size": Feature(size),
        "classes": Feature(rng.integers(2, 11, datasets).astype(float)),
        "kind": of_categories(rng.choice(["image", "tabular", "text"], datasets).tolist()),
    }
    for name in ("size", "kind") if lost else ():
        values = np.where(rng.uniform(size=datasets) < lost, np.nan, features[name].values)
        features[name] = replace(features[name], values=values)
    turned = 1 - 2 * effect * (size > 2000)[:, None]
    noise = rng.normal(size=(datasets, len(worth)))
    if tails:
        noise /= np.sqrt(rng.chisquare(4, size=(datasets, 1)) / 4)
    scores = turned * worth + 0.8 * noise
    wins = WinsModel(count(scores, np.arange(datasets), 0.15))
    model = MeansModel(scores) if kind == "mixed" else wins
    rules = Growth(0.05, 10, tests=tests, seed=int(rng.integers(2**31)))
    return grow(model, features, np.arange(datasets), rules)


@pytest.mark.parametrize("tails", [False, True])
@pytest.mark.parametrize("kind", ["wins", "mixed"])
@pytest.mark.parametrize("datasets", [30, 60, 120])
def test_stable_tables_are_divided_at_most_at_the_level(datasets, kind, tails):
    rng = np.random.default_rng([datasets, kind == "wins", tails])
    divided = np.mean(
        [len(grown(rng, datasets, kind, 0.0, tails=tails).nodes) > 1 for _ in range(TABLES)]
    )
    assert divided <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / TABLES)


@pytest.mark.parametrize("kind", ["wins", "mixed"])
@pytest.mark.parametrize(
    ("datasets", "effect", "least"),
    [(30, 1.0, 0.9), (60, 1.0, 0.95), (120, 1.0, 0.95), (30, 0.5, 0.4), (60, 0.5, 0.95)],
)
def test_a_changed_order_is_found(datasets, effect, least, kind):
    rng = np.random.default_rng([datasets, kind == "wins", 2])
    splits = [grown(rng, datasets, kind, effect).nodes[0].split for _ in range(POWER)]
    assert np.mean([split is not None and split.by == "size" for split in splits]) >= least


@pytest.mark.parametrize("kind", ["wins", "mixed"])
@pytest.mark.parametrize(("datasets", "algorithms"), [(30, 5), (30, 10), (60, 10), (120, 10)])
def test_permutation_divides_stable_tables_at_the_level(datasets, algorithms, kind):
    rng = np.random.default_rng([datasets, algorithms, kind == "wins", 3])
    worth = np.linspace(1.2, -1.4, algorithms)
    tables = 600
    divided = [
        grown(rng, datasets, kind, 0.0, worth=worth, tests="permutation").nodes[0].split is not None
        for _ in range(tables)
    ]
    assert np.mean(divided) == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / tables))


@pytest.mark.parametrize("tests", ["asymptotic", "permutation"])
@pytest.mark.parametrize("kind", ["wins", "mixed"])
def test_missing_values_keep_the_level_and_leave_the_division(kind, tests):
    rng = np.random.default_rng([kind == "wins", tests == "asymptotic", 4])
    tables = 400
    found = [
        grown(rng, 60, kind, effect, tests=tests, lost=0.3).nodes[0].split
        for effect in (0.0, 1.0)
        for _ in range(tables)
    ]
    divided = np.mean([split is not None for split in found[:tables]])
    assert divided <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / tables)
    assert np.mean([split is not None and split.by == "size" for split in found[tables:]]) >= 0.95


@pytest.mark.parametrize("kind", ["wins", "mixed"])
@pytest.mark.parametrize(("datasets", "effect"), [(30, 0.5), (60, 0.25), (60, 0.5), (120, 0.25)])
def test_permutation_finds_what_limiting_distributions_find(datasets, effect, kind):
    rng = np.random.default_rng([datasets, kind == "wins", 5])
    worth = np.linspace(1.2, -1.4, 10)
    shares = [
        np.mean([
            (split := grown(rng, datasets, kind, effect, worth=worth, tests=tests).nodes[0].split)
            is not None and split.by == "size"
            for _ in range(100)
        ])
        for tests in ("permutation", "asymptotic")
    ]  # fmt: skip
    assert shares[0] >= shares[1] - 0.1
