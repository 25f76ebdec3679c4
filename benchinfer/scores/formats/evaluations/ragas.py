"""Results of ragas."""

from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import Format, Names
from benchinfer.scores.resampling import Resampling

_METRICS = (
    *(
        "faithfulness",
        "answer_relevancy",
        "context_precision",
        "context_recall",
        "context_relevancy",
    ),
    *("context_entity_recall", "answer_similarity", "semantic_similarity", "answer_correctness"),
    *("factual_correctness", "noise_sensitivity", "llm_context_precision_with_reference"),
    *("llm_context_precision_without_reference", "non_llm_context_recall", "bleu_score"),
    *("rouge_score", "exact_match", "string_present", "factual_correctness(mode=f1)"),
    *("answer_accuracy", "context_relevance", "response_groundedness", "nv_accuracy"),
)
_LOWER = {"noise_sensitivity"}


def ragas(names: Names) -> Format | None:
    """Describe the table of a result: a row per question, a column per metric of the tool."""
    item = next((name for name in ("user_input", "question") if name in names), None)
    metrics = [name for name in names if name in _METRICS]
    if item is None or not metrics:
        return None
    return Format(
        "ragas",
        {item: "replication"},
        "wide-measures",
        tuple(Measure(n, "lower" if n in _LOWER else "higher", bounds=(0.0, 1.0)) for n in metrics),
        Resampling("items"),
        name="{algorithm}",
    )
