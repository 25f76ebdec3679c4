"""Documents of the commands, printed as JSON."""

import sys
from collections.abc import Mapping

from benchinfer.cli.options.configuration import TAKEN


def write_document(document: Mapping[str, object]) -> None:
    """Print a document as JSON, with the options that came from a file."""
    from benchinfer.reports import documents

    sys.stdout.write(documents.text(documents.with_options(document, TAKEN.get())))
