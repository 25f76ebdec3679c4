"""Sample the hierarchical model of a small table row by row, in PyMC, without any reduction.

Run as ``python tests/golden/bayes/make.py`` (about two minutes). The model is written from its
definition: every score has its data set's residual scale, every block (replication of a data set)
a level of its own with a flat prior, and every data set its interactions. Nothing is shared with
the package but the division of effects by the scale, which is part of the priors and is taken down
with the results.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pymc as pm
import pytensor.tensor as pt
from arviz_stats.base import array_stats

HERE = Path(__file__).parent
DATASETS, ALGORITHMS, REPLICATIONS = 7, ("ash", "elm", "oak"), 4


def table() -> pd.DataFrame:
    """Simulate scores with missing cells and replications, noise growing with the data set."""
    rng = np.random.default_rng(20)
    rows = []
    for m in range(DATASETS):
        departure = 0.8 * rng.standard_normal(3) * np.sqrt(4 / rng.chisquare(4))
        for r in range(REPLICATIONS):
            level = 5 + rng.standard_normal()
            for k, name in enumerate(ALGORITHMS):
                value = level + 0.6 * k + departure[k] + 0.3 * 1.4**m * rng.standard_normal()
                if not (m == 2 and k == 1) and rng.random() > 0.15:
                    rows.append((f"d{m}", r, name, round(float(value), 4)))
    return pd.DataFrame(rows, columns=["dataset", "replication", "algorithm", "value"])


def sums(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the scale of the contrasts and the pooled residual variance by plain least squares."""
    squares, rank, rss, df = 0.0, 0, 0.0, 0
    for _, own in rows.groupby("dataset"):
        a = pd.get_dummies(own["algorithm"]).to_numpy(float)
        b = pd.get_dummies(own["replication"]).to_numpy(float)
        x = np.hstack([b, a])
        coefficients, *_ = np.linalg.lstsq(x, own["value"].to_numpy(), rcond=None)
        effects = coefficients[b.shape[1] :]
        # The squared length of the contrasts that are identified: that of the centred effects.
        squares += float(((effects - effects.mean()) ** 2).sum())
        r = np.linalg.matrix_rank(x)
        rank += a.shape[1] - 1
        rss += float(((own["value"] - x @ coefficients) ** 2).sum())
        df += len(own) - r
    return float(np.sqrt(squares / rank)), rss / df


def model(rows: pd.DataFrame, scale: float, pooled: float) -> pm.Model:
    """Write the model down; t interactions, unstructured covariance, default priors."""
    d = rows["dataset"].str[1:].astype(int).to_numpy()
    k = rows["algorithm"].map({name: i for i, name in enumerate(ALGORITHMS)}).to_numpy()
    block = pd.factorize(rows["dataset"] + "/" + rows["replication"].astype(str))[0]
    basis = np.array([[-1, 1, 0], [-1, -1, 2]]) / np.sqrt([[2], [6]])
    j = 2
    with pm.Model() as found:
        s = pm.HalfStudentT("s", nu=3, sigma=1)
        g = pm.HalfStudentT("g", nu=3, sigma=1)
        effect_scale = pm.Deterministic("effect_scale", g * s)
        beta = effect_scale * pm.Normal("beta", 0, 1, shape=j)
        log_kappa = pm.Normal("log_kappa", np.log(j), 1.5)
        kappa = pm.Deterministic("kappa", pt.exp(log_kappa))
        # Sigma ~ IW(nu, psi I): its inverse is Wishart, written by Bartlett's triangle.
        nu_w = j + 2 + kappa
        c1 = pm.ChiSquared("c1", nu_w)
        c2 = pm.ChiSquared("c2", nu_w - 1)
        n = pm.Normal("n", 0, 1)
        zero = pt.zeros(())
        triangle = pt.stack([pt.stack([pt.sqrt(c1), zero]), pt.stack([n, pt.sqrt(c2)])])
        root = pt.sqrt(1 + kappa) * s * pt.linalg.inv(triangle).T
        pm.Deterministic("s_eff", pt.sqrt((root**2).sum() / j))
        above = pm.Gamma("above", 2, 0.1)
        nu = pm.Deterministic("nu", 1 + above)
        mixing = pm.InverseGamma("mixing", nu / 2, nu / 2, shape=DATASETS)
        unit = pm.Normal("unit", 0, 1, shape=(DATASETS, j))
        w = pt.sqrt(mixing)[:, None] * (unit @ root.T)
        centre = pm.Normal("centre", 0, 2)
        spread = pm.HalfStudentT("spread", nu=3, sigma=1)
        log_sd = centre + spread * pm.Normal("e", 0, 1, shape=DATASETS)
        sd = np.sqrt(pooled) / scale * pt.exp(log_sd)
        level = pm.Flat("level", shape=int(block.max()) + 1)
        effects = pm.Deterministic("effects", (beta + w) @ basis)
        pm.Deterministic("mu", beta @ basis)
        y = rows["value"].to_numpy() / scale
        start = y.mean()
        pm.Normal("y", start + level[block] + effects[d, k], sd[d], observed=y)
    return found


def main() -> None:
    """Sample and write."""
    rows = table()
    rows.to_csv(HERE / "table.csv", index=False)
    scale, pooled = sums(rows)
    with model(rows, scale, pooled):
        trace = pm.sample(
            6000,
            tune=3000,
            chains=4,
            cores=2,
            random_seed=3,
            nuts={"target_accept": 0.98},
            progressbar=False,
        )
    post = trace.posterior
    values = {f"mu[{i}]": post["mu"].to_numpy()[..., i] for i in range(3)}
    values |= {
        f"effects[{m},{i}]": post["effects"].to_numpy()[..., m, i]
        for m in (0, 2, 6)
        for i in range(3)
    }
    names = ("s_eff", "effect_scale", "nu", "kappa", "centre", "spread")
    values |= {name: post[name].to_numpy() for name in names}
    found = {
        name: {
            "mean": float(x.mean()),
            "sd": float(x.std()),
            "mcse": float(array_stats.mcse(x, chain_axis=0, draw_axis=1)),
            "r_hat": float(array_stats.rhat(x, chain_axis=0, draw_axis=1)),
        }
        for name, x in values.items()
    }
    divergences = int(trace.sample_stats["diverging"].sum())
    document = {
        "versions": {"pymc": pm.__version__, "numpy": np.__version__},
        "scale": scale,
        "pooled": pooled,
        "divergences": divergences,
        "values": found,
    }
    (HERE / "posterior.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
