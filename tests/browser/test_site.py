"""Pages of the documentation in headless Chromium, as `make docs` wrote them."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
PAGES = [
    "index.html",
    "how-to/choose.html",
    "gallery/index.html",
    "gallery/comparison/forest.html",
    "evidence/mixed-models.html",
    "how-to/questions.html",
    "explanation/contrasts.html",
    "reference/index.html",
    "reference/api/benchinfer.compare_mixed.html",
]


@pytest.mark.skipif(not SITE.exists(), reason="make docs writes the pages")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_accessible(driver, violations, page, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    driver.get((SITE / page).as_uri())
    found = violations(driver)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert found == []
