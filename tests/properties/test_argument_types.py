"""Arguments of a wrong type are refused by name, with what is allowed."""

import ast
import inspect
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ForwardRef, Literal, get_args

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import benchinfer as bi
from benchinfer.core.arguments import fits, in_words, kinds_of, members
from tests.properties.odd_arguments import cases, check
from tests.test_arguments import functions
from tests.trees import FILES, nodes


class Other:
    """What no function expects."""


READ = "read a table first: bi.read_scores(table, measures=...)"
WRONG = (Other(), 3j, {1: Other()}, [Other()], b"x", 3, 0.5, "\0", True)
# Formatting that our own code calls for each number, and a method of pandas.
PLAIN = {f"Measure.{name}" for name in ("in_unit", "on_scale", "sizes")} | {
    "typing.PaperTable.fill"
}
_BY_CODE = {inspect.unwrap(f): (name, f) for name, f in reversed([*functions()])}
PUBLIC = {
    **{name: f for name, f in _BY_CODE.values() if name not in {*PLAIN, "load"}},
    **{
        f"Relation.{name}": getattr(bi.Relation, name)
        for name in ("from_codes", "from_incidence", "from_pairs", "from_scores", "from_text")
    },
}
RECORDS: list[tuple[type, dict[str, Any]]] = [
    (bi.Measure, {"name": "error", "better": "lower"}),
    (bi.Resampling, {"kind": "bootstrap"}),
    (bi.Components, {"dataset_algorithm": 1.0, "residual": 1.0}),
    (bi.priors.Priors, {}),
    (bi.priors.WinPriors, {}),
    (bi.priors.PseudoObservation, {}),
]


def references(kind: Any) -> Iterator[str]:
    """Yield the classes that a type names without an import."""
    for part in members(kind):
        if isinstance(part, ForwardRef):
            yield part.__forward_arg__
        for inner in get_args(part):
            yield from () if isinstance(inner, str | int) else references(inner)


def refused(call: Callable[..., Any], name: str, value: object, **others: Any) -> None:
    """Hold that a call is refused with the name of the argument and what is allowed."""
    with pytest.raises(bi.BenchinferError) as error:
        call(**others, **{name: value})
    what, hint = str(error.value).split("\n")
    assert re.match(rf"(unknown {name} .+|{name} is .+)\.$", what), what
    assert re.match(r"Hint: .+[^.]\.$", hint), hint
    assert len(what) < 120


@pytest.mark.parametrize("name", PUBLIC)
def test_each_argument_of_each_public_function(name: str) -> None:
    """Before anything else is looked at: no other argument is needed."""
    function = PUBLIC[name]
    kinds = kinds_of(inspect.unwrap(function))
    for each, parameter in inspect.signature(function).parameters.items():
        if each in ("self", "cls") or set(members(kinds[each])) & {Any, object}:
            continue
        wrong = [value for value in WRONG if not fits(value, kinds[each])]
        assert wrong[:2] == [*WRONG[:2]]
        for value in wrong if parameter.kind != parameter.VAR_KEYWORD else ():
            refused(function, each, value)
        default = parameter.default
        assert default is parameter.empty or fits(default, kinds[each])


@pytest.mark.parametrize(
    ("record", "valid"), RECORDS, ids=lambda value: getattr(value, "__name__", "")
)
def test_each_field_of_records_that_users_make(record: type, valid: dict[str, Any]) -> None:
    for name, kind in kinds_of(record).items():
        for value in WRONG:
            if not fits(value, kind):
                others = {each: given for each, given in valid.items() if each != name}
                with pytest.raises(
                    bi.BenchinferError,
                    match=rf"{name} is |unknown {name} |(better|resampling) is|unknown resampling ",
                ):
                    record(**others, **{name: value})


def test_references_by_name_are_classes() -> None:
    """An alias would be no class of any value."""
    of_names = {
        reference
        for function in PUBLIC.values()
        for kind in kinds_of(inspect.unwrap(function)).values()
        for reference in references(kind)
    }
    ours = {n.name for path in FILES for n in nodes(path) if isinstance(n, ast.ClassDef)}
    assert of_names <= {*ours, "Axes"}
    assert "ScoreTable" in of_names


@pytest.mark.parametrize(
    ("value", "kind", "fitting"),
    [
        (np.int32(3), int, True),
        (np.float32(3), int, False),
        (np.float32(3), float, True),
        (np.bool_(1), bool, True),
        (np.bool_(1), float, False),
        (1, bool, False),
        (10**400, float, False),
        (True, Literal[1, 2], False),
        (False, str | Literal[False] | None, True),
        (np.array(["a"]), Sequence[str], True),
        (pd.Index(["a"]), Sequence[str], True),
        (pd.Series({"a": 1.0}), Mapping[str, float], True),
        ({"a": "b"}, Mapping[str, float], False),
        (["a", "b"], tuple[str, str], True),
        (["a", "b", "c"], tuple[str, str], False),
        ("ab", tuple[str, str], False),
        ("ab", Sequence[str], True),
        ("ab", Sequence[float], False),
        (pd.Series([1.0]), NDArray[np.float64], True),
        (0.5, NDArray[np.float64], False),
        (Path("x"), str | Path, True),
        (print, Callable[..., Any], True),
    ],
)
def test_values_of_other_libraries(value: object, kind: Any, *, fitting: bool) -> None:
    assert fits(value, kind) is fitting


def test_types_in_words() -> None:
    kind = Sequence[str] | Mapping[str, float | None] | NDArray[np.float64] | bool | Literal["a"]
    assert in_words(kind) == (
        "'a', a list of texts, a mapping of texts to numbers or None, an array, True or False"
    )
    assert in_words(bi.ScoreTable | None) == "a ScoreTable or None"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: bi.read_scores([], columns=["t"]),
            "columns is ['t'].\nHint: a mapping of texts to texts or None.",
        ),
        (
            lambda: bi.compare_permutation(None, progress=3),  # type: ignore[arg-type]
            f"scores is None.\nHint: a ScoreTable or a SufficientStatistics; {READ}.",
        ),
        (
            lambda: bi.compare_points(pd.DataFrame({"a": [1]})),  # type: ignore[arg-type]
            f"scores is a DataFrame.\nHint: a ScoreTable or a SufficientStatistics; {READ}.",
        ),
        (
            lambda: bi.read_scores([], repeats="twice"),  # type: ignore[arg-type]
            "unknown repeats 'twice'.\nHint: one of 'error', 'keep', 'mean', 'pass^3', 'pass@3'.",
        ),
    ],
)
def test_sentences(call: Callable[[], object], text: str) -> None:
    with pytest.raises(bi.BenchinferError) as error:
        call()
    assert str(error.value) == text


@pytest.mark.slow
def test_odd_values_are_refused_or_used(tmp_path: Path) -> None:
    """A few of those of the calibration, of functions that take a moment."""
    quick = ("Ensemble.", "Relation.", "ScoreTable.", "compare_points", "plan", "typing.Plan.")
    chosen = [case for case in cases() if case[0].startswith(quick)]
    assert len(chosen) > 300
    draw = random.Random(53)  # noqa: S311 - arguments, no secrets
    assert check(tmp_path, draw.sample(chosen, 60)) == []
