"""What a hierarchical Bayesian comparison can be asked about its model: methods of the result."""

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.bayes_comparison import BayesComparison
    from benchinfer.compare.bayes_left_out import LeftOut
    from benchinfer.compare.bayes_predicted import Predicted
    from benchinfer.progress import Progress
    from benchinfer.scores import ScoreTable


class Checked:
    """Give a hierarchical comparison the methods that check its model."""

    __slots__ = ()

    def loo(
        self,
        *,
        refit: bool = True,
        draws: int = 400,
        progress: "Progress | bool | None" = None,
    ) -> "LeftOut":
        """Leave each data set out: what the model that has not seen it says of it.

        By importance sampling from the draws (PSIS-LOO by data set); where its Pareto k is too
        large the model is sampled anew without the data set.

        Parameters
        ----------
        refit
            Whether to sample anew where that is needed.
        draws
            Draws of each of four chains where it is.
        progress
            As in `compare_bayes`.

        Returns
        -------
        LeftOut
            With ``elpd``, ``se``, ``p_loo``, a ``table()`` of the data sets, and ``diagnostics()``
            that name the influential ones.

        References
        ----------
        Vehtari et al. (2017), https://doi.org/10.1007/s11222-016-9696-4
        """
        from benchinfer.compare.bayes_left_out import left_out
        from benchinfer.progress import reporting

        with reporting(progress=progress, doing="Sampling:") as told:
            return left_out(_of(self), refit=refit, draws=draws, progress=told)

    def predictive_check(self, left: "LeftOut | None" = None) -> "Predicted":
        """Draw each data set by the model that has not seen it, beside the data set itself.

        Parameters
        ----------
        left
            What `loo` returned, to save doing it again.

        Returns
        -------
        Predicted
            A ``table()`` with one row for each data set and statistic (spread of the algorithms,
            largest difference, residual standard deviation), and ``diagnostics()`` that name the
            data sets which are not as the model says.
        """
        from benchinfer.compare.bayes_predicted import predicted

        return predicted(_of(self), (left or self.loo()).draws)

    def prior_check(self) -> "pd.DataFrame":
        """Say what the priors hold for possible before any score is seen, beside the scores.

        Returns
        -------
        pandas.DataFrame
            ``measure statistic_name estimate predicted_low predicted predicted_high`` in the
            modelling scale's unit: what is observed (or the posterior median, of parameters), and
            the 5 %, 50 % and 95 % points of the prior.
        """
        from benchinfer.compare.bayes_priors import prior_check

        return prior_check(_of(self))

    def prior_sensitivity(self) -> "pd.DataFrame":
        """Say how much the posterior moves with the weight of the priors and of the scores.

        Prior and likelihood are raised to powers near 1 (power scaling), by importance weights.

        Returns
        -------
        pandas.DataFrame
            ``measure parameter prior_sensitivity likelihood_sensitivity diagnosis``.

        References
        ----------
        Kallioinen et al. (2024), https://doi.org/10.1007/s11222-023-10366-5
        """
        from benchinfer.compare.bayes_priors import prior_sensitivity

        return prior_sensitivity(_of(self))

    def compare_models(
        self,
        scores: "ScoreTable | None" = None,
        *,
        draws: int = 400,
        progress: "Progress | bool | None" = None,
    ) -> "pd.DataFrame":
        """Say which model predicts data sets best that it has not seen: one row per model.

        Parameters
        ----------
        scores
            The table that was compared, for other scales.
        draws
            Draws of each chain; an even number.
        progress
            As in `compare_bayes`.

        Returns
        -------
        pandas.DataFrame
            ``measure variant elpd elpd_difference difference_error stacking_weight winner_score
            winner_difference winner_error largest_k n_refitted``: the comparison itself, other
            interactions, the other structure, other scales, and data sets divided by their spread.
            ``elpd`` is of the contrasts of the algorithms' means given the residuals, in the
            measure's own unit if `scores` are given; on other scales means are those of the scale,
            so that it is comparable as far as these are near the plain means. ``winner_score`` is
            comparable always.

        Raises
        ------
        DesignError
            The table is not the one that was compared.

        References
        ----------
        Yao et al. (2018), https://doi.org/10.1214/17-BA1091
        """
        from benchinfer.compare.bayes_models import compare_models
        from benchinfer.progress import reporting

        with reporting(progress=progress, doing="Sampling:") as told:
            return compare_models(_of(self), scores, draws, told)

    def sensitivity(
        self,
        scores: "ScoreTable | None" = None,
        *,
        draws: int = 400,
        progress: "Progress | bool | None" = None,
    ) -> "pd.DataFrame":
        """Say who is best by models that differ in one thing each: each is sampled anew.

        Parameters
        ----------
        scores
            The table that was compared, for other scales (those that its scores have room on:
            log above 0, logit between 0 and 1).
        draws
            Draws of each chain; an even number. Fewer than for the comparison will do.
        progress
            As in `compare_bayes`.

        Returns
        -------
        pandas.DataFrame
            ``measure variant algorithm prob_best prob_best_next``: the comparison itself, the other
            interactions, the other structure (of three algorithms or more), priors twice as wide,
            and the other scales. On another scale, "on average" is about other differences.

        Raises
        ------
        DesignError
            The table is not the one that was compared.
        """
        from benchinfer.compare import bayes_sensitivity
        from benchinfer.progress import reporting

        with reporting(progress=progress, doing="Sampling:") as told:
            return bayes_sensitivity.sensitivity(_of(self), scores, draws, told)


def _of(checked: Checked) -> "BayesComparison":
    """Return the comparison, which is the only class that has these methods."""
    return cast("BayesComparison", checked)
