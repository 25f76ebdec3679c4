"""The commands."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any, ClassVar

import typer
from typer.main import get_command

from benchinfer.cli.groups import HELP, LazyGroup, command, names_table
from benchinfer.cli.guard import Exit, PlainGroup

# The module of each command, imported when it is called, in the order of work.
_HOMES = {
    "init": "benchinfer.cli.init",
    "check": "benchinfer.cli.commands",
    "describe": "benchinfer.cli.commands",
    "compare": "benchinfer.cli.compare",
    "consensus": "benchinfer.cli.commands",
    "report": "benchinfer.cli.commands",
    "subgroups": "benchinfer.cli.subgroups",
    "gate": "benchinfer.cli.gate",
    "board": "benchinfer.cli.gate",
    "monitor": "benchinfer.cli.monitor",
    "plan": "benchinfer.cli.plan",
    "allocate": "benchinfer.cli.plan",
    "reproduce": "benchinfer.cli.commands",
}


_EXAMPLES = """\
  {0} scores.csv               compare, by the analysis that fits
  {0} old.json new.json        compare two files
  {0} init scores.csv          write what is said once: columns, directions
  {0} report scores.csv        write all that the table supports into a page
  {0} example:demsar2006       try it on a bundled table"""
_NOTHING = f"""\
A table of scores is missing, or a command:

{_EXAMPLES}
  {{0}} --help                   list the commands"""


class Commands(LazyGroup, PlainGroup):
    """All commands."""

    homes: ClassVar[Mapping[str, tuple[str, str]]] = {
        name: (home, name) for name, home in _HOMES.items()
    }

    def made(self, name: str) -> Any:
        """Return a command."""
        module = import_module(_HOMES[name])
        if name == "compare":
            return get_command(module.group)
        return command(getattr(module, name), name, module.ENDS[name])

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; print help first, without loading the modules that check values."""
        # The short form of the first command of a newcomer.
        if args and args[0] not in self.homes and names_table(args[0]):
            args = ["compare", *args]
        helps = not ctx.resilient_parsing and not set(HELP).isdisjoint(args)
        if helps and (context := _named(ctx, args)):
            typer.echo(context.get_help())
            ctx.exit()
        if not args and not ctx.resilient_parsing:
            typer.echo(_NOTHING.format(ctx.command_path), err=True)
            ctx.exit(Exit.USAGE)
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the usage lines: of a table alone, and of a command."""
        formatter.write_usage(ctx.command_path, "SCORES [MORE]... [OPTIONS]")
        formatter.write_usage(ctx.command_path, "COMMAND [ARGS]...", "       ")


def _named(context: Any, words: list[str]) -> Any:
    """Return the context of the command at the start of the words; None if it is unknown."""
    for word in words:
        if word.startswith("-") or not hasattr(context.command, "list_commands"):
            break
        if (one := context.command.get_command(context, word)) is None:
            return None
        context = type(context)(one, info_name=word, parent=context)
    return context


app = typer.Typer(
    cls=Commands,
    rich_markup_mode=None,  # plain text, as what is piped should be; and rich takes time to load
    help="Decide from benchmark scores which algorithm is better, with the evidence.",
    epilog=f"\b\nExamples:\n{_EXAMPLES.format('benchinfer')}",
    context_settings={"help_option_names": [*HELP]},
    pretty_exceptions_enable=False,
)


def _version(requested: bool) -> None:  # noqa: FBT001 (typer calls it so)
    if requested:
        from benchinfer.core.provenance import __version__

        typer.echo(f"benchinfer {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Decide from benchmark scores which algorithm is better, with the evidence."""
