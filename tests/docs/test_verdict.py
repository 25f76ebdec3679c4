"""The checklist of what a paper should state: its form, and each call shown with its output."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "publish" / "verdict.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if re.match(r"\| (\d+|\*\*\w\*\*) \|", line)
]
ITEMS = [row for row in ROWS if row[0].isdecimal()]


def test_groups_spell_the_name():
    groups = [row for row in ROWS if not row[0].isdecimal()]
    assert "".join(row[0].strip("*") for row in groups) == "VERDICT"
    assert all(row[1].strip("*").startswith(row[0].strip("*")) for row in groups)


def test_items_are_numbered_and_each_has_a_source_or_a_call():
    assert [int(row[0]) for row in ITEMS] == [*range(1, 22)]
    assert "Twenty-one items in seven groups" in TEXT
    assert all(row[2] for row in ITEMS)
    by_hand = [row[0] for row in ITEMS if row[2].startswith("you")]
    assert f"Four items no program can print ({', '.join(by_hand)})" in TEXT


def test_calls_of_the_items_are_shown_with_their_output():
    code = "".join(re.findall(r"^```(?:pycon|console)\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE))
    calls = [call for row in ITEMS for call in re.findall(r"`([^`]+)`", row[2])]
    calls = [re.sub(r"\bm\b(?=\))", '"error"', call) for call in calls]
    others = {"check", "report", "plan", "monitor"}  # commands, linked or below
    assert [call for call in calls if call not in code and call not in others] == []
