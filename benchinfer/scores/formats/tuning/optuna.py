"""Storage of Optuna in SQLite."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Better
from benchinfer.scores.columns.roles import COMMON
from benchinfer.scores.formats.catalogue import name_of
from benchinfer.scores.formats.format import Format, Results, agreed

_BETTER: dict[str, Better] = {"MAXIMIZE": "higher", "MINIMIZE": "lower"}
_STUDIES = "SELECT study_id, study_name FROM studies ORDER BY study_id"
_DIRECTIONS = "SELECT study_id, objective, direction FROM study_directions"
_TRIALS = "SELECT trial_id, number, study_id, state FROM trials ORDER BY trial_id"
_VALUES = "SELECT trial_id, objective, value, value_type FROM trial_values"
_ATTRIBUTES = "SELECT trial_id, key, value_json FROM trial_user_attributes"
_TABLES = {
    *("studies", "study_directions", "trials", "trial_values"),
    *("trial_user_attributes", "trial_params"),
}
_PARAMS = "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params"


def optuna_storage(path: Path, typed: str) -> Results | None:
    """Return the values of each trial; None of a file of SQLite without the tables of a storage.

    The algorithm is an attribute or parameter named so, or else the study.
    """
    import sqlite3

    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as base:
            try:
                held = {row[0] for row in base.execute("SELECT name FROM sqlite_master")}
            except sqlite3.Error:
                return None  # whose other reader says what is wrong
            if not held >= _TABLES:
                return None
            studies, directions, trials, values, attributes, params = (
                base.execute(query).fetchall()
                for query in (_STUDIES, _DIRECTIONS, _TRIALS, _VALUES, _ATTRIBUTES, _PARAMS)
            )
        said: dict[int, dict[str, str]] = {}
        for trial, name, value, distribution in params:
            choices = json.loads(distribution).get("attributes", {}).get("choices")
            text = str(value if choices is None else choices[int(value)])
            said.setdefault(trial, {})[name.casefold()] = text
        for trial, name, value in attributes:
            said.setdefault(trial, {})[name.casefold()] = str(json.loads(value))
    except (sqlite3.Error, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ScoreTableError(
            f"the storage of Optuna {typed!r} cannot be read: {error}",
            hint="the file is damaged, or of a version of the tool that writes it otherwise.",
        ) from None
    names = dict(studies)
    objectives = sorted({objective for _, objective, _ in directions})
    measure_of = {o: f"value {o}" if len(objectives) > 1 else "value" for o in objectives}
    ways: dict[str, set[Better | None]] = {name: set() for name in measure_of.values()}
    for _, objective, way in directions:
        ways[measure_of[objective]].add(_BETTER.get(way))
    by_trial: dict[tuple[int, int], Any] = {
        (trial, objective): {"INF_POS": float("inf"), "INF_NEG": float("-inf")}.get(kind, value)
        for trial, objective, value, kind in values
    }
    rows: list[dict[str, Any]] = []
    for trial, number, study, state in trials:
        algorithm, dataset = (
            next((said[trial][n] for n in COMMON[role] if n in said.get(trial, {})), None)
            for role in ("algorithm", "dataset")
        )
        rows += [
            {
                "dataset": dataset or (names.get(study) if algorithm else name_of(path)),
                "algorithm": algorithm or names.get(study),
                "replication": number,
                "failure": None if state == "COMPLETE" else state,
                "measure": measure_of[objective],
                "value": by_trial.get((trial, objective)),
            }
            for objective in objectives
        ]
    return Format(
        "Optuna, storage",
        measures=agreed(ways),
        note="trials of a search are no independent replications of an algorithm",
    ), rows
