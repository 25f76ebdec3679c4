"""Every hint of the command line leads on when its options are typed."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from benchinfer.cli.app import app
from benchinfer.cli.hints import as_options
from tests.properties.following import LEFT_OUT, Pair, refusals, shown
from tests.properties.test_hints import FUNCTIONS, drawn

RUNNER = CliRunner(env={"NO_COLOR": "1", "COLUMNS": "10000"})
SOLVED = (0, 3)  # exit codes of answers
USAGE = 2
# An option, or a command, as it stands in a sentence.
TYPED = re.compile(r""" ((?:'[^']*'|"[^"]*"|[^\s'"])+)""")
NAMED = re.compile(r"(?<![^\s(])(?P<option>--[a-z][a-z-]*|-m)(?= |[.,;:)]|$)|\bcompare [a-z]+\b")


@cache
def _made() -> dict[str, Any]:
    root = get_command(app)
    compare = root.get_command(None, "compare")
    named = {f"compare {name}": compare.get_command(None, name) for name in compare.commands}
    return {name: root.get_command(None, name) for name in ("check", "describe", "plan")} | named


@cache
def commands() -> dict[str, dict[str, Any]]:
    """Return the options of each command by their names."""
    return {
        name: {o: p for p in one.params for o in (*p.opts, *p.secondary_opts)}
        for name, one in _made().items()
    }


@cache
def words_of_help() -> dict[str, set[str]]:
    """Return the words by which the help explains each option."""
    found: dict[str, set[str]] = {}
    for one in _made().values():
        context = one.make_context("", ["scores.csv"], resilient_parsing=True)
        for option in one.params:
            record = option.get_help_record(context) or ()
            for name in option.opts:
                found.setdefault(name, set()).update(re.findall(r"[a-z][\w-]*", " ".join(record)))
    return found


@dataclass(frozen=True)
class Typed:
    """A command as it is typed, with hints that are typed in turn."""

    path: Path = field(repr=False)
    command: str
    options: tuple[tuple[str, str | None], ...] = ()

    def words(self) -> list[str]:
        """Return the arguments of the program."""
        options = [word for pair in self.options for word in pair if word is not None]
        return [*self.command.split(), str(self.path), *options]

    def run(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the faults with their hints, and the hints of what `check` found."""
        result = RUNNER.invoke(app, self.words())
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code in SOLVED:
            return {}, blocks(result.stdout) if self.command == "check" else {}
        usage = "usage: " if result.exit_code == USAGE else ""
        error = result.stderr.rpartition("Error: ")[2]
        first = error.partition("\n")[0]
        faults = {f"{usage}{what}": hint for what, hint in (blocks(error) or {first: ""}).items()}
        if proposals := re.findall(r"^  (benchinfer .*)$", error, re.MULTILINE):
            faults[first] = "\n".join(proposals)
        return faults, {}

    def read_hint(self, hint: str) -> Iterator[tuple[str, list[Pair]]]:
        """Yield what a hint names, each with the words before it."""
        if hint.startswith("benchinfer "):
            for line in hint.splitlines():
                words = shlex.split(line.replace("BETTER", "higher"))
                yield "", pairs_of(words[words.index(str(self.path)) + 1 :], self.command)
            return
        items: list[tuple[str, list[Pair]]] = []
        end = 0
        for match in NAMED.finditer(hint):
            words = hint[end : match.start()]
            end = match.end()
            if (option := match["option"]) is not None:
                value, length = self._value(option, hint[end:])
                end += length
                if words.endswith("no "):
                    value = LEFT_OUT
                elif value == LEFT_OUT and not words.endswith(("leave out ", "leave it out of ")):
                    value = None
                pair = option, value
            elif match[0] in commands():
                pair = match[0], None
            else:
                continue
            if words == " " and items:
                items[-1][1].append(pair)
            else:
                items.append((words, [pair]))
        yield from items

    def _value(self, option: str, rest: str) -> tuple[Any, int]:
        """Return the value of an option, and its length; none where other words follow."""
        known = next((each[option] for each in commands().values() if option in each), None)
        assert known is not None, option  # a hint names no option that there is not
        if getattr(known, "is_flag", False):
            return True, 0
        typed = TYPED.match(rest)
        raw = typed[1].rstrip(".,;:)") if typed else ""
        if re.search(r"\b[A-Z]{3,}\b", raw):
            return None, 1 + len(raw)
        if not raw or (raw.isalpha() and raw not in words_of_help().get(option, ())):
            return LEFT_OUT, 0
        return shlex.split(raw)[0], 1 + len(raw)

    def with_pair(self, name: str, value: Any) -> "Typed | None":
        """Return the command with what a hint says; None where a reader must choose."""
        if name in commands():
            reading = set.intersection(*(set(each) for each in commands().values()))
            options = tuple(pair for pair in self.options if pair[0] in reading)
            return replace(self, command=name, options=options).of_one_measure()
        if value is None or name not in commands()[self.command]:
            return None
        option = commands()[self.command][name]
        kept = tuple(pair for pair in self.options if not self._replaced(pair, name, option, value))
        if value == LEFT_OUT:
            return replace(self, options=kept)
        return replace(self, options=(*kept, (name, None if value is True else value)))

    def _replaced(self, pair: tuple[str, str | None], name: str, option: Any, value: Any) -> bool:
        """Return whether what was typed gives way: of what goes repeatedly only the same part."""
        if commands()[self.command].get(pair[0]) is not option:
            return False
        if value == LEFT_OUT or not getattr(option, "multiple", False):
            return True
        separator = "=" if name in ("--column", "--names", "--harmonise") else ":"
        return str(pair[1]).partition(separator)[0] == value.partition(separator)[0]

    def of_one_measure(self) -> "Typed":
        """Return the command with the first of several measures, as comparisons take one."""
        names = [str(value).partition(":")[0] for o, value in self.options if o == "--measures"]
        if len(names) < 2 or not self.command.startswith("compare"):
            return self
        return replace(self, options=(*self.options, ("-m", names[0])))

    def useless(self) -> bool:
        """Return whether a remedy cannot help here, as no table knows."""
        return False


def blocks(text: str) -> dict[str, str]:
    """Return what a text says, each with its hint: lines that go on are indented."""
    found: dict[str, str] = {}
    what, hint = "", []
    for line in [*text.splitlines(), ""]:
        if line.strip().startswith("Hint: "):
            hint = [line.strip().removeprefix("Hint: ")]
        elif hint and line.startswith("      "):
            hint.append(line.strip())
        else:
            if what and hint:
                found[what] = "\n".join(hint)
                what, hint = "", []
            if line and not line.startswith("    "):
                what = line
    return found


def typed(seed: int, folder: Path) -> Typed:
    """Return a command that asks of an odd table what `drawn` does."""
    attempt = drawn(seed)
    name = attempt.function.replace("_", " ")
    path = folder / f"{seed}.csv"
    attempt.frame.to_csv(path, index=False)
    scale = attempt.measure.get("", {}).get("scale", "identity")
    words = [
        word
        for measure in attempt.measure
        if measure
        for word in ("--measures", f"{measure}:higher:0:{scale}")
    ]
    arguments = {**attempt.reading, **attempt.arguments}
    if name in commands():
        arguments |= FUNCTIONS[attempt.function]
    else:
        name = "check"
    for argument, value in arguments.items():
        option = shlex.split(as_options(f"{argument}={value!r}"))
        if option[0] in commands()[name]:
            words += option
    pairs = ((name, None if value is True else value) for name, value in pairs_of(words, name))
    return Typed(path, name, tuple(pairs)).of_one_measure()


def pairs_of(words: list[str], command: str) -> list[Pair]:
    """Return typed options with their values, True for those without one."""
    options, left = commands()[command], iter(words)
    return [(o, True if getattr(options[o], "is_flag", False) else next(left)) for o in left]


@pytest.mark.slow
@pytest.mark.parametrize(
    "start",
    [
        *range(0, 40, 20),
        *(pytest.param(n, marks=pytest.mark.calibration) for n in range(40, 300, 20)),
    ],
)
def test_no_option_is_refused_when_typed(start: int, tmp_path: Path) -> None:
    said = []
    for seed in range(start, start + 20):
        attempt = typed(seed, tmp_path)
        said += [shown(kind, way, attempt) for kind, way in refusals(attempt)]
    assert not said, "\n".join(said)


def test_hints_are_read_as_one_types_them() -> None:
    attempt = Typed(Path("a.csv"), "compare pair", (("--rope", "1"),))
    hint = (
        "compare mixed --structure common or compare pair --per-dataset; leave out --rope,"
        " --take 'last:a b'. --measures NAME:BETTER:TOLERANCE, --column fold=replication;"
        " --trials naming n (--paired)."
    )
    assert [pairs for _, pairs in attempt.read_hint(hint)] == [
        [("compare mixed", None), ("--structure", "common")],
        [("compare pair", None), ("--per-dataset", True)],
        [("--rope", "")],
        [("--take", "last:a b")],
        [("--measures", None)],
        [("--column", "fold=replication")],
        [("--trials", None)],
        [("--paired", True)],
    ]
