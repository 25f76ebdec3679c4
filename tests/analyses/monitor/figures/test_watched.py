"""What all figures of monitored experiments have in common: names that are safe, and words."""

from xml.etree import ElementTree as ET

import pytest

import benchinfer as bi
from benchinfer.analyses.monitor import figures
from benchinfer.plots.draw import vector

NASTY = {'<script>alert(1)</script> & "x"': 0.0, "$x^2$ _a_": 0.4, "n" * 80: 3.0}
KINDS = [("recursive", "path"), ("group-sequential", "path"), ("anytime", "e-process"),
         ("anytime", "sequence")]  # fmt: skip


@pytest.mark.parametrize(("method", "kind"), KINDS)
@pytest.mark.parametrize("width", [6.9, 3.3])
def test_svg_is_escaped_and_always_the_same(running, method, kind, width):
    found = bi.monitor(running(60, NASTY, tolerance=0.2), method=method, stage=20)
    drawn = vector(found, kind, width)
    if width == 3.3:
        assert drawn == vector(found, kind, width)
    tree = ET.fromstring(drawn.text)  # noqa: S314 (written a line ago)
    assert "script" not in {element.tag.rpartition("}")[2] for element in tree.iter()}
    words = " ".join("".join(element.itertext()) for element in tree.iter())
    assert "$x^2$ _a_" in words
    assert "<u>m</u> $m$" in words
    assert drawn.width < (700 if width == 6.9 else 400)


def test_orders_are_escaped_too(running):
    scores = running(40, NASTY)
    found = bi.monitor(scores, stage=20).consecutive(scores, permutations=3, seed=1)
    assert "<script" not in vector(found, "order").text


def test_how_a_pair_stands(running):
    found = bi.monitor(running(60, {"a": 0.0, "b": 0.02, "c": 3.0}), stage=20)
    said = [figures.standing(found, pair) for pair in range(3)]
    assert said[0].startswith("goes on; n = 60; p > 0.999")
    assert said[0].endswith("*")
    assert said[1] == "c better; n = 20; p < 0.001"
    assert figures.chosen(found)[0] == 0
