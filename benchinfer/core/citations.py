"""Citations of methods, harvested from the DOIs in docstrings."""

import re
from collections.abc import Sequence
from importlib import import_module
from importlib.resources import files

_doi = re.compile(r"https://doi\.org/(10\.\S+?)[\s.,;)]*(?:\s|$)")


def dois(names: Sequence[str]) -> list[str]:
    """Return the DOIs in docstrings of modules (``"a.b"``) and functions (``"a.b:f"``), once."""
    text = "\n".join(_docstring(name) for name in names)
    return list(dict.fromkeys(_doi.findall(text)))


def _docstring(name: str) -> str:
    module, _, function = name.partition(":")
    home = import_module(module)
    return (getattr(home, function) if function else home).__doc__ or ""


def entries() -> dict[str, str]:
    """Return the bundled BibTeX entries by lower-case DOI."""
    text = files("benchinfer").joinpath("references.bib").read_text(encoding="utf-8")
    found = re.findall(r"@\w+\{.*?\n\}", text, flags=re.DOTALL)
    by_doi = {re.search(r"doi\s*=\s*\{(.+?)\}", entry): entry for entry in found}
    return {match[1].lower(): entry for match, entry in by_doi.items() if match}


def bibtex(names: Sequence[str]) -> str:
    """Return the BibTeX entries of the works that docstrings name; see `dois`.

    Examples
    --------
    >>> print(bibtex(["benchinfer.numerics.max_t_exact"]).splitlines()[0])
    @article{lund1983,
    """
    known = entries()
    return "\n\n".join(known[doi.lower()] for doi in dois(names))
