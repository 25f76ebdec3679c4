"""Tables with and without a group of data sets that differ."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi


def simulated(datasets=60, algorithms=5, *, planted=True, seed=1, name="a{}".format):
    """Scores and features; beyond a size of 2,000 the order of the algorithms is turned round."""
    rng = np.random.default_rng(seed)
    worth = np.linspace(1.2, -1.4, algorithms)
    size = np.round(np.exp(rng.uniform(4, 10, datasets)))
    turned = (size > 2000)[:, None] & planted
    value = np.where(turned, worth[::-1], worth) + rng.normal(
        scale=0.8, size=(datasets, algorithms)
    )
    names = [f"d{n:03}" for n in range(datasets)]
    scores = pd.DataFrame(0.8 + 0.02 * value, columns=[name(k) for k in range(algorithms)])
    scores.insert(0, "dataset", names)
    features = pd.DataFrame(
        {
            "dataset": names,
            "size": size,
            "classes": rng.integers(2, 11, datasets),
            "kind": rng.choice(["image", "tabular", "text"], datasets),
        }
    )
    return scores, features


def table(*arguments, **options):
    scores, features = simulated(*arguments, **options)
    measure = bi.Measure("accuracy", "higher", tolerance=0.001)
    return bi.read_scores(scores, layout="wide-algorithms", measures=[measure], features=features)


@pytest.fixture(scope="session")
def planted():
    return table()


@pytest.fixture(scope="session")
def stable():
    return table(planted=False)
