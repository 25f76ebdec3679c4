"""Contrasts in units of each data set's own spread."""

from dataclasses import replace

import numpy as np

from benchinfer.numerics.bayes.reduction import ContrastData


def standardised(data: ContrastData) -> ContrastData:
    """Divide each data set's contrasts by their root mean square there.

    A data set on which algorithms differ much then counts no more than one on which they differ
    little. Where they do not differ at all on a data set, nothing is divided.

    Parameters
    ----------
    data
        Contrasts of the data sets.

    Returns
    -------
    ContrastData
        In units of the data sets' own spreads.

    Examples
    --------
    >>> from benchinfer.numerics.bayes.reduction import reduce_contrasts
    >>> means = np.array([[0.0, 0.1], [0.0, 7.0]])
    >>> data = reduce_contrasts(np.arange(2), np.ones((2, 2), int), means, np.zeros(2))
    >>> standardised(data).z.ravel()
    array([1., 1.])
    """
    spread = np.sqrt((data.z**2).sum(axis=1) / data.rank)
    spread = np.where(spread > 0, spread, 1.0)
    z = data.z / spread[:, None]
    size = float(np.sqrt((z**2).sum() / data.rank.sum()))
    unit = spread * size
    rss = data.rss / unit**2
    pooled = float(rss[data.df > 0].sum() / max(data.df.sum(), 1.0))
    return replace(
        data,
        z=data.z / unit[:, None],
        rss=rss,
        scale=size,
        log_sd=0.5 * float(np.log(pooled)) if data.noisy and pooled > 0 else data.log_sd,
    )
