"""Citations of methods."""

import benchinfer as bi
from benchinfer.core.citations import dois
from benchinfer.core.provenance import AnalysisOptions


def _kinds(of: type[AnalysisOptions]) -> list[type[AnalysisOptions]]:
    return [of, *(kind for below in of.__subclasses__() for kind in _kinds(below))]


def test_options_cite_the_works_that_the_function_cites():
    """Results cite their options, as the function that makes them is no part of them."""
    functions = {name: getattr(bi, name) for name in bi.__all__}  # imports all options
    cited = {
        kind.analysis: (dois([kind]), dois([functions[kind.analysis]]))
        for kind in _kinds(AnalysisOptions)
        if hasattr(kind, "analysis") and dois([kind])
    }
    assert {name for name, (ours, theirs) in cited.items() if ours != theirs} == set()
    assert cited["compare_mixed"] == (["10.17713/ajs.v41i1.185"],) * 2
    assert {"compare_bayes", "compare_wins", "monitor", "archetypes"} <= set(cited)
