"""Aksu et al. (2024): the board GIFT-Eval as of August 2026, 120 forecasters on 97 tasks."""

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

import benchinfer as bi
from benchinfer.reproductions.entry import Claims, Entry, Published, SourceFile

_BASELINE = "seasonal_naive"
_MEASURES = {
    "MASE": "eval_metrics/MASE[0.5]",
    "CRPS": "eval_metrics/mean_weighted_sum_quantile_loss",
}
# Errors relative to the baseline's that entrants report, as printed, by the number of their pull
# request.
_REPORTED = (
    (126, "MASE", "FLAIR", "0.838"),
    (126, "CRPS", "FLAIR", "0.587"),
    (147, "MASE", "TimeRouter", "0.6746"),
    (148, "MASE", "ValBestSingle-cmtt", "0.7070"),
    (149, "MASE", "t0-alpha", "0.7240"),
    (149, "CRPS", "t0-alpha", "0.4941"),
    (150, "MASE", "Prism", "0.680"),
    (150, "CRPS", "Prism", "0.466"),
)

# Entries in the order in which their files came, by the days of the repository's history; those of
# one day by name. One that was renamed has the day of its old name.
_CAME: str = (
    "chronos_base | moirai_small | naive | chronos_bolt_base | chronos_bolt_small | "
    "timesfm_2_0_500m | tabpfn_ts | tempo_ensemble | Toto_Open_Base_1.0 | YingLong_110m | "
    "YingLong_300m | YingLong_50m | YingLong_6m | sundial_base_128m | TiRex | TimeCopilot | "
    "Chronos_small | DLinear | Lag-Llama | Moirai_base | Moirai_large | N-BEATS | PatchTST | "
    "TTM-R1-Pretrained | TTM-R2-Finetuned | TTM-R2-Pretrained | auto_arima | auto_ets | "
    "auto_theta | chronos_large | crossformer | deepar | iTransformer | seasonal_naive | tft | "
    "tide | timesfm | visionts | Moirai2 | TSOrchestra | TSOrchestra-test | TimesFM-2.5 | "
    "FlowState-9.1M | xLSTM-Mixer | Kairos_10m | Kairos_23m | Kairos_50m | "
    "DeOSAlphaTimeGPTPredictor-2025 | Xihe-max | chronos-2 | Migas-1.0 | Lingjiang | TempoPFN | "
    "FFM | Synapse | Xihe-ultra | chronos-2-synth | MoiraiAgent | CleanTS-65M | "
    "MoiraiAgent-leaking | Credence | PatchTST-FM-r1 | Reverso | Reverso-Nano | Reverso-Small | "
    "VISIT-1.0 | VISIT-2.0 | Timer-s1 | FLAIR | FlowState-r1.1 | LongSeer-v1.0 | TTM-R3-FT | "
    "TTM-R3-PT | Granite-PatchTST-FM-r1 | ZooCast-Top1 | Granite-FlowState-r1.1 | Toto-2.0-1B | "
    "Toto-2.0-2.5B | Toto-2.0-22m | Toto-2.0-313m | Toto-2.0-4m | RAES-Conductance-Ensemble | "
    "Toto-2.0-2.5B-FT | Toto-2.0-FnF | RAES-Conductance-Ensemble-V | STRIDE (+Chronos-2) | "
    "STRIDE (+Timer-S1) | TurkForecast-FM-Chronos2-LoRA-v1 | Cobra-Agent | Super-Linear | "
    "Falcon-X | Prism | Taichu-TimeSeries-Agent | TimeRouter | ValBestSingle-cmtt | t0-alpha | "
    "PatchFM | metis-autocast | CHARM | CastStar | TiRex-2-Pretrained | TiRex-2-Zeroshot | "
    "Falcon-2.0 | Falcon-Agent | HistRoute-CV | RacineCast-1 | RacineCast-1-NC | EFG-base | "
    "litespecformer | Metamorph1.0 | Zeus | FastCastrage | Metamorph1.0-4.5M | STRIDE_w_Synapse "
    "| goia-forecast-nano-v0 | limix_moe | EXAONE-Forecast | EXAONE-Forecast-Agent | LS-Agent | "
    "recursive-moirai-2"
)


def sequence() -> list[str]:
    """Return the names of all entries, the first one first."""
    return _CAME.split(" | ")


def scores_of(folder: Path | str, measure: str = "MASE") -> bi.ScoreTable:
    """Read errors relative to the baseline's; the names of folders are those of the models."""
    column = _MEASURES[measure]
    files = sorted(Path(folder).glob("*/all_results.csv"))
    models = {
        file.parent.name: pd.read_csv(file, usecols=["dataset", column], index_col="dataset")
        for file in files
    }
    errors = pd.DataFrame({name: rows[column] for name, rows in models.items()})
    relative = errors.div(errors[_BASELINE], axis=0)
    return bi.read_scores(
        relative.reset_index(),
        columns={"dataset": "dataset"},
        layout="wide-algorithms",
        measures=bi.Measure(measure, better="lower", scale="log"),
    )


def means_of(folder: Path | str, measure: str = "MASE") -> pd.Series:
    """Return geometric means of the relative errors, the lowest first."""
    rows = scores_of(folder, measure).to_frame()
    rows["value"] = np.log(rows["value"])
    return rows.groupby("algorithm")["value"].mean().map(math.exp).sort_values()


def _compute(folder: Path) -> Mapping[str, float]:
    means = {measure: means_of(folder, measure) for measure in _MEASURES}
    return {f"{measure} of {name}": means[measure][name] for _, measure, name, _ in _REPORTED}


def _published(request: int, measure: str, name: str, printed: str) -> Published:
    decimals = len(printed.partition(".")[2])
    place = f"pull request {request}"
    return Published(f"{measure} of {name}", float(printed), place, decimals, 0.5 * 10**-decimals)


ENTRY = Entry(
    name="aksu2024",
    study="aksu2024",
    title="GIFT-Eval, forecasters of time series",
    files=(
        SourceFile(
            "gift_eval",
            "the folder results of SalesforceAIResearch/gift-eval, commit 4fd98a9f",
            "486135a5615526cce9edcd10d535d4e27f6853310a33afd09759c745ce981bd4",
            "*/all_results.csv",
        ),
    ),
    licence="Apache-2.0",
    published=tuple(_published(*row) for row in _REPORTED),
    compute=_compute,
    claims=Claims("tasks", scores_of, lambda folder: means_of(folder).index),
)
