"""Headless Chromium, and what axe-core finds on a page."""

import shutil
from importlib.resources import files

import pytest

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
RULES = "axe.min.js"
ROWS = 40  # of each table, that the rules look at


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver")
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


@pytest.fixture(scope="session")
def violations():
    """Return a function that lists what axe-core finds on the page that is open."""

    def found(driver):
        driver.execute_cdp_cmd(
            "Runtime.evaluate",
            {"expression": files("axe_core_python").joinpath(RULES).read_text()},
        )
        driver.set_script_timeout(300)
        # Rows of a table are alike; those far down would take most of the time.
        far = f"document.querySelectorAll('tbody tr:nth-child(n + {ROWS})')"
        driver.execute_script(f"{far}.forEach(row => row.remove())")
        return driver.execute_async_script(
            "const done = arguments[0];"
            "axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations.map("
            "v => [v.impact, v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)])))"
        )

    return found
