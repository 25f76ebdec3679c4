"""Settings of the whole test suite, and results to draw and to report."""

import gc
from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from html.parser import HTMLParser
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings

import benchinfer as bi
from benchinfer import reports
from benchinfer.relations.consensus.consensus import consensus
from tests import running as tables

# Single examples may wait for a first import; a deadline would make them flaky. Each run draws
# other examples, so half of the usual number finds what there is within a few runs.
settings.register_profile("benchinfer", deadline=None, max_examples=50)
settings.register_profile("quick", deadline=None, max_examples=25)
settings.load_profile("benchinfer")

DATASET = "</table><img src=x onerror=alert(1)>"
MEASURE = "{{ 7 * 7 }} <i>m</i> 'q'"
NASTY = '<script>alert(1)</script> & "x" - y'
SCRIPT = (Path(reports.__file__).parent / "templates" / "script.js").read_text("utf-8")


CASES = 2  # of a test with parameters, in a run of the whole suite
RUN_BY_NAME = {"browser", "calibration", "engines", "latex"}


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="slow tests, and all cases of each test")


def _is_quick(config):
    """Return whether the whole suite runs; not with ``--all``, as on the build server."""
    places = [Path(place).name for place in config.args]
    selected = config.option.keyword or places != config.getini("testpaths")
    return not (selected or config.option.all)


def pytest_configure(config):
    if _is_quick(config):  # before the tests are imported, which binds them to a profile
        settings.load_profile("quick")


def pytest_collection_modifyitems(config, items):
    """Draw a few cases of each test, and leave out slow tests, where the whole suite runs.

    Other runs draw other cases, by the seed of pytest-randomly. All run with ``--all``, as on the
    build server, and where a file, a folder or a word (``-k``) is given.
    """
    if not _is_quick(config):
        return
    seed = getattr(config.option, "randomly_seed", 0)
    left = set()
    by_test = sorted(items, key=lambda item: item.nodeid)
    for test, cases in groupby(by_test, key=lambda item: item.nodeid.partition("[")[0]):
        quick = [case for case in cases if not any(case.iter_markers("slow"))]
        drawn = np.random.default_rng([seed, *test.encode()]).permutation(len(quick))[:CASES]
        left.update(quick[i] for i in drawn)
    named = [
        item for item in items if any(mark.name in RUN_BY_NAME for mark in item.iter_markers())
    ]
    left.update(named)
    config.hook.pytest_deselected(items=[item for item in items if item not in left])
    items[:] = [item for item in items if item in left]


def pytest_sessionstart():
    """Remove compiled code older than the newest module of its folder.

    Numba compares it with the file of the function that is called, not with those of its parts.
    """
    for cache in Path(bi.__file__).parent.rglob("__pycache__/*.nbi"):
        newest = max(path.stat().st_mtime for path in cache.parents[1].glob("*.py"))
        with suppress(FileNotFoundError):  # the other workers look, too
            if cache.stat().st_mtime < newest:
                cache.unlink()


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop():
    """Let the collector of garbage pass over what stays: the modules, and all tests."""
    gc.collect()
    gc.freeze()
    try:
        return (yield)
    finally:
        gc.unfreeze()


_HEADS = {("h2",), ("h3",), ("h4",)}


class Page(HTMLParser):
    """Collect what a browser would see."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words, self.stack, self.open = [], [], [], [], []
        self.script = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in {"meta", "img", "source", "link", "br"}:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        if not {"style", "script"} & {*self.stack}:
            self.words.append((tuple(self.stack), data.strip()))
        elif "script" in self.stack:
            self.script += data

    def runs_names(self):
        """Return whether names made a script, a tag or a handler of events."""
        digest = b64encode(sha256(self.script.encode()).digest()).decode()
        policy = [v for tag, name, v in self.attributes if (tag, name) == ("meta", "content")]
        own = self.tags.count("script") == 1 and self.script == SCRIPT
        allowed = any(v.endswith(f"; script-src 'sha256-{digest}'") for v in policy)
        handlers = [name for _, name, _ in self.attributes if name.startswith("on")]
        return not (own and allowed) or bool(handlers or {"i", "u", "s", "img"} & {*self.tags})

    @property
    def text(self):
        return " ".join(word for _, word in self.words if word)

    def cells(self):
        return [word for stack, word in self.words if "td" in stack and word]

    def headings(self):
        return [word for stack, word in self.words if word and stack[-1:] in _HEADS]


@pytest.fixture(scope="session")
def table():
    """Four algorithms, higher is better, nothing missing."""
    return bi.load_example("simulated/balanced")


@pytest.fixture(scope="session")
def mixed(table):
    return bi.compare_mixed(table)


@pytest.fixture(scope="session")
def permuted(table):
    return bi.compare_permutation(table, seed=1)


@pytest.fixture(scope="session")
def points(table):
    return bi.compare_points(table)


@pytest.fixture(scope="session")
def local(table):
    return bi.per_dataset(bi.compare_mixed, table)


@pytest.fixture(scope="session")
def seconds():
    """Ratios, lower is better."""
    return bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "seconds")


def nasty_scores():
    """Names that matplotlib and HTML would like to read as something else, and a missing cell."""
    algorithms = [NASTY, "$x^2$ _a_ \\$", "line\nbreak", "n" * 80 + "1", "n" * 80 + "2", "文字"]
    rng = np.random.default_rng(1)
    rows = [
        (d, a, r, 0.3 + 0.05 * i + 0.01 * (i * len(d) % 4) + 0.01 * rng.normal())
        for d in ("<b>d</b>", "$d$", "d" * 70)
        for i, a in enumerate(algorithms)
        for r in range(4)
        if (d, i) != ("$d$", 5)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "value"])
    measure = bi.Measure("value", "lower", 0.01, label="<u>m</u> $m$", unit="<s>")
    return bi.read_scores(frame, measures=measure)


@pytest.fixture(scope="session")
def nasty():
    return bi.compare_mixed(nasty_scores())


@pytest.fixture(scope="session")
def nasty_resampled():
    return bi.compare_bootstrap(
        nasty_scores().complete("value"), adjust="none", seed=1, resamples=500
    )


@pytest.fixture(scope="session")
def sampled(table):
    return bi.compare_bayes(table, draws=100, chains=4, seed=1)


@pytest.fixture(scope="session")
def nasty_sampled():
    return bi.compare_bayes(nasty_scores(), draws=100, chains=4, seed=1)


@pytest.fixture(scope="session")
def resampled(table):
    return bi.compare_bootstrap(table, seed=1, resamples=4000)


@pytest.fixture(scope="session")
def resampled_seconds():
    """Lower is better, on a logarithmic scale."""
    return bi.compare_bootstrap(
        bi.load_example("sklearn_bootstrap"), "seconds", resample="datasets", seed=1, resamples=500
    )


@pytest.fixture(scope="session")
def nasty_ensemble():
    names = ("<s> a", "$x^2$ _b_", "n" * 60, "d")
    texts = {"<s>d1</s>": "0 > 1 ~ 2 > 3", "$d_2$": "1 > 0 > 3 ? 2", "d" * 70: "0 ? 1 ? 2 ? 3"}
    parts = {key: bi.Relation.from_text(text) for key, text in texts.items()}
    order = {key: [int(n) for n in part.algorithms] for key, part in parts.items()}
    return bi.Ensemble(
        {
            key: bi.Relation(tuple(names[n] for n in order[key]), p.states)
            for key, p in parts.items()
        }
    )


@pytest.fixture(scope="session")
def nasty_order(nasty_ensemble):
    return consensus(nasty_ensemble)


@pytest.fixture(scope="session")
def nasty_table():
    """Names that HTML would like to read as markup."""
    rng = np.random.default_rng(1)
    rows = [
        (d, a, r, 0.3 + 0.05 * i + 0.01 * rng.normal())
        for d in (DATASET, "d & d", "plain")
        for i, a in enumerate([NASTY, "b", "c"])
        for r in range(4)
        if (d, a) != ("plain", "c")
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "value"])
    measure = bi.Measure(MEASURE, "lower", 0.01, label=f"<u>{MEASURE}</u>", unit="<s>")
    return bi.read_scores(frame.assign(measure=MEASURE), measures=measure)


@pytest.fixture
def written(tmp_path):
    def write(results, **options):
        return Page(bi.report(results, tmp_path / "report.html", **options).read_text("utf-8"))

    return write


@pytest.fixture(scope="session")
def running():
    """Draw a table of an experiment with shared replications."""
    return tables.running
