"""Sections of further questions to a comparison."""

from benchinfer.comparison.further.best import BestSets
from benchinfer.core.numbers import level_percent, p_value, sentence
from benchinfer.core.sections import Column, Section, Table, names, number


def _yes(value: object) -> str:
    return "yes" if value else "no"


_COLUMNS = (
    number("p_not_beaten", "p", p_value),
    Column("not_beaten", "may be best", _yes),
    number("p_not_beaten_beyond", "p (beyond tolerance)", p_value),
    Column("not_beaten_beyond", "within tolerance", _yes),
)


def best_section(sets: BestSets) -> Section:
    """Return the section of the sets of the best algorithm and of ranks."""
    data, level = sets.table(), level_percent(sets.level)
    kind = "credible" if sets.credible else "confidence"
    tests = "" if sets.credible else "one-sided tests of their own decide here; "
    question = (
        f"Another question than that of the pairs: {tests}each set holds with {level} by itself,"
        " and not together with the verdicts."
    )
    beyond = "" if sets.sets.near is None else " p (beyond tolerance) is of more than that."
    return Section(
        title="Which may be the best",
        lead=sets.headline(),
        text=(question,),
        tables=(
            Table(
                name="best",
                caption=f"{sentence(kind)} sets of the best algorithm and of ranks",
                frame=data,
                data=data,
                columns=(
                    *names("algorithm"),
                    *(column for column in _COLUMNS if column.name in data),
                    Column("rank_low", "ranks", rank_range, also=("rank_high",)),
                    Column("rank_low_alone", "rank alone", rank_range, also=("rank_high_alone",)),
                ),
                note="" if sets.credible else f"p: that no other algorithm is better.{beyond}",
            ),
        ),
    )


def rank_range(low: int, high: int) -> str:
    """Return a range of ranks as text.

    Examples
    --------
    >>> rank_range(1, 4), rank_range(2, 2)
    ('1 to 4', '2')
    """
    return f"{low}" if low == high else f"{low} to {high}"
