import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.mixed import sections
from benchinfer.analyses.mixed import sections as mixed_sections
from benchinfer.core.sections import Request
from tests.conftest import NASTY

ALL = [
    "Where the spread comes from",
    "Tests of the whole",
    "Data sets that depart",
    "Checks of the model",
    "Influence",
    "A new data set",
]


@pytest.fixture(scope="module")
def mixed(table):
    return bi.compare_mixed(table)


def titles(comparison):
    return [section.title for section in sections.sections(comparison, Request())[1:]]


def text(section):
    return " ".join(section.text)


def two_way(d, k, *, spread=0.3):
    rng = np.random.default_rng(2)
    values = rng.normal(size=(d, 1)) + spread * rng.normal(size=(d, k)) + 0.2 * np.arange(k)
    row, column = np.indices(values.shape).reshape(2, -1)
    columns = {"dataset": row, "algorithm": [f"a{i}" for i in column], "value": values.ravel()}
    return bi.read_scores(pd.DataFrame(columns), measures={"m": "lower"})


def test_sections_of_a_mixed_model(mixed):
    assert titles(mixed) == ALL


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"structure": "common"}, ALL),
        ({"structure": "diagonal"}, [*ALL[:3], *ALL[4:]]),
        ({"structure": "unstructured"}, [*ALL[:3], *ALL[4:]]),
        ({"residual": "dataset"}, [*ALL[:3], *ALL[4:]]),
        ({"target": "datasets"}, [ALL[0], *ALL[4:]]),
        ({"terms": ["dataset"]}, ALL),
        ({"contrasts": "dunnett", "control": "best"}, ALL),
    ],
)
def test_sections_that_a_model_lacks_are_left_out_or_refused(table, options, found):
    assert titles(bi.compare_mixed(table, **options)) == found


def test_one_dataset(table):
    assert titles(bi.compare_mixed(table.subset(datasets=[table.datasets[0]]))) == ALL[:1]


# One data set alone leaves the optimiser without curvature.
def test_two_data_sets(table):
    mixed = bi.compare_mixed(table.subset(datasets=list(table.datasets[:2])))
    sections = {s.title: s for s in mixed_sections.sections(mixed, Request())[1:]}
    assert "Data sets that depart" not in sections  # the variance is zero
    assert "cannot be fitted without one of its data sets" in text(sections["Influence"])


def test_spread_in_words(mixed):
    section = sections.spread(mixed, Request())
    shares = mixed.variances().set_index("source")["share"]
    assert f"difficulty of data sets, {100 * shares['dataset']:.1f} %" in text(section)
    for name, value in mixed.correlations().to_numpy():
        words = f"by {value:.2f} if they share a {name.replace('and ', 'and a ')}"
        assert words.replace("a algorithm", "an algorithm") in text(section)
    assert "simulated score, higher is better" in text(section)


def test_the_whole_decides_no_pair(mixed):
    section, frame = sections.terms_tested(mixed), mixed.anova()
    assert "is rejected by all 3 tests of it at 5 %" in text(section)
    assert "It decides no pair" in text(section)
    assert "on average over data sets like these 10" in text(section)
    assert len(section.tables[0].rows) == len(frame)


def test_the_whole_where_tests_disagree():
    mixed = bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error")
    said = text(sections.terms_tested(mixed))
    assert "is rejected by 2 of the 3 tests of it at 5 %" in said
    assert "Hotelling's test gives each pair a spread of its own" in said


def test_departures_are_counted():
    mixed = bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error")
    table = mixed.departures().query("source == 'dataset:algorithm'")
    better, worse = (table["conf_high"] < 0).sum(), (table["conf_low"] > 0).sum()
    said = text(sections.departing(mixed))
    assert f"{better} of 72 predictions are better and {worse} worse" in said
    assert "lower is better" in said


def test_failed_checks_are_named():
    mixed = bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error")
    said = text(sections.checks(mixed))
    assert "3 of 8 checks" in said
    failed = [c.check for c in mixed._checks if not c.ok]
    assert all(name.partition(": Shapiro")[0] in said for name in failed)


def test_passing_checks_are_counted(mixed):
    failed = [c for c in mixed._checks if not c.ok and c.check.startswith("residuals")]
    assert not failed
    assert "checks of the scores of simulated score against the model pass" in text(
        sections.checks(mixed)
    )


def test_influence_names_the_verdicts_that_change(mixed):
    section, frame = sections.influence(mixed), mixed.influence()
    changing = frame[frame["n_changed"] > 0]
    rows = section.tables[0].rows
    assert {row[0].text: row[-1].text for row in rows} == dict(
        zip(changing["dataset"], changing["changes"], strict=True)
    )
    assert f"any one of {len(changing)} of the 10 data sets" in text(section)
    assert f"more than {frame['shift'].abs().max():.2f} of its standard errors" in text(section)


def test_influence_of_one_data_set_is_a_sentence(mixed):
    frame = mixed.influence().assign(n_changed=0)
    frame.loc[0, "n_changed"] = 1
    said = sections._influence(frame.rename(columns={"dataset": "unit"}), mixed)
    assert said.startswith(f"Leaving out {frame['dataset'][0]}, one of the 10 data sets, changes")


def test_long_tables_of_influence_are_folded(monkeypatch, mixed):
    monkeypatch.setattr(sections, "_ROWS", 1)
    section = sections.influence(mixed)
    assert section.tables == ()
    assert section.fold.tables[0].rows


@pytest.mark.parametrize("bound", ["_MOST", "_VERDICTS"])
def test_influence_is_skipped_on_many_data_sets_or_pairs(monkeypatch, mixed, bound):
    monkeypatch.setattr(sections, bound, 9)
    section = sections.influence(mixed)
    pairs = len(mixed.pairs)
    said = (
        f"With 10 data sets and {pairs} pairs, what leaving out each does is left to influence()."
    )
    assert text(section) == said
    assert section.figures == ()


def test_verdicts_that_depend_on_no_single_data_set():
    mixed = bi.compare_mixed(two_way(20, 2, spread=0.01))
    said = text(sections.influence(mixed))
    assert said.startswith(
        "Leaving out any one of the 20 data sets leaves the verdict as it is: it does not depend on"
        " a single data set."
    )


def test_prediction_says_what_predict_says(mixed):
    section, new = sections.new_dataset(mixed), mixed.predict()
    assert section.text[0] == str(new)
    table, frame = (
        section.fold.tables[1],
        mixed.pairs.in_order(new.contrasts()),
    )
    names = [column.name for column in table.columns]
    for key in ("prob_first", "prob_equivalent", "prob_second"):
        assert [row[names.index(key)].text for row in table.rows] == [
            f"{p:.2f}" for p in frame[key]
        ]
    assert "95 % prediction" in [column.head for column in table.columns]


def test_without_a_tolerance_no_probability_of_equivalence():
    found = bi.compare_mixed(two_way(12, 3))
    _, table = sections.new_dataset_tables(found, found.predict())
    assert "prob_equivalent" not in [column.name for column in table.columns]
    assert table.note.endswith("P: probability to be better there.")


@pytest.mark.slow
def test_the_report_has_the_sections_after_the_verdicts(written, mixed):
    page = written(mixed)
    first = ["simulated score", "Answer", "Method: mixed model"]
    first.append("What would change the verdicts")
    assert page.headings()[:11] == [*first, "Mixed model", *ALL]
    assert str(mixed.predict()) in page.text


@pytest.mark.slow
def test_hostile_names_stay_text(written, nasty_table):
    page = written(bi.compare_mixed(nasty_table))
    assert not page.runs_names()
    assert NASTY in page.cells()
    assert "Influence" in page.headings()
