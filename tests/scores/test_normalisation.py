"""Normalised scores: numbers, directions, words, every kind of table, refusals."""

import html
import json
import re

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import benchinfer as bi
from benchinfer.comparison.wording import level_title
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from tests.scores.tables import additive, table

# Game, random, human, DQN and DQN's score in per cent of the human one (Mnih et al. 2015, table 2).
ATARI = [
    ("Boxing", 0.1, 4.3, 71.8, 1707),
    ("Breakout", 1.7, 31.8, 401.2, 1327),
    ("Pong", -20.7, 9.3, 18.9, 132),
    ("Video Pinball", 16257, 17298, 42684, 2539),
    ("Montezuma's Revenge", 0, 4367, 0, 0),
]
SCALE = "on the scale where 0 = random, 1 = human"


def simulated(d=6, k=4, r=5, seed=1):
    """Draw (D, K, R) scores of data sets in units of their own."""
    rng = np.random.default_rng(seed)
    size, low = 10.0 ** rng.uniform(0, 3, (d, 1, 1)), rng.uniform(1, 50, (d, 1, 1))
    return low + size * (1 + 0.3 * np.arange(k)[:, None] + rng.normal(0, 0.4, (d, k, r)) ** 2)


def read(values, better="higher", **options):
    return bi.read_scores(table(values), measures={"score": better}, **options)


def values_of(scores, shape, measure=None):
    frame = scores.to_frame(measure)
    keys = ["dataset", "algorithm", "replication"]
    return frame.sort_values(keys)["value"].to_numpy().reshape(shape)


def atari():
    rows = [
        (game, name, score)
        for game, random, human, dqn, _ in ATARI
        for name, score in (("random", random), ("human", human), ("dqn", dqn), ("ddqn", dqn / 2))
    ]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "return"])


def test_published_human_normalised_scores():
    scores = bi.read_scores(atari(), measures="return:higher").normalise("random,human")
    assert scores.algorithms == ("ddqn", "dqn")  # the references are the scale
    published = {row[0]: row[4] for row in ATARI}
    levels = scores.cells().mean[:, 1]
    for game, level in zip(scores.datasets, levels, strict=True):
        assert 100 * level == pytest.approx(published[game], abs=0.5)


def references(rows=ATARI):
    return {
        "random": {row[0]: row[1] for row in rows},
        "human": {row[0]: row[2] for row in rows},
    }


def test_references_in_every_form(tmp_path):
    frame = atari()
    expected = bi.read_scores(frame, measures="return:higher").normalise(("random", "human"))
    agents = bi.read_scores(frame[~frame["algorithm"].isin(["random", "human"])],
                            measures="return:higher")  # fmt: skip
    series = pd.DataFrame(references())
    path = tmp_path / "human.toml"
    path.write_text(
        "tolerance = 0.05\n"
        + "".join(
            f"[{name}]\n" + "".join(f"{json.dumps(game)} = {x}\n" for game, x in numbers.items())
            for name, numbers in references().items()
        ),
        encoding="utf-8",
    )
    features = series.rename_axis("dataset").reset_index()
    described = bi.read_scores(frame[~frame["algorithm"].isin(["random", "human"])],
                               measures="return:higher", features=features)  # fmt: skip
    described = described.normalise("random,human")
    same = [
        described,
        agents.normalise(references()),
        agents.normalise({"random": series["random"], "human": series["human"]}),
        agents.normalise(str(path)),
    ]
    for scores in same:
        pd.testing.assert_frame_equal(scores.to_frame(), expected.to_frame())
        assert scores.measure().noun == f"normalised return {SCALE}"
    assert same[-1].measure().tolerance == 0.05
    given_numbers = {"random": references()["random"], "human": 20_000}
    assert agents.normalise(given_numbers).measure().unit == "0 = random, 1 = human"
    assert agents.normalise({"low": -30, "high": 50_000}).measure().unit == (
        "0 = a score of -30, 1 = a score of 50000"
    )
    plain = bi.read_scores(frame, measures="return:higher").normalise("low=random,high=human")
    assert plain.measure().unit == "0 = random, 1 = human"


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("scale", ["identity", "log"])
def test_extremes_and_deviations_in_closed_form(better, scale):
    values = simulated()
    measure = bi.Measure("score", better, scale=scale, tolerance=3.0, bounds=(0, 1e9), unit="s")
    scores = bi.read_scores(table(values), measures=measure)
    x = (np.log(values) if scale == "log" else values) * (1 if better == "higher" else -1)
    flat = x.reshape(len(x), -1)
    low, high, middle, sd = (
        y[:, None, None]
        for y in (flat.min(axis=1), flat.max(axis=1), flat.mean(axis=1), flat.std(axis=1, ddof=1))
    )
    for by, expected in (("min-max", (x - low) / (high - low)), ("z", (x - middle) / sd)):
        new = scores.normalise(by)
        np.testing.assert_allclose(values_of(new, values.shape), expected, rtol=1e-10, atol=1e-12)
        measure = new.measure()
        assert (measure.better, measure.scale, measure.tolerance) == ("higher", "identity", 0)
        assert measure.bounds is None
        cells = expected.mean(axis=2)
        np.testing.assert_allclose(new.cells().mean, cells, rtol=1e-9, atol=1e-12)
    extremes = values_of(scores.normalise("min-max"), (len(values), -1))
    assert (extremes.min(axis=1) == 0).all()
    assert (extremes.max(axis=1) == 1).all()


def test_ranks_within_blocks():
    values = np.round(simulated(), -1)  # with ties
    paired = read(values, paired=True).normalise("ranks")
    expected = stats.rankdata(-values, axis=1)
    np.testing.assert_allclose(values_of(paired, values.shape), expected)
    assert paired.measure().better == "lower"
    assert paired.measure().noun == "rank of score within each replication, 1 = best"
    errors = read(values, better="lower", paired=True).normalise("ranks")
    np.testing.assert_allclose(values_of(errors, values.shape), stats.rankdata(values, axis=1))
    # All scores of a data set together where replications are not shared.
    d, k, r = values.shape
    joint = stats.rankdata(-values.reshape(d, -1), axis=1) * (k + 1) / (k * r + 1)
    alone = read(values, paired=False).normalise("ranks")
    np.testing.assert_allclose(values_of(alone, (d, k * r)), joint)
    assert alone.measure().unit == "within each data set, 1 = best"


def test_ranks_of_incomplete_blocks_have_the_mean_of_complete_ones():
    values = simulated(r=1)[..., 0]
    values[0, 3] = values[2, :2] = np.nan
    ranks = read(values).normalise("ranks").to_frame().groupby("dataset")["value"]
    np.testing.assert_allclose(ranks.mean(), 2.5)
    assert ranks.max().tolist() == pytest.approx([3 * 5 / 4, 4, 2 * 5 / 3, 4, 4, 4])


def test_one_measure_of_several_and_failures():
    values = simulated()
    frame = pd.concat(
        [table(values).assign(measure="acc"), table(1 / values).assign(measure="seconds")]
    )
    frame.loc[frame.index[:3], "score"] = np.nan
    scores = bi.read_scores(frame, measures={"acc": "higher", "seconds": "lower"})
    new = scores.normalise("min-max", "seconds")
    assert [m.name for m in new.measures] == ["acc", "normalised seconds"]
    pd.testing.assert_frame_equal(new.to_frame("acc"), scores.to_frame("acc"))
    first = scores.normalise("min-max", "acc")  # whose name moves behind the other one
    pd.testing.assert_frame_equal(first.to_frame("seconds"), scores.to_frame("seconds"))
    assert set(new.failures()["measure"]) == {"acc", "normalised seconds"}
    # The name as it was read is understood as well.
    assert bi.compare_points(new, "seconds").measure.name == "normalised seconds"
    assert [m.name for m in new.subset(measures="seconds").measures] == ["normalised seconds"]
    assert scores.normalise("z").digest != scores.digest


@pytest.mark.parametrize("by", ["min-max", "z", "low=a00,high=a03"])
@pytest.mark.parametrize("paired", [True, False])
def test_statistics_in_place_of_rows_give_the_same(by, paired, tmp_path):
    values = np.sort(simulated(), axis=1)
    scores = read(values, paired=paired)
    scores.statistics().save(tmp_path / "statistics.json")
    held = bi.ScoreTable.of_statistics(bi.load(tmp_path / "statistics.json")).normalise(by)
    rows = scores.normalise(by)
    for name in ("n", "mean", "sd"):
        np.testing.assert_allclose(
            getattr(held.cells(), name), getattr(rows.cells(), name), rtol=1e-8, atol=1e-9
        )
    one, other = bi.compare_mixed(rows).contrasts(), bi.compare_mixed(held).contrasts()
    np.testing.assert_allclose(one["p_value"], other["p_value"], rtol=1e-6)
    np.testing.assert_allclose(one["estimate"], other["estimate"], rtol=1e-8, atol=1e-12)
    ends = rows.summary
    np.testing.assert_allclose(held.summary.minimum, ends.minimum, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(held.summary.ends, ends.ends, rtol=1e-9, atol=1e-12)
    assert held.digest != bi.load(tmp_path / "statistics.json").digest


def test_ranks_need_scores():
    held = bi.ScoreTable.of_statistics(read(simulated()).statistics())
    with pytest.raises(DesignError, match="needs the scores themselves"):
        held.normalise("ranks")


def test_parts_with_scales_of_their_own_are_not_pooled():
    values = simulated()
    frame = table(values)
    early, late = (frame[(frame["replication"] < 2) == side] for side in (True, False))
    one, other = (
        bi.read_scores(part, measures="score:higher", paired=True).normalise("min-max").statistics()
        for part in (early, late)
    )
    with pytest.raises(DesignError, match="each part has its own scale of normalised score on 6"):
        one + other


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pandas", "polars", "duckdb", "parquet", "dask"])
@pytest.mark.parametrize("by", ["min-max", "z", "ranks"])
def test_every_source_gives_the_same(kind, by, tmp_path):
    frame = table(simulated())
    source = frame
    if kind == "polars":
        source = pl.from_pandas(frame).lazy()
    elif kind == "duckdb":
        source = duckdb.from_df(frame)
    elif kind == "parquet":
        source = tmp_path / "scores.parquet"
        frame.to_parquet(source)
    elif kind == "dask":
        source = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=2)
        if by == "ranks":
            with pytest.raises(DesignError, match="needs the scores themselves"):
                bi.read_scores(source, measures="score:higher").normalise(by)
            return
    here = bi.read_scores(source, measures="score:higher", paired=True).normalise(by)
    there = bi.read_scores(frame, measures="score:higher", paired=True).normalise(by)
    np.testing.assert_allclose(here.cells().mean, there.cells().mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(here.cells().sd, there.cells().sd, rtol=1e-9)


def test_a_table_with_covariates_and_domains_keeps_them():
    frame = table(simulated()).assign(domain="games", size=7.0)
    frame.loc[frame["dataset"] > "d002", "domain"] = "maps"
    scores = bi.read_scores(frame, measures="score:higher", covariates="size")
    new = scores.normalise("min-max")
    assert new.domains == scores.domains
    assert new.to_frame().columns.tolist() == scores.to_frame().columns.tolist()
    same = read(simulated()).normalise("min-max")
    assert new.to_frame()["value"].tolist() == same.to_frame()["value"].tolist()
    by_dataset = scores.by_dataset()["d001"].normalise("min-max")
    assert by_dataset.to_frame()["value"].max() == 1


@pytest.mark.slow
@given(st.integers(0, 1000), st.sampled_from(["min-max", "z", "ranks"]))
@settings(max_examples=25, deadline=None)
def test_exchangeable_scores_stay_exchangeable(seed, by):
    """Labels that are exchanged within blocks are exchanged within normalised blocks."""
    values = simulated(3, 4, 3, seed)
    order = np.random.default_rng(seed).permuted(
        np.broadcast_to(np.arange(4)[:, None], values.shape), axis=1
    )
    shuffled = np.take_along_axis(values, order, axis=1)
    new, of_shuffled = (
        values_of(read(x, paired=True).normalise(by), values.shape) for x in (values, shuffled)
    )
    np.testing.assert_allclose(
        of_shuffled, np.take_along_axis(new, order, axis=1), rtol=1e-9, atol=1e-12
    )


@pytest.mark.slow
@given(st.integers(0, 1000), st.sampled_from(["min-max", "z", "ranks", "low=a00,high=a03"]))
@settings(max_examples=25, deadline=None)
def test_units_and_directions_do_not_matter(seed, by):
    values = np.sort(simulated(4, 4, 2, seed), axis=1)
    units = np.random.default_rng(seed).uniform(0.5, 20, (4, 1, 1))
    one = read(values, paired=True).normalise(by)
    other = read(100 - units * values, better="lower", paired=True).normalise(by)
    np.testing.assert_allclose(
        one.to_frame()["value"], other.to_frame()["value"], rtol=1e-7, atol=1e-9
    )
    assert one.measure().better == other.measure().better


ANALYSES = {
    "mixed": {},
    "permutation": {},
    "bootstrap": {"resamples": 500},
    "wins": {},
    "points": {},
    "meta": {},
    "pair": {},
    "bayes": {"draws": 400, "chains": 4},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ANALYSES)
def test_every_claim_has_the_scale(name, tmp_path):
    values = simulated()
    low = {f"d{i:03}": float(v.min()) - 1 for i, v in enumerate(values)}
    high = {f"d{i:03}": float(v.max()) for i, v in enumerate(values)}
    scores = read(values).normalise({"random": low, "human": high})
    if name == "pair":
        scores = scores.subset(datasets="d001")
    result = getattr(bi, f"compare_{name}")(scores, "score", **ANALYSES[name])
    texts = [result.headline(), result.sentence(), result.method, result.table().to_latex()]
    assert all(f"normalised score {SCALE}" in re.sub(r"\s+", " ", text) for text in texts)
    assert set(result.contrasts(all=True)["measure"]) <= {
        "normalised score",
        "wins by normalised score",
    }
    again = bi.load(result.save(tmp_path / "result.json"))
    assert again.headline() == result.headline()
    assert again.measure == result.measure
    page = bi.report(result, tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"normalised score {SCALE}" in page


@pytest.mark.slow
def test_a_report_gives_the_code_that_normalises(tmp_path):
    values = simulated()
    path = tmp_path / "scores.csv"
    table(values).to_csv(path, index=False)
    low = {f"d{i:03}": np.float64(v.min() - 1) for i, v in enumerate(values)}
    for by in ("z:0.5", {"random": low, "human": 9e4, "tolerance": 0.01}):
        scores = bi.read_scores(path, measures="score:lower" if by == "z:0.5" else "score:higher")
        scores = scores.normalise(by)
        page = bi.report([bi.compare_points(scores)], tmp_path / "report.html", scores=scores)
        code = html.unescape(re.search(r"import benchinfer[^<]*", page.read_text())[0])
        code = code.replace("'scores.csv'", repr(str(path)))
        names = {}
        exec(code.partition("bi.report")[0], names)  # noqa: S102
        assert names["scores"].digest == scores.digest
        assert names["scores"].measures == scores.measures
        again = names["results"][0]
        assert again.headline() == bi.compare_points(scores).headline()


def test_axes_have_the_scale():
    result = bi.compare_mixed(read(simulated()).normalise("min-max"))
    scale = "[0 = worst, 1 = best score of each data set]"
    assert level_title(result) == f"normalised score {scale}"
    for kind in ("ranking", "forest", "critical-difference"):
        texts = [text.get_text() for text in bi.plot(result, kind).findobj(match=_is_text)]
        assert scale in re.sub(r"\s+", " ", " ".join(texts)), kind


def _is_text(artist):
    return hasattr(artist, "get_text")


def test_tolerances_are_on_the_scale():
    values = np.sort(simulated(), axis=1)
    scores = bi.read_scores(table(values), measures="score:higher:40")
    assert scores.normalise("min-max").measure().tolerance == 0
    note = {f.rule: f for f in scores.normalise("min-max").finding_records}["normalised"]
    assert note.what.endswith("The tolerance 40 of score does not apply to it.")
    assert 'normalise="HOW:TOLERANCE"' in note.hint
    near = scores.normalise("min-max:0.3")
    assert "does not apply" not in " ".join(f.what for f in near.finding_records)
    result = bi.compare_mixed(near)
    assert result.measure.tolerance == 0.3
    rule = "equivalent (within 0.3 on the scale where 0 = worst, 1 = best score of each data set"
    assert rule in result.rule
    unset = bi.compare_mixed(scores.normalise("min-max")).diagnostics().set_index("check")
    assert 'normalise="HOW:TOLERANCE"' in unset.loc["tolerance", "remedy"]


def test_compare_normalises_the_measures_that_it_compares():
    frame = pd.concat([
        table(simulated()).assign(measure="score"),
        table(np.ones((6, 4, 5))).assign(measure="flat"),
    ])  # fmt: skip
    scores = bi.read_scores(frame, measures={"score": "higher", "flat": "higher"})
    answer = bi.compare(scores, "score", normalise="min-max")
    direct = bi.compare(scores.normalise("min-max", "score"), "score")
    assert list(answer) == ["normalised score"]
    pd.testing.assert_frame_equal(
        answer["normalised score"].contrasts(), direct["normalised score"].contrasts()
    )
    with pytest.raises(DesignError, match="all scores of flat are the same"):
        bi.compare(scores, normalise="min-max")


def test_the_finding_on_units_names_the_option_and_following_it_helps():
    values = 10.0 ** np.arange(9)[:, None] * (additive(np.random.default_rng(2), 9, 4) - 0.7)
    scores = bi.read_scores(table(values), measures="acc:higher")
    finding = {f.rule: f for f in scores.finding_records}["unequal spread"]
    option = re.search(r'scores\.normalise\("([^"]+)"\)', finding.hint)
    assert option[1] == bi.compare(scores).choices["acc"].normalise == "ranks"
    followed = bi.read_scores(table(values), measures="acc:higher").normalise(option[1])
    assert "unequal spread" not in {f.rule for f in followed.finding_records}
    # References can leave spreads unequal: what was done already is not advised.
    fixed = scores.normalise({"low": -100, "high": 100})
    hint = {f.rule: f for f in fixed.finding_records}["unequal spread"].hint
    assert "normalise" not in hint


def test_normalised_numbers_are_not_taken_for_shares_or_ranks():
    values = additive(np.random.default_rng(2), 9, 4)
    scores = bi.read_scores(table(values), measures="acc:higher")
    for by in ("min-max", "z", "ranks"):
        rules = {f.rule for f in scores.normalise(by).finding_records}
        assert not rules & {"scores on a bound", "ranks", "counts out of n", "0/1 scores"}


def test_ranks_are_compared_as_ranks():
    scores = read(simulated(8)).normalise("ranks")
    answer = bi.compare(scores)
    choice = answer.choices["rank of score"]
    assert choice.analysis == "permutation"
    assert answer["rank of score"].ranking()[0] == "a03"


@pytest.mark.parametrize("by", ["min-max", "z"])
def test_scales_of_the_scores_themselves_are_compared_by_permutation(by):
    choice = bi.compare(read(simulated(8)), normalise=by).choices["normalised score"]
    assert choice.analysis == "permutation"
    assert "not normal, but exchangeable" in choice.reason


def test_scales_that_later_looks_would_move_are_not_monitored():
    scores = read(simulated(), paired=True)
    with pytest.raises(DesignError, match="each look would have another scale"):
        bi.monitor(scores.normalise("min-max"), pairs=("a00", "a03"))
    fixed = scores.normalise({"low": -10_000, "high": 10_000})
    assert bi.monitor(fixed, pairs=("a00", "a03")).measure.name == "normalised score"


@pytest.mark.parametrize(
    ("by", "error", "text"),
    [
        ("max", ArgumentError, r"normalise='max' cannot be read\.\nHint: min-max, z, ranks"),
        (5, ArgumentError, "by is 5"),
        ("low=0.1", ArgumentError, "cannot be read"),
        ("a,a", ArgumentError, "cannot be read"),
        (",a", ArgumentError, "cannot be read"),
        (("a00", "a01", "a02"), ArgumentError, "cannot be read"),
        ({"low": True, "high": 1}, ArgumentError, "by is "),
        ({"low": {"d000": "x"}, "high": 1}, ArgumentError, "by is "),
        ("nothing.toml", ArgumentError, "No such file"),
        ("z:-1", bi.BenchinferError, "measure 'normalised score': tolerance is -1"),
        ("z:inf", bi.BenchinferError, "tolerance is inf"),
        ({"low": 0, "high": 1, "tolerance": "x"}, ArgumentError, "cannot be read"),
        ("a00,human", ArgumentError, "unknown algorithm 'human'"),
        ({"low": 5000, "high": 1}, DesignError, "on 6 of 6 data sets the reference for 1"),
        ({"low": 0, "high": 0}, DesignError, "on 6 of 6 data sets the reference for 1"),
        (
            {"low": {"d000": 1, "D1": 0}, "high": 9e9},
            DesignError,
            r"5 of 6 data sets have no reference[\s\S]*references without scores: D1",
        ),
        ({"low": 0, "high": np.inf}, DesignError, "is not a number on the identity scale"),
    ],
)
def test_refusals(by, error, text):
    with pytest.raises(error, match=text):
        read(simulated()).normalise(by)


def test_data_sets_without_a_scale_are_named():
    values = simulated()
    values[[1, 4]] = 0.1 + 0.2
    values[4, 0, 0] = 0.3  # equal but for rounding
    for by in ("min-max", "z"):
        with pytest.raises(DesignError, match="on 2 of 6 data sets all scores of score are") as e:
            read(values).normalise(by)
        assert "d001" in str(e.value)
        assert "d004" in str(e.value)
    assert set(read(values, paired=True).normalise("ranks").to_frame()["value"][20:40]) == {2.5}
    frame = table(simulated())
    frame = frame[(frame["dataset"] != "d002") | (frame["algorithm"] != "a00")]
    with pytest.raises(DesignError, match="1 of 6 data sets have no reference"):
        bi.read_scores(frame, measures="score:higher").normalise("a00,a03")


def test_two_scores_have_no_scale_but_which_is_better():
    pairs = read(simulated(k=2, r=1)[..., 0])
    for by in ("min-max", "z"):
        with pytest.raises(DesignError, match="no data set has more than two scores"):
            pairs.normalise(by)
    assert pairs.normalise("ranks").to_frame()["value"].between(1, 2).all()


def test_scores_are_normalised_once():
    scores = read(simulated()).normalise("min-max")
    with pytest.raises(DesignError, match="'score' are normalised already: they are"):
        scores.normalise("z")
    assert (
        scores.declare(
            bi.Measure("normalised score", "higher", tolerance=0.1, unit=scores.measure().unit)
        )
        .measure()
        .noun.endswith("1 = best score of each data set")
    )
    with pytest.raises(DesignError, match="unknown measure 'score'"):
        scores.declare(bi.Measure("score", "higher"))
    with pytest.raises(DesignError, match="no algorithms besides the references"):
        read(np.sort(simulated(k=2), axis=1)).normalise("a00,a01")


@pytest.mark.parametrize(
    ("by", "noun", "tolerance"),
    [
        ("ranks", "rank of score within each replication, 1 = best", "0.5 ranks within each re"),
        ("z", "normalised score in standard deviations of each data", "0.5 standard deviations of"),
        ("min-max", "normalised score on the scale where 0 = worst", "0.5 on the scale where 0 ="),
    ],
)
def test_scales_are_said_as_they_are_read_aloud(by, noun, tolerance):
    measure = read(simulated()).normalise(by).measure()
    assert measure.noun.startswith(noun)
    assert measure.in_unit("0.5").startswith(tolerance)
    assert "scale of" not in measure.noun
