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


def share_of(labels: Sequence[str], pattern: re.Pattern[str]) -> float:
    """Return the share of labels in which a pattern is found."""
    return sum(pattern.search(label) is not None for label in labels) / max(1, len(labels))


def like_replications(labels: Sequence[str]) -> float:
    """Return the share of labels such as ``fold3``."""
    return sum(REPLICATIONS.fullmatch(label) is not None for label in labels) / max(1, len(labels))


def known_labels(labels: Sequence[str]) -> float:
    """Return how far labels are names of algorithms (positive) or of data sets (negative)."""
    return share_of(labels, ALGORITHMS) - share_of(labels, DATASETS)
