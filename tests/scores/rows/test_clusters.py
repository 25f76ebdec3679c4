"""Tables of clusters against the same tables in pandas (``make test-engines``)."""

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.scores.rows.clusters import grouped_blocks

pytestmark = pytest.mark.engines
ANALYSES = {
    "points": bi.compare_points,
    "mixed": bi.compare_mixed,
    "unstructured": lambda s: bi.compare_mixed(s, structure="unstructured"),
    "permutation": lambda s: bi.compare_permutation(s, seed=1),
    "wins": bi.compare_wins,
    "bayes": lambda s: bi.compare_bayes(s, seed=1, draws=100),
}
N = {"dataset": 6, "replication": 40, "algorithm": 4}


def _scores(missing):
    rng = np.random.default_rng(3)
    d, r, k = (i.ravel() for i in np.indices(tuple(N.values())))
    value = 0.3 * k + rng.standard_normal((6, 4))[d, k] + rng.standard_normal((6, 40))[d, r]
    frame = pd.DataFrame(
        {
            "dataset": np.char.add("d", d.astype(str)).astype(object),
            "replication": r,
            "algorithm": np.char.add("a", k.astype(str)).astype(object),
            "value": np.exp(0.2 * (value + 0.5 * rng.standard_normal(d.size))),
        }
    )
    return frame[rng.random(d.size) >= missing]


MEASURE = {"value": "higher"}
CASES = {
    "missing": (_scores(0.2), {"measures": MEASURE}),
    "unpaired": (_scores(0.2), {"measures": MEASURE, "paired": False}),
    "log": (_scores(0.1), {"measures": bi.Measure("value", "lower", scale="log")}),
}


@pytest.fixture(scope="module")
def dask():
    """Give frames to a cluster of two workers."""
    distributed = pytest.importorskip("distributed")
    dd = pytest.importorskip("dask.dataframe")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster):
        yield lambda frame: dd.from_pandas(frame, npartitions=5)


@pytest.fixture(scope="module")
def spark():
    """Give frames to Spark on two threads."""
    sql = pytest.importorskip("pyspark.sql")
    builder = sql.SparkSession.builder.master("local[2]")
    options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4"}
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session.createDataFrame
    session.stop()


@pytest.fixture(params=["dask", "spark"])
def engine(request):
    """Give frames to one engine after the other."""
    return request.param, request.getfixturevalue(request.param)


def _plan(frame):
    native = nw.to_native(frame)
    if hasattr(native, "_jdf"):
        return native._jdf.queryExecution().optimizedPlan().toString()
    return str({type(node).__name__ for node in native.expr.walk()})  # as a tree it has no end


@pytest.mark.parametrize("case", CASES)
def test_analyses_find_the_same_in_a_cluster(engine, case):
    frame, options = CASES[case]
    here, there = bi.read_scores(frame, **options), bi.read_scores(engine[1](frame), **options)
    assert there.measures == here.measures
    assert there.paired == here.paired
    for name, compare in ANALYSES.items():
        # The optimum of that model is found to fewer digits.
        tolerance = 1e-9 if name == "unstructured" else 1e-12
        a, b = compare(here).contrasts(all=True), compare(there).contrasts(all=True)
        for column in a:
            if a[column].dtype.kind == "f":
                unit = np.abs(a[column].to_numpy()).max()
                message = f"{name} {column}"
                np.testing.assert_allclose(
                    b[column], a[column], rtol=0, atol=tolerance * unit, err_msg=message
                )
            else:
                assert list(a[column]) == list(b[column])


def test_the_digest_changes_with_features(engine):
    frame = engine[1](CASES["missing"][0])
    sizes = pd.DataFrame({"dataset": [f"d{d}" for d in range(6)], "size": range(6)})
    described = (None, sizes, sizes.assign(size=sizes["size"] * 2))
    tables = [bi.read_scores(frame, measures=MEASURE, features=each) for each in described]
    assert len({table.digest for table in tables}) == 3
    again = bi.read_scores(frame, measures=MEASURE, features=sizes[::-1])
    assert again.digest == tables[1].digest


def test_blocks_are_aggregated_by_the_engine(engine):
    frame = CASES["missing"][0]
    rows = nw.from_native(engine[1](frame.assign(measure="value"))).lazy()
    cells = bi.read_scores(frame, measures=MEASURE).cells()
    plan = _plan(grouped_blocks(rows, cells))
    assert "GroupbyAggregation" in plan or plan.count("Aggregate [") == 2


def test_no_rows_come_back(engine, monkeypatch):
    name, send = engine
    sizes = []
    if name == "dask":
        from dask.dataframe import DataFrame as Native

        method = "compute"
    else:
        from pyspark.sql.classic.dataframe import DataFrame as Native

        method = "toArrow"
    fetch = getattr(Native, method)

    def counted(self, *args, **options):
        found = fetch(self, *args, **options)
        sizes.append(len(found))
        return found

    frame = CASES["missing"][0]
    monkeypatch.setattr(Native, method, counted)
    scores = bi.read_scores(send(frame), measures=MEASURE)
    bi.compare_mixed(scores)
    assert sizes
    assert max(sizes) <= 6 * 2**4 < len(frame) / 5
    with pytest.raises(bi.DesignError, match="after compute\\(\\) or toPandas\\(\\)"):
        bi.compare_bootstrap(scores, seed=1)


def test_parts_of_a_cluster_are_added_to_those_of_files(engine):
    frame = CASES["missing"][0]
    first = frame["dataset"] < "d3"
    whole = bi.read_scores(frame, measures=MEASURE)
    parts = [
        bi.read_scores(engine[1](frame[first]), measures=MEASURE),
        bi.read_scores(frame[~first], measures=MEASURE),
    ]
    pooled = parts[0].statistics() + parts[1]
    a, b = (bi.compare_mixed(x).contrasts(all=True)["p_value"] for x in (whole, pooled))
    np.testing.assert_allclose(a, b, rtol=1e-10)


def _answers():
    """Six data sets of 12 passages with 1 to 5 questions, of which few have 3 answers, others 2."""
    rng = np.random.default_rng(5)
    rows = [
        (f"d{d}", f"p{p}", q, epoch, f"a{k}", float(rng.random() < 0.4 + 0.1 * k))
        for d in range(6)
        for p in range(12)
        for q in range(1 + (p + d) % 5)
        for k in range(3)
        for epoch in range(3 if q == 4 else 2)
    ]
    return pd.DataFrame(rows, columns=["dataset", *LEVELS, "algorithm", "value"])


LEVELS = ("passage", "question", "epoch")
OF_UNITS = {
    "points": bi.compare_points,
    "mixed": bi.compare_mixed,
    "mixed, data sets": lambda s: bi.compare_mixed(s, target="datasets"),
    "bootstrap": lambda s: bi.compare_bootstrap(s, seed=1, resamples=500),
    "permutation": lambda s: bi.compare_permutation(s, on="values", target="datasets", seed=1),
    "meta": bi.compare_meta,
    "wins": lambda s: bi.compare_wins(s, by="replications"),
    "pair": lambda s: bi.compare_pair(s.subset(datasets="d0", algorithms=["a0", "a1"])),
    "points of statistics": lambda s: bi.compare_points(s.statistics()),
    "mixed of statistics": lambda s: bi.compare_mixed(s.statistics()),
}


@pytest.mark.parametrize("answered", [True, False], ids=["answers", "items"])
@pytest.mark.parametrize("weights", ["items", "units"])
def test_units_of_a_cluster_are_those_of_memory(engine, answered, weights):
    frame, levels = _answers(), LEVELS
    if not answered:
        frame, levels = frame[frame["epoch"] == 0].drop(columns="epoch"), LEVELS[:2]
    options = {"measures": MEASURE, "units": levels, "unit_weights": weights}
    here, there = bi.read_scores(frame, **options), bi.read_scores(engine[1](frame), **options)
    assert there.digest == here.digest
    assert [str(note) for note in there.notes] == [str(note) for note in here.notes]
    np.testing.assert_allclose(there.units.squares, here.units.squares, atol=1e-12)
    np.testing.assert_allclose(there.units.products, here.units.products, atol=1e-12)
    a, b = here.statistics(), there.statistics()
    assert (b.digest, repr(b)) == (a.digest, repr(a))
    for name in ("n", "replications", "shared", "mean", "squares", "minimum", "maximum"):
        np.testing.assert_allclose(getattr(b.summary, name), getattr(a.summary, name), atol=1e-12)
    for name, compare in OF_UNITS.items():
        a, b = compare(here).contrasts(all=True), compare(there).contrasts(all=True)
        assert list(a) == list(b), name
        for column in a:
            if a[column].dtype.kind == "f":
                np.testing.assert_allclose(b[column], a[column], atol=1e-10, err_msg=name)
            else:
                assert list(a[column]) == list(b[column]), (name, column)


def test_a_cluster_averages_the_answers_to_an_item(engine, monkeypatch):
    name, send = engine
    if name == "dask":
        from dask.dataframe import DataFrame as Native

        method = "compute"
    else:
        from pyspark.sql.classic.dataframe import DataFrame as Native

        method = "toArrow"
    sizes, fetch = [], getattr(Native, method)

    def counted(self, *args, **options):
        table = fetch(self, *args, **options)
        sizes.append(len(table))
        return table

    frame = _answers()
    monkeypatch.setattr(Native, method, counted)
    bi.read_scores(send(frame), measures=MEASURE, units=LEVELS)
    assert max(sizes) == (frame["epoch"] == 0).sum()


def test_faults_of_a_cluster_are_reported_with_their_places(engine):
    frame = pd.concat([CASES["missing"][0], CASES["missing"][0].head(2)], ignore_index=True)
    with pytest.raises(bi.ScoreTableError, match="d0"):
        bi.read_scores(engine[1](frame), measures=MEASURE)
