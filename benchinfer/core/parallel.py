"""Independent pieces of work, on several threads or processes.

A piece depends on its own number only, so that results are the same for any number of workers.
"""

import os
from collections.abc import Callable, Iterable, Iterator

# Numbers visited, about a second of compiled code, from which a second thread pays.
_SECOND = 1_000_000_000
# Parts of the items that each process is given.
_PARTS = 8


def workers(n_jobs: int | None, visits: float = 0.0) -> int:
    """Return the number of workers: all cores for -1; for None two if the work takes a second.

    Parameters
    ----------
    n_jobs
        The number requested.
    visits
        Numbers that compiled code visits.

    Examples
    --------
    >>> workers(3), workers(None, 1e6)
    (3, 1)
    """
    cores = os.cpu_count() or 1
    if n_jobs is None:
        return min(2, cores) if visits >= _SECOND else 1
    return cores if n_jobs == -1 else n_jobs


def in_order[Item, Found](
    work: Callable[[Item], Found], items: Iterable[Item], n: int, *, processes: bool = False
) -> Iterator[Found]:
    """Yield the result of `work` for each item, in the order of the items.

    Parameters
    ----------
    work
        On threads, code that is compiled and frees Python's lock; for processes, a function of a
        module.
    items
        Its arguments; of processes all of them are at hand at once.
    n
        Number of workers; with one the work is done here.
    processes
        True for new processes, False for threads.

    Examples
    --------
    >>> list(in_order(abs, [-1, 2, -3], 2))
    [1, 2, 3]
    """
    if n == 1:
        yield from map(work, items)
        return
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
    from multiprocessing import get_context

    if not processes:
        with ThreadPoolExecutor(n) as threads:
            yield from threads.map(work, items)
        return
    everything = list(items)
    # The work travels with each part: few parts for what it holds, several for a balance.
    size = -(-len(everything) // (_PARTS * n)) or 1
    # A fork would copy the locks of threads that do not run in it.
    with ProcessPoolExecutor(n, mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, everything, chunksize=size)
