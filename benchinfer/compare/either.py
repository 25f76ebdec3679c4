"""Comparisons whose verdicts rest on tests, or on posterior probabilities where these are asked."""

from dataclasses import dataclass

from benchinfer.compare.comparison import TestedComparison
from benchinfer.errors import DesignError, message
from benchinfer.order.relation import Relation


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EitherComparison(TestedComparison):
    """A comparison by tests, or by posterior probabilities."""

    @property
    def bayesian(self) -> bool:
        """Whether verdicts rest on posterior probabilities."""
        raise NotImplementedError

    @property
    def intervals(self) -> str:
        """What the intervals of the contrasts are, in words."""
        if self.bayesian:
            return f"{100 * self.level:g} % credible intervals of each pair alone"
        # Zero-argument super() does not work in a slotted dataclass.
        return TestedComparison.intervals.__get__(self)

    def irrelevant(self) -> list[tuple[str, str]]:
        """Return the pairs that differ significantly, but by less than the tolerance."""
        return [] if self.bayesian else TestedComparison.irrelevant(self)

    def relation(self, rule: str = "evidence") -> Relation:
        """Return the preference relation; see `TestedComparison.relation`.

        Parameters
        ----------
        rule
            ``"evidence"``, or with p-values ``"not-significant"``.

        Raises
        ------
        DesignError
            The rule does not exist, or needs p-values that there are not.
        """
        if self.bayesian and rule == "not-significant":
            raise DesignError(
                message(
                    "posterior probabilities are not significant or otherwise.",
                    hint='rule="evidence" takes the verdicts as they stand.',
                )
            )
        return TestedComparison.relation(self, rule)
