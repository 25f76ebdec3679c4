"""What the library advises, in the words of the command line.

Errors and findings speak Python, as most readers do; here their hints become options.
"""

import re
import shlex
from collections.abc import Callable

type _Rewrite = str | Callable[[re.Match[str]], str]


def _declared(found: re.Match[str]) -> str:
    pairs: list[tuple[str, str]] = re.findall(r'"([^"]*)": "(higher|lower)"', found[1])
    return " ".join(f"--measures {shlex.quote(f'{name}:{better}')}" for name, better in pairs)


def _column(found: re.Match[str]) -> str:
    return f"--column {shlex.quote(f'{found[2]}={found[4]}')}"


def _resampling(found: re.Match[str]) -> str:
    kind, size = found[1], found[2]
    return f"--resampling {kind}:{size}" if size else f"--resampling {kind}"


def _covariates(found: re.Match[str]) -> str:
    return f"--covariates {shlex.quote(','.join(re.findall(r"'([^']*)'", found[1])))}"


# Arguments that are options of the same name.
_OPTIONS = (
    "nan|repeats|layout|terms|adjust|structure|residual|domains|df|contrasts|alternative|target"
    "|missing|family|method|rule|spending|statistic|on|null|pairs|resample|interval|normalise|test|quantity|interactions"
    "|pooling|covariance|effect|nested"
    "|inference|ties|errors|by"
)

# From the special to the general: what one has rewritten, the next ones no longer find.
_REWRITES: tuple[tuple[re.Pattern[str], _Rewrite], ...] = tuple(
    (re.compile(pattern), rewrite)
    for pattern, rewrite in (
        (r'measures=\{((?:"[^"]*": "\w+"(?:, )?)+)\}(?:, or Measure\(.*?\))?', _declared),
        (r'add Measure\("(.*?)", better="(\w+)"\) to measures=', r"add --measures \1:\2"),
        (r"a Measure for each to measures=", "--measures NAME:BETTER for each"),
        (r"(?:set )?Measure\(tolerance=\.\.\.\)", "set --measures NAME:BETTER:TOLERANCE"),
        (r"columns=\{\.\.\.\}", "--column NAME=ROLE"),
        (r"harmonise=\{\.\.\.\}", "--harmonise NAME=MEASURE:FORMULA"),
        (r"\bread_effects\(\.\.\., correlation=([\d.]+|\.\.\.)\)", r"--correlation \1"),
        (r"\bcorrelation=([\d.]+)", r"--correlation \1"),
        (r"columns=\{(['\"])(.*?)\1: (['\"])(\w+)\3\}", _column),
        (r"paired=\.\.\.", "--paired or --unpaired"),
        (r"paired=True", "--paired"),
        (r"paired=False", "--unpaired"),
        (
            r'(?:resampling=)?Resampling\("(\w+)"(?:, (?:folds|test_fraction)=([\d.]+))?\)',
            _resampling,
        ),
        (r"resampling=\.\.\.", "--resampling KIND"),
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
        (rf"\b({_OPTIONS})=(['\"])([\w-]+)\2", r"--\1 \3"),
        (r"read_scores\(\.\.\., covariates=\[(.*?)\]\)", _covariates),
        (r"\bcovariates=", "--covariate"),
        (r"\bcompare_mixed\(\.\.\., (--[^)]*)\)", r"compare mixed \1"),
        (r"per_dataset\(compare_pair, scores, \.\.\.\)", "compare pair --per-dataset"),
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
        (r"\bpriors=\.\.\.", "--prior NAME=NUMBER"),
        (r"\btime_limit\b", "--time-limit"),
        (r"\brelation\(\) has what all of them say", "the first line has what all of them say"),
        (r"\bMeasure\(bounds=\((\d), (\d)\)\)", r"bounds = [\1, \2] in a TOML file of --measures"),
        (r"\blast_stage= ", "--last-stage "),
        (r"\bquery=", "--query "),
        (r"or scores\.complete\(.*?\) to keep what is whole", "or read a table of what is whole"),
        (r"compare scores\.complete\(.*?\), or use compare_mixed", "use compare mixed"),
        (r"\bcompare_(mixed|points|permutation|bootstrap|pair|bayes|meta)\b", r"compare \1"),
        (r"\bscores\.describe\(\)", "benchinfer describe"),
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


def translated(message: str) -> str:
    r"""Rewrite the hints of a message; what it says of the table is data and stays.

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
    return "\n".join(lines)
