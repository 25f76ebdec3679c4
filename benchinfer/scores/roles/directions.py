"""Directions of measures whose names have one meaning.

Scores and losses are as in scikit-learn, whose scorers negate losses (``neg_log_loss``: higher is
better). An arrow in the name, as in published tables, is its direction: a name in which arrow and
word disagree has none, nor has a name that is not in the table.
"""

import re
from collections import Counter
from collections.abc import Sequence

HIGHER = frozenset(
    (
        *("accuracy", "acc", "acc_norm", "balanced_accuracy", "bal_acc", "auc", "auroc", "roc_auc"),
        *("aucroc", "auc_roc", "auprc", "pr_auc", "average_precision", "f1", "f1_score"),
        *("precision", "prec", "recall", "sensitivity", "specificity", "kappa", "mcc", "r2"),
        *("ndcg", "map", "mrr", "hit_rate", "bleu", "sacrebleu", "rouge", "rouge_l", "meteor"),
        *(
            "exact_match",
            "nmi",
            "ari",
            "asw",
            "ilisi",
            "i_lisi",
            "iou",
            "miou",
            "dice",
            "psnr",
            "ssim",
        ),
        *("reward", "return", "win_rate", "success", "success_rate", "pass", "passed", "pass_rate"),
        *(
            "correct",
            "solved",
            "resolved",
            "throughput",
            "rtfx",
            "spearman",
            "pearson",
            "faithfulness",
        ),
    )
)
LOWER = frozenset(
    (
        *("error", "error_rate", "err", "loss", "logloss", "log_loss", "cross_entropy", "nll"),
        *(
            "rmse",
            "log_rmse",
            "rmsle",
            "mae",
            "wmae",
            "wape",
            "mse",
            "mape",
            "smape",
            "mase",
            "wql",
            "crps",
            "perplexity",
        ),
        *("ppl", "brier", "brier_score", "ece", "wer", "cer", "fid", "regret", "time", "seconds"),
        *("latency", "runtime", "duration", "cost", "walltime", "wall_time", "cpu_time"),
        *("fit_time", "train_time", "memory", "mean_squared_error", "mean_absolute_error"),
    )
)
# A name with one of these is of a change, a spread or a share of a measure, not the measure.
_OTHERWISE = frozenset(
    (
        *("drop", "reduction", "gap", "degradation", "change", "diff", "difference", "delta"),
        *("improvement", "speedup", "gain", "rank", "decrease", "increase", "ratio", "inverse"),
        *("inv", "std", "stderr", "sd", "se", "sem", "var", "variance", "ci", "limit", "baseline"),
        *("stamp", "step", "steps", "relative", "normalised", "normalized", "weight", "weights"),
        *("log", "1", "minus", "one", "type", "name", "budget", "start", "end", "max", "min"),
        *("threshold", "target", "count", "num", "n", "id", "lower", "upper", "low", "high"),
    )
)
_ARROWS = {"\u2191": "higher", "\u2193": "lower"}
_NEGATED = frozenset(("neg", "negative", "negated"))
_PLACES = 3  # columns of one measure, from which on their names are those of data sets
_MINUS = frozenset("-\u2212")
_PREFIXES = re.compile(r"^(metrics|params?|eval|test|user_attrs|classif|regr)_(?=.)")
# Words that say where or how a measure was taken: at a depth, in per cent, in a unit.
_BESIDE = frozenset(
    (
        *("test", "val", "valid", "validation", "train", "eval", "dev", "mean", "avg", "average"),
        *("score", "s", "sec", "secs", "ms", "ns", "us", "pct", "percent", "macro", "micro"),
        *("weighted", "top", "at", "total", "cv", "oof", "final", "cut", "k", "strict", "flexible"),
    )
)


def places_of_measure(names: Sequence[str]) -> list[str]:
    """Return most of some names, if these are of one measure at several places; else none.

    Examples
    --------
    >>> places_of_measure(["AMI WER", "Tedlium WER", "SPGI WER", "RTFx"])
    ['AMI WER', 'Tedlium WER', 'SPGI WER']
    >>> places_of_measure(["train acc", "val acc", "test acc"])
    []
    """
    words = {name: plain(name).split("_") for name in names}
    if not words:
        return []
    last, n = Counter(of[-1] for of in words.values()).most_common(1)[0]
    if n < _PLACES or 2 * n <= len(names) or not direction(last):
        return []
    rest = {name: of[:-1] for name, of in words.items() if of[-1] == last}
    places = [of for of in rest.values() if not {re.sub(r"\d+", "", w) for w in of} <= _BESIDE]
    named = any(direction("_".join(of)) for of in places)
    return [] if named or 2 * len(places) <= n or not all(rest.values()) else [*rest]


def measure_in(pattern: str) -> str:
    """Return the measure that a pattern of names of columns has beside its role; empty if none.

    Examples
    --------
    >>> measure_in("{dataset} WER"), measure_in("fold_{replication}")
    ('WER', '')
    """
    words = [text.strip(" _-.:()[]/") for text in re.split(r"\{\w+\}", pattern)]
    known = [word for word in words if direction(word)]
    return known[0] if "{" in pattern and len(known) == 1 else ""


def plain(name: str) -> str:
    """Return a name in small letters, its words joined by ``_``, without a prefix of tools.

    Examples
    --------
    >>> [plain(name) for name in ("Test Acc.", "metrics.logLoss", "eval/MSE", "win rate (%)")]
    ['acc', 'log_loss', 'mse', 'win_rate']
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name).strip())
    text = re.sub(r"[^\w]+", "_", spaced, flags=re.UNICODE).lower().strip("_")
    return _PREFIXES.sub("", re.sub(r"__+", "_", text)).strip("_")


def direction(name: str) -> str:
    """Return the direction that a name of a measure has, ``"higher"`` or ``"lower"``; else empty.

    Examples
    --------
    >>> [direction(name) for name in ("accuracy", "test_error", "neg_log_loss", "quality", "f1@10")]
    ['higher', 'lower', 'higher', '', 'higher']
    >>> [direction(name) for name in ("accuracy_drop", "time_to_accuracy", "acc_stderr")]
    ['', '', '']
    >>> [direction(name) for name in ("mean_test_neg_log_loss", "XB \u2193", "error \u2191")]
    ['higher', 'lower', '']
    """
    full_name, arrows = plain(name), {*name} & _ARROWS.keys()
    if arrows:
        way = _ARROWS[arrows.pop()] if len(arrows) == 1 else ""
        bare = "".join(c for c in name if c not in _ARROWS)
        return way if direction(bare) in (way, "") else ""
    parts = full_name.split("_")
    if _NEGATED & {*parts} or name.strip()[:1] in _MINUS:
        positive = "_".join(part for part in parts if part not in _NEGATED)
        return {"lower": "higher"}.get(direction(positive), "")
    if full_name in HIGHER | LOWER:
        return "higher" if full_name in HIGHER else "lower"
    words = [word for word in full_name.split("_") if word not in _BESIDE and not word.isdigit()]
    spans = [(i, j) for i in range(len(words)) for j in range(i + 1, len(words) + 1)]
    known = {(i, j): "_".join(words[i:j]) for i, j in spans}
    known = {span: text for span, text in known.items() if text in HIGHER | LOWER}
    rest = {word for k, word in enumerate(words) if not any(i <= k < j for i, j in known)}
    ways = {"higher" if text in HIGHER else "lower" for text in known.values()}
    return ways.pop() if len(ways) == 1 and not rest & _OTHERWISE else ""
