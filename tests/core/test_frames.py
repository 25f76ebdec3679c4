"""Tables of pairs from the other side, p-values in tables, and tables as they are printed."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.errors import BenchinferError
from benchinfer.core.frames import GLOSSARY, frame, turned
from benchinfer.core.p_values import P_VALUES

HERE = np.array([True])
PAIR = pd.DataFrame({"first": ["a"], "second": ["b"]})


def test_only_the_rows_asked_for_are_turned() -> None:
    table = pd.DataFrame(
        {
            "first": ["a", "a"],
            "second": ["b", "c"],
            "wins": [5, 6],
            "losses": [2, 1],
            "p_value": 0.2,
        }
    )
    found = turned(table, np.array([False, True]), neutral=0)
    assert found.to_dict("list") == {
        "first": ["a", "c"],
        "second": ["b", "a"],
        "wins": [5, 1],
        "losses": [2, 6],
        "p_value": [0.2, 0.2],
    }


@pytest.mark.parametrize("column", ["gain", "Nemenyi", "wins", "prob_first", "conf_low"])
def test_columns_that_cannot_be_turned_are_refused(column: str) -> None:
    table = PAIR.assign(**{column: 0.3})
    with pytest.raises(BenchinferError, match=f"not known to turn: {column}$"):
        turned(table, HERE, neutral=0)
    assert turned(table, HERE, neutral=0, undirected=[column])[column].tolist() == [0.3]


def frame_of(p_values: list[float]) -> pd.DataFrame:
    return frame({"first": ["a"] * len(p_values), "p_value": p_values})


def test_p_values_are_numbers_that_are_shown_as_people_write_them() -> None:
    table = frame_of([3.2e-16, 0.04217, 0.9999999, float("nan")])
    assert table["p_value"].dtype == np.float64
    assert table["p_value"].iloc[0] == 3.2e-16
    shown = repr(table).split()
    assert {"<0.001", "0.042", ">0.999"} <= set(shown)
    assert "e-16" not in repr(table)
    html = table._repr_html_()
    assert html is not None
    assert "&lt;0.001" in html
    assert "e-16" in table.to_csv()


def test_rounded_p_values_are_shown_in_the_same_form() -> None:
    assert "0.042\n" in repr(frame_of([1e-9, 0.04217]).round(4)[["p_value"]]) + "\n"
    assert "<0.001" in repr(frame_of([1e-9, 0.04217]).round(4))


def test_p_values_are_shown_so_after_what_people_do_with_frames() -> None:
    table = frame_of([3.2e-16, 0.04217])
    kept = (
        table.head(1),
        table.sort_values("p_value"),
        table[["p_value"]],
        table.query("first == 'a'"),
        table.set_index("first"),
        pd.concat([table, table]),
        table.assign(n=1),
        pickle.loads(pickle.dumps(table)),  # noqa: S301 (its own)
        copy.deepcopy(table),
    )
    for each in kept:
        assert "<0.001" in repr(each)
    assert type(pd.DataFrame(table)) is pd.DataFrame
    renamed = table.rename(columns={"p_value": "p"})
    assert "<0.001" not in repr(renamed)
    assert "yes" in repr(table.assign(p_value=["yes", "no"]))


def test_each_p_value_of_the_glossary_is_known() -> None:
    said = {name for name, text in GLOSSARY.items() if "p-value" in text and name.startswith("p_")}
    # A mean of probabilities, and p-values beside levels that are far below .001.
    assert said - P_VALUES == {"p_score", "p_record"}
    assert set(GLOSSARY) >= P_VALUES


def wide() -> pd.DataFrame:
    columns = {name: [0.12345] for name in ("estimate", "conf_low", "conf_high", "std_error", "df")}
    columns |= {name: [0.5] for name in ("statistic", "p_value", "p_raw", "p_equivalence")}
    return frame({"algorithm": ["svm"], **columns, "remedy": ["a long sentence " * 8]})


def test_a_frame_prints_all_its_columns_on_lines_that_fit() -> None:
    text = repr(wide())
    assert max(map(len, text.splitlines())) <= 80
    assert [name for name in wide().columns if name not in text.split()] == []
    assert "columns]" not in text


def test_html_has_all_columns_and_texts() -> None:
    many = frame({name: [0.5] for name in list(GLOSSARY)[:40]} | {"remedy": ["a long one " * 20]})
    html = many._repr_html_()
    assert "a long one " * 19 in html
    assert html.count("<th>") == 41 + 2  # with that of the row and its head
    assert "..." not in html


def test_a_user_s_choice_of_columns_and_widths_is_kept() -> None:
    with pd.option_context("display.max_columns", 3, "display.max_colwidth", 9):
        assert "..." in repr(wide())
        assert "a long sentence" not in wide()._repr_html_()
    assert pd.get_option("display.max_columns") in {0, 20}


def test_summaries_and_diagnostics_print_their_columns() -> None:
    result = bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error")
    for table in (result.summary(), result.anova(), result.diagnostics()):
        text = repr(table)
        assert {*table.columns} <= {*text.split()}
        assert max(map(len, text.splitlines())) <= 80
