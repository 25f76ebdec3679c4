"""No text of the figures of one analysis leaves the canvas or meets another one."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from tests.plots.test_draw_boxes import LONG, faults, table

DRAWN = {
    ("scores", 2): ("heatmap", "scatter", "boxes", "slope"),
    ("scores", 6): ("heatmap", "scatter", "boxes", "slope"),
    ("scores", 30): ("heatmap", "scatter", "boxes", "slope"),
    ("local", 2): ("verdicts", "podium", "pair", "support", "map", "clusters"),
    ("relation", 2): ("hasse", "matrix"),
    ("consensus", 2): ("hasse", "positions", "support"),
    ("meta", 2): ("studies", "funnel"),
    ("mixed", 2): ("caterpillar", "residuals"),
    ("monitor", 2): ("path",),
    ("monitor", 6): ("path",),
    ("local", 6): ("verdicts", "podium", "pair", "support", "clusters"),
    ("local", 30): ("verdicts", "podium", "pair", "support"),
    ("each", 6): ("pair",),
    ("steps", 2): ("learning-curves",),
    ("steps", 6): ("learning-curves",),
    ("steps", 30): ("learning-curves",),
    ("relation", 6): ("hasse", "hasse-undecided"),
    ("consensus", 6): ("hasse", "positions", "support"),
    ("consensus", 30): ("positions", "support"),
    ("meta", 6): ("studies", "funnel"),
    ("meta", 30): ("funnel",),
    ("network", 6): ("network",),
    ("network", 30): ("network",),
    ("mixed", 6): ("caterpillar", "residuals"),
    ("permutation", 6): ("null",),
    ("bayes", 6): ("simplex", "shrinkage", "predicted"),
    ("pair", 6): ("quantiles",),
    ("archetypes", 6): ("simplex", "profiles", "curve"),
    ("archetypes", 30): ("simplex", "profiles"),
    ("factors", 2): ("effects", "interactions", "heatmap"),
    ("factors", 12): ("effects", "interactions", "heatmap"),
}


def grid(k):
    """Effects of a factor of k levels and of two more, on ten data sets; lower is better."""
    factors = [[LONG(a) for a in range(k)], ["plain", "none"], ["10", "100", "1000"]]
    names = ["a_factor_with_a_long_name", "augmentation", "budget"]
    cells = pd.MultiIndex.from_product([range(10), *factors], names=["dataset", *names])
    frame = cells.to_frame(index=False)
    level = 0.02 * np.unique(frame[names[0]], return_inverse=True)[1]
    frame["error"] = 0.3 + level + np.random.default_rng(k).normal(0, 0.01, len(frame))
    measure = bi.Measure("error", "lower", 0.001, label="misclassification error in per cent")
    roles = dict.fromkeys(names, "factor")
    return bi.compare_factors(bi.read_scores(frame, measures=[measure], columns=roles))


def at_steps(k):
    """Two data sets, three runs, six steps."""
    rng = np.random.default_rng(k)
    names = ["dataset", "algorithm", "seed", "step"]
    at = pd.DataFrame(np.ndindex(2, k, 3, 6), columns=names)
    rows = at.assign(accuracy=rng.normal(0.6 + 0.05 * at["step"], 0.02), step=2 ** at["step"])
    rows["algorithm"] = [LONG(a) for a in rows["algorithm"]]
    roles = {"step": "replication", "seed": "replication"}
    return bi.read_scores(rows, measures="accuracy:higher", columns=roles, covariates="step")


def neighbours(scores):
    """Return the scores of four algorithms on each data set, one of them also on the next one."""
    rows = scores.to_frame()
    algorithm, dataset = (pd.factorize(rows[name])[0] for name in ("algorithm", "dataset"))
    near = (algorithm - 3 * dataset) % len(scores.algorithms) < 4
    return bi.read_scores(rows[near], measures=scores.measures)


@pytest.fixture(scope="module")
def found():
    two, six, thirty = (table(k, LONG) for k in (2, 6, 30))
    results = {}
    for k, scores in ((2, two), (6, six), (30, thirty)):
        local = bi.per_dataset(bi.compare_points, scores)
        results["local", k] = local
        results["scores", k] = scores
        results["consensus", k] = bi.consensus(local.relations(), method="borda")
        results["meta", k] = bi.compare_meta(scores)
        if k > 2:
            results["network", k] = bi.compare_meta(neighbours(scores))
        results["mixed", k] = bi.compare_mixed(scores)
        results["relation", k] = results["mixed", k].relation()
        results["monitor", k] = bi.monitor(scores)
        results["steps", k] = at_steps(k)
    for k in (2, 12):
        results["factors", k] = grid(k)
    results["each", 6] = bi.per_dataset(bi.compare_mixed, six, structure="common")
    results["bayes", 6] = bi.compare_bayes(six, draws=100, chains=4, seed=1)
    results["archetypes", 6] = bi.archetypes(six, seed=1)
    results["archetypes", 30] = bi.archetypes(thirty, seed=1)
    results["permutation", 6] = bi.compare_permutation(six, resamples=99, seed=1)
    results["pair", 6] = bi.compare_pair(
        bi.load_example("sklearn_bootstrap"), "error", dataset="wine"
    )
    return results


@pytest.mark.slow
@pytest.mark.parametrize("width", [pytest.param("page", marks=pytest.mark.calibration), "column"])
@pytest.mark.parametrize(("name", "k"), DRAWN)
def test_texts_keep_to_the_canvas_and_apart(name, k, width, found):
    for kind in DRAWN[name, k]:
        figure = bi.plot(found[name, k], kind, width=width)
        assert faults(figure) == ([], []), kind
        across, down = figure.get_size_inches()
        asked = {"page": 6.9, "column": 3.3}[width]
        # One panel, a triangle and a curve are no wider than they need be.
        if (name, k) == ("monitor", 2) or name == "archetypes":
            assert across <= asked
        else:
            assert across == pytest.approx(asked, abs=0.15), kind
        assert down <= 20


@pytest.mark.slow
def test_a_diagram_of_many_algorithms_is_drawn_on_demand(found):
    for name, other in (("relation", "matrix"), ("consensus", "positions")):
        for k, kind in ((6, "hasse"), (30, other)):
            default = bi.plot(found[name, k]).get_label()
            assert default == bi.plot(found[name, k], kind).get_label()


def test_verdicts_of_too_many_pairs_are_those_with_the_best(found):
    from benchinfer.relations.figures.ensemble import layout_verdicts, standing

    relations = found["local", 30].relations()
    best, *others = standing(relations)
    laid = layout_verdicts(relations)
    assert list(laid.columns) == others
    for tile in laid.tiles:
        relation = relations[laid.rows[tile.row]]
        i, j = (relation.algorithms.index(name) for name in (best, laid.columns[tile.column]))
        assert tile.verdict == relation.states[i, j]
    assert "29 of 435 pairs; other algorithms can be chosen" in laid.notes
    few = layout_verdicts(relations, algorithms=others[:3], top=2)
    assert (len(few.columns), len(few.rows)) == (3, 2)
    with pytest.raises(bi.DesignError, match="unknown algorithm 'no'"):
        layout_verdicts(relations, algorithms=["no"])


def test_a_pair_of_ones_choosing(found):
    names = found["meta", 6].algorithms
    for name, kind in (("meta", "studies"), ("meta", "funnel"), ("bayes", "shrinkage")):
        label = bi.plot(found[name, 6], kind, pair=(names[1], names[4])).get_label()
        assert f"{names[1]} vs {names[4]}" in label or f"{names[1]} and {names[4]}" in label
        with pytest.raises(bi.DesignError, match="unknown algorithm 'no'"):
            bi.plot(found[name, 6], kind, pair=("no", names[0]))
