"""Arguments of `compare_mixed`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from benchinfer.analyses.mixed.design import Domains, Structure
from benchinfer.analyses.mixed.evidence import OF_MIXED, Adjust
from benchinfer.analyses.mixed.numerics.structured_likelihood import Residual
from benchinfer.comparison.adjustment import JOINT, resolve
from benchinfer.comparison.comparison import Target
from benchinfer.comparison.options import TestedOptions
from benchinfer.comparison.per_dataset import check_alone
from benchinfer.numerics.rotations import Reference

type DfMethod = Literal["kenward-roger", "satterthwaite", "asymptotic"]


@dataclass(frozen=True, kw_only=True)
class MixedOptions(TestedOptions):
    """Arguments of `compare_mixed`; see there."""

    analysis: ClassVar[str] = "compare_mixed"

    terms: Literal["auto"] | Sequence[str]
    structure: Structure
    residual: Residual
    domains: Domains
    covariates: tuple[str, ...]
    df: DfMethod
    adjust: Adjust
    reference: Reference
    target: Literal["auto"] | Target
    missing: Literal["use", "error"]
    seed: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target == "datasets":
            check_alone('target="datasets"', self.arguments() | {"target": "auto"})
        # As far as arguments tell: whether "auto" is pairwise depends on the table.
        several = self.structure not in {"auto", "common"} or self.residual != "constant"
        common = not (several and self.adjust in JOINT)
        if self.adjust not in OF_MIXED:
            resolve(self.adjust, self.contrasts, self.alternative, common=common)
