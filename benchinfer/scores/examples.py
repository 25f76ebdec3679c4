"""Bundled tables of scores."""

from pathlib import Path

from benchinfer.core.arguments import checked
from benchinfer.core.errors import ScoreTableError, unknown
from benchinfer.scores.read import read_scores
from benchinfer.scores.table import ScoreTable


@checked
def load_example(name: str) -> ScoreTable:
    """Read a bundled table with its measures.

    Parameters
    ----------
    name
        Folder below ``datasets``, as in ``"simulated/balanced"``.

    Raises
    ------
    ScoreTableError
        There is no such table; the message lists those there are.
    """
    there = examples()
    if name not in there:
        raise ScoreTableError(unknown("example", name, list(there)))
    return read_scores(there[name])


def examples() -> dict[str, Path]:
    """List the bundled tables."""
    package = Path(__file__).parents[1]
    # In the wheel they are inside the package; in a checkout or an editable install beside it.
    roots = (package / "_datasets", package.parent / "datasets")
    root = next((root for root in roots if root.is_dir()), None)
    if root is None:
        return {}
    folders = sorted({path.parent for path in root.rglob("scores.*")})
    return {folder.relative_to(root).as_posix(): folder for folder in folders if folder != root}
