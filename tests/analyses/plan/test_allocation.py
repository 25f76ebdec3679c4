"""More items or more answers: closed forms, brute force and simulation."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.plan.numerics.allocation import LEAST, cheapest, error_variance, limits
from benchinfer.core.errors import DesignError

LEVELS = ("passage", "question", "epoch")


def table(rng, counts=(12, 4, 3), sd=(1.0, 0.7, 1.5), datasets=1, algorithms=2, sizes=None):
    """Return scores whose differences vary by passage, question and answer."""
    rows = []
    for d in range(datasets):
        for c in range(counts[0]):
            passage = sd[0] * rng.normal(size=algorithms) + 3 * rng.normal()
            for q in range(counts[1] if sizes is None else sizes[c]):
                item = passage + sd[1] * rng.normal(size=algorithms) + 2 * rng.normal()
                rows += [
                    (f"d{d}", c, q, a, f"m{k}", item[k] + sd[2] * rng.normal())
                    for a in range(counts[2])
                    for k in range(algorithms)
                ]
    return pd.DataFrame(rows, columns=["dataset", *LEVELS, "model", "score"])


def read(frame, **arguments):
    declaration = bi.Declaration("score:higher", **{"units": LEVELS} | arguments)
    return bi.read_scores(frame, measures=declaration)


def pilots(seed, n):
    """Yield what n pilots of one data set each say."""
    scores = read(table(np.random.default_rng(seed), datasets=n))
    for name in scores.datasets:
        yield bi.allocate(scores.subset(datasets=[name]))


def test_of_units_of_one_size_the_error_is_that_of_the_paired_t_test():
    scores = read(table(np.random.default_rng(1)))
    result = bi.allocate(scores)
    assert (result.design.components > 0).all()
    expected = bi.compare_pair(scores).evidence.std_error[0]
    assert result.std_error == pytest.approx(expected, rel=1e-10)
    assert result.std_error_of(12, 4, 3) == pytest.approx(expected, rel=1e-10)
    assert result.doubled(0) == pytest.approx(expected / math.sqrt(2))
    assert result.pilot_counts == (12, 4, 3)


def test_the_average_pair_and_data_sets():
    scores = read(table(np.random.default_rng(2), datasets=3, algorithms=3))
    result = bi.allocate(scores)
    squares = []
    for d, pair in itertools.product(
        scores.datasets, itertools.combinations(("m0", "m1", "m2"), 2)
    ):
        one = scores.subset(datasets=[d], algorithms=list(pair))
        squares.append(bi.compare_pair(one).evidence.std_error[0] ** 2)
    assert (result.design.components > 0).all()
    assert result.std_error**2 == pytest.approx(np.mean(squares) / 3, rel=1e-9)


def test_components_are_those_of_the_differences_themselves():
    """Sums of products of two algorithms against the sums of squares of their difference."""
    frame = table(np.random.default_rng(3), sizes=[1, 5, 2, 7, 3, 3, 1, 4, 6, 2, 2, 5])
    items = frame.groupby(["passage", "question", "model"], as_index=False)["score"].mean()
    wide = items.pivot_table("score", ["passage", "question"], "model").reset_index()
    alone = wide.assign(score=wide["m0"] - wide["m1"], model="m")[[*LEVELS[:2], "model", "score"]]
    expected = read(alone, units=LEVELS[:2]).units
    design = bi.allocate(read(items, units=LEVELS[:2])).design
    assert design.squares == pytest.approx(expected.squares[0, 0, 0], rel=1e-9)
    assert design.coefficients == pytest.approx(expected.coefficients[0, 0, 0], rel=1e-9)
    with_answers = bi.allocate(read(frame)).design
    answers = frame.groupby([*LEVELS[:2], "model"])["score"].var().groupby("model").mean().sum()
    assert with_answers.components[2] == pytest.approx(answers)
    assert with_answers.components[:2] == pytest.approx(
        design.components - np.array([0, answers / 3]), rel=1e-9
    )


@pytest.mark.parametrize("weights", ["items", "units"])
def test_unequal_passages_have_the_weights_of_the_estimate(weights):
    sizes = np.array([1, 5, 2, 7, 3, 3, 1, 4, 6, 2, 2, 5])
    scores = read(table(np.random.default_rng(4), sizes=sizes), unit_weights=weights)
    result = bi.allocate(scores)
    top = sizes / sizes.sum() if weights == "items" else np.full(12, 1 / 12)
    shares = [(top**2).sum(), (top**2 / sizes).sum(), (top**2 / sizes).sum() / 3]
    assert result.design.shares == pytest.approx(shares)
    expected = math.sqrt(result.design.components @ shares)
    assert result.std_error == pytest.approx(expected)


def test_items_that_an_algorithm_lacks_do_not_count():
    frame = table(np.random.default_rng(5))
    gone = (frame["question"] == 0) & (frame["passage"] < 4)
    some = bi.allocate(read(frame[~(gone & (frame["model"] == "m1"))]))
    none = bi.allocate(read(frame[~gone]))
    for name in ("coefficients", "shares"):
        one, two = getattr(some.design, name)[:2], getattr(none.design, name)[:2]
        assert one == pytest.approx(two, rel=1e-2)
    assert some.design.squares[:2] == pytest.approx(none.design.squares[:2], rel=1e-9)


@pytest.mark.slow
def test_planned_errors_are_those_of_experiments():
    """The mean variance that pilots plan for another design is that of simulated experiments."""
    planned = [pilot.std_error_of(20, 2, 1) ** 2 for pilot in pilots(6, 60)]
    rng = np.random.default_rng(7)
    d = rng.normal(size=(20000, 20)) * math.sqrt(2 * (1 + (0.7**2 + 1.5**2) / 2))
    truth = d.mean(axis=1).var()
    assert np.mean(planned) == pytest.approx(truth, abs=3.5 * np.std(planned) / math.sqrt(60))
    assert truth == pytest.approx(
        error_variance(2 * np.array([1, 0.49, 2.25]), (20, 2, 1)), rel=0.05
    )


@pytest.mark.slow
def test_intervals_of_the_error_cover():
    """95 % of 150 pilots: at least 0.90, in 4 of 10,000 cases less."""
    truth = math.sqrt(error_variance(2 * np.array([1, 0.49, 2.25]), (12, 4, 3)))
    intervals = [pilot.interval for pilot in pilots(8, 150)]
    inside = sum(low <= truth <= high for low, high in intervals)
    assert inside >= 132


def test_limits_of_one_mean_square_are_chi_squared():
    low, high = limits(np.array([2.0]), np.array([10.0]), 0.95)
    assert low == pytest.approx(20 / 20.483177)
    assert high == pytest.approx(20 / 3.2469728)


@pytest.mark.parametrize("fixed", [(None, None, None), (None, 3, None), (25, None, None)])
@pytest.mark.parametrize("costs", [(10, 1, 0.1), (0, 2, 1), (3, 0.5, 2)])
def test_the_cheapest_design_against_all_designs(costs, fixed):
    components, wanted = np.array([0.5, 1.0, 3.0]), 0.04
    c, n, a = np.meshgrid(np.arange(LEAST, 130), np.arange(1, 40), np.arange(1, 40))
    variance = components[0] / c + components[1] / (c * n) + components[2] / (c * n * a)
    possible = variance <= wanted * (1 + 1e-12)
    for number, counts in zip(fixed, (c, n, a), strict=True):
        possible &= number is None or counts == number
    best = (c * (costs[0] + n * (costs[1] + a * costs[2])))[possible].min()
    found = cheapest(components, costs, wanted, fixed)
    assert error_variance(components, found) <= wanted * (1 + 1e-9)
    c, n, a = found
    assert c * (costs[0] + n * (costs[1] + a * costs[2])) == pytest.approx(best)


def test_numbers_that_a_wanted_error_needs():
    result = bi.allocate(read(table(np.random.default_rng(1))), std_error=0.3)
    shown = result.summary().set_index("unit")
    number = int(shown.loc["passage", "n_needed"])
    assert result.std_error_of(number, 4, 3) <= 0.3 < result.std_error_of(number - 1, 4, 3)
    assert math.isinf(shown.loc["epoch", "n_needed"])
    assert shown.loc["question", "std_error_least"] == pytest.approx(
        result.std_error_of(12, math.inf, 1)
    )
    assert shown["share"].sum() == pytest.approx(1)
    assert "no number of questions or epochs is enough" in str(result)
    large = bi.allocate(read(table(np.random.default_rng(1))), std_error=9)
    assert "takes 1 passage, 1 question per passage or 1 epoch per question," in str(large)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"costs": (1, 1, 1)}, "goes with an error"),
        ({"std_error": -1}, "std_error is -1"),
        ({"std_error": 0.1, "costs": (1, 1)}, "one number for each of passage, question and epoch"),
        ({"std_error": 0.1, "fixed": {"epoch": 2}}, "goes with costs"),
        ({"std_error": 0.1, "costs": (1, 1, 1), "fixed": {"x": 2}}, "no level of units"),
        ({"std_error": 0.1, "costs": (1, 1, 1), "fixed": {"epoch": 1.5}}, "fixed is "),
        ({"std_error": 0.1, "costs": (1, 1, 1), "fixed": {"epoch": math.inf}}, "fixed is "),
        (
            {"std_error": 0.01, "costs": (1, 1, 1), "fixed": {"passage": 12}},
            "no number of questions and epochs has a standard error of 0.01 with 12 passages",
        ),
        (
            {"std_error": 1, "costs": (1, 1, 1), "fixed": dict.fromkeys(LEVELS, 4)},
            "nothing to choose",
        ),
    ],
)
def test_requests_without_sense_are_refused(arguments, message):
    scores = read(table(np.random.default_rng(1)))
    with pytest.raises(DesignError, match=message):
        bi.allocate(scores, **arguments)


def test_tables_that_cannot_tell_are_refused():
    frame = table(np.random.default_rng(1))
    with pytest.raises(DesignError, match="no question has several epochs"):
        bi.allocate(read(frame[frame["epoch"] == 0]))
    with pytest.raises(DesignError, match="no data set has several passages"):
        bi.allocate(read(frame[frame["passage"] == 0]))
    plain = frame[(frame["epoch"] == 0) & (frame["question"] == 0)].rename(
        columns={"passage": "replication"}
    )
    with pytest.raises(DesignError, match="not nested"):
        bi.allocate(bi.read_scores(plain[["dataset", "replication", "model", "score"]],
                                     measures="score:higher"))  # fmt: skip
    with pytest.raises(DesignError, match="pilot is a MixedComparison"):
        bi.allocate(bi.compare_mixed(read(frame)))
    with pytest.raises(DesignError, match="is normalised"):
        bi.allocate(read(table(np.random.default_rng(1), datasets=2)).normalise("z"))


def test_an_allocation_is_saved_and_reported(tmp_path):
    scores = read(table(np.random.default_rng(1)))
    result = bi.allocate(scores, std_error=0.3, costs=(5, 1, 0.2))
    assert str(bi.load(result.save(tmp_path / "a.json"))) == str(result)
    page = result.report(tmp_path / "a.html").read_text(encoding="utf-8")
    assert "More items or more answers" in page
    assert "What more of each level would do" in page


def test_a_plan_of_replications_says_what_they_hold():
    plan = bi.plan(read(table(np.random.default_rng(1))), 0.5)
    assert "outermost unit, which holds as much as in the pilot: 48 questions in 12" in str(plan)


def test_items_in_groups_that_are_not_declared_are_named():
    rng = np.random.default_rng(2)
    rows = pd.DataFrame(
        [(p, f"{p}-{i}", m, rng.random()) for p in range(6) for i in range(4) for m in "ab"],
        columns=["passage", "question", "model", "acc"],
    )
    options = {"measures": "acc:higher", "dataset": "quiz"}
    scores = bi.read_scores(rows, columns={"question": "replication"}, **options)
    with pytest.raises(bi.DesignError, match="passage puts 24 questions in 6 passages") as error:
        bi.allocate(scores)
    assert 'units=("passage", "question")' in str(error.value)
    text = str(bi.plan(scores, difference=0.1))
    assert "The column passage puts 24 questions in 6 passages" in text
    nested = bi.read_scores(rows, units=("passage", "question"), **options)
    assert "The column passage" not in str(bi.plan(nested, difference=0.1))


@pytest.mark.parametrize("seed", range(12))
def test_the_cheapest_design_of_any_components_costs_and_fixed_numbers(seed):
    rng = np.random.default_rng(seed)
    components = rng.exponential(1, 3) * (rng.random(3) > 0.2)
    costs = rng.exponential(1, 3) * [rng.random() > 0.2, rng.random() > 0.2, 1] + [0, 0, 0.05]
    fixed = [int(rng.integers(1, 9)) if rng.random() < 0.3 else None for _ in range(2)] + [None]
    wanted = float(rng.uniform(0.1, 1))
    axes = [
        np.array([n]) if n else np.arange(LEAST if i == 0 else 1, 100) for i, n in enumerate(fixed)
    ]
    totals = np.cumprod(np.array(np.meshgrid(*axes, indexing="ij"), float), axis=0)
    enough = np.einsum("i,i...", components, 1 / totals) <= wanted * (1 + 1e-12)
    price = np.einsum("i,i...", costs, totals)
    best = cheapest(components, costs.tolist(), wanted, fixed)
    if best is None:
        assert not enough.any()
        return
    mine = float(costs @ np.cumprod(best))
    assert error_variance(components, best) <= wanted * (1 + 1e-9)
    assert mine <= price[enough].min(initial=np.inf) * (1 + 1e-9)


def test_errors_near_what_fixed_numbers_leave_are_reached():
    components, floor = np.array([1.0, 4.0, 2.0]), 0.05
    near = cheapest(components, (9, 1, 0.1), floor * (1 + 1e-6), (20, None, None))
    assert error_variance(components, near) <= floor * (1 + 1e-6) * (1 + 1e-9)
    assert cheapest(components, (9, 1, 0.1), floor, (20, None, None)) is None
    items = cheapest(components[:2], (9, 1), floor * (1 + 1e-6), (20, None))
    assert items == (20, pytest.approx(4 / 20 / (floor * 1e-6), rel=1e-6))
