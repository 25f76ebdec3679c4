import benchinfer as bi
from benchinfer.relations.figures import pairs
from benchinfer.relations.figures import pairs as figures_pairs


def shared(laid):
    """Return the pairs of rows that share a column."""
    return {
        frozenset((laid.rows[i], laid.rows[j]))
        for column in laid.columns
        for i in column
        for j in column
        if i < j
    }


def test_bars_where_they_say_all():
    laid = pairs.layout_letters(bi.Relation.from_text("a ? b > c ~ d > e"))
    assert laid.bars
    assert laid.columns == ((0, 1), (2, 3))
    assert "Bars join: a, b; c, d" in laid.alt


def test_letters_where_bars_cannot():
    verdicts = dict.fromkeys(("ab", "ac", "bc"), "first")
    verdicts |= dict.fromkeys(("ad", "bd", "cd"), "undecided")
    pairs = {tuple(pair): verdict for pair, verdict in verdicts.items()}
    relation = bi.Relation.from_pairs(list("abcd"), pairs)
    laid = figures_pairs.layout_letters(relation)
    assert not laid.bars
    alike = {frozenset(pair) for pair, v in pairs.items() if v == "undecided"}
    assert shared(laid) == alike
    assert "bars could not" in laid.notes[0]


def test_many_letters_are_dots_on_lines():
    k = 40
    verdicts = {
        (f"a{i:02}", f"a{j:02}"): "first" if j - i > 4 + i % 3 else "undecided"
        for i in range(k)
        for j in range(i + 1, k)
    }
    relation = bi.Relation.from_pairs([f"a{i:02}" for i in range(k)], verdicts)
    laid = pairs.layout_letters(relation, order=relation.algorithms)
    assert laid.dots
    assert laid.notes[0].startswith("of two with a dot on the same line, neither is preferred")
    figure = bi.plot(relation, "letters", order=relation.algorithms)
    (dots,) = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    x, y = dots.get_data()
    alike = {
        frozenset((laid.rows[int(b)], laid.rows[int(d)]))
        for a, b in zip(x, y, strict=True)
        for c, d in zip(x, y, strict=True)
        if a == c and b < d
    }
    assert alike == {frozenset(pair) for pair, v in verdicts.items() if v == "undecided"}


def test_pairs_not_compared_are_not_joined():
    laid = pairs.layout_letters(bi.Relation.from_pairs(list("abc"), {("a", "b"): "equivalent"}))
    assert all(row.startswith("\N{MULTIPLICATION SIGN}") for row in laid.rows)
    assert {frozenset(name[-1] for name in pair) for pair in shared(laid)} == {frozenset("ab")}
    assert "2 pairs" in laid.notes[-1]


def test_all_told_apart():
    laid = pairs.layout_letters(bi.Relation.from_text("a > b"))
    assert laid.columns == ()
    assert laid.notes[0] == "no bar: all pairs are decided"
