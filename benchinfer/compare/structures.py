"""How algorithms vary between data sets, and what errors of the contrasts follow from it."""

from dataclasses import replace
from typing import get_args

import numpy as np

from benchinfer.compare.designs import Design, Residual, Structure
from benchinfer.compare.evidence import Setting
from benchinfer.compare.phrases import join
from benchinfer.errors import DesignError, message, unknown


def resolve(structure: Structure, residual: Residual, design: Design, setting: Setting) -> Design:
    """Return the design with the structure that ``"auto"`` means, or the one asked for, checked.

    Raises
    ------
    DesignError
        The structure is not known or the table cannot estimate it.
    """
    _check_known(structure, residual)
    alone = design.one_dataset or design.each
    if structure == "auto":
        structure = "common" if alone else "pairwise"
    if alone and (structure != "common" or residual != "constant"):
        here = "there is one" if design.one_dataset else "each is taken by itself"
        raise DesignError(
            message(
                f"structure={structure!r} with residual={residual!r} describes how data sets"
                f" differ: {here}.",
                hint='structure="common", residual="constant" compares on given data sets.',
            )
        )
    seen = (setting.coverage.found > 0).sum(axis=0)
    if structure != "common" and (seen < 2).any():
        few = [setting.algorithms[k] for k in np.flatnonzero(seen < 2)]
        raise DesignError(
            message(
                f"{join(few)} {'has' if len(few) == 1 else 'have'} scores on one data set"
                " only: there is no spread between data sets to take an error from.",
                hint='leave it out with scores.subset(algorithms=[...]); structure="common" lends'
                " it the error of the others.",
            )
        )
    _check_estimable(structure, residual, design, setting)
    # Errors that come from the spread between data sets speak of their domain, whatever the terms.
    wider = structure != "common" and not alone
    target = "domain" if wider else design.target
    return replace(design, structure=structure, residual=residual, target=target)


def _check_known(structure: str, residual: str) -> None:
    for name, value, kinds in (
        ("structure", structure, get_args(Structure.__value__)),
        ("residual", residual, get_args(Residual.__value__)),
    ):
        if value not in kinds:
            raise DesignError(unknown(name, value, kinds))


def _check_estimable(structure: str, residual: str, design: Design, setting: Setting) -> None:
    """Refuse variances that the table cannot tell apart."""
    k, several = len(setting.algorithms), bool((setting.coverage.found > 1).any())
    if structure in ("diagonal", "unstructured") and "dataset:algorithm" not in design.components:
        raise DesignError(
            message(
                f"structure={structure!r} gives algorithms variances of their own between data"
                " sets, and this model has no dataset:algorithm term.",
                hint='with one score per cell structure="pairwise" gives each pair its own error.',
            )
        )
    if structure == "diagonal" and k < 3:
        raise DesignError(
            message(
                'structure="diagonal" needs three algorithms: of two, only the variance of the'
                " difference can be told.",
                hint='structure="pairwise" is enough for one pair.',
            )
        )
    if residual != "constant" and not several:
        raise DesignError(
            message(
                f"residual={residual!r} needs several scores per data set and algorithm.",
                hint='residual="constant" is what one score per cell supports.',
            )
        )
