import numpy as np
import pytest

from benchinfer.core.verdict import SHAPES, Verdict, words
from benchinfer.plots import style


def test_every_verdict_has_a_mark_of_its_own():
    marks = [style.MARKS[verdict] for verdict in Verdict]
    assert len({(mark.marker, mark.filled) for mark in marks}) == len(marks)
    assert len({SHAPES[verdict] for verdict in Verdict}) == len(marks)


def test_ink_reads_on_white():
    # WCAG 2.2: a contrast of at least 4.5 for text.
    for mark in style.MARKS.values():
        rgb = [int(mark.ink[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (luminance + 0.05) >= 4.5


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (Verdict.FIRST, "a better"),
        (Verdict.SECOND, "b better"),
        (Verdict.EQUIVALENT, "equivalent"),
        (Verdict.UNDECIDED, "undecided"),
        (Verdict.MISSING, "no data"),
    ],
)
def test_words(verdict, said):
    assert words(verdict, "a", "b") == said


def test_short_names_stay_distinct():
    names = ["model_with_a_long_name_A_end", "model_with_a_long_name_B_end"]
    short = style.short(names, 9)
    assert len(set(short.values())) == 2


def test_short_names_have_no_control_characters():
    assert style.short(["a\nb\x07\u202ec"])["a\nb\x07\u202ec"] == "a b\ufffd\ufffdc"


def test_signed_has_no_exponent():
    assert style.signed(0.00001) == "0.00001"
    assert style.signed(-1000000.0) == "\N{MINUS SIGN}1000000"
    assert style.signed(0.0) == "0"


def test_names_of_nothing_but_spaces_can_be_seen():
    assert list(style.short([" ", "\t", "a"]).values()) == ["(blank)", "(blank)", "a"]


def test_no_minus_before_zero():
    assert style.signed(-0.0) == "0"


def test_names_that_would_meet_are_numbers_with_a_key():
    from benchinfer.plots.style import keyed

    apart, crowd = np.array([[0.5, 0.5], [2.5, 1.5]]), np.full((40, 2), 1.0)
    crowd += np.random.default_rng(1).uniform(0, 0.3, crowd.shape)
    texts, key = keyed(apart, ["one", "two"], (3.0, 2.0))
    assert ([text.text for text in texts], key) == (["one", "two"], ())
    names = [f"a name {n}" for n in range(39)]
    texts, (key,) = keyed(crowd, ["", *names], (3.0, 2.0))
    assert texts[0].text == ""
    told = dict(item.split("\N{NO-BREAK SPACE}") for item in key.split("; "))
    assert sorted(told.values()) == sorted(names)
    assert [told[text.text] for text in texts[1:]] == names
