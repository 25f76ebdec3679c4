"""The command line: the words of the Python interface, typed in a terminal."""

from benchinfer.cli.app import main

__all__ = ["main"]
