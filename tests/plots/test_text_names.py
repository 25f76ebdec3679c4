"""Names of algorithms in figures: whole while there is room, else with a key in the notes."""

from io import BytesIO

import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.comparison.comparison import Comparison
from benchinfer.plots.draw import kinds
from benchinfer.plots.style import COLUMN, PAGE
from benchinfer.plots.text import across, fitted, key, widest

WORDS = ["gradient", "boosting", "random", "forest", "vector", "kernel", "ridge", "nearest"]
KINDS = ["critical-difference", "ranking", "forest", "matrix", "letters", "rank-intervals", "hasse"]


def names(k: int, letters: int) -> list[str]:
    """Make k names of so many letters, which differ at one end or the other."""
    text = "_".join(WORDS * letters)
    return [f"{n:02}{text[n % 9 :][: letters - 2]}" for n in range(k)]


def compared(k: int, letters: int) -> Comparison:
    """Compare k algorithms by points: neighbours are equivalent, others are not."""
    table = pd.DataFrame(
        [
            (f"d{d}", name, 0.5 + 0.01 * j + 0.001 * d)
            for d in range(3)
            for j, name in enumerate(names(k, letters))
        ],
        columns=["dataset", "algorithm", "score"],
    )
    measure = bi.Measure("score", "higher", tolerance=0.015)
    return bi.compare_points(bi.read_scores(table, measures=measure))


def strings(value: object) -> list[str]:
    """Return all texts of a layout but heading, alternative and names that are not drawn."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for item in value for text in strings(item)]
    fields = getattr(value, "__dataclass_fields__", {})
    hidden = ("title", "alt", "group", "names", "name")
    return [text for name in fields if name not in hidden for text in strings(getattr(value, name))]


@pytest.mark.parametrize("letters", [4, 16, 40])
@pytest.mark.parametrize("k", [2, 6, 12, 30])
@pytest.mark.parametrize("width", [COLUMN, PAGE])
@pytest.mark.parametrize("kind", KINDS)
def test_every_name_is_whole_in_the_figure_or_in_its_notes(
    kind: str, width: float, k: int, letters: int
) -> None:
    result = compared(k, letters)
    laid = kinds(result)[kind].layout(result, width)
    drawn = strings(laid)
    shown = " ".join(drawn)
    if kind == "forest" and k > 12:  # of many algorithms, the pairs with the best
        shown += " ".join(names(k, letters)[:-1]) * ("\N{HORIZONTAL ELLIPSIS}" not in shown)
    missing = [name for name in names(k, letters) if name not in shown]
    assert missing == []
    if letters == 4 or (letters == 16 and width == PAGE):
        assert "\N{HORIZONTAL ELLIPSIS}" not in shown


@pytest.mark.parametrize("k", [2, 6, 12, 30])
def test_a_critical_difference_figure_of_a_column_fits_names_of_16_letters(k: int) -> None:
    result = compared(k, 16)
    laid = kinds(result)["critical-difference"].layout(result, COLUMN)
    lines = [line for label in laid.labels for line in label.text]
    assert "\N{HORIZONTAL ELLIPSIS}" not in "".join(lines)
    assert {side for label in laid.labels if (side := label.side)} == {1}
    # The best is on top, so that no line crosses another.
    assert [label.y for label in laid.labels] == sorted(label.y for label in laid.labels)
    assert [label.x for label in laid.labels] == sorted((x.x for x in laid.labels), reverse=True)
    assert laid.length >= 0.28 * COLUMN
    assert sum(laid.margins) + laid.length <= COLUMN
    assert widest(lines) + 0.17 <= laid.margins[1]
    assert len(laid.ticks) >= 2


@pytest.mark.parametrize("width", [COLUMN, PAGE])
@pytest.mark.parametrize("letters", [4, 16, 40, 200])
def test_labels_of_critical_differences_stay_within_their_margins(
    letters: int, width: float
) -> None:
    result = compared(6, letters)
    laid = kinds(result)["critical-difference"].layout(result, width)
    for label in laid.labels:
        room = laid.margins[label.side > 0]
        assert all(across(line) + 0.17 <= room for line in label.text)
    assert sum(laid.margins) + laid.length <= width
    assert len(laid.ticks) >= 2


def test_lower_is_better_puts_all_labels_on_the_left() -> None:
    result = compared(6, 16)
    lower = result.setting.measure
    table = pd.DataFrame(
        [(f"d{d}", name, 0.5 + 0.01 * j) for d in range(3) for j, name in enumerate(names(6, 16))],
        columns=["dataset", "algorithm", "score"],
    )
    scores = bi.read_scores(table, measures=bi.Measure("score", "lower", lower.tolerance))
    result = bi.compare_points(scores)
    laid = kinds(result)["critical-difference"].layout(result, COLUMN)
    assert {label.side for label in laid.labels} == {-1}
    assert laid.margins[0] > laid.margins[1]
    assert names(6, 16)[0] in laid.labels[0].text[0]


@pytest.mark.parametrize("kind", KINDS)
def test_figures_of_long_names_are_drawn_within_their_size(kind: str) -> None:
    result = compared(6, 40)
    figure = bi.plot(result, kind, width="column")
    figure.savefig(BytesIO(), format="png")
    box = figure.get_tightbbox()
    across_, down = figure.get_size_inches()
    assert box.x0 >= -0.01
    assert box.x1 <= across_ + 0.01
    assert box.y0 >= -0.01
    assert box.y1 <= down + 0.01


def test_a_verdict_of_a_forest_names_a_place_before_it_cuts_a_name() -> None:
    result = compared(6, 16)
    laid = kinds(result)["forest"].layout(result, PAGE)
    assert {row.said for row in laid.rows} <= {"first higher", "second higher", "equivalent"}
    short = compared(6, 4)
    assert f"{names(6, 4)[5]} higher" in {
        row.said for row in kinds(short)["forest"].layout(short, PAGE).rows
    }


def test_the_key_has_the_names_that_are_cut_and_no_others() -> None:
    texts = fitted(["svm", "gradient_boosting_of_depth_2"], 1.0)
    (note,) = key(texts)
    assert note == f"{texts['gradient_boosting_of_depth_2']}: gradient_boosting_of_depth_2"
    assert key({"svm": "svm"}) == ()
    assert key({f"{n}_name": f"{n}…" for n in range(31)}) == (
        "31 names are cut; the tables have them in full",
    )


@pytest.mark.slow
def test_a_figure_has_room_for_its_key() -> None:
    result = compared(12, 60)
    figure = bi.plot(result, "forest", width="column")
    assert figure.get_size_inches()[1] < 20
    rows = figure.axes[0].get_ylim()[0]
    assert "of 66 pairs" in figure.get_supxlabel()
    figure.savefig(BytesIO(), format="png")
    # Rows with names above their marks are not squeezed.
    assert figure.axes[0].get_position().height * figure.get_size_inches()[1] >= 0.38 * rows


@pytest.mark.parametrize("k", range(2, 16))
def test_an_axis_beside_names_that_are_cut_has_numbers(k: int) -> None:
    result = compared(k, 40)
    laid = kinds(result)["critical-difference"].layout(result, COLUMN)
    assert len(laid.ticks) >= 2
    assert all(across(text) / 2 - 0.2 <= x <= laid.length for x, text in laid.ticks)
