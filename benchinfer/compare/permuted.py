"""From blocks to the comparison that permutation tests give."""

from typing import Any

import numpy as np

from benchinfer import version
from benchinfer.compare import closed, overall, permutation_checks, steps
from benchinfer.compare.asked import Asked
from benchinfer.compare.borne_out import borne_out
from benchinfer.compare.contrasts import Family
from benchinfer.compare.evidence import Array, Level, Provenance, Setting, decide
from benchinfer.compare.exchangeable import Exchangeable
from benchinfer.compare.permutation_comparison import PermutationComparison
from benchinfer.compare.scaled import standardised
from benchinfer.compare.tested import tested
from benchinfer.errors import DesignError, message


def compared(
    setting: Setting,
    data: Exchangeable,
    levels: Array,
    family: Family,
    asked: Asked,
    arguments: dict[str, Any],
) -> PermutationComparison:
    """Turn blocks into verdicts."""
    family, lost = borne_out(setting, data, family, asked)
    found = tested(data, family, asked)
    evidence, together, shown = found.evidence, found.together, family.wanted
    drawn = "monte-carlo" in {*found.kinds, together.kind}
    return PermutationComparison(
        setting=setting,
        pairs=family.pairs[shown],
        codes=decide(evidence.statistic, evidence.p_value, evidence.p_equivalence, asked.alpha),
        level=arguments["level"],
        target=data.target,
        levels=Level(levels),
        checks=permutation_checks.checks(setting, data, found, lost, asked),
        provenance=Provenance(
            analysis="compare_permutation",
            version=version.__version__,
            arguments=arguments,
            adjustment=steps.words(asked, family.words, _bound(data, asked)),
            digest=setting.digest,
            seed=asked.seed if drawn else None,
        ),
        sides=family.sides[shown],
        names=family.names[shown],
        evidence=evidence,
        unit=data.unit,
        repeated=data.repeated,
        p_error=found.error,
        zeros=found.own.zeros[shown],
        kinds=found.kinds,
        pooled=together.of(shown),
        rows=overall.global_tests(data, together, family.words, asked),
        ranks=overall.rank_sums(standardised(data) if asked.scale == "dataset" else data),
    )


def _bound(data: Exchangeable, asked: Asked) -> str:
    """Say where closed testing of many algorithms was bounded."""
    if asked.adjust not in steps.CLOSED:
        return ""
    return closed.words(data.n_labels, complete=data.layout.complete)


def levels_of(data: Exchangeable) -> Array:
    """Return (K,) means over blocks, in repeated blocks over data sets.

    Raises
    ------
    DesignError
        No block holds two algorithms.
    """
    if not len(data.layout.rows):
        raise DesignError(
            message(
                f"no {data.unit} has scores of two algorithms.",
                hint="permutation tests move labels within blocks; check the labels of"
                f" {'data sets' if data.unit == 'data set' else 'replications'}.",
            )
        )
    cells = data.dataset if data.repeated else np.arange(len(data.values))
    shape = (int(cells.max()) + 1, data.n_labels)
    at = cells * data.n_labels + data.label
    n = np.bincount(at, minlength=shape[0] * shape[1]).reshape(shape)
    total = np.bincount(at, data.values, shape[0] * shape[1]).reshape(shape)
    mean = np.divide(total, n, out=np.zeros(shape), where=n > 0)
    return mean.sum(axis=0) / np.maximum((n > 0).sum(axis=0), 1)
