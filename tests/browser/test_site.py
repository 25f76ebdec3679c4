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
    "tutorials/first-comparison.html",
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


@pytest.mark.skipif(not SITE.exists(), reason="make docs writes the pages")
def test_tables_of_the_evidence_are_sorted_by_their_first_row(driver):
    driver.get((SITE / "evidence" / "choosing.html").as_uri())
    table = driver.find_elements("css selector", "#tables table.docutils")[1]

    def column():
        """Return the leading numbers of the last column."""
        cells = table.find_elements("css selector", "tbody td:last-child")
        return [float(cell.text.replace(",", "").split()[0]) for cell in cells]

    first = column()
    heading = table.find_elements("css selector", "th")[-1]
    button = heading.find_element("css selector", "button")
    for state, wanted in (("ascending", sorted(first)), ("descending", sorted(first)[::-1])):
        button.send_keys("\n")
        assert heading.get_attribute("aria-sort") == state
        assert column() == wanted
    other = table.find_elements("css selector", "th")[0]
    other.find_element("css selector", "button").send_keys("\n")
    assert heading.get_attribute("aria-sort") is None
    assert other.get_attribute("aria-sort") == "ascending"
