import re

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.comparison import sections
from benchinfer.comparison.wording import proviso
from benchinfer.core.numbers import count
from benchinfer.core.sections import Request
from benchinfer.reports import html
from benchinfer.reports.gather import everything, gather
from benchinfer.reports.page import compose
from benchinfer.reports.texts import as_prose
from tests.conftest import Page

NASTY = '<script>alert(1)</script> & "x" - y'
DATASET = "</table><img src=x onerror=alert(1)>"
DRAWN = {"svg", "g", "path", "defs", "clippath", "rect", "use", "text", "tspan", "pattern"}
MEASURE = "{{ 7 * 7 }} <i>m</i> 'q'"


@pytest.fixture(scope="module")
def nasty_text(nasty_table, tmp_path_factory):
    return bi.report(nasty_table, tmp_path_factory.mktemp("nasty") / "report.html").read_text(
        "utf-8"
    )


@pytest.fixture
def page(nasty_text):
    """A page of names that HTML would like to read as markup."""
    return Page(nasty_text)


@pytest.fixture(scope="module")
def whole_text(table, tmp_path_factory):
    return bi.report(table, tmp_path_factory.mktemp("whole") / "report.html").read_text("utf-8")


@pytest.mark.slow
def test_sections_of_a_whole_table(whole_text, table):
    page = Page(whole_text)
    assert page.headings() == [
        "simulated score",
        "Answer",
        "Method: mixed model",
        "Verdicts of each analysis",
        "What would change the verdicts",
        "Mixed model",
        "Where the spread comes from",
        "Tests of the whole",
        "Data sets that depart",
        "Checks of the model",
        "Influence",
        "A new data set",
        "Permutation tests",
        "Permutation tests of all algorithms together",
        "Method: permutation tests",
        "Hierarchical Bayesian model",
        "How probable it is",
        "Method: hierarchical Bayesian model",
        "Bootstrap of aggregates",
        "Method: bootstrap of aggregates",
        "Point comparison",
        "Method: point comparison",
        "Each data set by itself: mixed model",
        "Method: mixed model on each data set",
        "Consensus over the data sets",
        "Scores",
        "References and provenance",
        "References",
        "BibTeX",
        "Meaning of the columns",
        "Provenance",
    ]
    mixed = bi.compare_mixed(table)
    # The condition of the claims is in the headline, and is said once.
    method = mixed.method.removesuffix(proviso(mixed.proviso))
    for text in (mixed.headline(), str(mixed.relation()), method, mixed.rule, mixed.formula):
        assert text in page.text
    assert proviso(mixed.proviso).strip() not in page.text
    (answered,) = (s for s in compose(gather(mixed, None)).parts[0].sections if "Method" in s.title)
    assert "".join(text for _, text in answered.facts).count(mixed.formula) == 1
    assert "no random sample" in page.text
    assert "nothing is missing" in page.text
    assert bi.__version__ in page.text
    assert table.digest in page.text
    for entry in re.findall(r"doi = \{(.+?)\}", mixed.citations()):
        assert f"https://doi.org/{entry}" in page.text


def test_what_a_reader_sees_who_opens_nothing(whole_text, table):
    seen = [
        (stack, word)
        for stack, word in Page(whole_text).words
        if word and not {"details", "nav"} & {*stack}
    ]
    heads = [word for stack, word in seen if stack[-1:] == ("h3",)]
    assert heads == ["Answer", "Method: mixed model", "Provenance"]
    mixed, text = bi.compare_mixed(table), " ".join(word for _, word in seen)
    method = mixed.method.removesuffix(proviso(mixed.proviso))
    for said in (mixed.headline(), method, mixed.rule):
        assert said in text
    assert "Verdicts of each analysis" not in text
    assert table.digest in text
    assert "Diagnostics" not in text


@pytest.mark.slow
def test_a_fold_says_the_rows_of_its_tables(table):
    page = compose(everything(table, methods=("mixed", "points", "per-dataset")))
    text = html.render(page)
    folded = [s for part in page.parts for s in part.sections if s.depth]
    assert {s.depth for s in folded} == {1, 2}
    for section in folded:
        line = text.partition(f'id="{section.anchor}"')[2].partition("</summary>")[0]
        for one in section.all_tables:
            name = one.caption.partition(":")[0].partition(",")[0]
            said = f"{name[:1].lower()}{name[1:]}: {count(len(one.frame), 'row')}"
            assert said in line
        failed = sum(not check.ok for check in section.checks)
        assert not failed or f"! {failed} of {len(section.checks)} check" in line
    inner = [s.title for s in folded if s.depth == 2]
    assert {"Where the spread comes from", "Method: point comparison"} <= {*inner}


@pytest.mark.slow
def test_long_tables_are_folds_that_say_their_rows(eleven):
    text = html.render(compose(gather(eleven, None)))
    assert (
        "<summary>Figure and table of the 55 contrasts: 1 figure; contrasts: 55 rows</summary>"
        in text
    )
    depth = 0
    for part in re.findall(r"</?details|<tbody>.*?</tbody>", text, flags=re.DOTALL):
        depth += {"<details": 1, "</details": -1}.get(part, 0)
        assert depth > 0 or part.count("<tr") <= 16


@pytest.mark.slow
def test_what_is_printed(table, tmp_path):
    points = bi.compare_points(table)
    for prints, full in (("short", False), ("full", True)):
        text = bi.report(points, tmp_path / "report.html", print=prints).read_text("utf-8")
        assert ('<body class="full">' in text) == full
        assert ("Folded sections of the page are not printed." in text) == (not full)
    with pytest.raises(bi.BenchinferError, match="print"):
        bi.report(points, tmp_path / "report.html", print="all")


@pytest.mark.slow
def test_direction_is_named_with_every_table_and_figure(whole_text):
    page = Page(whole_text)
    assert page.text.count("higher is better") >= 6
    captions = [word for stack, word in page.words if stack[-1:] == ("figcaption",) and word]
    assert any("A difference above 0 favours the algorithm named first" in c for c in captions)


@pytest.mark.slow
def test_contents_where_there_are_several_measures(written):
    scores = bi.load_example("sklearn_bootstrap")
    results = [bi.compare_points(scores, name) for name in ("error", "seconds")]
    page = written(results)
    targets = {value for _, name, value in page.attributes if name == "id"}
    links = [v for t, n, v in page.attributes if (t, n) == ("a", "href") and v.startswith("#")]
    assert {link[1:] for link in links} <= targets
    assert links[0] == "#measures"
    assert {"#measure-2", "#sources", "#measure-2-1"} <= {*links}


@pytest.mark.slow
def test_several_measures_begin_with_the_levels_on_all_of_them(written):
    scores = bi.load_example("sklearn_bootstrap")
    answer = bi.compare(scores)
    page = written(list(answer.values()))
    assert page.headings()[:3] == ["All measures", "Answer", "misclassification error"]
    said = [page.text.index(text) for text in ("lda has the lowest", "0.084* a", "the best's")]
    assert said == sorted(said)
    assert {"0.084* a", "0.00408 c", "0.00129* a"} <= {*page.cells()}
    assert "All measures" not in written([answer["error"]]).headings()


def test_every_name_is_escaped(page):
    assert page.tags.count("script") == 1
    assert not {"i", "u", "s", "img"} & set(page.tags)
    assert set(page.tags) - DRAWN <= {
        *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "nav"),
        *(
            "h1",
            "h2",
            "h3",
            "h4",
            "p",
            "b",
            "ul",
            "ol",
            "li",
            "a",
            "article",
            "section",
            "div",
            "span",
        ),
        *("figure", "figcaption", "table", "thead", "tbody", "tr", "script"),
        *("th", "td", "dl", "dt", "dd", "code", "pre", "details", "summary"),
    }
    assert not [a for a in page.attributes if a[1].startswith("on") or a[1] == "srcdoc"]
    cells = page.cells()
    for name in (NASTY, f"{NASTY} better", DATASET):
        assert name in cells
    assert f"<u>{MEASURE}</u> [<s>]" in page.headings()
    assert "49" not in page.headings()[0]


@pytest.mark.slow
def test_nothing_is_fetched(page):
    sources = [v for _, name, v in page.attributes if name in {"src", "srcset", "href", "data"}]
    assert all(v.startswith(("#", "https://doi.org/")) for v in sources)
    assert not {"link", "iframe", "object", "embed", "base", "form"} & set(page.tags)
    policy = [v for tag, name, v in page.attributes if tag == "meta" and name == "content"]
    assert any("default-src 'none'" in value for value in policy)


@pytest.mark.slow
def test_each_figure_is_there_once_with_a_text_alternative_and_ids_of_its_own(page):
    alts = [value for tag, name, value in page.attributes if (tag, name) == ("svg", "aria-label")]
    assert len(alts) == page.tags.count("svg") >= 8
    assert all(alts)
    ids = [value for _, name, value in page.attributes if name == "id"]
    assert len(ids) == len({*ids})
    used = [v for _, name, v in page.attributes if name in {"clip-path", "xlink:href"}]
    assert {re.search(r"#(\w+)", value)[1] for value in used} <= {*ids}


@pytest.mark.slow
def test_colours_of_figures_are_those_of_the_page(tmp_path, table):
    text = bi.report(bi.compare_mixed(table), tmp_path / "report.html").read_text()
    drawn = "".join(re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL))
    names = {name for value in re.findall(r'class="(f\d+)"', drawn) for name in value.split()}
    rules = dict(re.findall(r"^\.(f\d+)\{(.*)\}$", text, flags=re.MULTILINE))
    assert names <= {*rules}
    assert any("currentColor" in rule for rule in rules.values())
    variables = {v for rule in rules.values() for v in re.findall(r"var\(--(\w+)\)", rule)}
    light, dark = re.findall(r":root\{(--[0-9a-f]{6}:.*?)\}", text)
    assert variables == {*re.findall(r"--(\w+):", light)} == {*re.findall(r"--(\w+):", dark)}


def test_what_is_missing_is_shown(page):
    assert "1 of 9 cells has no score" in page.text
    assert "Over these 2 data sets, leaving out the data set" in page.text
    assert "Scores per cell" in page.text
    assert ("td", "class", "empty number") in page.attributes


@pytest.mark.slow
def test_a_question_that_the_table_cannot_answer_is_a_note(written):
    scores = bi.load_example("demsar2006")
    page = written(scores.subset(datasets=[scores.datasets[0]]))
    assert "Not answered" in page.headings()
    notes = [word for stack, word in page.words if stack[-1:] == ("pre",)]
    assert any("leaves nothing to estimate noise from" in note for note in notes)
    assert "Point comparison" in page.headings()


@pytest.mark.slow
def test_one_dataset(written, table):
    page = written(table.subset(datasets=[table.datasets[0]]))
    assert "Mixed model" in page.headings()
    assert not any(heading.startswith("Each data set") for heading in page.headings())
    assert "no random sample" not in page.text


@pytest.mark.slow
def test_a_list_of_results_and_their_table(written, table):
    mixed = bi.compare_mixed(table)
    local = bi.per_dataset(bi.compare_mixed, table)
    page = written([mixed, local, mixed.relation()], scores=table, title="A & B <c>")
    assert "A & B <c>" in page.text
    assert "Point comparison" not in page.headings()
    assert "Relation 1" in page.headings()
    assert "Scores" in page.headings()


@pytest.mark.slow
def test_a_result_alone(written, table):
    mixed, relation = bi.compare_mixed(table), bi.compare_mixed(table).relation()
    assert "Mixed model" in written(mixed).headings()
    assert str(relation) in written(relation).text
    assert (
        "Each data set by itself: mixed model"
        in written(bi.per_dataset(bi.compare_mixed, table)).headings()
    )


@pytest.mark.slow
def test_report_method_and_function_write_the_same(tmp_path, table):
    mixed = bi.compare_mixed(table)
    one, two = mixed.report(tmp_path / "a.html"), bi.report([mixed], tmp_path / "b.html")
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.slow
def test_the_same_table_gives_the_same_bytes(tmp_path, nasty_table, nasty_text):
    again = bi.report(nasty_table, tmp_path / "again.html")
    assert again.read_text("utf-8") == nasty_text


def test_the_size_of_a_report(whole_text):
    assert len(whole_text) < 300_000


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (3, "cannot report a int."),
        ("scores.csv", "cannot report a str."),
        ([3], "cannot report a int."),
        ([], "there is nothing to report."),
    ],
)
def test_what_cannot_be_reported(tmp_path, thing, said):
    with pytest.raises(bi.BenchinferError) as caught:
        bi.report(thing, tmp_path / "report.html")
    assert str(caught.value).startswith(f"{said}\nHint: give a ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "said"), [("scores.csv", "was read as input"), ("no/x.html", "there is no folder")]
)
def test_refuses_the_path_before_the_work(tmp_path, monkeypatch, name, said):
    path = tmp_path / "scores.csv"
    path.write_text("dataset,algorithm,acc\nd,a,.8\nd,b,.9\n", encoding="utf-8")
    scores = bi.read_scores(path, measures=bi.Measure("acc", "higher"))
    monkeypatch.setattr("benchinfer.reports.page.gather", lambda *_, **__: pytest.fail("worked"))
    with pytest.raises(bi.BenchinferError, match=said):
        bi.report(scores, tmp_path / name)


@pytest.mark.slow
def test_a_bootstrap_of_the_report_has_resamples_enough_for_its_pairs():
    rng = np.random.default_rng(1)
    rows = [
        (f"a{a}", f"d{d}", r, 0.8 + 0.02 * a + 0.008 * rng.normal())
        for a in range(8)
        for d in range(10)
        for r in range(5)
    ]
    table = pd.DataFrame(rows, columns=["algorithm", "dataset", "replication", "acc"])
    scores = bi.read_scores(table, measures=bi.Measure("acc", "higher"))
    (found,) = everything(scores, methods=("bootstrap",)).results
    assert (found.contrasts(all=True)["verdict"] != "undecided").all()


@pytest.mark.slow
def test_a_bootstrap_that_can_decide_nothing_is_left_out():
    rng = np.random.default_rng(1)
    rows = [
        (f"a{a}", f"d{d}", r, 0.8 + 0.02 * a + 0.008 * rng.normal())
        for a in range(30)
        for d in range(6)
        for r in range(5)
    ]
    table = pd.DataFrame(rows, columns=["algorithm", "dataset", "replication", "acc"])
    scores = bi.read_scores(table, measures=bi.Measure("acc", "higher"))
    found = everything(scores, methods=("bootstrap",))
    assert not found.results
    (refusal,) = found.refusals
    assert "resamples are too few to decide any of 435 pairs" in refusal.why
    assert "needs fewer, of one named beforehand" in refusal.why


def test_a_missing_folder(tmp_path, table):
    with pytest.raises(bi.BenchinferError, match="there is no folder"):
        bi.report(bi.compare_points(table), tmp_path / "no" / "report.html")


@pytest.mark.slow
def test_many_algorithms_stay_readable(written):
    names = [f"algorithm_{i:02}" for i in range(50)]
    pairs = {(names[0], b): "first" for b in names[1:]}
    relation = bi.Relation.from_pairs(names, pairs)
    page = written(relation)
    folded = [word for stack, word in page.words if stack[-1:] == ("details",) and word]
    assert folded
    assert f"2 to 50: {', '.join(names[1:])}".startswith(folded[0])
    assert "<details>" not in page.text


def test_tiles_that_nobody_could_read_are_left_out(monkeypatch, written, table):
    local = bi.per_dataset(bi.compare_mixed, table)
    assert "svg" in written(local).tags
    monkeypatch.setattr("benchinfer.comparison.sections.TILES", 10)
    assert "svg" not in written(local).tags


def test_scores_off_the_scale_are_a_note(written):
    rows = [("d", a, r, 0.0 if (a, r) == ("a", 0) else 0.2 * r + 0.1) for a in "ab"
            for r in range(4)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "value"])
    page = written(bi.read_scores(frame, measures=bi.Measure("value", "lower", 0.05, "log")))
    assert {"Not answered", "Scores"} <= set(page.headings())
    notes = [word for stack, word in page.words if stack[-1:] == ("pre",)]
    assert sum("cannot be put on the log scale" in note for note in notes) == 3


@pytest.mark.slow
def test_local_results_say_what_is_adjusted(written, table):
    said = "P-values are adjusted within each data set, not over data sets"
    assert said in written(bi.per_dataset(bi.compare_mixed, table)).text
    assert said not in written(bi.per_dataset(bi.compare_points, table)).text


@pytest.fixture(scope="module")
def eleven():
    rng = np.random.default_rng(1)
    rows = [(d, f"a{k:02}", r, k + rng.normal()) for d in range(3) for k in range(11)
            for r in range(3)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "value"])
    return bi.compare_mixed(bi.read_scores(frame, measures={"value": "lower"}))


def test_many_pairs_are_a_matrix_with_forest_and_contrasts_folded(eleven):
    section = sections.verdict(eleven, Request())
    assert [figure.kind for figure in section.figures] == ["ranking", "hasse"]
    assert section.tables[1].caption == "Verdicts of the pairs, best algorithm first"
    assert section.fold.summary == "Figure and table of the 55 contrasts"
    assert [figure.kind for figure in section.fold.figures] == ["forest"]
    assert [len(table.rows) for table in section.fold.tables] == [55]


def test_matrix_mirrors_itself_and_says_the_verdicts(eleven):
    relation = eleven.relation()
    table = sections.verdict(eleven, Request()).tables[1]
    names = [row[1].text for row in table.rows]
    assert names == eleven.summary().sort_values("rank")["algorithm"].tolist()
    tiles = [[cell.text for cell in row[2:]] for row in table.rows]
    assert all(tiles[i][i] == "" for i in range(11))
    said = {"first": ">", "second": "<", "equivalent": "~", "undecided": "?"}
    words = relation.incidence()
    assert all(
        tiles[i][j] == said[words.loc[a, b]]
        for i, a in enumerate(names) for j, b in enumerate(names) if a != b
    )  # fmt: skip


def test_few_pairs_stand_open(table):
    section = sections.verdict(bi.compare_mixed(table), Request())
    assert section.fold is None
    assert [figure.kind for figure in section.figures] == ["ranking", "forest", "hasse"]


def test_large_relations_have_a_matrix(written):
    names = [f"algorithm_{i:02}" for i in range(11)]
    page = written(bi.Relation.from_pairs(names, {(names[3], b): "first" for b in names[:3]}))
    assert "Table of the 55 verdicts" in page.text
    assert page.cells()[:2] == ["1", "algorithm_03"]


@pytest.mark.slow
def test_what_html_must_not_hold_is_replaced_wherever_names_stand(tmp_path):
    names = ["a\x00b", "\t", "c\x1b[31m"]
    rng = np.random.default_rng(1)
    rows = [(f"d{i}\x07", name, rng.normal()) for i in range(6) for name in names]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    scores = bi.read_scores(frame, measures="score:higher")
    path = tmp_path / "report.html"
    bi.report(bi.compare_permutation(scores, on="ranks", seed=1), path)
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", text)
    assert "a[U+0000]b" in text


@pytest.mark.parametrize("lost", [0, 1])
def test_tables_of_single_scores_lose_no_section(lost):
    from benchinfer.reports.gather import everything

    rng = np.random.default_rng(1)
    rows = [(d, a, rng.normal()) for d in range(6) for a in "abc"][lost:]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    found = everything(bi.read_scores(frame, measures="score:higher"))
    assert found.refusals == ()
    assert {one._title for one in found.results[-1].values()} == {"Point comparison"}
    assert list(found.agreed) == ["score"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("compare_mixed uses all", "a mixed model uses all"),
        ('compare_bayes(..., likelihood="binomial")', "a Bayesian model (likelihood: binomial)"),
        ("compare_mixed(..., covariates=[...])", "a mixed model (with covariates)"),
        ('Measure(scale="log")', "the measure's scale (log)"),
        ("set Measure(tolerance=...)", "set the measure's tolerance"),
        ("paired=True says so", "the option paired (True) says so"),
        ("raise resamples=", "raise the option resamples"),
        ("algorithms=['a', 'b']", "the option algorithms (a and b)"),
        ("scores.subset(datasets=[...])", "a table of some data sets"),
        ("per_dataset(compare_pair, scores)", "a test of two algorithms on each data set"),
        (
            'give measures={\'acc\': ...}, with "higher" or "lower"',
            "give the direction of acc, higher or lower",
        ),
        ("influence() says", "the table of influence says"),
        ("k-NN(k=1) and SGD lr=0.1", "k-NN(k=1) and SGD lr=0.1"),
    ],
)
def test_words_for_who_reads_a_report(said, words):
    assert as_prose(said) == words


@pytest.mark.slow
def test_a_report_says_analyses_and_options_in_words(tmp_path):
    rng = np.random.default_rng(1)
    rows = [(f"d{i}", a, i + rng.exponential()) for i in range(6) for a in "xyz"]
    rows[0] = ("d0", "x", 400.0)
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "value"])
    scores = bi.read_scores(frame, measures={"value": "higher"})
    results = [bi.compare_points(scores), bi.per_dataset(bi.compare_points, scores)]
    for kind in ("html", "md"):
        text = bi.report(results, tmp_path / f"r.{kind}", scores=scores).read_text("utf-8")
        said = text.partition("Provenance")[0] if kind == "html" else text.partition("Python")[0]
        assert "For evidence, use a mixed model." in said
        assert not re.findall(r"compare.{0,2}_(?:mixed|permutation|points)", said)


@pytest.mark.slow
def test_contrasts_are_folded_where_the_verdicts_stand_before_them(table):
    both = [bi.compare_points(table), bi.compare_mixed(table)]
    for results, folded in ((both, True), (both[1:], False)):
        text = html.render(compose(gather(results, None)))
        before = text.partition("Contrasts: ")[0]
        assert (before.count("<details") > before.count("</details")) == folded
