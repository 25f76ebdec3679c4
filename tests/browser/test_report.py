"""A report in headless Chromium: no error, no request, no overflow."""

import shutil

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi

pytestmark = pytest.mark.browser

webdriver = pytest.importorskip("selenium.webdriver")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SCRIPT = '<script>alert(1)</script> & "x" - y'


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("needs chromium and chromedriver (apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield browser
    browser.quit()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
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
    scores = bi.read_scores(pd.DataFrame(rows, columns=columns), measures=measures)
    return bi.report(scores, tmp_path_factory.mktemp("report") / "report.html")


def opened(driver, path, width):
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    driver.get_log("browser"), driver.get_log("performance")
    driver.get(path.as_uri())
    return driver


@pytest.mark.parametrize("width", [400, 800, 1400])
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
    assert driver.execute_script("return document.scripts.length") == 0
    cells = driver.execute_script(
        "return [...document.querySelectorAll('td.name')].map(cell => cell.textContent)"
    )
    assert SCRIPT in cells
    assert driver.execute_script("return document.querySelectorAll('img[onerror]').length") == 0


def test_narrow_screens_get_the_narrow_figures(driver, report):
    shown = "return [...document.images].map(i => [i.currentSrc === i.src, i.clientWidth])"
    wide = opened(driver, report, 1400).execute_script(shown)
    assert all(own for own, _ in wide)
    narrow = opened(driver, report, 400).execute_script(shown)
    assert not any(own for own, _ in narrow)
    assert all(width <= 400 for _, width in narrow)
