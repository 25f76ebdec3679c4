"""Folders of traces as COCO and IOHprofiler write them, of simulated runs.

Run as ``python -m tests.scores.formats.traces``: writes the samples of the catalogue. The layouts
are those of numbbo/coco ``code-experiments/src/logger_bbob.c`` and of IOHprofiler/IOHanalyzer
``dataformat.md``; IOHexperimenter writes JSON in place of ``.info``.
"""

import json
from pathlib import Path

import numpy as np

HEAD = (
    "% function evaluation | noise-free fitness - Fopt (7.948000000000e+01) |"
    " best noise-free fitness - Fopt | measured fitness | best measured fitness | x1 | x2...\n"
)


def runs(algorithm, function, dimension, n, budget, seed=0):
    """Return the improvements of n runs: evaluations and the best error after these."""
    rng = np.random.default_rng([seed, len(algorithm), function, dimension])
    traces = []
    for _ in range(n):
        at = np.unique(np.r_[1, rng.integers(2, budget, 12)])
        error = 10 ** (2 - np.cumsum(rng.uniform(0, 0.2 * len(algorithm), len(at))))
        traces.append(list(zip(at.tolist(), error.tolist(), strict=True)))
    return traces


def write_coco(folder, algorithms=("cma", "bfgs"), functions=(1, 8), dimensions=(2, 5), n=3):
    """Write ``.info`` and ``.dat``, a folder for each algorithm; return all runs by their place."""
    held = {}
    for name in algorithms:
        home = Path(folder, name)
        for function in functions:
            (home / f"data_f{function}").mkdir(parents=True, exist_ok=True)
            entries = []
            for dimension in dimensions:
                budget = 100 * dimension
                traces = runs(name, function, dimension, n, budget)
                path = f"data_f{function}/bbobexp_f{function}_DIM{dimension}.dat"
                ends = ", ".join(f"{i}:{budget}|{t[-1][1]:.1e}" for i, t in enumerate(traces, 1))
                entries.append(
                    f"suite = 'bbob', funcId = {function}, DIM = {dimension}, Precision ="
                    f" 1.000e-08, algId = '{name}', coco_version = '2.6'\n%\n{path}, {ends}"
                )
                blocks = (
                    "".join(f"{e} {y:+.9e} {y:+.9e} {y:+.9e} {y:+.9e} +1.0 -2.0\n" for e, y in t)
                    for t in traces
                )
                (home / path).write_text("".join(HEAD + block for block in blocks))
                for i, t in enumerate(traces, 1):
                    held[f"f{function}, {dimension}D", name, str(i)] = t, budget
            (home / f"bbobexp_f{function}.info").write_text("\n".join(entries))
    return held


def write_ioh(folder, algorithms=("ea", "rls"), *, maximization=True):
    """Write ``IOHprofiler_*.json`` and ``.dat``; return all runs by their place."""
    held = {}
    for name in algorithms:
        home = Path(folder, name)
        (home / "data_f1_OneMax").mkdir(parents=True)
        scenarios = []
        for dimension in (16, 100):
            budget = 3 * dimension
            traces = [
                [(e, dimension - y if maximization else y) for e, y in t]
                for t in runs(name, 1, dimension, 2, budget, 1)
            ]
            path = f"data_f1_OneMax/IOHprofiler_f1_DIM{dimension}.dat"
            blocks = ("".join(f"{e} {y:.10f}\n" for e, y in t) for t in traces)
            (home / path).write_text("".join(f"evaluations raw_y\n{block}" for block in blocks))
            about = [
                {"instance": 1, "evals": budget, "best": {"evals": t[-1][0], "y": t[-1][1]}}
                for t in traces
            ]
            scenarios.append({"dimension": dimension, "path": path, "runs": about})
            for i, t in enumerate(traces, 1):
                held[f"f1, {dimension}D", name, f"1/{i}"] = t, budget
        algorithm = {"name": name, "info": ""}
        record = {"version": "0.3.18", "suite": "PBO", "function_id": 1, "function_name": "OneMax"}
        record |= {"maximization": maximization, "algorithm": algorithm, "scenarios": scenarios}
        (home / "IOHprofiler_f1_OneMax.json").write_text(json.dumps(record, indent=1))
    return held


def write_ioh_info(folder):
    """Write the ``.info`` and ``.dat`` of the first versions of IOHprofiler."""
    (folder / "data_f1").mkdir(parents=True)
    (folder / "IOHprofiler_f1_i1.info").write_text(
        "suite = 'PBO', funcId = 1, DIM = 100, algId = '(1+1) EA'\n%\n"
        "data_f1/IOHprofiler_f1_DIM100.dat, 1:500|9.90000e+01, 1:500|1.00000e+02\n"
    )
    head = '"function evaluation" "current f(x)" "best-so-far f(x)" "current af(x)+b"\n'
    (folder / "data_f1" / "IOHprofiler_f1_DIM100.dat").write_text(
        f"{head}1 +50.0 +50.0 +50.0\n90 +40.0 +99.0 +40.0\n{head}1 +48 +48 +48\n7 +100 +100 +100\n"
    )


def benchopt_results():
    """Return the frame of a file of results of benchopt: a row per stopping value."""
    import pandas as pd

    return pd.DataFrame(
        {
            "objective_name": "Lasso[lmbd=0.1]",
            "obj_description": "",
            "solver_name": solver,
            "dataset_name": f"Simulated[n={n}]",
            "idx_rep": rep,
            "sampling_strategy": "iteration",
            "stop_val": stop,
            "time": (stop + 1) * rate * (1 + rep / 8) * n / 1e5,
            "objective_value": 1 + 2.0 ** (-stop * rate) * (1 + rep / 16),
            "objective_support": float(n // 4),
            "p_dataset_n": n,
            "p_obj_lmbd": 0.1,
            "run_date": "2026-01-02",
        }
        for n in (100, 1000)
        for solver, rate in (("cd", 1.0), ("ista", 0.25))
        for rep in (0, 1)
        for stop in (0, 1, 2, 5, 10)
    )


if __name__ == "__main__":
    from tests.scores.formats.catalogue import SAMPLES

    write_coco(SAMPLES / "curves" / "coco", functions=(1,), n=2)
    write_ioh(SAMPLES / "curves" / "ioh")
    benchopt_results().to_parquet(SAMPLES / "curves" / "benchopt.parquet", index=False)
