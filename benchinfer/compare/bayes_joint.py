"""The hierarchical model of all algorithms, from a table to its comparison."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.compare import designs
from benchinfer.compare.bayes_beside import beside
from benchinfer.compare.bayes_comparison import BayesComparison
from benchinfer.compare.bayes_covariates import read_along
from benchinfer.compare.bayes_fit import domain_level, fit, modelled, reduced
from benchinfer.compare.bayes_rules import check_rule
from benchinfer.compare.comparison import Target
from benchinfer.compare.contrasts import check_number
from benchinfer.compare.evidence import Setting
from benchinfer.compare.posterior import compared
from benchinfer.compare.response_compared import compare_responses
from benchinfer.errors import DesignError, message, unknown
from benchinfer.progress import reporting

if TYPE_CHECKING:
    from benchinfer.progress import Progress
    from benchinfer.scores import ScoreTable


def compare_joint(
    scores: "ScoreTable",
    measure: str | None,
    asked: Mapping[str, Any],
    progress: "Progress | bool | None",
) -> BayesComparison:
    """Compare all algorithms by one model.

    Parameters
    ----------
    scores, measure
        The table and its measure.
    asked
        The other arguments of `compare_bayes`, checked one by one and complete.
    progress
        As in `compare_bayes`.

    Raises
    ------
    DesignError
        The table cannot answer the question.
    """
    setting, scores = Setting.of(scores, measure)
    check_number(setting.algorithms, asked["contrasts"], asked["control"])
    name, domains = setting.measure.name, asked["domains"]
    designs.check_missing(setting, asked["missing"])
    check_rule(asked["rule"], setting.measure, asked["quantity"], domains)
    target = _target(setting, asked["target"], asked["quantity"])
    given = {"measure": name, **asked}
    if asked["likelihood"] != "normal":
        return compare_responses(scores, setting, target, given, progress)
    if asked["trials"] is not None:
        raise DesignError(
            message("trials= goes with likelihood='binomial'.", hint="ask for it, or leave it out.")
        )
    rng = np.random.default_rng(asked["seed"])
    data = reduced(scores, setting)
    code = domain_level(setting, data) if domains == "random" else None
    along = read_along(scores, name, data, asked["covariates"])
    scaled = None if along is None else along.scaled
    kind = asked["interactions"], asked["structure"]
    model = modelled(data, *kind, asked["priors"], code, scaled)
    with reporting(progress=progress, doing="Sampling:") as told:
        fitted = fit(model, (asked["chains"], asked["draws"]), rng, told, asked["sampler"])
        result = compared(setting, fitted, scores.cells(name).mean, target, given, rng, along)
        return result if asked["sensitivity"] == "none" else beside(result, scores, told)


def _target(setting: Setting, target: str, quantity: str) -> Target:
    """Return what averages are about; refuse what the table or the question does not bear."""
    if target not in (known := ("auto", "domain", "datasets")):
        raise DesignError(unknown("target", target, known))
    if len(setting.coverage.datasets) == 1:
        raise DesignError(
            message(
                "one data set says nothing about how algorithms vary between data sets.",
                hint="compare_pair compares two algorithms on one data set, compare_mixed and"
                " compare_permutation any number; or add data sets.",
            )
        )
    if target == "datasets" and quantity == "next":
        raise DesignError(
            message(
                'target="datasets" is about these data sets, quantity="next" about another.',
                hint='target="domain" goes with it.',
            )
        )
    designs.check_connected(setting)
    return "datasets" if target == "datasets" else "domain"
