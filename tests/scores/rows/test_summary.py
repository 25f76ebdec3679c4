import numpy as np
import pandas as pd
import pyarrow as pa

from benchinfer.scores.read import read_scores
from benchinfer.scores.rows.summary import coded


def test_codes_of_plain_and_encoded_labels():
    plain = pa.chunked_array([["b", "a"], ["b"]])
    for column in (plain, plain.dictionary_encode()):
        codes, names = coded(column)
        assert names == ("a", "b")
        assert codes.tolist() == [1, 0, 1]
    assert coded(plain, ("c", "b", "a"))[0].tolist() == [1, 2, 1]


def test_labels_that_no_row_has_are_not_names():
    column = pa.chunked_array([["b", "a", "c"]]).dictionary_encode().filter([True, False, True])
    assert coded(column)[1] == ("b", "c")


def test_no_rows():
    codes, names = coded(pa.chunked_array([], pa.string()))
    assert codes.size == 0
    assert names == ()


def test_counts_of_replications():
    frame = pd.DataFrame(
        {
            "dataset": ["d"] * 5 + ["e"],
            "seed": [1, 2, 3, 2, 3, 9],
            "model": ["a", "a", "a", "b", "b", "a"],
            "score": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        }
    )
    scores = read_scores(frame, measures="x:higher")
    summary = scores.summary
    assert summary.replications.tolist() == [[[3, 2], [1, 0]]]
    assert summary.shared.tolist() == [[3, 1]]
    assert summary.expected(paired=True).tolist() == [[3, 1]]
    assert summary.expected(paired=False).tolist() == [[3, 1]]
    np.testing.assert_allclose(summary.mean, [[[0.2, 0.45], [0.6, np.nan]]])
    np.testing.assert_allclose(summary.squares, [[[0.02, 0.005], [0, 0]]])
    inner = summary.within("e")
    assert inner.algorithms == ("a",)
    assert inner.n.tolist() == [[[1]]]
