"""Sentences about monitored experiments."""

import pytest

import benchinfer as bi
from benchinfer.analyses.monitor import comparison


@pytest.mark.parametrize(
    ("ends", "decision", "said"),
    [
        (["go on"], "go on", "Go on: the pair is not decided yet."),
        (["first"], "decided", "The experiment can stop: the pair is decided."),
        (["futile"], "undecidable", "nothing: the pair stopped for futility."),
        (["first", "go on"], "go on", "Go on: 1 of 2 pairs decided and 1 going on."),
    ],
)
def test_how_it_stands(ends, decision, said):
    assert comparison.standing(ends, decision).endswith(said)


def test_levels_are_said_once(draw, table):
    scores = table(draw(60, {"a": 0.0, "b": 0.0}))
    one = bi.monitor(scores, alternative="better", stage=20, last_stage=2)
    assert "rejects at 5 %. One that stops" in one.rule
    assert "the 2nd declared last" in one.method
    both = bi.monitor(scores, stage=20)
    assert "rejects at 2.5 % (5 % over all directions)" in both.rule
    looks = bi.monitor(scores, stage=20, method="group-sequential")
    assert "the boundaries spend 5 %. No pair" in looks.rule
