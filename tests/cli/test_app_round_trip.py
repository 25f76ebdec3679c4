"""Every command prints what Python returns: its document in full, and its sentences.

A line of each table is a command and the same in Python. Each command, and each of its options,
occurs in one of them.
"""

import json
import shlex
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from typer.main import get_command

import benchinfer as bi
from benchinfer import typing as types
from benchinfer.analyses.bayes import fit
from benchinfer.analyses.monitor.comparison import MonitorComparison
from benchinfer.cli import monitor
from benchinfer.cli.app import app
from benchinfer.cli.compare import Showing
from benchinfer.cli.guard import decides
from benchinfer.cli.options.source import OutputArguments, SourceArguments
from benchinfer.comparison.comparison import Comparison
from benchinfer.core.sections import Request
from benchinfer.reports import documents
from benchinfer.reproductions.atlas import entry
from tests.analyses.factors.test_factors import runs as runs_of_factors
from tests.analyses.subgroups.conftest import simulated
from tests.cli.test_output_documents import of_terminal, words
from tests.scores.test_read_traces import traces

# `$` begins a command, `>` goes on with it, and what follows is Python.
CASES = """
$ check wide.csv -m value:lower:0.01 --where "size < 9" --repeats keep --unpaired
check(read("wide.csv", measures="value:lower:0.01", where="size < 9", repeats="keep", paired=False))
$ check wide.csv -m value:lower --all
check(read("wide.csv", measures="value:lower"))
$ describe wide.csv -m value:lower --dataset d1
describe(read("wide.csv", measures="value:lower").subset(datasets="d1"))
$ describe wide.sqlite -m value:lower --query "select * from scores where size > 3"
> --names a=A --names value=loss --failed worst
describe(read("wide.sqlite", measures=Declaration("value:lower",
    query="select * from scores where size > 3", names={"a": "A", "value": "loss"},
    failed="worst")))
$ describe rates.csv -m right:higher --layout wide-algorithms --interval wilson --sides 1
> --level 0.9
describe(read("rates.csv", measures="right:higher", layout="wide-algorithms"),
    interval="wilson", sides=1, level=0.9)
$ describe folders -m value:lower --name "{algorithm}_run"
describe(read("folders", measures="value:lower", name="{algorithm}_run"))
$ describe folders/a_run.csv folders/b_run.csv -m value:lower --normalise min-max:0.05
describe(read(["folders/a_run.csv", "folders/b_run.csv"], measures="value:lower")
    .normalise("min-max:0.05"))
$ describe times.csv -m seconds:lower:limit=60 --column state=status --crashed missing
describe(read("times.csv", columns={"state": "status"},
    measures=Declaration("seconds:lower:limit=60", crashed="missing")))
$ describe curves.csv -m accuracy:higher --take best:accuracy --selected
describe(read("curves.csv", measures=Declaration("accuracy:higher", take="best:accuracy",
    selected=True)))
$ describe traces.csv --measures loss:lower --measures evaluations:lower --targets 1,0.01
describe(read_traces("traces.csv", (1, 0.01), measures=["loss:lower", "evaluations:lower"]))

$ compare auto example:sklearn_bootstrap -m error --control svm --alternative better
> --interval simultaneous --target datasets --level 0.9 --missing error --seed 3
compare(errors, "error", control="svm", alternative="better", interval="simultaneous",
    target="datasets", level=0.9, missing="error", seed=3)
$ example:simulated/balanced
compare(balanced)
$ compare auto example:simulated/balanced --per-dataset
per_dataset(compare, balanced, "score")

$ compare factors runs.csv -m accuracy:higher --column backbone=factor --column aug=factor
> --column optimiser=factor --family each --level 0.9 --seed 2 --control aug=none
> --report page.json --details
compare_factors(read("runs.csv", measures="accuracy:higher", columns=factors), "accuracy",
    family="each", level=0.9, seed=2, control={"aug": "none"})

$ compare mixed example:sklearn_bootstrap -m error --control svm --alternative better
> --adjust holm --level 0.9 --target domain --missing error --details
compare_mixed(errors, "error", control="svm", alternative="better", adjust="holm", level=0.9,
    target="domain", missing="error")
$ compare mixed example:sklearn_bootstrap -m error --order lda,svm --structure pairwise
> --interval pairwise --best
compare_mixed(errors, "error", contrasts=("lda", "svm"), structure="pairwise",
    interval="pairwise")
$ compare mixed example:sklearn_bootstrap -m error --contrasts mean
> --terms dataset,dataset:algorithm --df satterthwaite
compare_mixed(errors, "error", contrasts="mean", terms=("dataset", "dataset:algorithm"),
    df="satterthwaite")
$ compare mixed example:simulated/balanced --reference flips --seed 7
compare_mixed(balanced, reference="flips", seed=7)
$ compare mixed wide.csv -m value:lower:0.01 --domains random --residual dataset
compare_mixed(read("wide.csv", measures="value:lower:0.01"), domains="random",
    residual="dataset")
$ compare mixed wide.csv -m value:lower:0.01 --covariates size --covariate size
compare_mixed(read("wide.csv", measures="value:lower:0.01", covariates="size"),
    covariates="size")
$ compare mixed wide.csv -m value:lower:0.01 --resampling independent --per-dataset
per_dataset(compare_mixed, read("wide.csv", measures="value:lower:0.01",
    resampling="independent"), "value")

$ compare meta example:sklearn_bootstrap -m error --effect log-ratio --pooling pairwise
> --covariance own --method paule-mandel --interval wald --nested none --order svm,lda
> --alternative better --adjust holm --level 0.9 --tolerance 0.01 --missing error
compare_meta(errors, "error", effect="log-ratio", pooling="pairwise", covariance="own",
    method="paule-mandel", interval="wald", nested="none", contrasts=("svm", "lda"),
    alternative="better", adjust="holm", level=0.9, tolerance=0.01, missing="error")
$ compare meta example:simulated/balanced --contrasts dunnett --control alg1 --details
compare_meta(balanced, contrasts="dunnett", control="alg1")
$ compare meta wide.csv -m value:lower:0.01 --covariates size --covariate size
compare_meta(read("wide.csv", measures="value:lower:0.01", covariates="size"),
    covariates="size")
$ compare meta papers.csv --measures accuracy:higher
> --harmonise "accuracy %=accuracy:x / 100" --harmonise "error=accuracy:1 - x"
> --correlation 0.5
compare_meta(read_effects("papers.csv", measures="accuracy:higher", correlation=0.5,
    harmonise={"accuracy %": ("accuracy", "x / 100"), "error": ("accuracy", "1 - x")}))
$ compare meta means.md -m accuracy:higher --n 30 --spread sd
compare_meta(read_effects("means.md", measures="accuracy:higher", n=30, spread="sd"))

$ compare permutation example:sklearn_bootstrap -m error --order lda,svm --alternative better
> --adjust step-down --level 0.9 --target datasets --scale dataset --on values
> --null monte-carlo --resamples 500 --pairs pooled --stop --seed 7 --missing error --n-jobs 2
compare_permutation(errors, "error", contrasts=("lda", "svm"), alternative="better",
    adjust="step-down", level=0.9, target="datasets", scale="dataset", on="values",
    null="monte-carlo", resamples=500, pairs="pooled", stop=True, seed=7, missing="error",
    n_jobs=2)
$ compare permutation example:demsar2006 --contrasts dunnett --control C4.5 --interval pairwise
> --details
compare_permutation(demsar, contrasts="dunnett", control="C4.5", interval="pairwise")
$ compare permutation example:demsar2006 --trend C4.5+m+cf,C4.5+m,C4.5+cf,C4.5
compare_permutation(demsar, trend=("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"))

$ compare bootstrap example:simulated/balanced --order alg2,alg1 --alternative better
> --adjust none --level 0.9 --statistic optimality-gap --resample both --interval percentile
> --goal 0.8 --tolerance 0.01 --resamples 500 --seed 7 --missing error --n-jobs 2
compare_bootstrap(balanced, contrasts=("alg2", "alg1"), alternative="better", adjust="none",
    level=0.9, statistic="optimality-gap", resample="both", interval="percentile", goal=0.8,
    tolerance=0.01, resamples=500, seed=7, missing="error", n_jobs=2)
$ compare bootstrap example:sklearn_bootstrap -m seconds --contrasts dunnett --control svm
> --resample datasets --resamples 200 --details
compare_bootstrap(errors, "seconds", contrasts="dunnett", control="svm", resample="datasets",
    resamples=200)

$ compare bayes example:simulated/balanced --order alg2,alg1 --interactions normal
> --structure common --quantity next --target domain --level 0.9 --missing error --draws 100
> --chains 4 --seed 3 --prior effect_sd=1 --prior tail_rate=0.2
compare_bayes(balanced, contrasts=("alg2", "alg1"), interactions="normal", structure="common",
    quantity="next", target="domain", level=0.9, missing="error", draws=100, chains=4, seed=3,
    priors=priors.Priors(effect_sd=1.0, tail_rate=0.2))
$ compare bayes wide.csv -m value:lower:0.01 --covariates size --covariate size --draws 100
> --chains 4 --details
compare_bayes(read("wide.csv", measures="value:lower:0.01", covariates="size"),
    covariates="size", draws=100, chains=4)
$ compare bayes wide.csv -m value:lower:0.01 --domains random --contrasts dunnett --control a
> --draws 100 --chains 4
compare_bayes(read("wide.csv", measures="value:lower:0.01"), domains="random",
    contrasts="dunnett", control="a", draws=100, chains=4)

$ compare bayes-pairs example:demsar2006 -m AUC --test sign --quantity dominant --level 0.9
> --missing error --prior strength=3 --prior place=first --details
compare_bayes_pairs(demsar, "AUC", test="sign", quantity="dominant", level=0.9,
    missing="error",
    priors=priors.PseudoObservation(strength=3.0, place="first"))
$ compare bayes-pairs example:demsar2006 --contrasts dunnett --control C4.5
compare_bayes_pairs(demsar, contrasts="dunnett", control="C4.5")
$ compare bayes-pairs example:demsar2006 --order C4.5,C4.5+m --draws 2000 --seed 2
compare_bayes_pairs(demsar, contrasts=("C4.5", "C4.5+m"), draws=2000, seed=2)
$ compare bayes-pairs wide.csv -m value:lower:0.01 --resampling cv:4 --test corani2017
> --draws 100 --chains 4
compare_bayes_pairs(read("wide.csv", measures="value:lower:0.01", resampling="cv:4"),
    test="corani2017", draws=100, chains=4)

$ compare pair folds.csv -m accuracy:higher:0.01 --layout wide-algorithms --resampling items
> --test parts-t --pair svm,knn --margin 0.02 --alternative better --adjust hommel --level 0.9
> --parts 2 --missing error --seed 7 --details
compare_pair(read("folds.csv", measures="accuracy:higher:0.01", layout="wide-algorithms",
    resampling="items"), test="parts-t", pair=("svm", "knn"), margin=0.02,
    alternative="better", adjust="hommel", level=0.9, parts=2, missing="error", seed=7)
$ compare pair example:sklearn_bootstrap -m error --dataset wine --control svm --interval pairwise
compare_pair(errors.subset(datasets="wine"), "error", control="svm", interval="pairwise")
$ compare pair folds.csv -m accuracy:higher:0.01 --layout wide-algorithms --resampling cv:5
> --baseline 0.8
compare_pair(read("folds.csv", measures="accuracy:higher:0.01", layout="wide-algorithms",
    resampling="cv:5"), baseline=0.8)

$ compare wins example:sklearn_bootstrap -m error --by replications --ties drop
> --tie-tolerance 0.02 --errors robust --adjust holm --level 0.9 --control svm
> --missing error --alternative better --penalised --interval pairwise --details
compare_wins(errors, "error", by="replications", ties="drop", tie_tolerance=0.02,
    errors="robust", adjust="holm", level=0.9, control="svm",
    missing="error", alternative="better", penalised=True, interval="pairwise")
$ compare wins example:demsar2006 --inference bayes --rope 0.1 --departures --ties half --draws 100
> --chains 4 --seed 3 --prior scale_sd=1
compare_wins(demsar, inference="bayes", rope=0.1, departures=True, ties="half", draws=100, chains=4,
    seed=3,
    priors=priors.WinPriors(scale_sd=1.0))
$ compare wins published.csv -m accuracy --contrasts sequential
compare_wins(read_wins("published.csv", name="accuracy"), contrasts="sequential")
$ compare wins example:sklearn_bootstrap -m error --order svm,rf --local-rope 0.4
compare_wins(errors, "error", contrasts=("svm", "rf"), local_rope=0.4)

$ compare points example:sklearn_bootstrap -m error --statistic median --tolerance 0.02
> --missing error
compare_points(errors, "error", statistic="median", tolerance=0.02, missing="error")
$ compare points votes.csv -m score:higher --units passage,item,answer --unit-weights units
compare_points(read("votes.csv", units=("passage", "item", "answer"),
    measures=Declaration("score:higher", unit_weights="units")))
$ compare points example:demsar2006 --per-dataset
per_dataset(compare_points, demsar, "AUC")

$ consensus example:sklearn_bootstrap -m error -m seconds --weights 1,0.2 --by points
> --family linear
joint(compare_points, errors, {"error": 1, "seconds": 0.2}, family="linear")
$ consensus example:sklearn_bootstrap -m error --by mixed --rule not-significant --level 0.9
> --method cks --missing-pairs undecided --time-limit 60
joint(compare_mixed, errors, {"error": 1.0}, rule="not-significant", level=0.9, method="cks",
    missing_pairs="undecided", time_limit=60)
$ consensus example:simulated/balanced --by permutation --seed 4
joint(compare_permutation, balanced, {"score": 1.0}, seed=4)

$ subgroups groups.csv -m accuracy:higher --layout wide-algorithms --features features.csv
> --by size --by kind --model mixed --minsize 8 --depth 3 --prune bic --tests asymptotic
> --contrasts dunnett --control a0 --level 0.9 --seed 2
compare_subgroups(grouped, "accuracy", by=["size", "kind"], model="mixed", minsize=8, depth=3,
    prune="bic", tests="asymptotic", contrasts="dunnett", control="a0", level=0.9, seed=2)
$ subgroups groups.csv -m accuracy:higher --layout wide-algorithms --features features.csv
> --tests asymptotic --honest --order a1,a0 --report page.json
compare_subgroups(grouped, tests="asymptotic", honest=True, contrasts=("a1", "a0"))
$ subgroups groups.csv -m accuracy:higher --layout wide-algorithms --features features.csv
> --tests asymptotic --stability 2 --seed 1
stable(compare_subgroups(grouped, tests="asymptotic", seed=1), 2, seed=1)

$ gate example:simulated/balanced --baseline alg1 --candidate alg2 -m score:higher:0.02
> --want superior --by-more-than 0.005 --by permutation --target domain --level 0.9
> --on-undecided pass --report page.json
gate(declared("score:higher:0.02"), baseline="alg1", candidate="alg2", want="superior",
    by_more_than=0.005, by="permutation", target="domain", level=0.9, on_undecided="pass")
$ gate rates.csv --layout wide-algorithms -m right:higher:0.05 --baseline a --candidate b
> --unit case --resampling items
gate(read("rates.csv", layout="wide-algorithms", measures="right:higher:0.05",
    resampling="items"), baseline="a", candidate="b", unit="case")

$ board example:sklearn_bootstrap -m error --sequence cart,knn,lda,mlp,rf,svm
> --by-more-than 0.005 --level 0.9 --spending fallback --horizon 8 --against all
> --spread pooled --state board.json --report page.json
board(errors, "error", sequence=("cart", "knn", "lda", "mlp", "rf", "svm"),
    by_more_than=0.005, level=0.9, spending="fallback", horizon=8, against="all",
    spread="pooled", state="python.board.json")

$ monitor running.csv -m acc:higher --resampling independent --paired --state none --stage 20
> --method group-sequential --spending pocock --last-stage 3 --test t --alternative better
> --level 0.9 --pair a,b
monitor(running, pairs=("a", "b"), stage=20, method="group-sequential", spending="pocock",
    last_stage=3, test="t", alternative="better", level=0.9)
$ monitor running.csv --measures bounded.toml --resampling independent --paired --state none
> --stage 20 --method anytime --null mean --control a
monitor(read("running.csv", measures="bounded.toml", resampling="independent", paired=True),
    control="a", stage=20, method="anytime", null="mean")
$ monitor running.csv -m acc:higher --resampling independent --paired --state monitor.json
> --stage 20 --rule literal --report page.json
monitor(running, stage=20, rule="literal", state="python.monitor.json")

$ plan example:simulated/balanced --difference 0.02 --power 0.7 --aim equivalence --level 0.9
> --contrasts one --adjust none --algorithms 3 --target domain --costs 5,1 --budget 500
plan(balanced, 0.02, power=0.7, aim="equivalence", level=0.9, contrasts=None, adjust="none",
    k=3, target="domain", costs=(5, 1), budget=500)
$ plan example:sklearn_bootstrap -m error --difference 0.02 --n-datasets 20 --n-replications 3
> --report page.json
plan(errors, 0.02, "error", n_datasets=20, n_replications=3)

$ allocate answers.csv -m score:higher --units item,answer --std-error 0.2 --costs 1,0.1
allocate(read("answers.csv", measures="score:higher", units=("item", "answer")),
    std_error=0.2, costs=(1, 0.1))
$ allocate answers.csv -m score:higher --units item,answer --std-error 0.5
> --costs 1,1 --fixed answer=2 --report page.json
allocate(read("answers.csv", measures="score:higher", units=("item", "answer")), std_error=0.5,
    costs=(1, 1), fixed={"answer": 2})

$ reproduce demsar2006
reproduced("demsar2006")
"""


def written() -> None:
    """Write the tables of the commands into the current folder."""
    rng = np.random.default_rng(1)
    level = {"a": (0.4, 0.4), "b": (0.1, 0.3), "c": (0.3, 0.1)}
    wide = pd.DataFrame(
        [
            (
                f"d{d}",
                r,
                name,
                round(value[d % 2] + 0.01 * d + rng.normal(0, 0.01), 5),
                "uvw"[d % 3],
                d,
            )
            for d in range(10)
            for r in range(4)
            for name, value in level.items()
        ],
        columns=["dataset", "replication", "algorithm", "value", "domain", "size"],
    )
    wide.to_csv("wide.csv", index=False)
    with sqlite3.connect("wide.sqlite") as connection:
        wide.to_sql("scores", connection, index=False)
    connection.close()
    rows = [(0.82, 0.80), (0.85, 0.81), (0.79, 0.78), (0.84, 0.80), (0.83, 0.82)]
    pd.DataFrame(rows, columns=["svm", "knn"]).rename_axis("fold").to_csv("folds.csv")
    answers = pd.DataFrame(
        [
            (i, a, model, (i * (3 + k) + a * i * k) % 7)
            for i in range(20)
            for a in range(3)
            for k, model in enumerate("xy")
        ],
        columns=["item", "answer", "model", "score"],
    )
    answers.to_csv("answers.csv", index=False)
    answers.assign(passage=answers["item"] ** 2 // 60).to_csv("votes.csv", index=False)
    runs_of_factors().to_csv("runs.csv", index=False)
    scores, features = simulated(40)
    scores.to_csv("groups.csv", index=False)
    features.to_csv("features.csv", index=False)
    y = rng.normal(size=(60, 1)) + rng.normal(size=(60, 3)) + [0.0, 1.0, 0.1]
    pd.DataFrame(
        [("d1", r, name, y[r, k]) for r in range(60) for k, name in enumerate("abc")],
        columns=["dataset", "replication", "algorithm", "acc"],
    ).to_csv("running.csv", index=False)
    Path("papers.csv").write_text(
        "paper,first,second,estimate,se,metric\n"
        "Ada 2021,rf,svm,0.021,0.008,accuracy\nBo 2022,rf,svm,0.035,0.011,accuracy\n"
        "Cy 2022,rf,knn,4.8,1.2,accuracy %\nDi 2023,knn,svm,0.010,0.009,error\n"
        "Ed 2024,rf,knn,0.031,0.010,accuracy\n"
    )
    Path("published.csv").write_text(
        "first,second,won,tied,lost\na,b,6,1,3\na,c,7,0,3\nb,c,5,2,4\n"
    )
    traces().to_csv("traces.csv", index=False)
    Path("means.md").write_text(
        "| model | d1 | d2 | d3 |\n|---|---|---|---|\n"
        "| a | 71.2 ± 1.1 | 80.3 ± 0.9 | 65.0 ± 1.4 |\n"
        "| b | 73.5 ± 1.0 | 81.9 ± 1.2 | 66.2 ± 1.0 |\n"
    )
    Path("bounded.toml").write_text('[measures.acc]\nbetter = "higher"\nbounds = [-9, 9]\n')
    right = rng.random((60, 2)) < [0.7, 0.75]
    pd.DataFrame(right.astype(int), columns=["a", "b"]).rename_axis("item").to_csv("rates.csv")
    Path("folders").mkdir()
    for name in "ab":
        part = wide[wide["algorithm"] == name][["dataset", "replication", "value"]]
        part.to_csv(f"folders/{name}_run.csv", index=False)
    pd.DataFrame(
        [
            (d, name, 10.0 + 7 * d + k, "crashed" if (d, k) == (0, 0) else "ok")
            for d in range(6)
            for k, name in enumerate("ab")
        ],
        columns=["dataset", "algorithm", "seconds", "state"],
    ).to_csv("times.csv", index=False)
    pd.DataFrame(
        [
            (d, name, epoch, 0.5 + 0.1 * epoch - 0.02 * epoch**2 + 0.01 * d * k)
            for d in range(4)
            for k, name in enumerate("ab")
            for epoch in range(5)
        ],
        columns=["dataset", "algorithm", "epoch", "accuracy"],
    ).to_csv("curves.csv", index=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Stand in a folder with all tables, where models of Bayes warm up briefly."""
    with chdir(tmp_path_factory.mktemp("tables")), pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit, "WARM_UP", 50)
        written()
        yield


def check(scores: Any) -> dict[str, object]:
    return documents.table(scores)


def describe(scores: Any, **options: Any) -> dict[str, object]:
    return {m.name: scores.describe(m.name, **options) for m in scores.measures}


class Stable(NamedTuple):
    """Groups of data sets with their stability."""

    groups: types.Subgroups
    stability: Any


def stable(groups: types.Subgroups, n: int, seed: int) -> Stable:
    return Stable(groups, groups.stability(n, seed=seed))


def reproduced(name: str) -> dict[str, object]:
    return {"name": name, "numbers": entry(name).reproduce()}


class Joint(NamedTuple):
    """A consensus with what it is of."""

    consensus: types.Consensus
    ensemble: bi.Ensemble
    weights: Mapping[str, float]
    refused: Mapping[str, Mapping[str, str]]


def joint(
    compare: Any,
    scores: Any,
    weights: Mapping[str, float],
    rule: str = "evidence",
    level: float = 0.95,
    seed: int | None = 1,
    **options: Any,
) -> Joint:
    """Return the consensus of comparisons on each data set."""
    known = {"level": level, "seed": seed}
    known = {k: v for k, v in known.items() if k in signature(compare).parameters}
    local = {name: bi.per_dataset(compare, scores, name, **known) for name in weights}
    each = {name: results.relations(rule) for name, results in local.items()}
    ensemble = each[next(iter(each))] if len(each) == 1 else bi.Ensemble.joined(each, weights)
    refused = {name: one.refused for name, one in local.items()}
    return Joint(bi.consensus(ensemble, **options), ensemble, weights, refused)


def tables() -> dict[str, Any]:
    """Return the names that the Python of the cases uses."""
    factors = dict.fromkeys(("backbone", "aug", "optimiser"), "factor")
    layout = "wide-algorithms"
    return {
        **{name: getattr(bi, name) for name in bi.__all__},
        "read": bi.read_scores,
        "priors": bi.priors,
        "check": check,
        "describe": describe,
        "stable": stable,
        "reproduced": reproduced,
        "joint": joint,
        "factors": factors,
        "balanced": bi.load_example("simulated/balanced"),
        "errors": bi.load_example("sklearn_bootstrap"),
        "demsar": bi.load_example("demsar2006"),
        "declared": lambda text: bi.load_example("simulated/balanced").declare(
            bi.Measure.parse(text)
        ),
        "grouped": bi.read_scores(
            "groups.csv", measures="accuracy:higher", layout=layout, features="features.csv"
        ),
        "running": bi.read_scores(
            "running.csv", measures="acc:higher", resampling="independent", paired=True
        ),
    }


# Kind of result to its document, and to a sentence that is printed.
KINDS: dict[type, tuple[Callable[[Any, Request], Mapping[str, Any]], Callable[[Any], str]]] = {
    MonitorComparison: (lambda r, _: monitor.document(r), lambda r: r.headline()),
    Comparison: (
        lambda r, request: documents.comparison(r, decided=decides(r), request=request),
        lambda r: r.headline(),
    ),
    types.Comparisons: (
        lambda r, _: documents.comparisons(r, {name: decides(one) for name, one in r.items()}),
        lambda r: str(next(iter(r.relations().values()))),
    ),
    types.Answer: (
        lambda r, request: documents.answer(
            r, {name: decides(one) for name, one in r.items()}, request
        ),
        lambda r: r.basis(next(iter(r))),
    ),
    types.Factors: (lambda r, _: documents.factors(r), lambda r: r.sentence()),
    types.Plan: (lambda r, _: documents.plan(r), lambda r: str(r).split("\n")[0]),
    types.Allocation: (lambda r, _: documents.plan(r), lambda r: str(r).split("\n")[0]),
    types.Gate: (lambda r, _: documents.gate(r), str),
    types.Board: (lambda r, _: documents.board(r), lambda r: r.headline()),
    types.Subgroups: (lambda r, _: documents.subgroups(r), lambda r: r.headline()),
    Stable: (lambda r, _: documents.subgroups(*r), lambda r: r.stability.sentence()),
    Joint: (lambda r, _: documents.consensus(*r), lambda r: str(r.consensus)),
    dict: (lambda r, _: r, lambda _: ""),
}


def scores_of(python: str) -> Any:
    """Return the table of which the page of a monitored experiment tells more."""
    return tables()["running"] if python.startswith("monitor") else None


def hold_tables(found: Mapping[str, Any], result: Comparison) -> None:
    """Assert that tables of a document are those that methods of the result return."""
    seen = set()
    for name, rows in found.items():
        method = getattr(result, name, None)
        if not isinstance(rows, list) or not callable(method):
            continue
        frame = method(all=True) if name == "contrasts" else method()
        if isinstance(frame, pd.DataFrame):
            seen.add(name)
            assert [list(row) for row in rows] == [frame.columns.tolist()] * len(frame)
            for column in frame.columns:
                there = frame[column].notna() & ~frame[column].isin([np.inf, -np.inf])
                written = [row[column] for row, known in zip(rows, there, strict=True) if known]
                assert written == frame[column][there].tolist()
    assert {"summary", "contrasts", "diagnostics"} <= seen


def commands(one: Any = None, names: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the commands by their names."""
    one = get_command(app) if one is None else one
    if not hasattr(one, "list_commands"):
        yield " ".join(names), one
        return
    for name in one.list_commands(None):
        yield from commands(one.get_command(None, name), (*names, name))


def cases() -> dict[str, str]:
    """Return command to Python."""
    pairs = {}
    for block in CASES.split("\n$ ")[1:]:
        command, *rest = block.split("\n")
        more = [line.removeprefix("> ") for line in rest if line.startswith("> ")]
        pairs[" ".join([command, *more])] = " ".join(rest[len(more) :])
    return pairs


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", cases(), ids=lambda command: " ".join(command.split()[:2]))
def test_commands_print_what_python_returns(run: Callable, command: str) -> None:
    typed = shlex.split(command)
    result = eval(cases()[command], tables())  # noqa: S307 (the text stands above)
    request = Request(details="--details" in typed, best="--best" in typed)
    as_document, sentence = next(KINDS[kind] for kind in type(result).__mro__ if kind in KINDS)
    expected = as_document(result, request)
    printed = run(*typed, "--json")
    assert printed.exit_code in {0, 1, 3, 4}, printed.output
    assert json.loads(printed.stdout) == json.loads(documents.text(expected))
    if "decided" in expected:
        assert (printed.exit_code == 0) == expected["decided"]
    if isinstance(result, Comparison):
        hold_tables(json.loads(printed.stdout), result)
    if "--report" in typed:
        bi.report(result, "python.json", scores=scores_of(cases()[command]))
        pages = [json.loads(Path(name).read_text()) for name in ("page.json", "python.json")]
        assert pages[0] | {"report": ""} == pages[1] | {"report": ""}
    text = run(*typed)
    assert text.exit_code == printed.exit_code
    assert of_terminal(words(sentence(result))) in of_terminal(words(text.stdout))


@pytest.mark.usefixtures("folder")
def test_report_writes_what_python_writes(run: Callable) -> None:
    typed = ("report", "example:demsar2006", "--no-bayes", "--title", "Trees")
    printed = run(*typed, "--output", "typed.json", "--json")
    assert printed.exit_code == 0, printed.output
    written = Path("typed.json").read_text()
    bi.report(bi.load_example("demsar2006"), "python.json", title="Trees", bayes=False)
    assert printed.stdout == written
    assert written.replace("typed.json", "python.json") == Path("python.json").read_text()


# Options that all commands or all analyses share are the same objects: one case is enough.
SHARED = {f.name for group in (SourceArguments, OutputArguments, Showing) for f in fields(group)}
# Options with tests of their own.
ELSEWHERE = {
    "": {"as_json", "debug", "quiet", "rows", "table", "top"},
    "init": {"force", "measure"},
    "compare bayes": {"likelihood", "sensitivity", "trials"},
    "gate": {"as_markdown"},
    "report": {"bayes", "kind", "level", "measure", "methods", "output", "prints", "seed", "title"},
}


def occurring(command: str) -> tuple[str, set[str]]:
    """Return the names of a command and of the options that are typed."""
    typed = shlex.split(command)
    for names, one in commands():
        if typed[: len(names.split())] == names.split():
            return names, {o.name for o in one.params if {*o.opts, *o.secondary_opts} & {*typed}}
    return "compare auto", set()


def test_every_option_occurs() -> None:
    typed = {name: set(options) for name, options in ELSEWHERE.items()}
    for names, options in map(occurring, cases()):
        typed.setdefault(names, set()).update(options)
    everywhere = set[str]().union(*typed.values()) | {"scores", "others", "name", "files"}
    lacking = {
        names: options
        for names, one in commands()
        if (options := {o.name for o in one.params} - SHARED - typed.get(names, set()))
    }
    assert lacking == {"reproduce": {"files"}}
    assert SHARED - everywhere == set()
