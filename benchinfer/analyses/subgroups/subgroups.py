"""Comparisons in groups of data sets, with the tree that defines them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from benchinfer.analyses.subgroups.options import SubgroupsOptions
from benchinfer.analyses.subgroups.stability import SubgroupStability, subgroup_stability
from benchinfer.analyses.subgroups.tree import Tree
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.per_dataset import ComparisonGroups
from benchinfer.comparison.wording import direction
from benchinfer.core.arguments import checked
from benchinfer.core.citations import bibtex
from benchinfer.core.frames import checks_frame, frame
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, join, level_percent, p_value
from benchinfer.core.provenance import Provenance, StoredOptions
from benchinfer.core.result import Tabular
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.core.sections import Check
from benchinfer.numerics.types import Array
from benchinfer.relations.ensemble import Ensemble
from benchinfer.scores.rows.features import Feature

if TYPE_CHECKING:
    import pandas as pd


WITHIN = (
    "P-values of pairs are adjusted within each group, not over groups. Verdicts of two groups that"
    " differ do not show that the groups differ: the p-value of the division does."
)

CHOSEN = (
    "The groups were chosen by the same scores: differences within them are too large on average,"
    " and intervals and p-values too optimistic."
)


@checked
@savable
@shaped(setting=SAME, means="D K")
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Subgroups(ComparisonGroups[Comparison], Tabular):
    """Groups of data sets on which algorithms compare differently: leaf to comparison.

    Attributes
    ----------
    tree
        The tree; data sets are positions in ``setting.coverage.datasets``.
    results
        Leaf to the comparison of its data sets.
    refused
        Leaf to why it could not be compared.
    features
        The characteristics, of all data sets.
    means
        (D, K) mean scores on the modelling scale, larger is better.
    setting
        The table.
    checks
        Diagnostics of the tree.
    provenance
        Arguments and version.

    Notes
    -----
    Tests are adjusted for many pairs within each leaf, and not over leaves.
    """

    _home: ClassVar[str] = "benchinfer.analyses.subgroups"
    group: ClassVar[str] = "leaf"

    tree: Tree
    results: Mapping[str, Comparison]
    refused: Mapping[str, str]
    features: Mapping[str, Feature]
    means: Array
    setting: Setting
    checks: tuple[Check, ...]
    provenance: Provenance

    def description(self) -> str:
        """Return the number of leaves and data sets."""
        datasets = count(len(self.tree.nodes[0].datasets), "data set")
        return f"<Subgroups: {len(self)} {'leaf' if len(self) == 1 else 'leaves'} of {datasets}>"

    options: ClassVar[StoredOptions[SubgroupsOptions]] = StoredOptions(SubgroupsOptions)

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.setting.measure

    @property
    def honest(self) -> bool:
        """True if one half of the data sets grew the tree and the other is compared."""
        return self.options.honest

    @property
    def level(self) -> float:
        """Confidence level."""
        return self.options.level

    @property
    def datasets(self) -> Mapping[str, tuple[str, ...]]:
        """Leaf to the data sets that are compared in it."""
        return {name: result.setting.coverage.datasets for name, result in self.items()}

    def relations(self, rule: str = "evidence") -> Ensemble:
        """Return the relations of the leaves, each weighted by its number of data sets."""
        relations = {name: result.relation(rule) for name, result in self.items()}
        weights = {name: float(len(members)) for name, members in self.datasets.items()}
        return Ensemble(relations, weights)

    def splits(self) -> pd.DataFrame:
        """Return one row per division, that of all data sets first.

        Returns
        -------
        pandas.DataFrame
            ``node characteristic threshold first_part second_part n_first n_second statistic
            p_value p_error gain``: data sets of the first part have at most the threshold, which is
            NaN of categories; p-values are adjusted for the number of characteristics, and the gain
            is that of the log likelihood.
        """
        rows = [(at, node) for at, node in enumerate(self.tree.nodes) if node.split is not None]
        below = [[self.tree.nodes[child] for child in node.children] for _, node in rows]
        divisions = [node.split for _, node in rows if node.split is not None]
        chosen = [self.tree.characteristics.index(split.by) for split in divisions]
        return frame(
            {
                "node": [at for at, _ in rows],
                "characteristic": [split.by for split in divisions],
                "threshold": np.array([split.at for split in divisions], dtype=float),
                "first_part": [split.first for split in divisions],
                "second_part": [split.second for split in divisions],
                "n_first": [len(pair[0].datasets) for pair in below],
                "n_second": [len(pair[1].datasets) for pair in below],
                "statistic": [n.statistic[c] for (_, n), c in zip(rows, chosen, strict=True)],
                "p_value": [n.p_value[c] for (_, n), c in zip(rows, chosen, strict=True)],
                "p_error": [n.p_error[c] for (_, n), c in zip(rows, chosen, strict=True)],
                "gain": [
                    sum(child.log_likelihood for child in pair) - node.log_likelihood
                    for (_, node), pair in zip(rows, below, strict=True)
                ],
            }
        )

    def tests(self) -> pd.DataFrame:
        """Return the tests: ``node leaf characteristic statistic p_value p_error``.

        P-values are adjusted for the number of characteristics, and NaN where nothing was tested;
        ``leaf`` names the data sets of the node.
        """
        nodes, names = self.tree.nodes, self.tree.characteristics
        return frame(
            {
                "node": np.repeat(np.arange(len(nodes)), len(names)),
                "leaf": [node.name for node in nodes for _ in names],
                "characteristic": list(names) * len(nodes),
                "statistic": np.concatenate([node.statistic for node in nodes]),
                "p_value": np.concatenate([node.p_value for node in nodes]),
                "p_error": np.concatenate([node.p_error for node in nodes]),
            }
        )

    def stability(
        self, resamples: int = 100, *, seed: int | None = 1, n_jobs: int | None = None
    ) -> SubgroupStability:
        """Grow the tree again on subsamples of the data sets.

        Parameters
        ----------
        resamples
            How many subsamples to draw.
        seed
            Seed of the draws; None draws one.
        n_jobs
            As in `per_dataset`.

        Returns
        -------
        SubgroupStability
            In how many subsamples each characteristic divides, and where.

        Raises
        ------
        DesignError
            Subsamples are too small for a division.

        Notes
        -----
        Each has 63 % of the data sets that grew the tree, drawn without replacement: with
        replacement, data sets that are drawn twice make the tests find what is not there. With
        fewer data sets less is found than in all; the least number of data sets of a leaf is
        smaller in the same proportion, and permutation tests draw 199 orders. Shares describe how
        much the tree depends on which data sets there are; they are no p-values.

        References
        ----------
        De Bin, R., Janitza, S., Sauerbrei, W. & Boulesteix, A.-L. (2016). Subsampling versus
        bootstrapping in resampling-based model selection for multivariable regression. Biometrics
        72, 272-280. https://doi.org/10.1111/biom.12381

        Philipp, M., Rusch, T., Hornik, K. & Strobl, C. (2018). Measuring the stability of results
        from supervised statistical learning. Journal of Computational and Graphical Statistics 27,
        685-700. https://doi.org/10.1080/10618600.2018.1473779
        """
        return subgroup_stability(self, resamples, seed, n_jobs)

    def diagnostics(self) -> pd.DataFrame:
        """Return the diagnostics of the tree, with an empty ``leaf``, and those of each leaf."""
        frames = {"": checks_frame(self.checks)}
        return self._stack(frames | {name: result.diagnostics() for name, result in self.items()})

    def headline(self) -> str:
        """Return in one sentence whether it depends on the data sets who is better."""
        measure = direction(self.measure)
        names, n = join(list(self.tree.characteristics)), len(self.tree.nodes[0].datasets)
        if len(self.tree.leaves) == 1:
            root, least = self.tree.nodes[0], ""
            if np.isfinite(root.p_value).any():
                at = int(np.nanargmin(root.p_value))
                smallest = p_value(float(root.p_value[at]), float(root.p_error[at]))
                least = f" (smallest adjusted p-value {smallest})"
            return (
                f"By {measure}: it is not shown that the comparison depends on {names}{least}: one"
                f" comparison of {count(n, 'data set')}."
            )
        characteristics = dict.fromkeys(self.splits()["characteristic"])
        return (
            f"By {measure}: the comparison depends on {join(list(characteristics))}:"
            f" {len(self.tree.leaves)} groups of {count(n, 'data set')}."
        )

    def sentence(self) -> str:
        """Return sentences for a results section: the divisions, and what is shown in each leaf."""
        rows = self.splits()
        divided = [
            f"{row['first_part']} ({row['n_first']} data sets) against {row['second_part']}"
            f" ({row['n_second']}), adjusted p-value"
            f" {p_value(row['p_value'], row['p_error'])}"
            for _, row in rows.iterrows()
        ]
        parts = [self.headline(), *([f"Divisions: {'; '.join(divided)}."] if divided else [])]
        parts += [
            f"{name} ({count(len(self.datasets[name]), 'data set')}): {result.headline()}"
            for name, result in self.items()
        ]
        return " ".join([*parts, *(check.sentence for check in self.checks if not check.ok)])

    @property
    def cautions(self) -> tuple[str, ...]:
        """Caution on verdicts in several groups."""
        if len(self.tree.leaves) == 1:
            return ()
        return (WITHIN,) if self.honest else (WITHIN, CHOSEN)

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        alpha = level_percent(1 - self.level)
        return (
            "Data sets are divided along the characteristic with the smallest p-value of"
            f" instability, where this is at most {alpha}, adjusted for"
            f" {count(len(self.features), 'characteristic')} {self.tree.adjustment}, and not over"
            " nodes."
            " That a characteristic divides nothing is no evidence that it does not matter."
        )

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        what = {
            "wins": "a Bradley-Terry model of wins (Davidson's where there are ties)",
            "mixed": "a normal model of the means of data sets",
        }[self.options.model]
        grown = "one half of the data sets" if self.honest else "the data sets"
        pruned = self.options.prune
        back = (
            "" if pruned == "none" else f" Divisions without support by {pruned} were taken back."
        )
        leaf, method = next((name, result.method) for name, result in self.items())
        compared = (
            f" In each group: {method}"
            if len(self) == 1
            else (
                f" In the group of {leaf}: {method} The other groups were compared in the same way."
            )
        )
        return (
            f"Groups of data sets were found by model-based recursive partitioning of {grown}:"
            f" {what} was tested for stability along {join(list(self.features))} by score tests"
            " with the outer product of the data sets' scores, of numbers by the largest statistic"
            " over all places of a break, of categories by chi-squared tests; p-values are adjusted"
            f" {self.tree.adjustment}. Divisions maximise"
            f" the likelihood and leave at least {self.options.minsize} data sets.{back}{compared}"
        )

    def citations(self) -> str:
        """Return BibTeX entries of the methods used."""
        from benchinfer.analyses.subgroups.numerics import fluctuation

        sources = [source for result in self.values() for source in result._sources()]
        return bibtex([SubgroupsOptions, fluctuation.p_largest, fluctuation.adjusted, *sources])
