"""The model of incomplete grids, against emmeans and clubSandwich."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.factors.numerics.grid import Grid, level_pairs
from benchinfer.analyses.factors.numerics.model import GridModel
from benchinfer.analyses.factors.numerics.tests import ContrastEstimates

GOLDEN = Path(__file__).parents[2] / "golden" / "factors"
NAMES = ["net", "aug", "opt"]
ROLES = dict.fromkeys(NAMES, "factor")


def grid_of(frame):
    """The grid of a frame of cell means."""
    wide = frame.pivot_table(index="dataset", columns=NAMES, values="score")
    codes = [pd.factorize(wide.columns.get_level_values(n), sort=True)[0] for n in NAMES]
    return Grid(wide.to_numpy(), np.column_stack(codes), (3, 2, 2))


@pytest.fixture(scope="module")
def golden():
    frame = pd.read_csv(GOLDEN / "gaps.csv")
    return frame, json.loads((GOLDEN / "gaps.json").read_text())


def check(found, expected):
    columns = {name: [row[name] for row in expected] for name in ("estimate", "std_error", "df")}
    assert found.estimate == pytest.approx(columns["estimate"], abs=1e-10)
    assert found.std_error == pytest.approx(columns["std_error"], rel=1e-6)
    assert found.df == pytest.approx(columns["df"], rel=1e-6)


def test_contrasts_and_errors_are_those_of_emmeans_and_clubsandwich(golden):
    frame, values = golden
    grid = grid_of(frame)
    model, pairs = GridModel.of(grid), [level_pairs(size, None) for size in grid.sizes]
    for f, expected in enumerate(values["main"]):
        check(model.estimates(model.main(f), pairs[f]), expected)
    for (f, g), expected in zip(grid.pairs, values["double"], strict=True):
        check(model.double(f, g, pairs[f], pairs[g]), expected)
    rows = model.simple(1, pairs[1], 0)[0]
    rows = np.vstack([rows, np.zeros(rows.shape[1])])
    check(model.estimates(rows, np.array([[0, 3], [1, 3], [2, 3]])), values["simple"])
    assert model.means(model.main(0)) == pytest.approx(values["levels"], abs=1e-10)


def test_a_complete_grid_has_the_errors_of_its_own_spread():
    array = np.random.default_rng(1).normal(size=(7, 3, 2, 2))
    codes = np.array([*np.ndindex(3, 2, 2)])
    grid = Grid(array.reshape(7, -1), codes, (3, 2, 2))
    model, pairs = GridModel.of(grid), level_pairs(3, None)
    found = model.estimates(model.main(0), pairs)
    own = ContrastEstimates.of(grid.main(0, pairs))
    for name in ("estimate", "std_error", "df", "n"):
        assert getattr(found, name) == pytest.approx(getattr(own, name))
    one = level_pairs(2, None)
    double = model.double(0, 2, pairs, one), ContrastEstimates.of(grid.double(0, 2, pairs, one))
    turned = model.double(2, 0, one, pairs)
    for name in ("estimate", "std_error", "df"):
        assert getattr(double[0], name) == pytest.approx(getattr(double[1], name))
        assert getattr(turned, name) == pytest.approx(getattr(double[1], name))


def test_what_no_cell_tells_is_not_estimable(golden):
    frame, _ = golden
    left = frame[(frame["net"] != "vit") | (frame["opt"] == "adam")]
    grid = grid_of(left)
    model = GridModel.of(grid)
    pairs = level_pairs(3, None)
    main = model.estimates(model.main(0), pairs)
    assert np.isfinite(main.estimate).tolist() == [True, False, False]
    assert np.isfinite(model.means(model.main(0))).tolist() == [True, True, False]
    assert np.isfinite(model.estimates(model.main(1), level_pairs(2, None)).estimate).all()
    double = model.double(0, 2, pairs, level_pairs(2, None))
    assert double.n.tolist() == [9, 0, 0]


def test_an_incomplete_table_is_answered_by_the_model(golden):
    frame, values = golden
    scores = bi.read_scores(frame, measures="score:higher", columns=ROLES)
    result = bi.compare_factors(scores)
    assert result.modelled
    row = result["opt"].contrasts(all=True).iloc[0]
    expected = values["main"][2][0]
    assert row["estimate"] == pytest.approx(expected["estimate"])
    assert row["df"] == pytest.approx(expected["df"])
    simple = result.simple("aug", at="net")
    assert simple["std_error"].tolist() == pytest.approx([r["std_error"] for r in values["simple"]])
    table = result.interactions()
    assert table["df"].tolist()[:3] == pytest.approx([r["df"] for r in values["double"][0]])
    # The sides of an interaction differ by it.
    one = result.pairs_of_factors[0]
    assert one.simple[:, 0] - one.simple[:, 1] == pytest.approx(one.estimate)
    text = result.method
    assert "fitted by least squares" in text
    assert "CR2" in result["net"].method
    flagged = result.diagnostics().set_index("check").loc["effects by a model"]
    assert not flagged["ok"]


def test_few_complete_data_sets_of_many_suffice(golden):
    """A data set that lacks a cell is left out where half of them are complete."""
    frame, _ = golden
    whole = pd.read_csv(GOLDEN / "scores.csv").groupby(["dataset", *NAMES])["score"].mean()
    whole = whole.reset_index()
    scores = bi.read_scores(whole.iloc[1:], measures="score:higher", columns=ROLES)
    assert not bi.compare_factors(scores).modelled
    assert len(frame) < len(whole)
