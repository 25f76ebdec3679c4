"""What must hold for every comparison, on tables that Hypothesis draws."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import benchinfer as bi


def boot(scores):
    return bi.compare_bootstrap(scores, resample="datasets", resamples=200, seed=1)


COMPARE = [bi.compare_points, bi.compare_mixed, bi.compare_permutation, boot]


@st.composite
def tables(draw):
    """Complete tables of 3 to 6 data sets, 1 to 3 replications, 2 to 4 algorithms."""
    d, b, k = draw(st.integers(3, 6)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    value = (
        rng.normal(size=(d, 1, 1))
        + 0.5 * rng.normal(size=(d, 1, k))
        + 0.5 * rng.normal(size=(d, b, k))
        + draw(st.sampled_from([0.0, 0.5, 2.0])) * np.arange(k)
    )
    i, j, a = np.indices(value.shape).reshape(3, -1)
    return pd.DataFrame(
        {
            "dataset": [f"d{x}" for x in i],
            "replication": j,
            "algorithm": [f"a{x}" for x in a],
            "value": value.ravel(),
        }
    )


def read(rows, better="higher", tolerance=0.2):
    measure = bi.Measure("score", better, tolerance=tolerance)
    return bi.read_scores(rows, measures=measure, paired=True)


def close(a, b, factor=1.0):
    """Whether two tables of contrasts agree in verdicts, and in numbers up to a factor."""
    assert a["verdict"].tolist() == b["verdict"].tolist()
    np.testing.assert_allclose(a["estimate"] * factor, b["estimate"], rtol=1e-6, atol=1e-9)
    if "p_value" in a:
        # Variances are found to about 1e-9; far tails magnify that.
        np.testing.assert_allclose(a["p_value"], b["p_value"], rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("compare", COMPARE)
@settings(max_examples=8)
@given(rows=tables(), seed=st.integers(0, 1000))
def test_the_order_of_rows_changes_nothing(compare, rows, seed):
    shuffled = rows.sample(frac=1, random_state=seed)
    one, other = read(rows), read(shuffled)
    assert one.digest == other.digest
    close(compare(one).contrasts(all=True), compare(other).contrasts(all=True))


@pytest.mark.parametrize("compare", COMPARE)
@settings(max_examples=8)
@given(rows=tables())
def test_turning_sign_and_direction_turns_no_verdict(compare, rows):
    turned = rows.assign(value=-rows["value"])
    a, b = compare(read(rows)), compare(read(turned, better="lower"))
    close(a.contrasts(all=True), b.contrasts(all=True), factor=-1.0)
    assert a.relation() == b.relation()


@pytest.mark.parametrize("compare", COMPARE)
@settings(max_examples=8)
@given(rows=tables(), scale=st.sampled_from([1e-6, 100.0, 1e6]), shift=st.sampled_from([0, 5, -3]))
def test_a_change_of_units_scales_the_estimates(compare, rows, scale, shift):
    moved = rows.assign(value=(rows["value"] + shift) * scale)
    a, b = compare(read(rows)), compare(read(moved, tolerance=0.2 * scale))
    assert a.contrasts(all=True)["verdict"].tolist() == b.contrasts(all=True)["verdict"].tolist()
    np.testing.assert_allclose(
        a.contrasts(all=True)["estimate"] * scale,
        b.contrasts(all=True)["estimate"],
        rtol=1e-6,
        atol=1e-9 * scale,
    )


@pytest.mark.parametrize("compare", COMPARE)
@settings(max_examples=8)
@given(rows=tables())
def test_renaming_algorithms_renames_the_result(compare, rows):
    # Names that keep the sorted order, so that pairs keep their direction.
    names = {f"a{i}": name for i, name in enumerate(["a - b", "b <i>", "c, d", "é"])}
    renamed = rows.assign(algorithm=rows["algorithm"].map(names))
    a, b = compare(read(rows)).contrasts(all=True), compare(read(renamed)).contrasts(all=True)
    close(a, b)
    assert a["first"].map(names).tolist() == b["first"].tolist()
    assert a["winner"].map({**names, "": ""}).tolist() == b["winner"].tolist()


def shown(text):
    """The number that a text shows, and half a unit of its last digit."""
    digits, _, power = text.replace("\N{MINUS SIGN}", "-").replace(",", "").partition("e")
    scale = 10.0 ** int(power or 0)
    return float(digits) * scale, 0.5 * scale * 10.0 ** -len(digits.partition(".")[2])


@pytest.mark.slow
@pytest.mark.parametrize("compare", COMPARE)
@settings(max_examples=8)
@given(rows=tables(), scale=st.sampled_from([1e-6, 1.0, 1e6]))
def test_tables_for_papers_round_and_do_no_more(compare, rows, scale):
    found = compare(read(rows.assign(value=rows["value"] * scale), tolerance=0.2 * scale))
    level = found.summary().set_index("algorithm")["estimate"]
    pairs = found.contrasts(all=True).set_index(["first", "second"])
    best = found.ranking()[0]
    table = found.table("algorithms")
    names = list(table.data.columns)
    for row in table.texts()[1:]:
        name, told = row[0], dict(zip(names, row, strict=True))
        value, half = shown(told["estimate"])
        assert abs(value - level[name]) <= half * (1 + 1e-9)
        if name == best:
            continue
        turned = (name, best) not in pairs.index
        own = pairs.loc[(best, name) if turned else (name, best)]
        value, half = shown(told["difference"])
        assert abs(value - own["estimate"] * (-1) ** turned) <= half * (1 + 1e-9)
        if "difference_interval" in told:
            ends = sorted(own[["conf_low", "conf_high"]].astype(float) * (-1) ** turned)
            text = told["difference_interval"]
            if own["winner"] and ends[0] < 0 < ends[1]:
                assert text == "\N{EN DASH}"
                continue
            for written, end in zip(text.strip("[]()").split(", "), ends):  # noqa: B905
                if np.isfinite(end):
                    value, half = shown(written)
                    assert abs(value - end) <= half * (1 + 1e-9)
