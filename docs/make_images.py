"""Draw the figures of the documentation into ``docs/images``.

Run as ``python docs/make_images.py`` when a figure changes.
"""

import re
import shutil
import subprocess
from contextlib import chdir
from doctest import DocTestParser
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

import benchinfer as bi
from benchinfer.plots import draw, style
from benchinfer.reproductions.atlas import BOARDS, entry
from benchinfer.reproductions.claims import what_holds

DOCS = Path(__file__).resolve().parent
IMAGES = DOCS / "images"
DPI, INKED = 100, 200  # of images of the gallery; what is darker is a mark
THUMBNAIL, FLAT = (320, 288), 2.0  # pixels, and the largest ratio of its sides
FINE = 3  # times that a small part of a figure may be enlarged
TEX = r"""\documentclass{article}
\usepackage{booktabs,graphicx,siunitx}
\usepackage[textwidth=6in]{geometry}
\pagestyle{empty}
\begin{document}
%s
\end{document}
"""


def letters() -> bi.ScoreTable:
    """Return the experiment of the guide to stopping early, after 250 replications."""
    rng = np.random.default_rng(7)
    rows = pd.DataFrame(
        {"dataset": "letters", "replication": r, "algorithm": name, "accuracy": round(score, 4)}
        for r in range(1, 251)
        for shared in [rng.normal(0.80, 0.02)]
        for name, score in zip("abc", shared + rng.normal([0.0, 0.012, 0.010], 0.015), strict=True)
    )
    return bi.read_scores(
        rows,
        measures="accuracy:higher:0.01",
        layout="wide-measures",
        resampling=bi.Resampling("independent", paired=True),
    )


def grouped() -> bi.ScoreTable:
    """Return the scores of the guide to groups of data sets."""
    page = (DOCS / "explanation" / "subgroups.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    with TemporaryDirectory() as folder, chdir(folder):  # the page writes files
        for example in DocTestParser().get_examples(page)[:5]:
            exec(example.source, names)  # noqa: S102  # the code of our own page
    return names["scores"]


def paper_table() -> None:
    """Compile the table of the page for papers, if there is a pdfTeX."""
    if not (shutil.which("pdflatex") and shutil.which("pdftoppm")):
        print("no pdflatex or pdftoppm: the compiled table stays as it is")
        return
    page = (DOCS / "publish" / "paper.md").read_text(encoding="utf-8")
    rows = re.search(r"```text\n(dataset,.*?)```", page, re.DOTALL)[1]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "scores.csv").write_text(rows, encoding="utf-8")
        scores = bi.read_scores(
            folder / "scores.csv", measures="accuracy:higher:0.01", layout="wide-algorithms"
        )
        text = TEX % bi.compare_mixed(scores).table().to_latex()
        (folder / "table.tex").write_text(text, encoding="utf-8")
        for command in ("pdflatex -halt-on-error table.tex", "pdftoppm -r 110 -png table.pdf page"):
            subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
        picture = Image.open(folder / "page-1.png").convert("L")
        ink = picture.point(lambda grey: 255 * (grey < 250)).getbbox()
        left, top, right, bottom = ink
        picture.crop((left - 10, top - 10, right + 10, bottom + 10)).save(
            IMAGES / "paper_table.png", optimize=True
        )


def code(page: Path) -> str:
    """Return the code of a page."""
    text = page.read_text(encoding="utf-8")
    return "".join(example.source for example in DocTestParser().get_examples(text))


def gallery() -> None:
    """Draw the figures of the gallery by the code of its pages, of six and of thirty algorithms."""
    many: dict[str, Any] = {}
    exec(code(DOCS / "gallery" / "index.md"), many)  # noqa: S102  # the code of our own page
    for page in sorted((DOCS / "gallery").glob("*/*.md")):
        text = page.read_text(encoding="utf-8")
        for image, size in re.findall(r"\]\(\S*/images/(\S+/[\w-]+-(6|30)\.png)\)", text):
            of_size = code(page)
            if size == "30":
                of_size = re.sub(r"scores = bi.load_example\(.*?\)", "scores = thirty", of_size)
                of_size = of_size.replace("k, rng = 6,", "k, rng = 30,")
            names = {"thirty": many["thirty"]}
            exec(of_size, names)  # noqa: S102  # the code of our own page
            small(names["figure"], IMAGES / image)
            if size == "6":
                if np.divide(*names["figure"].get_size_inches()) > FLAT:
                    with patch.dict(draw._WIDTHS, page=style.COLUMN):
                        exec(of_size, names)  # noqa: S102
                thumbnail(
                    names["figure"], IMAGES / "thumbnails" / f"{page.parent.name}-{page.stem}.png"
                )
            print(image)


def small(figure: Figure, path: Path) -> None:
    """Save a figure in few colours."""
    whole = BytesIO()
    figure.savefig(whole, dpi=DPI)
    Image.open(whole).convert("RGB").quantize(32, Image.Quantize.MAXCOVERAGE).save(
        path, optimize=True
    )


def _label(study: str) -> str:
    board = entry(study).title.partition(",")[0] if study in BOARDS else ""
    return f"{board}, {study}" if board else study


def what_holds_up() -> Figure:
    """Draw the shares of claims that are decided, of the studies of the page of that name."""
    table = what_holds().iloc[::-1]
    names = [_label(study) for study in table["study"]]
    figure, axes = plt.subplots(1, 2, figsize=(7, 0.4 + 0.3 * len(table)), sharey=True)
    kinds = (
        ("best", "the first is better\nthan another"),
        ("adjacent", "one is better\nthan the next"),
    )
    for ax, (kind, name) in zip(axes, kinds, strict=True):
        shares = 100 * table[f"{kind}_decided"] / table[kind]
        ax.barh(names, 100, color=style.HAIR, height=0.6)
        ax.barh(names, shares, color=style.INK, height=0.6)
        for y, (decided, claims) in enumerate(
            zip(table[f"{kind}_decided"], table[kind], strict=True)
        ):
            ax.text(103, y, f"{decided} of {claims}", va="center", fontsize=8, color=style.INK)
        ax.set_xlim(0, 100)
        ax.set_title(name, fontsize=9, color=style.INK)
        ax.set_xlabel("decided, % of the claims", fontsize=8.5, color=style.FAINT)
        ax.tick_params(labelsize=8.5, length=0, labelcolor=style.INK)
        ax.spines[["left", "right", "top", "bottom"]].set_visible(False)
    figure.tight_layout(w_pad=4.5)
    return figure


def thumbnail(figure: Figure, path: Path) -> None:
    """Save the part of a figure that has marks, without what is written around it.

    Changes the figure: its texts are hidden to find the marks.
    """
    whole, fine = _pixels(figure), _pixels(figure, FINE)
    figure.set_layout_engine("none")
    for text in figure.findobj(Text):
        text.set_alpha(0)
    marks = _pixels(figure).min(axis=2) < INKED
    box = _bounds(marks)
    down, across = box[1] - box[0], box[3] - box[2]
    if down * across < 0.1 * marks.size or across > FLAT * down:  # texts are part of what it shows
        panel = Bbox.union([ax.get_window_extent() for ax in figure.axes])
        scale = DPI / figure.dpi
        low, high = (len(marks) - scale * np.array([panel.y1, panel.y0])).round().astype(int)
        marks = np.zeros_like(marks)
        within = slice(low, high), slice(round(scale * panel.x0), round(scale * panel.x1))
        marks[within] = whole[within].min(axis=2) < INKED
        box = _bounds(marks)
    top, bottom = max(box[0] - 6, 0), min(box[1] + 6, marks.shape[0])
    left, right = max(box[2] - 6, 0), min(box[3] + 6, marks.shape[1])
    part = fine[FINE * top : FINE * bottom, FINE * left : FINE * right]
    image = Image.fromarray(part)
    image.thumbnail(THUMBNAIL, Image.Resampling.LANCZOS)
    path.parent.mkdir(exist_ok=True)
    image.quantize(32, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)


def _bounds(marks: np.ndarray) -> list[int]:
    """Return the first and last row, and the first and last column, of what is marked."""
    down, across = (np.flatnonzero(marks.any(axis=axis)) for axis in (1, 0))
    return [int(n) for n in (down[0], down[-1], across[0], across[-1])] if len(down) else [0] * 4


def _pixels(figure: Figure, times: int = 1) -> np.ndarray:
    """Return the image of a figure, (down, across, red green blue)."""
    written = BytesIO()
    figure.savefig(written, dpi=times * DPI)
    return np.array(Image.open(written).convert("RGB"))


def main() -> None:
    """Draw all of them."""
    paper_table()
    gallery()
    simulated = bi.load_example("simulated/balanced")
    permuted = bi.compare_permutation(bi.load_example("sklearn_bootstrap"), "error", seed=1)
    resampled = bi.compare_bootstrap(simulated, seed=1)
    local = bi.per_dataset(
        bi.compare_mixed, bi.load_example("sklearn_bootstrap"), "error", structure="common"
    )
    sampled = bi.compare_bayes(bi.load_example("sklearn_bootstrap"), "error", seed=1)
    agreed = bi.consensus(local.relations(), family="linear")
    mixed = bi.compare_mixed(bi.load_example("sklearn_bootstrap"), "error")
    table = letters()
    watched, anytime = bi.monitor(table), bi.monitor(table, method="anytime")
    for name, figure in {
        "monitor_path": bi.plot(watched, "path"),
        "monitor_looks": bi.plot(bi.monitor(table, method="group-sequential"), "path"),
        "monitor_e_process": bi.plot(anytime, "e-process"),
        "monitor_sequence": bi.plot(anytime, "sequence"),
        "monitor_order": bi.plot(watched.consecutive(table, permutations=200, seed=1)),
        "plan_power": bi.plot(bi.plan(simulated, 0.01)),
        "answer": bi.plot(permuted),
        "order": bi.plot(bi.compare_mixed(simulated).relation()),
        "mean_ranks": bi.plot(permuted, "critical-difference"),
        "null": bi.plot(permuted, "null"),
        "profiles": bi.plot(resampled, "profile"),
        "improvement": bi.plot(resampled, "improvement"),
        "simplex": bi.plot(sampled, "simplex"),
        "wins": bi.plot(bi.compare_wins(bi.load_example("sklearn_bootstrap"), "error"), "wins"),
        "subgroups": bi.plot(bi.compare_subgroups(grouped(), seed=1)),
        "consensus_podium": bi.plot(local, "podium"),
        "consensus_map": bi.plot(local, "map"),
        "consensus_clusters": bi.plot(local, "clusters"),
        "consensus_order": bi.plot(agreed),
        "consensus_chances": bi.plot(
            bi.stability.bootstrap_consensus(local.relations(), family="linear", seed=1)
        ),
        "consensus_support": bi.plot(agreed, "support"),
        "what_holds_up": what_holds_up(),
        "verdicts": bi.plot(bi.per_dataset(bi.compare_mixed, simulated)),
        "gallery/scores/heatmap-clusters": bi.plot(
            bi.load_example("sklearn_bootstrap").subset(measures=["error"]),
            "heatmap",
            order="clusters",
        ),
        "gallery/comparison/estimation-pair": bi.plot(
            mixed, "estimation", pair=mixed.ranking()[:2]
        ),
    }.items():
        figure.savefig(IMAGES / f"{name}.png", dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()
