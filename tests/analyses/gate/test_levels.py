"""Levels of a factor as the sides of a gate, against the comparison of its levels."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.errors import DesignError

ROLES = {"net": "factor", "aug": "factor"}


def runs(*, tolerance="0.002"):
    rng = np.random.default_rng(1)
    names = ["dataset", "net", "aug", "seed"]
    sides = [[f"d{d}" for d in range(10)], ["cnn", "vit"], ["mixup", "none"], [0, 1]]
    table = pd.MultiIndex.from_product(sides, names=names).to_frame(index=False)
    table["accuracy"] = 0.7 + 0.01 * (table["aug"] == "mixup")
    table["accuracy"] += rng.normal(scale=0.004, size=len(table))
    measures = [f"accuracy:higher:{tolerance}"]
    return table, bi.read_scores(table, measures=measures, columns=ROLES)


def test_a_level_is_the_mean_of_its_cells():
    table, scores = runs()
    result = bi.gate(scores, baseline="aug=none", candidate="aug=mixup")
    assert result.verdict == "pass"
    means = table.pivot_table(index="dataset", columns="aug", values="accuracy")
    expected = (means["mixup"] - means["none"]).mean()
    assert result["accuracy"].estimate == pytest.approx(expected)
    assert "aug=mixup" in result.headline()
    back = bi.gate(scores, baseline="aug=mixup", candidate="aug=none")
    assert back.verdict == "fail"


def test_cells_are_sides_as_before():
    _, scores = runs()
    assert bi.gate(scores, baseline="cnn/none", candidate="cnn/mixup").verdict == "pass"


@pytest.mark.parametrize(
    ("sides", "text"),
    [
        (("aug=none", "net=vit"), "no levels of one factor"),
        (("aug=none", "cnn/mixup"), "no levels of one factor"),
        (("aug=none", "aug=cutmix"), "level of aug 'cutmix'"),
    ],
)
def test_sides_that_are_no_levels_of_a_factor_are_refused(sides, text):
    _, scores = runs()
    with pytest.raises(DesignError, match=text):
        bi.gate(scores, baseline=sides[0], candidate=sides[1])


def test_a_level_that_lacks_a_cell_is_refused():
    table, _ = runs()
    gone = (table["dataset"] == "d3") & (table["net"] == "vit") & (table["aug"] == "mixup")
    scores = bi.read_scores(table[~gone], measures="accuracy:higher", columns=ROLES)
    with pytest.raises(DesignError, match="1 data set and 0 cells"):
        bi.gate(scores, baseline="aug=none", candidate="aug=mixup")
