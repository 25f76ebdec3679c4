"""Build the archives of a release, with the address that the project has then.

Run by ``make release HOME=https://...``. The working tree stays as it is: a copy of it gets the
address, the day and the texts of a released version, and the archives are built from the copy.
In ``dist/release`` are then the wheel, the source archive, the recipe for conda with the digest of
that archive, and ``release.patch``, which makes the same changes to the repository.
"""

import difflib
import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
import zlib
from datetime import UTC, datetime
from pathlib import Path

from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from zopfli import zlib as zopfli

ROOT = Path(__file__).resolve().parents[1]
RECIPE = "packaging/conda/recipe.yaml"
WHEEL_LIMIT = 2_000_000
DAY = r"\d{4}-\d\d-\d\d"
SUBMODULE = "./benchinfer  # a clone of its repository, as a submodule"
# Texts of the clone, with what they are in a release. One of the two occurs once in its file.
TEXTS = {
    "pyproject.toml": {
        "\n[project.optional-dependencies]\n": """
[project.urls]
Homepage = "{home}"
Repository = "{home}"
Documentation = "{files}/docs/index.md"
Changelog = "{files}/docs/changelog.md"
Issues = "{home}/issues"

[project.optional-dependencies]
""",
    },
    "CITATION.cff": {
        "version: {version}\n": "version: {version}\ndate-released: {day}\n",
        "license: BSD-3-Clause\n": "license: BSD-3-Clause\nrepository-code: {home}\n",
    },
    "README.md": {
        "pip install .            # or: uv pip install .": (
            "pip install benchinfer          # or: uv add benchinfer"
        ),
        "pip install '.[all]'     # with": "pip install 'benchinfer[all]'   # with",
    },
    "SECURITY.md": {
        "There is no release yet, and no public address: tell whoever gave you the clone.": (
            "Report at <{home}/security/advisories/new>, which is not public."
        ),
    },
    "docs/changelog.md": {"## {version} (not released)": "## {version} ({day})"},
    "docs/citing.md": {
        "  note = {{Python package, version {version}}},": (
            "  note = {{Python package, version {version}}},\n  url = {{{home}}},"
        ),
    },
    "docs/index.md": {
        "pip install . # in a clone: it is not released yet": "pip install benchinfer",
    },
    "docs/install.md": {
        "{version} is not released:\nit is installed from a clone of its repository.": (
            "The newest release\nis {version}."
        ),
        "From source, in the clone, with an environment of yours activated:": (
            "Into an environment of yours that is activated:"
        ),
        "pip install .            # or: uv pip install .": (
            "pip install benchinfer          # or: uv add benchinfer"
        ),
        "In a project that uv looks after, `uv add ../benchinfer` with the path of the clone.": (
            "In a clone of [the repository]({home}), `pip install .` does the same."
        ),
        "`pip install '.[bayes,sql]'`": "`pip install 'benchinfer[bayes,sql]'`",
    },
    "docs/how-to/gate.md": {
        f"uses: {SUBMODULE}": "uses: {action}",
        "Until there is a release it is a submodule, which a pull request can change.\n": "",
    },
    "docs/examples/gate.yml": {
        f"pip install {SUBMODULE}": "pip install benchinfer=={version}",
    },
    RECIPE: {
        "about:\n": "about:\n  homepage: {home}\n  repository: {home}\n",
    },
}
SOURCE = """source:
  url: https://pypi.org/packages/source/b/benchinfer/benchinfer-${{{{ version }}}}.tar.gz
  sha256: {digest}
"""


class ReleaseError(Exception):
    """A release that cannot be built."""


def address(text: str) -> str:
    """Return the address of a repository as archives name it."""
    home = text.rstrip("/")
    if not re.fullmatch(r"https://[\w.-]+(/[\w.~-]+)+", home):
        raise ReleaseError(
            f"HOME is {text}, which is no address such as https://example.org/benchinfer."
        )
    return home


def values(root: Path, home: str, day: str) -> dict[str, str]:
    """Return what the texts of a release name."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tag = f"v{project['version']}"
    return {
        "home": home,
        "day": day,
        "version": project["version"],
        "files": f"{home}/blob/{tag}",
        "pictures": f"{home}/raw/{tag}",
        "action": f"{home.removeprefix('https://github.com/')}@{tag}",  # elsewhere: its address
    }


def pattern(text: str) -> str:
    """Return a regular expression of a text, wherever its lines are broken."""
    core = text.strip()
    lead, trail = text.split(core)
    return re.escape(lead) + r"\s+".join(map(re.escape, core.split())) + re.escape(trail)


def filled(name: str, text: str, known: dict[str, str]) -> str:
    """Return a file of the repository with the texts of a release; those that it has stay."""
    for before, after in TEXTS[name].items():
        there, wanted = before.format(**known), after.format(**known)
        released = re.escape(wanted).replace(re.escape(known["day"]), DAY)
        if wanted and re.search(released, text):
            continue
        number = len(re.findall(pattern(there), text))
        if number != 1 and wanted:
            raise ReleaseError(f"{name} has {number} times, not once: {there.strip()}")
        text = re.sub(pattern(there), lambda _, wanted=wanted: wanted, text)
    return text


def absolute(text: str, known: dict[str, str]) -> str:
    """Return a page whose links and pictures lead to the repository, wherever it is shown."""

    def link(match: re.Match[str]) -> str:
        place = "pictures" if match[1].endswith(".png") else "files"
        return f"]({known[place]}/{match[1]})"

    return re.sub(r"\]\((?!https?:|mailto:|#)([^)\s]+)\)", link, text)


def copied(root: Path, folder: Path) -> Path:
    """Unpack the source archive of a tree into a folder; return the copy."""
    (archive,) = SdistBuilder(str(root)).build(directory=str(folder), versions=["standard"])
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    Path(archive).unlink()
    return folder / Path(archive).name.removesuffix(".tar.gz")


def fill(tree: Path, known: dict[str, str]) -> str:
    """Write the texts of a release into a copy; return the changes as a patch."""
    patch = ""
    for name in TEXTS:
        path = tree / name
        before = path.read_text(encoding="utf-8")
        after = filled(name, before, known)
        lines = (text.splitlines(keepends=True) for text in (before, after))
        patch += "".join(difflib.unified_diff(*lines, f"a/{name}", f"b/{name}"))
        path.write_text(after, encoding="utf-8")
    return patch


def compress(wheel: Path) -> None:
    """Write the files of a wheel again, as small as any reader of ZIP archives takes them."""
    with zipfile.ZipFile(wheel) as archive:
        files = [(info, archive.read(info)) for info in archive.infolist()]
    with wheel.open("wb") as file, zipfile.ZipFile(file, "w") as archive:
        for info, content in files:
            # Zopfli's stream stands between a header and an end that are those of zlib.
            archive.writestr(info, zopfli.compress(content)[2:-4], zipfile.ZIP_STORED)
            info.compress_type, info.file_size = zipfile.ZIP_DEFLATED, len(content)
            info.CRC = zlib.crc32(content)
            file.seek(info.header_offset)
            file.write(info.FileHeader())


def build(root: Path, out: Path, home: str, day: str) -> list[Path]:
    """Build the archives of a tree into a folder, which is emptied before."""
    known = values(root, address(home), day)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    tree = copied(root, out)
    patch = out / "release.patch"
    patch.write_text(fill(tree, known), encoding="utf-8")
    readme = tree / "README.md"
    readme.write_text(absolute(readme.read_text(encoding="utf-8"), known), encoding="utf-8")
    built = [
        Path(next(iter(builder(str(tree)).build(directory=str(out), versions=["standard"]))))
        for builder in (WheelBuilder, SdistBuilder)
    ]
    compress(built[0])
    digest = hashlib.sha256(built[1].read_bytes()).hexdigest()
    recipe = out / "recipe.yaml"
    text = (tree / RECIPE).read_text(encoding="utf-8")
    source = SOURCE.format(digest=digest)
    recipe.write_text(re.sub(r"source:\n( .*\n)+", lambda _: source, text), encoding="utf-8")
    shutil.rmtree(tree)
    if built[0].stat().st_size >= WHEEL_LIMIT:
        raise ReleaseError(f"the wheel has {built[0].stat().st_size:,} bytes.")
    return [*built, recipe, patch]


def uncommitted(root: Path) -> str:
    """Return the changes of a clone that are in no commit."""
    command = ["git", "status", "--porcelain"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout


def main() -> int:
    """Run `release.py HOME`."""
    if changes := uncommitted(ROOT):
        print(f"release: these changes are not committed:\n{changes.rstrip()}", file=sys.stderr)
        return 1
    out = ROOT / "dist" / "release"
    try:
        made = build(ROOT, out, sys.argv[1], datetime.now(UTC).date().isoformat())
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    check = [sys.executable, "-m", "twine", "check", "--strict", *map(str, made[:2])]
    code = subprocess.run(check, check=False).returncode
    for path in made:
        print(f"{path.stat().st_size:>10,}  {path.relative_to(ROOT)}")
    print("Next: git apply dist/release/release.patch, commit, tag, twine upload the archives.")
    return code


if __name__ == "__main__":
    sys.exit(main())
