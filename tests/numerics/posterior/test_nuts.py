import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from scipy.stats import norm

from benchinfer.errors import MissingExtra
from benchinfer.numerics.posterior import nuts

COV = np.array([[4.0, 1.9, 0.0], [1.9, 1.0, 0.0], [0.0, 0.0, 1e-4]])


class Normal:
    """Skew normal density of very different scales."""

    size = 3

    def __call__(self, x):
        slope = -np.linalg.solve(COV, x)
        return float(x @ slope) / 2, slope


def _drawn(seed=5, n=800, chains=8, progress=None, *, settled=True):
    rng = np.random.default_rng(seed)
    return nuts.until_settled(
        Normal(), (chains, n), rng, progress, lambda drawn: (drawn, settled or drawn.again)
    )


@pytest.mark.slow
def test_draws_have_the_moments_and_tails_of_the_density():
    drawn = _drawn()
    assert drawn.points.shape == (8, 800, 3)
    assert drawn.divergences == 0
    assert not drawn.again
    flat, error = drawn.points.reshape(-1, 3), np.sqrt(COV.diagonal())
    np.testing.assert_allclose(flat.mean(axis=0) / error, 0, atol=0.08)
    unit = np.outer(error, error)
    np.testing.assert_allclose(np.cov(flat.T) / unit, COV / unit, atol=0.08)
    for tail in (0.025, 0.9):
        below = (flat < error * norm.ppf(tail)).mean(axis=0)
        np.testing.assert_allclose(below, tail, atol=0.02)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_draws():
    np.testing.assert_array_equal(_drawn(7, 50).points, _drawn(7, 50).points)
    assert (_drawn(7, 50).points != _drawn(8, 50).points).any()


def test_an_interrupt_ends_sampling():
    """Draws up to an interrupt are no result."""
    _drawn(n=20)  # what is imported at the first call is not to be interrupted
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # workers ignore it
    timer = threading.Timer(1.0, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            _drawn(n=20_000)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow
def test_draws_that_have_not_settled_are_drawn_again_in_smaller_steps():
    first, again = _drawn(n=100), _drawn(n=100, settled=False)
    assert again.again
    assert again.points.shape == (8, 200, 3)
    assert again.statistics["step_size"].mean() < first.statistics["step_size"].mean()


@pytest.mark.slow
def test_progress_is_told_of_all_draws_of_a_task():
    tasks = []
    _drawn(n=100, progress=lambda *task: tasks.append(task), settled=False)
    for task, total in (("draws", 1100), ("more draws", 1200)):
        done = [d for name, d, of in tasks if name == task and of == total]
        assert sum(done) <= total
    assert {name for name, *_ in tasks} <= {"draws", "more draws"}


def test_without_nutpie_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "nutpie", None)
    with pytest.raises(MissingExtra, match="nutpie is not installed"):
        _drawn()


SHAPES = """
import subprocess
import sys
import numpy as np
from benchinfer.numerics.posterior import nuts

shapes = {"x": (2,), "matrix": (1, 2), "number": ()}
model = nuts.library().compiled_pyfunc.from_pyfunc(
    2,
    lambda: lambda x: (float(-x @ x / 2), -x),
    lambda *_: lambda x: {"x": x, "matrix": x[None], "number": x[:1].reshape(())},
    [np.dtype(np.float64)] * 3,
    list(shapes.values()),
    list(shapes),
)
values, statistics = nuts.sample(model, 3, 20, np.random.default_rng(1), None, warm_up=50)
assert {name: x.shape for name, x in values.items()} == {
    name: (3, 20, *shape) for name, shape in shapes.items()
}
np.testing.assert_array_equal(values["matrix"][:, :, 0], values["x"])
np.testing.assert_array_equal(values["number"], values["x"][:, :, 0])
np.testing.assert_allclose(statistics["lp"], -(values["x"] ** 2).sum(axis=2) / 2)
assert set(statistics) == nuts._STATISTICS
assert "matplotlib" not in sys.modules and "arviz" not in sys.modules
deferred = sys.modules["nutpie.sample"].arviz
assert deferred.from_dict is __import__("arviz").from_dict
"""


def test_draws_keep_the_shapes_of_variables_and_arviz_is_imported_when_it_is_asked_for():
    done = subprocess.run(
        [sys.executable, "-c", SHAPES], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
