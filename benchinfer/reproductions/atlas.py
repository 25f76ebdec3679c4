"""All entries by name."""

from importlib import import_module
from typing import Literal, get_args

from benchinfer.core.arguments import check_argument
from benchinfer.reproductions.entry import Entry

# In the order of their years; a module each, as its imports take a while.
type Study = Literal[
    "demsar2006",
    "hornik2007",
    "garcia2008",
    "eugster2012",
    "bischl2016",
    "benavoli2017",
    "fawaz2019",
    "agarwal2021",
    "freitag2021",
    "mogstad2024",
]
# Whose tables are those of boards, to which entries are added.
type Board = Literal[
    "lacava2021",
    "notin2023",
    "aksu2024",
    "liu2024",
    "yao2024",
    "dubois2024",
    "shchur2025",
    "kasimbeg2025",
]
type Name = Study | Board
BOARDS: tuple[Board, ...] = get_args(Board.__value__)
NAMES: tuple[Name, ...] = (*get_args(Study.__value__), *BOARDS)


def entry(name: Name) -> Entry:
    """Return the entry of a study.

    Raises
    ------
    ArgumentError
        There is none of that name.

    Examples
    --------
    >>> table = entry("demsar2006").reproduce()
    >>> bool(table["agrees"].all()), len(table)
    (True, 9)
    """
    check_argument("name", name, Name)
    folder = "reproductions.boards" if name in BOARDS else "reproductions"
    return import_module(f"benchinfer.{folder}.{name}").ENTRY
