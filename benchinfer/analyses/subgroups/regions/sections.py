"""Sections of regions."""

from benchinfer.analyses.subgroups.regions.result import Regions
from benchinfer.core.numbers import brief
from benchinfer.core.sections import Figure, Section, Table, names, number
from benchinfer.relations.sections import outcome


def sections(result: Regions) -> tuple[Section, ...]:
    """Return the section about regions."""
    table = Table(
        name="regions",
        caption=f"Regions of {result.covariate}",
        frame=result.summary(),
        columns=(
            *names("first", "second"),
            number("value_low", "from", brief),
            number("value_high", "to", brief),
            number("n_datasets", "data sets", str),
            outcome(),
        ),
    )
    return (
        Section(
            title=f"Differences along {result.covariate}",
            lead=result.sentence(),
            text=(result.rule,),
            figures=(Figure(result, "regions", "Difference with its band."),),
            tables=(table,),
        ),
    )


# By class: what is said of a result when a reader requests it.
SECTIONS = {Regions: lambda result, _: sections(result)}
