"""Hints with the options of the command line, and proposals at a terminal."""

import re
import shlex
import sys
from ast import literal_eval
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from benchinfer.cli.output.terminal import safe, safe_lines
from benchinfer.core.errors import ScoreTableError
from benchinfer.core.hints import named_arguments

if TYPE_CHECKING:
    from benchinfer.scores.checks.proposals import Proposal
    from benchinfer.scores.coverage import Finding

_NAMES = {"columns": "column", "priors": "prior"}
# What stands for any value of an argument.
_ANY = {
    "columns": "--column NAME=ROLE",
    "contrasts": "--order LIST",
    "dataset": "--dataset NAME",
    "harmonise": "--harmonise NAME=MEASURE:FORMULA",
    "paired": "--paired or --unpaired",
    "priors": "--prior NAME=NUMBER",
    "resampling": "--resampling KIND",
}
_WAYS = ("higher", "lower")
BETTER = "BETTER"  # of a proposed command, until somebody says which
# The arguments of the program, as typed.
TYPED: ContextVar[Sequence[str]] = ContextVar("arguments as typed", default=())
_READERS = ("read_scores", "read_effects")
_DIRECTIONS = re.compile(r'measures=(\{[^}]*\}), with "higher" or "lower"')
# What Python has methods for.
_WORDS = (
    (
        'pandas.read_excel(path, sheet_name="...") reads one: pass that frame',
        "save one as a file of its own",
    ),
    ('pandas.read_csv(path, decimal=",") reads them as numbers', "write them with a decimal point"),
    ("compare scores.subset(datasets=[...]) for each data set", "--per-dataset"),
    (
        "folds or test_fraction in resampling=Resampling(...)",
        "--resampling cv:FOLDS or holdout:FRACTION",
    ),
    (
        "folds=... or test_fraction=... of the resampling",
        "--resampling cv:FOLDS or holdout:FRACTION",
    ),
    ('Measure("seconds", "lower", limit=3600)', "seconds:lower:0:identity:limit=3600"),
    ("per_dataset(compare_pair, scores, ...)", "compare pair --per-dataset"),
    ('read_effects(path, n=..., spread="sd")', "--n and --spread"),
    ("scores.complete(...) keeps the blocks", "a table of the blocks"),
    ('resampling=Resampling("cv", folds=10)', "--resampling cv:10"),
    ("costs=(per data set, per replication)", "--costs A,B"),
    ('where BETTER is "higher" or "lower"', "where BETTER is higher or lower"),
    ("kind='trace' and kind='trace-rank'", "trace plots"),
    ('[0.1, 0.01], 51 or "1e2:1e-8:51"', "0.1,0.01 or 51 or 1e2:1e-8:51"),
    ('resampling="cv" with folds=...', "--resampling cv:FOLDS"),
    ("per_dataset(compare_pair, ...)", "compare pair --per-dataset"),
    ("scores.failures() lists them; ", ""),
    ("per_dataset(compare_pair, ...)", "compare pair --per-dataset"),
    ("scores.subset(algorithms=...)", "a table of some algorithms"),
    ("scores.subset(datasets=[...])", "--where with the names of the others"),
    ("scores.subset(datasets=...)", "a table of some data sets"),
    ("scores.subset(domains=...)", "a table of some domains"),
    ('Resampling("cv", folds=2)', "--resampling cv:2"),
    ("direct() has all pairs", "compare on those that both have"),
    ("subset(algorithms=...)", "a table of some algorithms"),
    ("priors=WinPriors(...)", "--prior NAME=NUMBER"),
    ('plot(kind="forest")', "the report"),
    ("priors=Priors(...)", "--prior NAME=NUMBER"),
    (": compare_models()", ""),
    ("scores.subset(...)", "a table of fewer rows"),
    ("scores.findings()", "benchinfer check"),
    ('profile("scores")', "the share of scores"),
    ("scores.failures()", "benchinfer check"),
    (", or Measure(...)", ""),
    ("complete() keeps", "compare mixed takes it; or read"),
    ("scores.solved()", "a measure of 0 and 1"),
    ('better="higher"', "NAME:higher"),
    ('better="lower"', "NAME:lower"),
    ("read_wins(...)", "compare wins"),
    ("tie_tolerance", "--tie-tolerance"),
    ("bounds=(0, 1)", "bounds = [0, 1]"),
    ('dataset="..."', "--dataset NAME"),
    ("compare_wins", "compare wins"),
    ("(scale=...)", "(NAME:BETTER:TOLERANCE:SCALE in --measures)"),
    ("influence()", "--details"),
    ("predicted()", "--details"),
    ("post_hoc()", "--details"),
    ("local_rope", "--local-rope"),
    ("limit=3600", "limit = 3600"),
    ("scores=...", "a table of scores"),
    ("time_limit", "--time-limit"),
    ("relation()", "the first line"),
)


def as_options(text: str) -> str:
    """Write a text with options in place of arguments.

    Examples
    --------
    >>> as_options('compare with missing="use".')
    'compare with --missing use.'
    """
    text = named_arguments(_DIRECTIONS.sub(_direction, text), _option, _call)
    for python, command in _WORDS:
        text = text.replace(python, command)
    return text


def _direction(match: re.Match[str]) -> str:
    names = literal_eval(match[1].replace("...", "0"))
    words = (shlex.quote(f"{name}:{way}") for name in names for way in _WAYS)
    return ", ".join(f"-m {a} or {b}" for a, b in zip(words, words, strict=True))


def _call(function: str, name: str, value: object) -> str:
    """Return a command with its option; tables are read by options of all commands."""
    command = function.replace("_", " ")
    if not name:
        return command
    if name == "covariates" and value == ():
        return f"{command} --covariate NAME"
    return _option(name, value) if function in _READERS else f"{command} {_option(name, value)}"


def proposed(proposal: "Proposal", directions: Mapping[str, str]) -> list[str]:
    """Return the words that a proposal adds to the command as typed."""
    options = (_option(name, value) for name, value in proposal.options.items())
    words = [word for option in options for word in shlex.split(option)]
    one = len(proposal.directions) == 1 and not {"-m", "--measure"} & {*TYPED.get()}
    for name in proposal.directions:
        words += ["-m" if one else "--measures", f"{name}:{directions[name]}"]
    return words


def of_proposals(error: Exception) -> "Sequence[Proposal]":
    """Return the proposals that an error ends with."""
    return getattr(error, "proposals", ())


def said(error: Exception) -> str:
    """Return the text of an error, its calls as commands."""
    text = str(error)
    for proposal in of_proposals(error):
        words = [*TYPED.get(), *proposed(proposal, dict.fromkeys(proposal.directions, BETTER))]
        text = text.replace(str(proposal), f"benchinfer {shlex.join(words)}")
    return as_options(text)


def _field(name: str, value: object) -> str:
    """Return where a measure's declaration has a field."""
    match name:
        case "scale":
            return f"NAME:BETTER:TOLERANCE:{value} in --measures"
        case "bounds" if isinstance(value, tuple):
            return f"bounds = {[*value]} in a TOML file of --measures"
        case _:
            return f"--measures NAME:BETTER:{name.upper()}"


def _option(name: str, value: object) -> str:
    """Return an option with its value, quoted for a shell."""
    if name.startswith("Measure.") or (name == "scale" and value in ("identity", "log", "logit")):
        return _field(name.removeprefix("Measure."), value)
    option = f"--{_NAMES.get(name, name).replace('_', '-')}"
    if value is None or value in ((), {}):
        return _ANY.get(name, option)
    match value:
        case "" | True:
            return option
        case False:
            return "--unpaired" if name == "paired" else f"no {option}"
        case tuple() | list():
            option = "--order" if name == "contrasts" else option
            return f"{option} {shlex.quote(','.join(map(str, value)))}"
        case dict():
            pairs = [shlex.quote(f"{key}={item or 'REFERENCE'}") for key, item in value.items()]
            return f"{option} " + (f" {option} " if name == "columns" else ",").join(pairs)
        case _:
            return f"{option} {shlex.quote(str(value))}"


_ANSWERS = {"h": "higher", "higher": "higher", "l": "lower", "lower": "lower"}


def accepted(error: ScoreTableError) -> list[str] | None:
    """Print an error, and return the arguments of the proposal that is chosen at a terminal.

    None where there is no proposal, nobody to ask, or another answer than a number and Enter.
    """
    proposals = of_proposals(error)
    faults = {fault.rule for fault in _faults(error)}
    if not proposals and faults == {"direction not given"} and (names := undirected(error)):
        from benchinfer.scores.checks.proposals import Proposal

        proposals = [Proposal("", {}, names, "")]  # of directions, where nothing else is wrong
    if not proposals or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    sys.stderr.write(f"Error: {safe_lines(said(error))}\n")
    proposal = _chosen(proposals) if of_proposals(error) else proposals[0]
    if proposal is None:
        return []
    directions: dict[str, str] = {}
    if proposal.directions:
        sys.stderr.write(f"Is {BETTER} higher or lower?\n")
    for name in proposal.directions:
        while (answer := _answer(f"  {safe(name)} [h/l]: ")) is not None:
            if (better := _ANSWERS.get(answer.casefold())) is not None:
                directions[name] = better
                break
        if answer is None:
            return []
    words = [*TYPED.get(), *proposed(proposal, directions)]
    sys.stderr.write(f"$ benchinfer {safe(shlex.join(words))}\n")
    return words


def undirected(error: ScoreTableError) -> tuple[str, ...]:
    """Return the measures for which an error asks whether higher or lower is better."""
    asked = [dict(fault.proposes) for fault in _faults(error)]
    return next((tuple(one["measures"]) for one in asked if "measures" in one), ())


def _faults(error: ScoreTableError) -> "list[Finding]":
    """Return the faults of a table, without what else an error may find."""
    from benchinfer.scores.coverage import Finding  # which help need not wait for

    findings = [f for f in error.findings if isinstance(f, Finding)]
    return [finding for finding in findings if finding.severity == "error"]


def _chosen(proposals: "Sequence[Proposal]") -> "Proposal | None":
    others = [str(i + 1) for i in range(1, len(proposals))]
    also = f", {' or '.join(others)} another one" if others else ""
    answer = _answer(f"Enter runs the first{also}, anything else ends: ")
    if answer == "":
        return proposals[0]
    numbers = {str(i + 1): proposal for i, proposal in enumerate(proposals)}
    return None if answer is None else numbers.get(answer)


def _answer(question: str) -> str | None:
    """Ask on standard error; None at the end of the input."""
    sys.stderr.write(question)
    sys.stderr.flush()
    line = sys.stdin.readline()
    return line.strip() if line else None


def run_again(context: Any, words: Sequence[str]) -> int:
    """Run the program with other arguments, and return its exit code."""
    root = context.find_root()
    code = root.command.main([*words], prog_name=root.info_name, standalone_mode=False)
    return code if isinstance(code, int) else 0
