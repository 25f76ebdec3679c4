"""One analysis is recommended from the table alone."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.cli.hints import as_options
from benchinfer.scores.checks import kinds
from benchinfer.scores.checks.advice import ADVICE
from benchinfer.scores.checks.decision import advice, least_flips
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
        (RIGHT[:1], {"resampling": "items"}, "permutation"),
        (RIGHT[:1, :2], {"resampling": "items"}, "pair"),
        (RIGHT[:2], {"resampling": "items"}, "permutation target datasets"),
        (RIGHT, {"resampling": "items"}, "mixed"),
        (RANKS, {}, "permutation on values"),
        (rng().normal(size=(1, 3, 1)), {}, "points"),
        (rng().normal(size=(1, 2, 9)), {}, "pair"),
        (rng().normal(size=(1, 3, 9)), {}, "mixed"),
        (rng().normal(size=(1, 3, 10)), {"resampling": bi.Resampling("cv", folds=10)}, "mixed"),
        (rng().normal(size=(2, 3, 5)), {}, "mixed target datasets"),
        (rng().normal(size=(2, 3)), {}, "points"),
        (additive(rng(), 10, 4), {}, "mixed"),
        (additive(rng(), 10, 4), {"held": GAPS}, "mixed missing shared"),
        (additive(rng(), 10, 4).round(1), {}, "permutation"),
        (additive(rng(), 5, 4).round(1), {}, "mixed"),
    ],
)
def test_the_table_sets_the_analysis(values, options, analysis):
    assert advised(values, **options)[0] == (*analysis.split(),)


def test_the_hint_is_the_call():
    hint = found(RANKS)[ADVICE].hint
    assert hint == 'compare_permutation(..., on="values").'
    assert as_options(hint) == "compare permutation --on values."


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
            same = (
                scores.normalise(arguments.pop("normalise")) if "normalise" in arguments else scores
            )
            if name not in ("", "bayes"):  # a minute to compile
                assert str(getattr(bi, f"compare_{name}")(same, **arguments))
    assert names - {""}


def test_an_overlap_is_to_be_declared_before_a_test():
    values = rng().normal(size=(2, 3, 5))
    analysis, what = advised(values, resampling="holdout")
    assert analysis == ("points",)
    assert "by how much is not declared, as in --resampling holdout:0.1" in as_options(what)
    assert advised(values, resampling="cv")[0] != ("points",)  # as many folds as labels


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
    analysis, why = advised(values)
    assert analysis == ("permutation",)
    assert "residuals are outliers" in why


def test_scores_in_two_units_are_to_be_mended_before_any_analysis():
    values = additive(rng(3), 12, 4)
    values[[4, 7]] *= 100
    finding = found(values)[ADVICE]
    assert finding.hint == "none until the scores are mended and checked again."
    assert finding.proposes == ()
    assert "of another unit or measure (per cent and fractions)" in finding.what


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
    assert "an algorithm that is on one data set only needs one error" in why


def test_heavy_tails():
    values = additive(rng(4), 40, 4) + np.where(rng(5).random((40, 4)) < 0.05, 0.3, 0)
    analysis, why = advised(values)
    assert analysis == ("permutation",)
    assert re.match(r"\d+ of 160 residuals are outliers", why)


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
    from benchinfer.scores.checks import decision as module

    analyses = [each for each in vars(module).values() if isinstance(each, Analysis)]
    for one in [*analyses, kinds.RANKED, kinds.BINOMIAL]:
        parameters = inspect.signature(getattr(bi, f"compare_{one.name}")).parameters
        assert one.argument is None or one.argument[0] in parameters
    assert len(analyses) > 4


def scaled(values, **options):
    """Return the rule of the advice and the arguments that bring the scores to one unit."""
    told = advice(facts(values, **options), 0)
    return told.rule, told.unit


def in_units(d, k, decades=4, seed=13):
    """Return normal scores of data sets whose units are spread over so many powers of ten."""
    draw = rng(seed)
    unit = 10.0 ** draw.permutation(np.linspace(0, decades, d))[:, None]
    return unit * (draw.normal(size=(d, 1)) + draw.normal(size=(d, k)) + np.arange(k))


def test_scores_in_several_units_are_ranked_within_data_sets():
    assert scaled(in_units(20, 5)) == ("units", (("normalise", "ranks"),))
    assert scaled(in_units(20, 5, 0)) == ("means", ())
    told = advice(facts(in_units(20, 5)), 0)
    assert told.call == Analysis("permutation", ("on", "values"))
    assert str(told) == 'compare_permutation(..., on="values") with normalise="ranks"'


def test_scores_above_0_in_several_units_are_compared_by_their_logarithms():
    draw = rng(14)
    values = 10.0 ** np.linspace(0, 5, 20)[:, None] * np.exp(0.2 * draw.normal(size=(20, 5)))
    mae = bi.Measure("mae", "lower")
    assert scaled(values, measure=mae) == ("means", (("scale", "log"),))
    assert str(advice(facts(values, mae), 0)) == 'compare_mixed with Measure(scale="log")'
    # Not where the logarithms spread as unlike, nor of shares, which end at 1.
    uneven = np.exp(in_units(20, 5, 3) / 500)
    assert scaled(uneven, measure=mae) == ("units", (("normalise", "ranks"),))
    for measure in (bi.Measure("loss", "lower", bounds=(0, 1e9)), bi.Measure("accuracy", "higher")):
        assert scaled(values / 1e9, measure=measure) == ("units", (("normalise", "ranks"),))
    assert scaled(values, measure=bi.Measure("s", "lower", bounds=(0, np.inf)))[1][0][1] == "log"


@pytest.mark.parametrize(("k", "least"), [(2, 6), (3, 6), (4, 7), (8, 7)])
def test_fewer_data_sets_than_sign_flips_take_are_divided_by_their_spread(k, least):
    assert least_flips(k) == least
    few, enough = (scaled(in_units(d, k, 8, seed=3)) for d in (least - 1, least))
    # Two single scores of a data set are one standard deviation apart, whatever they are.
    assert few == ("units", (("normalise", "z" if k > 2 else "ranks"),))
    assert enough == ("units", (("normalise", "ranks"),))


def test_two_algorithms_with_replications_have_a_spread_on_few_data_sets():
    draw = rng(16)
    values = 100.0 ** np.arange(5)[:, None, None] * (1 - draw.normal(size=(5, 2, 6)) + [[0], [2]])
    scores = bi.read_scores(table(values), measures="acc:higher")
    told = advice(scores.facts(), 0)
    assert (told.call.name, told.unit) == ("mixed", (("normalise", "z"),))


def test_times_in_seconds_and_normalised_scores_keep_their_unit():
    values = in_units(20, 5)
    limited = bi.Measure("seconds", "lower", limit=float(values.max()))
    assert scaled(values, measure=limited)[1] == ()
    scores = bi.read_scores(table(values), measures="acc:higher")
    told = advice(scores.normalise({"low": -1, "high": 1}).facts(), 0)
    assert told.unit == ()
    assert advice(scores.facts(), 0, rescale=False).unit == ()


def test_statistics_are_divided_by_their_spread_as_they_have_no_ranks():
    scores = bi.read_scores(table(in_units(20, 5)), measures="acc:higher")
    told = advice(bi.ScoreTable.of_statistics(scores.statistics()).facts(), 0)
    assert (told.call.name, told.unit) == ("mixed", (("normalise", "z"),))


def test_no_algorithm_alone_puts_scores_in_several_units():
    """One that varies fifty times as much as the others is erratic, and in their unit."""
    draw = rng(17)
    assert all(
        not scaled(draw.normal(size=(d, k)) * np.r_[50, np.ones(k - 1)])[1]
        for d, k in [(12, 4), (12, 6), (30, 6)] * 20
    )


@pytest.mark.slow
def test_scores_in_one_unit_seldom_look_as_if_in_several():
    draw = rng(18)
    shapes = [(4, 3), (6, 2), (6, 5), (12, 2), (12, 3), (12, 6), (30, 3), (30, 8)] * 25
    noises = (draw.normal, draw.exponential, lambda size: draw.standard_t(3, size))
    seen = [bool(scaled(noise(size=shape))[1]) for shape in shapes for noise in noises]
    assert np.mean(seen) < 0.02


def test_claims_about_these_data_sets_are_in_one_unit_too():
    draw = rng(19)
    values = in_units(8, 3, 8)[:, :, None] * (1 + 0.1 * draw.normal(size=(8, 3, 5)))
    told = advice(bi.read_scores(table(values), measures="acc:higher").facts(), 0, "datasets")
    assert told.call == Analysis("mixed", ("target", "datasets"))
    assert told.unit == (("normalise", "z"),)


def test_skew_pairs_are_compared_by_typical_differences():
    draw = rng(20)
    values = np.minimum(draw.exponential(size=(40, 6)), 3) * np.array([1, 1, 1, -1, -1, -1])
    told = advice(facts(values), 0)
    assert told.rule == "skewness"
    assert told.call == Analysis("permutation")
    assert "of 15 pairs are too skew for means" in told.reason


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
