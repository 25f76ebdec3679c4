"""Tables and results of tools with random damage."""

import csv
import io
import json
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchinfer import ScoreTable, read_scores
from benchinfer.core.errors import BenchinferError
from benchinfer.core.numbers import number_of
from tests.scores.sources.test_layouts_catalogue import LAYOUTS

SAMPLES = Path(__file__).parent / "formats" / "samples"
JUNK = [
    *("", " ", "NaN", "timeout", "inf", "-inf", "1e400", "0x10", "1_0", "1,5", "-1", "999", "?"),
    *("'", '"', '""', "\n", "\r\n", "\t", ";", "\0", "\ufeff", "\u0661", "e\u0301", "a" * 5000),
    *("{}", "[]", "null", "true", "2020-01-01", "dataset", "value", "=1+1", "{dataset}", "*"),
]
ACC = {"acc": "higher"}
# Samples of one row for each run, of which none is computed from several.
TABLES = {at.path for at in LAYOUTS if at.path.endswith(".csv") and "*" not in at.path}
BINARY = (".db", ".eval", ".parquet", ".npz")


def long_table(rng: random.Random) -> str:
    """Write a complete long table."""
    lines = ["dataset,fold,model,acc"]
    for d in range(rng.randint(1, 3)):
        for k in range(rng.randint(2, 3)):
            lines += [f"d{d},{r},m{k},{rng.random():.3f}" for r in range(rng.randint(1, 3))]
    return "\n".join(lines) + "\n"


def damaged(text: str, rng: random.Random) -> str:
    """Damage a text in one to four places."""
    for _ in range(rng.randint(1, 4)):
        text = rng.choice(DAMAGES)(text, rng)
    return text


def _field(text: str, rng: random.Random) -> str:
    rows = [line.split(",") for line in text.split("\n")]
    row = rng.choice(rows)
    row[rng.randrange(len(row))] = rng.choice(JUNK)
    return "\n".join(",".join(row) for row in rows)


def _column(text: str, rng: random.Random) -> str:
    rows = [line.split(",") for line in text.split("\n")]
    i = rng.randrange(max(map(len, rows)))
    if rng.random() < 0.5:
        return "\n".join(",".join(row[:i] + row[i + 1 :]) for row in rows)
    return "\n".join(",".join([*row, *row[i : i + 1]]) for row in rows)


def _line(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    i = rng.randrange(len(lines))
    line = lines.pop(i)
    if rng.random() < 0.6:
        for _ in range(rng.randint(0, 2)):
            lines.insert(rng.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def _part(text: str, rng: random.Random) -> str:
    if not text:
        return rng.choice(JUNK)
    i, n = rng.randrange(len(text)), rng.randint(0, 5)
    return text[:i] + rng.choice(JUNK) + text[i + n :]


def _cut(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


DAMAGES = (_field, _field, _column, _line, _part, _cut)


def _node(document: object, rng: random.Random, depth: int = 0) -> object:
    """Replace one part of a document."""
    other: list[object] = [
        None,
        "x",
        3,
        True,
        [],
        {},
        [1, [2]],
        {"a": [{"b": 1}]},
        float("nan"),
        -1,
    ]
    if depth > 1 and rng.random() < 0.3:
        return rng.choice(other)
    if isinstance(document, dict) and document:
        key = rng.choice(list(document))
        return {**document, key: _node(document[key], rng, depth + 1)}
    if isinstance(document, list) and document:
        i = rng.randrange(len(document))
        return [*document[:i], _node(document[i], rng, depth + 1), *document[i + 1 :]]
    return rng.choice(other)


def attempt(source: object, **options: object) -> ScoreTable | None:
    """Read a table; None where it is refused by an error of ours."""
    try:
        return read_scores(source, **options)  # pyright: ignore[reportArgumentType]
    except BenchinferError:
        return None


def check_long(folder: Path, seed: int) -> bool:
    """Read a damaged long table: what is read, failures and what is reported are all rows."""
    rng = random.Random(seed)  # noqa: S311 - damage, no secrets
    text = damaged(long_table(rng), rng)
    path = folder / rng.choice(["scores.csv", "scores.csv", "scores.tsv"])
    path.write_text(text, encoding="utf-8", newline="")
    scores = attempt(
        path, measures=ACC, failed=rng.choice(["missing", "worst", 0.0]), repeats="keep"
    )
    if scores is None:
        return False
    rules = {finding.rule: finding for finding in scores.finding_records}
    if "layout recognised" in rules:
        return True
    lines = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    rows = [row for row in lines if any(field.strip() for field in row)][1:]
    if "measures left out" in rules:
        return True
    filled = rules["failures filled"].count if "failures filled" in rules else 0
    failures = len(scores.failures()) - filled
    assert scores.n_rows + failures == len(rows), (seed, text)
    return True


def proposed(source: object, **options: object) -> ScoreTable | None:
    """Read a table without options, or by the first proposal of its error; None if neither is."""
    try:
        return read_scores(source, **options)  # pyright: ignore[reportArgumentType]
    except BenchinferError as error:
        made = getattr(error, "proposals", ())
        findings = getattr(error, "findings", ())
        asks = dict(pair for finding in findings for pair in finding.proposes)
    if not made:
        names = asks.get("measures", ())
        return attempt(source, measures=dict.fromkeys(names, "higher")) if names else None
    said = dict(made[0].options)
    if made[0].directions:
        said["measures"] = dict.fromkeys(made[0].directions, "higher")
    return read_scores(source, **said)  # a proposal that fails is never shown


def check_proposal(folder: Path, seed: int) -> bool:
    """Read a damaged table with other names by what its error proposes: no row is lost."""
    rng = random.Random(seed)  # noqa: S311 - damage, no secrets
    names = rng.choice(["env_id,run,agent,return", "problem,trial,solver,cost", "a,b,c,d"])
    text = damaged(long_table(rng).replace("dataset,fold,model,acc", names), rng)
    path = folder / "scores.csv"
    path.write_bytes(_encoded(text, rng))
    scores = proposed(path)
    if scores is None or scores.measures[0].name not in names.split(","):
        return scores is not None
    lines = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    rows = [row for row in lines if any(field.strip() for field in row)][1:]
    rules = {finding.rule for finding in scores.finding_records}
    if not rules & {"layout recognised", "measures left out", "columns by pattern"}:
        assert scores.n_rows + len(scores.failures()) == len(rows), (seed, text)
    return True


def _encoded(text: str, rng: random.Random) -> bytes:
    """Write a text in UTF-8, as a rule."""
    coding = rng.choice(["utf-8"] * 8 + ["utf-16", "latin-1"])
    return text.encode(coding, "replace")


def check_layout(folder: Path, seed: int) -> bool:
    """Read the results of a tool of which one file is damaged, as a newcomer does."""
    rng = random.Random(seed)  # noqa: S311 - damage, no secrets
    layout = rng.choice(LAYOUTS)
    files = sorted(SAMPLES.glob(layout.path)) if "*" in layout.path else [SAMPLES / layout.path]
    if files[0].is_dir():
        files = sorted(path for path in files[0].rglob("*") if path.is_file())
    shutil.rmtree(folder / "part", ignore_errors=True)
    for file in files:
        place = folder / "part" / file.relative_to(SAMPLES)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    file = folder / "part" / rng.choice(files).relative_to(SAMPLES)
    if file.suffix in BINARY:
        data = file.read_bytes()
        i = rng.randrange(len(data))
        file.write_bytes(data[:i] if rng.random() < 0.5 else data[:i] + b"\0\xff" + data[i + 2 :])
    elif file.suffix == ".json" and rng.random() < 0.7:
        document = _node(json.loads(file.read_text(encoding="utf-8")), rng)
        file.write_text(json.dumps(document), encoding="utf-8")
    else:
        file.write_bytes(_encoded(damaged(file.read_text(encoding="utf-8"), rng), rng))
    return proposed(f"{folder / 'part'}/{layout.path}") is not None


@cache
def _scores_of(path: str) -> dict[str, Counter[float]]:
    """Return the scores of each measure of a sample."""
    return _by_measure(proposed(f"{SAMPLES}/{path}"))


def _by_measure(scores: ScoreTable | None) -> dict[str, Counter[float]]:
    """Return the scores of each measure, as often as each is there."""
    assert scores is not None
    parts = scores.to_frame().groupby("measure")["value"]
    return {str(name): Counter(values.round(9)) for name, values in parts}


def _changed(rows: list[list[str]], rng: random.Random) -> tuple[str, list[list[str]]]:
    """Change the columns or the rows of a table, and return what was done."""
    header, *body = rows
    j = rng.randrange(len(header))
    kind = rng.choice(["order", "add", "rename", "drop", "empty", "shuffle", "truncate"])
    if kind == "order":
        places = rng.sample(range(len(header)), len(header))
        return kind, [[row[i] for i in places] for row in rows]
    if kind == "add":
        column = ["extra", *(str(1000 + i) for i in range(len(body)))]
        return kind, [[*row[:j], cell, *row[j:]] for row, cell in zip(rows, column, strict=True)]
    if kind == "rename":
        return kind, [[*header[:j], "other name", *header[j + 1 :]], *body]
    if kind == "drop":
        return kind, [[*row[:j], *row[j + 1 :]] for row in rows]
    if kind == "empty":
        i = rng.randrange(len(body))
        body[i] = [*body[i][:j], rng.choice(["", "nan"]), *body[i][j + 1 :]]
    if kind == "shuffle":
        rng.shuffle(body)
    return kind, [header, *(body[: rng.randint(1, len(body))] if kind == "truncate" else body)]


def _numbers(rows: list[list[str]], name: str) -> list[float]:
    """Return the numbers of a column, if there is one of this name."""
    places = [i for i, at in enumerate(rows[0]) if at == name]
    cells = (row[i] for row in rows[1:] for i in places)
    return [round(number, 9) for cell in cells if (number := number_of(cell)) is not None]


def check_measures(folder: Path, seed: int) -> bool:
    """Read a layout with other columns or rows: no measure has numbers of another column.

    Scores are as many as before, or what is not read is reported, where only the order is another.
    """
    rng = random.Random(seed)  # noqa: S311 - damage, no secrets
    layout = rng.choice([at for at in LAYOUTS if at.path in TABLES])
    file = folder / layout.path.rpartition("/")[2]
    text = (SAMPLES / layout.path).read_text(encoding="utf-8")
    sign = max(",;\t", key=text.partition("\n")[0].count)
    kind, rows = _changed(list(csv.reader(io.StringIO(text), delimiter=sign)), rng)
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, delimiter=sign, lineterminator="\n").writerows(rows)
    scores = proposed(file)
    file.unlink()
    if scores is None:
        return False
    before, after = _scores_of(layout.path), _by_measure(scores)
    # A column that says which runs failed may have lost its name, and a name may be of a detector.
    of_detectors = kind == "rename" and layout.path.startswith("boards/tiny")
    for name in before.keys() & after.keys() - ({"VUS-PR"} if of_detectors else set()):
        own = Counter(dict.fromkeys(_numbers(rows, name), len(rows)))
        assert not after[name] - before[name] - own, (layout.path, seed, kind, name)
    if kind in ("order", "shuffle"):
        lost = any(before[name] - after.get(name, Counter()) for name in before)
        said = {f.rule for f in scores.finding_records} & {"unused columns", "measures left out"}
        assert not lost or said, (layout.path, seed, kind)
    return True


def _places(document: object, path: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """Yield the places of the numbers of a document."""
    if isinstance(document, dict | list):
        items = document.items() if isinstance(document, dict) else enumerate(document)
        for key, value in items:
            yield from _places(value, (*path, key))
    elif isinstance(document, int | float) and not isinstance(document, bool):
        yield path


def _accounted(scores: ScoreTable) -> int:
    """Count scores and failures."""
    filled = [f.count for f in scores.finding_records if f.rule == "failures filled"]
    return scores.n_rows + len(scores.failures()) - sum(filled)


def check_number(folder: Path, seed: int) -> bool:
    """Read the results of a tool with one number replaced: it is a failure, or reported."""
    rng = random.Random(seed)  # noqa: S311 - damage, no secrets
    samples = [layout for layout in LAYOUTS if layout.path.endswith(".json")]
    layout = rng.choice(samples)
    files = sorted(SAMPLES.glob(layout.path))
    for file in files:
        place = folder / "part" / file.relative_to(SAMPLES)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    before = proposed(f"{folder / 'part'}/{layout.path}")
    file = folder / "part" / rng.choice(files).relative_to(SAMPLES)
    document = json.loads(file.read_text(encoding="utf-8"))
    *above, last = rng.choice(list(_places(document)))
    node = document
    for key in above:
        node = node[key]
    node[last] = rng.choice([[], {}, None, "x"])
    file.write_text(json.dumps(document), encoding="utf-8")
    after = proposed(f"{folder / 'part'}/{layout.path}")
    if before is None or after is None:
        return False
    old, new = ({f.rule for f in table.finding_records} for table in (before, after))
    assert _accounted(after) >= _accounted(before) or new - old, (layout.path, above, last)
    return True


def check_sample(folder: Path, seed: int) -> bool:
    """Read a damaged result of a tool."""
    rng = random.Random(seed)  # noqa: S311 - damage, no secrets
    files = sorted(path for path in SAMPLES.rglob("*") if path.is_file())
    sample = rng.choice(files)
    text = sample.read_bytes().decode("latin-1" if sample.suffix in BINARY else "utf-8")
    if sample.suffix == ".json" and rng.random() < 0.7:
        text = json.dumps(_node(json.loads(text), rng))
    else:
        text = damaged(text, rng)
    shutil.rmtree(folder / "part", ignore_errors=True)
    place = folder / "part" / sample.parent.name
    place.mkdir(parents=True)
    coding = "latin-1" if sample.suffix in BINARY else "utf-8"
    (place / sample.name).write_bytes(text.encode(coding, "replace"))
    measures = rng.choice([None, ACC, {"score": "higher"}, {"accuracy": "higher"}])
    return attempt(place / sample.name, measures=measures) is not None


def check_folder(folder: Path, seed: int) -> bool:
    """Read a folder of a tool of which one file is damaged, or missing."""
    rng = random.Random(seed)  # noqa: S311 - damage, no secrets
    shutil.rmtree(folder / "part", ignore_errors=True)
    name = rng.choice(["timing/asv", "timing/criterion", "tuning/mlruns", "evaluations/helm"])
    shutil.copytree(SAMPLES / name, folder / "part")
    file = rng.choice(sorted(path for path in (folder / "part").rglob("*") if path.is_file()))
    text = file.read_text(encoding="utf-8")
    if rng.random() < 0.1:
        file.unlink()
    elif file.suffix == ".json" and rng.random() < 0.7:
        file.write_text(json.dumps(_node(json.loads(text), rng)), encoding="utf-8")
    else:
        file.write_bytes(damaged(text, rng).encode("utf-8", "replace"))
    return attempt(folder / "part", measures=rng.choice([None, ACC])) is not None
