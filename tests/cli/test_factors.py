"""The command `compare factors`."""

import json

from tests.analyses.factors.test_factors import ROLES, runs


def test_the_command_prints_the_answer(run, tmp_path):
    runs().to_csv(tmp_path / "runs.csv", index=False)
    columns = [text for name in ROLES for text in ("--column", f"{name}=factor")]
    arguments = ["compare", "factors", str(tmp_path / "runs.csv"), "-m", "accuracy:higher"]
    shown = run(*arguments, *columns, "--report", str(tmp_path / "report.html"))
    assert "vit is better than resnet" in " ".join(shown.output.split())
    assert "Main effects" in (tmp_path / "report.html").read_text(encoding="utf-8")
    document = json.loads(run(*arguments, *columns, "--json").output)
    assert [*document["factors"]] == [*ROLES]
    assert document["interactions"][0]["decided"] is True
