import pytest

from benchinfer.core.verdict import Verdict
from benchinfer.relations.figures.ensemble import pieces


def test_pieces_share_the_bar_by_weight():
    found = pieces([1.0, 2.0, 0.0, 4.0, 1.0])
    assert [piece.verdict for piece in found] == [
        Verdict.FIRST,
        Verdict.UNDECIDED,
        Verdict.SECOND,
        Verdict.MISSING,
    ]
    assert [piece.stop - piece.start for piece in found] == pytest.approx(
        [4 / 8, 2 / 8, 1 / 8, 1 / 8]
    )
    assert found[-1].stop == pytest.approx(1)


def test_nothing_weighs_nothing():
    assert pieces([0, 0, 0, 0, 0]) == ()
