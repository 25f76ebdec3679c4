"""Tables that lm-evaluation-harness and trec_eval print."""

import re
from pathlib import Path
from typing import Any

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Better, Measure
from benchinfer.scores.formats.catalogue import name_of
from benchinfer.scores.formats.format import Format, Results, agreed, number_or_text
from benchinfer.scores.formats.pages import read_page
from benchinfer.scores.formats.published.markdown import markdown
from benchinfer.scores.resampling import Resampling

_HEAD = {"Version", "Filter", "n-shot", "Metric", "Value", "Stderr"}
_RUN = re.compile(r"^(\S+) \((.*?)\), gen_kwargs:", re.MULTILINE)
_ARROWS: dict[str, Better] = {"\u2191": "higher", "\u2193": "lower"}
_LINE = re.compile(r"(\S+)\s+(\S+)\s+(\S+)")
_COUNTS = re.compile(r"runid|num_.*|relstring.*")
# Names of the measures of trec_eval.
_MEASURE = re.compile(
    r"(gm_)?map(_cut_\d+)?|Rprec(_mult.*)?|bpref|recip_rank|ndcg(_cut_\d+)?|P_\d+|recall_\d+"
    r"|iprec_at_recall_.*|set_\w+|success_\d+|infAP|11pt_avg|num_(q|ret|rel|rel_ret)"
)


def harness_markdown(path: Path, typed: str) -> Results | None:
    """Return the scores of printed tables of tasks, each below the line of its model."""
    text = read_page(path, typed)
    if not all(f"{name}" in text for name in _HEAD):
        return None
    runs = list(_RUN.finditer(text))
    parts = [
        (match, text[match.end() : after.start() if after is not None else len(text)])
        for match, after in zip(runs, [*runs[1:], None][: len(runs)], strict=True)
    ] or [(None, text)]
    rows: list[dict[str, Any]] = []
    ways: dict[str, set[Better | None]] = {}
    groups = 0
    for match, body in parts:
        pairs = [s.partition("=") for s in match[2].split(",")] if match else []
        settings = {key.strip(): value for key, _, value in pairs}
        model = settings.get("pretrained") or settings.get("model") or name_of(path)
        for header, *lines in markdown(body):
            if not set(header) >= _HEAD:
                continue
            groups += header[0] == "Groups"
            task, version = "", ""
            for cells in lines if header[0] != "Groups" else ():
                line = dict(zip(header, cells, strict=False))
                version = line["Version"] or version
                task = cells[0].lstrip(" -") or task
                name = (
                    line["Metric"]
                    if line["Filter"] in ("none", "")
                    else f"{line['Metric']},{line['Filter']}"
                )
                ways.setdefault(name, set()).add(_ARROWS.get(cells[header.index("Metric") + 1]))
                value = line["Value"].replace("N/A", "")
                rows.append(
                    {
                        "dataset": task,
                        "algorithm": model,
                        "measure": name,
                        "value": number_or_text(value) if value else None,
                    }
                )
    if not rows:
        return None
    note = "tables of groups, means of tasks, are left out" if groups else ""
    tool = "lm-evaluation-harness, printed tables"
    return Format(tool, measures=agreed(ways), note=note), rows


def trec_eval(path: Path, typed: str) -> Results | None:
    """Return the score of each topic that ``trec_eval -q`` prints; means of topics are left out."""
    text = read_page(path, typed)
    lines = [_LINE.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
    if not any(
        match is not None
        and _MEASURE.fullmatch(match[1])
        and isinstance(number_or_text(match[3]), float)
        for match in lines
    ):
        return None
    rows: list[dict[str, Any]] = []
    system, pending = name_of(path), len(rows)
    for match in lines:
        if match is None:
            raise ScoreTableError(
                f"{typed!r} is no output of trec_eval: measure, topic, value.",
                hint="the file is damaged, or has further lines, which are to be removed.",
            )
        measure, topic, value = match.groups()
        if measure == "runid":  # stands above the means, below the topics
            system = value
        elif topic != "all" and _COUNTS.fullmatch(measure) is None:
            rows.append(
                {
                    "replication": topic,
                    "algorithm": None,
                    "measure": measure,
                    "value": number_or_text(value),
                }
            )
        elif topic == "all" and system is not None:
            for row in rows[pending:]:
                row["algorithm"] = system
            pending = len(rows)
    for row in rows[pending:]:
        row["algorithm"] = system
    if not rows:
        raise ScoreTableError(
            f"{typed!r} holds no scores of topics, only their means.",
            hint="trec_eval -q prints them.",
        )
    names = dict.fromkeys(row["measure"] for row in rows)
    measures = (
        Measure(name, "higher", bounds=(0.0, 1.0)) for name in names if not name.startswith("gm_")
    )
    return Format("trec_eval -q", measures=tuple(measures), resampling=Resampling("items")), rows
