"""Notin et al. (2023): the board of ProteinGym, 97 models on 217 assays of substitutions."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

import benchinfer as bi
from benchinfer.reproductions.entry import Claims, Entry, SourceFile, numbers

# Columns that describe an assay.
_OTHER = ("Number of Mutants", "Selection Type", "UniProt ID", "MSA_Neff_L_category", "Taxon")
_AVERAGES = {
    "AIDO Protein-RAG (16B)": 0.518,
    "VenusREM": 0.518,
    "ProSST (K=2048)": 0.507,
    "ProSST (K=4096)": 0.498,
    "S3F-MSA": 0.496,
    "S2F-MSA": 0.488,
    "ProSST (K=1024)": 0.485,
    "Protriever": 0.479,
    "ESCOTT": 0.476,
    "ProSST (K=512)": 0.471,
}


def scores_of(path: Path | str, assays: Path | str) -> bi.ScoreTable:
    """Read Spearman's correlations; the assays' selection types are the domains."""
    rows = pd.read_csv(path).drop(columns=list(_OTHER))
    kinds = pd.read_csv(assays).set_index("DMS_id")["coarse_selection_type"]
    rows["domain"] = rows["DMS ID"].map(kinds)
    columns = {"DMS ID": "dataset", "domain": "domain"}
    return bi.read_scores(
        rows, columns=columns, layout="wide-algorithms", measures="Spearman:higher"
    )


def averages_of(path: Path | str, assays: Path | str) -> pd.Series:
    """Return the board's averages: of proteins within a selection type, then of types."""
    rows = scores_of(path, assays).to_frame().dropna(subset="value")
    about = pd.read_csv(assays).set_index("DMS_id")
    rows["protein"] = rows["dataset"].map(about["UniProt_ID"])
    rows["kind"] = rows["dataset"].map(about["coarse_selection_type"])
    proteins = rows.groupby(["algorithm", "kind", "protein"])["value"].mean()
    kinds = proteins.groupby(["algorithm", "kind"]).mean()
    return kinds.groupby("algorithm").mean().sort_values(ascending=False)


def _compute(path: Path, assays: Path) -> Mapping[str, float]:
    averages = averages_of(path, assays)
    return {f"average of {name}": averages[name] for name in _AVERAGES}


_REPOSITORY = "OATML-Markslab/ProteinGym"
_FOLDER = "benchmarks/DMS_zero_shot/substitutions/Spearman"
ENTRY = Entry(
    name="notin2023",
    study="notin2023",
    title="ProteinGym, effects of substitutions in proteins",
    files=(
        SourceFile(
            "DMS_substitutions_Spearman_DMS_level.csv",
            f"{_REPOSITORY}, {_FOLDER}, commit bb685245",
            "f432423b87f79ac9778dfac86e3d95be041d246bc618dc0a406b35b0b7466437",
        ),
        SourceFile(
            "DMS_substitutions.csv",
            f"{_REPOSITORY}, reference_files, commit bb685245",
            "a8f498011532a74aa9fe556a50555a75e928c5837d19c06a87592ae04049b308",
        ),
    ),
    licence="MIT",
    published=numbers(
        "the board's summary", {f"average of {k}": v for k, v in _AVERAGES.items()}, 0.0005
    ),
    compute=_compute,
    claims=Claims("assays", scores_of, lambda *paths: averages_of(*paths).index),
)
