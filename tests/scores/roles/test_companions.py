"""Columns that bound, rank, repeat or sum up others."""

import numpy as np
import pandas as pd

from benchinfer.scores.roles.companions import aggregates, companions, differences
from benchinfer.scores.roles.profile import profiles


def table(**columns):
    return profiles(pd.DataFrame(columns), {})


def test_bounds_ranks_and_copies_are_found_by_their_numbers():
    y = np.random.default_rng(2).random(30)
    columns = table(acc=y, x1=y - 0.1, x2=y + 0.1, x3=pd.Series(-y).rank(), x4=100 * y)
    found = companions(columns, np.zeros(30, int))
    assert found == {
        "x3": "rank of acc",
        "x4": "the same numbers as acc",
        "x1": "lower bound of acc",
        "x2": "upper bound of acc",
    } or found == {name: found[name] for name in ("x1", "x2", "x3", "x4")}


def test_three_scores_in_a_row_are_no_bounds():
    g = np.random.default_rng(5)
    y = g.random(40)
    columns = table(map=y, ndcg=y + 0.05 + 0.1 * g.random(40), mrr=y + 0.3 + 0.1 * g.random(40))
    assert companions(columns, np.zeros(40, int)) == {}


def test_aggregates_are_found_whatever_their_name():
    g = np.random.default_rng(0)
    parts = {name: np.round(g.uniform(20, 90, 6), 1) for name in ("ab", "cd", "ef")}
    means = np.round(np.mean(list(parts.values()), axis=0), 1)
    ranks = pd.Series(-np.mean(list(parts.values()), axis=0)).rank().astype(int)
    assert aggregates(table(**parts, zz=means)) == {"zz": "mean of the others"}
    assert aggregates(table(place=ranks, **parts)) == {"place": "rank by the others"}
    assert aggregates(table(**parts, zz=np.round(g.uniform(20, 90, 6), 1))) == {}


def test_differences_are_of_two_columns_ahead_of_them():
    g = np.random.default_rng(1)
    a, b, c = np.round(g.random((3, 8)), 3)
    assert differences(table(a=a, b=b, zz=a - b, c=c)) == {"zz": "difference of a and b"}
    assert differences(table(a=a, b=b, zz=np.round(b - a, 2))) == {"zz": "difference of b and a"}
    assert differences(table(a=a, b=b, c=c)) == {}
    assert differences(table(total=a + b, a=a, b=b)) == {}
