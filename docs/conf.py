"""How Sphinx builds the documentation."""

from importlib.metadata import version as installed

project = "benchinfer"
author = "The benchinfer developers"
project_copyright = author
release = version = installed("benchinfer")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["_build"]
nitpicky = False  # types in signatures are those of NumPy and pandas, whose pages are not here

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say it in words
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
