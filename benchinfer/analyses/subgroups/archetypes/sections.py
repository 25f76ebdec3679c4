"""Sections of archetypes."""

from benchinfer.analyses.subgroups.archetypes.result import Archetypes
from benchinfer.analyses.subgroups.archetypes.stability import ArchetypeStability
from benchinfer.core.numbers import percent
from benchinfer.core.sections import Column, Figure, Section, Table, names, number

_METHOD = (
    "Data sets were described by {how} of the algorithms' mean scores ({what}). It describes the"
    " scores at hand, and tests nothing."
)


def sections(result: Archetypes) -> tuple[Section, ...]:
    """Return the section about archetypes."""
    what = "their levels" if result.levels else "their differences from the mean on each data set"
    how = "robust archetypal analysis" if result.robust else "archetypal analysis"
    figures = [Figure(result, "profiles", "Algorithms at each archetype.")]
    if result.k > 1:
        figures.insert(0, Figure(result, "simplex", "Data sets as mixtures of the archetypes."))
    return (
        Section(
            title="Archetypes of data sets",
            lead=result.sentence(),
            text=(_METHOD.format(how=how, what=what),),
            figures=tuple(figures),
            tables=(
                Table(
                    name="archetypes",
                    caption="Archetypes, those that most data sets are like first",
                    frame=result.summary(),
                    columns=(
                        number("archetype", "archetype", str),
                        Column("description", "algorithms", role="prose"),
                        Column("nearest", "data sets like it", role="prose"),
                        number("weight", "mean share", percent),
                        number("n_datasets", "data sets", str),
                    ),
                    note="Data sets: those of which the archetype has the largest share.",
                ),
            ),
            checks=result.checks,
        ),
    )


def stability(result: ArchetypeStability) -> tuple[Section, ...]:
    """Return the section about the stability of archetypes."""
    table = Table(
        name="archetype_stability",
        caption="Archetypes found again",
        frame=result.summary(),
        columns=(
            *names("archetype"),
            number("share", "found again", percent),
            number("jaccard", "likeness of its data sets", percent),
        ),
        note="Found again: nearer to it than to any other. Likeness: data sets in both groups, of"
        " those in either.",
    )
    return (
        Section(
            title="Stability of archetypes",
            lead=f"Data sets were drawn with replacement {result.resamples} times.",
            figures=(Figure(result, "together", "Data sets like the same archetype."),),
            tables=(table,),
        ),
    )


# By class: what is said of a result when a reader requests it.
SECTIONS = {
    Archetypes: lambda result, _: sections(result),
    ArchetypeStability: lambda result, _: stability(result),
}
