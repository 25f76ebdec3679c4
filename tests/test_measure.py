import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchinfer.core.errors import BenchinferError
from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure, as_measures

positive = st.floats(1e-3, 1e3)


@given(st.lists(positive, min_size=1, max_size=5), st.sampled_from(["identity", "log"]))
def test_levels_come_back_to_the_users_unit(values, scale):
    measure = Measure("m", "lower", scale=scale)
    np.testing.assert_allclose(measure.level_of(measure.orient(values)), values, rtol=1e-12)


def test_logit_scale():
    measure = Measure("acc", "higher", scale="logit")
    np.testing.assert_allclose(measure.level_of(measure.orient([0.2, 0.9])), [0.2, 0.9])
    odds = measure.effect(measure.orient(0.9) - measure.orient(0.5))
    assert odds == pytest.approx(9.0)
    assert (measure.neutral, measure.effect_name) == (1.0, "odds ratio")


def test_intervals_keep_their_ends_in_order_when_lower_is_better():
    seconds = Measure("s", "lower", scale="log", tolerance=0.05)
    # Twice as fast to three times as fast: ratios of one half and one third.
    low, high = seconds.effect_interval(np.log(2.0), np.log(3.0))
    assert (float(low), float(high)) == pytest.approx((1 / 3, 1 / 2))
    assert seconds.margin == pytest.approx(np.log(1.05))


def test_forms_of_measures():
    assert as_measures("error:lower:0.01") == (Measure("error", "lower", 0.01),)
    assert as_measures("s:lower:0.05:log")[0].scale == "log"
    assert as_measures({"acc": "higher"})[0].better == "higher"
    assert [m.name for m in as_measures(["a:lower", Measure("b", "higher")])] == ["a", "b"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"better": "smaller"}, "measure 'm': better is 'smaller'.\nHint: it is \"higher\" or"),
        ({"better": "lower", "tolerance": -1}, "tolerance is -1"),
        ({"better": "lower", "tolerance": float("nan")}, "tolerance is nan"),
        ({"better": "lower", "scale": "sqrt"}, "unknown scale 'sqrt'"),
        ({"better": "lower", "bounds": (1, 0)}, r"bounds are \(1, 0\)"),
    ],
)
def test_what_is_not_legal_is_refused(arguments, words):
    with pytest.raises(BenchinferError, match=words):
        Measure("m", **arguments)


def test_a_name_given_twice_is_refused():
    with pytest.raises(BenchinferError, match="measures given twice: a"):
        as_measures(["a:lower", "a:higher"])
    with pytest.raises(BenchinferError, match="cannot read the measure 'a:lower:x'"):
        as_measures("a:lower:x")
    with pytest.raises(BenchinferError, match="not said whether higher or lower"):
        as_measures("a")


@pytest.mark.parametrize("text", ["\x1b[31m", "\x00", "\x85", "\ufffe"])
@pytest.mark.parametrize("what", ["unit", "label"])
def test_control_characters_in_words_for_display_are_refused(what, text):
    with pytest.raises(BenchinferError, match=f"{what} is .*\nHint: without control characters"):
        Measure("s", "higher", **{what: f"a{text}"})


def test_zero_has_no_sign():
    lower = Measure("s", "lower")
    assert not np.signbit(lower.effect([0.0, -0.0])).any()
    assert not np.signbit(lower.level_of([0.0])).any()
    assert not np.signbit(frame({"estimate": [-0.0], "p_value": np.array([-0.0])})).any(axis=None)
