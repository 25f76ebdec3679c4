"""Results of promptfoo."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Record, Results, has_record, is_score, records
from benchinfer.scores.resampling import Resampling

_TOOL = "promptfoo"
_PASS = "pass"  # noqa: S105 - the name of a measure
_ERROR = 2  # of ResultFailureReason: the provider failed, no assertion did


def promptfoo(document: Record, _: Path) -> Results | None:
    """Return whether each test was passed, by provider and prompt, and scores that say more.

    A test that is run several times has nested units, its repeats within the item.
    """
    summary = document["results"]
    if not isinstance(summary, Mapping) or not has_record(
        summary.get("results"), "provider", "success", "score"
    ):
        return None
    results = records(summary, "results", _TOOL)
    models = [_provider(result) for result in results]
    prompts = [_prompt(result) for result in results]
    one, same = len(set(models)) == 1, len(set(prompts)) == 1
    names = [
        model if same else prompt if one else f"{model}/{prompt}"
        for model, prompt in zip(models, prompts, strict=True)
    ]
    partial = any(
        is_score(r.get("score")) and r["score"] != bool(r.get("success")) for r in results
    )
    rows: list[dict[str, Any]] = []
    seen: dict[tuple[str, str], int] = {}
    for i, (result, name) in enumerate(zip(results, names, strict=True)):
        item = str(result.get("testIdx", _variables(result) or i))
        seen[name, item] = seen.get((name, item), 0) + 1
        failed = result.get("failureReason") == _ERROR
        row = {"algorithm": name, "item": item, "repeat": str(seen[name, item])}
        row |= {"failure": str(result.get("error") or "error")[:200] if failed else None}
        passed = result.get("success")
        values = {_PASS: float(passed) if isinstance(passed, bool) else None}
        values |= {"score": result.get("score")} if partial else {}
        named = result.get("namedScores")
        values |= named if isinstance(named, Mapping) else {}
        rows += [
            row | {"measure": str(measure), "value": None if failed else value}
            for measure, value in values.items()
        ]
    repeated = max(seen.values()) > 1
    measures = [Measure(_PASS, "higher", bounds=(0.0, 1.0))]
    others = dict.fromkeys(row["measure"] for row in rows if row["measure"] != _PASS)
    return Format(
        _TOOL,
        {"item": "replication"},
        measures=(*measures, *(Measure(name, "higher") for name in others)),
        resampling=Resampling("items"),
        units=("item", "repeat") if repeated else (),
        unused=() if repeated else ("repeat",),
    ), rows


def _provider(result: Record) -> str:
    """Return the label of a provider, or else what it is."""
    provider = result.get("provider", "?")
    if isinstance(provider, Mapping):
        return str(provider.get("label") or provider.get("id"))
    return str(provider)


def _prompt(result: Record) -> str:
    """Return the template of a prompt, as variables are not yet in its label."""
    prompt = result.get("prompt")
    text = prompt.get("label") or prompt.get("raw") if isinstance(prompt, Mapping) else prompt
    return str(result.get("promptIdx", 0)) if len(str(text)) > 60 else str(text)


def _variables(result: Record) -> str:
    """Return the variables of a test, which older versions do not number."""
    variables = result.get("vars")
    pairs = variables.items() if isinstance(variables, Mapping) else ()
    return ", ".join(f"{key}={value}" for key, value in pairs)
