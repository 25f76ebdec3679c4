"""One analysis is recommended from the table alone."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.cli.hints import as_options
from benchinfer.scores.checks import kinds
from benchinfer.scores.checks.advice import ADVICE, _ties, advice
from benchinfer.scores.checks.facts import least_datasets
from benchinfer.scores.checks.gaps import Analysis
from tests.scores.tables import additive, facts, found, table


def advised(values, measures="acc:higher", held=None, **options):
    """Return the analysis with its argument, as (name, argument, value), and the reason."""
    finding = found(values, measures, held, **options)[ADVICE]
    assert finding.severity == "note"
    (_, name), *argument = finding.proposes or [("analysis", "")]
    return (name, *(part for pair in argument for part in pair)), finding.what


def rng(seed=1):
    return np.random.default_rng(seed)


RIGHT = (rng().random((6, 3, 30)) < 0.6).astype(float)
RANKS = rng().random((8, 4)).argsort(axis=1).argsort(axis=1) + 1.0
GAPS = np.arange(40).reshape(10, 4) % 7 != 0


@pytest.mark.parametrize(
    ("values", "options", "analysis"),
    [
        (RIGHT[:1], {"resampling": "items"}, "pair"),
        (RIGHT, {"resampling": "items"}, "bayes likelihood binomial"),
        (RANKS, {}, "permutation on ranks"),
        (rng().normal(size=(1, 3, 1)), {}, "points"),
        (rng().normal(size=(1, 2, 9)), {}, "pair"),
        (rng().normal(size=(1, 3, 9)), {}, "mixed"),
        (rng().normal(size=(1, 3, 10)), {"resampling": bi.Resampling("cv", folds=10)}, "mixed"),
        (rng().normal(size=(2, 3, 5)), {}, "mixed target datasets"),
        (rng().normal(size=(2, 3)), {}, "points"),
        (additive(rng(), 10, 4), {}, "mixed"),
        (additive(rng(), 10, 4), {"held": GAPS}, "mixed"),
        (additive(rng(), 10, 4).round(1), {}, "permutation"),
        (additive(rng(), 5, 4).round(1), {}, "mixed"),
    ],
)
def test_the_table_sets_the_analysis(values, options, analysis):
    assert advised(values, **options)[0] == (*analysis.split(),)


def test_the_hint_is_the_call():
    hint = found(RANKS)[ADVICE].hint
    assert hint == 'compare_permutation(..., on="ranks").'
    assert as_options(hint) == "compare permutation --on ranks."


def _kinds():
    draw, held = rng(11), rng(12)
    return {
        "normal": lambda shape: draw.normal(0.7, 0.05, shape),
        "right": lambda shape: (draw.random(shape) < 0.6).astype(float),
        "rounded": lambda shape: draw.normal(0.7, 0.1, shape).round(1),
        "far": lambda shape: draw.standard_t(1.2, shape),
        "same": lambda shape: np.full(shape, 0.5),
        "gaps": lambda shape: np.where(held.random(shape) < 0.25, np.nan, draw.normal(size=shape)),
    }


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("resampling", [None, "cv", "cv:5", "items"])
@pytest.mark.parametrize("kind", _kinds())
def test_what_is_recommended_runs(kind, resampling, shared):
    declared = None if resampling is None else bi.Resampling.of(resampling)
    names = set()
    for shape in [(1, 3, 1), (1, 2, 5), (1, 3, 5), (2, 3, 1), (2, 3, 5), (3, 3, 1), (4, 3, 3)]:
        frame = table(_kinds()[kind](shape)).dropna()
        if not shared:
            frame["replication"] = frame["algorithm"] + frame["replication"].astype(str)
        scores = bi.read_scores(frame, measures="score:higher", resampling=declared)
        for finding in scores.finding_records:
            arguments = dict(finding.proposes) if finding.rule == ADVICE else {}
            name = arguments.pop("analysis", "")
            names.add(name)
            if name not in ("", "bayes"):  # a minute to compile
                assert str(getattr(bi, f"compare_{name}")(scores, **arguments))
    assert names - {""}


@pytest.mark.parametrize(("resampling", "how"), [("cv", "cv:5"), ("holdout", "holdout:0.1")])
def test_an_overlap_is_to_be_declared_before_a_test(resampling, how):
    analysis, what = advised(rng().normal(size=(2, 3, 5)), resampling=resampling)
    assert analysis == ("points",)
    assert f"by how much is not declared, as in --resampling {how}" in as_options(what)


def test_a_run_far_out_on_one_data_set():
    values = rng(2).normal(size=(1, 3, 40))
    assert advised(values)[0] == ("mixed",)
    values[0, 1, 3] = 60
    analysis, why = advised(values)
    assert analysis == ("permutation",)
    assert "1 algorithm" in why


def test_one_data_set_outweighs_the_others():
    values = additive(rng(3), 12, 4)
    values[4] = 5000 * values[4]
    assert advised(values)[0] == ("permutation", "on", "ranks")


def test_scores_in_two_units_are_to_be_mended_before_any_analysis():
    values = additive(rng(3), 12, 4)
    values[[4, 7]] *= 100
    finding = found(values)[ADVICE]
    assert finding.hint == "none until the scores are mended and checked again."
    assert finding.proposes == ()
    assert "of another unit or measure (per cent and fractions)" in finding.what


@pytest.mark.parametrize("unit", [1e140, 1e-60])
def test_scores_whose_powers_are_no_numbers_are_to_be_mended(unit):
    finding = found(unit * rng(3).normal(size=(6, 3)))[ADVICE]
    assert finding.proposes == ()
    assert "out of the range of numbers" in finding.what
    with pytest.raises(bi.DesignError, match="change the unit of the scores"):
        bi.compare_mixed(
            bi.read_scores(table(unit * rng(3).normal(size=(6, 3))), measures="score:higher")
        )


def test_groups_that_share_no_data_set():
    held = np.ones((8, 4), bool)
    held[:4, :2] = held[4:, 2:] = False
    finding = found(additive(rng(12), 8, 4), held=held)[ADVICE]
    assert finding.hint == "scores.subset(algorithms=[...])."
    assert finding.proposes == ()
    assert "2 groups of algorithms share no data set: compare each by itself" in finding.what


def test_an_algorithm_on_one_data_set():
    held = np.ones((8, 4), bool)
    held[1:, 2] = False
    analysis, why = advised(additive(rng(12), 8, 4), held=held)
    assert analysis == ("mixed", "structure", "common")
    assert "on one data set only" in why


def test_heavy_tails():
    values = additive(rng(4), 40, 4) + np.where(rng(5).random((40, 4)) < 0.05, 0.3, 0)
    analysis, why = advised(values)
    assert analysis == ("permutation",)
    assert re.match(r"\d+ of 160 residuals lie far out", why)


def test_too_few_data_sets_for_ranks():
    values = additive(rng(5), 5, 8).round(1)
    analysis, why = advised(values)
    assert analysis == ("mixed",)
    assert "5 data sets are too few for any test by ranks or signs" in why


def test_normal_scores_seldom_look_heavy_tailed():
    draw = rng(6)
    names = []
    for _ in range(150):
        d, k = int(draw.integers(10, 40)), int(draw.integers(3, 8))
        sd = np.exp(draw.normal(0, 0.7, k))  # algorithms may be unlike
        fit = advice(facts(additive(draw, d, k, 0.03) + draw.normal(size=(d, k)) * sd), 0)
        names.append(fit.call.name)
    assert names.count("mixed") >= 135


def test_advice_does_not_see_who_is_better():
    values = additive(rng(7), 12, 4)
    told = advised(values)
    assert advised(-values, "loss:lower") == told
    assert advised(values[:, ::-1]) == told
    assert advised(values + np.array([0, 0.5, 1, 2])) == told


def test_ties_are_counted_by_pairs():
    levels = rng(8).integers(0, 3, (20, 5)).astype(float)
    i, j = np.triu_indices(5, 1)
    assert _ties(levels) == pytest.approx((levels[:, i] == levels[:, j]).mean())


def test_measures_are_advised_apart():
    frame = table(additive(rng(9), 12, 4)).assign(measure="acc")
    far = table(additive(rng(9), 12, 4).round(1)).assign(measure="loss")
    import pandas as pd

    scores = bi.read_scores(
        pd.concat([frame, far]).rename(columns={"score": "value"}),
        measures={"acc": "higher", "loss": "lower"},
    )
    finding = {f.rule: f for f in scores.finding_records}[ADVICE]
    assert finding.hint == "acc: compare_mixed; loss: compare_permutation."


def test_items_are_paired_where_each_data_set_has_a_measure_of_its_own():
    path = Path(__file__).parents[1] / "formats" / "samples" / "evaluations" / "lighteval_details"
    finding = {f.rule: f for f in bi.read_scores(path).finding_records}[ADVICE]
    assert finding.proposes == (("analysis", "pair"),)


def test_advice_names_what_can_be_called():
    from benchinfer.scores.checks import advice as module

    analyses = [each for each in vars(module).values() if isinstance(each, Analysis)]
    for one in [*analyses, kinds.RANKED, kinds.BINOMIAL]:
        parameters = inspect.signature(getattr(bi, f"compare_{one.name}")).parameters
        assert one.argument is None or one.argument[0] in parameters
    assert len(analyses) > 4


@pytest.mark.parametrize(("tests", "least"), [(1, 6), (3, 7), (6, 8), (10, 9), (3741, 18)])
def test_least_number_of_data_sets(tests, least):
    assert least_datasets(tests) == least
    assert tests * 2.0 ** (1 - least) <= 0.05 < tests * 2.0 ** (2 - least)


@pytest.mark.parametrize("d", [4, 5, 6, 7, 8])
def test_no_scores_decide_a_pair_on_few_data_sets(d):
    """The clearest scores there are: each algorithm ahead of the next on all data sets."""
    values = np.arange(4) + 0.01 * rng(10).normal(size=(d, 4))
    finding = found(values).get("few data sets")
    tested = bi.compare_permutation(
        bi.read_scores(table(values), measures="acc:higher"), on="ranks", adjust="holm"
    )
    smallest = float(tested.contrasts(all=True)["p_value"].min())
    assert (finding is not None) == (d < 8)
    assert smallest == pytest.approx(min(1, 6 * 2.0 ** (1 - d)))
    if finding:
        assert f"and {smallest:.3g} by Holm's for 6 pairs" in finding.what
        assert ("adjusted so, " in finding.what) == (d >= 6)
        assert "8 are enough by Holm's, 7 for the 3 comparisons with a control" in finding.hint


def test_a_leaderboard_on_a_few_test_sets():
    finding = found(additive(rng(11), 8, 87))["few data sets"]
    assert "3,741 pairs" in finding.what
    assert "18 are enough" in finding.hint
