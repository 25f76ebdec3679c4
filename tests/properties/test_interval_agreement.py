"""A pair is decided if and only if its interval leaves equality out, by every test."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.errors import DesignError
from benchinfer.core.verdict import Verdict

TABLES = range(8)


def table(seed, *, replications=1, rates=False, datasets=None):
    """Return scores with ties, zeros, skewness or heavy tails, on few data sets or more."""
    rng = np.random.default_rng(seed)
    k, d = int(rng.integers(2, 6)), int(rng.integers(3, 13)) if datasets is None else datasets
    levels = np.sort(rng.normal(0, rng.choice([0.0, 0.5, 2.0]), k))
    shape = (d, k, replications)
    noise = [
        rng.normal(size=shape),
        rng.standard_t(2, size=shape),
        np.exp(rng.normal(size=shape)),
        rng.choice([0.0, 0.0, 0.0, 1.0, 3.0], size=shape),
    ][int(rng.integers(0, 4))]
    y = levels[None, :, None] + noise + rng.normal(size=(d, 1, 1))
    if seed % 2:
        y = np.round(y, int(rng.integers(0, 2)))
    if rates:
        y = (rng.random(shape) < 0.5 + 0.1 * levels[None, :, None].clip(-3, 3)).astype(float)
    rows = [
        (f"d{i}", f"a{j}", r, y[i, j, r])
        for i in range(d)
        for j in range(k)
        for r in range(replications)
    ]
    columns = ["dataset", "algorithm", "replication", "score"]
    return pd.DataFrame(rows, columns=columns), y


def read(rows, **options):
    return bi.read_scores(rows, measures="score:higher", **options)


def check(result, *, bounded=False):
    """Check the stored intervals, which are open at equality where a pair is decided."""
    e, codes = result.evidence, result.pairs.codes
    up, down = codes == Verdict.FIRST, codes == Verdict.SECOND
    free = codes == Verdict.UNDECIDED
    assert (e.estimate[up] > 0).all()
    assert (e.estimate[down] < 0).all()
    assert (e.low[up] >= 0).all()
    assert (e.high[down] <= 0).all()
    assert ((e.low <= 0) & (e.high >= 0))[free].all()
    assert ((e.low <= e.estimate) & (e.estimate <= e.high)).all()
    if bounded:
        assert np.isfinite(e.low).all()
        assert np.isfinite(e.high).all()


def outcome(compare, scores, **options):
    """Return a comparison; None where the table has no such test."""
    try:
        return compare(scores, **options)
    except DesignError:
        return None


BESIDE = ["compatible", "pairwise"]
RANKS = ["aligned-ranks", "normal-scores"]


@pytest.mark.slow
@pytest.mark.parametrize("interval", BESIDE)
@pytest.mark.parametrize("adjust", ["auto", "holm", "step-down", "bonferroni", "none"])
@pytest.mark.parametrize("on", [*RANKS, "values"])
def test_permutation(on, adjust, interval):
    for seed in TABLES:
        result = bi.compare_permutation(
            read(table(seed)[0]), on=on, adjust=adjust, interval=interval, resamples=999
        )
        check(result, bounded=True)


@pytest.mark.parametrize("interval", BESIDE)
@pytest.mark.parametrize("alternative", ["better", "worse"])
@pytest.mark.parametrize("adjust", ["holm", "step-down"])
def test_permutation_of_one_side(adjust, alternative, interval):
    compare = partial(bi.compare_permutation, adjust=adjust, alternative=alternative)
    for seed in TABLES:
        result = compare(read(table(seed)[0]), interval=interval, resamples=999, control="a0")
        check(result)
        closed = result.evidence.low if alternative == "better" else result.evidence.high
        assert np.isfinite(closed).all()


@pytest.mark.slow
@pytest.mark.parametrize("interval", BESIDE)
@pytest.mark.parametrize("on", ["aligned-ranks", "values"])
def test_permutation_of_unpaired_replications(on, interval):
    for seed in TABLES:
        scores = read(table(seed, replications=4, datasets=2)[0], paired=False)
        result = outcome(
            bi.compare_permutation, scores, on=on, interval=interval, target="datasets"
        )
        if result is not None:
            check(result, bounded=on != "values")


@pytest.mark.slow
@pytest.mark.parametrize("interval", BESIDE)
@pytest.mark.parametrize("repeated", [False, True])
def test_permutation_of_rates(repeated, interval):
    for seed in TABLES:
        rows = table(seed, replications=12, rates=True, datasets=2)[0]
        scores = read(rows, paired=not repeated)
        result = outcome(bi.compare_permutation, scores, interval=interval, target="datasets")
        if result is not None:
            check(result, bounded=True)


@pytest.mark.parametrize("interval", BESIDE)
@pytest.mark.parametrize(
    ("adjust", "structure"),
    [
        ("auto", "auto"),
        ("bergmann-hommel", "auto"),
        ("shaffer", "auto"),
        ("holm", "auto"),
        ("none", "auto"),
        ("single-step", "common"),
        ("westfall", "common"),
        ("shaffer", "common"),
    ],
)
def test_mixed(adjust, structure, interval):
    for seed in TABLES:
        scores = read(table(seed)[0])
        result = outcome(
            bi.compare_mixed, scores, adjust=adjust, structure=structure, interval=interval
        )
        if result is not None:
            check(result)


@pytest.mark.parametrize("interval", BESIDE)
@pytest.mark.parametrize("reference", ["rotation", "flips"])
@pytest.mark.parametrize("alternative", ["two-sided", "better", "worse"])
def test_mixed_with_a_control(alternative, reference, interval):
    compare = partial(bi.compare_mixed, control="a0", alternative=alternative)
    for seed in TABLES:
        result = outcome(compare, read(table(seed)[0]), reference=reference, interval=interval)
        if result is not None:
            check(result)


@pytest.mark.parametrize("interval", BESIDE)
@pytest.mark.parametrize("alternative", ["two-sided", "better"])
def test_wins(alternative, interval):
    for seed in TABLES:
        scores = read(table(seed, datasets=7)[0])
        result = outcome(bi.compare_wins, scores, alternative=alternative, interval=interval)
        if result is not None:
            check(result)


@pytest.mark.parametrize("interval", ["auto", "robust", "hartung-knapp", "compatible", "pairwise"])
@pytest.mark.parametrize("pooling", ["network", "pairwise"])
def test_meta(pooling, interval):
    for seed in TABLES:
        scores = read(table(seed, replications=5)[0])
        result = outcome(bi.compare_meta, scores, pooling=pooling, interval=interval)
        if result is not None:
            check(result)


@pytest.mark.parametrize("interval", ["expanded", "percentile", "compatible", "pairwise"])
@pytest.mark.parametrize("alternative", ["two-sided", "worse"])
def test_bootstrap(alternative, interval):
    compare = partial(bi.compare_bootstrap, alternative=alternative, resample="datasets")
    for seed in TABLES[:5]:
        scores = read(table(seed)[0])
        check(compare(scores, interval=interval, resamples=2000))


@pytest.mark.parametrize("interval", BESIDE)
@pytest.mark.parametrize("alternative", ["two-sided", "better"])
@pytest.mark.parametrize("test", ["t", "welch", "wilcoxon", "sign", "sign-flip"])
def test_pair(test, alternative, interval):
    for seed in TABLES:
        scores = read(table(seed, replications=9, datasets=1)[0], paired=test != "welch")
        result = outcome(
            bi.compare_pair, scores, test=test, alternative=alternative, interval=interval
        )
        if result is not None:
            check(result, bounded=alternative == "two-sided")


@pytest.mark.slow
@pytest.mark.parametrize("interval", BESIDE)
@pytest.mark.parametrize("alternative", ["two-sided", "better"])
@pytest.mark.parametrize(
    "test", ["mcnemar", "mcnemar-midp", "mcnemar-score", "paired-rates", "independent-rates"]
)
def test_pair_of_rates(test, alternative, interval):
    for seed in TABLES:
        rows = table(seed, replications=25, rates=True, datasets=1)[0]
        scores = read(rows, paired=test != "independent-rates", resampling="items")
        result = outcome(
            bi.compare_pair, scores, test=test, alternative=alternative, interval=interval
        )
        if result is not None:
            check(result, bounded=alternative == "two-sided")


COMPARISONS = [
    bi.compare_mixed,
    partial(bi.compare_permutation, on="values"),
    bi.compare_wins,
    bi.compare_meta,
    partial(bi.compare_bootstrap, resample="datasets", resamples=20_000),
]


@pytest.mark.parametrize("compare", COMPARISONS)
def test_kinds_of_intervals(compare):
    """Simultaneous ones leave the whole level to the test, pairwise ones are narrower, too."""
    rows = table(2, replications=5, datasets=12)[0].query("algorithm < 'a4'").copy()
    step = rows["algorithm"].map({"a0": 0.0, "a1": 0.2, "a2": 0.4, "a3": 1.5})
    rng = np.random.default_rng(4)
    place = pd.factorize(rows["dataset"] + rows["algorithm"])[0]
    rows["score"] = step + rng.normal(size=place.max() + 1)[place] + rng.normal(size=len(rows)) / 9
    scores = read(rows)
    together, apart, alone = (
        compare(scores, interval=kind) for kind in ("compatible", "simultaneous", "pairwise")
    )
    np.testing.assert_array_equal(apart.evidence.p_value, alone.evidence.p_value)
    np.testing.assert_array_equal(apart.evidence.p_raw, together.evidence.p_raw)
    assert (apart.evidence.p_value <= together.evidence.p_value).all()
    assert (apart.evidence.p_value < together.evidence.p_value).any()
    # Where neither is cut or stretched at equality the ends are at three levels.
    inside = [(e.low < 0) & (e.high > 0) for e in (together.evidence, apart.evidence)]
    inside = inside[0] & inside[1] & (alone.evidence.low < 0) & (alone.evidence.high > 0)
    width = [(r.evidence.high - r.evidence.low)[inside] for r in (together, apart, alone)]
    assert (width[0] > width[1]).all()
    assert (width[1] > width[2]).all()
    assert "hold together" in together.method
    assert "Sidak's" in apart.method
    assert "each pair alone" in alone.method


@pytest.mark.parametrize("compare", [bi.compare, *COMPARISONS])
def test_another_kind_is_refused_in_one_sentence(compare):
    scores = read(table(6, replications=5, datasets=12)[0])
    with pytest.raises(DesignError, match=r"^unknown interval 'exact'") as error:
        compare(scores, interval="exact")
    assert "compatible" in str(error.value)


@pytest.mark.parametrize("compare", COMPARISONS)
def test_two_algorithms_have_the_plain_interval(compare):
    rows = table(6, replications=5, datasets=12)[0]
    scores = read(rows[rows["algorithm"].isin(["a0", "a1"])])
    results = [compare(scores, interval=k) for k in ("compatible", "simultaneous", "pairwise")]
    for other in results[1:]:
        for name in ("p_value", "low", "high"):
            np.testing.assert_array_equal(
                getattr(other.evidence, name), getattr(results[0].evidence, name)
            )


@pytest.mark.parametrize(
    ("compare", "kind"), [(bi.compare_meta, "wald"), (bi.compare_bootstrap, "percentile")]
)
def test_kinds_of_errors_have_compatible_intervals(compare, kind):
    scores = read(table(6, replications=5, datasets=12)[0])
    result = compare(scores, interval=kind, adjust="holm")
    assert "hold together" in result.method
    assert result.options.statement == "compatible"
    assert compare(scores, interval="pairwise", adjust="holm").options.kind == ""
