"""Labels that are names of known algorithms, data sets or replications."""

import re
from collections.abc import Sequence

ALGORITHMS = re.compile(
    r"\b(knn|svm|rf|random[ _]?forest|xgb\w*|lightgbm|catboost|gbm|cart|tree|logreg|mlp|cnn|gpt\S*"
    r"|llama\S*|claude\S*|gemini\S*|mistral\S*|bert\w*|resnet\S*|vit\S*|ppo|sac|dqn|a2c|td3|lstm"
    r"|gru|naive\w*|bm25|bagging|\w*boost\w*|ridge|lasso|c4\.5\S*|transformer|baseline|ours|esm\S*)"
    r"\b",
    re.IGNORECASE,
)
DATASETS = re.compile(
    r"\b(mnist|cifar\S*|imagenet\S*|iris|wine|adult|squad|mmlu|gsm8k|arc_\S*|hellaswag|boolq"
    r"|cartpole\S*|ant|hopper|walker\S*|sonar|svhn|glass|diabetes|bank|pima|sst2|cola|set\d+|d\d+"
    r"|data\w*|ds\d+|inst\w*\d+|task\w*\d+|q\d+)\b",
    re.IGNORECASE,
)
REPLICATIONS = re.compile(
    r"\W*(fold|seed|rep|run|split|resample|trial|bootstrap|iter)\w*[ _-]?\d+", re.IGNORECASE
)

# Parts of a data set, of which an algorithm is trained on one and tested on another.
# Those on which algorithms are tested come first.
PARTS = ("test", "testing", "validation", "valid", "val", "dev", "train", "training")

SPLIT = "split"  # a column of splits, or of kinds of splits
_WORD, _MOST_KINDS = 3, 12  # letters of a word for a split, kinds of splits
_NUMBERS = frozenset(
    (
        *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
        *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    )
)


def share_of(labels: Sequence[str], pattern: re.Pattern[str]) -> float:
    """Return the share of labels in which a pattern is found."""
    return sum(pattern.search(label) is not None for label in labels) / max(1, len(labels))


def like_replications(labels: Sequence[str]) -> float:
    """Return the share of labels such as ``fold3``."""
    return sum(REPLICATIONS.fullmatch(label) is not None for label in labels) / max(1, len(labels))


def parts_of_data(labels: Sequence[str]) -> bool:
    """Return whether labels are several parts of a data set, such as train and test.

    Examples
    --------
    >>> parts_of_data(["train", "Test"]), parts_of_data(["test"]), parts_of_data(["test", "fold1"])
    (True, False, False)
    """
    return len(labels) > 1 and all(label.casefold() in PARTS for label in labels)


def evaluated_part(labels: Sequence[str]) -> str:
    """Return the part on which algorithms are tested: test, else validation.

    Examples
    --------
    >>> evaluated_part(["Train", "Dev"]), evaluated_part(["test", "train", "val"])
    ('Dev', 'test')
    """
    return min(labels, key=lambda label: PARTS.index(label.casefold()))


def kinds_of_splits(labels: Sequence[str]) -> bool:
    """Return whether labels are words for ways to split data, not numbers of splits.

    Examples
    --------
    >>> kinds_of_splits(["random", "chronological"]), kinds_of_splits(["a", "b"])
    (True, False)
    >>> kinds_of_splits(["split1", "split2"]), kinds_of_splits(["test", "train"])
    (False, False)
    """
    words = [label.replace("-", "").replace("_", "").replace(" ", "") for label in labels]
    long = all(len(word) >= _WORD and word.isalpha() for word in words)
    long = long and not {word.casefold() for word in words} & _NUMBERS
    return 1 < len(labels) <= _MOST_KINDS and long and not parts_of_data(labels)


def condition_of(column: str, label: str) -> str:
    r"""Return the condition, in SQL, of the rows with a label.

    Examples
    --------
    >>> condition_of("split", "test"), condition_of("the set", "dev")
    ("split = 'test'", '"the set" = \'dev\'')
    """
    name = column if re.fullmatch(r"[A-Za-z_]\w*", column) else f'"{column.replace('"', '""')}"'
    return f"{name} = '{label.replace("'", "''")}'"


def known_labels(labels: Sequence[str]) -> float:
    """Return how far labels are names of algorithms (positive) or of data sets (negative)."""
    return share_of(labels, ALGORITHMS) - share_of(labels, DATASETS)
