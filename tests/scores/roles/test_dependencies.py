"""Dependencies of columns."""

import numpy as np
import pandas as pd

from benchinfer.scores.roles.dependencies import (
    count_pairs,
    decides,
    dependencies,
    joint_codes,
    key_of,
)
from benchinfer.scores.roles.profile import profiles


def columns_of(frame):
    return {c.name: c for c in profiles(frame, {})}


def grid():
    rows = [(a, d, s) for a in "abc" for d in range(6) for s in range(2)]
    frame = pd.DataFrame(rows, columns=["model", "task", "seed"])
    frame["task"] = "t" + frame["task"].astype(str)
    frame["domain"] = frame["task"].map(lambda t: "even" if int(t[1]) % 2 else "odd")
    frame["nr"] = frame.groupby(["model", "task"]).ngroup()
    return frame


def test_pairs_are_counted_without_a_dense_table():
    frame = pd.DataFrame({"x": np.arange(22_000) % 11_000, "y": np.arange(22_000) // 2})
    columns = columns_of(frame.astype(str))
    expected = len(frame.drop_duplicates())
    assert count_pairs(columns["x"], columns["y"]) == expected
    assert joint_codes(list(columns.values()), len(frame))[1] == expected


def test_a_data_set_decides_its_domain():
    columns = columns_of(grid())
    assert decides(columns["task"], columns["domain"])
    assert not decides(columns["domain"], columns["task"])


def test_attributes_and_numbers_of_pairs_are_no_roots():
    frame = grid()
    found = dependencies([*columns_of(frame).values()], len(frame))
    assert {c.name for c in found.roots} == {"model", "task", "seed"}
    assert found.reasons == {
        "domain": "attribute of task",
        "nr": "ignored: number of model and task",
    }


def test_a_label_that_no_row_needs_is_a_remark():
    frame = grid().drop(columns=["domain", "nr"])
    frame["note"] = ["late" if i % 7 == 0 else "ok" for i in range(len(frame))]
    key = key_of([*columns_of(frame).values()], len(frame))
    assert {c.name for c in key.columns} == {"model", "task", "seed"}
    assert key.reasons == {"note": "status"}
    assert key.combinations == len(frame)
