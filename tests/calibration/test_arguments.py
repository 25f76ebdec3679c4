"""Odd values of the arguments of all public functions: a result or a sentence, in a minute."""

import pytest

from tests.properties.odd_arguments import cases, check

pytestmark = pytest.mark.calibration

CASES = list(cases())


@pytest.mark.parametrize("name", sorted({case[0] for case in CASES}))
def test_odd_arguments(tmp_path, name):
    assert check(tmp_path, [case for case in CASES if case[0] == name]) == []
