"""Hints of the library as options of the command line.

Errors and findings speak Python, as most readers do; here their hints become options.
"""

import re
import shlex
from ast import literal_eval
from collections.abc import Callable

type _Rewrite = str | Callable[[re.Match[str]], str]
_DIRECTIONS = ("higher", "lower")
_EITHER = '"higher" or "lower"'
_OVERLAP = "--resampling cv:FOLDS or holdout:FRACTION"
# Python's words for a text.
_LITERAL = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_BETTER = rf"{_LITERAL}|\.\.\."


def _mapping(of: str) -> str:
    """Return the pattern of a mapping of texts to what matches."""
    return rf"\{{((?:{_LITERAL}: (?:{of})(?:, )?)+)\}}"


def _pairs(text: str) -> list[tuple[str, str]]:
    """Read the pairs of a mapping as it is written; three dots are an empty text."""
    found = re.findall(rf"({_LITERAL}): ({_BETTER})", text)
    return [(literal_eval(a), "" if b == "..." else literal_eval(b)) for a, b in found]


def _declared(found: re.Match[str]) -> str:
    parts: list[str] = []
    for name, better in _pairs(found[1]):
        both = [shlex.quote(f"{name}:{word}") for word in ([better] if better else _DIRECTIONS)]
        parts.append("--measures " + " or ".join(both))
    return (", " if " or " in "".join(parts) else " ").join(parts)


def _column(found: re.Match[str]) -> str:
    return " ".join(f"--column {shlex.quote('='.join(pair))}" for pair in _pairs(found[1]))


def _some(found: re.Match[str]) -> str:
    return f"a table of some {found[1].replace('datasets', 'data sets')}"


def _resampling(found: re.Match[str]) -> str:
    kind, size = found[1], found[2]
    return f"--resampling {kind}:{size}" if size else f"--resampling {kind}"


def _covariates(found: re.Match[str]) -> str:
    names = [literal_eval(name) for name in re.findall(_LITERAL, found[1])]
    return f"--covariates {shlex.quote(','.join(names))}"


def _set(found: re.Match[str]) -> str:
    return f"{_option(found)} {shlex.quote(literal_eval(found[2]))}"


def _option(found: re.Match[str]) -> str:
    return f"--{found[1].replace('_', '-')}"


# From the special to the general: what one has rewritten, the next ones no longer find.
_REWRITES: tuple[tuple[re.Pattern[str], _Rewrite], ...] = tuple(
    (re.compile(pattern), rewrite)
    for pattern, rewrite in (
        (
            rf"measures={_mapping(_BETTER)}(?:, with {_EITHER},?)?(?:,? or Measure\(.*?\))?",
            _declared,
        ),
        (r"(?:set )?Measure\(tolerance=\.\.\.\)", "set --measures NAME:BETTER:TOLERANCE"),
        (r"columns=\{\.\.\.\}", "--column NAME=ROLE"),
        (r"harmonise=\{\.\.\.\}", "--harmonise NAME=MEASURE:FORMULA"),
        (r"\bread_effects\(\.\.\., correlation=([\d.]+|\.\.\.)\)", r"--correlation \1"),
        (r"\bcorrelation=([\d.]+)", r"--correlation \1"),
        (rf"columns={_mapping(_LITERAL)}", _column),
        (r"paired=\.\.\.", "--paired or --unpaired"),
        (r"paired=True", "--paired"),
        (r"paired=False", "--unpaired"),
        (
            r'(?:resampling=)?Resampling\("(\w+)"(?:, (?:folds|test_fraction)=([\d.]+))?\)',
            _resampling,
        ),
        (r"resampling=\.\.\.", "--resampling KIND"),
        (r'resampling="cv" with folds=\.\.\.', "--resampling cv:FOLDS"),
        (r"folds or test_fraction in resampling=Resampling\(\.\.\.\)", _OVERLAP),
        (r"folds=\.\.\. or test_fraction=\.\.\. of the resampling", _OVERLAP),
        (r"dataset=\.\.\.", "--dataset NAME"),
        (r'\bscale="(none|dataset)"', r"--scale \1"),
        (r'Measure\((?:\.\.\., )?scale="(\w+)"\)', r"NAME:BETTER:TOLERANCE:\1 in --measures"),
        (r'scale="(\w+)"', r"NAME:BETTER:TOLERANCE:\1 in --measures"),
        (r'better="(\w+)"', r"NAME:\1"),
        (r'contrasts="dunnett"', "--control NAME"),
        (r'control="best"', "--control best"),
        (r"contrasts=\[\.\.\.\]", "--order LIST"),
        (
            r'normalise=\{"low": \.\.\., "high": \.\.\.\}',
            "--normalise low=REFERENCE,high=REFERENCE",
        ),
        (r"\b(goal|normalise)=\.\.\.", r"--\1"),
        (r"\bn_(datasets|replications)=(\d+)", r"--n-\1 \2"),
        (r"\bn_(datasets|replications)=\.\.\.", r"--n-\1"),
        (r"\bcosts=\((\d+), (\d+)\)", r"--costs \1,\2"),
        (r"\bcosts=\(per data set, per replication\)", "--costs A,B"),
        (rf"read_scores\(\.\.\., covariates=[\[(]((?:{_LITERAL}(?:, )?)+)[\])]\)", _covariates),
        (rf"\bcovariates=[\[(]((?:{_LITERAL}(?:, )?)+)[\])]", _covariates),
        (r"(compare_\w+\(\.\.\., )covariates=\[\.\.\.\]", r"\1--covariate NAME"),
        (r"\bcovariates=", "--covariates"),
        (r"per_dataset\(compare_pair, scores, \.\.\.\)", "compare pair --per-dataset"),
        (r"\(per_dataset\)", "(--per-dataset)"),
        (r"\b(influence|post_hoc)\(\)", "--details"),
        (r'\bprofile\("scores"\)', "the share of scores"),
        (r"\bresamples=", "--resamples"),
        (r"\bdraws=\.\.\.", "--draws"),
        (r"\b(penalised|departures)=True", r"--\1"),
        (r"\bdepartures=False goes", "no --departures goes"),
        (r"\btie_tolerance\b(?:=\.\.\.)?", "--tie-tolerance"),
        (r"\blocal_rope\b", "--local-rope"),
        (r"\brope=(0\.\d+)", r"--rope \1"),
        (r"\bpredicted\(\)", "--details"),
        (r"\bpriors=(?:\.\.\.|\w*Priors\(\.\.\.\))", "--prior NAME=NUMBER"),
        (r"\bpriors=", "--prior"),
        (r"\(scale=\.\.\.\)", "(NAME:BETTER:TOLERANCE:SCALE in --measures)"),
        (r"interactions may fit better: compare_models\(\)", "--interactions may fit better"),
        (r"\btime_limit\b", "--time-limit"),
        (r"\brelation\(\) has what all of them say", "the first line has what all of them say"),
        (r"\bMeasure\(bounds=\((\d), (\d)\)\)", r"bounds = [\1, \2] in a TOML file of --measures"),
        (r"\blast_stage= ", "--last-stage "),
        (r"\bquery=", "--query "),
        (r"or scores\.complete\(.*?\) to keep what is whole", "or read a table of what is whole"),
        (r"compare scores\.complete\(.*?\), or use compare_mixed", "use compare mixed"),
        (r"\bcompare_(mixed|points|permutation|bootstrap|pair|bayes|meta|wins)\b", r"compare \1"),
        (r"\bscores\.describe\(\)", "benchinfer describe"),
        (r"\bscores\.findings\(\)", "benchinfer check"),
        (r"compare scores\.subset\(datasets=\[\.\.\.\]\) for each data set", "--per-dataset"),
        (r"\b(?:scores\.)?subset\((\w+)=[^)]*\)", _some),
        (r"\bscores\.subset\(\.\.\.\)", "a table of fewer rows"),
        (r"\bscores\.complete\([^)]*\) keeps the blocks", "a table of the blocks"),
        (r"\bcomplete\(\) keeps the data sets", "compare mixed takes it; or read the data sets"),
        (r'\bplot\(kind="forest"\)', "the report"),
        (r" df\[.*?\]\.dt\.total_seconds\(\)", ""),
        (
            r'pandas\.read_csv\(path, decimal=","\) reads',
            "a decimal point in place of the comma has",
        ),
        (r", or read it yourself and pass the frame: pandas\.read_csv\(.*?\)", ""),
        (r'\bdataset="\.\.\."', "--dataset NAME"),
        (rf"\b(terms)=\[({_LITERAL})\]", _set),
        # What is left are arguments that options are called after.
        (rf"(?<![\w-])([a-z]\w*)=({_LITERAL})", _set),
        (r"(?<![\w-])([a-z]\w*)=(?:\.\.\.|(?=[ ,.;)]|$))", _option),
        (r"\bread_(?:scores|effects)\(\.\.\., (--[^)]*)\)", r"\1"),
        (r"\bcompare[_ ](\w+)\(\.\.\., (--[^)]*)\)", r"compare \1 \2"),
        (r"\bcoverage\(\)", "benchinfer describe"),
    )
)


def as_options(text: str) -> str:
    """Write advice with the options of the command line in place of Python's arguments.

    Examples
    --------
    >>> as_options('measures={"score": "lower"}, with "higher" where larger is better.')
    '--measures score:lower, with "higher" where larger is better.'
    >>> as_options('declare it, as in resampling=Resampling("cv", folds=10).')
    'declare it, as in --resampling cv:10.'
    """
    for pattern, rewrite in _REWRITES:
        text = pattern.sub(rewrite, text)
    return text


# A message that begins with an argument is about what was typed.
_ARGUMENTS = re.compile(rf"(?:\w+=(?:{_LITERAL}|{_mapping(_LITERAL)})(?: with )?)+")


def translated(message: str) -> str:
    r"""Rewrite the hints of a message, and the arguments that it begins with.

    What it says of the table is data and stays.

    Examples
    --------
    >>> translated('score nan="missing" is strange.\nHint: say nan="missing".')
    'score nan="missing" is strange.\nHint: say --nan missing.'
    """
    lines: list[str] = []
    below = ""  # what the further lines of a hint begin with
    for line in message.split("\n"):
        indent, hint, _ = line.partition("Hint: ")
        if hint and not indent.strip():
            below = indent + " " * len(hint)
            lines.append(as_options(line))
        elif below and line.startswith(below):
            lines.append(as_options(line))
        else:
            below = ""
            lines.append(line)
    if typed := _ARGUMENTS.match(lines[0]):
        lines[0] = as_options(typed[0]) + lines[0][typed.end() :]
    return "\n".join(lines)
