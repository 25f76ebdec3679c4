"""Simulated tables of scores with known roles, under usual names, and small changes of them."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

NAMES = {
    "algorithm": ("algorithm", "model", "method", "solver", "system", "model_name"),
    "dataset": ("dataset", "task", "problem", "instance", "benchmark", "env_id"),
    "replication": ("seed", "repetition", "run", "fold"),
    "higher": ("accuracy", "auc", "f1", "test_acc", "reward"),
    "lower": ("error", "rmse", "log_loss", "mae"),
    "seconds": ("seconds", "runtime", "fit_time"),
    "attribute": ("domain", "category"),
    "size": ("n_rows", "n_features"),
    "spread": ("std", "stderr"),
    "count": ("n_items", "count"),
}
METHODS = (
    *("knn", "svm", "forest", "boost", "cart", "net", "lasso", "ridge"),
    *("gru", "dqn", "sac", "ppo"),
)


@dataclass(frozen=True)
class Simulated:
    """A table with the roles of its columns: those of a reading, or "other"."""

    frame: pd.DataFrame
    roles: dict
    layout: str = "long"

    def of(self, *roles):
        """Return the columns of these roles."""
        return [name for name, role in self.roles.items() if role in roles]


def scores(kind, latent):
    """Return scores of a kind: shares, losses or seconds."""
    if kind == "higher":
        return np.round(1 / (1 + np.exp(-latent - 1)), 4)
    return np.round(np.exp((0.8 if kind == "seconds" else -0.5) * latent), 4)


def simulate(seed):
    """Return a table in one of three layouts, with columns beside the scores."""
    g = np.random.default_rng(seed)
    k, d, r = (int(g.integers(low, high)) for low, high in ((2, 12), (3, 25), (1, 6)))
    methods = list(g.permutation(METHODS)[:k])
    sets = [f"s{i:02d}" for i in g.permutation(80)[:d]]
    effects = g.normal(0, g.uniform(0.2, 1), k), g.normal(0, g.uniform(0.5, 2), d)
    name = {kind: str(g.choice(names)) for kind, names in NAMES.items()}
    wide = g.random()
    if wide < 0.3:
        latent = effects[0][:, None] + effects[1] + g.normal(0, 0.3, (k, d))
        table, rows, columns = scores("higher", latent), methods, sets
        label, layout = "algorithm", "rows-are-algorithms"
        if wide < 0.15:
            table, rows, columns = table.T, sets, methods
            label, layout = "dataset", "wide-algorithms"
        frame = pd.DataFrame(table, columns=columns)
        frame.insert(0, name[label], rows)
        return Simulated(frame, {name[label]: label} | dict.fromkeys(columns, "score"), layout)
    grid = np.stack(np.meshgrid(range(k), range(d), range(r), indexing="ij"), -1).reshape(-1, 3)
    a, b, c = grid.T
    latent = effects[0][a] + effects[1][b] + g.normal(0, 0.3, (k, d))[a, b]
    columns = {"algorithm": np.array(methods)[a], "dataset": np.array(sets)[b]}
    roles = {"algorithm": "algorithm", "dataset": "dataset"}
    if r > 1:
        columns["replication"], roles["replication"] = c + int(g.integers(0, 2)), "replication"
    for kind in g.permutation(["higher", "lower", "seconds"])[: int(g.integers(1, 4))]:
        columns[kind] = scores(kind, latent + g.normal(0, 0.2, len(a)))
        roles[kind] = "score"
    beside = {
        "attribute": np.array([f"g{i % 3}" for i in range(d)])[b],
        "size": g.integers(100, 60_000, d)[b],
        "spread": np.round(np.abs(g.normal(0.02, 0.01, len(a))), 4) + 0.0001,
        "count": g.integers(80, 400, len(a)),
    }
    for kind, values in beside.items():
        if g.random() < 0.25:
            columns[kind], roles[kind] = values, "other"
    frame = pd.DataFrame(columns)
    if g.random() < 0.2:
        frame = frame[g.random(len(frame)) > 0.08].reset_index(drop=True)
    return Simulated(frame.rename(columns=name), {name[c]: role for c, role in roles.items()})


def rename(table, _score, g):
    """Return the table and the roles with another name of one column."""
    old = str(g.choice(list(table.frame)))
    roles = {("zz9" if name == old else name): role for name, role in table.roles.items()}
    return table.frame.rename(columns={old: "zz9"}), roles


def swap(table, _score, g):
    """Return the table with the names of two columns exchanged."""
    others = table.of("score", "other", "replication")
    if len(others) < 2 or table.layout != "long":
        return table.frame, table.roles
    a, b = map(str, g.choice(others, 2, replace=False))
    roles = table.roles | {a: table.roles[b], b: table.roles[a]}
    return table.frame.rename(columns={a: b, b: a}), roles


def fewer_rows(table, _score, g):
    """Return a part of the rows of a long table."""
    keep = g.random(len(table.frame)) > 0.3 * (table.layout == "long" and len(table.frame) > 30)
    return table.frame[keep].reset_index(drop=True), table.roles


def shuffled(table, _score, g):
    """Return the table with its columns in another order."""
    return table.frame[list(g.permutation(list(table.frame)))], table.roles


def with_columns(make):
    """Return a change that adds or replaces columns."""

    def change(table, score, g):
        return table.frame.assign(**make(table.frame, score, g)), table.roles

    return change


CHANGES = {
    "rename": rename,
    "swap": swap,
    "rows": fewer_rows,
    "shuffle": shuffled,
    "noise": with_columns(
        lambda x, _, g: {
            str(g.choice(["n", "size", "weight", "zz", "tokens"])): g.integers(1, 5000, len(x))
        }
    ),
    "copy": with_columns(lambda x, s, _: {"qq": x[s] * 100}),
    "bounds": with_columns(lambda x, s, _: {"low95": x[s] - 0.01, "up95": x[s] + 0.01}),
    "text": with_columns(lambda x, s, _: {s: [f"{value}%" for value in x[s]]}),
    "constant": with_columns(lambda x, _, __: {"host2": ["abc"] * len(x)}),
    "rank": with_columns(lambda x, s, _: {"rank": x[s].rank(method="first").astype(int)}),
    "gaps": with_columns(lambda x, s, g: {s: x[s].where(g.random(len(x)) > 0.05)}),
    "step": with_columns(lambda x, _, __: {"row": range(1, len(x) + 1)}),
}


def mutate(table, seed):
    """Return a table with one small change, and the change."""
    g = np.random.default_rng(seed)
    change = str(g.choice(list(CHANGES)))
    frame, roles = CHANGES[change](table, str(g.choice(table.of("score"))), g)
    extra = {name: "copy" if name == "qq" else "other" for name in frame if name not in roles}
    return replace(table, frame=frame, roles=roles | extra), change
