"""The command `reproduce`."""

import json
from dataclasses import replace

from benchinfer.reproductions.atlas import NAMES, entry


def test_the_command_lists_says_where_and_computes(run, tmp_path, monkeypatch):
    listed = run("reproduce")
    assert all(name in listed.output for name in NAMES)
    where = run("reproduce", "freitag2021")
    assert where.exit_code == 0
    assert "google/wmt-mqm-human-evaluation" in where.output
    assert run("reproduce", "demsar2006").exit_code == 0
    document = json.loads(run("reproduce", "demsar2006", "--json").output)
    assert len(document["numbers"]) == 9
    (tmp_path / "x.tsv").write_text("1\n")
    assert run("reproduce", "freitag2021", tmp_path / "x.tsv").exit_code == 4
    assert run("reproduce", "nobody").exit_code == 2
    demsar = entry("demsar2006")
    first, *others = demsar.published
    changed = replace(demsar, published=(replace(first, value=4.0), *others))
    monkeypatch.setattr("benchinfer.reproductions.demsar2006.ENTRY", changed)
    differing = run("reproduce", "demsar2006")
    assert differing.exit_code == 1
    assert "1 differ" in differing.output
