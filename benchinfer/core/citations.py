"""Citations of methods, harvested from the DOIs in docstrings."""

import re
from collections.abc import Sequence
from importlib.resources import files

_doi = re.compile(r"https://doi\.org/(10\.\S+?)[\s.,;)]*(?:\s|$)")


def dois(sources: Sequence[object]) -> list[str]:
    """Return the DOIs in the docstrings of functions and classes, each once."""
    text = "\n".join(source.__doc__ or "" for source in sources)
    return list(dict.fromkeys(_doi.findall(text)))


def entries() -> dict[str, str]:
    """Return the bundled BibTeX entries by lower-case DOI."""
    text = files("benchinfer").joinpath("references.bib").read_text(encoding="utf-8")
    entries = re.findall(r"@\w+\{.*?\n\}", text, flags=re.DOTALL)
    by_doi = {re.search(r"doi\s*=\s*\{(.+?)\}", entry): entry for entry in entries}
    return {match[1].lower(): entry for match, entry in by_doi.items() if match}


def bibtex(sources: Sequence[object]) -> str:
    """Return the BibTeX entries of the works that docstrings name; see `dois`.

    Examples
    --------
    >>> from benchinfer.numerics.multiplicity import holm
    >>> print(bibtex([holm]).splitlines()[0])
    @article{holm1979,
    """
    known = entries()
    return "\n\n".join(known[doi.lower()] for doi in dois(sources))
