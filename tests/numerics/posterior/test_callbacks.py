"""Densities that C calls are those that Python calls, to the last bit."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.numerics.posterior import callbacks, nuts


class Caught(Exception):
    """The density of a model, in place of its draws."""


def rates(*, items):
    rng = np.random.default_rng(3)
    names = {"dataset": 4, "replication": 6, "algorithm": 3}
    cells = pd.MultiIndex.from_product(
        [[f"{name[0]}{i}" for i in range(n)] for name, n in names.items()], names=list(names)
    )
    rows = pd.DataFrame({"right": rng.integers(0, 2, len(cells))}, index=cells).reset_index()
    kind = bi.Resampling("items" if items else "seeds")
    return bi.read_scores(
        rows, measures={"right": "higher"}, layout="wide-measures", resampling=kind
    )


MODELS = {
    "pairs": lambda: bi.compare_bayes_pairs(
        bi.load_example("simulated/balanced"), test="corani2017"
    ),
    "wins": lambda: bi.compare_wins(bi.load_example("demsar2006"), inference="bayes"),
    "departures": lambda: bi.compare_wins(
        bi.load_example("demsar2006"), inference="bayes", departures=True, ties="half"
    ),
    "items": lambda: bi.compare_bayes(rates(items=True), likelihood="binomial"),
    "answers": lambda: bi.compare_bayes(rates(items=False), likelihood="binomial"),
}


def density(model, monkeypatch):
    def catch(density, *_, **__):
        raise Caught(density)

    monkeypatch.setattr(nuts, "until_settled", catch)
    with pytest.raises(Caught) as caught:
        MODELS[model]()
    return caught.value.args[0]


def called_from_c(density, x):
    gradient, value = np.full(density.size, np.nan), np.full(1, np.nan)
    table = callbacks.table_of(density.arrays)
    types = density.callback().ctypes.argtypes
    pointers = (
        a.ctypes.data_as(t) for a, t in zip((x, gradient, value, table), types[1:], strict=True)
    )
    assert density.callback().ctypes(density.size, *pointers) == 0
    return value[0], gradient


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_c_and_python_call_the_same_density(model, monkeypatch):
    one = density(model, monkeypatch)
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=one.size)
        value, gradient = one(x)
        from_c, slopes = called_from_c(one, x)
        assert from_c == value
        np.testing.assert_array_equal(slopes, gradient)


def test_draws_do_not_depend_on_who_calls(monkeypatch):
    one = density("wins", monkeypatch)

    class OfPython:
        size = one.size
        __call__ = one.__call__

    assert isinstance(one, nuts.CompiledDensity)
    assert not isinstance(OfPython(), nuts.CompiledDensity)
    drawn = [
        nuts.sample(nuts._prepared(each), 2, 50, np.random.default_rng(1), None, warm_up=100)[0]
        for each in (one, OfPython())
    ]
    np.testing.assert_array_equal(drawn[0]["parameters"], drawn[1]["parameters"])


def test_another_nutpie_calls_python(monkeypatch):
    one = density("wins", monkeypatch)
    home = nuts.library().compile_pymc
    by_c = nuts._prepared(one)
    monkeypatch.setattr(home, "CompiledPyMCModel", lambda other: other)
    assert type(nuts._prepared(one)) is not type(by_c)
    monkeypatch.delattr(home, "CompiledPyMCModel")
    assert type(nuts._prepared(one)) is not type(by_c)


def test_arrays_that_c_would_misread_are_refused():
    with pytest.raises(TypeError, match="contiguous"):
        callbacks.table_of([np.ones((3, 2)).T])
    with pytest.raises(TypeError, match="float64"):
        callbacks.table_of([np.ones(2, dtype=np.float32)])
