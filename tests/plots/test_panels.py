from matplotlib.figure import Figure

from benchinfer.plots import panels
from benchinfer.plots.panels import GridPanel, PanelGrid


def grid(n, width=6.9):
    panels = tuple(GridPanel(label=f"$pair$ {i}", note="note") for i in range(n))
    return PanelGrid(
        panels=panels,
        title="A heading",
        notes=("a note",),
        x_label="x",
        y_label="y",
        width=width,
        alt="",
    )


def test_panels_stand_side_by_side_while_there_is_room():
    assert [grid(n).columns for n in (1, 2, 3, 6)] == [1, 2, 3, 3]
    assert [grid(n).rows for n in (1, 3, 4, 6)] == [1, 1, 2, 2]
    assert grid(6, 3.3).columns == 1
    assert panels.size_grids(grid(6, 3.3))[0] < panels.size_grids(grid(6))[0]
    assert panels.size_grids(grid(6))[1] > panels.size_grids(grid(3))[1]


def test_axes_are_named_once_and_names_are_no_formulas():
    ax = Figure().add_subplot()
    found = panels.places(grid(5), ax)
    assert [inside.get_ylabel() for inside in found] == ["y", "", "", "y", ""]
    assert [inside.get_xlabel() for inside in found] == ["", "", "x", "x", "x"]
    assert found[0].get_title(loc="left") == r"\$pair\$ 0"
    # No panel lies on another one.
    boxes = [inside.get_position() for inside in found]
    for i, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[i + 1 :])
