import numpy as np
import pytest
from scipy.stats import norm

import benchinfer as bi
from benchinfer.analyses.mixed import figures


def test_quantiles_and_spreads_are_those_of_the_fit(mixed):
    laid, kept = figures.layout_residuals(mixed), mixed.fitted.residuals
    np.testing.assert_allclose(norm.cdf(laid.normal), np.arange(1, 100) / 100)
    np.testing.assert_array_equal(laid.residual, kept.quantiles)
    values = {row.label: row.value for row in laid.spreads.rows}
    names = (*mixed.algorithms, *mixed.setting.coverage.datasets)
    sd = np.concatenate([kept.spread.algorithm, kept.spread.dataset])
    assert values == {"algorithms": None, "data sets": None} | dict(zip(names, sd, strict=True))


def test_largest_spread_first(mixed):
    rows = figures.layout_residuals(mixed).spreads.rows
    values = [row.value for row in rows[1 : 1 + len(mixed.algorithms)]]
    assert values == sorted(values, reverse=True)


def test_one_score_per_cell_has_no_spreads():
    laid = figures.layout_residuals(bi.compare_mixed(bi.load_example("demsar2006")))
    assert laid.spreads is None
    assert len(laid.residual) == 99


def test_unpaired_replications_have_no_quantiles(table):
    apart = bi.read_scores(table.to_frame(), measures=list(table.measures), paired=False)
    laid = figures.layout_residuals(bi.compare_mixed(apart))
    assert not len(laid.residual)
    assert len(laid.spreads.rows) == 2 + len(table.algorithms) + len(table.datasets)
    assert "quantiles" not in laid.alt


def test_parts_do_not_overlap(mixed, nasty):
    for result in (mixed, nasty):
        for width in (6.9, 3.3):
            laid = figures.layout_residuals(result, width)
            one, two = figures._places(laid, laid.spreads)
            apart = two[0] >= one[0] + one[2] or two[1] + two[3] <= one[1]
            assert apart
            assert all(
                0 < a < a + s <= 1 for p in (one, two) for a, s in zip(p, p[2:], strict=False)
            )


@pytest.mark.parametrize("options", [{"structure": "unstructured"}, {"target": "datasets"}])
def test_models_without_residuals(table, options):
    with pytest.raises(bi.DesignError) as caught:
        bi.compare_mixed(table, **options).plot("residuals")
    assert str(caught.value) == (
        "residuals of this model are not kept.\n"
        "Hint: they are for several data sets, one variance per source, and no covariates or"
        " domains."
    )
