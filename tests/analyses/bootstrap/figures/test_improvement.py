import pytest

import benchinfer as bi
from benchinfer.analyses.bootstrap import figures


def test_rows_are_the_pairs(resampled):
    laid, table = figures.layout_improvement(resampled), resampled.probability_of_improvement()
    expected = {
        f"{row['first']} vs {row['second']}": (
            row["prob_improvement"],
            row["conf_low"],
            row["conf_high"],
            row["p_value"] <= 0.05,
        )
        for _, row in table.iterrows()
    }
    found = {row.label: (row.value, row.low, row.high, row.filled) for row in laid.rows}
    assert found == expected
    assert (laid.reference, laid.limits) == (0.5, (-0.02, 1.02))
    assert laid.rows[0].said == "0.66"
    assert "6 pairs" in laid.alt
    assert "6 of them told from 1/2" in laid.alt


def test_all_pairs_stand_there_whatever_was_compared(table, resampled):
    control = bi.compare_bootstrap(
        table, contrasts="dunnett", control="alg2", alternative="better", seed=1, resamples=4000
    )
    laid = figures.layout_improvement(control)
    assert [row.label for row in laid.rows] == [
        r.label for r in figures.layout_improvement(resampled).rows
    ]
    assert laid.notes[0].startswith("95 % simultaneous intervals; filled: p at most 0.05")


def test_the_first_being_better_lies_right_if_lower_is_better():
    scores = bi.load_example("sklearn_bootstrap")
    resampled_seconds = bi.compare_bootstrap(
        scores, "seconds", resample="datasets", adjust="none", seed=1, resamples=500
    )
    table = resampled_seconds.probability_of_improvement().set_index(["first", "second"])
    rows = {row.label: row for row in figures.layout_improvement(resampled_seconds).rows}
    assert rows["lda vs mlp"].value == table.loc[("lda", "mlp"), "prob_improvement"] > 0.5
    assert (
        figures.layout_improvement(resampled_seconds).sides[1].startswith("first wins more often")
    )


def test_alone(table):
    alone = bi.compare_bootstrap(table, adjust="none", seed=1, resamples=200)
    assert (
        figures.layout_improvement(alone).notes[0].startswith("95 % intervals of each pair alone;")
    )


@pytest.mark.slow
def test_intervals_that_say_nothing_are_refused(table, tmp_path):
    few = bi.compare_bootstrap(table, seed=1, resamples=100)
    with pytest.raises(bi.DesignError, match="6 of 6 intervals are from 0 to 1") as caught:
        bi.plot(few, "improvement")
    assert 'adjust="none"' in str(caught.value)
    # The report has the table, without the figure.
    assert few.report(tmp_path / "few.html").exists()
