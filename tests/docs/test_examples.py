"""The example scripts run."""

import importlib.util
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.mark.slow
def test_stop_early_runs_goes_on_and_ends(tmp_path, capsys):
    pytest.importorskip("sklearn")
    spec = importlib.util.spec_from_file_location("stop_early", EXAMPLES / "stop_early.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.STAGE, module.LAST = 12, 2
    left = [0]

    def counted(algorithm: str, replication: int) -> float:
        left[0] += 1
        if left[0] == 3:
            raise KeyboardInterrupt
        return {"tree": 0.3}.get(algorithm, 0.1) + 0.001 * (replication * 7 % 5)

    module.error = counted
    with pytest.raises(KeyboardInterrupt):
        module.main(tmp_path)
    module.main(tmp_path)
    said = capsys.readouterr().out
    assert "The experiment ends" in said
    assert "48 of 96 runs; 48 saved." in said
