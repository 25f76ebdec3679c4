"""Layouts of frameworks, read as a newcomer reads them: without options, or by the first proposal.

The numbers are those of the samples' files.
"""

import pytest

from tests.scores.formats.catalogue import PAGE, Layout, as_a_newcomer, page

LAYOUTS = [
    Layout(
        "pytest-benchmark",
        "timing/pytest_benchmark.json",
        16,
        ("n=1000", "sorted", "2", "time"),
        6.28900011179212e-06,
        "ionelmc/pytest-benchmark src/pytest_benchmark/fixture.py",
    ),
    Layout(
        "hyperfine, JSON",
        "timing/hyperfine.json",
        10,
        ("hyperfine", "rg -c needle", "3", "time"),
        0.01953,
        "sharkdp/hyperfine src/benchmark/benchmark_result.rs",
    ),
    Layout(
        "hyperfine, CSV",
        "timing/hyperfine.csv",
        2,
        ("hyperfine", "grep -c needle", "1", "time"),
        0.0521,
        "sharkdp/hyperfine src/export/csv.rs",
    ),
    Layout(
        "Google Benchmark",
        "timing/google_benchmark.json",
        36,
        ("1024", "BM_vector", "2", "real_time"),
        2031.8035293141454,
        "google/benchmark src/json_reporter.cc",
    ),
    Layout(
        "PyCaret",
        "tuning/pycaret.csv",
        24,
        ("pycaret", "Decision Tree Classifier", "1", "Prec."),
        0.945,
        "pycaret/pycaret pycaret/internal/pycaret_experiment/supervised_experiment.py",
    ),
    Layout(
        "AutoGluon",
        "tuning/autogluon.csv",
        15,
        ("autogluon", "CatBoost", "1", "score_test"),
        0.9301,
        "autogluon/autogluon tabular/src/autogluon/tabular/predictor/predictor.py",
    ),
    Layout(
        "FLAML, log",
        "tuning/automl.log",
        5,
        ("automl", "rf", "3", "validation_loss"),
        0.22,
        "microsoft/FLAML flaml/training_log.py",
    ),
    Layout(
        "Optuna, storage",
        "tuning/optuna.db",
        7,
        ("iris", "svm", "4", "value"),
        0.9049543508709195,
        "optuna/optuna optuna/storages/_rdb/models.py",
    ),
    Layout(
        "Optuna, trials_dataframe",
        "optuna.csv",
        7,
        ("optuna", "cart", "5", "value"),
        0.6666666666666666,
        "optuna/optuna optuna/study/_dataframe.py",
    ),
    Layout(
        "MLflow, CSV of its page",
        "tuning/mlflow_page.csv",
        3,
        ("mlflow_page", "cnn", "2", "test_acc"),
        0.92,
        "mlflow/mlflow mlflow/server/js/src/common/utils/Utils.tsx",
    ),
    Layout(
        "MLflow, mlruns",
        "tuning/mlruns",
        8,
        ("digits", "cnn", "2", "loss"),
        0.3030813645758914,
        "mlflow/mlflow mlflow/store/tracking/file_store.py",
    ),
    Layout(
        "asv",
        "timing/asv",
        18,
        ("suite.time_sort(200)", "2f0c3aa2", "3", "time"),
        0.000192269,
        "airspeed-velocity/asv asv/results.py",
    ),
    Layout(
        "Criterion",
        "timing/criterion",
        24,
        ("Sort/64", "quick", "2", "time"),
        104.54685373598652,
        "bheisler/criterion.rs src/analysis/mod.rs",
    ),
    Layout(
        "HELM",
        "evaluations/helm",
        16,
        ("mmlu:subject=law,method=multiple_choice_joint", "org/small", "id2", "exact_match"),
        0.0,
        "stanford-crfm/helm src/helm/benchmark/runner.py",
    ),
    Layout(
        "Inspect, JSON",
        "evaluations/inspect_json",
        8,
        ("sums", "mockllm/large", "3", "match"),
        1.0,
        "UKGovernmentBEIS/inspect_ai src/inspect_ai/log/_log.py",
    ),
    Layout(
        "Inspect, .eval",
        "evaluations/inspect_eval",
        8,
        ("sums", "mockllm/small", "3", "match"),
        0.0,
        "UKGovernmentBEIS/inspect_ai src/inspect_ai/log/_recorders/eval.py",
    ),
    Layout(
        "OpenCompass",
        "evaluations/opencompass/summary_20260102_030405.csv",
        5,
        ("openai_humaneval", "large", "1", "humaneval_pass@1"),
        42.68,
        "open-compass/opencompass opencompass/summarizers/default.py",
    ),
    Layout(
        "LightEval",
        "evaluations/lighteval",
        3,
        ("lighteval|gsm8k|0", "org/small", "1", "extractive_match"),
        0.41,
        "huggingface/lighteval src/lighteval/logging/evaluation_tracker.py",
    ),
    Layout(
        "LightEval, details",
        "evaluations/lighteval_details",
        22,
        ("leaderboard|arc:challenge|25", "org/small", "2", "acc_norm"),
        1.0,
        "huggingface/lighteval src/lighteval/logging/evaluation_tracker.py",
    ),
    Layout(
        "lm-evaluation-harness, printed tables",
        "evaluations/lm_eval.md",
        8,
        ("arc_easy", "org/large", "1", "acc_norm"),
        0.5518,
        "EleutherAI/lm-evaluation-harness lm_eval/utils.py",
    ),
    Layout(
        "trec_eval",
        "evaluations/trec/*.txt",
        18,
        ("trec", "dense", "302", "ndcg_cut_10"),
        0.5,
        "usnistgov/trec_eval trec_eval.c",
    ),
    Layout(
        "Every Eval Ever, aggregates",
        "evaluations/eee",
        4,
        ("code", "org/large", "1", "score"),
        0.47,
        "evaleval/every_eval_ever eval.schema.json",
    ),
    Layout(
        "Every Eval Ever, answers",
        "evaluations/eee_answers",
        8,
        ("code", "org/small", "q2", "score"),
        0.0,
        "evaleval/every_eval_ever instance_level_eval.schema.json",
    ),
    Layout(
        "GridSearchCV",
        "cv_results.csv",
        30,
        ("cv_results", "{'n_neighbors': 5}", "3", "accuracy"),
        0.966667,
        "scikit-learn/scikit-learn sklearn/model_selection/_search.py",
    ),
    Layout(
        "cross_validate",
        "cross_validate.csv",
        6,
        ("cross_validate", "knn", "2", "score"),
        0.98,
        "scikit-learn/scikit-learn sklearn/model_selection/_validation.py",
    ),
    Layout(
        "AutoML Benchmark",
        "automl_results.csv",
        26,
        ("kc2", "RandomForest", "0", "auc"),
        0.8238,
        "openml/automlbenchmark amlb/results.py",
    ),
    Layout(
        "TabRepo",
        "tabrepo.csv",
        18,
        ("houses", "CatBoost_c1_BAG_L1", "0", "rmse"),
        278.703,
        "autogluon/tabrepo tabrepo/repository/evaluation_repository.py",
    ),
    Layout(
        "lm-evaluation-harness, results",
        "harness/*/*.json",
        12,
        ("mmlu_law", "org/large", "1", "acc"),
        0.256,
        "EleutherAI/lm-evaluation-harness lm_eval/loggers/evaluation_tracker.py",
    ),
    Layout(
        "lm-evaluation-harness, samples",
        "samples/*/*.jsonl",
        48,
        ("arc_easy", "org__large", "6", "acc"),
        1.0,
        "EleutherAI/lm-evaluation-harness lm_eval/loggers/evaluation_tracker.py",
    ),
    Layout(
        "MTEB",
        "mteb/*/*/*.json",
        6,
        ("STS22/en", "org/large", "1", "main_score"),
        0.8411,
        "embeddings-benchmark/mteb mteb/load_results/task_results.py",
    ),
    Layout(
        "tidymodels",
        "tidymodels.csv",
        18,
        ("tidymodels", "recipe_glm", "Fold3", "accuracy"),
        0.225,
        "tidymodels/tune R/collect.R",
    ),
    Layout(
        "mlr3",
        "mlr3.csv",
        36,
        ("spam", "classif.ranger", "2", "classif.auc"),
        0.7156,
        "mlr-org/mlr3 R/BenchmarkResult.R",
    ),
    Layout(
        "MLflow, search_runs",
        "mlflow.csv",
        12,
        ("wine", "knn", "1", "acc"),
        0.6101694915254238,
        "mlflow/mlflow mlflow/tracking/fluent.py",
    ),
    Layout(
        "tsml-eval, predictions of classes",
        "tsml",
        8,
        ("wine", "KNN", "0", "accuracy"),
        0.6666666666666666,
        "time-series-machine-learning/tsml-eval tsml_eval/evaluation/storage/classifier_results.py",
    ),
    Layout(
        "Weka, CSV",
        "weka.csv",
        168,
        ("two", "weka.classifiers.rules.ZeroR/''", "1/3", "Kappa_statistic"),
        0.0,
        "Weka 3.6.14 itself",
    ),
    Layout(
        "Weka, ARFF",
        "weka.arff",
        108,
        ("two", "weka.classifiers.trees.J48/-C 0.1 -M 2", "1/3", "Area_under_ROC"),
        0.916667,
        "Weka 3.6.14 itself",
    ),
    Layout(
        "aeon, table of an estimator",
        "testfolds/*.csv",
        18,
        ("Car", "HC2", "0", "value"),
        0.8024,
        "aeon-toolkit/aeon aeon/benchmarking/results_loaders.py",
    ),
    Layout(
        "Keras, CSVLogger",
        "curves/keras",
        12,
        ("keras", "cnn", "2", "val_accuracy"),
        0.8084,
        "keras-team/keras keras/src/callbacks/csv_logger.py",
    ),
    Layout(
        "Lightning, csv_logs",
        "curves/lightning",
        6,
        ("lightning", "resnet18", "3", "test_acc"),
        0.6919,
        "Lightning-AI/pytorch-lightning src/lightning/pytorch/loggers/csv_logs.py",
    ),
    Layout(
        "Ultralytics",
        "curves/ultralytics",
        40,
        ("coco8.yaml", "yolo11n.pt", "1", "train/dfl_loss"),
        1.29655,
        "ultralytics/ultralytics ultralytics/engine/trainer.py",
    ),
    Layout(
        "TensorBoard, CSV",
        "curves/tensorboard",
        6,
        ("tensorboard", "ppo", "3", "Value"),
        394.9,
        "tensorflow/tensorboard tensorboard/plugins/scalar/scalars_plugin.py",
    ),
    Layout(
        "Stable-Baselines3, evaluations.npz",
        "curves/stable_baselines",
        8,
        ("CartPole", "sac", "1", "mean_reward"),
        80.7542,
        "DLR-RM/stable-baselines3 stable_baselines3/common/callbacks.py",
    ),
    Layout(
        "Transformers, trainer_state.json",
        "curves/transformers",
        12,
        ("transformers", "bert", "3", "eval_accuracy"),
        0.6386,
        "huggingface/transformers src/transformers/trainer_callback.py",
    ),
    Layout(
        "Google Benchmark, CSV",
        "timing/google_benchmark.csv",
        36,
        ("64", "BM_deque", "1", "cpu_time"),
        194.557,
        "google/benchmark src/csv_reporter.cc",
    ),
    Layout(
        "DVC, metrics diff",
        "tuning/dvc_metrics_diff.json",
        8,
        ("eval/wine/metrics.json", "new", "1", "logloss"),
        0.43,
        "iterative/dvc dvc/commands/metrics.py",
    ),
    Layout(
        "DVC, exp show, CSV",
        "tuning/dvc_exp_show.csv",
        6,
        ("dvc_exp_show", "rf", "3", "acc"),
        0.9,
        "iterative/dvc dvc/commands/experiments/show.py",
    ),
    Layout(
        "DVC, exp show, JSON",
        "tuning/dvc_exp_show.json",
        10,
        ("dvc_exp_show", "svm", "2", "logloss"),
        0.38,
        "iterative/dvc dvc/repo/experiments/serialize.py",
    ),
]


@pytest.fixture(scope="module")
def reading():
    """Read each sample once."""
    return {layout.path: as_a_newcomer(layout.path) for layout in LAYOUTS}


@pytest.mark.parametrize("layout", LAYOUTS, ids=[layout.path for layout in LAYOUTS])
def test_what_is_read_is_what_the_sample_holds(reading, layout):
    _, _, scores = reading[layout.path]
    assert scores.n_rows == layout.scores
    table = scores.to_frame().set_index(["dataset", "algorithm", "replication", "measure"])
    assert table.loc[layout.cell, "value"] == pytest.approx(layout.value, rel=1e-9)


def test_most_layouts_are_read_without_options(reading):
    ways = [how for how, _, _ in reading.values()]
    assert len(ways) >= 45
    assert ways.count("read") >= 30
    assert ways.count("Enter") >= 12


def test_the_page_is_of_this_table(reading):
    rows = [(layout, *reading[layout.path]) for layout in LAYOUTS]
    assert PAGE.read_text(encoding="utf-8") == page(rows)
