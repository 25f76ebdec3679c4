"""The first screen of a measure's part."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.verdict import Verdict
from benchinfer.reports import html
from benchinfer.reports.answer import answer
from benchinfer.reports.gather import gather
from benchinfer.reports.page import compose


def long(k, d, r=3, *, sd=0.03, step=0.02, gap=0.0, seed=1):
    """Return scores of K algorithms, the later ones better; a share of the runs has failed."""
    rng = np.random.default_rng(seed)
    rows = []
    for j in range(d):
        base = rng.normal(0.5, 0.1) + step * np.arange(k) + rng.normal(0, sd, k)
        rows += [
            (f"d{j:02}", i, f"algorithm-number-{a:03}", base[a] + rng.normal(0, 0.01))
            for a in range(k)
            for i in range(r)
        ]
    table = pd.DataFrame(rows, columns=["dataset", "seed", "algorithm", "acc"])
    table.loc[rng.random(len(table)) < gap, "acc"] = np.nan
    return table


def scores_of(table, tolerance=0.0):
    return bi.read_scores(table, measures=bi.Measure("acc", "higher", tolerance))


@pytest.fixture(scope="module")
def six():
    return scores_of(long(6, 12))


@pytest.fixture(scope="module")
def both(six):
    return [bi.compare_mixed(six), bi.compare_permutation(six, seed=1)]


def first_screen(*comparisons):
    return answer(comparisons, {n: f"c{n}" for n in range(len(comparisons))})[0]


def texts(section):
    (table,) = section.evidence
    return [[cell.text for cell in row] for row in table.rows]


@pytest.mark.slow
def test_its_parts_stand_in_the_order_in_which_they_are_read(both):
    gapped = scores_of(long(6, 12, gap=0.05))
    for results in (both, [bi.compare_mixed(gapped), bi.compare_permutation(gapped, seed=1)]):
        page = compose(gather(results, None))
        text = re.sub(r'<span class="unbroken">(.*?)</span>', r"\1", html.render(page))
        section = page.parts[0].sections[0]
        (table,) = section.evidence
        parts = [section.lead, section.text[0], table.caption, "<svg", section.attention[0].text]
        parts += ["<h3>Method", "<h3>Verdicts of each analysis"]
        places = [text.index(part.replace("'", "&#39;")) for part in parts[:-2]]
        places += [text.index("Method: mixed model <a"), text.index("<h3>Verdicts of each")]
        assert places == sorted(places)
        # What is folded begins after it.
        assert "<details" not in text[text.index("<h2>") : places[-2]]


def test_the_best_stands_against_each(both):
    lead = both[0]
    rows, best = texts(first_screen(*both)), lead.ranking()[0]
    assert [row[0] for row in rows] == list(lead.ranking()[1:])
    contrasts = lead.contrasts(all=True)
    levels = lead.summary().set_index("algorithm")["estimate"]
    said = {"first": "better", "second": "worse", "undecided": "undecided"}
    for name, difference, interval, p, verdict, _ in rows:
        sign = (contrasts["first"] == name) * 1 - (contrasts["second"] == name)
        row = contrasts[(sign != 0) & contrasts[["first", "second"]].isin([best]).any(axis=1)]
        (at,) = row.index
        assert float(difference.replace("\N{MINUS SIGN}", "-")) == pytest.approx(
            levels[name] - levels[best], abs=6e-4
        )
        assert (" to " in interval) == np.isfinite(row[["conf_low", "conf_high"]].to_numpy()).all()
        shown = row["p_value"].iloc[0]
        assert p.startswith(("<", ">")) or float(p) == pytest.approx(shown, abs=6e-4)
        label = row["verdict"].iloc[0]
        turned = {"first": "second", "second": "first"}.get(label, label)
        assert verdict == said[label if sign[at] > 0 else turned]
    assert {row[4] for row in rows} == {"worse", "undecided"}


def test_other_analyses_are_named_where_they_decide_alike(both):
    rows, best = texts(first_screen(*both)), both[0].ranking()[0]
    found = [one.relation().incidence() for one in both]
    for name, *_, alike in rows:
        same = found[0].loc[name, best] == found[1].loc[name, best]
        assert alike == ("permutation" if same else "none")
    alone = first_screen(both[0]).evidence[0]
    assert "same verdict by" not in [column.head for column in alone.columns]


def test_a_bootstrap_of_these_data_sets_and_points_have_no_say(six, both):
    boot = bi.compare_bootstrap(six, seed=1, resamples=2000)
    rows = texts(first_screen(both[0], boot, bi.compare_points(six)))
    assert {len(row) for row in rows} == {5}


def test_two_algorithms_are_one_row():
    section = first_screen(bi.compare_mixed(scores_of(long(2, 12))))
    ((name, *_),) = texts(section)
    best = "algorithm-number-001"
    caption = f"{name} against {best}, the best by its estimate: its acc minus the best's"
    assert section.evidence[0].caption == caption


def test_a_control_stands_against_each(six):
    control = "algorithm-number-002"
    found = bi.compare_mixed(six, contrasts="dunnett", control=control)
    section = first_screen(found)
    assert "against algorithm-number-002, the control" in section.evidence[0].caption
    rows = texts(section)
    assert [row[0] for row in rows] == [n for n in found.ranking() if n != control]
    relation = found.relation().incidence()
    words = {"first": "better", "second": "worse", "undecided": "undecided"}
    assert [row[4] for row in rows] == [words[relation.loc[row[0], control]] for row in rows]
    assert "better" in {row[4] for row in rows}


def test_what_has_no_best_shows_its_contrasts(six):
    averages = bi.compare_mixed(six, contrasts="mean")
    one_sided = bi.compare_mixed(six, alternative="better")
    steps = bi.compare_mixed(six, contrasts="sequential")
    for found, n in ((averages, 6), (one_sided, 15), (steps, 5)):
        section = first_screen(found)
        rows = texts(section)
        assert len(rows) == n
        assert section.evidence[0].caption.startswith("Contrasts: acc of first minus second")
        sides = [tuple(row[:2]) for row in rows]
        assert sorted(sides) == sorted(found.pairs.oriented().values())


def test_a_circle_has_a_first_screen(six):
    found = bi.compare_mixed(six)
    codes = np.full(len(found.pairs), Verdict.FIRST, np.int8)
    codes[(found.pairs.index == [0, 5]).all(axis=1)] = Verdict.SECOND
    section = first_screen(replace(found, pairs=replace(found.pairs, codes=codes)))
    assert "in a circle" in section.lead
    assert len(texts(section)) == 5


def test_points_have_no_interval_and_no_p(six):
    section = first_screen(bi.compare_points(six))
    heads = [column.head for column in section.evidence[0].columns]
    assert heads == ["algorithm", "difference", "verdict"]
    assert {row[2] for row in texts(section)} == {"lower"}
    assert "Nothing is tested: point rules describe these scores." in [
        said.text for said in section.attention
    ]


def test_a_running_experiment_has_a_first_screen():
    found = bi.monitor(scores_of(long(3, 1, 60)), stage=20)
    section = first_screen(found)
    assert [row[0] for row in texts(section)] == list(found.ranking()[1:])


def test_a_posterior_has_probabilities(six):
    found = bi.compare_bayes(six, draws=200, chains=4, seed=1, progress=False)
    heads = [column.head for column in first_screen(found).evidence[0].columns]
    assert heads[:3] == ["algorithm", "difference", "95 % interval"]
    assert heads[-1] == "verdict"
    assert len(heads) == 6


def test_equivalence_is_said_with_its_size():
    found = bi.compare_mixed(scores_of(long(3, 12, sd=0.001, step=0.0001), tolerance=0.01))
    (table,) = first_screen(found).evidence
    assert {row[4].text for row in table.rows} == {"equivalent (within 0.01)"}
    from benchinfer.comparison.sections import contrasts

    verdicts = [row[2].text for row in contrasts(found).rows]
    assert verdicts == ["equivalent (within 0.01)"] * 3


@pytest.mark.slow
def test_many_algorithms_show_the_first_ones():
    scores = scores_of(long(40, 8, 1, sd=0.01))
    section = first_screen(bi.compare_mixed(scores))
    (table,) = section.evidence
    assert (len(table.frame), table.at_once, table.rest) == (39, 15, "24 more")
    assert section.figures[0].top == 15
    assert section.fold.summary == "Ranking of all 40 algorithms"
    text = html.render(compose(gather(bi.compare_mixed(scores), None)))
    before, _, after = text.partition("<summary>24 more</summary>")
    assert before.count("<tr>") == 16
    assert after.partition("</details>")[0].count("<tr>") == 25
    sixteen = first_screen(bi.compare_mixed(scores_of(long(17, 8, 1)))).evidence[0]
    assert (len(sixteen.frame), sixteen.at_once) == (16, 0)


def test_which_data_there_are_and_what_failed_is_said():
    table = long(3, 12)
    scores = bi.read_scores(table, measures="acc:higher", resampling="seeds")
    said = first_screen(bi.compare_mixed(scores))
    assert said.text == ("3 algorithms on 12 data sets, 3 seeds each; no score is missing.",)
    table.loc[table.index[:4], "acc"] = np.nan
    gapped = bi.read_scores(table, measures="acc:higher")
    said = first_screen(bi.compare_mixed(gapped))
    assert "4 runs failed (3 of algorithm-number-000 and 1 of algorithm-number-001)" in said.lead
    first = "3 algorithms on 12 data sets, at most 3 replications each; 1 of 36 cells has no score."
    assert said.text[0] == first
    fewer = "1 of 36 cells has fewer scores than others of the same data set."
    assert fewer in [line.text for line in said.remarks]
    assert said.attention[0].text.startswith("Another analysis fits: compare_mixed(")
    one = bi.read_scores(long(3, 1), measures="acc:higher")
    assert first_screen(bi.compare_mixed(one)).text[0] == (
        "3 algorithms on the data set d00, 3 replications each; no score is missing."
    )


def test_runs_with_a_limit_say_how_many_each_solved():
    rng = np.random.default_rng(1)
    rows = [(f"d{d}", a, min(100.0, float(np.exp(rng.normal(m, 2)))))
            for d in range(20) for a, m in zip("abc", (1, 3, 4), strict=True)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "seconds"])
    scores = bi.read_scores(frame, measures=bi.Measure("seconds", "lower", limit=100.0))
    found = bi.compare_mixed(scores)
    solved = {a: sum(t < 100 for _, b, t in rows if b == a) for a in "abc"}
    one, two, three = found.ranking()
    others = f"{two} {solved[two]} and {three} {solved[three]} of 20 runs."
    said = f"Within 100, {one} solved {solved[one]}, {others}"
    assert first_screen(found).text[0].endswith(said)


@pytest.mark.slow
def test_what_may_change_a_verdict_and_remarks_lead_to_their_rows(both):
    section = first_screen(*both)
    failed = [check for check in both[0]._checks if not check.ok and check.check != "tolerance"]
    for lines, doubtful in ((section.attention, True), (section.remarks, False)):
        found = {check.sentence for check in failed if (check.concerns != "reading") == doubtful}
        assert {one.text for one in lines} == found
        assert {one.link for one in lines} <= {"c0-diagnostics"}
    assert section.attention
    text = html.render(compose(gather(both, None)))
    assert 'href="#measure-1-1-diagnostics"' in text
    assert 'id="measure-1-1-diagnostics"' in text


@pytest.mark.parametrize("kind", ["md", "json"])
def test_other_formats_say_the_same(both, kind, tmp_path):
    section = first_screen(*both)
    text = bi.report(both, tmp_path / f"report.{kind}").read_text("utf-8")
    said = [section.lead, section.evidence[0].caption, section.attention[0].text]
    plain = text.replace("\\", "")
    places = [plain.index(one) for one in said]
    assert kind == "json" or places == sorted(places)
