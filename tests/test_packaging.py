"""What a user installs: its metadata, its files, and what is not part of it."""

import ast
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

import benchinfer as bi
from tests.trees import FILES, PACKAGE, nodes

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITED = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
CITATION = dict(re.findall(r"^([\w-]+): *(.+)$", CITED, re.MULTILINE))
# Packages of extras, and the modules of models, which load some of them where they are asked for.
OPTIONAL = {
    *("arviz", "arviz_plots", "dask", "duckdb", "h5netcdf", "h5py", "nutpie", "openpyxl"),
    *("polars", "pymc", "pyspark", "pytensor"),
}
MODELS = {
    "analyses/bayes/pymc_model.py",
    "analyses/bayes/responses/model.py",
}


def test_the_version_is_the_same_everywhere():
    assert bi.__version__ == PROJECT["version"] == CITATION["version"]


def test_the_citation_is_as_released_as_the_version():
    text = (ROOT / "docs" / "changelog.md").read_text(encoding="utf-8")
    version, state = re.findall(r"^## (\S+) \((.+)\)$", text, re.MULTILINE)[0]
    assert version == PROJECT["version"]
    assert CITATION.get("date-released", "not released") == state


def test_the_citation_has_the_address_of_the_project():
    assert CITATION.get("repository-code") == PROJECT.get("urls", {}).get("Repository")


def test_a_wheel_has_the_tables_without_the_scripts_that_wrote_them():
    files = {f.distribution_path for f in WheelBuilder(str(ROOT)).recurse_included_files()}
    tables = {f for f in files if f.startswith("benchinfer/_datasets/")}
    written = {"scores.csv", "scores.csv.zst", "measures.toml", "README.md"}
    assert {Path(f).name for f in tables} == written
    ours = {f"benchinfer/{p.relative_to(PACKAGE)}" for p in FILES}
    assert ours <= files


@pytest.mark.slow
def test_optional_packages_are_imported_by_their_extra():
    brought = {
        re.split(r"[^\w-]", package)[0].replace("-", "_")
        for extra in PROJECT["optional-dependencies"].values()
        for package in extra
    }
    assert brought - {"benchinfer", "pyarrow"} == OPTIONAL
    for path in FILES:
        if path.relative_to(PACKAGE).as_posix() in MODELS:
            continue
        for node in nodes(path):
            found = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [a.name for a in node.names] if isinstance(node, ast.Import) else []
            assert not OPTIONAL & {f.split(".")[0] for f in found}, path


def test_pytest_finds_the_fixture():
    """The entry point names a module that has the fixture of the documentation."""
    ((name, home),) = PROJECT["entry-points"]["pytest11"].items()
    assert name == "benchinfer"
    assert hasattr(import_module(home), "gate")
