"""Shares of sets of k answers that are all right, or of which one is, from counts."""

import numpy as np

from benchinfer.numerics.types import Array


def share_all_right(n: Array, right: Array, k: int) -> Array:
    r"""Return the share of the sets of k of n answers that are all right.

    .. math:: \hat p = \binom{c}{k} / \binom{n}{k}

    with the number c of right answers: the unbiased estimate of the probability that k further
    answers are all right.

    Parameters
    ----------
    n, right
        (N,) numbers of answers, k or more, and of those that are right.
    k
        Size of the sets.

    References
    ----------
    Yao, S., Shinn, N., Razavi, P. & Narasimhan, K. (2024). tau-bench: A benchmark for
    tool-agent-user interaction in real-world domains. https://arxiv.org/abs/2406.12045

    Examples
    --------
    >>> share_all_right(np.array([4.0]), np.array([3.0]), 2)  # 3 of 6 pairs
    array([0.5])
    """
    share = np.ones(len(n))
    for i in range(k):
        share *= np.maximum(right - i, 0) / (n - i)
    return share


def share_any_right(n: Array, right: Array, k: int) -> Array:
    r"""Return the share of the sets of k of n answers of which one or more is right.

    .. math:: \hat p = 1 - \binom{n - c}{k} / \binom{n}{k}

    Parameters
    ----------
    n, right, k
        As for `share_all_right`.

    References
    ----------
    Chen, M. et al. (2021). Evaluating large language models trained on code.
    https://arxiv.org/abs/2107.03374

    Examples
    --------
    >>> share_any_right(np.array([4.0]), np.array([3.0]), 2)
    array([1.])
    """
    return 1 - share_all_right(n, n - right, k)
