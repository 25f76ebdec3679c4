"""Dubois et al. (2024): the board AlpacaEval 2, win rates of nine models on 805 instructions."""

import json
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

import benchinfer as bi
from benchinfer.reproductions.entry import Claims, Entry, SourceFile, numbers

# Win rates and their standard errors, in percent.
_PUBLISHED = {
    "NullModel": (76.920, 0.909),
    "FuseChat-Gemma-2-9B-Instruct": (70.497, 1.343),
    "FuseChat-Qwen-2.5-7B-Instruct": (64.641, 1.430),
    "FuseChat-Llama-3.1-8B-Instruct": (63.332, 1.423),
    "FuseChat-Llama-3.2-3B-Instruct": (51.297, 1.483),
    "claude-2": (17.188, 1.175),
    "claude-2.1": (15.734, 1.120),
    "gpt-3.5-turbo-1106": (9.178, 0.890),
    "vicuna-13b-v1.5": (6.722, 0.767),
}


def scores_of(folder: Path | str) -> bi.ScoreTable:
    """Read preferences in percent; the names of folders are those of the models.

    An instruction is a replication of one data set: models answered the same ones.
    """
    rows = [
        {
            "algorithm": file.parent.name,
            "dataset": "AlpacaEval",
            "replication": f"{judgement['dataset']}: {judgement['instruction']}",
            "preference": 100 * (judgement["preference"] - 1),
        }
        for file in sorted(Path(folder).glob("*/annotations.json"))
        for judgement in json.loads(file.read_text("utf-8"))
    ]
    return bi.read_scores(
        pd.DataFrame(rows), measures="preference:higher", resampling="items", repeats="mean"
    )


def _rates(folder: Path | str) -> pd.DataFrame:
    rows = scores_of(folder).describe("preference").set_index("algorithm")
    errors = rows["sd"] / rows["n"] ** 0.5
    table = pd.DataFrame({"win rate": rows["mean"], "standard error": errors})
    return table.sort_values("win rate", ascending=False)


def _compute(folder: Path) -> Mapping[str, float]:
    table = _rates(folder)
    return {f"{kind} of {name}": float(table[kind][name]) for kind in table for name in _PUBLISHED}


_KINDS = ("win rate", "standard error")
ENTRY = Entry(
    name="dubois2024",
    study="dubois2024",
    title="AlpacaEval 2, win rates against GPT-4",
    files=(
        SourceFile(
            "alpaca_eval",
            "folders of nine models with weighted_alpaca_eval_gpt4_turbo/annotations.json of"
            " tatsu-lab/alpaca_eval, results, commit cd543a14",
            "ac1d91f6c0221c6f463444025fcb4f173c857ad7a32e14e5874397be9a6bd2a4",
            "*/annotations.json",
        ),
    ),
    licence="Apache-2.0",
    published=numbers(
        "the board",
        {
            f"{kind} of {name}": row[k]
            for k, kind in enumerate(_KINDS)
            for name, row in _PUBLISHED.items()
        },
        0.0005,
    ),
    compute=_compute,
    claims=Claims("instructions", scores_of, lambda folder: _rates(folder).index),
)
