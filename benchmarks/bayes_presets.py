"""The tests of the literature beside baycomp, on the same table, each in a new process.

Run as ``python benchmarks/bayes_presets.py``. The table is simulated: 54 data sets, 5 algorithms,
10 runs of 10 folds. Times are from the start of ``python`` to the printed answer, with CPU time
over all processes that it starts, such as compilers; memory is the largest of any of them. Both
begin cold: the table is read, and Stan's model is compiled. baycomp comes from PyPI, with PyStan,
into an environment that is made for the purpose by uv (``uv`` or ``.tools/bin/uv``) and thrown
away; it compares two algorithms, with as many draws as here and the published priors, which are not
its own defaults.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
DATASETS, FOLDS, ALGORITHMS, ROPE = 54, 100, "abcde", 0.01
PEER = ("baycomp", "pystan==3.10.0", "setuptools<81")  # newer ones lack what PyStan imports

OURS = """
import json, sys
import pandas as pd
import benchinfer as bi
rows = pd.read_csv(sys.argv[1]).assign(measure="accuracy")
if len(sys.argv) > 3:
    rows = rows[rows["algorithm"].isin(sys.argv[3:])]
scores = bi.read_scores(
    rows,
    measures=[bi.Measure("accuracy", "higher", tolerance=0.01)],
    resampling=bi.Resampling("cv", folds=10),
)
found = bi.compare_bayes_pairs(scores, test=sys.argv[2], seed=1)
rows = found.contrasts(all=True).merge(found.dominance())
names = ["prob_first", "prob_equivalent", "prob_second"]
names += ["dominant_first", "dominant_equivalent", "dominant_second"]
settled = found.convergence
print(json.dumps([
    rows[names].iloc[0].tolist(),
    settled and [settled.passed, settled.r_hat, min(settled.bulk, settled.tail)],
]))
"""

# PyStan gives its compiler five minutes, which a busy machine needs more of.
THEIRS = """
import json, sys
import aiohttp
import numpy as np
aiohttp.client.DEFAULT_TIMEOUT = aiohttp.ClientTimeout(total=None)
from baycomp.multiple import HierarchicalTest, SignedRankTest, SignTest
table = np.genfromtxt(sys.argv[1], delimiter=",", names=True, dtype=None, encoding=None)
x, y = (table["value"][table["algorithm"] == name].reshape(54, 100) for name in "ab")
if sys.argv[2] == "corani2017":
    drawn = HierarchicalTest.sample(
        x, y, 0.01, runs=10, lower_alpha=0.5, upper_alpha=5, lower_beta=0.05, upper_beta=0.15,
        chains=4, nsamples=int(sys.argv[3]),
    )
else:
    test = {"sign": SignTest, "signed-rank": SignedRankTest}[sys.argv[2]]
    drawn = test.sample(x.mean(axis=1), y.mean(axis=1), 0.01)
votes = np.bincount(drawn.argmax(axis=1), minlength=3) / len(drawn)
print(json.dumps([drawn.mean(axis=0).tolist() + votes.tolist(), None]))
"""


def simulated(path: Path) -> None:
    """Write the table: correlated folds, heavy-tailed differences, two near-duplicates."""
    rng = np.random.default_rng(17)
    effect = 0.02 * rng.standard_t(3, (DATASETS, len(ALGORITHMS)))
    effect[:, 4] = effect[:, 3] + 0.001 * rng.standard_normal(DATASETS)
    fold = 0.03 * rng.standard_normal((DATASETS, FOLDS, 1))
    noise = 0.02 * rng.standard_normal((DATASETS, FOLDS, len(ALGORITHMS)))
    value = 0.8 + effect[:, None] + fold + noise
    m, r, k = (x.ravel() for x in np.indices(value.shape))
    names = np.array(list(ALGORITHMS))
    table = {"dataset": m, "replication": r, "algorithm": names[k], "value": value.ravel()}
    pd.DataFrame(table).sort_values(["dataset", "replication"]).to_csv(path, index=False)


def run(label: str, command: list[str], folder: Path) -> list[object] | None:
    """Run a command in a folder, print its row, and return what it says."""
    home = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    given = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)} | home
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    measured = [sys.executable, "-c", _MEASURE, *command]
    done = subprocess.run(
        measured, check=False, capture_output=True, text=True, cwd=folder, env=given
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lines = done.stdout.strip().splitlines()
    if done.returncode or len(lines) < 2:
        reason = done.stderr.strip().splitlines()[-1:] or ["no output"]
        print(f"| {label} | failed: {reason[0]} | | | |", flush=True)
        return None
    said, settled = json.loads(lines[-2])
    memory = int(lines[-1]) / 1024
    shares = " ".join(f"{share:.3f}" for share in said)
    print(f"| {label} | {wall:.1f} | {cpu:.1f} | {memory:.0f} | {shares} |", flush=True)
    return settled


# The largest memory of a process or of its own children, without that of those who ask.
_MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def peer(folder: Path) -> Path | None:
    """Install baycomp into an environment of its own; None where that fails."""
    uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
    python = folder / "venv" / "bin" / "python"
    try:
        subprocess.run([uv, "venv", "-q", "--python", "3.11", str(folder / "venv")], check=True)
        install = [uv, "pip", "install", "-q", "--python", str(python), *PEER]
        subprocess.run(install, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"baycomp could not be installed: {error}")
        return None
    return python


def main() -> None:
    """Print a table: wall and CPU seconds, memory, and the shares of the first pair."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = folder / "scores.csv"
        simulated(table)
        python = peer(folder)
        print("| | wall s | CPU s | MB | P first, equivalent, second; which is ahead |")
        print("|---|---|---|---|---|")
        gates: dict[str, object] = {}
        for preset in ("corani2017", "signed-rank", "sign"):
            ours = [sys.executable, "-c", OURS, str(table), preset]
            for label, more in (("one pair", ["a", "b"]), ("ten pairs", [])):
                gates[label] = run(f"{preset}, {label}", [*ours, *more], folder) or gates.get(label)
            if python is not None:
                theirs = [str(python), "-c", THEIRS, str(table), preset, "2000"]
                run(f"baycomp {preset}, one pair (second first)", theirs, folder)
        print("\nGates (passed, largest R-hat, smallest effective sample size):")
        for label, settled in gates.items():
            print(f"{label}: {settled}")


if __name__ == "__main__":
    main()
