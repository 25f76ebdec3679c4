"""Properties of the choice of the analysis over many tables: what does not change it."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.choice.choice import choose

TABLES = 12  # of each kind


def read(values, names=None, order=None):
    """Return (D, K) scores, NaN where there is none, as a table."""
    d, k = np.nonzero(np.isfinite(values))
    datasets, algorithms = names or ([f"d{i:03}" for i in range(len(values))], "abcdefghijkl")
    frame = pd.DataFrame(
        {
            "dataset": [datasets[i] for i in d],
            "algorithm": [algorithms[i] for i in k],
            "score": values[d, k],
        }
    )
    return bi.read_scores(frame if order is None else frame.iloc[order], measures="score:higher")


def decided(values, **how):
    choice = choose(read(values, **how), "score")
    return choice.analysis, choice.rule, choice.scale, choice.normalise


def drawn(kind, seed):
    """Draw a table of one kind, without ties."""
    draw = np.random.default_rng(seed)
    d, k = int(draw.integers(14, 60)), int(draw.integers(3, 8))
    level = draw.normal(size=(d, 1)) + np.linspace(0, draw.uniform(0, 2), k)
    return {
        "normal": lambda: level + draw.normal(size=(d, k)),
        "heavy": lambda: level + draw.standard_t(1.3, size=(d, k)),
        "units": lambda: 10 ** draw.uniform(-3, 3, (d, 1)) * (level + draw.normal(size=(d, k))),
        "ratios": lambda: 10 ** draw.uniform(0, 6, (d, 1)) * np.exp(0.1 * draw.normal(size=(d, k))),
        "skew": lambda: level + draw.exponential(size=(d, k)) * np.where(np.arange(k) % 2, 1, -1),
    }[kind]()


KINDS = ("normal", "heavy", "units", "ratios", "skew")
EVERY = [(kind, seed) for kind in KINDS for seed in range(TABLES)]


def settled(values):
    """Whether no data set by itself sets the choice, so that no statistic is near its limit."""
    whole = decided(values)
    return all(decided(np.delete(values, i, axis=0)) == whole for i in range(0, len(values), 3))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_few_empty_cells_of_an_algorithm_change_no_analysis(kind):
    tables = [values for seed in range(TABLES) if settled(values := drawn(kind, seed))]
    assert len(tables) >= TABLES / 2
    for n, values in enumerate(tables):
        gaps = values.copy()
        gaps[n % 7 : n % 7 + 1 + len(values) // 50, n % values.shape[1]] = np.nan
        assert decided(gaps) == decided(values)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "heavy"])
def test_empty_cells_of_an_algorithm_leave_the_numbers_of_other_pairs_alone(kind):
    tables = [values for seed in range(TABLES) if settled(values := drawn(kind, seed)[:24])]
    assert len(tables) >= 3
    for values in tables[:3]:
        gaps = values.copy()
        gaps[[3, 8], 1] = np.nan
        assert decided(gaps) == decided(values)
        whole, part = (bi.compare(read(v))["score"].contrasts(all=True) for v in (values, gaps))
        others = (whole["first"] != "b") & (whole["second"] != "b")
        columns = ["estimate", "conf_low", "conf_high", "p_raw"]
        pd.testing.assert_frame_equal(
            whole.loc[others, columns], part.loc[others, columns], check_exact=True
        )


@pytest.mark.parametrize(("kind", "seed"), EVERY)
def test_names_and_the_order_of_rows_change_nothing(kind, seed):
    values, draw = drawn(kind, seed), np.random.default_rng(seed)
    d, k = values.shape
    names = [f"x{i}" for i in draw.permutation(d)], [f"y{i}" for i in draw.permutation(k)]
    same = choose(read(values), "score")
    assert choose(read(values, names, draw.permutation(d * k)), "score") == same
    assert choose(read(-values[:, ::-1]), "score") == same or kind == "ratios"


@pytest.mark.parametrize("kind", ["normal", "heavy", "units", "skew"])
def test_one_score_of_1e15_is_never_averaged(kind):
    for seed in range(TABLES):
        values = drawn(kind, seed)
        values[seed % len(values), seed % values.shape[1]] = 1e15
        analysis, rule, _, normalise = decided(values)
        assert analysis == "permutation"
        assert rule == "tails" or normalise == "ranks"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["units", "ratios"])
def test_the_unit_of_a_data_set_of_several_changes_no_verdict(kind):
    n = 0
    for seed in range(TABLES):
        values = drawn(kind, seed)[:14, :4]
        other = values.copy()
        other[seed % 14] *= 1000
        before, after = (bi.compare(read(v)) for v in (values, other))
        choice, again = before.choices["score"], after.choices["score"]
        if not (choice.scale or choice.normalise) or not (again.scale or again.normalise):
            continue
        n += 1
        assert (again.analysis, again.scale, again.normalise) == (
            choice.analysis,
            choice.scale,
            choice.normalise,
        )
        assert after["score"].pairs.codes.tolist() == before["score"].pairs.codes.tolist()
    assert n >= TABLES / 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "units", "ratios"])
def test_a_further_algorithm_far_off_changes_no_analysis(kind):
    n = 0
    for seed in range(TABLES):
        values, draw = drawn(kind, seed), np.random.default_rng(100 + seed)
        middle, unit = values.mean(axis=1), values.std(axis=1)
        far = middle * 1000 if kind == "ratios" else middle - 1e4 * np.median(unit)
        noise = draw.normal(size=len(values)) * (np.median(unit) if kind == "normal" else unit)
        further = np.column_stack([values, far + noise * (1000 if kind == "ratios" else 1)])
        if not settled(values):
            continue
        n += 1
        assert decided(further) == decided(values)
    assert n >= TABLES / 2
