"""Groups of commands that load when they are called."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import typer
from typer.core import TyperGroup
from typer.main import get_command

if TYPE_CHECKING:
    from collections.abc import Callable


class LazyGroup(TyperGroup):
    """Commands that are made when they are called, as what they import takes a while."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands.update(cast("Any", dict.fromkeys(self.homes())))  # for suggestions of names

    @abstractmethod
    def homes(self) -> Mapping[str, Any]:
        """Return the names of the commands, each with its home."""

    @abstractmethod
    def title(self, name: str) -> str:
        """Return what a command does, in one sentence."""

    @abstractmethod
    def made(self, name: str) -> Any:
        """Return a command."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, if there is one of that name."""
        del ctx
        return self.made(cmd_name) if cmd_name in self.homes() else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.title(name)) for name in self.list_commands(ctx)])


def command(function: "Callable[..., None]", name: str, epilog: str) -> Any:
    """Return a function as a command."""
    one = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    one.command(name, epilog=epilog)(function)
    return get_command(one)
