"""Six classifiers on twelve data sets, 100 bootstrap samples each: writes scores.csv.zst.

After Hothorn, Leisch, Zeileis & Hornik (2005): a bootstrap sample of a data set is the learning
sample of all algorithms, the observations that it leaves out are their test sample. Run as
``python datasets/sklearn_bootstrap/make.py``; an interrupted run goes on with the first data set
that is not finished. Errors depend on the seeds and the scikit-learn version, seconds on the
machine.
"""

import hashlib
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn import datasets as bundled
from sklearn.base import ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from score_file import Row, figure, read_rows, write_rows

HERE = Path(__file__).resolve().parent
TARGET = HERE / "scores.csv.zst"
CACHE = HERE / ".cache" / f"scikit-learn-{sklearn.__version__}"
REPLICATIONS = 100

type Sample = tuple[NDArray[np.float64], NDArray[np.int64]]


def seed_of(*parts: object) -> int:
    """Derive a seed from names and numbers, the same in every process and on every machine.

    Parameters
    ----------
    *parts
        What the seed is for, for example data set and replication.

    Returns
    -------
    int
        A number below 2**32, as scikit-learn wants it.
    """
    name = "/".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4])


def digits(seed: int) -> Sample:
    """Draw 600 of the 1797 handwritten digits, the classes in proportion.

    Parameters
    ----------
    seed
        Seed of the draw.

    Returns
    -------
    tuple of array
        Inputs (600 x 64) and classes.
    """
    inputs, classes = bundled.load_digits(return_X_y=True)
    kept, _, labels, _ = train_test_split(
        inputs, classes, train_size=600, stratify=classes, random_state=seed
    )
    return kept, labels


def twonorm(seed: int) -> Sample:
    """Generate two spherical normal classes in 20 dimensions (Breiman 1996).

    Parameters
    ----------
    seed
        Seed of the generator.

    Returns
    -------
    tuple of array
        Inputs (400 x 20) and classes; every mean is 2 / sqrt(20) in the one, its negative in the
        other class.
    """
    corner = np.full(20, 2 / np.sqrt(20))
    return bundled.make_blobs(400, centers=np.array([corner, -corner]), random_state=seed)


def waveform(seed: int) -> Sample:
    """Generate the three-class waveform problem (Breiman, Friedman, Olshen & Stone 1984).

    Parameters
    ----------
    seed
        Seed of the generator.

    Returns
    -------
    tuple of array
        Inputs (600 x 21) and classes; an observation is a random convex combination of two of
        three triangular waves plus standard normal noise.
    """
    rng = np.random.default_rng(seed)
    grid = np.arange(1, 22)
    waves = np.array([np.maximum(6 - np.abs(grid - peak), 0) for peak in (11, 15, 7)])
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    classes = np.repeat(np.arange(3), 200)
    share = rng.uniform(size=(600, 1))
    first, second = waves[pairs[classes, 0]], waves[pairs[classes, 1]]
    return share * first + (1 - share) * second + rng.standard_normal((600, 21)), classes


DATASETS: dict[str, Callable[[int], Sample]] = {
    "iris": lambda _: bundled.load_iris(return_X_y=True),
    "wine": lambda _: bundled.load_wine(return_X_y=True),
    "breast_cancer": lambda _: bundled.load_breast_cancer(return_X_y=True),
    "digits": digits,
    "hastie_10_2": lambda seed: bundled.make_hastie_10_2(600, random_state=seed),
    "moons": lambda seed: bundled.make_moons(300, noise=0.3, random_state=seed),
    "circles": lambda seed: bundled.make_circles(300, noise=0.2, factor=0.5, random_state=seed),
    "gaussian_quantiles": lambda seed: bundled.make_gaussian_quantiles(
        n_samples=500, n_features=5, n_classes=3, random_state=seed
    ),
    "blobs": lambda seed: bundled.make_blobs(
        300, centers=np.array([(0, 0), (4, 0), (0, 4), (4, 4)]), cluster_std=1.5, random_state=seed
    ),
    "classification": lambda seed: bundled.make_classification(
        500, n_features=20, n_informative=5, n_redundant=5, flip_y=0.1, random_state=seed
    ),
    "twonorm": twonorm,
    "waveform": waveform,
}

ALGORITHMS: dict[str, Callable[[int], ClassifierMixin]] = {
    "lda": lambda _: LinearDiscriminantAnalysis(),
    "rf": lambda seed: RandomForestClassifier(n_estimators=100, random_state=seed),
    "knn": lambda _: make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors=5)),
    "cart": lambda seed: DecisionTreeClassifier(min_samples_leaf=5, random_state=seed),
    "svm": lambda _: make_pipeline(StandardScaler(), SVC()),
    "mlp": lambda seed: make_pipeline(
        StandardScaler(),
        MLPClassifier((10,), solver="lbfgs", alpha=0.01, max_iter=200, random_state=seed),
    ),
}


def bootstrap(dataset: str, replication: int, size: int) -> tuple[NDArray[np.int64], ...]:
    """Draw a learning sample with replacement; what it leaves out is the test sample.

    Parameters
    ----------
    dataset
        Name of the data set.
    replication
        Number of the bootstrap sample.
    size
        Number of observations of the data set.

    Returns
    -------
    tuple of array
        Positions of the learning sample (with repeats) and of the test sample.
    """
    rng = np.random.default_rng(seed_of(dataset, replication))
    learn = rng.integers(size, size=size)
    return learn, np.setdiff1d(np.arange(size), learn)


def score(model: ClassifierMixin, learn: Sample, test: Sample) -> tuple[float, float]:
    """Fit on the one sample, predict the other.

    Parameters
    ----------
    model
        The classifier, not yet fitted.
    learn
        Inputs and classes to fit.
    test
        Inputs and classes to predict.

    Returns
    -------
    tuple of float
        Share of wrong predictions, and seconds for fit and predict together.
    """
    start = time.perf_counter()
    predicted = model.fit(*learn).predict(test[0])
    seconds = time.perf_counter() - start
    return float(np.mean(predicted != test[1])), seconds


def replicate(dataset: str, replication: int, sample: Sample) -> Iterator[Row]:
    """Score all algorithms on one bootstrap sample.

    Parameters
    ----------
    dataset
        Name of the data set.
    replication
        Number of the bootstrap sample.
    sample
        All inputs and classes of the data set.

    Yields
    ------
    tuple of str
        Two rows per algorithm: error and seconds.
    """
    inputs, classes = sample
    learn, test = bootstrap(dataset, replication, len(classes))
    for algorithm, build in ALGORITHMS.items():
        model = build(seed_of(dataset, replication, algorithm))
        error, seconds = score(
            model, (inputs[learn], classes[learn]), (inputs[test], classes[test])
        )
        yield dataset, str(replication), algorithm, "error", figure(error)
        yield dataset, str(replication), algorithm, "seconds", figure(seconds)


def benchmark(dataset: str, bar: tqdm) -> list[Row]:
    """Score all algorithms on all bootstrap samples of one data set.

    Parameters
    ----------
    dataset
        Name of the data set.
    bar
        The progress bar; it moves by one per bootstrap sample.

    Returns
    -------
    list of tuple of str
        The rows of the data set, by replication and algorithm.
    """
    sample = DATASETS[dataset](seed_of(dataset))
    list(replicate(dataset, 0, sample))  # first calls are slow: not timed
    rows: list[Row] = []
    for replication in range(1, REPLICATIONS + 1):
        rows += replicate(dataset, replication, sample)
        bar.update()
    return rows


def main() -> None:
    """Run what is not in the cache, write the score file, drop the cache.

    Rows are by measure, data set and algorithm, the order in which they compress best.
    """
    rows: list[Row] = []
    with tqdm(total=len(DATASETS) * REPLICATIONS, unit="sample") as bar:
        for dataset in DATASETS:
            bar.set_description(dataset)
            part = CACHE / f"{dataset}.csv"
            if part.exists():
                bar.update(REPLICATIONS)
            else:
                write_rows(part, benchmark(dataset, bar))
            rows += read_rows(part)
    rows.sort(key=itemgetter(3, 0, 2))
    write_rows(TARGET, rows)
    shutil.rmtree(CACHE.parent)


if __name__ == "__main__":
    # lbfgs stops at max_iter by design
    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    with threadpool_limits(1):
        main()
