"""Samples of lm-evaluation-harness: docs that share a passage, repeats and filters.

The layout is that of ``lm_eval/evaluator.py`` and ``lm_eval/loggers/evaluation_tracker.py``; the
contents are simulated.
"""

import json

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.errors import ScoreTableError

TIME = "2026-01-02T03-04-05.678901"
MODELS = {"org__large": 0.7, "org__small": 0.5}


def line(i, doc, metrics, *, responses=("x",), kind="none"):
    """Return a line as the harness writes it."""
    hashes = dict.fromkeys(("doc_hash", "prompt_hash", "target_hash"), "0")
    return {
        "doc_id": i,
        "doc": doc,
        "target": "1",
        "arguments": {"gen_args_0": {"arg_0": "?"}},
        "resps": [list(responses)],
        "filtered_resps": ["x"],
        "filter": kind,
        "metrics": list(metrics),
        **hashes,
        **metrics,
    }


def squad(i, score):
    """Return one of eight questions on four paragraphs of an article."""
    doc = {"id": f"x{i}", "title": f"Article {i // 8}", "context": f"text {i // 2} " * 20}
    return [line(i, doc | {"question": f"q{i}"}, {"exact_match": score(), "f1": [1, 0]})]


def gsm8k(i, score):
    kinds = ("strict-match", "flexible-extract")
    return [line(i, {"question": f"q{i}"}, {"exact_match": score()}, kind=kind) for kind in kinds]


def repeated(i, score):
    scores = [score() for _ in range(4)]
    return [line(i, {"problem": f"q{i}"}, {"exact_match": scores}, responses="abcd")]


def categories(i, score):
    doc = {"question": f"q{i}", "category": "ab"[i % 2]}
    return [line(i, doc, {"acc": score()}, responses="abcd")]


TASKS = {"squad": squad, "gsm8k": gsm8k, "repeated": repeated, "pro": categories}


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(1)
    for model, share in MODELS.items():
        (tmp_path / model).mkdir()
        for task, of in TASKS.items():
            docs = [of(i, lambda share=share: float(rng.random() < share)) for i in range(48)]
            text = "".join(json.dumps(one) + "\n" for lines in docs for one in lines)
            (tmp_path / model / f"samples_{task}_{TIME}.jsonl").write_text(text)
    return tmp_path


def read(folder, task, **options):
    scores = bi.read_scores(f"{folder}/*/samples_{task}_*.jsonl", **options)
    (note,) = [f.what for f in scores.notes if f.rule == "tool recognised"]
    return scores, note


def lines_of(folder, task, model):
    (path,) = (folder / model).glob(f"samples_{task}_*")
    return [json.loads(text) for text in path.read_text().splitlines()]


def test_docs_on_one_passage_are_items_of_it(folder):
    scores, note = read(folder, "squad")
    assert scores.units.levels == ("passage", "doc_id")
    assert scores.units.nodes.tolist() == [[[6, 48]]]
    assert "docs with the same title are items of one passage" in note
    assert note.endswith("left out: f1.")  # a truth and a prediction for each doc
    lines = lines_of(folder, "squad", "org__small")
    mean = np.mean([one["exact_match"] for one in lines])
    assert scores.cells().mean[0, 1] == pytest.approx(mean, abs=1e-14)
    assert scores.algorithms == ("org__large", "org__small")


def test_docs_are_counted_where_the_user_says_so(folder):
    scores, _ = read(folder, "squad", units="doc_id")
    assert scores.describe()["n"].tolist() == [48, 48]
    (finding,) = [f for f in scores.notes if f.rule == "items in groups"]
    assert finding.what.startswith("the column passage puts 48 docs in 6 passages")


def test_passages_of_the_first_docs_have_the_same_labels(folder):
    few = {model: lines_of(folder, "squad", model)[:9:8] for model in MODELS}
    whole, _ = read(folder, "squad")
    for model, lines in few.items():
        for path in (folder / model).glob("samples_squad_*"):
            path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    scores, _ = read(folder, "squad")
    assert scores.units is None  # one doc of each article
    assert scores.describe()["n"].tolist() == [2, 2]
    assert whole.describe()["n"].tolist() == [6, 6]


def test_a_score_of_each_repeat_is_an_answer(folder):
    scores, _ = read(folder, "repeated")
    assert scores.units.levels == ("doc_id", "answer")
    assert scores.units.nodes.tolist() == [[[48, 192]]]
    mean = np.mean([one["exact_match"] for one in lines_of(folder, "repeated", "org__large")])
    assert scores.cells().mean[0, 0] == pytest.approx(mean, abs=1e-14)


def test_a_score_of_all_repeats_together_is_said(folder):
    scores, note = read(folder, "pro")
    assert scores.units is None
    assert "the responses to a doc have one score together" in note
    assert "category is in the column category, a level of units only where" in note
    sampled, _ = read(folder, "pro", units=("category", "doc_id"))
    assert sampled.units.nodes.tolist() == [[[2, 48]]]


def test_filters_are_measures_and_no_answers(folder):
    scores, _ = read(folder, "gsm8k")
    names = {m.name: m.better for m in scores.measures}
    assert names == dict.fromkeys(
        ("exact_match,strict-match", "exact_match,flexible-extract"), "higher"
    )
    assert scores.units is None
    frames = [
        pd.DataFrame(lines_of(folder, "gsm8k", model)).assign(model=model) for model in MODELS
    ]
    of_frame = bi.read_scores(pd.concat(frames), dataset="gsm8k")
    assert of_frame.digest == scores.digest


@pytest.mark.slow
def test_tasks_of_a_folder_have_the_levels_of_all(folder):
    scores, _ = read(folder, "*")
    assert scores.units.levels == ("passage", "doc_id", "answer")
    assert scores.datasets == ("gsm8k", "pro", "repeated", "squad")
    m = scores.units.measures.index("exact_match")
    assert scores.units.nodes[m].tolist() == [[0, 0, 0], [0, 0, 0], [48, 48, 192], [6, 48, 48]]
    for task, measure in (("squad", "exact_match"), ("gsm8k", "exact_match,strict-match")):
        alone, _ = read(folder, task)
        part = scores.subset(datasets=[task])
        for one in (alone, part):
            assert bi.compare_pair(one, measure).evidence.p_value == pytest.approx(
                bi.compare_pair(alone, measure).evidence.p_value, abs=1e-14
            )


@pytest.mark.parametrize("name", ["flores_passage", "passageId", "story_id", "premise", "context"])
def test_fields_of_shared_texts(tmp_path, name):
    lines = [line(i, {name: i // 3, "question": f"q{i}"}, {"acc": float(i % 2)}) for i in range(12)]
    path = tmp_path / "org__a" / f"samples_task_{TIME}.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    scores = bi.read_scores(path)
    assert scores.units.nodes.tolist() == [[[4, 12]]]
    assert (scores.datasets, scores.algorithms) == (("task",), ("org__a",))


def test_long_texts_that_begin_alike_are_different_passages(tmp_path):
    texts = ["the same beginning of a passage, " * 3 + str(i // 2) for i in range(8)]
    lines = [line(i, {"passage": text}, {"acc": 1.0}) for i, text in enumerate(texts)]
    path = tmp_path / f"samples_task_{TIME}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    assert bi.read_scores(path).units.nodes.tolist() == [[[4, 8]]]


def test_samples_without_a_score_of_each_doc_are_refused(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps(line(0, {"question": "?"}, {"bleu": ["a", "b"]})) + "\n")
    with pytest.raises(ScoreTableError, match="no metric that is a number for each doc"):
        bi.read_scores(path)
