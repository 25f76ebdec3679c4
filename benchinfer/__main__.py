"""The command line as ``python -m benchinfer``."""

from benchinfer.cli import main

if __name__ == "__main__":
    main()
