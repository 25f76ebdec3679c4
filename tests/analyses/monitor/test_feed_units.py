"""Nested units of unequal size: sums over their items, and ratios of these."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.monitor.numerics.betting import ConfidenceSequence, SymmetryBet
from benchinfer.core.errors import DesignError


def rows_of(units=40, *, seed=1, effect=0.3, datasets=1):
    """Return scores of two algorithms on passages of 1 to 9 items."""
    rng = np.random.default_rng(seed)
    frames = []
    for d in range(datasets):
        passage = np.repeat(np.arange(units), rng.integers(1, 10, units))
        shared = 0.6 * rng.normal(size=(units, 2))[passage]
        score = shared + rng.normal(size=(len(passage), 2)) + [effect, 0.0]
        wide = pd.DataFrame(
            {"dataset": f"d{d}", "passage": passage, "item": np.arange(len(passage))}
        )
        wide = wide.assign(a=score[:, 0], b=score[:, 1])
        frames.append(wide.melt(["dataset", "passage", "item"], var_name="algorithm"))
    return pd.concat(frames)


def read(rows, **options):
    declaration = bi.Declaration({"value": "higher"}, units=("passage", "item"), **options)
    return bi.read_scores(rows, measures=declaration)


def sums(rows):
    """Return differences of sums, and sizes, by unit."""
    wide = rows.pivot_table(index=["passage", "item"], columns="algorithm", values="value")
    d = (wide["a"] - wide["b"]).groupby("passage")
    return d.sum().to_numpy(), d.size().to_numpy()


def test_a_look_is_the_t_test_of_differences_of_sums():
    rows = rows_of()
    d, n = sums(rows)
    found = bi.monitor(read(rows), method="group-sequential", stage=40, last_stage=1)
    assert found.course.p_raw[0] == pytest.approx(stats.ttest_1samp(d, 0).pvalue, rel=1e-9)
    assert found.course.estimate[0] == pytest.approx(d.sum() / n.sum(), rel=1e-12)
    whole = bi.compare_pair(read(rows)).evidence.estimate[0]
    assert found.course.estimate[0] == pytest.approx(whole, rel=1e-12)


def test_estimates_of_data_sets_are_averaged():
    rows = rows_of(datasets=3)
    parts = [sums(part) for _, part in rows.groupby("dataset")]
    found = bi.monitor(read(rows), method="group-sequential", stage=40, last_stage=1)
    expected = np.mean([d.sum() / n.sum() for d, n in parts])
    assert found.course.estimate[0] == pytest.approx(expected, rel=1e-12)


def test_a_confidence_sequence_holds_the_centres_that_no_bet_rejects():
    d, n = (x.astype(float) for x in sums(rows_of(120)))
    low, high = ConfidenceSequence(0.05).after(d, n).ends

    def rejected(centre):
        return SymmetryBet().after(d - centre * n)[1].both.max() >= np.log(20)

    step = (high - low) / 200
    for end, side in ((low, -1), (high, 1)):
        assert rejected(end + side * step)
        assert not rejected(end - side * step)
    parts = ConfidenceSequence(0.05)
    for end in (1, 7, 40, 41, 100, 120):
        parts = parts.after(d[:end], n[:end])
    assert parts.ends == (low, high)
    interval = bi.monitor(read(rows_of(120)), method="anytime").course
    assert (interval.low[0], interval.high[0]) == pytest.approx((low, high))


def test_units_that_all_hold_as_much_are_as_their_means():
    d = np.random.default_rng(2).normal(0.1, 1, 80)
    plain = ConfidenceSequence(0.05).after(d).ends
    assert ConfidenceSequence(0.05).after(4 * d, np.full(80, 4.0)).ends == pytest.approx(
        plain, abs=1e-2
    )


def test_a_unit_counts_once_all_its_items_are_there():
    rows = rows_of(24)
    size = rows[rows["algorithm"] == "a"].groupby("passage").size()
    late = int(size[size > 1].index[3])
    last = rows[(rows["passage"] == late) & (rows["algorithm"] == "b")].index[-1]
    found = bi.monitor(read(rows.drop(last)), stage=12, last_stage=2)
    assert found.course.used.tolist() == [0]
    cells = found.next_cells()
    assert cells[["replication", "algorithm"]].to_numpy().tolist() == [[str(late), "b"]]
    assert bi.monitor(read(rows), stage=12, last_stage=2).course.used[0] >= 12


def test_more_units_leave_the_past_as_it_was(tmp_path):
    rows, state = rows_of(60, effect=0.0), tmp_path / "state.json"
    first = bi.monitor(read(rows[rows["passage"] < 25]), stage=20, state=state)
    second = bi.monitor(read(rows), stage=20, state=state)
    alone = bi.monitor(read(rows), stage=20)
    assert first.course.used[0] == 20
    assert second.course.p_value == pytest.approx(alone.course.p_value)


def test_bets_on_means_do_not_go_on_as_bets_on_sums(tmp_path):
    rows, state = rows_of(60), tmp_path / "state.json"
    even = rows.groupby(["passage", "algorithm"]).head(1)
    bi.monitor(read(even), method="anytime", state=state)
    with pytest.raises(bi.BenchinferError, match="units"):
        bi.monitor(read(rows), method="anytime", state=state)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"test": "signed-rank"}, "signed ranks are of units"),
        ({"method": "anytime", "null": "mean"}, "bets on a mean need a bound"),
    ],
)
def test_what_cannot_count_items_is_refused(options, what):
    with pytest.raises(DesignError, match=what):
        bi.monitor(read(rows_of()), **options)
    alike = read(rows_of(), unit_weights="units")
    if "test" in options:
        assert bi.monitor(alike, stage=20, **options).course.used[0] >= 20


@pytest.mark.calibration
@pytest.mark.parametrize("options", [{}, {"test": "sign-flip"}, {"method": "group-sequential"}])
def test_monitored_units_keep_the_level(options):
    tables = 300
    wrong = sum(
        bi.monitor(read(rows_of(50, seed=i, effect=0.0)), stage=10, **options).contrasts()[
            "verdict"
        ][0]
        in ("first", "second")
        for i in range(tables)
    )
    assert wrong <= stats.binom.isf(1e-4, tables, 0.05)
