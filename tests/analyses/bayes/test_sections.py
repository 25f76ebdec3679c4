"""What a report says about a hierarchical Bayesian model."""

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.analyses.bayes import sections
from benchinfer.core.sections import Request


@pytest.fixture(scope="module")
def sampled():
    return bi.compare_bayes(bi.load_example("simulated/balanced"), draws=100, chains=4, seed=1)


def test_who_is_best_in_a_sentence(sampled):
    (section,) = sections.sections(sampled, Request())[1:]
    top = sampled.summary().sort_values("prob_best").iloc[-1]
    share, after = (f"{100 * top[name]:.1f} %" for name in ("prob_best", "prob_best_next"))
    assert section.lead.startswith(
        f"{top['algorithm']} is the best algorithm on a typical data set with probability {share}"
    )
    assert after in section.lead
    assert [len(section.figures), len(section.fold.figures)] == [2, 2]
    assert "On the next data set: on a single one" in section.text[0]
    assert "did not settle, so take the numbers as rough" in section.text[2]


def test_these_data_sets_have_no_next_one():
    result = bi.compare_bayes(
        bi.load_example("simulated/balanced"), target="datasets", draws=100, chains=4, seed=1
    )
    (section,) = sections.sections(result, Request())[1:]
    assert section.lead.endswith(", of these data sets.")
    assert "next" not in section.text[0]
    assert [column.name for column in section.tables[0].columns][:3] == [
        "algorithm",
        "prob_best",
        "expected_rank",
    ]


def test_priors_are_shown(sampled):
    rows = {row[1].text: row[2].text for row in sections.priors(sampled).rows}
    assert rows["effect_scale"] == "1"
    assert "effect_sd" not in rows
    assert rows["shrinkage_median"] == "number of algorithms \N{MINUS SIGN} 1"
    assert len(rows) == 8


def test_the_likeliest_comes_first(sampled):
    table = sections.chances(sampled)
    shares = [float(row[1].text) for row in table.rows]
    assert shares == sorted(shares, reverse=True)
    wanted = sampled.summary().set_index("algorithm")["prob_best"]
    exact = [wanted[row[0].text] for row in table.rows]
    np.testing.assert_allclose(shares, exact, rtol=0, atol=0.0005 + 1e-9)


@pytest.mark.slow
def test_a_page(tmp_path, sampled):
    path = tmp_path / "page.html"
    bi.report(sampled, path)
    text = path.read_text(encoding="utf-8")
    assert "How probable it is" in text
    assert ">nan<" not in text
    assert "\N{EN DASH}</td>" not in text
