"""The function `compare_subgroups`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.analyses.mixed.compare import compare_mixed
from benchinfer.analyses.subgroups.models import Model, model_of
from benchinfer.analyses.subgroups.options import SubgroupsOptions
from benchinfer.analyses.subgroups.subgroups import Subgroups
from benchinfer.analyses.subgroups.tree import Prune, Tests, Tree, grow
from benchinfer.analyses.wins.compare import compare_wins
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.contrasts import Contrasts
from benchinfer.comparison.evidence import Setting
from benchinfer.core.arguments import ArgumentError, checked, names_of, seed_of
from benchinfer.core.errors import DesignError, FitError, unknown
from benchinfer.core.numbers import brief, count, subject
from benchinfer.core.sections import Check
from benchinfer.numerics.types import Codes
from benchinfer.scores.rows.features import Feature
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    from benchinfer.scores.rows.reductions import Cells

# Data sets per parameter below which tests along characteristics have little power.
_PER_PARAMETER = 5


@checked
def compare_subgroups(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    by: str | Sequence[str] | None = None,
    model: Model = "wins",
    minsize: int = 10,
    depth: int | None = None,
    prune: Prune = "none",
    tests: Tests = "auto",
    honest: bool = False,
    contrasts: Contrasts = "tukey",
    control: str | None = None,
    level: float = 0.95,
    seed: int | None = 1,
) -> Subgroups:
    """Find the groups of data sets on which algorithms compare differently, and compare in each.

    A model of all data sets is tested for stability along each of their characteristics. Where some
    p-value, adjusted for the number of characteristics, is at most 1 - level, the data sets are
    divided where the likelihood of the two parts is largest, and each part is treated alike. In
    each leaf of this tree the algorithms are compared.

    Parameters
    ----------
    scores
        The table, with features of the data sets: ``read_scores(..., features="features.csv")``.
    measure
        Name of the measure; may be omitted where there is one.
    by
        Characteristics of the data sets: features, covariates that have one value for each data
        set, or ``"domain"``. By default all that there are.

        Of numbers and ordered categories breaks are tried between any two values, of categories
        any division in two; of more than 12 those along the order of their scores, and each by
        itself. Data sets without a value are left out of its test, and go to the larger side.
    model
        Model whose stability is tested, and which compares in leaves: of who wins on a data set
        (``"wins"``: Bradley-Terry model, `compare_wins`), or of by how much scores differ
        (``"mixed"``: means of data sets, `compare_mixed`).
    minsize
        Least number of data sets of a leaf.
    depth
        Largest number of divisions one below the other; by default as many as tests allow.
    prune
        Take back divisions that Akaike's (``"aic"``) or Schwarz's (``"bic"``) criterion does not
        support, the place of a division counted as a parameter.

        Contests of a data set count as independent there, so that little is taken back.
    tests
        P-values of instability from the limiting distribution of the statistics
        (``"asymptotic"``), or from 999 random orders of the data sets (``"permutation"``), which
        keep to the level with few data sets, too. By default (``"auto"``) permutation in nodes with
        fewer than 50 data sets for each parameter of the model.
    honest
        Let one half of the data sets, drawn at random, grow the tree, and compare on the other.

        P-values and intervals of the leaves then hold as they are, with half the data.
    contrasts, control
        As in `compare_mixed`, in each leaf.
    level
        Confidence level of the tree and, in each leaf, of the family of contrasts.
    seed
        Seed of the permutations, and of the draw of `honest`.

    Returns
    -------
    Subgroups
        A mapping from leaf to its comparison, with the tree.

    Raises
    ------
    DesignError
        There is no such characteristic, or are too few data sets for a division.

    Notes
    -----
    Tests are score tests (M-fluctuation tests) with the outer product of the data sets' scores as
    covariance: of numbers the largest statistic over all places of a break, of categories the
    chi-squared statistic of their mean scores. Under stability the share of tables that are divided
    at all is at most 1 - level: by permutation with any number of data sets, whose scores are
    exchangeable then; by limiting distributions it is smaller where data sets are few for the
    number of algorithms.

    References
    ----------
    Coppersmith, D., Hong, S. J. & Hosking, J. R. M. (1999). Partitioning nominal attributes in
    decision trees. Data Mining and Knowledge Discovery 3, 197-217.
    https://doi.org/10.1023/A:1009869804967

    Strobl, C., Wickelmaier, F. & Zeileis, A. (2011). Accounting for individual differences in
    Bradley-Terry models by means of recursive partitioning. Journal of Educational and Behavioral
    Statistics 36, 135-153. https://doi.org/10.3102/1076998609359791

    Zeileis, A., Hothorn, T. & Hornik, K. (2008). Model-based recursive partitioning. Journal of
    Computational and Graphical Statistics 17, 492-514. https://doi.org/10.1198/106186008X319331

    Examples
    --------
    A forest that wins on large data sets, and loses on small ones.

    >>> import numpy as np
    >>> import pandas as pd
    >>> import benchinfer as bi
    >>> rng = np.random.default_rng(1)
    >>> size = np.arange(100, 4100, 100)
    >>> gain = np.where(size > 2000, 0.02, -0.02) + rng.normal(scale=0.02, size=40)
    >>> table = pd.DataFrame({"dataset": [f"d{n:02}" for n in range(40)], "size": size,
    ...                       "svm": 0.8, "forest": 0.8 + gain})
    >>> scores = bi.read_scores(table.drop(columns="size"), layout="wide-algorithms",
    ...     measures={"accuracy": "higher"}, features=table[["dataset", "size"]])
    >>> found = compare_subgroups(scores)
    >>> print(found)
    size <= 2000  svm > forest
    size > 2000   forest > svm
    >>> found.splits()[["characteristic", "threshold", "n_first", "n_second"]]
      characteristic  threshold  n_first  n_second
    0           size     2000.0       20        20
    """
    options = SubgroupsOptions(
        measure=measure,
        by=None if by is None else names_of(by),
        model=model,
        minsize=minsize,
        depth=depth,
        prune=prune,
        tests=tests,
        honest=honest,
        contrasts=contrasts,
        control=control,
        level=level,
        seed=seed_of(seed) if honest or tests != "asymptotic" else None,
    )
    setting, scores = Setting.of(scores, options.measure)
    options.check_family(setting.algorithms)
    name = setting.measure.name
    features = _features(scores, name, options.by)
    options = replace(options, measure=name, by=tuple(features))
    cells = scores.cells(name)
    there = cells.n > 0
    enough = there.all(axis=1) if options.model == "mixed" else there.sum(axis=1) > 1
    usable = np.flatnonzero(enough)  # by the model of the nodes
    growing, comparing = _halves(usable, options)
    _check_number(len(growing), len(usable), options)
    nodes = model_of(options.model, cells.mean, setting.measure.margin)
    tree = grow(nodes, features, growing, options.growth)
    results, refused = _compared(scores, tree.place(features), comparing, tree, options)
    return Subgroups(
        tree=tree,
        results=results,
        refused=refused,
        features=features,
        means=cells.mean,
        setting=setting,
        checks=tuple(_checks(tree, features, cells, usable, options)),
        provenance=options.provenance(
            setting.digest,
            f"P-values along characteristics are adjusted for their number {tree.adjustment};"
            " those of pairs within each leaf, not over leaves",
            options.seed,
        ),
    )


def _features(scores: ScoreTable, measure: str, by: tuple[str, ...] | None) -> dict[str, Feature]:
    """Return the characteristics of the data sets; raise a DesignError for unknown ones."""
    there = scores.characteristics(measure)
    if not there and by is None:
        raise DesignError(
            "nothing is known of the data sets: the table has no features.",
            hint='features="features.csv" joins a table of them on reading.',
        )
    names = tuple(there) if by is None else by
    if strange := [name for name in names if name not in there]:
        varying = scores.dataset_covariates(measure).varying if scores.covariates else {}
        if places := [d for name in strange for d in varying.get(name, ())]:
            raise ArgumentError(
                f"{', '.join(n for n in strange if n in varying)} varies within"
                f" {count(len(places), 'data set')}: {', '.join(places[:5])}.",
                hint="a characteristic has one value for each data set.",
            )
        raise ArgumentError(unknown("characteristic", strange[0], tuple(there)))
    return {name: there[name] for name in names}


def _halves(usable: Codes, options: SubgroupsOptions) -> tuple[Codes, Codes]:
    """Return the data sets that grow the tree, and those that are compared."""
    if not options.honest:
        return usable, usable
    order = np.random.default_rng(options.seed).permutation(usable)
    half = (len(order) + 1) // 2
    return np.sort(order[:half]), np.sort(order[half:])


def _check_number(growing: int, usable: int, options: SubgroupsOptions) -> None:
    """Raise a DesignError where data sets are too few for a division into two leaves."""
    if growing >= 2 * options.minsize:
        return
    what = f"{count(usable, 'data set')} with scores of enough algorithms"
    half = f", of which {growing} grow the tree" if options.honest else ""
    raise DesignError(
        f"{what}{half}: a division leaves {options.minsize} on either side.",
        hint="minsize=... is the least number of data sets of a leaf.",
    )


_COMPARE: Mapping[Model, Callable[..., Comparison]] = {"wins": compare_wins, "mixed": compare_mixed}


def _compared(
    scores: ScoreTable, leaf: Codes, comparing: Codes, tree: Tree, options: SubgroupsOptions
) -> tuple[dict[str, Comparison], dict[str, str]]:
    """Return the comparison in each leaf, or the reason why a leaf cannot be compared."""
    results: dict[str, Comparison] = {}
    refused: dict[str, str] = {}
    error: DesignError | FitError | None = None
    given: dict[str, Any] = {
        name: getattr(options, name) for name in ("measure", "contrasts", "control", "level")
    }
    for at in tree.leaves:
        name = tree.nodes[at].name
        members = [scores.datasets[row] for row in comparing if leaf[row] == at]
        try:
            results[name] = _COMPARE[options.model](scores.subset(datasets=members), **given)
        except (DesignError, FitError) as failed:
            refused[name] = str(failed).splitlines()[0]
            error = failed
    if not results and error is not None:
        raise error
    return results, refused


def _checks(
    tree: Tree,
    features: Mapping[str, Feature],
    cells: Cells,
    usable: Codes,
    options: SubgroupsOptions,
) -> list[Check]:
    """Return the checks of a tree."""
    root, leaves = tree.nodes[0], len(tree.leaves)
    untested = [n for n, p in zip(features, root.p_value, strict=True) if np.isnan(p)]
    again = leaves > 1 and not options.honest
    lacking = {n: int(np.isnan(f.values[usable]).sum()) for n, f in features.items()}
    lacking = {name: n for name, n in lacking.items() if n}
    named = ", ".join(f"{name} ({n})" for name, n in lacking.items())
    per_parameter = len(root.datasets) / root.parameters
    return [
        Check.of(
            "leaves chosen by the scores that they compare",
            leaves if again else 0,
            concerns="verdict",
            sentence=f"The {leaves} leaves were chosen by the scores that they compare: differences"
            " between them are too large on average.",
            remedy="Intervals and p-values within leaves take these as known beforehand;"
            " honest=True divides by one half of the data sets and compares on the other.",
        ),
        Check.of(
            "data sets per parameter of the tree's model",
            per_parameter,
            _PER_PARAMETER,
            sentence=f"There are only {brief(per_parameter)} data sets for each parameter of the"
            " tree's model, which find only large differences.",
            remedy="Tests along characteristics keep their level all the same. Compare fewer"
            " algorithms, or on more data sets.",
            least=True,
        ),
        Check.of(
            "characteristics that were not tested",
            len(untested),
            sentence=f"{subject(len(untested), 'characteristic', 'was')} not tested, as no"
            f" division leaves {options.minsize} data sets on either side ({', '.join(untested)}).",
            remedy="A smaller minsize=... or more data sets would do.",
        ),
        Check.of(
            "data sets left out of the tree",
            len(cells.n) - len(usable),
            sentence=f"{subject(len(cells.n) - len(usable), 'data set', 'is')} left out of the"
            " tree, for lack of scores of algorithms that its model needs.",
            remedy="The tree says nothing of such data sets.",
        ),
        Check.informing(
            "values of characteristics that data sets lack",
            sum(lacking.values()),
            sentence=f"{count(sum(lacking.values()), 'value')} of characteristics are missing"
            f" ({named}).",
            remedy="Data sets that lack a value have no part in its tests and divisions, and go"
            " to the larger side.",
        ),
    ]
