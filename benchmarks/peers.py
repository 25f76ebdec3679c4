"""Work of `docs/evidence/computing.md` beside other programs, on the same input in one run.

Run as ``python benchmarks/peers.py``, or with the names of some rows. CPU seconds over all threads,
one of them for linear algebra: ours of whole calls, contrasts and summary included, after a call of
a small table; theirs as the row says, without reading. Needs R with lme4, multcomp, metafor and
BradleyTerry2 (Debian: r-cran-lme4 and so on), nutpie (an extra), and for evalstats pip's registry.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import bayes
import commands
import computing
import meta
import numpy as np
import pandas as pd
import wins
from mixed_models import best
from numpy.typing import NDArray

import benchinfer as bi
from benchinfer.comparison.posterior import settled
from benchinfer.numerics import covariance

type Array = NDArray[np.float64]
type Cells = tuple[str, float, str, str]

# Reads the named files of the folder, runs `work` and prints its CPU seconds.
TIMED = """
suppressMessages({{ {libraries} }})
{read}
used <- tryCatch(
  sum(system.time(suppressMessages(suppressWarnings({{ {work} }})))[c("user.self", "sys.self")]),
  error = function(e) gsub("\\n", " ", conditionMessage(e)))
cat(used)
"""
LMER = """
lmer(value ~ algorithm + (1|dataset) + (1|dataset:algorithm) + (1|dataset:replication), rows)
"""
GLHT = """
family <- glht(parm(rep(0, ncol(cov)), cov, df = 20), linfct = as.matrix(contrasts))
family$coef[] <- estimate$value
summary(family); confint(family)
"""
NETWORK = """
rma.mv(y, V, mods = ~ 0 + X, random = ~ arm | dataset, struct = "CS", rho = 0.5, data = rows,
       sparse = TRUE)
"""
BRADLEY_TERRY = "BTm(cbind(won, lost), first, second, data = rows)"
EVALSTATS = """
import sys
import pandas as pd, evalstats
rows = pd.read_csv(sys.argv[1])
means = rows.pivot_table(index="algorithm", columns="dataset", values="score")
scores = evalstats.BenchmarkResult(
    scores=means.to_numpy()[:, :, None, None],
    template_labels=list(means.index), input_labels=list(means.columns),
)
print(evalstats.analyze(scores, p_values=True).pairwise)
"""


def by_r(libraries: str, work: str, **frames: pd.DataFrame) -> str:
    """Return the CPU seconds of R's work on some frames, or what it says instead."""
    with tempfile.TemporaryDirectory() as name:
        read = [f'{key} <- read.csv("{name}/{key}.csv", stringsAsFactors = TRUE)' for key in frames]
        for key, frame in frames.items():
            frame.to_csv(Path(name) / f"{key}.csv", index=False)
        load = "; ".join(f"library({one})" for one in libraries.split())
        code = TIMED.format(libraries=load, read="\n".join(read), work=work)
        done = subprocess.run(["Rscript", "-e", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def mixed(d: int, b: int, k: int) -> Cells:
    """Time a mixed model of the structure that lmer fits, with all pairs, beside the fit alone."""
    rows = computing.simulated(d, b, k, 0.1)
    own = best(computing.comparing("compare_mixed", 0.1, structure="common")(d, b, k))
    return f"{len(rows):,} scores", own, "lmer, fit alone", by_r("lme4", LMER, rows=rows)


def single_step(k: int) -> Cells:
    """Time single-step quantile and p-values of all pairs beside multcomp's."""
    rng = np.random.default_rng(1)
    root = rng.normal(size=(k, 3 * k)) / np.sqrt(3 * k)
    contrasts = covariance.all_pairs(k)[1]
    estimate = root @ rng.standard_normal(3 * k)
    theirs = by_r(
        "multcomp",
        f"cov <- unname(as.matrix(cov))\n{GLHT}",
        cov=pd.DataFrame(root @ root.T),
        contrasts=pd.DataFrame(contrasts),
        estimate=pd.DataFrame({"value": estimate}),
    )
    return f"{len(contrasts):,} pairs", best(computing.single_step(k)), "multcomp", theirs


def network(datasets: int) -> Cells:
    """Time a network of 30 algorithms, 2 to 8 of them on each data set, beside metafor's fit."""
    own = best(computing.network(datasets, 2, 8))
    effects = meta.published(2, 8, datasets)
    # Each data set's contrasts with its first algorithm, which share that one's error.
    rows = effects[effects["first"] == effects.groupby("study")["first"].transform("min")]
    rows = rows.reset_index(drop=True)
    names = sorted({*rows["first"], *rows["second"]})
    design = np.zeros((len(rows), len(names)))
    for sign, end in ((1.0, "first"), (-1.0, "second")):
        design[np.arange(len(rows)), [names.index(name) for name in rows[end]]] = sign
    same = np.equal.outer(rows["study"].to_numpy(), rows["study"].to_numpy())
    variance = rows["std_error"].to_numpy() ** 2 / 2
    cov = np.where(same, variance, 0.0) + np.diag(variance)
    theirs = by_r(
        "metafor",
        f"X <- as.matrix(X); V <- as.matrix(V)\n{NETWORK}",
        rows=pd.DataFrame({"y": rows["estimate"], "dataset": rows["study"], "arm": rows["second"]}),
        X=pd.DataFrame(design[:, 1:]),
        V=pd.DataFrame(cov),
    )
    return f"{datasets} data sets", own, "metafor, fit alone", theirs


def bradley_terry(datasets: int, algorithms: int) -> Cells:
    """Time worths with errors by data set beside BradleyTerry2's, whose contests are all apart."""
    scores = wins.simulated(datasets, algorithms)
    own = best(lambda: wins.measured(scores))
    table = scores.to_frame().pivot_table(index="dataset", columns="algorithm", values="value")
    pairs = np.column_stack(np.triu_indices(algorithms, 1))
    names, values = table.columns.to_numpy(), table.to_numpy()
    won = (values[:, pairs[:, 0]] > values[:, pairs[:, 1]]).sum(axis=0)
    counts = pd.DataFrame({"won": won, "lost": datasets - won})
    first, second = (pd.DataFrame({"name": names[end]}) for end in pairs.T)
    levels = f'c("{'", "'.join(names)}")'
    ends = "; ".join(f"rows${x} <- factor({x}$name, {levels})" for x in ("first", "second"))
    theirs = by_r(
        "BradleyTerry2", f"{ends}\n{BRADLEY_TERRY}", rows=counts, first=first, second=second
    )
    return f"{datasets} x {algorithms}", own, "BradleyTerry2, from counts", theirs


def hierarchical(d: int, k: int, b: int) -> Cells:
    """Time the hierarchical model and its effective draws beside nutpie's sampling alone."""
    import nutpie

    bi.compare_bayes(bayes.simulated(5, 3, 2), draws=100, seed=1)
    scores = bayes.simulated(d, k, b)
    seconds = best(lambda: bi.compare_bayes(scores, seed=1))
    result = bi.compare_bayes(scores, seed=1)
    start = time.process_time()
    compiled = nutpie.compile_pymc_model(result.model())
    middle = time.process_time()
    options = {"chains": 8, "draws": 1000, "tune": 1000, "target_accept": 0.95}
    drawn: Any = nutpie.sample(compiled, seed=1, progress_bar=False, **options)
    sampling = time.process_time() - middle
    values = {name: drawn.posterior[name].to_numpy() for name in ("effect", "effect_scale", "tail")}
    looked_at = [*np.moveaxis(values["effect"], 2, 0), values["effect_scale"], values["tail"]]
    gates, others = result.convergence, settled(looked_at, 1.0, None)
    rates = min(gates.bulk, gates.tail) / seconds, min(others.bulk, others.tail) / sampling
    size = f"{d} x {b} x {k}; ESS per CPU s {rates[0]:,.0f}, {rates[1]:,.0f}"
    peer = f"nutpie, sampling alone (compilation {middle - start:.1f})"
    return size, seconds, peer, f"{sampling}"


@cache
def by_evalstats() -> str:
    """Return the CPU seconds of a script that compares the averages of a small table."""
    rows = bi.load_example("simulated/balanced").to_frame().rename(columns={"value": "score"})
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "venv" / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
        subprocess.run([python, "-m", "pip", "install", "-qq", "evalstats"], check=True)
        rows.to_csv(f"{folder}/rows.csv", index=False)
        run = [str(python), "-W", "ignore", "-c", EVALSTATS, f"{folder}/rows.csv"]
        return str(min(commands.spent(run)[0] for _ in range(4)))


def command(name: str) -> Cells:
    """Time a command on a small table beside a script that calls evalstats, start included."""
    asked = (*commands.COMMANDS[name], "example:simulated/balanced")
    own = min(commands.measured(asked)[0] for _ in range(4))
    return f"`{name}`, 320 scores", own, "evalstats, a script", by_evalstats()


ROWS: dict[str, tuple[Callable[..., Cells], tuple[tuple[object, ...], ...]]] = {
    'compare_mixed, structure="common"': (mixed, ((20, 25, 10), (50, 100, 10), (100, 200, 10))),
    "single-step": (single_step, ((10,), (20,), (50,))),
    "compare_meta": (network, ((50,), (100,), (200,))),
    "compare_wins": (bradley_terry, ((54, 10), (300, 50), (1_000, 100))),
    "compare_bayes": (hierarchical, ((10, 3, 5), (54, 5, 5), (54, 5, 100))),
    "commands": (command, (("check",), ("compare points",))),
}


def main(wanted: list[str]) -> None:
    """Print a row for each size."""
    print("| work | size | benchinfer, CPU s | peer | CPU s | ratio |\n|---|---|--:|---|--:|--:|")
    for name in wanted or ROWS:
        work, sizes = ROWS[name]
        for size in sizes:
            shown, own, peer, theirs = work(*size)
            try:
                beside = [f"{float(theirs):.2f}", f"{float(theirs) / own:.1f}"]
            except ValueError:
                beside = [theirs, ""]
            print("| " + " | ".join([name, shown, f"{own:.2f}", peer, *beside]) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
