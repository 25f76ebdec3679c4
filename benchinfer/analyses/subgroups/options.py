"""Arguments of `compare_subgroups`."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from benchinfer.analyses.subgroups.models import Model
from benchinfer.analyses.subgroups.tree import Growth, Prune, Tests
from benchinfer.comparison.options import ContrastOptions
from benchinfer.core.arguments import check_count

_FEWEST = 5


@dataclass(frozen=True, kw_only=True)
class SubgroupsOptions(ContrastOptions):
    """Arguments of `compare_subgroups`; see there.

    References
    ----------
    Coppersmith, Hong & Hosking (1999), https://doi.org/10.1023/A:1009869804967

    Strobl, Wickelmaier & Zeileis (2011), https://doi.org/10.3102/1076998609359791

    Zeileis, Hothorn & Hornik (2008), https://doi.org/10.1198/106186008X319331
    """

    analysis: ClassVar[str] = "compare_subgroups"

    by: tuple[str, ...] | None
    model: Model
    minsize: int
    depth: int | None
    prune: Prune
    tests: Tests
    honest: bool
    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("minsize", self.minsize, _FEWEST, f"at least {_FEWEST} data sets in a leaf.")
        if self.depth is not None:
            check_count("depth", self.depth, 1, "1 or more divisions one below the other.")

    @property
    def growth(self) -> Growth:
        """Rules by which the tree grows."""
        depth = np.inf if self.depth is None else self.depth
        seed = 0 if self.seed is None else self.seed
        return Growth(self.alpha, self.minsize, depth, self.prune, self.tests, seed)
