import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import benchinfer as bi
from benchinfer.analyses.bootstrap import figures


def scores(k, *, better="higher", shift=0.0):
    rng = np.random.default_rng(k)
    values = rng.uniform(size=(8, 6, k)) + 0.05 * np.arange(k) + 1 - shift
    d, r, a = np.indices(values.shape).reshape(3, -1)
    names = [f"a_rather_long_name_of_algorithm_{i:02d}" for i in a]
    frame = {"dataset": d, "replication": r, "algorithm": names, "value": values.ravel()}
    return bi.read_scores(pd.DataFrame(frame), measures={"m": better})


def compared(k, **options):
    return bi.compare_bootstrap(scores(k, **options), seed=1, resamples=200)


@pytest.mark.parametrize("name", ["resampled", "resampled_seconds"])
@pytest.mark.parametrize("kind", ["scores", "ratios"])
def test_curves_are_those_of_the_table(name, kind, request):
    result = request.getfixturevalue(name)
    laid = (figures.layout_profile if kind == "scores" else figures.ratios)(result)
    table = result.profile(kind).sort_values("threshold", kind="stable")
    ranked = result.summary().sort_values("rank")["algorithm"].tolist()
    assert [curve.label for curve in laid.curves] == ranked
    for curve in laid.curves:
        own = table[table["algorithm"] == curve.label]
        np.testing.assert_array_equal(curve.share, own["proportion"])
        np.testing.assert_array_equal(curve.low, own["band_low"])
        np.testing.assert_array_equal(curve.high, own["band_high"])
    assert laid.steps == (kind == "ratios")
    assert (laid.across[0], laid.across[-1]) == pytest.approx((0, 1))
    assert np.all(np.diff(laid.across) > 0)


def test_axis_is_logarithmic_for_ratios_and_measures_on_that_scale(resampled, resampled_seconds):
    for laid, result, kind, log in (
        (figures.layout_profile(resampled), resampled, "scores", False),
        (figures.layout_profile(resampled_seconds), resampled_seconds, "scores", True),
        (figures.ratios(resampled), resampled, "ratios", True),
    ):
        at = np.unique(result.profile(kind)["threshold"].to_numpy())
        shown = np.log(at) if log else at
        np.testing.assert_allclose(
            laid.across, (shown - shown[0]) / (shown[-1] - shown[0]), atol=1e-12
        )


def test_the_best_curve_lies_above(resampled, resampled_seconds):
    # More of the area is below the curve of the better algorithm if higher is better, and if lower.
    for result in (resampled, resampled_seconds):
        first, *_, last = figures.layout_profile(result).curves
        assert first.share.mean() > last.share.mean()


def test_directions_in_words(resampled, resampled_seconds):
    assert figures.layout_profile(resampled).axis.endswith(
        "share of scores that are higher (better)"
    )
    assert figures.layout_profile(resampled_seconds).axis.endswith(
        "share of scores that are lower (better)"
    )
    assert "score of the best / that of the algorithm" in figures.ratios(resampled).axis
    assert "time / that of the best" in figures.ratios(resampled_seconds).axis


def test_normalised_scores_are_better_when_higher():
    table = scores(3, better="lower").normalise("min-max")
    result = bi.compare_bootstrap(table, seed=1, resamples=200)
    laid = figures.layout_profile(result)
    assert laid.axis == (
        "across: threshold of normalised m [0 = worst, 1 = best score of each data set];"
        " up: share of scores that are higher (better)"
    )
    assert laid.curves[0].share.mean() > laid.curves[-1].share.mean()


def test_no_ratios_of_scores_that_are_not_above_zero():
    result = compared(3, shift=2.0)
    with pytest.raises(bi.DesignError, match="not above 0"):
        bi.plot(result, "ratios")


@pytest.mark.parametrize(
    ("k", "width", "columns"),
    [(2, 6.9, 0), (6, 6.9, 4), (7, 6.9, 4), (10, 6.9, 5), (2, 3.3, 2)],
)
def test_more_algorithms_than_can_be_told_apart_have_panels_of_their_own(k, width, columns):
    laid = figures.layout_profile(compared(k), width)
    assert laid.columns == columns
    # The names are too long for the figure: a key follows.
    assert len(laid.notes) == (3 if columns else 2)
    assert f"a_rather_long_name_of_algorithm_{k - 1:02}" in laid.notes[-1]
    assert laid.bands == (-(-k // columns) if columns else 1)


@pytest.mark.parametrize("k", [4, 20])
@pytest.mark.parametrize("width", [6.9, 3.3])
def test_texts_do_not_overlap_and_stay_inside(k, width):
    laid = figures.layout_profile(compared(k), width)
    figure = Figure(figsize=figures.size_profile(laid), layout="constrained")
    ax = figure.add_subplot()
    figures.draw_profile(laid, ax)
    figure.draw_without_rendering()
    legend = ax.get_legend()
    texts = [*ax.texts, ax._left_title, ax.xaxis.label, *(legend.get_texts() if legend else ())]
    boxes = [text.get_window_extent() for text in texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert all(b.x0 >= 0 and b.x1 <= figure.bbox.x1 for b in boxes)
    names = {text.get_text() for text in (legend.get_texts() if legend else ax.texts)}
    assert {curve.label for curve in laid.curves} <= names


def test_colours_and_dashes_differ():
    assert len({colour for colour, _ in figures.STYLES}) == len(figures.STYLES)
    assert len({dash for _, dash in figures.STYLES}) == len(figures.STYLES)


def test_a_thousandfold_range_has_few_ticks():
    rows = [(d, a, r, 10.0 ** (i * d)) for d in range(4) for i, a in enumerate("abc") for r in "12"]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "value"])
    result = bi.compare_bootstrap(
        bi.read_scores(frame, measures={"m": "lower"}), resample="datasets", seed=1, resamples=200
    )
    for width in (6.9, 3.3):
        laid = figures.ratios(result, width)
        assert 2 <= len(laid.ticks) <= (7 if width == 6.9 else 3)
