"""Published tables in Markdown, LaTeX and HTML."""

import numpy as np
import pytest

from benchinfer import ScoreTableError, compare_meta, read_effects, read_scores
from benchinfer.scores.formats.published.cells import numbers_of
from tests.scores.formats.test_tables import SAMPLES, rule


def read(name, measures="score:higher", **options):
    return read_scores(SAMPLES / "published" / name, measures=measures, **options)


def values(scores):
    return scores.to_frame().set_index(["dataset", "algorithm"])["value"].to_dict()


def test_markdown():
    scores = read("markdown.md")
    assert scores.algorithms == ("ResNet-18", "VGG|16", "ours")
    assert values(scores) == {
        ("CIFAR-10", "ResNet-18"): 94.2,
        ("CIFAR-10", "VGG|16"): 92.9,
        ("CIFAR-10", "ours"): 95.0,
        ("CIFAR-100", "ResNet-18"): 75.1,
        ("CIFAR-100", "VGG|16"): 71.0,
        ("CIFAR-100", "ours"): 76.3,
        ("SVHN", "ResNet-18"): 96.8,
        ("SVHN", "VGG|16"): 95.9,
    }
    assert scores.failures()[["dataset", "algorithm"]].to_numpy().tolist() == [["SVHN", "ours"]]
    assert rule(scores, "marks left out")[0].count == 4  # three in bold, and a name in italics
    assert rule(scores, "spreads left out")[0].count == 8


def test_latex_with_booktabs():
    scores = read("latex.tex", "error:lower")
    assert scores.algorithms == ("Random forest", "SVM", "k-NN")
    assert values(scores)["UCI/wine", "SVM"] == 2.1
    assert values(scores)["spam", "k-NN"] == 9.8
    assert len(scores.failures()) == 1


def test_html_with_headings_over_columns_and_decimal_commas():
    scores = read("html.html")
    assert values(scores)["F1/German", "Alpha"] == 80.64
    assert values(scores)["F1/English", "Gamma"] == 81.5
    assert scores.algorithms == ("Alpha", "Beta", "Gamma")


@pytest.mark.parametrize(
    ("cell", "mean", "spread"),
    [
        ("94.2 ± 0.3", 94.2, 0.3),
        ("94.2±0.3%", 94.2, 0.3),
        ("94.2 (0.3)", 94.2, 0.3),
        ("94.2 (±.3)", 94.2, 0.3),
        ("94.2 +/- 0.3", 94.2, 0.3),
        ("**94.2**", 94.2, None),
        ("94.2*†", 94.2, None),
        ("80,64 %", 80.64, None),
        ("−1.5e-3", -1.5e-3, None),  # noqa: RUF001 - the sign of typesetters
        ("1.5", 1.5, None),
        ("94.2 (3)", 94.2, None),  # a rank
        ("3 (1)", 3.0, 1.0),
        ("—", None, None),
        ("OOM", "OOM", None),
        ("0.7645+0.0110", 0.7645, 0.011),
        ("nan ± nan", None, None),
        ("n/a", None, None),
    ],
)
def test_cells(cell, mean, spread):
    table = numbers_of([["model", "score"], ["a", cell], ["b", "1"], ["c", "2"]], "x.md")
    assert table.means["score"][0] == mean
    held = table.spreads.get("score", [None])[0]
    assert held == spread


def test_commas_that_may_be_of_thousands_are_refused():
    grid = [["model", "score"], ["a", "1,234"], ["b", "2,345"]]
    with pytest.raises(ScoreTableError, match="whether a comma is the decimal sign"):
        numbers_of(grid, "x.md")
    grid.append(["c", "1,234.5"])
    assert numbers_of(grid, "x.md").means["score"] == [1234.0, 2345.0, 1234.5]


def test_tables_of_one_header_are_one(tmp_path):
    page = "| model | a | b |\n|---|---|---|\n| {} | 1 | 2 |\n\ntext\n\n"
    (tmp_path / "x.md").write_text(page.format("svm") + page.format("knn"))
    assert read_scores(tmp_path / "x.md", measures="s:higher").algorithms == ("knn", "svm")
    (tmp_path / "x.md").write_text(page.format("svm") + page.format("knn").replace("| b", "| c"))
    with pytest.raises(ScoreTableError, match="2 tables with different columns"):
        read_scores(tmp_path / "x.md", measures="s:higher")
    (tmp_path / "x.md").write_text("no table\n")
    with pytest.raises(ScoreTableError, match="no table of scores"):
        read_scores(tmp_path / "x.md", measures="s:higher")


@pytest.mark.parametrize(
    ("spread", "factor"), [("sd", 1 / np.sqrt(5)), ("se", 1.0), ("ci", 1 / 1.959963984540054)]
)
def test_means_and_spreads_are_effects(spread, factor):
    path = SAMPLES / "published" / "markdown.md"
    effects = read_effects(path, measures="acc:higher", n=5, spread=spread)
    table = effects.to_frame().set_index(["dataset", "first", "second"])
    row = table.loc["CIFAR-10", "ResNet-18", "VGG|16"]
    assert row["estimate"] == pytest.approx(1.3)
    assert row["std_error"] == pytest.approx(factor * np.hypot(0.3, 0.2))
    assert len(table) == 3 + 3 + 1
    assert len(compare_meta(effects).contrasts()) == 3


def test_effects_of_columns_of_algorithms(tmp_path):
    path = tmp_path / "x.md"
    path.write_text("| data | svm | knn |\n|---|---|---|\n| iris | 1 ± 0.3 | 3 ± 0.4 |\n")
    (row,) = read_effects(path, measures="e:lower", n=4).to_frame().to_dict("records")
    assert (row["dataset"], row["first"], row["second"]) == ("iris", "svm", "knn")
    assert row["estimate"] == -2.0
    assert row["std_error"] == pytest.approx(0.25)
    path.write_text(path.read_text().replace("data", "what"))
    with pytest.raises(ScoreTableError, match="which column names the rows"):
        read_effects(path, measures="e:lower", n=4)
    assert read_effects(path, measures="e:lower", n=4, columns={"what": "dataset"}).n[0] == 4


def test_spreads_need_the_number_of_runs():
    with pytest.raises(ScoreTableError, match="it is not said of how many runs"):
        read_effects(SAMPLES / "published" / "markdown.md", measures="acc:higher")
    with pytest.raises(ScoreTableError, match="holds no means with spreads"):
        read_effects(SAMPLES / "published" / "html.html", measures="acc:higher", n=3)


def test_cells_of_a_plain_table_hold_a_mean_and_its_spread(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("dataset;svm;rf\nd1;94.2 ± 0.3;93.1 ± 0.4\nd2;84.2+/-.3;83.9 ± 0.4\n", "utf-8")
    scores = read_scores(path, measures="accuracy:higher")
    assert scores.cells("accuracy").mean.tolist() == [[93.1, 94.2], [83.9, 84.2]]
    assert rule(scores, "spreads left out")[0].count == 4
    effects = read_effects(path, measures="accuracy:higher", n=5, spread="sd")
    frame = effects.to_frame()
    assert frame["estimate"].abs().round(9).tolist() == [1.1, 0.3]
    assert (
        frame["std_error"].round(9).tolist()
        == [
            round(float(np.hypot(0.3, 0.4) / 5**0.5), 9),
        ]
        * 2
    )
    path.write_text("dataset,svm\nd1,94.2 ± 0.3,1\n", "utf-8")
    with pytest.raises(ScoreTableError, match="1 row with more cells than the 2 columns"):
        read_scores(path, measures="accuracy:higher")


def test_cells_of_a_plain_table_have_percent_signs(tmp_path):
    rows = ["Model,Base,Hard Set", "ada,70.00%,61.00%", "bert,66.00%,N/A", "cleo,OOM,50.00%"]
    (tmp_path / "board.csv").write_text("\n".join(rows))
    scores = read_scores(
        tmp_path / "board.csv", layout="rows-are-algorithms", measures={"accuracy": "higher"}
    )
    means = scores.to_frame().groupby("algorithm")["value"].mean().to_dict()
    assert means == {"ada": 65.5, "bert": 66.0, "cleo": 50.0}
    assert len(scores.failures()) == 2


def test_percent_signs_in_texts_of_a_plain_table_are_left(tmp_path):
    rows = ["dataset,model,score,note", "d,a,0.5,dropout of 50% of it", "d,b,0.25,none"]
    (tmp_path / "a.csv").write_text("\n".join(rows))
    assert read_scores(tmp_path / "a.csv", measures={"score": "higher"}).n_rows == 2


def test_times_with_units_are_in_seconds(tmp_path):
    cells = ["0.087s", "1.5 ms", "250.0us", "2min", "0", "-"]
    rows = [f"{model},i{i},{cell}" for model in "ab" for i, cell in enumerate(cells)]
    (tmp_path / "times.csv").write_text("\n".join(["solver,instance,time", *rows]), "utf-8")
    scores = read_scores(tmp_path / "times.csv")
    found = [values(scores)[f"i{i}", "a"] for i in range(5)]
    assert found == pytest.approx([0.087, 0.0015, 0.00025, 120.0, 0.0], rel=1e-12)
    assert len(scores.failures()) == 2
    assert rule(scores, "units of time")[0].count == 1


def test_spreads_of_times_have_their_unit():
    table = numbers_of(
        [["model", "time"], ["a", "1.5 \u00b1 0.5 ms"], ["b", "2.0s \u00b1 0.25s"]], "x"
    )
    assert table.means["time"] == pytest.approx([0.0015, 2.0])
    assert table.spreads["time"] == pytest.approx([0.0005, 0.25])
    assert table.times == ("time",)


def test_whole_numbers_with_a_unit_are_labels_and_numbers_without_one_no_times():
    grid = [["model", "budget", "time"], ["a", "1h", "0.5s"], ["b", "4h", "12"]]
    table = numbers_of(grid, "x")
    assert table.means["budget"] == ["1h", "4h"]
    assert table.means["time"] == [0.5, "12"]


TWO_TABLES = """\
### CIFAR-10
| Model | Top-1 Acc |
|---|---|
| a | 94.0 |
| b | 92.0 |

### SVHN
| Model | Top-1 Acc |
|---|---|
| a | 97.0 |
| b | 95.0 |
"""


def test_tables_of_the_same_columns_have_their_headings_in_a_column(tmp_path):
    (tmp_path / "results.md").write_text(TWO_TABLES, encoding="utf-8")
    with pytest.raises(ScoreTableError):
        read_scores(tmp_path / "results.md", measures={"Top-1 Acc": "higher"})
    scores = read_scores(
        tmp_path / "results.md", measures={"Top-1 Acc": "higher"}, columns={"heading": "dataset"}
    )
    assert values(scores)["SVHN", "b"] == 95.0
    assert scores.n_rows == 4
    assert rule(scores, "several tables")[0].count == 2
