import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.permutation import sections
from benchinfer.analyses.permutation.comparison import PermutationComparison
from benchinfer.comparison.sections import summary
from benchinfer.core.sections import Request
from benchinfer.reports.gather import everything
from tests.analyses.mixed.test_compare import table as scores_table


@pytest.fixture(scope="module")
def scores():
    return bi.load_example("sklearn_bootstrap")


@pytest.fixture(scope="module")
def found(scores):
    return bi.compare_permutation(scores, "error", seed=1)


@pytest.fixture(scope="module")
def mixed(scores):
    return bi.compare_mixed(scores, "error")


def test_alone_it_leads(found):
    verdict, together = sections.sections(found, Request())
    kinds = [figure.kind for figure in verdict.figures]
    assert kinds == ["ranking", "forest", "hasse", "critical-difference"]
    assert [table.name for table in verdict.tables] == ["summary", "contrasts"]
    assert verdict.fold is None
    assert together.title == "Permutation tests of all algorithms together"


def test_beside_another_one_it_is_held_against_that(found, mixed):
    verdict, _ = sections.sections(found, Request(before=(mixed,)))
    assert [figure.kind for figure in verdict.figures] == ["critical-difference"]
    assert verdict.tables == ()
    assert verdict.fold.summary == "Tables of this comparison; 1 diagnostic asks for attention"
    ours = {(r.first, r.second): r.verdict for r in found.contrasts(all=True).itertuples()}
    theirs = {(r.first, r.second): r.verdict for r in mixed.contrasts(all=True).itertuples()}
    same = sum(ours[pair] == theirs[pair] for pair in ours)
    assert verdict.text[1].startswith(
        f"They agree with the mixed model on {same} of 15 pairs; none of the others is decided the"
        " other way round. They differ on "
    )
    for (a, b), word in ours.items():
        assert (f"{a} and {b} (here" in verdict.text[1]) == (word != theirs[a, b])


def test_agreement_on_all(found):
    text = sections.agreement(found, found)
    assert text == "They agree with the permutation tests on all 15 pairs."


def test_agreement_with_the_other_direction(found):
    from dataclasses import replace

    turned = np.array([0, 1, 2, 4, 3], np.int8)[found.pairs.codes]
    text = sections.agreement(found, replace(found, pairs=replace(found.pairs, codes=turned)))
    n = int(np.isin(found.pairs.codes, (3, 4)).sum())
    assert f"on {15 - n} of 15 pairs; {n} of the others are decided the other way round." in text


def test_global_tests_in_words(found):
    section = sections.global_tests(found, Request())
    assert section.text[0].startswith(
        "The hypothesis that the labels of the 6 algorithms can be exchanged within each of 12 data"
        " sets is rejected at 5 % (p < 0.001, quadratic form of aligned ranks, 100,000 random"
    )
    rows = section.tables[0].rows
    assert len(rows) == len(found.tests())
    assert [row[0].text for row in rows][:2] == [
        "quadratic form of aligned ranks",
        "largest contrast of aligned ranks",
    ]


def test_the_analysis_of_variance_is_left_to_a_model_told_before(found, mixed):
    alone, after = (
        sections.global_tests(found, Request(before=before)) for before in ((), (mixed,))
    )
    gone = set(alone.tables[0].frame["test"]) - set(after.tables[0].frame["test"])
    assert gone == {"two-way analysis of variance"}
    assert len(after.values["tests"]) == len(alone.values["tests"])


def test_nothing_is_rejected_in_noise():
    rng = np.random.default_rng(1)
    rows = [(d, a, rng.normal()) for d in range(9) for a in "abc"]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "m"])
    noise = bi.compare_permutation(bi.read_scores(frame, measures={"m": "lower"}), seed=1)
    assert noise.tests()["p_value"][0] > 0.05
    assert "9 data sets is not rejected at 5 %" in sections.global_tests(noise, Request()).text[0]


def test_pooled_tests_of_pairs_are_folded(found):
    (table,) = sections.global_tests(found, Request()).fold.tables
    assert [column.head for column in table.columns] == [
        "first",
        "second",
        "single-step",
        "step-down",
        "Nemenyi",
    ]
    frame = found.pairs.in_order(found.post_hoc()).set_index(["first", "second", "test"])["p_value"]
    for row in table.rows:
        first, second, *p = (cell.text for cell in row)
        for text, test in zip(p, ("single-step", "step-down", "Nemenyi"), strict=True):
            exact = frame[first, second, test]
            assert text == (
                "<0.001" if exact < 1e-3 else ">0.999" if exact > 0.999 else f"{exact:.3f}"
            )
    assert "No verdict rests on them. Monte Carlo errors" in table.note


def test_pooled_verdicts_do_rest_on_pooled_tests(scores):
    pooled = bi.compare_permutation(scores, "error", pairs="pooled", resamples=1000, seed=1)
    table = sections.post_hoc(pooled, pooled.post_hoc(), "drawn", decides=not pooled.pairwise)
    assert "No verdict" not in table.note


@pytest.mark.parametrize(
    ("options", "least"),
    [
        ({}, 9),
        ({"interval": "simultaneous"}, 8),
        ({"interval": "pairwise"}, 6),
        ({"adjust": "none"}, 6),
        ({"alternative": "better"}, 8),
        ({"contrasts": "dunnett", "control": "a"}, 8),
    ],
)
def test_intervals_whose_test_has_no_end_run_between_the_differences(options, least):
    values = np.arange(4) / 2 + np.random.default_rng(1).normal(size=(least, 1, 4))
    few, enough = (
        bi.compare_permutation(scores_table(values[:n]), seed=1, **options)
        for n in (least - 1, least)
    )
    assert enough._interval_note() == ""
    assert not enough.endless.any()
    assert few.endless.all()
    d = least - 1
    said = f"All intervals run between the least and largest of the {d} differences"
    alone = 100 * (1 - 2.0 ** ((options.get("alternative") != "better") - d))
    assert few._interval_note().startswith(said)
    assert few._interval_note().endswith(f"Of one pair alone they hold at {alone:.4g} %.")
    assert few._interval_note() in sections.sections(few, Request())[0].text
    # Cut or stretched at equality, they are the range.
    i, j = few.pairs.index.T
    table = scores_table(values[:d]).cells("score").mean
    range_of = table[:, i] - table[:, j]
    undecided = few.pairs.codes == 1
    low = np.minimum(range_of.min(axis=0), 0)
    if options.get("alternative") != "better":
        np.testing.assert_allclose(few.evidence.low[undecided], low[undecided])


@pytest.mark.parametrize("compare", [bi.compare_permutation, bi.compare_mixed])
def test_a_measure_that_is_a_rank_has_no_head_of_another_column(compare):
    values = np.argsort(np.random.default_rng(2).normal(size=(9, 1, 4)), axis=2) + 1.0
    found = compare(scores_table(values, measures={"rank": "lower"}), seed=1)
    heads = [column.head for column in summary(found).columns if column.brief]
    assert len(set(heads)) == len(heads)


def test_averages_have_no_diagram(scores):
    found = bi.compare_permutation(
        scores, "error", contrasts="mean", pairs="pooled", resamples=1000, seed=1
    )
    verdict, _ = sections.sections(found, Request())
    assert [figure.kind for figure in verdict.figures] == ["ranking", "forest", "hasse"]


def test_seed_and_resamples_of_a_whole_table():
    scores = bi.load_example("demsar2006")
    for known, n in ((scores, 100_000), (_long(), 10_000)):
        gathered = everything(known, methods=["permutation"])
        (found,) = [r for r in gathered.results if isinstance(r, PermutationComparison)]
        assert found.provenance.arguments["seed"] == 1
        assert found.provenance.arguments["resamples"] == n


def _long():
    rng = np.random.default_rng(1)
    rows = [(d, a, rng.normal()) for d in range(110) for a in "abc"]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "m"])
    return bi.read_scores(frame, measures={"m": "lower"})
