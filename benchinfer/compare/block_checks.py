"""What a reader must beware of in blocks: which are not whole, and how far claims go."""

import numpy as np

from benchinfer.compare import cautions
from benchinfer.compare.asked import Asked
from benchinfer.compare.evidence import Check, Setting
from benchinfer.compare.exchangeable import Exchangeable


def blocks(setting: Setting, data: Exchangeable, lost: list[str], asked: Asked) -> list[Check]:
    """Say which blocks are not whole or were left out, and which pairs no block holds."""
    layout = data.layout
    distinct = np.unique(np.column_stack([layout.blocks, layout.labels]), axis=0)
    present = np.bincount(distinct[:, 0], minlength=len(layout.sizes))
    partial = int((present < data.n_labels).sum())
    rows = [
        Check.of(
            f"blocks ({data.unit}s) left out",
            layout.dropped,
            0.0,
            ok=layout.dropped == 0,
            remedy="they hold scores of one algorithm only, so that no labels can be exchanged",
        ),
        Check.of(
            f"blocks ({data.unit}s) that lack algorithms",
            partial,
            0.0,
            ok=partial == 0,
            remedy="labels are exchanged among the algorithms that are there; fair only if scores"
            " are not missing because they are bad",
        ),
    ]
    if lost:
        rows.append(
            Check.of(
                "pairs that no block holds",
                len(lost),
                0.0,
                ok=False,
                remedy=f"not compared: {'; '.join(lost[:3])}{' ...' if len(lost) > 3 else ''}",
            )
        )
    return [*rows, *cautions.tied(data.ties), *_dominated(setting, data, asked)]


def _dominated(setting: Setting, data: Exchangeable, asked: Asked) -> list[Check]:
    """Say whether one data set of several has most of the spread that values are summed over."""
    d = len(setting.coverage.datasets)
    if asked.on != "values" or asked.scale != "none" or d < 3:
        return []
    means = np.bincount(data.block, data.values) / np.maximum(np.bincount(data.block), 1)
    squares = np.bincount(data.dataset, (data.values - means[data.block]) ** 2, d)
    share = float(squares.max() / squares.sum()) if squares.sum() > 0 else 0.0
    alike = 'on="ranks" gives each block the same weight'
    if data.target == "datasets":
        alike = 'scale="dataset" tests each data set in units of its own'
    return [
        Check.of(
            "largest share of a data set in the spread",
            share,
            0.5,
            ok=share <= 0.5,
            remedy=f"{setting.coverage.datasets[int(squares.argmax())]} outweighs all others:"
            f" {alike}",
        )
    ]


def claims(setting: Setting, data: Exchangeable) -> list[Check]:
    """Say how far claims go, and which scores are missing."""
    d, coverage = len(setting.coverage.datasets), setting.coverage
    domain = data.target == "domain"
    domains = len(set(setting.domains))
    rows = [cautions.number_of_datasets(setting) if domain else cautions.replications(setting)]
    if domain:
        rows.append(
            Check.of(
                "domains taken as one",
                domains,
                1.0,
                ok=domains <= 1,
                remedy="the table names several domains; compare_mixed compares within each",
            )
        )
    elif d > 1:
        rows.append(
            Check.of(
                "claims go beyond these data sets",
                0.0,
                1.0,
                least=True,
                ok=False,
                remedy="replications count as evidence, so that the claims hold for these data"
                " sets only",
            )
        )
    return [
        *rows,
        Check.of(
            "thin cells",
            len(coverage.thin),
            0.0,
            ok=not coverage.thin,
            remedy="some replications are missing in these cells; the rest is used",
        ),
        cautions.tolerance(setting.measure),
    ]
