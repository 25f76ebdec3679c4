"""A report in headless Chromium: no error, no request, no overflow."""

import re
from base64 import b64decode
from functools import cache

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.reports import html
from benchinfer.reports.gather import everything

pytestmark = pytest.mark.browser

SCRIPT = '<script>alert(1)</script> & "x" - y'


@pytest.fixture(scope="module")
def scores():
    """Long and hostile names, a missing cell, two measures."""
    rng = np.random.default_rng(1)
    names = [SCRIPT, "</style><img src=https://example.org/x.png>", "n" * 70, "b", "c", "d", "e"]
    rows = [
        (d, a, r, m, 0.3 + 0.05 * i + 0.02 * rng.normal())
        for d in ("<b>d</b>", "d" * 70, "d2", "d3")
        for i, a in enumerate(names)
        for r in range(5)
        for m in ("error", "seconds")
        if (d, a) != ("d2", "c")
    ]
    columns = ["dataset", "algorithm", "replication", "measure", "value"]
    measures = [bi.Measure("error", "lower", 0.01), bi.Measure("seconds", "lower", scale="log")]
    return bi.read_scores(pd.DataFrame(rows, columns=columns), measures=measures)


@pytest.fixture(scope="module")
def report(scores, tmp_path_factory):
    return bi.report(scores, tmp_path_factory.mktemp("report") / "report.html")


def opened(driver, path, width):
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    driver.get_log("browser"), driver.get_log("performance")
    driver.get(path.as_uri())
    return driver


@pytest.mark.parametrize("width", [400, 800, 1065, 1400])
def test_page(driver, report, width):
    opened(driver, report, width)
    assert driver.execute_script("return innerWidth") == width
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    loaded = "return [...document.images].every(i => i.complete && i.naturalWidth > 0)"
    assert driver.execute_script(loaded)
    assert driver.get_log("browser") == []
    assert set(requested(driver)) == {report.as_uri()}


def requested(driver):
    """Return the addresses asked for, images inside the file left out."""
    import json

    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    sent = [e for e in events if e["method"] == "Network.requestWillBeSent"]
    urls = [event["params"]["request"]["url"] for event in sent]
    return [url for url in urls if not url.startswith("data:")]


def test_names_are_text(driver, report):
    opened(driver, report, 1400)
    assert driver.execute_script("return document.scripts.length") == 1
    cells = driver.execute_script(
        "return [...document.querySelectorAll('td.name')].map(cell => cell.textContent)"
    )
    assert SCRIPT in cells
    assert driver.execute_script("return document.querySelectorAll('img').length") == 0


@pytest.mark.parametrize("width", [400, 1065, 1400])
@pytest.mark.parametrize("k", [2, 6, 30, 90])
def test_the_first_screen_fits_and_has_its_order(driver, sized, k, width):
    opened(driver, sized(k), width)
    found = driver.execute_script(
        "const answer = document.querySelector('.part section');"
        "const scroll = answer.querySelector('.key .scroll');"
        "const rows = [...scroll.querySelectorAll('tbody tr')];"
        "const cells = rows.flatMap(row => [...row.cells]).map(c => c.getBoundingClientRect());"
        "const tops = ['.lead', '.lead + p', '.key', '.drawn', ':is(.attention, .remarks)'].map("
        "  one => answer.querySelector(one).getBoundingClientRect().top);"
        "return [scroll.scrollWidth - scroll.clientWidth, document.documentElement.scrollWidth,"
        "  tops, rows.length, Math.max(...cells.map(c => c.right)),"
        "  Math.max(...rows.map(row => row.getBoundingClientRect().height))]"
    )
    over, page, tops, rows, right, height = found
    assert over <= 0
    assert page <= width
    assert right <= width
    assert height <= (66 if width == 400 else 50)  # at most three lines, or two
    # A figure and what asks for attention stand beside each other where there is room.
    assert tops == sorted(tops) or (width > 400 and tops[3] <= tops[4] < tops[3] + 40)
    assert rows == min(k - 1, 15)


def test_small_screens_show_figures_whole(driver, report):
    opened(driver, report, 400)
    widths = driver.execute_script(
        "return [...document.querySelectorAll('svg.chart')].filter(s => s.clientWidth)"
        ".map(s => s.clientWidth)"
    )
    assert widths
    assert all(width <= 400 for width in widths)


@pytest.mark.parametrize(("width", "beside"), [(1199, False), (1200, True)])
def test_contents_stand_beside_wide_pages(driver, report, width, beside):
    opened(driver, report, width)
    left, opened_contents = driver.execute_script(
        "return [document.querySelector('main').getBoundingClientRect().left,"
        " document.querySelector('.contents').open]"
    )
    assert (left > 200) == beside == opened_contents


def test_a_verdict_leads_to_its_contrast(driver, report):
    opened(driver, report, 1400)
    driver.execute_script("document.querySelector('td.verdict a').click()")
    found = driver.execute_script(
        "const row = document.getElementById(location.hash.slice(1));"
        "return [row.tagName, row.closest('details').open, row.getBoundingClientRect().top]"
    )
    assert found[:2] == ["TR", True]
    assert 0 <= found[2] <= 900


def test_tables_sort_and_filter(driver, report):
    opened(driver, report, 1400)
    column = "return [...document.querySelectorAll('figure.table')].find(f => f.querySelector("
    column += "'input'))"
    driver.execute_script(column.replace("return", "window.f =") + ";")
    first = "return [...f.querySelectorAll('tbody tr')].filter(r => !r.hidden)"
    first += ".map(r => r.cells[0].textContent)"
    driver.execute_script("f.querySelector('th button').click()")
    up = driver.execute_script(first)
    driver.execute_script("f.querySelector('th button').click()")
    assert driver.execute_script(first) != up
    assert sorted(driver.execute_script(first)) == sorted(up)
    driver.execute_script(
        "const i = f.querySelector('input'); i.value = 'zzz'; i.dispatchEvent(new Event('input'))"
    )
    assert driver.execute_script(first) == []


def test_rows_of_long_tables_are_those_of_short_ones(driver, scores, tmp_path, monkeypatch):
    results = [bi.compare_mixed(scores, "error"), bi.compare_points(scores, "error")]
    look = (
        "return [...document.querySelectorAll('tbody tr')].map(row => [row.id,"
        " ...[...row.cells].map(cell => [cell.className, cell.textContent,"
        " cell.querySelector('a')?.getAttribute('href')])])"
    )
    found = []
    for most in (1000, 4):
        monkeypatch.setattr(html, "_MANY", most)
        path = tmp_path / f"{most}.html"
        opened(driver, bi.report(results, path, scores=scores, print="full"), 1400)
        before = len(driver.execute_script(look))
        driver.execute_script("dispatchEvent(new Event('beforeprint'))")
        found.append(driver.execute_script(look))
        assert (before < len(found[-1])) == (most == 4)
        assert driver.get_log("browser") == []
    assert found[0] == found[1]
    # A link to a row makes the row.
    anchor = next(row[0] for row in found[0] if row[0])
    driver.get((tmp_path / "4.html").as_uri() + f"#{anchor}")
    driver.refresh()
    assert driver.execute_script(f"return document.getElementById('{anchor}').tagName") == "TR"


def test_downloads_have_safe_names_and_cells(driver, report):
    opened(driver, report, 1400)
    driver.execute_script(
        "window.saved = []; const old = URL.createObjectURL;"
        "URL.createObjectURL = b => { b.text().then(t => saved.push(t)); return old(b) };"
        "HTMLAnchorElement.prototype.click = function () { saved.push(this.download) };"
        "document.querySelectorAll('.table .tools button:last-child').forEach(b => b.click());"
        "document.querySelectorAll('figure.drawn button').forEach(b => b.click())"
    )
    driver.set_script_timeout(30)
    saved = driver.execute_async_script("setTimeout(() => arguments[0](saved), 1500)")
    names = [one for one in saved if "\n" not in one and len(one) < 120]
    assert len(names) > 20
    assert all(set(n) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.") for n in names)
    tables = [one for one in saved if "\r\n" in one]
    assert tables
    fields = [f for t in tables for line in t.splitlines() for f in line.split(",")]
    assert not [f for f in fields if f[:1] in "=+@" and f]
    drawn = [one for one in saved if one.startswith("<svg")]
    assert drawn
    assert not [one for one in drawn if "var(--" in one or "currentcolor" in one.lower()]


def test_groups_of_data_sets_and_the_clipboard_keep_names_as_text(driver, tmp_path):
    rng, n = np.random.default_rng(1), 40
    size = rng.normal(size=n)
    kind = rng.choice([SCRIPT, "</style><img src=https://example.org/x.png>"], n)
    datasets = [f"=cmd|' /C calc'!A{i}" for i in range(n)]
    rows = [
        (d, a, 0.5 + 0.1 * (a == "b") * (1 if x > 0 else -1) + 0.02 * rng.normal())
        for d, x in zip(datasets, size, strict=True)
        for a in (SCRIPT, "b", "</script>")
    ]
    scores = bi.read_scores(
        pd.DataFrame(rows, columns=["dataset", "algorithm", "score"]),
        measures={"score": "higher"},
        features=pd.DataFrame({"dataset": datasets, SCRIPT: size, "</svg><b>kind": kind}),
    )
    found = bi.compare_subgroups(scores, "score", by=[*scores.features])
    assert len(found.values()) > 1
    opened(driver, bi.report(found, tmp_path / "report.html", scores=scores), 900)
    assert driver.execute_script("return document.scripts.length") == 1
    assert driver.execute_script("return document.querySelectorAll('img, main b').length") == 0
    assert SCRIPT in driver.execute_script("return document.querySelector('main').textContent")
    copied = driver.execute_async_script(
        "const [done] = arguments, texts = [];"
        "Object.defineProperty(navigator, 'clipboard',"
        " { value: { writeText: async text => texts.push(text) } });"
        "document.querySelectorAll('.tools button:nth-last-child(2)').forEach(b => b.click());"
        "setTimeout(() => done(texts), 500)"
    )
    fields = [f for text in copied for line in text.splitlines() for f in line.split("\t")]
    assert any(SCRIPT in field for field in fields)
    assert not [field for field in fields if field[:1] in "=+@|" and field]
    assert driver.get_log("browser") == []


@pytest.fixture(scope="module")
def sized(tmp_path_factory, report):
    """Return a report of K algorithms; of 6 and more some have no scores on some data set."""

    @cache
    def of(k):
        if k == "hostile":
            return report
        rng = np.random.default_rng(k)
        rows = [
            (f"d{d}", f"algorithm-number-{a:03}", r, 0.7 + 0.01 * a + 0.02 * rng.normal())
            for d in range(4)
            for a in range(k)
            for r in range(3)
            if (d, a) != (2, 4)
        ]
        table = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "score"])
        scores = bi.read_scores(table, measures=bi.Measure("score", "higher", 0.01))
        found = everything(scores, methods=("mixed", "bootstrap", "points", "per-dataset"))
        return bi.report(found, tmp_path_factory.mktemp(f"k{k}") / "report.html")

    return of


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Six algorithms and two measures by all analyses but the Bayesian one."""
    path = tmp_path_factory.mktemp("demo") / "report.html"
    return bi.report(bi.load_example("sklearn_bootstrap"), path, bayes=False)


def printed(driver, path):
    """Return how many pages a report prints on."""
    driver.get(path.as_uri())
    pdf = b64decode(driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_a_report_prints_its_answers_on_three_pages(driver, sized, demo):
    pages = [printed(driver, path) for path in (demo, *map(sized, (2, 6, 30, 90)))]
    assert min(pages) >= 1
    assert max(pages) <= 3


def test_what_is_open_is_printed_and_in_full_all_is(driver, scores, tmp_path):
    results = [bi.compare_mixed(scores, "error"), bi.compare_points(scores, "error")]
    short = bi.report(results, tmp_path / "short.html", scores=scores)
    full = bi.report(results, tmp_path / "full.html", scores=scores, print="full")
    pages, all_pages = printed(driver, short), printed(driver, full)
    assert all_pages > pages
    folds = "return [...document.querySelectorAll('main details')].filter(d => d.open).length"
    assert driver.execute_script(folds) == 0  # as before the print
    driver.get(short.as_uri())
    driver.execute_script("document.querySelector('.every').click()")
    pdf = b64decode(driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == all_pages


def test_a_closed_report_is_six_screens(driver, demo):
    opened(driver, demo, 1400)
    assert driver.execute_script("return document.documentElement.scrollHeight") <= 6 * 900
    assert driver.execute_script("return document.documentElement.scrollWidth") <= 1400


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("k", [2, 6, 30, "hostile"])
def test_accessible(driver, violations, sized, k, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    opened(driver, sized(k), 1400)
    driver.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    found = violations(driver)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert found == []
