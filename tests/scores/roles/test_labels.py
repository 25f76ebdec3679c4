"""Labels that say what a column holds: parts of the data, and levels of a factor."""

import itertools

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.scores.roles.readings import readings

# The part on which algorithms are tested, and the others.
PHASES = (["test", "train"], ["TEST", "Training", "Validation"], ["dev", "train"])


def frame(column, levels, *, seeds=(1,), shuffled=False):
    """Return accuracies of three models on eight data sets at levels of a further column."""
    models, tasks = ("svm", "rf", "mlp"), [f"t{i}" for i in range(8)]
    rows = list(itertools.product(models, tasks, levels, seeds))
    table = pd.DataFrame(rows, columns=["model", "dataset", column, "seed"])
    table = table if len(seeds) > 1 else table.drop(columns="seed")
    # Where algorithms are trained they are perfect.
    train = table[column].str.casefold().str.startswith("train")
    noise = np.random.default_rng(3).random(len(table)).round(3)
    table["accuracy"] = np.where(train, 1.0, 0.5 + 0.4 * noise)
    return table.sample(frac=1, axis=1, random_state=1) if shuffled else table


def means_of(table, column, part):
    """Return the mean of each model on a part."""
    return table[table[column] == part].groupby("model")["accuracy"].mean().to_dict()


@pytest.mark.slow
@pytest.mark.parametrize("levels", PHASES, ids=" ".join)
@pytest.mark.parametrize("column", ["split", "phase", "the set"])
@pytest.mark.parametrize("seeds", [(1,), (1, 2)])
def test_parts_of_the_data_are_no_replications(column, levels, seeds):
    for shuffled in (False, True):
        table = frame(column, levels, seeds=seeds, shuffled=shuffled)
        with pytest.raises(bi.errors.ScoreTableError) as caught:
            bi.read_scores(table)
        first, *others = caught.value.proposals
        assert not any("replication" in str(p.options.get("columns")) for p in others)
        scores = bi.read_scores(table, **first.options, measures={"accuracy": "higher"})
        means = scores.to_frame().groupby("algorithm")["value"].mean().to_dict()
        assert means == pytest.approx(means_of(table, column, levels[0]))
        # What the user selects is read without a question.
        where = first.options["where"]
        assert bi.read_scores(table, where=where).n_rows == scores.n_rows


def test_parts_of_the_data_declared_as_replications_are_refused():
    table = frame("split", ["train", "test"])
    with pytest.raises(bi.errors.ScoreTableError, match="parts of the data, no replications") as e:
        bi.read_scores(table, measures="accuracy:higher")
    assert "split = 'test'" in str(e.value)
    # Names of replications that are no parts are read as before.
    renamed = table.replace({"train": "first", "test": "second"})
    assert bi.read_scores(renamed, measures="accuracy:higher").n_rows == 48


def test_a_few_named_levels_are_factors_and_no_repeated_answer():
    with pytest.raises(bi.errors.ScoreTableError) as caught:
        bi.read_scores(frame("language", ["de", "en"]))
    proposed = [p.options["columns"] for p in caught.value.proposals]
    assert proposed[0] == {"language": "factor"}
    assert not any("replication" in columns.values() for columns in proposed)


def test_words_for_ways_to_split_data_are_no_replications():
    table = frame("split", ["random", "chronological"])
    with pytest.raises(bi.errors.ScoreTableError, match="kinds of splits, no replications") as e:
        bi.read_scores(table, measures="accuracy:higher")
    assert "split = 'chronological'" in str(e.value)
    declared = bi.read_scores(table, measures="accuracy:higher", columns={"split": "replication"})
    assert declared.n_rows == 48  # the user says so
    first, *_ = readings(table)
    assert first.roles["split"] not in ("replication", "algorithm")
