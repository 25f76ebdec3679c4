"""JSON output.

JSON has no word for what is not finite: NaN and the open end of an interval are ``null``, other
infinities ``"inf"`` and ``"-inf"``.
"""

import dataclasses
import json
import math
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from benchinfer.core.errors import DesignError

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.bayes.comparison import BayesComparison
    from benchinfer.analyses.bootstrap.comparison import BootstrapComparison
    from benchinfer.analyses.meta.comparison import MetaComparison
    from benchinfer.analyses.mixed.comparison import MixedComparison
    from benchinfer.analyses.permutation.comparison import PermutationComparison
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.per_dataset import Comparisons
    from benchinfer.relations.consensus.consensus import Consensus
    from benchinfer.relations.ensemble import Ensemble
    from benchinfer.scores.coverage import Finding
    from benchinfer.scores.table import ScoreTable


_ENDS = ("conf_low", "conf_high")


def write(document: object) -> None:
    """Print a document."""
    # In ASCII: what a name holds can neither steer a terminal nor fail to be encoded.
    sys.stdout.write(json.dumps(plain(document), indent=2, allow_nan=False) + "\n")


def plain(value: Any) -> Any:
    """Turn records, arrays and numbers into what JSON can hold."""
    if isinstance(value, str) or value is None:
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if (as_list := getattr(value, "tolist", None)) is not None:  # NumPy's arrays and scalars
        value = as_list()
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def rows(table: "pd.DataFrame") -> list[dict[str, object]]:
    """Turn a table into one record per row; intervals have no end where they are open."""
    found = [dict(zip(table.columns, row, strict=True)) for row in table.itertuples(index=False)]
    for row in found:
        row.update({end: None for end in _ENDS if end in row and math.isinf(row[end])})
    return found


def findings(found: Sequence["Finding"]) -> list[dict[str, object]]:
    """Write down findings, the first places of each as records."""
    return [
        plain(finding)
        | {"where": [dict(zip(finding.where[0], row, strict=True)) for row in finding.where[1:]]}
        for finding in found
    ]


def table(scores: "ScoreTable") -> dict[str, object]:
    """Write down what a table holds and what the checks found."""
    return {
        "source": scores.source,
        "n": scores.n_rows,
        "datasets": scores.datasets,
        "algorithms": scores.algorithms,
        "measures": scores.measures,
        "resampling": scores.resampling,
        "paired": scores.paired,
        "digest": scores.digest,
        "findings": findings(scores.finding_records),
    }


def comparison(
    result: "Comparison",
    *,
    decided: bool,
    details: bool = False,
    places: "Sequence[str] | None" = None,
) -> dict[str, object]:
    """Write down a comparison, with details and Page's test for an order if requested."""
    return {
        "analysis": result.heading,
        "headline": result.headline(),
        "order": str(result.relation()),
        "decided": decided,
        "measure": result.measure,
        "algorithms": result.algorithms,
        "level": result.level,
        "target": result.target,
        "rule": result.rule,
        "formula": result.formula,
        "method": result.method,
        "summary": rows(result.summary()),
        "contrasts": rows(result.contrasts()),
        "diagnostics": rows(result.diagnostics()),
        **_more(result, places, details=details),
        "provenance": result.provenance,
    }


def _more(
    result: "Comparison", places: "Sequence[str] | None", *, details: bool
) -> dict[str, object]:
    """Write down what an analysis says beyond verdicts."""
    from benchinfer.analyses.meta.comparison import MetaComparison
    from benchinfer.analyses.mixed.comparison import MixedComparison
    from benchinfer.analyses.pair.comparison import PairComparison
    from benchinfer.analyses.permutation.comparison import PermutationComparison

    if isinstance(result, MixedComparison):
        return _model(result, details=details)
    if isinstance(result, MetaComparison):
        return _pooled(result, details=details)
    if isinstance(result, PermutationComparison):
        return _tests(result, places, details=details)
    if isinstance(result, PairComparison):
        found: dict[str, object] = {"test": {"name": result.test, "reason": result.reason}}
        parts = {"tests": rows(result.tests()), "normality": rows(result.normality())}
        return found | (parts if details else {})
    return _drawn(result, details=details)


def _drawn(result: "Comparison", *, details: bool) -> dict[str, object]:
    """Write down what analyses with draws of the effects, and of wins, say beyond verdicts."""
    from benchinfer.analyses.bayes.comparison import BayesComparison
    from benchinfer.analyses.bayes.pairwise.comparison import BayesPairsComparison
    from benchinfer.analyses.bootstrap.comparison import BootstrapComparison
    from benchinfer.analyses.wins.comparison import WinsComparison

    if isinstance(result, BayesPairsComparison):
        return {
            "preset": result.preset,
            "quantity": result.quantity,
            "dominance": rows(result.dominance()),
            "convergence": result.convergence,
        }
    if isinstance(result, WinsComparison):
        found: dict[str, object] = {"wins": rows(result.wins())}
        return found | ({"predicted": rows(result.predicted())} if details else {})
    if isinstance(result, BootstrapComparison) and details:
        return _profiles(result)
    if isinstance(result, BayesComparison):
        return _posterior(result, details=details)
    return {}


def _tests(
    result: "PermutationComparison", places: "Sequence[str] | None", *, details: bool
) -> dict[str, object]:
    """Write down what all algorithms together show."""
    found: dict[str, object] = {"tests": rows(result.tests(places))}
    if not details:
        return found
    kinds = ("nemenyi", "bonferroni-dunn") if result.ranks.complete else ()
    return {
        **found,
        "post_hoc": rows(result.post_hoc()),
        "critical_difference": {kind: result.critical_difference(kind) for kind in kinds},
    }


def _pooled(result: "MetaComparison", *, details: bool) -> dict[str, object]:
    """Write down heterogeneity, and with details what `compare meta` prints of the effects."""
    found: dict[str, object] = {"heterogeneity": rows(result.heterogeneity())}
    from benchinfer.analyses.meta.influence import SHOWN

    tables = {
        "consistency": result.consistency,
        "egger": result.egger,
        "influence": lambda: result.influence(SHOWN),
    }
    for name, table in tables.items() if details else ():
        with suppress(DesignError):  # unavailable results are left out
            found[name] = rows(table())
    return found


def _profiles(result: "BootstrapComparison") -> dict[str, object]:
    """Write down probabilities of improvement and performance profiles."""
    ratios = result.ratios_profile is not None
    return {
        "probability_of_improvement": rows(result.probability_of_improvement()),
        "profile": {
            "scores": rows(result.profile("scores")),
            "ratios": rows(result.profile("ratios")) if ratios else None,
        },
    }


def _posterior(result: "BayesComparison", *, details: bool) -> dict[str, object]:
    """Write down what verdicts are about, and with details both quantities and the ranks."""
    found: dict[str, object] = {
        "quantity": result.quantity,
        "convergence": result.convergence,
    }
    if result.other_models is not None:
        found["other_models"] = rows(result.other_models.table(result.measure, result.algorithms))
    if not details:
        return found
    kinds = ("average",) if result.following is None else ("average", "next")
    if result.along is not None:
        found["slopes"] = rows(result.slopes())
    return {
        **found,
        "quantities": {kind: rows(result.contrasts(kind)) for kind in kinds},
        "regrets": rows(result.regrets()),
        "rank_probabilities": dict(
            zip(result.algorithms, result.ranks.distribution.tolist(), strict=True)
        ),
        "priors": result.priors,
    }


def _model(result: "MixedComparison", *, details: bool) -> dict[str, object]:
    """Write down what a mixed model says; what it does not answer is named in ``refused``."""
    found: dict[str, object] = {
        "variances": rows(result.variances()),
        "correlations": rows(result.correlations()),
        "anova": rows(result.anova()),
    }
    if not details:
        return found
    if result.fitted.fixed.domains:
        found["by_domain"] = {n: rows(r.contrasts()) for n, r in result.by_domain().items()}
    if result.design.covariates:
        found["slopes"] = rows(result.slopes())
    refused: dict[str, str] = {}
    for name, ask in (("influence", _influence), ("prediction", _prediction)):
        found[name] = None
        try:
            found[name] = ask(result)
        except DesignError as error:
            refused[name] = str(error)
    return found | {"refused": refused}


def _influence(result: "MixedComparison") -> object:
    return rows(result.influence())


def _prediction(result: "MixedComparison") -> object:
    new = result.predict()
    return {"summary": rows(new.summary()), "contrasts": rows(new.contrasts())}


def comparisons(results: "Comparisons", decided: Mapping[str, bool]) -> dict[str, object]:
    """Write down one comparison per data set."""
    return {
        "datasets": {
            name: comparison(result, decided=decided[name]) for name, result in results.items()
        },
        "refused": results.refused,
    }


def consensus(
    found: "Consensus",
    ensemble: "Ensemble",
    weights: Mapping[str, float],
    refused: Mapping[str, Mapping[str, str]],
) -> dict[str, object]:
    """Write down a consensus, the relations that it is of, and the weight of each measure."""
    return {
        "order": str(found),
        "decided": found.decided,
        "method": found.method,
        "family": found.family,
        "missing_pairs": found.missing_pairs,
        "weights": weights,
        "cost": found.cost,
        "lower_bound": found.lower_bound,
        "optimal": found.optimal,
        "count": found.count,
        "count_exact": found.count_exact,
        "optima": [str(relation) for relation in found.relations()],
        "common": rows(found.relation().to_frame()),
        "summary": rows(found.summary()),
        "support": rows(found.support()),
        "concordance": ensemble.concordance(),
        "agreement": ensemble.agreement(),
        "diagnostics": rows(found.diagnostics()),
        "relations": {name: str(relation) for name, relation in ensemble.items()},
        "refused": refused,
    }
