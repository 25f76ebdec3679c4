"""The comparison that a row-level model of scores between 0 and 1 gives, in their own unit."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from benchinfer.compare import bayes_words
from benchinfer.compare.bayes_comparison import BayesComparison
from benchinfer.compare.evidence import Array
from benchinfer.compare.phrases import count
from benchinfer.compare.response_guesses import guessed
from benchinfer.compare.responses import Answers, Responses
from benchinfer.errors import DesignError, message
from benchinfer.saving import savable

if TYPE_CHECKING:
    import pandas as pd
    from xarray import DataTree

    from benchinfer.compare.pymc_model import PyMCModel
    from benchinfer.numerics.bayes.gibbs import Model
    from benchinfer.progress import Progress
    from benchinfer.scores import ScoreTable

_SEEN = {
    "binomial": "right answers, binomial given the log odds of a success",
    "beta": "scores, beta given a mean on the logit scale and a precision of each data set",
    "logit-normal": "logits of scores, normal with a residual variance of each data set",
}


@savable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ResponseComparison(BayesComparison):
    """Verdicts from posterior probabilities of a row-level model of scores between 0 and 1.

    The model is on the logit scale; estimates, the tolerance and verdicts are about mean scores
    (success probabilities): on average over the data sets that there could be, or on the next one.

    Attributes
    ----------
    responses
        What the model saw of the scores. `data` only has their means, for figures.
    logits
        (C, T, K) draws of the algorithms' logits at the mean data set, in the user's direction.
    """

    responses: Responses = field(kw_only=True)
    logits: Array = field(kw_only=True)

    title: ClassVar[str] = "Hierarchical Bayesian model of scores between 0 and 1"

    @property
    def likelihood(self) -> str:
        """How scores come about: ``"binomial"``, ``"beta"`` or ``"logit-normal"``."""
        return str(self.provenance.arguments["likelihood"])

    @property
    def items(self) -> bool:
        """Whether items, or replications, that algorithms share have effects of their own."""
        if isinstance(self.responses, Answers):
            return self.responses.items is not None
        return self.responses.shared

    @property
    def typical(self) -> bool:
        """Whether averages are those of a typical data set: mean scores are of all data sets."""
        return False

    @property
    def unused_priors(self) -> frozenset[str]:
        """Names of priors that the model does not have."""
        unused = {"slope_sd"}
        if self.likelihood == "binomial":
            unused |= {"residual_sd", "residual_spread"}
        unused |= set() if self.items else {"item_scale"}
        unused |= set() if self.domain is not None else {"domain_scale"}
        unused |= set() if self.interactions == "t" else {"tail_shape", "tail_rate"}
        if self.structure == "common":
            unused |= {"shrinkage_median", "shrinkage_sd"}
        return frozenset(unused)

    @property
    def prior_unit(self) -> str:
        """What priors are in units of, in words."""
        return "in units of the logit"

    @property
    def sampled(self) -> "Model":
        """The model of contrasts, which this comparison does not have.

        Raises
        ------
        DesignError
            Always.
        """
        raise DesignError(
            message(
                f"the model of likelihood={self.likelihood!r} is of rows, not of contrasts.",
                hint="model() returns it in PyMC; likelihood='normal' has the rest.",
            )
        )

    @property
    def posterior(self) -> "DataTree":
        """Draws and observations as an `xarray.DataTree`, which ArviZ reads.

        ``effect`` (average), ``effect_these`` and ``effect_next`` are mean scores, turned so that
        larger is better; ``logit`` are the algorithms' logits at the mean data set.
        """
        from xarray import DataTree

        tree = self.draws.tree(self.setting, self.data, {})
        groups = {
            name: node.to_dataset()
            for name, node in tree.children.items()
            if name != "observed_data"
        }
        draw = ("chain", "draw", "algorithm")
        groups["posterior"] = groups["posterior"].assign(logit=(draw, self.logits))
        return DataTree.from_dict(groups)

    def model(self) -> "PyMCModel":
        """Return the model in PyMC: the same posterior, to look at or to build upon.

        Returns
        -------
        pymc.Model
            On the logit scale; what its variables are stands in
            `benchinfer.compare.response_model`.
        """
        from benchinfer.compare.response_compared import row_model
        from benchinfer.compare.response_model import response_model

        names = {
            "dataset": [self.setting.coverage.datasets[m] for m in self.data.dataset],
            "algorithm": list(self.algorithms),
            **({} if self.domain is None else {"domain": sorted(set(self.setting.domains))}),
        }
        model = row_model(self.data, self.provenance.arguments, self.domain)
        return response_model(model, self.responses, self.likelihood, names)

    @property
    def formula(self) -> str:
        """The model in one line."""
        kind = "t" if self.interactions == "t" else "normal"
        within = "" if self.domain is None else " domain:algorithm +"
        own = {"binomial": "item", "beta": "replication", "logit-normal": "replication"}
        shared = f" + {own[self.likelihood]}" if self.items else ""
        return (
            f"score ~ {self.likelihood}; logit = data set + algorithm +{within} interaction"
            f"{shared}; interaction ~ {kind}, {self.structure} covariance"
        )

    @property
    def method(self) -> str:
        """What was done, in sentences for a methods section."""
        # Zero-argument super() does not work in a slotted dataclass.
        told = bayes_words.method(self)
        old = told[told.index(", and a residual variance") : told.index(" The posterior was")]
        shared = ""
        if self.items:
            what = "items" if self.likelihood == "binomial" else "replications"
            shared = f" Algorithms share {what}, whose effects are normal on the logit scale."
        domains = ""
        if self.domain is not None:
            n = count(len(set(self.setting.domains)), "domain")
            domains = f" The effects depart from their average in each of {n}."
        new = (
            f", for {_SEEN[self.likelihood]}. Levels of the data sets are normal on that scale."
            f"{shared}{domains} Logits were turned into mean scores, which differences and the"
            " tolerance are about, averaged over the data sets that there could be."
        )
        return told.replace(old, new).replace("Gibbs sampling", "NUTS (PyMC, nutpie)")

    def rests_on(self) -> list[str]:
        """Return the modules and functions used whose docstrings name their sources."""
        names = ["benchinfer.compare.bayes", "benchinfer.compare.convergence"]
        names += ["benchinfer.compare.nuts"]
        if self.likelihood == "beta":
            names.append("benchinfer.compare.response_model")
        if self.likelihood == "binomial" and self.items:
            names.append("benchinfer.numerics.bayes.item_counts")
        return names

    def sensitivity(
        self,
        scores: "ScoreTable | None" = None,
        *,
        draws: int = 400,
        progress: "Progress | bool | None" = None,
    ) -> "pd.DataFrame":
        """Refuse: each variant would be compiled for a minute.

        Raises
        ------
        DesignError
            Always.
        """
        del scores, draws, progress
        raise DesignError(
            message(
                f"variants of a model with likelihood={self.likelihood!r} are not sampled at once:"
                " each compiles for a minute.",
                hint="compare again with other interactions=, structure= or priors=, and"
                " likelihood='normal'.",
            )
        )

    @property
    def log_sd(self) -> float:
        """What ``log_sigma`` of the model in PyMC is relative to."""
        return guessed(self.responses, self.likelihood).log_sd

    @property
    def observed_mean(self) -> Array:
        """(M, K) observed mean scores in the user's unit, NaN where there are none."""
        if isinstance(self.responses, Answers):
            n = self.responses.trials
            return np.where(n > 0, self.responses.successes / np.maximum(n, 1), np.nan)
        value, dataset = self.responses.value, self.responses.dataset
        return np.stack([np.nanmean(value[dataset == m], axis=0) for m in np.unique(dataset)])
