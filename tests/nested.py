"""Tables of answers to items of passages of unequal size."""

import itertools

import numpy as np
import pandas as pd

import benchinfer as bi

LEVELS = ("passage", "item")


def items_of_passages(sizes, algorithms="ab", datasets=1, seed=0):
    """Return scores of items in passages of some sizes, with algorithms ever better."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{d}", f"p{p:02}", f"q{q}", a, 0.1 * k + shift[k] + hard + 0.3 * rng.normal())
        for d in range(datasets)
        for p, n in enumerate(sizes)
        for shift in [rng.normal(scale=0.3) + rng.normal(scale=0.3, size=len(algorithms))]
        for q in range(n)
        for hard in [rng.normal(scale=0.2)]
        for k, a in enumerate(algorithms)
    ]
    return pd.DataFrame(rows, columns=["dataset", *LEVELS, "algorithm", "acc"])


def read(frame, **options):
    options = {"measures": {"acc": "higher"}, "units": LEVELS, **options}
    return bi.read_scores(frame, measures=bi.Declaration(**options))


def sums(frame, algorithm):
    """Return the sums and numbers of items of each passage on each data set."""
    part = frame[frame["algorithm"] == algorithm].groupby(["dataset", "passage"])["acc"]
    return part.sum(), part.size()


def flipped(frame, shift=0.0):
    """Return two-sided and upper p-values of D plus a shift, by all flips of passages."""
    (a, n), (b, _) = sums(frame, "a"), sums(frame, "b")
    e = (a - b + shift * n).to_numpy()
    signs = np.array(list(itertools.product([1, -1], repeat=len(e))))
    every = signs @ e / n.sum()
    observed = e.sum() / n.sum()
    return (np.abs(every) >= abs(observed) - 1e-12).mean(), (every >= observed - 1e-12).mean()
