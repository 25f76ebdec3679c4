"""Tables to report, with names that HTML would like to read as markup."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from tests import running as tables

NASTY = '<script>alert(1)</script> & "x" - y'
DATASET = "</table><img src=x onerror=alert(1)>"
MEASURE = "{{ 7 * 7 }} <i>m</i> 'q'"


class Page(HTMLParser):
    """Collect what a browser would see."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words, self.stack, self.open = [], [], [], [], []
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
        if "style" not in self.stack:
            self.words.append((tuple(self.stack), data.strip()))

    @property
    def text(self):
        return " ".join(word for _, word in self.words if word)

    def cells(self):
        return [word for stack, word in self.words if "td" in stack and word]

    def headings(self):
        return [word for stack, word in self.words if stack[-1:] in {("h2",), ("h3",)} and word]


@pytest.fixture(scope="session")
def nasty():
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


@pytest.fixture(scope="session")
def table():
    return bi.load_example("simulated/balanced")


@pytest.fixture
def written(tmp_path):
    def write(results, **options):
        return Page(bi.report(results, tmp_path / "report.html", **options).read_text("utf-8"))

    return write


@pytest.fixture(scope="session")
def running():
    """Draw a table of an experiment with shared replications."""
    return tables.running
