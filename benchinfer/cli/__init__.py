"""The command line: the words of the Python interface, typed in a terminal."""

import sys

INTERRUPTED = 130  # as a shell reports what SIGINT ended


def main() -> None:
    """Run the command line."""
    try:
        # Imports take a while, in which an interrupt is no bug either.
        from benchinfer.cli.app import app

        app()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(INTERRUPTED)


__all__ = ["main"]
