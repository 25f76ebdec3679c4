import pytest

import benchinfer as bi
from benchinfer.analyses.mixed import figures


def test_bars_are_the_shares(mixed):
    laid, table = figures.layout_variances(mixed), mixed.variances()
    assert [row.value for row in laid.rows] == (100 * table["share"]).tolist()
    assert [row.said for row in laid.rows] == [f"{100 * s:.1f} %" for s in table["share"]]
    assert laid.rows[0].label == "difficulty of data sets"
    assert laid.alt.endswith(f"single scores (residual) {laid.rows[-1].said}.")


def test_the_scale_is_named(seconds):
    assert figures.layout_variances(seconds).axis.startswith(
        "share of the variance of the logarithms"
    )


@pytest.mark.parametrize("options", [{"structure": "unstructured"}, {"target": "datasets"},
                                     {"residual": "dataset"}])  # fmt: skip
def test_every_kind_of_model(table, options):
    laid = figures.layout_variances(bi.compare_mixed(table, **options))
    assert sum(row.value for row in laid.rows) == pytest.approx(100)


def test_one_dataset(table):
    laid = figures.layout_variances(bi.compare_mixed(table.subset(datasets=[table.datasets[0]])))
    assert laid.rows[0].label == "replications, all algorithms alike"
