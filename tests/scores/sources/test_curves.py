"""Points of curves: the last, best, one or the mean of the last scores of each run."""

import itertools

import numpy as np
import pandas as pd
import pytest

from benchinfer import Declaration, ScoreTableError, read_scores

RUNS = [*itertools.product(("d1", "d2"), ("cnn", "mlp"), (1, 2, 3))]
ACC = {"test_acc": "higher"}


@pytest.fixture
def curves():
    """Eight epochs of each run, in an order that is not theirs."""
    rng = np.random.default_rng(5)
    rows = [
        (d, m, s, epoch, *rng.random(2).round(4))
        for d, m, s in RUNS
        for epoch in rng.permutation(8)
    ]
    columns = ["dataset", "model", "seed", "epoch", "val_loss", "test_acc"]
    return pd.DataFrame(rows, columns=columns)


def expected(frame, take):
    """Take the points one curve at a time."""
    values = {}
    for key, curve in frame.groupby(["dataset", "model", "seed"]):
        ordered = curve.sort_values("epoch")
        values[key] = take(ordered)
    return values


def read_points(frame, take, measures=ACC, **options):
    scores = read_scores(frame, measures=Declaration(measures, take=take, **options))
    table = scores.to_frame()
    keys = zip(table["dataset"], table["algorithm"], table["replication"].astype(int), strict=True)
    return dict(zip(keys, table["value"], strict=True)), scores


POINTS = {
    "last:epoch": lambda c: c["test_acc"].iloc[-1],
    "last": lambda c: c["test_acc"].iloc[-1],
    "best:val_loss:lower": lambda c: c["test_acc"].iloc[c["val_loss"].argmin()],
    "best:val_loss:higher": lambda c: c["test_acc"].iloc[c["val_loss"].argmax()],
    "at:epoch=3": lambda c: c["test_acc"].iloc[3],
    "mean-last:5": lambda c: c["test_acc"].iloc[-5:].mean(),
    "mean-last:2:epoch": lambda c: c["test_acc"].iloc[-2:].mean(),
}


@pytest.mark.parametrize("take", POINTS)
@pytest.mark.parametrize("source", ["frame", "csv", "parquet"])
def test_points_are_those_of_each_curve(curves, tmp_path, take, source):
    if source == "csv":
        curves.to_csv(tmp_path / "x.csv", index=False)
    if source == "parquet":
        curves.to_parquet(tmp_path / "x.parquet")
    place = curves if source == "frame" else tmp_path / f"x.{source}"
    points, scores = read_points(place, take, dataset=None)
    assert points == pytest.approx(expected(curves, POINTS[take]), rel=1e-12)
    (note,) = [f for f in scores.finding_records if f.rule == "points of curves"]
    assert note.what.startswith("96 rows of 12 curves: the score of each is ")


def test_the_first_of_equal_best_steps_counts(curves):
    curves["val_loss"] = np.where(curves["epoch"].isin([2, 5]), 0.0, 1.0)
    points, _ = read_points(curves, "best:val_loss:lower")
    assert points == pytest.approx(expected(curves, lambda c: c["test_acc"].iloc[2]))


def test_the_direction_of_the_best_is_by_declaration_or_by_name(curves):
    named = curves.rename(columns={"val_loss": "val_rmse"})
    assert read_points(named, "best:val_rmse")[0] == read_points(named, "best:val_rmse:lower")[0]
    with pytest.raises(ScoreTableError, match=r"higher or lower is better for x[^$]*best:x:lower"):
        read_points(curves.rename(columns={"val_loss": "x"}), "best:x")


def test_the_best_of_the_compared_scores_is_refused(curves):
    with pytest.raises(ScoreTableError, match=r"selected by itself[^$]*selected=True"):
        read_points(curves, "best:test_acc")
    points, scores = read_points(curves, "best:test_acc", selected=True)
    assert points == pytest.approx(expected(curves, lambda c: c["test_acc"].max()))
    (warning,) = [f for f in scores.finding_records if f.rule == "selected scores"]
    assert warning.severity == "warning"
    both = {"test_acc": "higher", "val_loss": "lower"}
    with pytest.raises(ScoreTableError, match="the best val_loss of each curve would be compared"):
        read_scores(curves, measures=both, layout="wide-measures", take="best:val_loss")


@pytest.mark.parametrize(
    ("take", "said"),
    [
        ("first:epoch", "not understood"),
        ("mean-last:x", "not understood"),
        ("mean-last:0", "not understood"),
        ("at:epoch", "not understood"),
        ("last:epochs", r"there is no column 'epochs'[^$]*the table has: dataset, model, seed"),
        ("best:val", "there is no column 'val'"),
        ("at:epoch=99", r"no curve has a score[^$]*epoch is 0 to 7"),
        ("last:model", r"96 of 96 rows have no number in 'model'"),
    ],
)
def test_mistakes_are_named(curves, take, said):
    with pytest.raises(ScoreTableError, match=said):
        read_points(curves, take)


def test_a_table_without_steps(curves):
    with pytest.raises(ScoreTableError, match="no column is named as one of steps"):
        read_points(curves.rename(columns={"epoch": "n"}), "mean-last:5")
    points, _ = read_points(curves.rename(columns={"epoch": "n"}), "last:n")
    assert len(points) == 12


def test_curves_of_unequal_length_are_a_warning(curves):
    short = curves[(curves["model"] != "mlp") | (curves["seed"] != 1) | (curves["epoch"] < 4)]
    points, scores = read_points(short, "last:epoch")
    assert points["d1", "mlp", 1] == expected(short, POINTS["last"])["d1", "mlp", 1]
    (finding,) = [f for f in scores.finding_records if f.rule == "curves of unequal length"]
    assert finding.where[1] == ("test_acc", "3", "7")
    _, scores = read_points(short, "at:epoch=3")
    assert scores.n_rows == 12
    _, scores = read_points(short, "at:epoch=7")
    assert (scores.n_rows, len(scores.failures())) == (10, 2)
    (finding,) = [f for f in scores.finding_records if f.rule == "curves without the point"]
    assert (finding.count, finding.severity) == (2, "warning")


def test_a_run_that_diverged_has_failed(tmp_path):
    """NaN is the score of the last step; an empty place is one where nothing was logged."""
    path = tmp_path / "log.csv"
    rows = ["model,seed,step,train_loss,val_loss"]
    for m, s in itertools.product(("a", "b"), (1, 2)):
        rows += [f"{m},{s},1,0.9,", f"{m},{s},2,,0.8", f"{m},{s},3,0.7,"]
        rows += [f"{m},{s},4,,{'nan' if (m, s) == ('a', 1) else 0.25}", f"{m},{s},5,0.1,"]
    path.write_text("\n".join(rows))
    scores = read_scores(path, measures={"val_loss": "lower"}, take="last:step")
    assert scores.to_frame()["value"].tolist() == [0.25] * 3
    assert scores.failures()[["algorithm", "replication"]].to_numpy().tolist() == [["a", "1"]]


def test_several_curves_without_a_label_are_duplicates(curves):
    with pytest.raises(ScoreTableError, match="4 places"):
        read_points(curves.drop(columns="seed"), "last:epoch")
    with pytest.raises(ScoreTableError, match="4 places"):
        read_points(curves.drop(columns="seed"), "mean-last:3")


def test_steps_are_no_replications(curves):
    with pytest.raises(ScoreTableError, match=r"several scores[^$]*take='last:epoch'"):
        read_scores(curves, measures=ACC)


def test_measures_have_steps_of_their_own():
    frame = pd.DataFrame(
        [
            (m, s, step, *((0.5, None) if step % 2 else (None, step / 10)))
            for m, s, step in itertools.product(("a", "b"), (1, 2), range(1, 6))
        ],
        columns=["model", "seed", "step", "train_loss", "val_acc"],
    )
    measures = {"train_loss": "lower", "val_acc": "higher"}
    scores = read_scores(frame, measures=measures, layout="wide-measures", take="last:step")
    assert scores.n_rows == 8
    assert not [f for f in scores.finding_records if f.rule == "curves of unequal length"]
    assert set(scores.to_frame("val_acc")["value"]) == {0.4}


def test_covariates_and_filters_go_with_points(curves):
    curves["size"] = curves["seed"] * 10.0
    points, scores = read_points(curves, "last:epoch", covariates="size", where="epoch < 4")
    table = scores.to_frame()
    assert (table["size"] == table["replication"].astype(int) * 10).all()
    assert points == pytest.approx(expected(curves[curves["epoch"] < 4], POINTS["last"]))


def test_what_is_declared_beside_the_table(curves, tmp_path):
    curves.to_csv(tmp_path / "scores.csv", index=False)
    text = 'take = "best:val_loss:lower"\n[measures.test_acc]\nbetter = "higher"\n'
    (tmp_path / "measures.toml").write_text(text)
    points, scores = read_points(tmp_path, None, measures=None)
    assert points == pytest.approx(expected(curves, POINTS["best:val_loss:lower"]))
    assert "take as measures.toml beside the table says" in str(
        [f.what for f in scores.finding_records]
    )
    assert read_points(tmp_path, "last", measures=None)[0] == pytest.approx(
        expected(curves, POINTS["last"])
    )
