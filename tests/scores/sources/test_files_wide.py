"""Text files of very many columns: their time is that of their length."""

import time

import pytest

import benchinfer as bi

N = 9000


@pytest.mark.parametrize(
    "rows",
    [
        "1\n" * N,
        (",".join(["2"] * N) + "\n") * 20 + "1\n" * N,
        "".join("2" + ",2" * i + "\n" for i in range(0, N, 30)),
    ],
    ids=["short rows", "short rows below whole ones", "rows of every length"],
)
def test_ragged_rows_of_many_columns(tmp_path, rows):
    path = tmp_path / "x.csv"
    path.write_text(",".join(f"c{i}" for i in range(N)) + "\n" + rows)
    start = time.process_time()
    with pytest.raises(bi.ScoreTableError, match=f"rows do not have {N} fields"):
        bi.read_scores(path, measures="c1:higher")
    assert time.process_time() - start < 15


def test_kinds_of_columns_are_those_of_their_values(tmp_path):
    """Whether values are whole numbers, and whether some lack, decides what a column may be."""
    path = tmp_path / "x.csv"
    rows = [f"d{d},{a},{d},{d / 7},{'NA' if d else 1},1_0" for d in range(3) for a in "xy"]
    path.write_text("env,agent,trial,quality,gaps,text\n" + "\n".join(rows))
    with pytest.raises(bi.ScoreTableError) as refused:
        bi.read_scores(path)
    said = refused.value.proposals[0].options["columns"]
    assert said == {"env": "dataset", "agent": "algorithm"} | {
        name: role for name, role in said.items() if name in ("trial", "quality", "gaps", "text")
    }
