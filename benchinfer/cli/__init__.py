"""The command line: the words of the Python interface, typed in a terminal."""

import gc
import os
import signal
import sys

_USAGE = 2
_NUMBA = ".numba_config.yaml"


def main() -> None:
    """Run the command line."""
    # Matrices are small: a second thread takes a third more of computing and saves no time. NumPy's
    # library reads this once, when it is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Nearly all that a command makes lasts to its end, 700,000 objects of a long report: to look
    # for garbage among them takes a tenth of a command.
    gc.set_threshold(1_000_000)
    if os.path.lexists(_NUMBA):
        # Compiled code is pickled, and what is unpickled runs: no folder says where it comes from.
        sys.stderr.write(
            f"Error: {_NUMBA} in the current folder sets up Numba, which would load code from where"
            " it says.\nHint: start in another folder, or set variables such as NUMBA_CACHE_DIR.\n"
        )
        sys.exit(_USAGE)
    try:
        # Imports take a while, in which an interrupt is no bug either.
        from benchinfer.cli.app import app

        app()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(128 + signal.SIGINT)  # as a shell reports what it ended
    finally:
        # Python looks for garbage once more as it ends, which takes a second after a report. DuckDB
        # needs that: it says on stderr that all of its types have leaked where nobody looks.
        if "duckdb" not in sys.modules:
            gc.freeze()


__all__ = ["main"]
