"""Scenarios of ASlib, in the form of coseal/aslib_data SAT11-HAND and BNSL-2016/description.txt."""

import gzip

import pytest

import benchinfer as bi

DESCRIPTION = """scenario_id: OURS
performance_measures:
    - runtime
maximize:
    - {maximise}
performance_type:
    - {kind}
algorithm_cutoff_time: {cutoff}
feature_steps:
    basic:
        provides:
            - size
"""
RUNS = """@RELATION ALGORITHM_RUNS_OURS

@ATTRIBUTE instance_id STRING
@ATTRIBUTE repetition NUMERIC
@ATTRIBUTE algorithm STRING
@ATTRIBUTE runtime NUMERIC
@ATTRIBUTE runstatus {ok, timeout, memout, not_applicable, crash, other}

@DATA
a.cnf,1,x,3.5,ok
a.cnf,1,y,100,timeout
b.cnf,1,x,20,memout
b.cnf,1,y,?,crash
"""


def write(folder, *, compressed=False, **said):
    said = {"maximise": "false", "kind": "runtime", "cutoff": 100} | said
    (folder / "description.txt").write_text(DESCRIPTION.format(**said))
    (folder / "feature_values.arff").write_text("@RELATION f\n@ATTRIBUTE size NUMERIC\n@DATA\n1\n")
    if compressed:
        (folder / "algorithm_runs.arff.gz").write_bytes(gzip.compress(RUNS.encode()))
    else:
        (folder / "algorithm_runs.arff").write_text(RUNS)


@pytest.mark.parametrize("compressed", [False, True])
def test_a_scenario_says_its_measure_and_limit(tmp_path, compressed):
    write(tmp_path, compressed=compressed)
    scores = bi.read_scores(tmp_path)
    assert (scores.measure().limit, scores.measure().better) == (100.0, "lower")
    runs = scores.runs().summary().set_index("algorithm")
    assert runs["stopped"].to_dict() == {"x": 1, "y": 2}
    assert runs["crashed"].to_dict() == {"x": 0, "y": 1}
    assert runs["restricted_mean"].to_dict() == {"x": 51.75, "y": 100.0}


def test_qualities_have_no_limit(tmp_path):
    write(tmp_path, maximise="true", kind="solution_quality", cutoff="?")
    scores = bi.read_scores(tmp_path)
    assert (scores.measure().limit, scores.measure().better) == (None, "higher")


def test_runs_alone_take_their_limit_from_the_caller(tmp_path):
    (tmp_path / "ours.arff").write_text(RUNS)
    scores = bi.read_scores(tmp_path / "ours.arff", measures="runtime:lower:limit=100")
    assert scores.runs().summary()["stopped"].sum() == 3


SEVERAL = """algorithm_cutoff_memory: '?'
algorithm_cutoff_time: {cutoff}
maximize:
- no
- yes
- false
number_of_feature_steps: 1
performance_measures:
- runtime # in seconds
- quality
- absent
performance_type: [runtime, solution_quality, runtime]
scenario_id: OURS
"""
ANYTIME = """@relation ALGORITHM_RUNS_OURS
@attribute instance_id string
@attribute repetition numeric
@attribute algorithm {x, y}
@attribute quality numeric
@attribute runtime numeric
@attribute runstatus {ok, other}
@data
'dir/a b.dzn',1,x,0.5,3.5,ok
'dir/a b.dzn',1,y,0,900,other
c,1,x,0.75,900.0,ok
c,1,y,0.25,60,"ok"
"""


@pytest.mark.parametrize(
    ("cutoff", "limit"), [("900", 900.0), ('"?"', None), ("?", None), ("0", None)]
)
def test_scenarios_of_several_measures(tmp_path, cutoff, limit):
    """The forms of COP-MZN-2013, GLUHACK-2018-ALGO (yes and no) and OPENML-WEKA-2017 (0)."""
    (tmp_path / "description.txt").write_text(SEVERAL.format(cutoff=cutoff))
    (tmp_path / "algorithm_runs.arff").write_text(ANYTIME)
    scores = bi.read_scores(tmp_path)
    said = {m.name: (m.better, m.limit) for m in scores.measures}
    assert said == {"runtime": ("lower", limit), "quality": ("higher", None)}
    assert scores.datasets == ("c", "dir/a b.dzn")
    rules = {f.rule: f for f in scores.finding_records}
    assert ("solved at the limit" in rules) == (limit is not None)
    if limit is not None:
        assert rules["solved at the limit"].count == 1
        runs = scores.runs("runtime").summary().set_index("algorithm")
        assert runs["crashed"].to_dict() == {"x": 0, "y": 1}


INLINE = """scenario_id: OURS
performance_measures: runtime
maximize: false
performance_type: runtime
algorithm_cutoff_time: 100
features_deterministic: stacks,tiers
feature_step orig: stacks,tiers
"""


def test_scenarios_written_in_lines(tmp_path):
    """The form of PREMARSHALLING-ASTAR-2013 and ASP-POTASSCO."""
    write(tmp_path)
    (tmp_path / "description.txt").write_text(INLINE)
    scores = bi.read_scores(tmp_path)
    assert (scores.measure().limit, scores.measure().better) == (100.0, "lower")
    assert scores.runs().summary()["stopped"].sum() == 3
