"""Citations of methods, harvested from the DOIs in docstrings."""

import re
from collections.abc import Sequence
from importlib import import_module
from importlib.resources import files

_doi = re.compile(r"https://doi\.org/(10\.\S+?)[\s.,;)]*(?:\s|$)")


def dois(modules: Sequence[str]) -> list[str]:
    """Return the DOIs named in the docstrings of modules, in order, each once."""
    text = "\n".join(import_module(name).__doc__ or "" for name in modules)
    return list(dict.fromkeys(_doi.findall(text)))


def entries() -> dict[str, str]:
    """Return the bundled BibTeX entries by lower-case DOI."""
    text = files("benchinfer").joinpath("references.bib").read_text(encoding="utf-8")
    found = re.findall(r"@\w+\{.*?\n\}", text, flags=re.DOTALL)
    by_doi = {re.search(r"doi\s*=\s*\{(.+?)\}", entry): entry for entry in found}
    return {match[1].lower(): entry for match, entry in by_doi.items() if match}


def bibtex(modules: Sequence[str]) -> str:
    """Return the BibTeX entries of the methods that modules rest on.

    Examples
    --------
    >>> print(bibtex(["benchinfer.numerics.studentized"]).splitlines()[0])
    @article{lund1983,
    """
    known = entries()
    return "\n\n".join(known[doi.lower()] for doi in dois(modules))
