"""Few and unevenly exact effects, and networks: against metafor and netmeta, and what is said."""

import json
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.meta.numerics.effects import Block, rows_of
from benchinfer.analyses.meta.numerics.network import (
    clusters,
    effective_share,
    equally_exact,
    pool_network_equally,
)
from benchinfer.analyses.meta.numerics.pooling import (
    NetworkPart,
    effective_number,
    pool_equally,
    uneven,
)
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.numerics import closed_testing, max_t
from benchinfer.numerics.covariance import all_pairs, contrast_variances

from .numerics.golden import blocks

VALUES = json.loads((Path(__file__).parents[2] / "golden" / "meta" / "uneven.json").read_text())
SETS = VALUES["sets"]


def effects(rows):
    columns = ["study", "first", "second", "estimate", "std_error"]
    return bi.read_effects(pd.DataFrame(rows, columns=columns), measures="accuracy:higher")


def of_pair(y, v):
    return effects(
        [(f"s{i:02}", "a", "b", *row) for i, row in enumerate(zip(y, np.sqrt(v), strict=True))]
    )


def row(meta):
    return meta.contrasts(all=True).iloc[0]


def failing(meta):
    rows = meta.diagnostics()
    return set(rows.loc[~rows["ok"], "check"])


PRECISION = "effective number of equally exact effects / the number needed, smallest"


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("pooling", ["network", "pairwise"])
def test_errors_are_those_of_metafor(name, pooling):
    known, table = SETS[name], of_pair(SETS[name]["y"], SETS[name]["v"])
    numbers = ["estimate", "std_error", "p_value"]
    truncated = bi.compare_meta(table, interval="hartung-knapp", pooling=pooling)
    np.testing.assert_allclose(row(truncated)[numbers].astype(float), known["truncated"][:3], 1e-5)
    fixed = bi.compare_meta(table, method="fixed", pooling=pooling)
    np.testing.assert_allclose(row(fixed)[numbers].astype(float), known["fixed"], 1e-9)
    assert "these" in fixed.headline()
    assert "domain" not in fixed.headline()


@pytest.mark.parametrize("name", ["uneven", "useless", "two", "flat"])
@pytest.mark.parametrize("pooling", ["network", "pairwise"])
def test_few_effects_have_equal_weights_and_no_error_below_sampling(name, pooling):
    y, v = (np.array(SETS[name][key]) for key in ("y", "v"))
    d, estimate, plain = len(y), *SETS[name]["plain"][:2]
    found = bi.compare_meta(of_pair(y, v), pooling=pooling)
    if name == "flat":  # eight equally exact ones are enough
        assert not found.alone.equal.any()
        return
    error = max(plain, np.sqrt(v.sum()) / d)
    assert row(found)["estimate"] == pytest.approx(estimate, rel=1e-9)
    assert row(found)["std_error"] == pytest.approx(error, rel=1e-9)
    p = 2 * stats.t.sf(abs(estimate) / error, d - 1)
    assert row(found)[["df", "p_value"]].tolist() == pytest.approx([d - 1, p], rel=1e-9)
    assert "equal weights" in found.method
    assert PRECISION not in failing(found)
    asked = bi.compare_meta(of_pair(y, v), pooling=pooling, interval="hartung-knapp")
    assert PRECISION in failing(asked)


def test_two_studies_are_offered_fixed_effects():
    found = bi.compare_meta(of_pair([0.1, 0.1001], [0.01, 0.01]))
    assert row(found)["p_value"] > 0.3
    rows = found.diagnostics().set_index("check")
    assert 'method="fixed"' in rows.loc["data sets that decide a pair, fewest", "remedy"]
    fixed = bi.compare_meta(of_pair([0.1, 0.1001], [0.01, 0.01]), method="fixed")
    assert row(fixed)["statistic"] == pytest.approx(np.sqrt(2) * 1.0005, rel=1e-9)
    with pytest.raises(DesignError, match="not yet seen"):
        fixed.predict()
    for wrong in ({"interval": "hartung-knapp"}, {"nested": "study"}):
        with pytest.raises(ArgumentError, match=r"fixed effects|random effects"):
            bi.compare_meta(of_pair([0.1, 0.2], [0.01, 0.01]), method="fixed", **wrong)


@pytest.mark.parametrize("seed", range(20))
def test_the_rule_depends_on_errors_alone_and_not_on_units(seed):
    rng = np.random.default_rng(seed)
    v = np.exp(rng.normal(0, 2, rng.integers(2, 30)))
    n0 = effective_number(v)
    assert 1 <= n0 <= len(v) + 1e-9
    assert effective_number(1e-20 * v) == pytest.approx(n0)
    assert uneven(v) == (n0 < max(len(v) / 2, 5))
    assert uneven(np.full(4, 0.1))
    assert not uneven(np.full(5, 0.1))


@pytest.mark.parametrize("seed", range(5))
def test_which_side_comes_first_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    y, v = rng.normal(size=4), rng.uniform(0.1, 3, 4)
    one = row(bi.compare_meta(of_pair(y, v)))
    turned = effects([(f"s{i:02}", "b", "a", -y[i], np.sqrt(v[i])) for i in range(4)])
    other = row(bi.compare_meta(turned))
    pd.testing.assert_series_equal(one, other)


def test_an_exact_study_is_not_lifted_to_a_useless_one():
    found = bi.compare_meta(of_pair([0.1, 0.3, 0.2], [1e12, 1, 1]), interval="wald")
    assert row(found)["std_error"] == pytest.approx(np.sqrt(0.5), rel=1e-6)
    assert found.fit.lifted == 0


@pytest.mark.slow
def test_an_empty_interval_of_the_variance_is_called_empty(tmp_path):
    found = bi.compare_meta(of_pair(np.full(8, 0.1), np.full(8, 0.04)))
    low, high = found.heterogeneity()[["tau2_low", "tau2_high"]].iloc[0]
    assert np.isnan([low, high]).all()
    text = found.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert re.search(r">\s*empty\s*<", text)


NETWORK = json.loads((Path(__file__).parents[2] / "golden" / "meta" / "network.json").read_text())


def whole_network():
    """Return the published effects of the reference network: all pairs of each data set."""
    rows = []
    for d, block in enumerate(blocks()):
        level, cov = np.r_[0.0, block.y], np.pad(block.cov, ((1, 0), (1, 0)))
        for i, j in combinations(range(len(level)), 2):
            error = np.sqrt(cov[i, i] + cov[j, j] - 2 * cov[i, j])
            names = f"a{block.arms[i] + 1}", f"a{block.arms[j] + 1}"
            rows.append((f"s{d:02}", *names, level[i] - level[j], error))
    return effects(rows)


@pytest.mark.parametrize("model", ["fixed", "random"])
def test_networks_are_those_of_metafor(model):
    known = NETWORK[model]
    options = {"method": "fixed"} if model == "fixed" else {"interval": "wald"}
    found = bi.compare_meta(whole_network(), **options)
    assert found.algorithms == ("a1", "a2", "a3", "a4", "a5")
    np.testing.assert_allclose(found.fit.beta, known["beta"], rtol=1e-5)
    np.testing.assert_allclose(found.fit.cov, known["cov"], rtol=1e-5)
    scores = found.summary().set_index("algorithm")["p_score"].sort_index()
    np.testing.assert_allclose(scores, known["p_scores"], rtol=1e-4)
    spread = found.heterogeneity().iloc[0]
    assert spread["tau2"] == pytest.approx(known["tau2"], rel=1e-5)
    if model == "fixed":
        assert spread[["q", "df", "p_value"]].tolist() == pytest.approx(
            [known["q"], known["df"], known["p_value"]], rel=1e-6
        )


NETMETA = json.loads((Path(__file__).parents[2] / "golden" / "meta" / "netmeta.json").read_text())


@pytest.mark.parametrize("method", ["fixed", "dersimonian-laird", "reml"])
def test_networks_are_those_of_netmeta(method):
    known, pairs = NETMETA[method], pd.DataFrame(NETMETA["rows"])
    options = {} if method == "fixed" else {"interval": "wald"}
    precision = 1e-5 if method == "reml" else 1e-9
    found = bi.compare_meta(
        bi.read_effects(pairs, measures="accuracy:higher"), method=method, **options
    )
    names, contrasts = pd.Index(sorted(found.algorithms)), found.contrasts(all=True)
    at = names.get_indexer(contrasts["first"]), names.get_indexer(contrasts["second"])
    for name, column in (("estimates", "estimate"), ("errors", "std_error")):
        theirs = np.array(known[name])[at]
        np.testing.assert_allclose(contrasts[column], theirs, rtol=precision, atol=precision)
    scores = found.summary().set_index("algorithm").loc[names, "p_score"]
    np.testing.assert_allclose(scores, known["p_scores"], rtol=precision)
    spread = found.heterogeneity().iloc[0]
    assert spread["tau2"] == pytest.approx(known["tau2"], rel=10 * precision)
    if method == "fixed":
        whole = spread[["q", "df", "p_value"]]
        assert whole.tolist() == pytest.approx([known["q"], known["df"], known["p_value"]])
        parts = found.consistency().set_index("term")[["statistic", "df", "p_value"]]
        assert parts.loc["within designs"].tolist() == pytest.approx(known["within"])
        assert parts.loc["between designs"].tolist() == pytest.approx(known["between"])


def test_differences_that_contradict_each_other_are_a_finding():
    wrong = [("s1", "a", "b", 1, 1), ("s1", "b", "c", 1, 1), ("s1", "a", "c", 5, 1)]
    rounded = [("s2", "a", "b", 1.01, 1), ("s2", "b", "c", 1.02, 1), ("s2", "a", "c", 2.04, 1)]
    found = effects(wrong + rounded).findings().set_index("rule").loc["contradiction"]
    assert (found["severity"], found["count"]) == ("warning", 1)
    assert "a - b 1, b - c 1, a - c 5" in found["where"]
    assert "contradiction" not in set(effects(rounded).findings()["rule"])


@pytest.mark.parametrize("sides", [1, 2])
def test_step_down_tests_are_the_closed_test_of_the_largest_statistic(sides):
    rng = np.random.default_rng(sides)
    matrix = np.column_stack([-np.ones(4), np.eye(4)])
    root = rng.normal(size=(5, 8))
    cov = root @ root.T / 8
    t = matrix @ rng.normal(0.8, 1.5, 5) / np.sqrt((matrix @ cov @ matrix.T).diagonal())
    size = np.abs(t) if sides == 2 else t

    def survival(members, hypothesis):
        family = max_t.max_t(matrix[list(members)], cov, 12.0, sides=sides)
        return float(max_t.survival(family, size[[hypothesis]])[0][0])

    closed = np.zeros(4)
    for n in range(1, 5):
        for members in combinations(range(4), n):
            p = survival(members, max(members, key=lambda i: size[i]))
            closed[list(members)] = np.maximum(closed[list(members)], p)
    np.testing.assert_allclose(closed_testing.step_down_largest(size, survival), closed, rtol=1e-3)


def test_step_down_goes_with_one_error_for_all_pairs():
    table = bi.load_example("simulated/balanced")
    options = {"contrasts": "dunnett", "interval": "hartung-knapp"}
    control = table.algorithms[0]
    found, single = (
        bi.compare_meta(table, control=control, adjust=adjust, **options).contrasts(all=True)
        for adjust in ("step-down", "single-step")
    )
    assert (found["p_value"] <= single["p_value"] + 1e-9).all()
    assert (found["p_value"] < single["p_value"] - 1e-9).any()
    with pytest.raises(ArgumentError, match="one variance common to all pairs"):
        bi.compare_meta(table, control=control, contrasts="dunnett", adjust="step-down")


def network(d, k, errors, rng, *, whole=True):
    """Return blocks of d data sets, of all algorithms or of two to all, with these errors."""
    blocks = []
    for sd in errors(d):
        arms = rng.permutation(k)[: k if whole else rng.integers(2, k + 1)]
        level = rng.normal(0, 1, len(arms))
        cov = sd**2 / 2 * (1 + np.eye(len(arms) - 1))
        blocks.append(Block(arms, level[1:] - level[0], cov))
    return blocks


@pytest.mark.parametrize("seed", range(20))
def test_the_rule_of_networks_is_that_of_pairs_where_all_are_equally_exact(seed):
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(2, 15)), int(rng.integers(2, 6))
    spread = float(rng.uniform(0, 3))
    blocks = network(d, k, lambda n: np.exp(rng.normal(0, spread, n)), rng)
    rows = rows_of(blocks, k)
    v = np.array([block.cov[0, 0] for block in blocks])
    assert effective_share(rows.part(), rows.dataset) == pytest.approx(
        effective_number(v) / max(d / 2, 5), rel=1e-6
    )


@pytest.mark.parametrize("seed", range(20))
def test_equal_weights_of_a_whole_network_are_those_of_its_pairs(seed):
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(3, 12)), int(rng.integers(2, 6))
    # Either the spread or the sampling errors are the larger part of all variances.
    size = (1e-3, 1e3)[seed % 2]
    rows = rows_of(network(d, k, lambda n: size * rng.uniform(0.1, 1, n), rng), k)
    part = rows.part()
    found = pool_network_equally(part, rows.dataset, 0.0)
    levels, cov = np.r_[0.0, found.beta], np.pad(found.cov, ((1, 0), (1, 0)))
    turn = np.linalg.pinv(rows.x)
    for i, j in combinations(range(k), 2):
        values, variances = [], []
        for n in range(d):
            own = rows.dataset == n
            turn = np.linalg.pinv(rows.x[own])
            c = turn[i] - turn[j]
            values.append(c @ rows.y[own])
            variances.append(c**2 @ rows.v[own])
        alone = NetworkPart(np.array(values), np.ones((d, 1)), np.array(variances))
        pair = pool_equally(alone, 0.0)
        assert levels[i] - levels[j] == pytest.approx(pair.beta[0])
        assert cov[i, i] + cov[j, j] - 2 * cov[i, j] == pytest.approx(pair.cov[0, 0])
    assert found.df == pytest.approx(d - 1)


@pytest.mark.parametrize("seed", range(20))
def test_equal_weights_of_a_network_depend_on_no_order_and_have_a_floor(seed):
    rng = np.random.default_rng(seed)
    k, sd = 4, np.exp(rng.normal(0, 1.5, 9))
    blocks = network(9, k, lambda _: sd, rng, whole=False)
    blocks[:2] = network(2, k, lambda _: sd[:2], rng)  # so that none alone determines a level
    order = rng.permutation(k)
    turned = [Block(order[block.arms], block.y, block.cov) for block in blocks]
    contrasts, (i, j) = all_pairs(k)[1], np.triu_indices(k, 1)
    results = []
    for each in (blocks, turned):
        rows = rows_of(each, k)
        part = rows.part()
        flat = equally_exact(part)
        found = pool_network_equally(part, rows.dataset, 0.0)
        variances = contrast_variances(contrasts[:, 1:], found.cov)
        half = np.linalg.pinv(part.x)
        sampling = contrast_variances(contrasts[:, 1:], (half * part.v) @ half.T)
        spread = clusters(flat, rows.dataset, found.beta, 0.0).errors(np.eye(k - 1)).cov
        robust = contrast_variances(contrasts[:, 1:], spread)
        assert (variances >= np.maximum(sampling, robust) * (1 - 1e-9)).all()
        information = part.x.T @ part.x
        most = (half * part.v) @ half.T + spread
        assert np.trace(information @ found.cov) <= np.trace(information @ most) * (1 + 1e-9)
        square = np.zeros((k, k))
        square[i, j] = square[j, i] = variances
        results.append(square)
    np.testing.assert_allclose(results[1][np.ix_(order, order)], results[0], rtol=1e-8)


def test_networks_of_few_or_uneven_data_sets_have_equal_weights():
    rows = [
        (f"s{d}", first, second, y, error)
        for d, error in enumerate([0.1, 1.0, 1.0])
        for first, second, y in [
            ("a", "b", 0.1 * d),
            ("a", "c", 0.3 - d),
            ("b", "c", 0.3 - 1.1 * d),
        ]
    ]
    found = bi.compare_meta(effects(rows))
    assert found.interval == "equal-weights"
    assert "equal weights" in found.method
    assert PRECISION not in failing(found)
    pairs = bi.compare_meta(effects(rows), pooling="pairwise").contrasts(all=True)
    joint = found.contrasts(all=True)
    assert joint["estimate"].tolist() == pytest.approx(pairs["estimate"].tolist())
    assert (joint["std_error"] >= pairs["std_error"] - 1e-9).all()
    for interval in ("robust", "hartung-knapp"):
        assert PRECISION in failing(bi.compare_meta(effects(rows), interval=interval))


def test_equal_weights_need_independent_data_sets_of_which_none_alone_determines_a_difference():
    table = bi.load_example("simulated/balanced")
    assert bi.compare_meta(table, interval="equal-weights").interval == "equal-weights"
    single = [("s1", "a", "b", 1, 1), ("s2", "a", "b", 2, 0.1), ("s3", "b", "c", 3, 1)]
    with pytest.raises(DesignError, match="without s3, some differences are not known"):
        bi.compare_meta(effects(single), interval="equal-weights")
    assert PRECISION in failing(bi.compare_meta(effects(single)))
    found = bi.compare_meta(table, interval="equal-weights", pooling="pairwise")
    assert found.alone.equal.all()


def test_the_floor_is_what_sampling_errors_make_of_the_mean():
    part = NetworkPart(np.array([1.0, 1.0, 1.0]), -np.ones((3, 1)), np.array([1.0, 2.0, 6.0]))
    found = pool_equally(part, 0.0)
    assert (found.beta[0], found.cov[0, 0]) == (-1.0, pytest.approx(1.0))
