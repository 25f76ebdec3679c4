import math
from functools import partial

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
import benchinfer.scores.read as reading
from benchinfer.core.errors import DesignError, ScoreTableError
from benchinfer.scores.rows.nesting import counted

LEVELS = ("passage", "question", "epoch")


@pytest.fixture
def answers():
    """Two data sets of 8 passages with 1 to 4 questions, of which some have 2 answers, some 3."""
    rng = np.random.default_rng(3)
    rows = [
        (f"d{d}", f"p{p}", f"q{q}", epoch, algorithm, float(rng.random() < chance))
        for d in range(2)
        for p in range(8)
        for q in range(1 + (p + d) % 4)
        for algorithm, chance in (("a", 0.5), ("b", 0.7))
        for epoch in range(2 + (p + q) % 2)
    ]
    return pd.DataFrame(rows, columns=["dataset", *LEVELS, "algorithm", "value"])


def read(frame, units=LEVELS, **options):
    declaration = bi.Declaration({"acc": "higher"}, units=units, **options)
    return bi.read_scores(frame, measures=declaration)


def levels_by_hand(frame, by_unit):
    items = frame.groupby(["dataset", "passage", "question", "algorithm"])["value"].mean()
    if by_unit:
        items = items.groupby(["dataset", "passage", "algorithm"]).mean()
    return items.groupby(["dataset", "algorithm"]).mean().to_numpy().reshape(2, 2)


@pytest.mark.parametrize("unit_weights", ["items", "units"])
def test_a_level_is_the_mean_of_items_or_of_units(answers, unit_weights):
    scores = read(answers, unit_weights=unit_weights)
    expected = levels_by_hand(answers, unit_weights == "units")
    assert scores.cells().mean == pytest.approx(expected, abs=1e-14)
    assert scores.describe()["mean"].to_numpy() == pytest.approx(expected.ravel(), abs=1e-14)
    assert scores.describe()["n"].tolist() == [8] * 4
    assert "8 paired passages, 32 means of passages, none missing" in scores.description()
    blocks = scores.blocks()
    for values in (blocks.mean, blocks.sums):
        of_datasets = [values[blocks.dataset == d].mean(axis=0) for d in range(2)]
        assert np.array(of_datasets) == pytest.approx(expected, abs=1e-14)


def test_units_of_equal_size_are_replications_with_their_means(answers):
    even = answers[(answers["question"] == "q0") & (answers["epoch"] < 2)]
    means = even.groupby(["dataset", "passage", "algorithm"], as_index=False)["value"].mean()
    plain = bi.read_scores(means, measures={"acc": "higher"}, columns={"passage": "replication"})
    nested = read(even)
    assert nested.digest != plain.digest  # of which one has sizes
    for mine, theirs in (
        (nested.blocks(), plain.blocks()),
        (nested.cells(), plain.cells()),
    ):
        assert mine.mean == pytest.approx(theirs.mean, abs=1e-15)
    assert bi.compare_mixed(nested).contrasts().equals(bi.compare_mixed(plain).contrasts())


def test_rows_in_any_order_and_a_unit_in_two_parts_are_the_same_table(answers):
    shuffled = answers.sample(frac=1, random_state=4)
    assert read(shuffled).digest == read(answers).digest
    assert read(answers).digest != read(answers.assign(value=1 - answers["value"])).digest


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["polars", "duckdb", "pyarrow", "dask"])
def test_engines_agree(answers, engine):
    module = pytest.importorskip({"dask": "dask.dataframe"}.get(engine, engine))
    if engine == "polars":
        frame = module.from_pandas(answers).lazy()
    elif engine == "duckdb":
        frame = module.connect().from_df(answers)
    elif engine == "dask":
        frame = module.from_pandas(answers, npartitions=5)
    else:
        frame = module.Table.from_pandas(answers, preserve_index=False)
    theirs, mine = read(frame), read(answers)
    assert theirs.digest == mine.digest
    assert theirs.units.squares == pytest.approx(mine.units.squares, abs=1e-12)
    assert theirs.units.products == pytest.approx(mine.units.products, abs=1e-12)
    assert (theirs.units.nodes == mine.units.nodes).all()


def test_parts_of_the_table(answers):
    scores = read(answers)
    part = scores.subset(datasets="d1")
    alone = read(answers[answers["dataset"] == "d1"])
    assert part.digest == alone.digest
    assert part.units.squares == pytest.approx(alone.units.squares, abs=1e-12)
    split = scores.by_dataset()["d1"]
    assert split.blocks().mean == pytest.approx(alone.blocks().mean)
    assert split.units.nodes.tolist() == [[[8, 20, 52]]]


def test_the_last_level_may_be_the_replication(answers):
    named = answers.rename(columns={"epoch": "run"})
    scores = read(named, ("passage", "question", "replication"))
    assert scores.units.levels == ("passage", "question", "run")
    assert scores.digest == read(answers).digest


def test_a_label_is_one_unit_within_the_unit_above(answers):
    nodes = read(answers).units.nodes
    assert nodes[0].tolist() == [[8, 20, 48], [8, 20, 52]]  # 20 questions of 2 or 3 answers
    names = answers.assign(question=answers["passage"] + answers["question"])
    assert (read(names).units.nodes == nodes).all()


def test_the_declaration_in_a_file(answers, tmp_path):
    answers.to_csv(tmp_path / "scores.csv", index=False)
    text = 'units = ["passage", "question", "epoch"]\n[measures.acc]\nbetter = "higher"\n'
    (tmp_path / "measures.toml").write_text(text)
    assert bi.read_scores(tmp_path).units.levels == LEVELS
    assert bi.read_scores(tmp_path).digest == read(answers).digest


def test_the_same_answer_twice_is_a_fault(answers):
    twice = pd.concat([answers, answers.iloc[:2]])
    with pytest.raises(ScoreTableError, match="2 places") as caught:
        read(twice)
    assert "dataset  passage  question  epoch" in str(caught.value)
    mean = read(twice, repeats="mean")
    assert mean.cells().mean == pytest.approx(read(answers).cells().mean)


def test_items_that_an_algorithm_lacks_are_reported(answers):
    lacking = answers[
        ~(
            (answers["algorithm"] == "a")
            & (answers["passage"] == "p3")
            & (answers["question"] == "q0")
        )
    ]
    scores = read(lacking)
    (finding,) = [f for f in scores.notes if f.rule == "units without items"]
    assert finding.count == 1  # on the other data set the passage has one question, and a none
    assert finding.what == (
        "the score of 1 passage is of fewer questions than another algorithm has there."
    )
    assert scores.cells().mean == pytest.approx(levels_by_hand(lacking, by_unit=False))


@pytest.mark.parametrize(
    ("units", "columns", "match"),
    [
        (("passage", "passage"), None, "one of them twice"),
        (3, None, "cannot be read"),
        (("passage", "queston"), None, "there is no column 'queston'"),
        (("pasage", "question"), None, "there is no column 'pasage'"),
        (("passage", "question"), {"epoch": "replication"}, "is no level of passage, question"),
        (("passage", "value"), {"value": "value"}, "said to be the value"),
        (None, {"question": "level_2"}, "no role 'level_2'"),
    ],
)
def test_declarations_that_do_not_fit(answers, units, columns, match):
    with pytest.raises(ScoreTableError, match=match):
        read(answers, units, columns=columns)


def test_correlations_and_design_effects_are_shown():
    """Answers that are all the same: a passage of 3 questions with 2 answers is one score."""
    rows = [
        (p, q, e, a, float(p % 2))
        for p in range(20)
        for q in range(3)
        for e in range(2)
        for a in "ab"
    ]
    frame = pd.DataFrame(rows, columns=["passage", "question", "epoch", "algorithm", "value"])
    scores = read(frame)
    (finding,) = [f for f in scores.notes if f.rule == "units"]
    assert finding.what == (
        "nested units: 20 passages, 60 questions, 120 epochs; inference counts passages."
    )
    assert finding.where[1:] == (
        ("passage", "acc", "6", "1", "6"),
        ("question", "acc", "2", "1", "2"),
    )
    assert scores.units.design_effects("acc") == pytest.approx([6, 2])


def test_unit_weights_are_one_of_two(answers):
    with pytest.raises(bi.BenchinferError, match="unknown unit weights 'answers'"):
        read(answers, unit_weights="answers")


def test_names_of_levels_as_nouns():
    assert [counted(2, name) for name in ("doc_id", "category", "epoch", "class", "batch")] == [
        "2 docs",
        "2 categories",
        "2 epochs",
        "2 class",
        "2 batches",
    ]


def test_statistics_of_units_of_unequal_size_have_the_verdicts_of_the_table(answers, tmp_path):
    more = answers.assign(dataset=answers["dataset"] + "b", value=1 - answers["value"])
    scores = read(pd.concat([answers, more]))
    statistics = bi.load(scores.statistics().save(tmp_path / "s.json"))
    parts = [scores.subset(datasets=part).statistics() for part in (["d0", "d1b"], ["d0b", "d1"])]
    for held in (statistics, parts[0] + parts[1]):
        assert math.isnan(held.unit_size)
        one, two = bi.compare_mixed(held).evidence, bi.compare_mixed(scores).evidence
        for name in ("estimate", "std_error", "df", "p_value"):
            assert getattr(one, name) == pytest.approx(getattr(two, name), rel=1e-7)
    with pytest.raises(DesignError, match="this needs the scores themselves"):
        bi.compare_mixed(statistics, target="datasets")


def test_statistics_of_parts_of_a_data_set_are_refused_where_units_differ_in_size(answers):
    first = answers["passage"].isin(["p0", "p1", "p2"])
    a, b = (read(part).statistics() for part in (answers[first], answers[~first]))
    with pytest.raises(DesignError, match="2 data sets are in both"):
        _ = a + b
    a, b = (read(x, unit_weights="units").statistics() for x in (answers[first], answers[~first]))
    pooled = a + b
    assert pooled.summary.n.tolist() == read(answers).summary.n.tolist()


def test_units_that_count_alike_are_of_one_size(answers):
    scores = read(answers)
    assert scores.rows.has_unequal_units
    by_unit = read(answers, unit_weights="units")
    assert not by_unit.rows.has_unequal_units
    assert bi.monitor(by_unit).contrasts().shape[0] == 1
    assert by_unit.statistics().summary.n.tolist() == scores.summary.n.tolist()


def test_answers_given_twice_change_no_verdict(answers):
    again = answers.assign(epoch=answers["epoch"] + 10)
    doubled = read(pd.concat([answers, again]))
    scores = read(answers)
    assert doubled.units.nodes[0, :, 2].tolist() == (2 * scores.units.nodes[0, :, 2]).tolist()
    for compare in (bi.compare_mixed, partial(bi.compare_mixed, target="datasets")):
        one, two = compare(scores).evidence, compare(doubled).evidence
        for name in ("estimate", "std_error", "df", "p_value"):
            assert getattr(two, name) == pytest.approx(getattr(one, name), rel=1e-9)


def test_a_passage_in_two_files_is_one_unit(answers, tmp_path):
    first = answers["question"].isin(["q0", "q2"])
    for name, part in (("a", answers[first]), ("b", answers[~first])):
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    assert read(tmp_path).digest == read(answers).digest


def by_rows(monkeypatch, source, **options):
    """Read without places."""
    with monkeypatch.context() as patch:
        patch.setattr(reading, "placed_frame", lambda _: None)
        patch.setattr(reading, "_streamed", lambda *_: None)
        return read(source, **options)


@pytest.mark.parametrize("kind", ["pandas", "parquet"])
@pytest.mark.parametrize(
    ("change", "options"),
    [
        (lambda t: t, {}),
        (lambda t: t.sample(frac=1, random_state=1), {}),
        (lambda t: t.sample(frac=0.8, random_state=2), {"unit_weights": "units"}),
        (lambda t: t.assign(passage=t["passage"].replace({"p1": "p", "p2": "p 1"})), {}),
        (lambda t: t.assign(passage=3 * t["passage"].str[1:].astype(int)), {}),
        (lambda t: t.assign(epoch=10 - t["epoch"]), {}),
        (lambda t: t[t["epoch"] == 0].drop(columns="epoch"), {"units": LEVELS[:2]}),
        (lambda t: t[t["question"] == "q0"].drop(columns="question"), {"units": LEVELS[::2]}),
        (lambda t: t.assign(value=t["value"] + 1e9), {}),
    ],
)
def test_places_and_rows_are_reduced_to_the_same(
    answers, monkeypatch, tmp_path, kind, change, options
):
    table = change(answers)
    source = table
    if kind == "parquet":
        source = tmp_path / "answers.parquet"
        table.to_parquet(source, row_group_size=50)
    mine, theirs = read(source, **options), by_rows(monkeypatch, source, **options)
    assert mine.notes == theirs.notes
    assert mine.blocks().mean == pytest.approx(theirs.blocks().mean, rel=1e-12, nan_ok=True)
    assert mine.blocks().labels == theirs.blocks().labels
    for name in ("nodes", "squares", "coefficients", "products", "expected", "shares", "repeats"):
        one, two = getattr(mine.units, name), getattr(theirs.units, name)
        assert one == pytest.approx(two, rel=1e-6, abs=1e-9, nan_ok=True), name


@pytest.mark.parametrize("fault", ["duplicate", "bounds", "missing"])
def test_faults_name_the_levels_whichever_way_rows_are_read(answers, monkeypatch, fault):
    measures = {"measures": "acc:higher"}
    table = answers
    if fault == "duplicate":
        table = pd.concat([answers, answers.iloc[:3]])
    elif fault == "missing":
        table = answers.assign(question=answers["question"].where(answers.index > 2))
    else:
        measures = {"measures": [bi.Measure("acc", "higher", bounds=(0, 0.5))]}
    messages = []
    for patched in (False, True):
        if patched:
            monkeypatch.setattr(reading, "placed_frame", lambda _: None)
        with pytest.raises(ScoreTableError) as caught:
            bi.read_scores(table, units=LEVELS, **measures)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert "question" in messages[0]


def test_paths_of_units_are_not_taken_for_names_of_data_sets(answers):
    measures = [bi.Measure("acc", "higher", bounds=(0, 0.5))]
    with pytest.raises(ScoreTableError) as caught:
        bi.read_scores(answers.iloc[:-1], units=LEVELS, measures=measures)
    assert "swapped roles" not in str(caught.value)
    assert "\0" not in str(caught.value)


def test_large_tables_of_units_are_read_in_places(answers, monkeypatch):
    monkeypatch.setattr(reading, "_of_frame", None)  # of rows that are not in places
    assert read(answers).units is not None


def test_groups_of_items_stand_outside_of_them(answers):
    inside = read(answers, units=("question", "passage", "epoch"))
    (said,) = [f for f in inside.finding_records if f.rule == "order of units"]
    assert said.severity == "warning"
    assert 'units=("passage", "question", "epoch")' in said.hint
    assert "order of units" not in {f.rule for f in read(answers).finding_records}


def test_the_note_of_units_counts_its_rows(answers):
    (note,) = [f for f in read(answers).finding_records if f.rule == "units"]
    assert note.count == len(note.where) - 1 == 2


def test_the_formula_of_unequal_units_is_that_of_its_test(answers):
    one = answers[answers["dataset"] == "d0"]
    result = bi.compare_pair(read(one), "acc")
    assert result.test == "t"
    assert "CR2" in result.formula


def test_items_that_an_algorithm_lacks_are_said_before_the_verdict(answers):
    one = answers[answers["dataset"] == "d0"]
    gone = (one["algorithm"] == "b") & (one["passage"] == "p3") & (one["question"] == "q1")
    result = bi.compare_pair(read(one[~gone]), "acc")
    (check,) = [check for check in result._checks if check.check == "units without items"]
    assert not check.ok
