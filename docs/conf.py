"""How Sphinx builds the documentation."""

import re
import sys
from importlib.metadata import version as installed
from pathlib import Path
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util.logging import getLogger

sys.path.insert(0, str(Path(__file__).parent))
import make_notebooks
import make_pages

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "benchinfer"
author = "The benchinfer developers"
project_copyright = author
release = version = installed("benchinfer")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["_build"]
nitpicky = False  # types in signatures are those of NumPy and pandas, whose pages are not here

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autosummary_generate = True  # a page for each public name, below reference/api
templates_path = ["templates"]
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
napoleon_google_docstring = False
napoleon_use_rtype = False
add_module_names = False

bibtex_bibfiles = ["../benchinfer/references.bib"]
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"

html_theme = "furo"
html_title = "benchinfer"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"  # what browsers show without a script from elsewhere


# Methods by which results serve the package.
_INTERNAL = {
    *("about", "draws", "fill", "heading", "next_words", "of", "of_quantity", "rewrite"),
    *("sampled", "scope", "shown_columns", "sources", "texts"),
}


def _skipped(*event: Any) -> bool | None:
    """Leave out fields of records, which their docstrings list, and internal methods."""
    _, _, name, value, *_ = event
    return True if isinstance(value, MemberDescriptorType) or name in _INTERNAL else None


def _signature(*event: Any) -> tuple[str, None] | None:
    """Show no signature of records that users do not make."""
    _, what, _, value, *_ = event
    return ("", None) if what == "class" and "Parameters\n" not in (value.__doc__ or "") else None


def _shortened(*event: Any) -> None:
    """Name types of arguments and attributes without the modules that hold them."""
    event[5][:] = [
        re.sub(r"\bbenchinfer(\.\w+)*\.(?=\w)", "", line) if ":type" in line else line
        for line in event[5]
    ]


# A relation that the converter takes for a letter, and the space after a function's name.
_SPACED = {
    "<mi>&#x0007E;</mi>": "<mo>&#x0223C;</mo>",
    "<mi>log</mi>": '<mi>log</mi><mspace width="0.17em" />',
}


def _mathml(formula: nodes.math | nodes.math_block, display: str) -> str:
    """Write a formula as browsers and screen readers read it."""
    markup = convert(formula.astext(), display=display)
    if "\\" in markup:
        getLogger(__name__).warning("the converter does not know %r", markup, location=formula)
    for old, new in _SPACED.items():
        markup = markup.replace(old, new)
    return markup


def _inline_formula(page: Any, node: nodes.math) -> None:
    page.body.append(_mathml(node, "inline"))
    raise nodes.SkipNode


def _formula(page: Any, node: nodes.math_block) -> None:
    page.body.append(f'<div class="formula" tabindex="0">{_mathml(node, "block")}</div>')
    raise nodes.SkipNode


# What the theme and Sphinx write that screen readers cannot use, with what they can.
_LABELS = {
    'role="heading">': 'role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    "\n\n</pre>": "\n</pre>",
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    ' role="doc-biblioentry"': "",
}
_signature_lines = re.compile(r'(<dt class="sig .*?</dt>)', re.DOTALL)


def _without_lists(signature: str) -> str:
    """Set the arguments of a signature in lines: they are no list of definitions."""
    for tag, name in (("dl", "sig-lines"), ("dd", "sig-line")):
        signature = signature.replace(f"<{tag}>", f'<span class="{name}">')
        signature = signature.replace(f"</{tag}>", "</span>")
    return signature


def _made(app: "Sphinx") -> None:
    """Write the tutorials as notebooks, and pages from the code, which are not kept."""
    make_notebooks.write(Path(app.srcdir) / "tutorials")
    make_pages.write(make_pages.BUILT, Path(app.srcdir))


def _measured(*event: Any) -> None:
    """Show the measurements that a page of the evidence speaks of."""
    _, page, source = event
    folder, _, topic = page.partition("/")
    if folder == "evidence":
        source[0] = make_pages.with_tables(source[0], topic)


def _downloadable(app: "Sphinx", page: str, source: list[str]) -> None:
    """Link the notebook of a tutorial below its title."""
    if (Path(app.srcdir) / f"{page}.ipynb").exists():
        title, _, text = source[0].partition("\n")
        link = f"{{download}}`This page as a notebook <{Path(page).name}.ipynb>`"
        source[0] = f"{title}\n\n{link}\n{text}"


def _sortable(app: "Sphinx", page: str, *_: Any) -> None:
    """Let readers sort the tables of the evidence."""
    if page.startswith("evidence/") and page != "evidence/index":
        app.add_js_file("sort.js")


# Pages that are gone, and where what they held is.
REDIRECTS = {
    "explanation/fit": "mixed-model.html#more-from-a-fit",
    "for-autorank-users": "from-other-tools.html#autorank",
    "for-python-users": "from-other-tools.html#baycomp-and-evalstats",
    "for-r-users": "from-other-tools.html#r",
    "for-rliable-users": "from-other-tools.html#rliable",
    "for-scikit-posthocs-users": "from-other-tools.html#scikit-posthocs",
}


def _redirected(app: "Sphinx", error: Exception | None) -> None:
    """Lead from old addresses of pages to new ones."""
    for old, new in REDIRECTS.items() if not error else ():
        (Path(app.outdir) / f"{old}.html").write_text(
            f'<!doctype html><html lang="en"><title>Moved</title>'
            f'<meta http-equiv="refresh" content="0; url={new}"><a href="{new}">Moved</a></html>\n',
            encoding="utf-8",
        )


def _labelled(app: "Sphinx", error: Exception | None) -> None:
    """Mend in all pages what axe-core finds."""
    for path in () if error else Path(app.outdir).rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for old, new in _LABELS.items():
            text = text.replace(old, new)
        parts = _signature_lines.split(text)
        parts[1::2] = map(_without_lists, parts[1::2])
        path.write_text("".join(parts), encoding="utf-8")


def setup(app: "Sphinx") -> None:
    """Connect what Sphinx calls."""
    app.add_html_math_renderer("mathml", (_inline_formula, None), (_formula, None))
    app.connect("autodoc-skip-member", _skipped)
    app.connect("autodoc-process-signature", _signature)
    app.connect("autodoc-process-docstring", _shortened, priority=900)  # after napoleon
    app.connect("builder-inited", _made)
    app.connect("source-read", _downloadable)
    app.connect("source-read", _measured)
    app.connect("html-page-context", _sortable)
    app.connect("build-finished", _labelled)
    app.connect("build-finished", _redirected)
