"""Patterns of names: what is constant, and what varies."""

import pytest

from benchinfer.scores.sources.patterns import pattern_of

CASES = [
    (["run-ppo_1-tag-ret", "run-dqn_2-tag-ret", "run-dqn_1-tag-ret"], ("run-", "_", "-tag-ret")),
    (["ppo/seed_1/log", "ppo/seed_2/log", "dqn/seed_1/log"], ("", "/seed_", "/log")),
    # The name of a run may hold separators itself.
    (["fine-sun-3 - val_acc", "ppo - val_acc"], ("", " - val_acc")),
    (["svm_rbf_acc", "svm_rbf_f1", "rf_acc", "rf_f1"], ("", "_", "")),
    (["acc_svm_rbf", "f1_svm_rbf", "acc_rf", "f1_rf"], ("", "_", "")),
    (["acc_fold0", "acc_fold1"], ("acc_fold", "")),
    (["svm_iris_s0", "knn_iris_s1", "svm_wine_s1"], ("", "_", "_s", "")),
    # Parts that say the same are one.
    (["ppo-large_1", "dqn-small_1", "ppo-large_2"], ("", "_", "")),
    (["old", "new"], ("", "")),
]  # fmt: skip


@pytest.mark.parametrize(("names", "texts"), CASES)
def test_a_pattern_gives_back_the_names(names, texts):
    pattern = pattern_of(names)
    assert pattern.texts == texts
    for i, name in enumerate(names):
        parts = [labels[i] for labels in pattern.labels]
        filled = pattern.written([str(j) for j in range(len(parts))])
        assert filled.format(*parts) == name
