"""Tables in every layout and as tools write them, for which all rows are accounted for."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchinfer import ScoreTableError, read_scores

KEYS = ["dataset", "replication", "algorithm"]
HIGHER = {"acc": "higher"}
type Written = tuple[object, dict[str, Any]]


def table(rng: random.Random) -> pd.DataFrame:
    """Make a long table in which some rows are not there and some hold no score."""
    sizes = [rng.randint(1, 3), rng.randint(2, 4), rng.randint(2, 3)]
    places = [
        {"dataset": f"d{d}", "replication": r, "algorithm": f"m{k}", "acc": rng.random()}
        for d in range(sizes[0])
        for r in range(sizes[1])
        for k in range(sizes[2])
    ]
    frame = pd.DataFrame(places)
    lost, gone = (np.array([rng.random() < rng.choice([0, 0.2]) for _ in places]) for _ in "ab")
    frame.loc[lost, "acc"] = np.nan
    frame = frame[~gone | (frame.index == 0)].sample(frac=1, random_state=rng.randint(0, 99))
    frame["acc"] = frame["acc"].fillna(frame["acc"].where(frame.index != 0, 0.5))
    return frame.reset_index(drop=True)


def _spread(frame: pd.DataFrame, over: str, names: str = "{}") -> pd.DataFrame:
    """Write a column of scores for each label."""
    index = [key for key in KEYS if key != over]
    wide = frame.pivot_table(index=index, columns=over, values="acc", dropna=False)
    wide = wide.loc[sorted(set(zip(*(frame[key] for key in index), strict=True)))]
    return wide.rename(columns=names.format).reset_index()


def long(frame: pd.DataFrame, _: Path) -> Written:
    return frame, {"measures": HIGHER}


def text(frame: pd.DataFrame, folder: Path) -> Written:
    frame.to_csv(folder / "scores.csv", index=False)
    return folder / "scores.csv", {"measures": HIGHER}


def parquet(frame: pd.DataFrame, folder: Path) -> Written:
    frame.to_parquet(folder / "scores.parquet")
    return folder / "scores.parquet", {"measures": HIGHER}


def filtered(frame: pd.DataFrame, _: Path) -> Written:
    return frame, {"measures": HIGHER, "where": "replication > 0"}


def worst(frame: pd.DataFrame, _: Path) -> Written:
    return frame, {"measures": HIGHER, "failed": "worst"}


def covariate(frame: pd.DataFrame, _: Path) -> Written:
    return frame.assign(size=1.5), {"measures": HIGHER, "covariates": "size"}


def wide_algorithms(frame: pd.DataFrame, _: Path) -> Written:
    return _spread(frame, "algorithm"), {"measures": HIGHER, "layout": "wide-algorithms"}


def rows_are_algorithms(frame: pd.DataFrame, _: Path) -> Written:
    return _spread(frame, "dataset"), {"measures": HIGHER, "layout": "rows-are-algorithms"}


def folds(frame: pd.DataFrame, _: Path) -> Written:
    return _spread(frame, "replication", "fold_{}"), {
        "measures": HIGHER,
        "layout": "fold_{replication}",
    }


def wide_measures(frame: pd.DataFrame, _: Path) -> Written:
    return frame.assign(seconds=1 - frame["acc"]), {
        "measures": {"acc": "higher", "seconds": "lower"},
        "layout": "wide-measures",
    }


def files(frame: pd.DataFrame, folder: Path) -> Written:
    for name, part in frame.groupby("algorithm"):
        part.drop(columns="algorithm").to_csv(folder / f"{name}_runs.csv", index=False)
    return f"{folder}/*_runs.csv", {"measures": HIGHER, "name": "{algorithm}_runs"}


def records(frame: pd.DataFrame, folder: Path) -> Written:
    rows = json.loads(frame.to_json(orient="records", double_precision=15))
    (folder / "scores.json").write_text(json.dumps({"runs": rows}))
    return folder / "scores.json", {"measures": HIGHER}


def automl_benchmark(frame: pd.DataFrame, _: Path) -> Written:
    names = {"dataset": "task", "replication": "fold", "algorithm": "framework", "acc": "result"}
    return frame.rename(columns=names).assign(metric="acc", constraint="1h"), {}


def tidymodels(frame: pd.DataFrame, _: Path) -> Written:
    names = {"replication": "id", "algorithm": "wflow_id", "acc": ".estimate"}
    return frame.rename(columns=names).assign(**{".metric": "accuracy", ".estimator": "binary"}), {}


def mlr3(frame: pd.DataFrame, _: Path) -> Written:
    names = {"dataset": "task_id", "replication": "iteration", "algorithm": "learner_id"}
    frame = frame.rename(columns=names | {"acc": "classif.acc"})
    return frame.assign(resampling_id="cv"), {}


def mlflow(frame: pd.DataFrame, _: Path) -> Written:
    names = {"dataset": "params.dataset", "replication": "params.seed", "acc": "metrics.acc"}
    frame = frame.rename(columns=names | {"algorithm": "params.model"})
    state = frame["metrics.acc"].isna().map({True: "FAILED", False: "FINISHED"})
    return frame.assign(run_id="r", experiment_id="0", status=state), {"measures": HIGHER}


def weights_and_biases(frame: pd.DataFrame, folder: Path) -> Written:
    frame = frame.rename(columns={"replication": "seed", "algorithm": "model"})
    frame = frame.assign(Name="n", State="finished", Created="2026", Runtime=3)
    frame.to_csv(folder / "wandb.csv", index=False)
    return folder / "wandb.csv", {"measures": HIGHER}


def weka(frame: pd.DataFrame, _: Path) -> Written:
    names = {"dataset": "Key_Dataset", "replication": "Key_Run", "algorithm": "Key_Scheme"}
    frame = frame.rename(columns=names | {"acc": "Percent_correct"})
    return frame, {"measures": {"Percent_correct": "higher"}}


def fold_tables(frame: pd.DataFrame, folder: Path) -> Written:
    runs = sorted(set(frame["replication"]))
    for name, part in frame.groupby("algorithm"):
        wide = part.pivot_table(index="dataset", columns="replication", values="acc", dropna=False)
        wide = wide.reindex(columns=runs).rename_axis("folds:")
        wide.to_csv(folder / f"{name}_TESTFOLDS.csv")
    return f"{folder}/*_TESTFOLDS.csv", {"measures": HIGHER}


def arrays(frame: pd.DataFrame, folder: Path) -> Written:
    """Write rliable's archive of runs by tasks, which has a place for each score."""
    held = {
        name: part.pivot_table(index="replication", columns="dataset", values="acc", dropna=False)
        .reindex(index=sorted(set(frame["replication"])), columns=sorted(set(frame["dataset"])))
        .to_numpy()
        for name, part in frame.groupby("algorithm")
    }
    np.savez(folder / "scores.npz", **held)
    return folder / "scores.npz", {"measures": HIGHER}


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows as JSON has them, with null for what is no score."""
    return json.loads(frame.to_json(orient="records", double_precision=15))


def _item(row: dict[str, Any]) -> str:
    return f"{row['dataset']}/{row['replication']}"


def github_action(frame: pd.DataFrame, folder: Path) -> Written:
    suites: dict[str, list[dict[str, Any]]] = {"Benchmark": []}
    for row in _records(frame):
        bench = {"name": _item(row), "value": row["acc"], "unit": "iter/sec"}
        commit = {"commit": {"id": row["algorithm"]}, "date": 1, "tool": "pytest"}
        suites["Benchmark"].append(commit | {"benches": [bench]})
    document = {"lastUpdate": 1, "repoUrl": "u", "entries": suites}
    (folder / "data.js").write_text(f"window.BENCHMARK_DATA = {json.dumps(document)}")
    return folder / "data.js", {}


def _by_algorithm(frame: pd.DataFrame, folder: Path, document: Callable[[Any], object]) -> Written:
    """Write a document of the rows of each algorithm."""
    (folder / "runs").mkdir()
    for name, part in frame.groupby("algorithm"):
        path = folder / "runs" / f"{name}.json"
        path.write_text(json.dumps(document(_records(part))))
    return folder / "runs", {}


def alpaca_eval(frame: pd.DataFrame, folder: Path) -> Written:
    def document(rows: list[dict[str, Any]]) -> object:
        beside = {"generator_1": "base", "annotator": "judge", "output_1": "o", "output_2": "p"}
        return [
            beside
            | {"instruction": f"Say {row['replication']}", "dataset": row["dataset"]}
            | {"generator_2": row["algorithm"]}
            | {"preference": None if row["acc"] is None else row["acc"] + 1}
            for row in rows
        ]

    return _by_algorithm(frame, folder, document)


def tau_bench(frame: pd.DataFrame, folder: Path) -> Written:
    def document(rows: list[dict[str, Any]]) -> object:
        beside = {"info": {}, "traj": [{"role": "user", "content": "hi"}], "trial": 0}
        return [beside | {"task_id": _item(row), "reward": row["acc"]} for row in rows]

    return _by_algorithm(frame, folder, document)


def deepeval(frame: pd.DataFrame, folder: Path) -> Written:
    def document(rows: list[dict[str, Any]]) -> object:
        cases = [
            {"name": _item(row), "metricsData": [{"name": "Faithfulness", "score": row["acc"]}]}
            for row in rows
        ]
        return {"testCases": cases, "metricsScores": [{"metric": "Faithfulness"}]}

    return _by_algorithm(frame, folder, document)


def marl_eval(frame: pd.DataFrame, folder: Path) -> Written:
    document: dict[str, Any] = {}
    for row in _records(frame):
        runs = document.setdefault(row["dataset"], {}).setdefault(row["algorithm"], {})
        episodes = [row["acc"]] if row["acc"] is not None else [None]
        runs[f"seed_{row['replication']}"] = {"absolute_metrics": {"return": episodes}}
    (folder / "runs.json").write_text(json.dumps({"env": document}))
    return folder / "runs.json", {}


def gift_eval(frame: pd.DataFrame, folder: Path) -> Written:
    table = pd.DataFrame(
        {
            "dataset": frame["dataset"] + "/" + frame["replication"].astype(str),
            "model": frame["algorithm"],
            "eval_metrics/MASE[0.5]": frame["acc"],
            "domain": "Energy",
            "num_variates": 1,
        }
    )
    (folder / "runs").mkdir()
    for name, part in table.groupby("model"):
        part.to_csv(folder / "runs" / f"{name}.csv", index=False)
    return folder / "runs", {}


def fev(frame: pd.DataFrame, _: Path) -> Written:
    names = {"dataset": "dataset_config", "replication": "cutoff", "algorithm": "model_name"}
    frame = frame.rename(columns=names | {"acc": "test_error"})
    return frame.assign(dataset_path="hub", eval_metric="MASE", horizon=8), {}


def ragas(frame: pd.DataFrame, folder: Path) -> Written:
    table = pd.DataFrame(
        {
            "user_input": frame["dataset"] + "/" + frame["replication"].astype(str),
            "retrieved_contexts": "['c']",
            "response": "r",
            "faithfulness": frame["acc"],
        }
    )
    (folder / "runs").mkdir()
    for name, part in table.groupby(frame["algorithm"]):
        part.to_csv(folder / "runs" / f"{name}.csv", index=False)
    return folder / "runs", {}


def scib(frame: pd.DataFrame, folder: Path) -> Written:
    sets = frame["dataset"] + "-" + frame["replication"].astype(str)
    keys = sets + "/metrics/unscaled/hvg/" + frame["algorithm"]
    keys.to_frame("").assign(NMI=frame["acc"]).to_csv(folder / "metrics.csv", index=False)
    return folder / "metrics.csv", {}


def tsb_ad(frame: pd.DataFrame, folder: Path) -> Written:
    sets = frame["dataset"] + "-" + frame["replication"].astype(str)
    wide = frame.assign(file=sets).pivot_table(
        index="file", columns="algorithm", values="acc", dropna=False
    )
    wide = wide.loc[sorted(set(sets))].assign(ts_len=9, anomaly_len=3)
    wide.to_csv(folder / "a_mergedTable_VUS-PR.csv")
    return folder / "a_mergedTable_VUS-PR.csv", {}


def algoperf(frame: pd.DataFrame, folder: Path) -> Written:
    """Write a target that was not reached as inf."""
    (folder / "runs").mkdir()
    for name, part in frame.groupby("algorithm"):
        table = pd.DataFrame(
            {
                "workload": part["dataset"],
                "trial": part["replication"],
                "val target metric name": "loss",
                "val target reached": part["acc"].notna(),
                "time to target on val (s)": part["acc"].fillna(np.inf),
            }
        )
        table.to_csv(folder / "runs" / f"{name}_summary.csv")
    return folder / "runs", {}


TOOLS: tuple[Callable[[pd.DataFrame, Path], Written], ...] = (
    *(github_action, alpaca_eval, tau_bench, deepeval, marl_eval, gift_eval, fev, ragas),
    *(scib, tsb_ad, algoperf),
)
LAYOUTS: tuple[Callable[[pd.DataFrame, Path], Written], ...] = (
    *(long, text, parquet, filtered, worst, covariate, wide_algorithms, rows_are_algorithms),
    *(folds, wide_measures, files, records, automl_benchmark, tidymodels, mlr3, mlflow),
    *(weights_and_biases, weka, fold_tables, arrays),
    *TOOLS,
)
SPREAD = (wide_algorithms, rows_are_algorithms, folds, fold_tables, arrays, tsb_ad)


def check(layout: Callable[[pd.DataFrame, Path], Written], folder: Path, seed: int) -> None:
    """Read a table: scores, failures and rows that are reported are all that was written.

    Layouts that have a place for each score write those that are not there as failures.
    """
    rng = random.Random(seed)  # noqa: S311 - tables, no secrets
    frame = table(rng)
    source, options = layout(frame, folder)
    kept = frame[frame["replication"] > 0] if layout is filtered else frame
    if kept["acc"].isna().all():
        with pytest.raises(ScoreTableError, match=r"^no row of the table has a score\."):
            read_scores(source, **options)
        return
    scores = read_scores(source, **options)
    found = {finding.rule: finding.count for finding in scores.finding_records}
    written = len(frame) if layout not in SPREAD else _places(source)
    lost = len(scores.failures()) - found.get("failures filled", 0)
    reported = found.get("rows filtered", 0)
    told = (layout.__name__, seed)
    assert scores.n_rows + lost + reported == written * len(scores.measures), told
    read = scores.to_frame(scores.measures[0].name)["value"].to_numpy()
    wanted = np.sort(kept["acc"].dropna().to_numpy())
    if layout is worst:
        wanted = np.sort([*wanted, *read[~np.isin(read, wanted)], *_twice(read, wanted)])
    np.testing.assert_allclose(np.sort(read), wanted, rtol=1e-9)


def _twice(read: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the worst scores that failures took, which are scores of others."""
    values, n = np.unique(read, return_counts=True)
    assert set(values) <= set(wanted)
    return np.repeat(values, n - 1)


def _places(source: object) -> int:
    """Count the cells of scores of what was written."""
    if isinstance(source, pd.DataFrame):
        return source.select_dtypes("float").size
    if isinstance(source, Path) and source.suffix == ".csv":
        return pd.read_csv(source).drop(columns=["file", "ts_len", "anomaly_len"]).size
    if isinstance(source, Path):
        with np.load(source) as held:
            return sum(held[name].size for name in held.files)
    folder = Path(str(source)).parent
    return sum(pd.read_csv(file).iloc[:, 1:].size for file in folder.glob("*_TESTFOLDS.csv"))
