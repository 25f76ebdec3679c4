"""Commands, and groups of commands that load when they are called."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from benchinfer.cli.options.configuration import check_paths, defaults
from benchinfer.cli.options.signatures import summary
from benchinfer.core.errors import message

if TYPE_CHECKING:
    from collections.abc import Callable


class LazyGroup(TyperGroup):
    """Commands that are made when they are called, as their imports are slow."""

    homes: ClassVar[Mapping[str, tuple[str, str]]]  # module and function of each command, by name

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands.update(cast("Any", dict.fromkeys(self.homes)))  # for lists of names

    @abstractmethod
    def made(self, name: str) -> Any:
        """Return a command."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, if there is one of that name."""
        del ctx
        return self.made(cmd_name) if cmd_name in self.homes else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command at the start of the arguments; raise a usage error if unknown."""
        name, known = args[0], list(self.homes)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            hint = f"a command comes first, as in {ctx.command_path} {known[0]}"
            if near := get_close_matches(name, known):
                hint = f"did you mean {' or '.join(map(repr, near))}?"
            hint = (hint, f"one of {', '.join(known)}.")
            ctx.fail(message(f"no such command {name!r}.", hint=hint))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands."""
        with formatter.section("Commands"):
            names = self.list_commands(ctx)
            formatter.write_dl([(name, summary(*self.homes[name])[0]) for name in names])


def names_table(word: str) -> bool:
    """Return whether an argument names a table, and no command."""
    return not word.startswith("-") and (Path(word).exists() or bool(re.search(r"[.:/*]", word)))


def _several_measures(ctx: Any, words: list[str]) -> list[str]:
    """Return arguments in which measures that are declared one by one are declared together.

    Empty if none has a direction: names alone choose among the measures of a table.
    """
    from benchinfer.scores.roles.directions import direction

    short = ("-m", "--measure")
    values = [word for before, word in zip(["", *words], words, strict=False) if before in short]
    values += [w.partition("=")[2] for w in words if w.startswith("--measure=")]
    if not any(":" in value for value in values):
        return []
    if unknown := [value for value in values if ":" not in value and not direction(value)]:
        ctx.fail(f"--measure: say which direction of {unknown[0]} is better, as in the rest.")
    rest = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if before not in short and word not in short and not word.startswith("--measure=")
    ]
    texts = [v if ":" in v else f"{v}:{direction(v)}" for v in values]
    return [*rest, *(word for text in texts for word in ("--measures", text))]


class PlainCommand(TyperCommand):
    """A command whose help lists its specific options before those of output and input."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Return the context of the arguments, with defaults from a configuration file."""
        if parent is not None and not parent.resilient_parsing:
            path = [context.info_name for context in _lineage(parent)][1:]
            names = [*path, info_name or ""]
            extra["default_map"] = defaults(self, names, parent.find_root().command)
        context = super().make_context(info_name, args, parent, **extra)
        check_paths(context)
        return context

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; raise a usage error for an option given twice."""
        if not ctx.resilient_parsing:
            typed = self.make_parser(ctx).parse_args(args=[*args])[2]
            options: list[Any] = [one for one in typed if one.param_type_name == "option"]
            for option in options:
                if options.count(option) > 1 and not (option.multiple or option.is_flag):
                    if option.name == "measure" and (words := _several_measures(ctx, args)):
                        return self.parse_args(ctx, words)
                    ctx.fail(f"{max(option.opts, key=len)} is given twice; it takes one value.")
            if not args and any(one.name == "scores" for one in self.params):
                hint = "a file or a folder, or example:sklearn_bootstrap to try it."
                ctx.fail(message("SCORES is missing.", hint=hint))
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the usage line, without words that need not be typed: ``compare``, ``auto``."""
        from benchinfer.cli.hints import TYPED

        program = ctx.find_root().info_name or ""
        typed, names = TYPED.get(), ctx.command_path.removeprefix(program).split()
        words = [program, *(name for name in names if name in typed[: len(names)])]
        formatter.write_usage(" ".join(words), " ".join(self.collect_usage_pieces(ctx)))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """List the options by panel."""
        panels: dict[str, list[tuple[str, str]]] = {name: [] for name in PANELS}
        for option in self.get_params(ctx):
            panel = getattr(option, "rich_help_panel", None) or "Options"
            if option.param_type_name == "argument":
                panel = "Arguments"
            elif option.name == "help":
                panel = OUTPUT
            if (record := option.get_help_record(ctx)) is not None:
                panels[panel].append(record)
        for name, records in panels.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


def _lineage(context: Any) -> list[Any]:
    """Return a context preceded by its ancestors."""
    return [] if context is None else [*_lineage(context.parent), context]


OUTPUT, READING = "Output", "Reading the table"
HELP = ("--help", "-h")
PANELS = ("Arguments", "Options", OUTPUT, READING)


def command(function: Callable[..., None], name: str, help_end: HelpEnd) -> Any:
    """Return a function as a command."""
    one = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    one.command(name, cls=PlainCommand, epilog=str(help_end))(function)
    return get_command(one)


@dataclass(frozen=True, slots=True)
class HelpEnd:
    """End of the help of a command."""

    example: str  # what follows the name of the program; a second line goes on after a backslash
    codes: str  # exit codes of the command

    def __str__(self) -> str:
        """Return example and exit codes as text, with the lines of the example unwrapped."""
        return f"\b\nExample:\n  benchinfer {self.example}\n\nExit codes: {self.codes}"
