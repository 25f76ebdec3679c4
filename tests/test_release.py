"""The archives of a release, built with an example address, and what the clone says before it."""

import importlib.util
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from contextlib import redirect_stdout
from email.parser import Parser
from importlib.metadata import requires
from io import StringIO
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from packaging.requirements import Requirement
from pathspec import GitIgnoreSpec
from twine.commands.check import check

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
# In a release these tests find its address and its day.
HOME = PROJECT.get("urls", {}).get("Repository", "https://example.org/benchinfer")
DAY = str(CITATION.get("date-released", "2030-01-31"))
VERSION = PROJECT["version"]


def _loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / "scripts" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = _loaded()


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Return the folder of a release that the example address was given to."""
    out = tmp_path_factory.mktemp("release") / "out"
    release.build(ROOT, out, HOME, DAY)
    return out


@pytest.fixture(scope="module")
def wheel(built) -> zipfile.ZipFile:
    return zipfile.ZipFile(built / f"benchinfer-{VERSION}-py3-none-any.whl")


@pytest.fixture(scope="module")
def source(built, tmp_path_factory) -> Path:
    """Return the unpacked source archive."""
    folder = tmp_path_factory.mktemp("source")
    with tarfile.open(built / f"benchinfer-{VERSION}.tar.gz") as tar:
        tar.extractall(folder, filter="data")
    return folder / f"benchinfer-{VERSION}"


def test_an_index_takes_the_archives(built):
    archives = [str(path) for path in built.iterdir() if path.suffix in {".whl", ".gz"}]
    assert len(archives) == 2
    told = StringIO()
    with redirect_stdout(told):
        failed = check(archives, strict=True)
    assert not failed, told.getvalue()


def test_the_page_of_an_index_has_the_addresses(wheel):
    text = wheel.read(f"benchinfer-{VERSION}.dist-info/METADATA").decode("utf-8")
    metadata = Parser().parsestr(text)
    urls = dict(entry.split(", ") for entry in metadata.get_all("Project-URL") or [])
    assert urls["Homepage"] == urls["Repository"] == HOME
    readme = metadata.get_payload()
    assert isinstance(readme, str)
    targets = re.findall(r"\]\(([^)\s]+)\)", readme)
    assert [t for t in targets if not t.startswith("https://")] == []
    ours = re.findall(rf"\]\({re.escape(HOME)}/(?:blob|raw)/v{VERSION}/([^)#\s]+)", readme)
    assert [t for t in ours if not (ROOT / t).exists()] == []
    assert len(ours) > 30
    assert f"]({HOME}/raw/v{VERSION}/docs/images/answer.png)" in readme
    assert f"]({HOME}/blob/v{VERSION}/docs/install.md)" in readme
    assert "pip install benchinfer" in readme
    assert "pip install ." not in readme


def test_nothing_but_links_and_install_lines_differs_on_the_page(wheel):
    ours = (ROOT / "README.md").read_text("utf-8")
    for before, after in release.TEXTS["README.md"].items():
        ours = ours.replace(before, after)  # to the letter: lines are not broken here
    text = wheel.read(f"benchinfer-{VERSION}.dist-info/METADATA").decode("utf-8")
    pages = [ours, text.partition("\n\n")[2]]
    shown, page = (re.sub(r"\]\([^)\s]+\)", "]()", page) for page in pages)
    assert page == shown


def test_wheel_is_small_and_has_no_tests(wheel):
    assert wheel.filename is not None
    assert Path(wheel.filename).stat().st_size < release.WHEEL_LIMIT == 2_000_000
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert tops == {"benchinfer", f"benchinfer-{VERSION}.dist-info"}


def test_source_archive_has_what_the_tests_read(source):
    ignored = GitIgnoreSpec.from_lines((ROOT / ".gitignore").read_text("utf-8").splitlines())
    names = {path.name for path in ROOT.iterdir() if path.is_file() and path.name[0] != "."}
    names |= {".gitattributes", ".gitignore", ".python-version"}
    for folder in ("tests", "docs", "datasets", "benchmarks", "scripts", "packaging", "paper"):
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
        names |= {path.relative_to(ROOT).as_posix() for path in files}
    kept = [*ignored.match_files(names, negate=True)]
    assert len(kept) > 1000
    assert [name for name in kept if not (source / name).exists()] == []


@pytest.mark.slow
def test_a_release_says_where_it_is_from_and_of_which_day(source):
    citation = yaml.safe_load((source / "CITATION.cff").read_text("utf-8"))
    assert citation["repository-code"] == HOME
    assert str(citation["date-released"]) == DAY
    pages = {path: path.read_text("utf-8") for path in source.rglob("*.md")}
    assert [p for p, text in pages.items() if re.search(r"not released|no release yet", text)] == []
    action = release.values(ROOT, HOME, DAY)["action"]
    assert f"uses: {action}" in pages[source / "docs" / "how-to" / "gate.md"]
    assert f"## {VERSION} ({DAY})" in pages[source / "docs" / "changelog.md"]


def test_an_action_of_github_is_named_by_its_repository():
    assert release.values(ROOT, "https://github.com/a/b", DAY)["action"] == f"a/b@v{VERSION}"


def test_the_patch_makes_the_repository_what_was_released(built, source, tmp_path):
    for name in release.TEXTS:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    patch = built / "release.patch"
    subprocess.run(["git", "apply", "--allow-empty", str(patch)], cwd=tmp_path, check=True)
    for name in {*release.TEXTS} - {"README.md"}:  # whose links stay relative
        assert (tmp_path / name).read_bytes() == (source / name).read_bytes(), name


def test_nothing_is_built_for_what_is_no_address():
    for text in ("/root", "http://example.org/benchinfer", "https://example.org", "https://a b/c"):
        with pytest.raises(release.ReleaseError, match="no address"):
            release.address(text)
    assert release.address(f"{HOME}/") == HOME


def test_a_released_tree_stays_as_it_is():
    known = release.values(ROOT, HOME, DAY)
    later = known | {"day": "2031-12-31"}
    for name in release.TEXTS:
        once = release.filled(name, (ROOT / name).read_text("utf-8"), known)
        assert release.filled(name, once, later) == once, name


def test_texts_are_found_wherever_their_lines_are_broken():
    found = re.findall(release.pattern("\n## not  released\n"), "a\n\n## not\n released\nb")
    assert found == ["\n## not\n released\n"]


def test_a_text_that_is_gone_stops_a_release():
    known = release.values(ROOT, HOME, DAY)
    with pytest.raises(release.ReleaseError, match=r"CITATION.cff has 0 times, not once"):
        release.filled("CITATION.cff", "version: 9\n", known)


@pytest.mark.parametrize(
    ("words", "code", "shown"),
    [
        ((), 2, "make release HOME=https://"),
        ((f"HOME={HOME}",), 0, f"scripts/release.py {HOME}"),
    ],
)
def test_make_takes_the_address_from_the_command_line_alone(words, code, shown):
    command = ["make", "--dry-run", "release", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert shown in done.stdout + done.stderr


def test_programs_that_make_runs_keep_their_home(tmp_path):
    text = (ROOT / "Makefile").read_text("utf-8")
    (tmp_path / "Makefile").write_text(f"{text}\nshown:\n\t@echo $$HOME\n")
    command = ["make", "--silent", "shown", f"HOME={HOME}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(Path("~").expanduser())


def test_no_page_shows_a_placeholder():
    paths = [ROOT / "README.md", ROOT / "action.yml", ROOT / "CITATION.cff", ROOT / "SECURITY.md"]
    paths += [p for s in ("md", "yml", "yaml") for p in (ROOT / "docs").rglob(f"*.{s}")]
    paths += [*(ROOT / "packaging").rglob("*.yaml"), *(ROOT / "paper").glob("*.md")]
    placeholder = re.compile(
        r"\bOWNER\b|example\.org/benchinfer|<(owner|user|url|address)>|\bTODO\b"
    )
    assert [p for p in paths if placeholder.search(p.read_text("utf-8"))] == []


def test_the_recipe_for_conda_needs_what_the_package_needs():
    backends = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]
    recipe = yaml.safe_load((ROOT / release.RECIPE).read_text("utf-8"))
    names = {"matplotlib": "matplotlib-base"}  # without the toolkits of windows
    needed = set()
    for text in PROJECT["dependencies"]:
        package = Requirement(text)
        needed.add(f"{names.get(package.name, package.name)} {package.specifier}")
        if package.extras:
            brought = [Requirement(line) for line in requires(package.name) or []]
            marked = [r for r in brought if r.marker and "extra" in str(r.marker)]
            extras = {r.name for r in marked if r.marker.evaluate({"extra": "xarray"})}
            needed |= extras - {"xarray"}
    python = PROJECT["requires-python"].removeprefix(">=")
    assert recipe["context"] == {"version": VERSION, "python_min": python}
    assert {*recipe["requirements"]["run"]} == {*needed, "python >=${{ python_min }}"}
    backend = {text.replace(">=", " >=") for text in backends["requires"]}
    assert backend <= {*recipe["requirements"]["host"]}
    scripts = {f"{n} = {f}" for n, f in PROJECT["scripts"].items()}
    assert {*recipe["build"]["python"]["entry_points"]} == scripts
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["summary"] == PROJECT["description"]


def test_the_recipe_of_a_release_has_the_digest_of_its_archive(built):
    recipe = yaml.safe_load((built / "recipe.yaml").read_text("utf-8"))
    archive = built / f"benchinfer-{VERSION}.tar.gz"
    (digest,) = subprocess.run(
        ["sha256sum", str(archive)], capture_output=True, text=True, check=True
    ).stdout.split()[:1]
    assert recipe["source"]["sha256"] == digest
    assert "path" not in recipe["source"]
    assert recipe["about"]["homepage"] == HOME


@pytest.mark.slow
def test_commands_of_the_recipe_end_well(tmp_path):
    recipe = yaml.safe_load((ROOT / release.RECIPE).read_text("utf-8"))
    (lines,) = [entry["script"] for entry in recipe["tests"] if "script" in entry]
    for line in lines:
        command = [sys.executable, "-m", *line.split()]
        assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
