"""Compile requirements.lock from pyproject.toml, or check that the two belong together.

The lock names versions and hashes for every platform and no package host: whatever index a
machine is set up for will do. Its first line is a digest of everything in pyproject.toml that
decides what is in it, so that the check needs no network and cannot change its mind when
something new is released.
"""

import hashlib
import json
import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = ROOT / "pyproject.toml"
LOCK = ROOT / "requirements.lock"
STAMP = "# pyproject.toml: sha256:"


def digest(pyproject: dict) -> str:
    """Hash what the lock depends on."""
    project = pyproject["project"]
    deciding = [
        project["dependencies"],
        project["optional-dependencies"],
        pyproject["dependency-groups"],
        pyproject["build-system"]["requires"],
        project["requires-python"],
    ]
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()


def required(pyproject: dict) -> set[str]:
    """Name every distribution that the development environment asks for."""
    wanted = [
        *pyproject["project"]["dependencies"],
        *pyproject["project"]["optional-dependencies"]["bayes"],
        *pyproject["project"]["optional-dependencies"]["sql"],
        *pyproject["build-system"]["requires"],
        *chain.from_iterable(pyproject["dependency-groups"].values()),
    ]
    return {normalized(requirement) for requirement in wanted}


def normalized(requirement: str) -> str:
    """Take the name out of a requirement, spelled as the lock spells it."""
    name = re.split(r"[^\w.-]", requirement)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def problems(pyproject: dict, lock: str) -> list[str]:
    """List what is wrong with a lock."""
    found = []
    if lock.splitlines()[:1] != [STAMP + digest(pyproject)]:
        found.append("it was compiled for another pyproject.toml")
    pins = re.split(r"\n(?=\S)", re.sub(r"(?m)^\s*#.*\n?", "", lock).strip())
    loose = [pin for pin in pins if not re.match(r"\S+==\S+ .*--hash=sha256:", pin, re.DOTALL)]
    found += ["no version and hash: " + pin.partition("\n")[0] for pin in loose]
    pinned = {normalized(pin) for pin in pins}
    found += [f"missing: {name}" for name in sorted(required(pyproject) - pinned)]
    if any(host in lock for host in ("://", "file:", "--index", "--find-links")):
        found.append("it names a package host")
    return found


def compile_lock(uv: str, upgrade: list[str]) -> None:
    """Let uv resolve; versions in the present lock stay unless `--upgrade` says otherwise."""
    groups = tomllib.loads(PROJECT.read_text())["dependency-groups"]
    command = [
        *(uv, "pip", "compile", "pyproject.toml", "--quiet", "--universal", "--generate-hashes"),
        *("--python-version", "3.12", "--no-header", "--output-file", LOCK.name),
        *("--extra", "all"),
        *(part for group in groups for part in ("--group", group)),
        *upgrade,
    ]
    subprocess.run(command, cwd=ROOT, check=True)
    pyproject = tomllib.loads(PROJECT.read_text())
    LOCK.write_text(f"{STAMP}{digest(pyproject)}\n# compiled by `make lock`\n{LOCK.read_text()}")


def main() -> int:
    """Run `lock.py check` or `lock.py compile UV [--upgrade ...]`."""
    if sys.argv[1] == "compile":
        compile_lock(sys.argv[2], sys.argv[3:])
    found = problems(tomllib.loads(PROJECT.read_text()), LOCK.read_text())
    if found:
        print("requirements.lock:", *found, "Hint: make lock", sep="\n    ", file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
