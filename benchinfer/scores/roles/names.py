"""Roles that the names of columns suggest."""

import re
from functools import cache

from benchinfer.scores.columns.roles import COMMON
from benchinfer.scores.roles.directions import direction, plain

OWN = 2.7  # weight from which a name is a role's own
_WORDS: dict[str, tuple[str, ...]] = {
    "algorithm": (
        *COMMON["algorithm"],
        *("algo", "alg", "solver", "framework", "provider", "prompt", "commit", "agent", "scheme"),
        *("optimizer", "optimiser", "regressor", "policy", "variant", "detector", "generator"),
        *("approach", "tool", "engine", "strategy", "wflow", "wflow_id", "command", "architecture"),
        *("arch", "pipeline", "experiment", "exp", "alg_name", "model_name", "method_name"),
    ),
    "dataset": (
        *COMMON["dataset"],
        *("benchmark", "env", "environment", "game", "corpus", "suite", "assay", "query"),
        *("question", "item", "instance_id", "sample_id", "query_id", "qid", "question_id"),
        *("task_id", "case", "test", "topic", "user_input", "input", "scenario", "subject", "doc"),
    ),
    "replication": (
        *COMMON["replication"],
        *("cv", "bootstrap", "attempt", "epoch", "replica", "rng_seed", "job", "trial_id"),
    ),
    "measure": ("measure", "metric", "metric_name", "eval_metric", "measure_name"),
    "status": (
        *("status", "state", "outcome", "verdict", "exit_status", "termination", "error_message"),
        *("failure", "info", "result_status", "reason", "imputed", "exception"),
    ),
    "attribute": (
        *("domain", "family", "category", "area", "kind", "type", "publication", "year", "source"),
        *("url", "size", "dim", "logic", "collection", "language", "license", "notes", "tags"),
        *("user", "created", "host", "hostname", "n_rows", "n_features", "n_classes", "params"),
        *("version", "version_id", "num_variates"),
    ),
    "factor": (
        *("shots", "horizon", "budget", "constraint", "stage", "noise", "setting", "condition"),
        *("prompt_style", "hardware", "level"),
    ),
}
# Items, which are never algorithms.
ITEMS = frozenset(
    (
        *("query_id", "qid", "sample_id", "instance_id", "question_id", "task_id", "query", "case"),
        *("test", "item", "question", "topic", "doc"),
    )
)
VALUES = frozenset((*COMMON["value"], "metric_value", "measure_value", "estimate", "rating"))
# Standard errors, spreads, bounds, ranks and counts of a score.
COMPANION = re.compile(
    r"(.*_)?(stderr|std_?err(or)?|standard_error|se|sem|std|stddev|sd|std_?dev|ci|ci_\w*|ci\d+\w*|ci_?(low|high|upp)\w*|lower\w*"
    r"|upper\w*|lb|ub|low\d*|up\d*|high\d*|q\d+|rank|n|count|rows|params|parameters|var|variance"
    r"|spread|min|max|n_.*|num_.*|number_of_.*|rank_.*|std_.*|avg_tokens|avg_length|tokens|steps"
    r"|timesteps|size|\w*episodes|\w*iterations|\w*instances|margin(_of_error)?|moe)"
)
AGGREGATE = re.compile(
    r"overall|avg|average|mean|total|all|macro_?avg|avg_rank|average_rank|mean_rank|sum"
)
_RETURNS = frozenset(("ret", "returns", "rewards", "fitness", "points", "score", "performance"))
# Names of shares, which are measures, but not of settings such as a learning rate.
_SHARES = re.compile(
    r"(?!.*(learning|dropout|sampl|decay|mutat|cross|frame|baud|interest|growth|bit|data|anneal))"
    r"\w+_(rate|percentage|accuracy|score)"
)
_DATES = re.compile(r"(^|_)date|stamp|_at$|start_time|end_time|^created$")
_VERSIONS = re.compile(r".+_(version|hash|sha)")
_UNIT = re.compile(r"\s*\([^()]*\)\s*$")


@cache
def suggested_roles(name: str) -> dict[str, float]:
    """Return the roles that a name suggests, with a weight: `OWN` and more for a name of its own.

    Roles are algorithm, dataset, replication, measure (a column of names of measures), score,
    companion, status, attribute and factor.

    Examples
    --------
    >>> suggested_roles("model_name"), suggested_roles("test_acc"), suggested_roles("acc_stderr")
    ({'algorithm': 3.0}, {'score': 3.0}, {'companion': 3.0})
    >>> suggested_roles("Model size (B)"), suggested_roles("solver_version")
    ({'algorithm': 1.2, 'companion': 3.0}, {'attribute': 3.0})
    """
    full_name = plain(name)
    if not full_name:
        return {}
    if _DATES.search(full_name) or _VERSIONS.fullmatch(full_name):
        return {"attribute": 3.0}
    short = re.sub(r"_(name|id|nr|no|index|idx)$", "", full_name)
    results = {
        role: 3.0 if full_name in words else 2.7
        for role, words in _WORDS.items()
        if full_name in words or short in words
    }
    if not results:
        ends = {full_name.split("_")[0], full_name.split("_")[-1]}
        results = {role: 1.2 for role, words in _WORDS.items() if ends & {*words}}
    if COMPANION.fullmatch(plain(_UNIT.sub("", name)) or full_name) or AGGREGATE.fullmatch(
        full_name
    ):
        results["companion"] = 3.0
    elif full_name in VALUES or direction(name):
        results["score"] = 3.0 if full_name in VALUES or direction(name) else 2.0
    elif {*full_name.split("_")} & (VALUES | _RETURNS) or _SHARES.fullmatch(full_name):
        results["score"] = 2.0
    if "score" in results:
        results = {role: w for role, w in results.items() if role == "score" or w >= OWN}
    return results
